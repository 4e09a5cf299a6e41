"""Journal entries for contexts that sessions received when they started.

The hook's record contains only counts and short names, never the text of the context.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from memoranda.clock import Clock
from memoranda.exceptions import InvalidInput
from memoranda.journal import table as journal
from memoranda.journal.model import CONTEXT_GIVEN
from memoranda.json_data import JsonValue, iso_time
from memoranda.store.database import Database, Transaction
from memoranda.text import clip, normalise
from memoranda.workspaces import table as workspaces

MAX_NAMES = 200
"""Maximum number of short names recorded per section."""
MAX_LENGTH = 200
"""Maximum number of characters of a name."""
_EXAMINED = 50


@dataclass(frozen=True, slots=True)
class DeliveredContext:
    """A context that was delivered to a session."""

    at: int
    workspace: str
    detail: Mapping[str, JsonValue]


def delivered_context(value: JsonValue, at: int) -> DeliveredContext:
    """Parse a hook's record; ``at`` is its time in epoch microseconds.

    Raises:
        InvalidInput: the record does not name a workspace.
    """
    names = value if isinstance(value, dict) else {}
    context_text = names.get("context")
    context = context_text if isinstance(context_text, dict) else {}
    workspace = context.get("workspace")
    if not isinstance(workspace, str):
        raise InvalidInput("a delivered context must name its workspace")
    sections = context.get("sections")
    detail: dict[str, JsonValue] = {
        "at": iso_time(at),
        **_texts({"session": names.get("session_id"), "source": names.get("source")}),
        **_texts({"context": context.get("context")}),
        **{name: n for name in ("tokens", "characters") if type(n := context.get(name)) is int},
        "sections": _sections(sections) if isinstance(sections, dict) else {},
    }
    return DeliveredContext(at, workspace, detail)


class ContextDeliveries:
    """Records delivered contexts in the journal."""

    def __init__(self, database: Database, clock: Clock, team: str) -> None:
        self._database = database
        self._clock = clock
        self._team = team

    def record(self, deliveries: Sequence[DeliveredContext]) -> None:
        """Record each delivery once; skip those of deleted workspaces."""
        for delivery in deliveries:
            self._write(delivery)

    def _write(self, delivery: DeliveredContext) -> None:
        def work(tx: Transaction) -> None:
            if workspaces.by_id(tx, self._team, delivery.workspace) is None or self._is_stored(
                tx, delivery
            ):
                return
            note = journal.NewJournalEntry(
                self._clock.now(), "hook", CONTEXT_GIVEN, delivery.workspace, delivery.detail
            )
            journal.append(tx, self._team, note)

        self._database.write(work)

    def _is_stored(self, tx: Transaction, delivery: DeliveredContext) -> bool:
        """Return whether a delivery is already recorded.

        A delivery may already be recorded, because an import reads a file again after an
        interruption.
        """
        entries = journal.listed(
            tx, self._team, operation=CONTEXT_GIVEN, subject=delivery.workspace, limit=_EXAMINED
        )
        return any(entry.detail == delivery.detail for entry in entries)


def _texts(names: Mapping[str, JsonValue]) -> dict[str, JsonValue]:
    return {name: _name(value) for name, value in names.items() if isinstance(value, str)}


def _sections(sections: Mapping[str, JsonValue]) -> dict[str, JsonValue]:
    return {
        _name(name): [_name(ref) for ref in refs[:MAX_NAMES] if isinstance(ref, str)]
        for name, refs in sections.items()
        if isinstance(refs, list)
    }


def _name(value: str) -> str:
    return clip(normalise(value), MAX_LENGTH)
