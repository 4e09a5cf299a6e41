"""Transcripts that are not JSON lines in UTF-8 are read as lines."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from memoranda.capture.hosts import document_lines
from memoranda.capture.hosts.transcript_lines import LineCounts, entry_of, read_lines
from memoranda.capture.hosts.transcripts import reader_for
from memoranda.exceptions import InvalidInput
from memoranda.text_encoding import is_wide
from tables import each
from transcript_files import FIXTURES, SAMPLES, assistant_line, read, text_block, user_line, write

ENTRIES = [{"n": 1, "text": "Πόσο;"}, {"n": 2, "inner": [{"n": 9}]}, {"n": 3, "text": "a\u2028b"}]


def records(path: Path, start: int = 0) -> tuple[list[Any], LineCounts]:
    """Return the decoded lines of a file and their counts."""
    tally = LineCounts()
    return [entry_of(line, tally) for line in read_lines(path, start, tally=tally)], tally


def lined(ending: str = "\n") -> str:
    """Return the entries as lines."""
    return "".join(json.dumps(one, ensure_ascii=False) + ending for one in ENTRIES)


@pytest.mark.parametrize(
    "data",
    [
        b"\xff\xfe" + lined().encode("utf-16-le"),
        b"\xfe\xff" + lined("\r\n").encode("utf-16-be"),
        b"\xff\xfe\0\0" + lined().encode("utf-32-le"),
        b"\0\0\xfe\xff" + lined().encode("utf-32-be"),
        b"\xef\xbb\xbf" + lined().encode(),
        b"\xef\xbb\xbf" + json.dumps(ENTRIES).encode(),
        json.dumps(ENTRIES, indent=4, ensure_ascii=False).encode(),
        json.dumps(ENTRIES, ensure_ascii=False).encode("utf-16"),
        "\n".join(json.dumps(one, indent=2) for one in ENTRIES).encode(),
        lined("\r").encode(),
        lined("\r").rstrip().encode("utf-16"),
        lined("\r\n").encode(),
        lined().encode(),
    ],
    ids=range(13),
)
def test_each_form_has_the_same_records(data: bytes, tmp_path: Path) -> None:
    path = tmp_path / "converted.jsonl"
    path.write_bytes(data)
    found, tally = records(path)
    assert found == ENTRIES
    assert (tally.skipped, tally.incomplete) == (Counter(), 0)
    assert records(path, tally.end)[0] == []


def test_reading_goes_on_behind_the_records_that_were_read(tmp_path: Path) -> None:
    path = tmp_path / "growing.json"
    path.write_text(json.dumps(ENTRIES[:1]))
    end = records(path)[1].end
    path.write_text(json.dumps(ENTRIES))
    assert records(path, end)[0] == ENTRIES[1:]


@pytest.mark.parametrize("cut", [1, 5, 30, 60])
def test_a_torn_document_gives_its_whole_records_and_the_rest_is_counted(
    cut: int, tmp_path: Path
) -> None:
    path = tmp_path / "torn.json"
    path.write_text(json.dumps(ENTRIES, indent=2, ensure_ascii=False)[:-cut])
    found, tally = records(path)
    assert found == ENTRIES[: len(found)]
    assert len(found) >= 1
    assert (tally.incomplete > 0) == (len(found) < len(ENTRIES))
    assert tally.skipped["incomplete"] == (1 if tally.incomplete else 0)


def test_one_damaged_item_costs_itself_and_nothing_inside_it_is_taken_for_a_record(
    tmp_path: Path,
) -> None:
    path = tmp_path / "damaged.json"
    text = json.dumps([{"n": 1}, {"n": 2, "in": [{"n": 8}, {"n": 9}]}, {"n": 3}], indent=2)
    path.write_text(text.replace('"n": 2', '"n": oops'))
    found, tally = records(path)
    assert found == [{"n": 1}, {"n": 3}]
    assert tally.skipped == Counter({"incomplete": 1})


def test_a_truncated_object_gives_its_header_and_its_whole_messages(tmp_path: Path) -> None:
    path = tmp_path / "chat.json"
    whole = {"sessionId": "s", "messages": [{"id": "a"}, {"id": "b"}, {"id": "c"}]}
    path.write_text(json.dumps(whole, indent=2)[:-20])
    found, tally = records(path)
    assert found == [{"sessionId": "s", "messages": []}, {"id": "a"}, {"id": "b"}]
    assert tally.incomplete > 0


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('[1, 2]\n{"n": 1}\n{"n": 2}\n', [None, {"n": 1}, {"n": 2}]),
        ('{\n{"n": 1}\n{"n": 2}\n', [{"n": 1}, {"n": 2}]),
        ("[]\n", []),
        ('{"n": 1}\n[\n{"n": 2}\n', [{"n": 1}, None, {"n": 2}]),
        ('{"text": "a\\rb"}\n{"n": 2}\n', [{"text": "a\rb"}, {"n": 2}]),
    ],
)
def test_lines_with_odd_ones_among_them_stay_lines(
    text: str, expected: list[Any], tmp_path: Path
) -> None:
    path = tmp_path / "lines.jsonl"
    path.write_text(text)
    assert records(path)[0] == expected


@pytest.mark.parametrize("text", ["[" * 20_000, '[\n{"a":' + "[" * 20_000, "{\n" + "[" * 20_000])
def test_nesting_without_end_is_no_record_and_no_crash(text: str, tmp_path: Path) -> None:
    path = tmp_path / "deep.json"
    path.write_text(text)
    found, tally = records(path)
    assert not any(found)
    assert tally.incomplete or tally.skipped
    with pytest.raises(InvalidInput):
        reader_for(path)


def test_a_document_too_large_for_memory_is_refused_with_a_way_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "large.json"
    path.write_text(json.dumps(ENTRIES))
    monkeypatch.setattr(document_lines, "LARGEST", 10)
    with pytest.raises(InvalidInput, match="one JSON object per line"):
        records(path)
    write(path, ENTRIES)  # lines have no such limit
    assert records(path)[0] == ENTRIES


@pytest.mark.parametrize("name", [name for name in SAMPLES if "edge" not in name])
def test_a_sample_gives_the_same_as_an_array_and_in_utf_16(name: str, tmp_path: Path) -> None:
    lines = [line for line in (FIXTURES / name).read_text("utf-8").split("\n") if line.strip()]
    events = [(one.kind, one.text, one.tool) for one in read(FIXTURES / name)[0]]
    wide = tmp_path / name
    wide.write_bytes("\n".join(lines).encode("utf-16"))
    assert [(one.kind, one.text, one.tool) for one in read(wide)[0]] == events
    if all(line.startswith("{") and line.endswith("}") for line in lines):
        wide.write_text("[" + ",\n".join(lines) + "]")
        assert [(one.kind, one.text, one.tool) for one in read(wide)[0]] == events


def test_an_array_of_claude_code_grows_without_doubling_what_was_read(tmp_path: Path) -> None:
    path = tmp_path / "s1.json"
    entries = [user_line("u1", None, "go"), assistant_line("a1", "u1", text_block("done"))]
    path.write_text(json.dumps(entries[:1]))
    first, reader = read(path)
    path.write_text(json.dumps(entries))
    second, _ = read(path, reader.resume_offset)
    assert [one.key for one in first + second] == ["line:u1", "line:a1:0"]


@each(
    ("head", "wide"),
    [
        (b"\xff\xfea\0", True),
        (b"\xfe\xff\0a", True),
        (b"\0\0\xfe\xff", True),
        (b"{\0\n\0", True),
        (b"\0{\0\n", True),
        (b"\0\0\0\0{}", False),
        (b"{}\n{}", False),
        (b"\xef\xbb\xbf{}", False),
        (b"", False),
    ],
)
def test_wide_encodings_are_recognised_by_their_beginning(head: bytes, wide: bool) -> None:
    assert is_wide(head) is wide
