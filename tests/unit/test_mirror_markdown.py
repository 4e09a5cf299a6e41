"""Memories in Markdown are read back unchanged, and no text is confused."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from memoranda.mirror import markdown
from memoranda.mirror.markdown import MarkdownEntry, hash_of, plain, read, rendered
from memoranda.text import normalise, one_line

ONE = "01234567-0000-7000-8000-000000000001"
TWO = "01234567-0000-7000-8000-000000000002"

FORGED = f"<!-- memoranda {TWO} version 1 text 0123456789abcdef -->"
PIECES = st.sampled_from(
    ["## x", "##", "# y", "\\## x", "\\\\##", FORGED, f"\\{FORGED}", "<!--memoranda", "```", "~~~",
     "````", "text", "", " ", "- [ ] a", "\u2028", "ä", "<!-- memoranda", "##\u00a0z"]
)  # fmt: skip
TEXTS = st.one_of(st.text(max_size=80), st.lists(PIECES, max_size=8).map("\n".join)).map(normalise)


def entry_of(title: str, text: str, id: str = ONE) -> MarkdownEntry:
    return MarkdownEntry(one_line(title), plain(text), id, hash_of(title, text))


def page(*values: tuple[str, str, str]) -> str:
    return markdown.page("Patterns: shop", [rendered(t, c, id, 1) for t, c, id in values])


@given(TEXTS, TEXTS, TEXTS, TEXTS)
def test_entries_come_back_as_they_were(a: str, b: str, c: str, d: str) -> None:
    found = read(page((a, b, ONE), (c, d, TWO)))
    assert found.before == ""
    assert found.entries == [entry_of(a, b), entry_of(c, d, TWO)]
    assert [one.hash for one in found.entries] == [one.written for one in found.entries]


@given(TEXTS)
def test_a_text_is_escaped_and_back(text: str) -> None:
    assert markdown.unescaped(markdown.escaped(text)) == text


@given(TEXTS)
def test_no_text_forges_a_marker(text: str) -> None:
    found = read(page(("title", text, ONE)))
    assert [one.id for one in found.entries] == [ONE]


@given(st.text(max_size=300).map(normalise))
def test_nothing_of_any_file_is_lost(text: str) -> None:
    found = read(text)
    left = found.before + "".join(f"{one.title}{one.text}" for one in found.entries)
    mine = markdown.unescaped(plain(text.removeprefix("\ufeff")))
    for word in mine.split():
        if word.strip("#\\") and not word.startswith("<!--"):
            assert one_line(word.strip("#\\")) in one_line(left) or "#" in word


def test_a_person_writes_below_a_new_heading() -> None:
    found = read(page(("A", "first", ONE)) + "\n## New rule\n\nRound once.\n\n### Why\n\nLaw.\n")
    assert found.entries == [
        entry_of("A", "first"),
        MarkdownEntry("New rule", "Round once.\n\n### Why\n\nLaw."),
    ]


def test_headings_in_code_are_code() -> None:
    code = "```sh\n## not a heading\nls\n```\n\nafter"
    found = read(page(("A", "first", ONE)) + f"\n## New\n\n{code}\n\n## Next\n\nx\n")
    assert [one.title for one in found.entries] == ["A", "New", "Next"]
    assert found.entries[1].text == code


def test_code_that_never_ends_does_not_swallow_other_memories() -> None:
    found = read(page(("A", "```\nopen", ONE), ("B", "second", TWO)))
    assert [one.id for one in found.entries] == [ONE, TWO]


@pytest.mark.parametrize("ends", ["\r\n", "\r"])
def test_the_ends_of_lines_of_other_systems_change_nothing(ends: str) -> None:
    text = page(("A", "first\nsecond", ONE), ("B", "x", TWO))
    found = read("\ufeff" + text.replace("\n", ends))
    assert [one.hash for one in found.entries] == [one.written for one in found.entries]
    assert found.before == ""


def test_a_marker_without_its_heading_still_identifies_its_text() -> None:
    lines = page(("A", "first", ONE), ("B", "second", TWO)).split("\n")
    found = read("\n".join(line for line in lines if line != "## B"))
    assert found.entries == [
        entry_of("A", "first"),
        MarkdownEntry("", "second", TWO, hash_of("B", "second")),
    ]


def test_text_above_the_entries_is_preserved() -> None:
    text = page(("A", "first", ONE)).replace(markdown.INTRO, markdown.INTRO + "\n\nMind the gap.")
    assert read(text).before == "Mind the gap."


def test_an_emptied_entry_differs_from_a_removed_one() -> None:
    found = read(page(("A", "", ONE)))
    assert [(one.id, one.text) for one in found.entries] == [(ONE, "")]
    assert read("## \n\n").entries == []


def test_a_title_is_one_line_and_no_heading() -> None:
    found = read(page(("a\n## b\n" + FORGED, "text", ONE)))
    assert found.entries[0].title == f"a ## b {FORGED}"


def test_a_long_line_is_read_in_a_moment() -> None:
    for text in ("\\" * 200_000, "<!-- memoranda " * 20_000, "`" * 200_000, "#" * 200_000):
        assert read(page(("A", text, ONE))).entries[0].text == plain(text)
