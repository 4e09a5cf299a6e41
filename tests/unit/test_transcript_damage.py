"""Growing, truncated and damaged transcripts are read without errors."""

from __future__ import annotations

import io
import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, strategies as st

from memoranda.capture.hosts.claude_code.branches import Chain
from memoranda.capture.hosts.claude_code.transcript import ClaudeCodeReader
from memoranda.capture.hosts.codex.records import read_header
from memoranda.capture.hosts.codex.transcript import CodexReader
from memoranda.capture.hosts.cursor import transcript as cursor
from memoranda.capture.hosts.generic import transcript as generic
from memoranda.capture.hosts.transcript_lines import read_lines, split_lines
from memoranda.capture.hosts.transcript_reader import TranscriptReader
from memoranda.capture.hosts.transcripts import reader_for
from memoranda.exceptions import InvalidInput
from transcript_files import (
    FIXTURES,
    SAMPLES,
    assistant_line,
    call_block,
    read,
    result_line,
    text_block,
    user_line,
    write,
)


def test_an_import_goes_on_at_the_first_call_without_a_result(tmp_path: Path) -> None:
    path = tmp_path / "s1.jsonl"
    entries = [
        user_line("u1", None, "go"),
        assistant_line("a1", "u1", text_block("I look"), id="m1", usage={"output_tokens": 3}),
        assistant_line("a2", "a1", call_block("t1"), id="m1", usage={"output_tokens": 3}),
        result_line("u2", "a2", "t1", "ok"),
        assistant_line("a3", "u2", text_block("done")),
    ]
    first, reader = read(write(path, entries[:3]))
    offset = path.read_bytes().index(b'{"type": "assistant", "uuid": "a2"')
    assert [event.key for event in first] == ["line:u1", "line:a1:0", "call:t1"]
    assert (first[-1].output, first[-1].tags, reader.resume_offset) == (None, ("pending",), offset)

    second, reader = read(write(path, entries), reader.resume_offset)
    assert [event.key for event in second] == ["tool:t1", "line:a3:0"]
    assert [event.tokens_used for event in first + second] == [None, 3, None, None, None]
    assert reader.resume_offset == path.stat().st_size


def test_reading_in_steps_gives_what_reading_at_once_gives(tmp_path: Path) -> None:
    for name in SAMPLES:
        whole = (FIXTURES / name).read_bytes()
        at_once = {event.key for event in read(FIXTURES / name)[0]}
        path, start, stepwise = tmp_path / name, 0, set[str]()
        for end in range(0, len(whole) + 700, 700):
            path.write_bytes(whole[:end])
            if not any(read_lines(path)):
                continue
            events, reader = read(path, start)
            start = reader.resume_offset
            stepwise |= {event.key for event in events}
        finished = {key for key in at_once if not key.startswith("call:")}
        assert {key for key in stepwise if not key.startswith("call:")} == finished, name


def test_a_truncated_last_line_waits_for_the_next_import(tmp_path: Path) -> None:
    path = write(tmp_path / "s1.jsonl", [user_line("u1", None, "one")])
    size = path.stat().st_size
    torn = json.dumps(user_line("u2", "u1", "naïve"), ensure_ascii=False).encode()
    with path.open("ab") as file:
        file.write(torn[: torn.index(b"\xc3") + 1])
    events, reader = read(path)
    assert [event.text for event in events] == ["one"]
    assert (reader.resume_offset, reader.tally.incomplete > 0) == (size, True)
    path.write_bytes(path.read_bytes()[:size] + torn)
    events, reader = read(path, reader.resume_offset)
    assert [event.text for event in events] == ["naïve"]
    assert (reader.resume_offset, reader.tally.incomplete) == (path.stat().st_size, 0)


def test_a_line_over_the_limit_is_passed_over(tmp_path: Path) -> None:
    path = tmp_path / "s1.jsonl"
    path.write_bytes(b'{"a":1}\n' + b"x" * 3_000_000 + b'\n{"b":2}\n')
    reader = generic.reader(path)
    lines = list(read_lines(path, max_line=100, tally=reader.tally))
    assert [(line.offset, line.number, line.raw) for line in lines] == [
        (0, 1, b'{"a":1}\n'),
        (3_000_009, 3, b'{"b":2}\n'),
    ]
    assert reader.tally.skipped == Counter({"oversized": 1})
    assert reader.resume_offset == path.stat().st_size


