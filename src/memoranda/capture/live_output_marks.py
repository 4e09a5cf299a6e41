"""Marks of live mode: the hook's records of outputs that it shortened."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from memoranda.capture import live_output_table as live_outputs
from memoranda.capture.event_preparation import event_key
from memoranda.capture.hosts.hook_payloads import adapt
from memoranda.capture.live_output_table import LiveOutput
from memoranda.exceptions import InvalidInput
from memoranda.hook_output import PREVIEW, PREVIEWED, PREVIEWED_ELSE
from memoranda.json_data import JsonValue, parse_json
from memoranda.observations import blob_table as blobs, table as observations
from memoranda.observations.content import output_text
from memoranda.ports import TokenCounter
from memoranda.store.database import Database, Transaction

_PREVIEW = PREVIEW + 250
"""Number of characters that the host shows of a truncated output, with its notice."""
_PREVIEWED = PREVIEWED | {"Bash": 2**53}
"""Number of characters above which the host truncates an output; Bash outputs are never truncated.
"""


@dataclass(frozen=True, slots=True)
class LiveMark:
    """Short form that was shown for the output of one event."""

    event_key: str
    shown: str


def live_mark(host: str, value: JsonValue, name: Callable[[str], str]) -> LiveMark:
    """Parse a mark; ``name`` converts the host and session to stored form.

    Raises:
        InvalidInput: the mark does not refer to a tool call.
    """
    names = value if isinstance(value, dict) else {}
    payload = names | {"hook_event_name": "PostToolUse"}
    event = next(iter(adapt(host, payload, 0)), None)
    if event is None or not names.get("tool_use_id"):
        raise InvalidInput("a mark must name the session and the call to which it refers")
    marked = replace(event, host=name(event.host), session=name(event.session))
    return LiveMark(event_key(marked), output_text(names.get("tool_response")))


class LiveMarks:
    """Records shortened outputs once the full outputs are stored."""

    def __init__(self, database: Database, counter: TokenCounter, team: str) -> None:
        self._database = database
        self._counter = counter
        self._team = team

    def record(self, marks: Sequence[LiveMark]) -> None:
        """Record the savings of each mark.

        Marks of outputs that are not stored, and marks recorded before, change nothing.
        """
        for mark in marks:
            output = self._measured(mark)
            if output is not None:
                self._write(output)

    def _write(self, made: LiveOutput) -> None:
        self._database.write(lambda tx: live_outputs.insert(tx, self._team, made))

    def _measured(self, mark: LiveMark) -> LiveOutput | None:
        found = self._database.read(lambda tx: self._full_output(tx, mark.event_key))
        if found is None:
            return None
        id, tool, whole = found
        if len(whole) > _PREVIEWED.get(tool, PREVIEWED_ELSE):
            whole = whole[:_PREVIEW]  # the host itself would have shown no more
        tokens = self._counter.count_many([whole, mark.shown])
        sizes = [len(text.encode("utf-8", "replace")) for text in (whole, mark.shown)]
        return LiveOutput(id, *sizes, *tokens)

    def _full_output(self, tx: Transaction, key: str) -> tuple[str, str, str] | None:
        """Return an event's observation, its tool and its full output."""
        stored = observations.by_event(tx, self._team, key)
        if stored is None:
            return None
        call = parse_json(blobs.content(tx, self._team, stored.content_hash))
        tool = stored.tool or ""
        return stored.id, tool, output_text(call.get("output") if isinstance(call, dict) else None)
