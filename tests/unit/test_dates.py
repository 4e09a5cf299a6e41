"""Dates in questions."""

from __future__ import annotations

import time
from datetime import UTC, date, datetime

import pytest
from hypothesis import given, strategies as st

from memoranda.clock import MICROSECONDS
from memoranda.search import query_dates
from memoranda.search.query_dates import NamedMonth
from tables import each

NOW = int(datetime(2026, 6, 17, 12, tzinfo=UTC).timestamp()) * MICROSECONDS


@each(
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
    assert query_dates.named_dates(question) == [named]


@each(
    "question",
    ["may I ask", "they march on", "you may", "12 errors", "port 8080", "", "the sun", "2023-99"],
)
def test_what_only_looks_like_a_date_names_none(question: str) -> None:
    assert not any(named.month for named in query_dates.named_dates(question))


def _worth(question: str, day: date, years: set[int] | None = None) -> float:
    spans = query_dates.spans(question, NOW, years or {day.year})
    return max((query_dates.day_weight(span, day.toordinal()) for span in spans), default=0.0)


@each(
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
        ("last week", date(2026, 6, 14), 1.0),
        ("last week", date(2026, 6, 15), 0.6),
        ("this week", date(2026, 6, 15), 1.0),
        ("this week", date(2026, 6, 14), 0.3),
        ("past week", date(2026, 6, 10), 1.0),
        ("this month", date(2026, 6, 1), 1.0),
        ("this month", date(2026, 5, 31), 0.3),
        ("past month", date(2026, 5, 17), 1.0),
        ("last year", date(2025, 12, 31), 1.0),
        ("im letzten Jahr", date(2025, 12, 31), 1.0),
        ("l'année dernière", date(2025, 3, 1), 1.0),
        ("el año pasado", date(2025, 3, 1), 1.0),
        ("去年", date(2025, 3, 1), 1.0),
        ("昨年", date(2025, 3, 1), 1.0),
        ("last year", date(2026, 1, 1), 0.0),
        ("this year", date(2026, 1, 1), 0.3),
        ("the day before yesterday", date(2026, 6, 15), 1.0),
        ("a month ago", date(2026, 5, 17), 1.0),
        ("two years ago", date(2024, 6, 17), 0.3),
        ("on 29 May", date(2026, 5, 29), 1.0),
        ("on 29 May", date(2026, 5, 28), 0.3),
        ("on the 31st of May", date(2026, 5, 31), 1.0),
        ("2026-05-30", date(2026, 5, 30), 1.0),
        ("2026-05-30", date(2026, 5, 29), 0.3),
        ("in February 2026", date(2026, 2, 28), 1.0),
        ("in February 2026", date(2026, 3, 1), 0.6),
        ("on 29 February 2024", date(2024, 2, 29), 1.0),
        ("on 29 February 2024", date(2024, 2, 28), 0.3),
        ("on 31 June 2026", date(2026, 6, 30), 1.0),
        ("on the 31st", date(2026, 5, 31), 1.0),
        ("on the 17th", date(2026, 6, 17), 1.0),
        ("on the 18th", date(2026, 5, 18), 1.0),
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


@each(
    ("question", "day", "worth"),
    [
        ("in May", date(2026, 5, 2), 1.0),
        ("in May", date(2024, 5, 2), 0.8),
        ("in May 2024", date(2024, 5, 2), 1.0),
        ("in October", date(2026, 10, 2), 0.8),  # of the year to come
        ("in October", date(2024, 10, 2), 1.0),
        ("in October", date(2023, 10, 2), 0.8),
        ("im Mai", date(2024, 5, 2), 0.8),
    ],
)
def test_a_month_without_a_year_is_first_its_last_one(
    question: str, day: date, worth: float
) -> None:
    assert _worth(question, day, {2023, 2024, 2026}) == worth


@each(
    ("today", "question", "first", "last"),
    [
        (date(2026, 3, 31), "last month", date(2026, 2, 1), date(2026, 2, 28)),
        (date(2024, 3, 31), "last month", date(2024, 2, 1), date(2024, 2, 29)),
        (date(2026, 1, 31), "last month", date(2025, 12, 1), date(2025, 12, 31)),
        (date(2026, 1, 1), "last week", date(2025, 12, 22), date(2025, 12, 28)),
        (date(2026, 1, 1), "yesterday", date(2025, 12, 31), date(2025, 12, 31)),
        (date(2026, 3, 31), "a month ago", date(2026, 2, 13), date(2026, 3, 15)),
        (date(2024, 2, 29), "one year ago", date(2022, 8, 29), date(2023, 8, 30)),
        (date(2024, 2, 29), "past year", date(2023, 2, 28), date(2024, 2, 29)),
        (date(2026, 3, 1), "on the 31st", date(2026, 1, 31), date(2026, 1, 31)),
        (date(2026, 12, 31), "12 months ago", date(2025, 12, 16), date(2026, 1, 15)),
    ],
)
def test_the_calendar_is_right_at_the_ends_of_months_weeks_and_years(
    today: date, question: str, first: date, last: date
) -> None:
    now = int(datetime(today.year, today.month, today.day, 12, tzinfo=UTC).timestamp())
    (span,) = query_dates.spans(question, now * MICROSECONDS, {2026})
    assert date.fromordinal(span.first) == first
    assert date.fromordinal(span.last) == last


def test_29_february_without_a_year_is_of_the_years_that_have_it() -> None:
    (span,) = query_dates.spans("on 29 February", NOW, {2023, 2024, 2025})
    assert span.first == span.last == date(2024, 2, 29).toordinal()


@pytest.mark.parametrize(
    ("name", "at", "day"),
    [
        ("Asia/Tokyo", "2026-10-28T15:00:00+00:00", date(2026, 10, 29)),
        ("Asia/Kathmandu", "2026-10-28T18:15:00+00:00", date(2026, 10, 29)),
        ("America/Los_Angeles", "2026-10-29T06:59:00+00:00", date(2026, 10, 28)),
    ],
)
def test_days_are_those_of_the_reader(
    monkeypatch: pytest.MonkeyPatch, name: str, at: str, day: date
) -> None:
    monkeypatch.setenv("TZ", name)
    time.tzset()
    try:
        moment = int(datetime.fromisoformat(at).timestamp()) * MICROSECONDS
        assert query_dates.day_of(moment) == day.toordinal()
        (span,) = query_dates.spans("today", moment, {2026})
        assert span.first == day.toordinal()
    finally:
        monkeypatch.undo()
        time.tzset()


@given(st.text(max_size=200), st.integers(0, 4_000_000_000_000_000))
def test_no_question_is_too_odd(question: str, now: int) -> None:
    for span in query_dates.spans(question, now, {2020, 2026}):
        assert span.first <= span.last
    assert query_dates.names_any(question) in (True, False)


@pytest.mark.parametrize("question", ["31 February 2023", "on May 99", "999999 weeks ago"])
def test_days_that_do_not_exist_are_no_error(question: str) -> None:
    query_dates.spans(question, NOW, {2026})


@each(
    ("question", "first", "last"),
    [
        ("last Tuesday", (2026, 11, 24), (2026, 11, 24)),
        ("what did we do on Wed?", (2026, 11, 25), (2026, 11, 25)),
        ("Tuesday last week", (2026, 11, 17), (2026, 11, 17)),
        ("Dienstag letzter Woche", (2026, 11, 17), (2026, 11, 17)),
        ("letzten Dienstag", (2026, 11, 24), (2026, 11, 24)),
        ("gestern", (2026, 11, 26), (2026, 11, 26)),
        ("vor drei Tagen", (2026, 11, 24), (2026, 11, 24)),
        ("what did we say last night", (2026, 11, 26), (2026, 11, 26)),
        ("last weekend", (2026, 11, 21), (2026, 11, 22)),
        ("on the 30th of last month", (2026, 10, 30), (2026, 10, 30)),
        ("on the twenty-ninth of October", (2026, 10, 29), (2026, 10, 29)),
        ("28-30 October", (2026, 10, 28), (2026, 10, 30)),
        ("vom 28. bis 30. Oktober 2026", (2026, 10, 28), (2026, 10, 30)),
        ("in the week of 26 October", (2026, 10, 26), (2026, 11, 1)),
        ("le 3 mars 2026", (2026, 3, 3), (2026, 3, 3)),
        ("昨日", (2026, 11, 26), (2026, 11, 26)),
        ("2026年10月31日", (2026, 10, 31), (2026, 10, 31)),
    ],
)
def test_a_day_is_read_in_its_usual_forms(
    question: str, first: tuple[int, int, int], last: tuple[int, int, int]
) -> None:
    friday = int(datetime(2026, 11, 27, 12).astimezone().timestamp()) * MICROSECONDS
    spans = query_dates.spans(question, friday, {2026})
    assert [(one.first, one.last) for one in spans] == [
        (date(*first).toordinal(), date(*last).toordinal())
    ]


@pytest.mark.parametrize(
    "question", ["Python 3.11.2 or 3.12.", "every Monday", "wir sind hier", "a ratio of 3/4"]
)
def test_numbers_and_habits_are_no_days(question: str) -> None:
    assert not query_dates.names_any(question)


def test_two_readings_of_a_date_are_both_meant() -> None:
    found = query_dates.named_dates("on 3/4/2026")
    assert {(one.month, one.day) for one in found} == {(3, 4), (4, 3)}
