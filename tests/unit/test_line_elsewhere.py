"""The line of a long output that a search shows."""

from __future__ import annotations

import pytest

from memoranda.search.query import parse_query
from memoranda.search.sentence_matches import better_line

LOG = "".join(f"INFO request {number} handled\n" for number in range(2_000))
HEAD = LOG[:400]


def _shown(text: str, terms: list[str], shown: str = HEAD) -> str | None:
    found = better_line(text, terms, shown)
    return found and text[found.start : found.start + found.length]


@pytest.mark.parametrize(
    ("terms", "line"),
    [
        (["1999"], "INFO request 1999 handled"),
        (["request", "1234"], "INFO request 1234 handled"),
        (["refused", "connections"], "ERROR Connection refused by İzmir"),
        (["tariffs", "handled"], "WARN the tariff is handled by Basel"),
        ([*parse_query("円単位").words], "端数は円単位で丸める"),
    ],
)
def test_the_line_with_most_terms_is_shown_wherever_it_is(terms: list[str], line: str) -> None:
    text = f"{LOG}ERROR Connection refused by İzmir\nWARN the tariff is handled by Basel\n"
    assert _shown(f"{text}端数は円単位で丸める\n{LOG}", terms) == line


@pytest.mark.parametrize("terms", [["request"], ["zebra"], ["request", "handled"], []])
def test_the_passage_stays_where_no_line_has_more(terms: list[str]) -> None:
    assert _shown(LOG, terms) is None


def test_of_a_long_line_the_part_around_the_term_is_shown() -> None:
    shown = _shown("x=1;" * 50_000 + "flag=quokka;" + "y=2;" * 50_000, ["quokka"], "x=1;")
    assert shown is not None
    assert "flag=quokka;" in shown[:100]
    assert len(shown) <= 400
