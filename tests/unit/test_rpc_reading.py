"""Untrusted bytes are parsed into requests, ids and stream messages."""

from __future__ import annotations

import io
import json

import pytest

from memoranda.api.jsonrpc.faults import INVALID_REQUEST, PARSE_ERROR, InvalidMessage
from memoranda.api.jsonrpc.requests import MAX_BODY, MAX_ID_LENGTH, decode, id_of, request
from memoranda.api.jsonrpc.stdio import HEADERS, InputMessage, read, serve
from memoranda.api.jsonrpc.trace_ids import MAX_LENGTH, Trace, of_headers, of_member, require_own
from memoranda.exceptions import Forbidden, InvalidInput, TooLarge
from memoranda.identity.principal import Principal, Role
from tables import each

ADA = Principal("local", "ada", Role.MEMBER)
BOT = Principal("local", "bot-1", Role.AGENT, "bot")

UNREADABLE = {
    "nothing": b"",
    "spaces": b" \n ",
    "half an object": b'{"jsonrpc": "2.0", "method": "store.stats", "params": "bar", "baz]',
    "two values": b'{"a": 1} {"b": 2}',
    "a name twice": b'{"method": "store.stats", "method": "store.doctor"}',
    "a name twice, escaped": b'{"a": 1, "\\u0061": 2}',
    "a name twice, deep inside": b'{"params": {"x": [{"a": 1, "a": 1}]}}',
    "not a number": b'{"params": [NaN]}',
    "infinity": b'{"params": [Infinity]}',
    "minus infinity": b'{"params": [-Infinity]}',
    "beyond a float": b'{"params": [1e999]}',
    "too many digits": b'{"id": ' + b"9" * 5_000 + b"}",
    "too deep": b"[" * 66 + b"]" * 66,
    "far too deep": b"[" * 100_000 + b"]" * 100_000,
    "objects too deep": b'{"a":' * 100_000 + b"1" + b"}" * 100_000,
    "not UTF-8": b'{"method": "\xff\xfe"}',
    "UTF-16": '{"method": "store.stats"}'.encode("utf-16"),
    "a surrogate in UTF-8": b'{"method": "\xed\xa0\x80"}',
    "a byte order mark": b'\xef\xbb\xbf{"method": "store.stats"}',
    "a control character": b'{"method": "a\x00b"}',
    "a trailing comma": b'{"method": "store.stats",}',
    "single quotes": b"{'method': 'store.stats'}",
    "a comment": b'{"method": "store.stats"} // x',
}


@each("body", UNREADABLE.values(), ids=UNREADABLE)
def test_what_is_not_json_is_a_parse_error(body: bytes) -> None:
    with pytest.raises(InvalidMessage) as refused:
        decode(body)
    assert (refused.value.code, refused.value.name) == (PARSE_ERROR, "parse_error")
    assert str(refused.value).startswith("not valid JSON: ")
    assert len(str(refused.value)) < 120


@each(
    ("body", "value"),
    [
        (b"[" * 64 + b"]" * 64, None),
        (b'"\\ud800"', "\ud800"),
        (b'{"a": 1.5, "b": 1E400000000000000000000}', "refused"),
        (b"123456789012345678901234567890", 123456789012345678901234567890),
        (b'{"a": {"x": 1}, "b": {"x": 1}}', {"a": {"x": 1}, "b": {"x": 1}}),
        ('"Größe 数据库"'.encode(), "Größe 数据库"),
    ],
    ids=["64 levels", "lone surrogate", "huge exponent", "big integer", "same names apart", "text"],
)
def test_what_json_allows_is_read(body: bytes, value: object) -> None:
    if value == "refused":
        with pytest.raises(InvalidMessage):
            decode(body)
    elif value is not None:
        assert decode(body) == value
    else:
        decode(body)


def test_a_body_has_a_limit() -> None:
    decode(b'"' + b"x" * (MAX_BODY - 2) + b'"')
    with pytest.raises(TooLarge):
        decode(b'"' + b"x" * (MAX_BODY - 1) + b'"')


