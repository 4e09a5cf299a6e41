"""Numbers, times, diffs and pictures in web pages."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import pytest

from contract.clock import START
from memoranda.json_data import iso_time
from memoranda.text import counted
from memoranda.web import filters
from memoranda.web.charts import Band, bands, bar, columns, line
from memoranda.web.differences import MAX_LINES, differences
from tables import each


@each(
    ("number", "words"),
    [(0, "0"), (940, "940"), (999, "999"), (1_900, "1.9k"), (184_000, "184k"), (2_300_000, "2.3M"),
     (999_950, "1.0M"), (9_960, "10k"), (-1_900, "-1.9k")],
)  # fmt: skip
def test_numbers_are_short(number: int, words: str) -> None:
    assert filters.short(number) == words


def test_amounts_have_units() -> None:
    assert filters.tokens(1) == "1 token"
    assert filters.tokens(1_900) == "1.9k tokens"
    assert counted(1, "entry", "entries") == "1 entry"
    assert counted(1_200, "task") == "1,200 tasks"
    assert [filters.money(one) for one in (0, 4_200, 1_500_000, 1_000_000_000)] == [
        "$0.00", "$0.0042", "$1.50", "$1,000.00",
    ]  # fmt: skip
    assert [filters.size(one) for one in (12, 1_200, 3_400_000)] == ["12 bytes", "1.2 kB", "3.4 MB"]
    assert [filters.share(one) for one in (0, 0.004, 0.5, 0.9999, 1)] == [
        "0 %", "under 1 %", "50 %", "over 99 %", "100 %",
    ]  # fmt: skip
    spans = (0, 0.43, 12, 360, 10_800, 432_000)
    assert [filters.span(one) for one in spans] == [
        "0 s",
        "0.4 s",
        "12 s",
        "6 min",
        "3 h",
        "5 days",
    ]


def test_times_show_their_date_and_age() -> None:
    minute = 60_000_000
    ago = {0: "just now", 2: "2 min ago", 90: "2 h ago", 1_440: "1 day ago", -5: "in 5 min"}
    for minutes, words in ago.items():
        result = filters.relative(iso_time(START - minutes * minute), START)
        assert f">{words}</time>" in result
    assert filters.relative(None, START) == "never"
    assert filters.absolute(iso_time(START)).count("UTC") == 1
    assert "<script>" not in filters.relative("<script>", START)


def test_lines_that_changed_show_the_words_that_did() -> None:
    gone, new = differences("Run npm test", "Run pnpm test")
    assert (gone.kind, new.kind) == ("gone", "new")
    assert [part for changed, part in gone.parts if changed] == ["npm"]
    assert [part for changed, part in new.parts if changed] == ["pnpm"]


def test_a_text_that_is_all_new_has_new_lines_alone() -> None:
    assert [one.kind for one in differences("", "a\nb")] == ["new", "new"]
    assert [one.kind for one in differences("a\nb", "")] == ["gone", "gone"]
    assert differences("", "") == ()


def test_what_did_not_change_is_passed_over() -> None:
    before = "\n".join(f"line {number}" for number in range(50))
    found = differences(before, before.replace("line 25", "quite another"))
    assert [one.kind for one in found] == [
        "gap", "same", "same", "same", "gone", "new", "same", "same", "same", "gap",
    ]  # fmt: skip
    assert found[0].parts[0][1] == "22 unchanged lines"


def test_very_long_texts_are_bounded() -> None:
    assert len(differences("", "x\n" * 50_000)) == MAX_LINES
    assert differences("a" * 10_000_000, "a" * 10_000_000)


def test_both_texts_can_be_put_together_from_their_differences() -> None:
    before, after = "one\ntwo\nthree, four", "one\ntwo and a half\nthree; four\nfive"
    found = differences(before, after)
    for text, kind in ((before, "gone"), (after, "new")):
        lines = [one for one in found if one.kind in ("same", kind)]
        assert "\n".join("".join(part for _, part in one.parts) for one in lines) == text


@each(
    "picture",
    [
        bands([Band("1. planning", 3, "planning"), Band("<2>", 1, "execution")], "Stages & <all>"),
        bands([], "none"),
        bar(8_240, 10_000, "tokens"),
        bar(1, 0, "nothing"),
        columns([("Monday", 3), ("Tuesday", 0)], "costs"),
        columns([], "none"),
        line([("a", 1.0), ("b", 1.0)], "level"),
        line([], "none"),
    ],
)
def test_pictures_are_sound_and_have_no_styles(picture: str) -> None:
    root = ElementTree.fromstring(picture)
    assert root.get("role") == "img"
    assert root.get("aria-label")
    assert "style" not in {name for one in root.iter() for name in one.keys()}  # noqa: SIM118
    assert "nan" not in picture


def test_a_bar_is_never_overfull_and_states_its_share() -> None:
    assert 'class="fill bad" width="1000"' in bar(12, 10, "too much")
    assert 'class="fill warn" width="850"' in bar(8.5, 10, "much")
    widths = [float(one) for one in re.findall(r'width="([\d.]+)"', bands(
        [Band(str(number), 1) for number in range(4)], "equal"))]  # fmt: skip
    assert widths == [248.0] * 4


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("no task; `memoranda task list` lists the tasks",
         "No task; <code>memoranda task list</code> lists the tasks"),
        ("a ` alone and <b>", "A ` alone and &lt;b&gt;"),
        ("`<i>`", "<code>&lt;i&gt;</code>"),
        ("", ""),
    ],
)  # fmt: skip
def test_an_error_is_a_sentence_whose_commands_are_code(text: str, shown: str) -> None:
    assert filters.message(text) == shown


def test_an_id_is_shown_by_its_beginning() -> None:
    assert filters.short_id("01a221c9-4bbf-7000-921c-353745e0ec64") == "01a221c9-4bbf-7000"
    assert filters.short_id("work/ada") == "work/ada"