def test_a_line_over_the_limit_that_is_still_written_waits(tmp_path: Path) -> None:
    path = tmp_path / "s1.jsonl"
    path.write_bytes(b'{"a":1}\n' + b"x" * 500)
    reader = generic.reader(path)
    assert len(list(read_lines(path, max_line=100, tally=reader.tally))) == 1
    assert (reader.resume_offset, reader.tally.incomplete) == (8, 500)


def test_nuls_and_bytes_that_are_not_utf8_do_not_lose_the_line(tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    path.write_bytes(
        b"\0\0\0\0\n"
        b'\0\0{"kind":"message","text":"caf\xe9"}\n'
        b'{"kind":"message","text":"\\ud800"}\r\n'
    )
    assert [event.text for event in read(path)[0]] == ["caf\ufffd", "\ud800"]


def test_json_that_is_nested_too_deeply_is_counted(tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    deep = b"[" * 200 + b"]" * 200
    path.write_bytes(b'{"kind":"message","text":"x"}\n{"kind":' + deep + b"}\n" + b"[" * 99_999)
    events, reader = read(path)
    assert len(events) == 1
    ((reason, count),) = reader.tally.skipped.items()
    assert (reason[:6], count) == ("kind:[", 1)


def test_an_empty_file_is_refused_as_empty(tmp_path: Path) -> None:
    path = tmp_path / "claude-code.jsonl"
    path.touch()
    with pytest.raises(InvalidInput, match="is empty"):
        reader_for(path)


@pytest.mark.parametrize("content", ["hello\n", '{"some":"thing"}\n', '[1]\n"x"\n'])
def test_a_file_of_no_known_form_is_refused_with_the_forms_we_know(
    content: str, tmp_path: Path
) -> None:
    path = tmp_path / "claude-code.jsonl"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(InvalidInput, match=r"Claude Code.*Codex.*Gemini CLI.*Cursor.*generic"):
        reader_for(path)


def test_a_message_of_cursor_without_content_is_counted() -> None:
    reader = cursor.reader(Path("stem.jsonl"))
    lines = [
        b'{"role":"user","message":{"content":[]}}',
        b'{"role":"user","message":{"content":[0]}}',
    ]
    assert list(reader.events(split_lines(io.BytesIO(b"\n".join(lines) + b"\n")))) == []
    assert reader.tally.skipped == Counter({"empty": 1, "malformed": 1})


def test_a_host_without_transcripts_is_refused() -> None:
    with pytest.raises(InvalidInput, match="aider"):
        reader_for(FIXTURES / SAMPLES[0], "aider")


# Every kind of damage.


def _reader_in_memory(name: str, data: bytes) -> TranscriptReader:
    if name.startswith("cc-"):
        return ClaudeCodeReader(Chain.read(split_lines(io.BytesIO(data))), "stem")
    if name.startswith("codex"):
        return CodexReader(read_header(split_lines(io.BytesIO(data)), "stem"))
    return cursor.reader(Path("stem.jsonl"))


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.sampled_from(["1", "NaN", "\ud800", "tool_result", "u1"]),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=4,
)


def _replaced(data: st.DataObject, value: Any) -> Any:
    """Return a value with one random part replaced."""
    if isinstance(value, dict) and value and data.draw(st.integers(0, 3)):
        name = data.draw(st.sampled_from(sorted(value)))
        return {**value, name: _replaced(data, value[name])}
    if isinstance(value, list) and value and data.draw(st.integers(0, 3)):
        return [_replaced(data, value[0]), *value[1:]]
    return data.draw(JSON)


def _mutated(data: st.DataObject, line: bytes) -> bytes:
    if data.draw(st.booleans()):
        return json.dumps(_replaced(data, json.loads(line))).encode()
    start = data.draw(st.integers(0, len(line)))
    end = min(len(line), start + data.draw(st.integers(0, 20)))
    return line[:start] + data.draw(st.binary(max_size=4)) + line[end:]


LINES = {name: (FIXTURES / name).read_bytes().splitlines() for name in SAMPLES}


@given(st.data())
def test_no_damage_to_a_line_makes_a_reader_raise(data: st.DataObject) -> None:
    name = data.draw(st.sampled_from(SAMPLES))
    index = data.draw(st.integers(0, len(LINES[name]) - 1))
    lines = list(LINES[name])
    lines[index] = _mutated(data, lines[index])
    whole = b"\n".join(lines) + b"\n"
    reader = _reader_in_memory(name, whole)
    events = list(reader.events(split_lines(io.BytesIO(whole), tally=reader.tally)))
    assert reader.tally.end == len(whole)
    assert reader.tally.events == len(events)
    assert all(event.session and event.key for event in events)
