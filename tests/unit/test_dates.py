"""Dates that questions name."""

from __future__ import annotations

from datetime import UTC, date, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoranda.clock import MICROSECONDS
from memoranda.recall import dates
from memoranda.recall.dates import NamedMonth

NOW = int(datetime(2026, 6, 17, 12, tzinfo=UTC).timestamp()) * MICROSECONDS


@pytest.mark.parametrize(
    ("question", "named"),
    [
        ("what happened in May 2023?", NamedMonth(2023, 5, None)),
        ("what happened on 3 May 2023", NamedMonth(2023, 5, 3)),
        ("on May 3rd, 2023", NamedMonth(2023, 5, 3)),
        ("the 3rd of May", NamedMonth(None, 5, 3)),
        ("since sept", NamedMonth(None, 9, None)),
        ("on 2023-05-03", NamedMonth(2023, 5, 3)),
        ("in 2023-05", NamedMonth(2023, 5, None)),
        ("what happened in 2023", NamedMonth(2023, None, None)),
    ],
)
def test_a_date_is_understood(question: str, named: NamedMonth) -> None:
    assert dates.named_dates(question) == [named]


@pytest.mark.parametrize(
    "question",
    ["may I ask", "they march on", "you may", "12 errors", "port 8080", "", "the sun", "2023-99"],
)
def test_what_only_looks_like_a_date_names_none(question: str) -> None:
    assert not any(named.month for named in dates.named_dates(question))


def _worth(question: str, day: date, years: set[int] | None = None) -> float:
    spans = dates.spans(question, NOW, years or {day.year})
    return max((dates.worth(span, day.toordinal()) for span in spans), default=0.0)


@pytest.mark.parametrize(
    ("question", "day", "worth"),
    [
        ("in May", date(2026, 5, 20), 1.0),
        ("in May", date(2026, 6, 9), 0.6),
        ("in May", date(2026, 4, 28), 0.3),
        ("in May", date(2026, 8, 1), 0.0),
        ("in 2026", date(2026, 8, 1), 0.3),
        ("in 2025", date(2026, 8, 1), 0.0),
        ("yesterday", date(2026, 6, 16), 1.0),
        ("today", date(2026, 6, 17), 1.0),
        ("last week", date(2026, 6, 8), 1.0),
        ("last month", date(2026, 5, 2), 1.0),
        ("last month", date(2026, 3, 2), 0.0),
        ("3 weeks ago", date(2026, 5, 27), 1.0),
        ("3 weeks ago", date(2026, 1, 1), 0.0),
    ],
)
def test_a_record_is_worth_more_the_nearer_its_day_is(
    question: str, day: date, worth: float
) -> None:
    assert _worth(question, day) == worth


def test_a_month_without_a_year_is_looked_for_in_every_year_there_is() -> None:
    assert _worth("in May", date(2024, 5, 2), {2023, 2024, 2026}) == 1.0


@given(st.text(max_size=200), st.integers(0, 4_000_000_000_000_000))
def test_no_question_is_too_odd(question: str, now: int) -> None:
    for span in dates.spans(question, now, {2020, 2026}):
        assert span.first <= span.last
    assert dates.names_any(question) in (True, False)


@pytest.mark.parametrize("question", ["31 February 2023", "on May 99", "999999 weeks ago"])
def test_days_that_do_not_exist_are_no_error(question: str) -> None:
    dates.spans(question, NOW, {2026})
