"""Text files of other programs are read in any encoding, BOM or not."""

from __future__ import annotations

import pytest

from memoranda.text_encoding import decoded, is_wide
from tables import each

TEXTS = (
    '{"text": "plain ASCII"}\n',
    '{"text": "Prüfe die Größe 大きさ"}\n{"text": "weiter"}\n',
    '{"type": "user", "text": "大きさは三百です。これは長い日本語の文章です"}\n',
)


@each("text", TEXTS)
@each(
    "encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be"]
)
def test_a_text_is_the_same_in_every_encoding(text: str, encoding: str) -> None:
    data = text.encode(encoding)
    assert decoded(data) == text
    assert is_wide(data) == (encoding not in ("utf-8", "utf-8-sig"))


@pytest.mark.parametrize("data", [b"", b"a", b"abc\x00def\x00\x00gh", bytes(range(1, 256))])
def test_other_bytes_are_not_taken_for_wide_ones(data: bytes) -> None:
    assert not is_wide(data)
    assert "\0" not in decoded(data)
