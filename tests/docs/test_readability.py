"""The documentation reads easily: Flesch-Kincaid grade of the prose of each page."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest
from reader_texts import PAGES, ROOT, prose

from tables import each

GRADE = 10.0
"""Highest grade: what a reader with ten years of school reads without effort."""
LINK = re.compile(r"\[([^\]]*)\]\([^)]*\)")
ITEM = re.compile(r"(?:[-*]|\d+\.) +(.*)")
SENTENCE_END = re.compile(r"(?<=[.!?])\s+")
WORD = re.compile(r"[A-Za-z][\w'-]*")


def paragraphs(page: str) -> list[str]:
    """Return paragraphs and items of lists, without code, tables and headings."""
    found: list[list[str]] = [[]]
    for line in re.sub(r"<!--.*?-->", "", prose(page), flags=re.S).splitlines():
        text = "" if line.lstrip().startswith(("|", "#", "![")) else line.strip()
        item = ITEM.fullmatch(text)
        if item or not text:
            found.append([])
        found[-1].append(item[1] if item else text)
    return [LINK.sub(r"\1", " ".join(lines)) for lines in found]


def sentences(page: str) -> list[str]:
    """Return the sentences of a page, as words with spaces between them."""
    words = (WORD.findall(one) for text in paragraphs(page) for one in SENTENCE_END.split(text))
    return [" ".join(one) for one in words if len(one) >= 3]


def grade(page: str, monkeypatch: pytest.MonkeyPatch) -> float:
    """Return the Flesch-Kincaid grade of a page."""
    # The library would take google-re2 for `re`, which lacks what it needs.
    monkeypatch.setitem(sys.modules, "re2", None)
    import readability

    measures = readability.getmeasures(sentences(page), lang="en")
    return float(measures["readability grades"]["Kincaid"])


@each("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_a_page_reads_easily(page: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert grade(page.read_text("utf-8"), monkeypatch) <= GRADE


def test_a_heavy_page_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    heavy = (
        "Notwithstanding considerable architectural particularities of heterogeneous "
        "configurations, administrators necessarily anticipate interoperability considerations."
    )
    assert grade(heavy, monkeypatch) > GRADE
    assert grade("# A page\n\nRun the tool. It prints the path of the file.", monkeypatch) < 4
