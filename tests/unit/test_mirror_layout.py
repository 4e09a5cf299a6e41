"""The mirror's folders, and the form of its documents."""

from __future__ import annotations

import json

from hypothesis import given, strategies as st

from memoranda.memories.model import Category
from memoranda.mirror.change_import import _known_of, _seen
from memoranda.mirror.layout import (
    PAGE_OF,
    PAGES,
    GeneratedFile,
    both,
    category_at,
    document,
    fenced,
    numbered,
    section,
)
from memoranda.mirror.markdown import MarkdownEntry, hash_of
from memoranda.mirror.model import FileKind
from tables import each


def test_every_category_has_a_page() -> None:
    assert set(PAGE_OF) == set(Category)
    assert len({page.name for page in PAGES}) == len(PAGES)


@each("page", PAGES, ids=lambda page: page.name)
@each("place", [0, 1, 41])
def test_what_is_written_into_a_page_is_of_its_category(page: object, place: int) -> None:
    name = numbered(page.name, place)  # type: ignore[attr-defined]
    first = page.categories[0]  # type: ignore[attr-defined]
    assert category_at(f"Memory/Global/{name}.md") is first
    assert category_at(f"Memory/Projects/shop/{name}.md") is first


@each(
    "path",
    [
        "Memory/Global/agent.md",
        "Memory/Global/patterns.json",
        "Memory/Global/patterns.md.bak",
        "Memory/Global/patterns.conflict-1.md",
        "Memory/Global/patterns.kept-1.md",
        "Memory/Global/deep/patterns.md",
        "Memory/Projects/patterns.md",
        "Memory/Projects/shop/deep/patterns.md",
        "Memory/Execution/1/learnings.md",
        "Memory/Tasks/active/1.md",
        "patterns.md",
    ],
)
def test_other_files_are_no_pages(path: str) -> None:
    assert category_at(path) is None


def test_a_document_has_its_json_file() -> None:
    text, data = both("Memory/a", "# A\n", {"b": 1}, kind=FileKind.PAGE, entries={"m": "h"})
    assert (text.path, data.path) == ("Memory/a.md", "Memory/a.json")
    assert (text.kind, data.kind) == (FileKind.PAGE, FileKind.MADE)
    assert json.loads(data.data) == {"b": 1}
    assert text.entries == data.entries == {"m": "h"}
    assert text.hash == GeneratedFile("elsewhere", text.data).hash != data.hash


def test_documents_are_of_titles_facts_and_sections() -> None:
    made = document("A\nB", {"Status": "good\n## no"}, section("C", []), section("D", ["x\ny"]))
    assert made == "# A B\n\n- **Status:** good ## no\n\n## D\n\n- x y\n"
    assert document("A", {}) == "# A\n"


@given(st.lists(st.sampled_from(["`", "```", "\n", "a", "~~~", "`````"]), max_size=12).map("".join))
def test_a_block_of_code_cannot_end_itself(text: str) -> None:
    lines = fenced(text).split("\n")
    assert lines[0] == lines[-1]
    assert set(lines[0]) == {"`"}
    assert "\n".join(lines[1:-1]) == text
    assert not any(lines[0] in line for line in lines[1:-1])


def entry(text: str, written: str) -> MarkdownEntry:
    return MarkdownEntry("t", text, "id", hash_of("t", written))


def test_the_marker_identifies_what_a_person_saw() -> None:
    a, b = hash_of("t", "a"), hash_of("t", "b")
    assert _seen(entry("x", "a"), []) == (a, a)
    assert _seen(entry("x", "a"), [b]) == (a, a)  # the file was rewritten meanwhile
    assert _seen(entry("x", "b"), [a, b]) == (b, b)


def test_an_earlier_edit_under_the_same_marker_is_what_the_person_saw() -> None:
    a, b, c = (hash_of("t", text) for text in "abc")
    taken = _known_of(entry("b", "a"), c)
    assert taken == f"{b}<{a}<{c}"
    assert _seen(entry("x", "a"), [taken]) == (b, c)
    assert _seen(entry("a", "a"), [taken]) == (b, c)  # reverting is an edit as well
    assert _seen(entry("x", "c"), [taken]) == (c, c)
    assert _known_of(entry("b", "a"), None) == f"{b}<{a}<{b}"
    assert _known_of(entry("a", "a"), c) == a