@each(
    "value",
    [
        1,
        None,
        "store.stats",
        [],
        [1],
        {},
        {"foo": "boo"},
        {"jsonrpc": "2.0"},
        {"jsonrpc": "1.0", "method": "store.stats"},
        {"jsonrpc": 2.0, "method": "store.stats"},
        {"jsonrpc": ["2.0"], "method": "store.stats"},
        {"method": "store.stats", "id": 1},
        {"jsonrpc": "2.0", "method": 1},
        {"jsonrpc": "2.0", "method": None, "id": 1},
        {"jsonrpc": "2.0", "method": "store.stats", "params": "bar"},
        {"jsonrpc": "2.0", "method": "store.stats", "params": None},
        {"jsonrpc": "2.0", "method": "store.stats", "params": 5, "id": 1},
        {"jsonrpc": "2.0", "method": "store.stats", "id": True},
        {"jsonrpc": "2.0", "method": "store.stats", "id": [1]},
        {"jsonrpc": "2.0", "method": "store.stats", "id": {}},
        {"jsonrpc": "2.0", "method": "store.stats", "id": "x" * (MAX_ID_LENGTH + 1)},
        {"jsonrpc": "2.0", "method": "store.stats", "id": 10**30},
    ],
    ids=lambda value: json.dumps(value)[:60],
)
def test_json_that_is_no_request_is_an_invalid_request(value: object) -> None:
    with pytest.raises(InvalidMessage) as refused:
        request(value)  # type: ignore[arg-type]
    assert refused.value.code == INVALID_REQUEST


@each("id", ["", "a", "\ud800", 0, -1, 2**63, 1.5, None, "x" * MAX_ID_LENGTH])
def test_an_id_is_returned_unchanged(id: str | float | None) -> None:
    parsed = request({"jsonrpc": "2.0", "method": "store.stats", "id": id})
    assert (parsed.id, parsed.notification) == (id, False)
    assert id_of({"id": id}) == id


def test_a_request_without_an_id_is_a_notification() -> None:
    parsed = request({"jsonrpc": "2.0", "method": "store.stats", "params": [1]})
    assert (parsed.notification, parsed.params) == (True, [1])
    assert request({"jsonrpc": "2.0", "method": "store.stats"}).params == {}


def test_members_that_nobody_knows_stand_beside() -> None:
    parsed = request({"jsonrpc": "2.0", "method": "store.stats", "a2a_context": {}, "more": 1})
    assert parsed.beside == {"a2a_context": {}, "more": 1}


def test_ids_of_agents_are_taken_from_a_message() -> None:
    result = of_member({"trace_id": "t-1", "agent_id": "the critic", "session_id": "left alone"})
    assert result == Trace("t-1", "the critic")
    assert result.known() == {"trace_id": "t-1", "agent_id": "the critic"}
    assert of_member(None) == of_member({}) == Trace()


@each(
    "value",
    [
        [],
        "t-1",
        {"trace_id": 5},
        {"trace_id": ""},
        {"trace_id": "two words"},
        {"trace_id": "a\nb"},
        {"trace_id": "x" * (MAX_LENGTH + 1)},
        {"task_id": ["1"]},
        {"context_id": "ü"},
        {"agent_id": ""},
        {"agent_id": "bot\n"},
        {"agent_id": "bot\u202e"},
        {"agent_id": "\ud800"},
    ],
    ids=json.dumps,
)
def test_what_cannot_be_an_id_is_refused(value: object) -> None:
    with pytest.raises(InvalidInput):
        of_member(value)  # type: ignore[arg-type]


def test_headers_bring_ids_and_nonsense_in_them_is_left_out() -> None:
    parent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
    assert of_headers({"traceparent": parent}).trace_id == "4bf92f3577b34da6a3ce929d0e0e4736"
    arguments = {
        "x-trace-id": "mine",
        "traceparent": parent,
        "x-agent-id": "bot",
        "x-task-id": "a b",
    }
    assert of_headers(arguments) == Trace("mine", "bot")
    assert of_headers({"traceparent": "00-zz-1-1", "x-context-id": "c1"}) == Trace(context_id="c1")
    assert of_headers({}) == Trace()


