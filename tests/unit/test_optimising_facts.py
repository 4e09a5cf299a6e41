"""Parts of a text that merging and shortening must keep."""

from __future__ import annotations

import time

from memoranda.profile.optimization.essential_facts import (
    covers,
    differ,
    lost_facts,
    plain_sentences,
    rules,
    tokens,
    values,
)
from tables import each


@each(
    ("text", "found"),
    [
        ("The gateway listens on port 8080.", {"8080"}),
        ("Fees are 2.5% above $1,000", {"2.5", "$1,000"}),
        ("Look into src/app/main.py and ~/notes", {"src/app/main.py", "~/notes"}),
        ("Call `make all` first", {"make all"}),
        ("They call Ana about Postgres", {"ana", "postgres"}),
        ("Run it with --dry-run and snake_case", {"--dry-run", "snake_case"}),
        ("see https://example.com/a?b=1 for more", {"https://example.com/a?b=1"}),
        ('it says "not today" there', {"not today"}),
        ("mail ops@example.com", {"ops@example.com"}),
        ("useEffect is banned on v2.1", {"useeffect", "v2.1"}),
        ("Always ask first. Then wait.", set()),
    ],
    ids=range(11),
)
def test_values_are_self_contained_terms(text: str, found: set[str]) -> None:
    assert found <= values(text)
    assert values(text.replace("8080", "")) == values(text) - {"8080"}
    if not found:
        assert values(text) == frozenset()


def test_sentences_lose_the_marks_of_their_list() -> None:
    text = "- one two\n2. three. Four!\n\n* five"
    assert plain_sentences(text) == ("one two", "three.", "Four!", "five")


def test_function_words_carry_no_content_and_negations_do() -> None:
    assert tokens("It is not the one") == ("not", "one")
    assert tokens("Don\u2019t") == ("don't",)


def test_rules_are_what_lays_down_or_binds() -> None:
    text = "We like tea. Never deploy on Fridays. It is green. Restart only if it hangs."
    assert rules(text) == ["Never deploy on Fridays.", "Restart only if it hangs."]


def test_lost_facts_are_reported() -> None:
    text = "Never use npm. The gate is on 8080. Colours are nice."
    assert lost_facts(text, text) == []
    assert lost_facts(text, "Never use  npm. It is on 8080.") == []
    assert lost_facts(text, "Never use npm.") == ["8080"]
    assert lost_facts(text, "Use npm on 8080.") == ["Never use npm."]


@each(
    ("one", "other", "message"),
    [
        ("Use pnpm.", "use PNPM", True),
        ("Amounts are in cents, stored as integers.", "Amounts are in cents.", True),
        ("Stored as integers, amounts are in cents.", "Amounts are in cents.", True),
        ("Deploy on Fridays if tests pass.", "Deploy on Fridays.", False),
        ("Never deploy on Fridays.", "Deploy on Fridays.", False),
        ("Deploy on Fridays in summer.", "Deploy on Fridays.", False),
        ("Run unit tests before major releases.", "Run tests before releases.", False),
        ("A comes before B.", "B comes before A.", False),
        ("Use port 8080, as agreed.", "Use port 9090.", False),
        ("Deploy only from main.", "Deploy from main.", False),
        ("Deploy from main.", "Deploy from main, then tell us.", False),
        ("anything", "", True),
    ],
    ids=range(12),
)
def test_a_sentence_covers_what_it_contains_verbatim(one: str, other: str, message: bool) -> None:
    assert covers(one, other) == message


@each(
    ("one", "other", "found"),
    [
        ("The gateway is on port 8080.", "The gateway is on port 9090.", True),
        ("The gateway is on port 8080.", "The gateway is on port 8080 now.", False),
        ("The gateway is on port 8080.", "The gateway has a port.", False),
        ("Orders are kept in Postgres.", "Orders are kept in MySQL.", True),
        ("The gateway is on port 8080.", "Ana prefers tea at 5 every day.", False),
        ("8080", "9090", True),
    ],
    ids=range(6),
)
def test_the_same_words_with_other_values_differ(one: str, other: str, found: bool) -> None:
    assert differ(one, other) == found
    assert differ(other, one) == found


@each(
    "text",
    ["a/" * 10_000, "a." * 10_000, "_" * 20_000, "`" * 20_000, "a-" * 10_000, '"' * 20_000,
     "A" * 20_000, "- " * 10_000, "1" * 20_000, "@." * 10_000, "a b, " * 4_000],
    ids=range(11),
)  # fmt: skip
def test_hostile_texts_are_read_in_time_that_grows_with_their_length(text: str) -> None:
    def spent(part: str) -> float:
        started = time.process_time()
        values(part)
        tokens(part)
        plain_sentences(part)
        return time.process_time() - started

    half = min(spent(text[: len(text) // 2]) for _ in range(2))
    assert spent(text) <= 6 * half + 0.2
