"""Completion of Codex hook events with outcomes from the rollout.

A hook does not contain the exit code (https://github.com/openai/codex/issues/42864); the rollout
that its payload names contains it, and is written before the hook runs.
"""

from __future__ import annotations

import stat
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

from memoranda.capture.event import Event
from memoranda.capture.hosts.call_outcomes import CallOutcome
from memoranda.capture.hosts.codex.call_ends import ending_of
from memoranda.capture.hosts.codex.payload import HOST
from memoranda.capture.hosts.codex.tool_output import report_of, with_exit_code
from memoranda.capture.hosts.event_keys import tool_key
from memoranda.capture.hosts.json_fields import Payload, mapping, string
from memoranda.capture.hosts.transcript_lines import LineCounts, TranscriptLine, entry_of

TAIL = 8 * 2**20
"""Number of bytes at the end of a rollout that are searched."""

_ENDS = (b'"exit_code"', b'_end"', b'_output"')
"""Byte strings; every line that reports the end of a call contains one of them."""


class RolloutTails:
    """Cache of rollout tails; each rollout is read once per instance."""

    def __init__(self) -> None:
        self._known: dict[str, Mapping[str, tuple[int | None, CallOutcome]]] = {}

    def complete(self, event: Event, payload: Payload) -> Event:
        """Return the event with the outcome from its rollout if it lacks one.

        Never raises: without the file the outcome remains unknown.
        """
        path = string(payload, "transcript_path")
        if event.outcome_known or event.host != HOST or not path:
            return event
        found = self._endings(path).get(event.key)
        if found is None or not found[1].known:
            return event
        code, outcome = found
        return replace(
            event,
            output=with_exit_code(event.output, code),
            failed=outcome.failed,
            outcome_known=True,
            duration_ms=outcome.duration_ms,
        )

    def _endings(self, path: str) -> Mapping[str, tuple[int | None, CallOutcome]]:
        if path not in self._known:
            try:
                self._known[path] = dict(_endings_in(Path(path)))
            except (OSError, ValueError):
                self._known[path] = {}
        return self._known[path]


def _endings_in(path: Path) -> Iterator[tuple[str, tuple[int | None, CallOutcome]]]:
    if not (path.name.startswith("rollout-") and path.suffix == ".jsonl"):
        return
    status = path.stat()
    if not stat.S_ISREG(status.st_mode):
        return
    start = max(0, status.st_size - TAIL)
    with path.open("rb") as file:
        file.seek(start)
        rows = file.read(TAIL).split(b"\n")
    for raw in rows[1 if start else 0 :]:
        if any(mark in raw for mark in _ENDS):
            yield from _ending(raw)


def _ending(raw: bytes) -> Iterator[tuple[str, tuple[int | None, CallOutcome]]]:
    entry = entry_of(TranscriptLine(0, 0, raw), LineCounts())
    payload = mapping(entry.get("payload")) if entry else {}
    if ending := ending_of(payload):
        yield tool_key(ending.id), (ending.exit_code, ending.outcome)
        return
    call_id = string(payload, "call_id")
    if call_id and "output" in payload:
        report = report_of(payload["output"])
        if not report.running:
            yield tool_key(call_id), (report.exit_code, report.outcome())