def test_the_ids_of_a_message_go_before_those_beside_it() -> None:
    both = Trace("outer", "bot", "1").with_more(Trace("inner", context_id="c"))
    assert both == Trace("inner", "bot", "1", "c")


def test_an_agent_cannot_call_itself_by_the_name_of_another() -> None:
    require_own(Trace(agent_id="bot"), BOT)
    require_own(Trace(), BOT)
    require_own(Trace(agent_id="bot"), ADA)
    with pytest.raises(Forbidden) as refused:
        require_own(Trace(agent_id="rival"), BOT)
    assert "rival" not in str(refused.value)


def through(text: bytes) -> bytes:
    """Return what an echo writes for a stream."""
    sink = io.BytesIO()
    serve(lambda body: None if body == b"quiet" else b"<" + body + b">", io.BytesIO(text), sink)
    return sink.getvalue()


def framed(body: bytes) -> bytes:
    return b"Content-Length: %d\r\n\r\n%b" % (len(body), body)


@each(
    ("value", "answers"),
    [
        (b"", b""),
        (b"a\nb\n", b"<a>\n<b>\n"),
        (b"a\r\nb", b"<a>\n<b>\n"),
        (b"\n\n  \na\n", b"<a>\n"),
        (b"quiet\nb\n", b"<b>\n"),
        (framed(b"a\nb") + framed(b"c"), framed(b"<a\nb>") + framed(b"<c>")),
        (b"a\n" + framed(b"b") + b"c\n", b"<a>\n" + framed(b"<b>") + b"<c>\n"),
        (b"CONTENT-LENGTH:1\nContent-Type: x\n\na", framed(b"<a>")),
        (b"Content-Length: 9\r\n\r\nab", framed(b"<ab>")),
        (b"Content-Length: x\r\n\r\nab\n", framed(b"<>")),
        (b"Content-Length: -1\r\n\r\nab\n", framed(b"<>")),
        (b"Content-Length: 1\r\n" + b"a: b\r\n" * HEADERS + b"\r\na", framed(b"<>")),
        (b"Content-Length: 0\r\n\r\n" + b"a\n", framed(b"<>") + b"<a>\n"),
    ],
    ids=[
        "nothing", "lines", "no end of line at the end", "empty lines", "nobody waits", "frames",
        "both", "headers in other words", "cut short", "no number", "below nothing",
        "headers without end", "an empty frame",
    ],
)  # fmt: skip
def test_messages_are_answered_in_their_own_form(value: bytes, answers: bytes) -> None:
    assert through(value) == answers


@pytest.mark.parametrize("end", [b"\n", b"\r\n"])
def test_a_line_that_is_too_long_is_read_past(end: bytes) -> None:
    source = io.BytesIO(b"x" * (MAX_BODY + 70_000) + end + b"next" + end)
    first = read(source)
    assert first is not None
    assert len(first.body) == MAX_BODY + 1
    assert read(source) == InputMessage(b"next", framed=False)
    assert read(source) is None


def test_a_line_of_just_the_limit_is_taken_whole() -> None:
    source = io.BytesIO(b"x" * MAX_BODY + b"\n" + b"next\n")
    first = read(source)
    assert first is not None
    assert len(first.body) == MAX_BODY
    assert read(source) == InputMessage(b"next", framed=False)


def test_a_frame_that_is_too_long_is_read_past() -> None:
    source = io.BytesIO(framed(b"x" * (MAX_BODY + 70_000)) + framed(b"next"))
    first = read(source)
    assert first is not None
    assert len(first.body) == MAX_BODY + 1
    assert read(source) == InputMessage(b"next", framed=True)


class Gone(io.BytesIO):
    """A disconnected reader."""

    def write(self, _: object) -> int:
        raise BrokenPipeError


def test_a_reader_that_went_away_is_the_end() -> None:
    seen: list[bytes] = []

    def answer(body: bytes) -> bytes:
        seen.append(body)
        return body

    serve(answer, io.BytesIO(b"a\nb\n"), Gone())
    assert seen == [b"a"]
