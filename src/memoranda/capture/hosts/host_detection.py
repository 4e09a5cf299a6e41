"""Detection of the host that wrote a transcript, from its content."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from memoranda.capture.hosts.claude_code import payload as claude_code
from memoranda.capture.hosts.codex import payload as codex
from memoranda.capture.hosts.codex.records import is_bare_record
from memoranda.capture.hosts.cursor import payload as cursor
from memoranda.capture.hosts.gemini import payload as gemini
from memoranda.capture.hosts.gemini.chat import is_record as _is_gemini
from memoranda.capture.hosts.generic import payload as generic
from memoranda.capture.hosts.generic.payload import record_kind
from memoranda.capture.hosts.json_fields import Payload
from memoranda.capture.hosts.transcript_lines import LineCounts, TranscriptLine, line_entries
from memoranda.exceptions import InvalidInput

_CLAUDE_CODE_MARKS = ("uuid", "sessionId", "leafUuid", "messageId", "message")


def detect(lines: Iterable[TranscriptLine]) -> str:
    """Return the host whose format the first recognisable line has.

    Raises:
        InvalidInput: no line has a known format; the message names the known formats.
    """
    for _, entry in line_entries(lines, LineCounts()):
        for host, has_form in _FORMS.items():
            if has_form(entry):
                return host
    raise InvalidInput(
        "unknown transcript format; supported: Claude Code session (.jsonl), Codex rollout "
        "(.jsonl or .json), Gemini CLI chat (.jsonl or .json) or logs.json, Cursor agent "
        "transcript (.jsonl), or generic events, one JSON object per line with a field 'kind' "
        "(docs/generic-events.md)"
    )


def _is_codex(entry: Payload) -> bool:
    has_payload = isinstance(entry.get("type"), str) and isinstance(entry.get("payload"), dict)
    return has_payload or is_bare_record(entry)


def _is_claude_code(entry: Payload) -> bool:
    return isinstance(entry.get("type"), str) and any(mark in entry for mark in _CLAUDE_CODE_MARKS)


def _is_cursor(entry: Payload) -> bool:
    return isinstance(entry.get("role"), str) and isinstance(entry.get("message"), dict)


def _is_generic(entry: Payload) -> bool:
    return record_kind(entry) is not None


_FORMS: Mapping[str, Callable[[Payload], bool]] = {
    gemini.HOST: _is_gemini,
    codex.HOST: _is_codex,
    claude_code.HOST: _is_claude_code,
    cursor.HOST: _is_cursor,
    generic.HOST: _is_generic,
}
