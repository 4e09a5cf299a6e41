"""Conversion of archive rows to store rows: ids, sanitised text, trust.

An imported row gets no more trust than its import allows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from memoranda.archive.kinds import (
    AGENTS,
    BLOCK_VERSIONS,
    CHECKPOINTS,
    MEMORIES,
    MEMORY_VERSIONS,
    OBSERVATIONS,
    TASK_STATES,
    TASKS,
    WORKSPACES,
    RowKind,
)
from memoranda.archive.new_ids import IdRenewal
from memoranda.archive.rows import Row
from memoranda.capture.event import EventSource
from memoranda.capture.redaction.caller_text_cleaner import TextSanitiser
from memoranda.checkpoints.model import checked_state
from memoranda.json_data import JsonValue, dump_json, map_texts, parse_json
from memoranda.memories.model import MemoryStatus
from memoranda.observations.blob_table import Blob
from memoranda.observations.content import output_text, readable
from memoranda.observations.model import ContentFormat, Origin, Salience
from memoranda.ports import TokenCounter
from memoranda.proposals.model import MemoryState
from memoranda.quarantine.capture_filter import text_quarantine_reason
from memoranda.quarantine.model import QuarantineRecord
from memoranda.trust import least_trusted

IMPORTED = "quarantined in the original store"
WITHHELD_GOAL = "(goal omitted: it reads like an instruction to the agent)"
CONFIDENCE = 0.5
"""Maximum confidence of an imported memory."""

_TEXTS = {
    "tasks": ("goal",),
    "stages": ("reason",),
    "observations": ("summary", "tags", "files", "constraints", "target", "open"),
    "memories": ("title", "content", "tags", "critical_reason"),
    "memory_versions": ("reason",),
    "blocks": ("label", "description"),
    "block_versions": ("value", "reason"),
    "checkpoints": ("description",),
    "compactions": ("summary",),
}
"""Fields that may contain free text; the others contain names and numbers."""

_NAMES = ("name", "root", "aliases", "session", "host", "agent", "tool")
"""Fields with the name of a person or thing."""

_COUNTED = {"memories": "content", "block_versions": "value", "compactions": "summary"}
"""Fields whose tokens are counted again, since budgets rely on the counts."""


@dataclass(slots=True)
class PreparedRow:
    """A row ready to be stored."""

    row: Row
    """Values of the row by column, with values for other tables."""
    id: str = ""
    """Id in the archive, if rows of this kind have ids."""
    blob: Blob | None = None
    text: str = ""
    """Content in readable form."""
    event_key: str = ""
    """Event key in the archive, for an observation."""
    parts: dict[str, list[PreparedRow]] = field(default_factory=dict)
    """Rows of other kinds that are stored with this row, by kind."""
    quarantine: QuarantineRecord | None = None
    """Quarantine record, if the row is a quarantined observation."""
    source: str = ""
    """Name of the system that the row comes from; empty for an archive."""
    at: int = 0
    """Time of the import, in microseconds."""

    def key(self, kind: RowKind) -> tuple[Any, ...]:
        """Return its key."""
        return tuple(self.row[name] for name in kind.key)


class RowPreparer:
    """Prepares rows outside of any transaction; the result is deterministic."""

    def __init__(
        self,
        team: str,
        renewal: IdRenewal,
        sanitiser: TextSanitiser,
        counter: TokenCounter,
        *,
        trust: bool,
        source: str = "",
        at: int = 0,
    ) -> None:
        """Create a preparer; ``at`` is the import time, also used for proposals."""
        self._at = at
        self._team = team
        self._source = source
        self._renewal = renewal
        self._sanitiser = sanitiser
        self._counter = counter
        self._trust = trust

    def rows(self, kind: RowKind, rows: Sequence[Row]) -> list[PreparedRow]:
        """Prepare rows of a kind."""
        prepared_rows = [self._prepared(kind, row) for row in rows]
        if kind is OBSERVATIONS:
            tokens = self._counter.count_many([one.text for one in prepared_rows])
        elif kind.name in _COUNTED:
            field = _COUNTED[kind.name]
            tokens = self._counter.count_many(
                [prepared_row.row[field] for prepared_row in prepared_rows]
            )
        else:
            return prepared_rows
        for item, count in zip(prepared_rows, tokens, strict=True):
            item.row["tokens"] = count
        return prepared_rows

    def _prepared(self, kind: RowKind, row: Row) -> PreparedRow:
        prepared_row = PreparedRow(
            {**row, "team": self._team}, str(row.get("id", "")), source=self._source, at=self._at
        )
        self._clean(kind, prepared_row.row)
        if kind is OBSERVATIONS:
            self._observation(prepared_row)
        elif kind is MEMORIES:
            self._memory(prepared_row.row)
        elif kind is MEMORY_VERSIONS:
            prepared_row.row["state"] = self._memory_state(prepared_row.row["state"])
        elif kind is WORKSPACES and not self._trust:
            prepared_row.row["aliases"] = []
        elif kind in (CHECKPOINTS, TASK_STATES):
            prepared_row.row["state"] = self._state(prepared_row.row["state"])
        self._refer(kind, prepared_row.row)
        if kind is TASKS:
            prepared_row.row["session"] = self._renewal.name(
                prepared_row.row["session"], prepared_row.row["id"]
            )
            if not self._trust and text_quarantine_reason(prepared_row.row["goal"]):
                prepared_row.row["goal"] = WITHHELD_GOAL
        elif kind is OBSERVATIONS:
            prepared_row.event_key = prepared_row.row["event_key"]
            prepared_row.row["event_key"] = self._renewal.event_key(
                prepared_row.event_key, prepared_row.row["id"]
            )
            prepared_row.quarantine = self._quarantine_record(
                prepared_row, ContentFormat(prepared_row.row["format"])
            )
        if kind.content:
            field, column = kind.content
            prepared_row.blob = Blob.of(prepared_row.row[field])
            prepared_row.row[column] = prepared_row.blob.hash
        if kind is BLOCK_VERSIONS:
            prepared_row.row["size"] = len(prepared_row.row["value"])
        return prepared_row

    def _clean(self, kind: RowKind, row: Row) -> None:
        for name in _TEXTS.get(kind.name, ()):
            row[name] = map_texts(row[name], self._sanitiser.clean)
        for name in (*_NAMES, *(("id",) if kind is AGENTS else ())):
            if name in row:
                row[name] = map_texts(row[name], self._sanitiser.name)

    def _observation(self, made: PreparedRow) -> None:
        row = made.row
        form = ContentFormat(row["format"])
        row["content"] = self._content(row["content"], form)
        made.text = readable(row["content"], form)
        row["source"] = EventSource.IMPORT.value
        if self._trust:
            return
        if row["salience"] == Salience.CRITICAL:
            row["salience"] = Salience.NORMAL.value
        if row["origin"] == Origin.HUMAN:  # otherwise a file could state rules in a person's name
            row["origin"] = Origin.IMPORT.value

    def _quarantine_record(self, made: PreparedRow, form: ContentFormat) -> QuarantineRecord | None:
        """Return the quarantine record of an observation, or None.

        An observation is quarantined if it was quarantined in the source, or because of its
        content. A release in the source counts only if the file is trusted.
        """
        row = made.row
        was = row["salience"] == Salience.QUARANTINED
        reason = (
            text_quarantine_reason(_plain_text(row["content"], form))
            if was or not self._trust
            else None
        )
        if not (was or reason):
            return None
        deserved = Salience.FOLDED if row["repeats"] else Salience.NORMAL
        if not was and row["salience"] != Salience.FOLDED:
            deserved = Salience(row["salience"])
        row["salience"] = Salience.QUARANTINED.value
        return QuarantineRecord(row["id"], reason or IMPORTED, deserved, row["recorded_at"])

    def _content(self, content: str, form: ContentFormat) -> str:
        if form is ContentFormat.TEXT:
            return self._sanitiser.clean(content)
        return dump_json(self._sanitiser.value(parse_json(content)))

    def _state(self, text: str) -> str:
        return dump_json(checked_state(self._sanitiser.imported_state(parse_json(text))))

    def _memory_state(self, text: str) -> str:
        """Return a memory's state, without secrets and with the new ids."""
        state, ids = MemoryState.read(text), self._renewal
        place, other = state.workspace, state.superseded_by
        return replace(
            state,
            title=self._sanitiser.clean(state.title),
            content=self._sanitiser.clean(state.content),
            tags=tuple(map(self._sanitiser.clean, state.tags)),
            workspace=ids.reference("workspaces", place) if place else None,
            superseded_by=ids.reference("memories", other) if other else None,
        ).text()

    def _memory(self, row: Row) -> None:
        row["origin"] = least_trusted((Origin.IMPORT, Origin(row["origin"]))).value
        row["confidence"] = min(float(row["confidence"]), CONFIDENCE)
        if not self._trust:
            row["critical"] = row["protected"] = False
            row["critical_reason"] = row["approved_by"] = None
            if row["status"] == MemoryStatus.APPROVED:
                row["status"] = MemoryStatus.PENDING.value

    def _refer(self, kind: RowKind, row: Row) -> None:
        ids = self._renewal
        if "id" in kind.key and kind is not AGENTS:
            row["id"] = ids.id(row["id"])
        for name in kind.inside:
            if row[name] is not None:
                row[name] = ids.id(row[name])
        for name, of in kind.around.items():
            found: JsonValue = row[name]
            if isinstance(found, list):
                row[name] = [ids.reference(of, str(old)) for old in found]
            elif found is not None:
                row[name] = ids.reference(of, str(found))
        if kind is CHECKPOINTS:
            row["blocks"] = [{**entry, "block": ids.id(entry["block"])} for entry in row["blocks"]]


def _plain_text(content: str, form: ContentFormat) -> str:
    """Return the relevant text: a tool call's output, or the full content."""
    if form is ContentFormat.TEXT:
        return content
    call = parse_json(content)
    return output_text(call.get("output")) if isinstance(call, dict) else content
