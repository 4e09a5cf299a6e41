"""Lines end at LF, CR LF and CR; other separators are whitespace."""

from __future__ import annotations

from pathlib import Path

import pytest

from memoranda.conversations.sentence_weights import pieces
from memoranda.hook_output import excerpt
from memoranda.hooks.installation import SettingsChange
from memoranda.memories.extraction.encoder import prose
from memoranda.statements.clauses import claims
from memoranda.text import text_lines
from tables import each

SEPARATORS = ("\u2028", "\u2029", "\x85", "\x0b", "\x0c", "\x1c", "\x1e")


@each(
    ("text", "lines"),
    [
        ("", []),
        ("a", ["a"]),
        ("a\n", ["a"]),
        ("\n", [""]),
        ("a\r\n\r\nb\rc\n\n", ["a", "", "b", "c", ""]),
        ("\r\r\n", ["", ""]),
        ("a\ud800\0\nb", ["a\ud800\0", "b"]),
    ],
)
def test_lines_end_as_text_files_end_them(text: str, lines: list[str]) -> None:
    assert text_lines(text) == lines
    assert "".join(text_lines(text, keepends=True)) == text


@pytest.mark.parametrize("mark", SEPARATORS)
class TestSeparatorWithinLine:
    def test_ends_no_line(self, mark: str) -> None:
        assert text_lines(f"a{mark}b\nc{mark}") == [f"a{mark}b", f"c{mark}"]

    def test_leaves_a_statement_whole(self, mark: str) -> None:
        assert claims(f"We never{mark}push to main.") == ["We never push to main"]

    def test_leaves_a_sentence_of_a_summary_whole(self, mark: str) -> None:
        assert pieces(f"We never{mark}push to main.") == ["We never push to main."]

    def test_starts_no_item_and_no_fence(self, mark: str) -> None:
        assert prose(f"one{mark}``` two\nthree") == f"one{mark}``` two\nthree"

    def test_parts_no_line_of_a_diff(self, mark: str) -> None:
        diff = SettingsChange(Path("a"), f'{{"a": "b{mark}c"}}\n', f'{{"a": "b{mark}d"}}\n').diff
        assert text_lines(diff)[3:] == [f'-{{"a": "b{mark}c"}}', f'+{{"a": "b{mark}d"}}']

    def test_parts_no_line_of_an_excerpt(self, mark: str) -> None:
        line = f"E   AssertionError: got nothing{mark}collecting item 7\n"
        noise = "".join(f"collecting item {number}\n" for number in range(400))
        assert line in excerpt(noise + line + noise, 400)
