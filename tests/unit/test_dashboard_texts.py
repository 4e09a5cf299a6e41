"""Dashboard texts: without control characters, cut to an exact width."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, strategies as st
from rich.cells import cell_len
from textual.content import Content

from memoranda.clock import MICROSECONDS
from memoranda.exceptions import NotFound, StorageBusy
from memoranda.stages.model import Stage, StageName, StageSource
from memoranda.text import counted
from memoranda.tui.background_calls import failure_line
from memoranda.tui.list_widgets import Row, fitted
from memoranda.tui.now_report import CurrentState, report, tiles
from memoranda.tui.tasks import band_row, bands
from memoranda.tui.terminal_text import (
    CUT,
    LINE,
    ago,
    amount,
    limited,
    line,
    runs_backwards,
    written_out,
)
from memoranda.upkeep.stats import FailedJob, StoreStatus
from tables import each

ANY_TEXT = st.text(alphabet=st.characters(exclude_categories=("Cs",)), max_size=400)
NASTY = "\x1b]0;owned\x07\x1b[31mred\x1b[0m\x9b31m\u202egnp\u200b\u2028\r\n\tend\U000e0041"


@given(ANY_TEXT)
def test_a_line_has_nothing_that_a_terminal_acts_on(text: str) -> None:
    shown = line(text)
    assert shown.isprintable()
    assert len(shown) <= 6 * LINE
    assert shown == shown.strip()


@given(ANY_TEXT)
def test_written_out_text_hides_nothing(text: str) -> None:
    shown = written_out(text)
    assert all(char.isprintable() or char == "\n" for char in shown)
    hidden = [c for c in text if not c.isprintable() and not c.isspace()]
    assert all(f"\\u{ord(char):04x}" in shown for char in hidden)


def test_texts_are_shown_unchanged() -> None:
    assert line("[bold]a[/] {b}  \n c") == "[bold]a[/] {b} c"
    assert line(NASTY) == "red31mgnp end"  # the control before 31m is removed
    assert line("é 数据 שלום 👍") == "é 数据 שלום 👍"
    assert written_out("a\u00a0b\r\nc\td\x00") == "a b\nc   d\\u0000"
    assert written_out("\x1b[31mred") == "\\u001b[31mred"
    assert limited("\x1b[31mred\x1b[0m\n\x07") == "red\n\\u0007"


def test_long_texts_are_cut_and_marked() -> None:
    assert line("x" * 10_000) == "x" * (LINE - 1) + "…"
    assert limited("y" * CUT, "more") == "y" * CUT
    assert limited("y" * (CUT + 1_234), "a command").endswith(
        "\n… 1,234 characters more: a command"
    )


@given(ANY_TEXT, ANY_TEXT, st.integers(1, 200))
def test_a_row_is_as_wide_as_it_may_be(left: str, right: str, width: int) -> None:
    edge = line(right)[: width // 2]
    if cell_len(edge) + 2 > width:
        edge = ""
    shown = fitted(Content(line(left)), Content(edge), width)
    assert shown.cell_length == width
    assert shown.plain.endswith(edge)


@pytest.mark.parametrize("text", ["שלום", "مرحبا 12", "a אב"])
def test_what_runs_backwards_moves_nothing_that_follows(text: str) -> None:
    assert runs_backwards(text)
    shown = fitted(Content(text), Content("1.9k"), 30)
    assert shown.plain.index("\u200e") < shown.plain.index("1.9k")
    cut = fitted(Content(text * 20), Content("1.9k"), 30)
    assert cut.plain.endswith("…\u200e 1.9k")
    assert cell_len(cut.plain) == 30


def test_what_runs_forwards_has_no_mark() -> None:
    assert not runs_backwards("数据 é 12 👍")
    assert "\u200e" not in fitted(Content("数据"), Content("5"), 10).plain


def test_rows_have_one_line_or_two() -> None:
    assert Row("k", Content("a")).get_height(None, 10) == 1
    assert Row("k", Content("a"), below=Content("b")).get_height(None, 10) == 2
    assert Row("k", Content("a")).get_optimal_width(None, 33) == 33


@each(
    ("seconds", "expected"),
    [
        (0, "now"),
        (-5, "now"),
        (59, "now"),
        (60, "1 min ago"),
        (7_199, "1 h ago"),
        (86_400, "1 d ago"),
        (98 * 86_400, "98 d ago"),
        (99 * 86_400, "1970-01-01"),
    ],
)
def test_how_long_ago_something_was(seconds: int, expected: str) -> None:
    assert ago(0, seconds * MICROSECONDS) == expected


def test_what_never_was() -> None:
    assert ago(None, 5) == "never"


@each(
    ("number", "expected"),
    [
        (0, "0"),
        (999, "999"),
        (1_000, "1.0k"),
        (9_940, "9.9k"),
        (124_000, "124k"),
        (3_140_000, "3.1M"),
    ],
)
def test_amounts_are_short(number: int, expected: str) -> None:
    assert amount(number) == expected


def test_one_is_not_many() -> None:
    assert [counted(n, "task") for n in (0, 1, 2, 1_234)] == [
        "0 tasks", "1 task", "2 tasks", "1,234 tasks"
    ]  # fmt: skip


def staged(*began: int) -> list[Stage]:
    """Return stages with these starts."""
    kinds = [*StageName] * len(began)
    ends = [*(one - 1 for one in began[1:]), None]
    return [
        Stage("t", "x", n + 1, kinds[n], start, ends[n], StageSource.ACTION, 0.9, "why", 0, None)
        for n, start in enumerate(began)
    ]


@given(
    st.lists(st.integers(1, 500), min_size=1, max_size=40, unique=True).map(sorted),
    st.integers(1, 250),
    st.integers(0, 600),
)
def test_bands_fill_the_line(began: list[int], width: int, steps: int) -> None:
    shown = bands(staged(*began), steps, width)
    assert shown.cell_length == width


def test_bands_show_their_name_where_it_fits() -> None:
    shown = bands(staged(1, 13, 43), 60, 60)
    assert shown.plain.split() == ["planning", "execution", "reflection"]
    assert {span.style for span in shown.spans} == {
        "$on-stage on $planning", "$on-stage on $execution", "$on-stage on $reflection"
    }  # fmt: skip
    assert bands(staged(1, 13, 43), 60, 12).plain.split() == ["e", "r"]
    assert bands([], 10, 60).plain == ""
    first, *_ = staged(1, 13)
    assert band_row(first).left.plain == " planning  1-12  why"
    assert band_row(first).key == ""


def test_a_problem_is_one_line_with_a_remedy() -> None:
    assert failure_line(StorageBusy()).startswith(
        "storage_busy: Another process kept the store locked"
    )
    assert failure_line(NotFound("no\n\x1b[31mtask")) == "not_found: no task"
    assert failure_line(OSError("x")) == "OSError: x; `memoranda doctor` shows the cause"


def test_problems_are_shown_before_the_checks_run() -> None:
    hour = 3_600 * MICROSECONDS
    observation = StoreStatus(
        team="default", workspace="",
        last_recorded_at=hour, observations=1_234, lately=2, raw_tokens=10_000,
        summary_characters=4_000, spool_files=2, spool_bytes=1, spool_oldest_at=hour,
        jobs_waiting=3, jobs_failed=1, failures=(FailedJob("entry", 5, "no\n\x1b[31mroom"),),
    )  # fmt: skip
    found = CurrentState(observation, (), 4, None, (), (), more_quarantined=False)
    figures = [" ".join(one) for one in tiles(found, None, 3 * hour)]
    assert figures == [
        "2 h ago last capture 1,234 kept",
        "about 90% tokens saved of 10k captured",
        "none cost not available to your role",
        "none open errors of the last 20",
        "4 pending proposals 2 opens them",
    ]
    lines = [one.plain for one in report(found, None, None, 3 * hour)]
    assert "spool         nothing has stored 2 files since 2 h ago" in lines[1]
    assert "jobs          entry failed after 5 attempts: no room" in lines[2]
    assert "spool         2 files, 1 byte spooled" in lines
    assert "jobs          3 waiting, 1 given up" in lines
    well = replace(found, standing=replace(observation, spool_oldest_at=2 * hour + 1, failures=()))
    assert [one.plain for one in report(well, None, None, 3 * hour)][1] == "Nothing."
