"""Statements that end on a day which they name."""

from __future__ import annotations

from datetime import UTC, datetime

from memoranda.context.end_dates import has_passed
from tables import each


def _at(day: str) -> int:
    return int(datetime.fromisoformat(day).replace(tzinfo=UTC, hour=12).timestamp()) * 1_000_000


ENDS = [
    ("Okko is away from 19 to 23 October, without a telephone.", "2026-10-13", "2026-10-23"),
    ("Code freeze bis zum 12. Mai, danach wieder frei.", "2026-05-01", "2026-05-12"),
    ("No deploys until Friday please.", "2026-11-23", "2026-11-27"),
    ("Bis Freitag bitte keine Releases.", "2026-11-24", "2026-11-27"),
    ("No desplegar hasta el viernes.", "2026-11-23", "2026-11-27"),
    ("Jusqu'au 5 décembre on ne touche pas à la prod.", "2026-11-23", "2026-12-05"),
    ("12月5日まで本番に触らない", "2026-11-23", "2026-12-05"),
    ("不要部署 直到12月1日", "2026-11-13", "2026-12-01"),
    ("До 3 декабря не деплоим.", "2026-11-13", "2026-12-03"),
    ("Wren is on leave till 2026-12-01.", "2026-11-13", "2026-12-01"),
    ("Away from 19\u201323 October.", "2026-10-13", "2026-10-23"),
    ("No releases until the 3rd of January.", "2026-12-13", "2027-01-03"),
]


@each(("text", "stated", "last"), ENDS)
def test_a_statement_ends_after_the_last_day_that_it_names(
    text: str, stated: str, last: str
) -> None:
    following = _at(last) + 24 * 3_600 * 1_000_000
    assert not has_passed(text, _at(stated), _at(last))
    assert has_passed(text, _at(stated), following)


@each(
    "text",
    [
        "The logs from 1 to 5 October are corrupt.",
        "From the 1st of December on, M counts as missing.",
        "Keep the toolchain until the tower is upgraded.",
        "Deploys only from Monday to Thursday.",
        "Support hours are from Monday until Friday.",
        "Every week the report stays open until Friday.",
        "I want to march on.",
        "Wait until it may be able to start.",
    ],
)
def test_other_statements_do_not_end(text: str) -> None:
    assert not has_passed(text, _at("2026-10-13"), _at("2027-12-31"))
