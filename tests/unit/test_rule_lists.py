"""Lists under a heading for rules: detection and proposals."""

from __future__ import annotations

from memoranda.lessons.lasting_sentences import lasting_sentences
from memoranda.utterances.rule_lists import rule_lists
from tables import each


@each(
    "heading",
    [
        "Some rules:",
        "Please fix it. House rules:",
        "**Conventions**:",
        "## Ground rules",
        "Please keep in mind:",
        "Ein paar Regeln:",
        "Quelques consignes :",
        "Reglas del proyecto:",
        "ルール:",
    ],
)
@each("mark", ["- ", "* ", "1. ", "2) "])
def test_items_below_a_heading_of_rules_are_a_list_of_rules(heading: str, mark: str) -> None:
    text = f"Hello.\n{heading}\n{mark}Only the standard library.\n{mark}No new files.\n\nThanks"

    ((start, end),) = rule_lists(text)

    assert text[start:end] == f"{mark}Only the standard library.\n{mark}No new files."


@each(
    "heading",
    [
        "The linter broke these rules:",
        "The firewall rules:",
        "Steps:",
        "For today, always:",
        "I looked at the rules of the house and changed what follows, in this order:",
        "Rules",
    ],
)
def test_items_below_another_heading_are_not(heading: str) -> None:
    assert rule_lists(f"{heading}\n- one thing\n- another thing") == []


def test_a_list_of_rules_is_proposed_with_its_lines() -> None:
    message = "Find the cause.\n\nRules:\n- Only the standard library.\n- Amounts are integers.\n"

    (found,) = lasting_sentences(message)

    assert found.text == "- Only the standard library.\n- Amounts are integers."
