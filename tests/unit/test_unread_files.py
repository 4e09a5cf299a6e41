"""Files that are no transcripts are refused with their type."""

from __future__ import annotations

import bz2
import gzip
import json
import lzma
from pathlib import Path
from typing import Any

import pytest

from memoranda.capture.hosts.transcripts import reader_for
from memoranda.capture.hosts.unsupported_files import other_history, unread_reason
from memoranda.exceptions import InvalidInput

LINE = b'{"type":"user","uuid":"u1","sessionId":"s","message":{"content":"hi"}}\n'


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (gzip.compress(LINE), "gunzip -k"),
        (gzip.compress(LINE)[:20], "gunzip -k"),
        (bz2.compress(LINE), "bunzip2 -k"),
        (lzma.compress(LINE), "unxz -k"),
        (b"\x28\xb5\x2f\xfd" + LINE, "unzstd"),
        (b"PK\x03\x04\0\0\0", "damaged or incomplete zip"),
        (b"\x89PNG\r\n\x1a\n\0\0", "an image"),
        (b"\xff\xd8\xff\xe0\0\x10JFIF", "an image"),
        (b"GIF89a\0\0", "an image"),
        (b"%PDF-1.7\n%\xe2\xe3\n", "a PDF"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1", "an Office document"),
        (b" \n\t\r\n\0", "only white space"),
        (bytes(range(256)), "not text"),
        (b"<html><body>404", "an HTML or XML page"),
        (b'\xef\xbb\xbf<?xml version="1.0"?>', "an HTML or XML page"),
    ],
    ids=range(15),
)
def test_bytes_that_are_no_transcript_are_described(
    data: bytes, reason: str, tmp_path: Path
) -> None:
    path = tmp_path / "named-as-one.jsonl"
    path.write_bytes(data)
    with pytest.raises(InvalidInput, match=reason):
        reader_for(path)


@pytest.mark.parametrize(
    "data",
    [
        LINE,
        b"\0" * 40 + LINE * 40,
        LINE.decode().encode("utf-16"),
        "Ärger über Ümläute\n".encode("cp1252"),
        b"plain words, no JSON\n",
        b"\x1b[31mcoloured\x1b[0m output\n",
    ],
    ids=range(6),
)
def test_text_is_never_taken_for_something_else(data: bytes, tmp_path: Path) -> None:
    path = tmp_path / "text.jsonl"
    path.write_bytes(data)
    assert unread_reason(path) is None


@pytest.mark.parametrize(
    ("entries", "what"),
    [
        ([{"info": {"id": "s"}, "messages": []}], "OpenCode"),
        ([{"id": "p", "messageID": "m", "sessionID": "s"}], "OpenCode"),
        ([{"id": "m", "sessionID": "s", "time": {"created": 1}}], "OpenCode"),
        ([{"ts": 1, "type": "say", "text": "hi"}], "Cline"),
        ([{"role": "user", "content": "hi"}], "bare list of messages"),
        ([{"role": "user", "parts": [{"text": "hi"}]}], "bare list of messages"),
        ([{"model": "m", "messages": [{"role": "user", "content": "hi"}]}], "bare list"),
        ([{"other": 1}, {"role": "user", "content": "hi"}], "bare list"),
    ],
)
def test_histories_of_other_programs_are_named(
    entries: list[dict[str, Any]], what: str, tmp_path: Path
) -> None:
    path = tmp_path / "history.json"
    for text in (json.dumps(entries), "\n".join(map(json.dumps, entries)) + "\n"):
        path.write_text(text)
        with pytest.raises(InvalidInput, match=what) as refused:
            reader_for(path)
        assert "generic-events.md" in str(refused.value)


@pytest.mark.parametrize("entry", [{}, {"info": 1}, {"messages": []}, {"messages": 5}, {"role": 1}])
def test_other_json_is_nobodys_history(entry: dict[str, Any]) -> None:
    assert other_history([entry]) is None
