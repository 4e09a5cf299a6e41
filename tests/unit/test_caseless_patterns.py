"""Patterns that ignore case find what `re.IGNORECASE` finds."""

from __future__ import annotations

import re

from memoranda.statements.assertions import Rank, rank
from memoranda.statements.case_insensitive_patterns import CaselessPattern
from tables import each

FORMS = r"\b(?:must|is not|kill\w*|at most \d+)\b|^(?:e\s|[+-]\s?\S)|nür"
TEXTS = (
    "You MUST stop",
    "it \u0130S NOT so",
    "\u0131s not so",
    "mu\u017ft it be",
    "\u212aILLED by the system",
    "At Most 12 of them",
    "E  AssertionError",
    "+ added",
    "NÜR dies",
    "mustard",
    "nothing here",
    "",
    "\u0130 and then it must",
)


@each("text", TEXTS)
def test_a_text_of_any_case_and_script_matches_as_it_does_for_re(text: str) -> None:
    pattern, usual = CaselessPattern(FORMS), re.compile(FORMS, re.IGNORECASE)
    found, expected = pattern.search(text), usual.search(text)
    assert (found and found.span()) == (expected and expected.span())
    assert pattern.count(text) == len(usual.findall(text))


def test_a_rule_is_a_requirement_however_it_is_typed() -> None:
    said = "deploys mu\u017ft wait for the tests"
    assert {rank(one) for one in (said, said.upper(), said.title())} == {Rank.REQUIREMENT}
    assert rank("DIE DATEI DARF NICHT GELÖSCHT WERDEN") is Rank.REQUIREMENT
    assert rank("WE SWITCHED THE QUEUE OVER") is Rank.DECISION
