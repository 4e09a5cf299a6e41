"""Table of search entries, and of the passages to embed.

It is derived data that can be recomputed from the observations and memories.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from memoranda.json_data import dump_json
from memoranda.store.database import Transaction, load_statements

SQL = load_statements(__file__)
_COLUMNS = ("source", "kind", "task", "position", "at", "standing", "features")

INSTRUCTION, PREFERENCE, NOTED, LASTING = 1, 2, 3, 4
"""Kinds of records by people, according to their value for later sessions.

Records are classified as instructions or preferences by their opening phrase; other records contain
a lasting sentence, or a sentence that may be useful.
"""


@dataclass(frozen=True, slots=True)
class SearchEntry:
    """One record as stored in the search index."""

    source: str
    kind: str
    task: str | None
    position: int
    """Position in the record's task, from 1; 0 for records without a task."""
    at: int
    standing: int
    """0, or one of `INSTRUCTION`, `PREFERENCE`, `NOTED` and `LASTING`."""
    features: bytes
    """Result of the analysis, in packed form."""
    of_tool: bool = False
    """Whether the record is a tool call with its output; copied from the observation."""
    episodic: bool = False
    """Whether the record is a memory of an event; copied from the memory."""


@dataclass(frozen=True, slots=True)
class NewSearchEntry:
    """Entry to be written, with the hashes of its passages' texts in order.

    A passage without a hash gets no vector.
    """

    entry: SearchEntry
    workspace: str | None
    version: int
    passages: tuple[str | None, ...]
    speaker: str = ""
    """Name of the speaker, in conversations between several people."""


@dataclass(frozen=True, slots=True)
class WaitingPassage:
    """A passage that still needs a vector."""

    source: str
    place: int
    text_hash: str


@dataclass(frozen=True, slots=True)
class ScopeExtent:
    """Numbers of tasks and observations in a scope, and the scope's speakers."""

    tasks: int
    observations: int
    speakers: frozenset[str]


def insert(tx: Transaction, team: str, news: Sequence[NewSearchEntry]) -> None:
    """Insert entries with their passages; keep existing ones unchanged."""
    tx.many(SQL["insert"], [_row(team, new) for new in news])
    passages = [
        {
            "team": team,
            "source": new.entry.source,
            "place": place,
            "workspace": new.workspace,
            "task": new.entry.task,
            "text_hash": text_hash,
        }
        for new in news
        for place, text_hash in _placed(new).items()
    ]
    tx.many(SQL["insert_passage"], passages)
    speaking = dict.fromkeys((new.workspace, new.speaker) for new in news if new.speaker)
    tx.many(
        SQL["note_speaker"],
        [{"team": team, "workspace": place or "", "name": name} for place, name in speaking],
    )


def _row(team: str, new: NewSearchEntry) -> dict[str, object]:
    entry = new.entry
    row: dict[str, object] = {name: getattr(entry, name) for name in _COLUMNS}
    place = place_of(entry.task, entry.position) if entry.task else entry.source
    return row | {"team": team, "workspace": new.workspace, "version": new.version, "place": place}


def place_of(task: str, position: int) -> str:
    """Return the key for a position in a task.

    Keys of one task sort in the order of their positions.
    """
    return f"{task}#{position:012}"


def by_sources(tx: Transaction, team: str, sources: Sequence[str]) -> dict[str, SearchEntry]:
    """Return the entries of records; omit records without an entry."""
    bindings = {"team": team, "sources": dump_json(list(sources))}
    return {row[0]: SearchEntry(*row) for row in tx.fetch(SQL["by_sources"], bindings)}


def at_positions(
    tx: Transaction, team: str, wanted: Mapping[str, Collection[int]]
) -> list[SearchEntry]:
    """Return the entries at some positions of each task, unordered."""
    if not wanted:
        return []
    places = [place_of(task, at) for task, positions in wanted.items() for at in positions]
    bindings = {"team": team, "places": dump_json([*places])}
    return [SearchEntry(*row) for row in tx.fetch(SQL["at_places"], bindings)]


def lasting_records(
    tx: Transaction, team: str, workspace: str | None, kind: int, limit: int
) -> list[str]:
    """Return records that contain lasting statements, newest first."""
    bindings = {"team": team, "workspace": workspace, "standing": kind, "limit": limit}
    return [row[0] for row in tx.fetch(SQL["standing"], bindings)]


def people(tx: Transaction, team: str, sources: Sequence[str]) -> list[str]:
    """Return which records are useful messages of people."""
    bindings = {"team": team, "sources": dump_json(list(sources))}
    return [row[0] for row in tx.fetch(SQL["people"], bindings)]


def put_labels(tx: Transaction, team: str, labels: Mapping[str, str]) -> None:
    """Store the labels of messages, in the form of `MessageLabels.stored`."""
    rows = [{"team": team, "source": source, "labels": one} for source, one in labels.items()]
    tx.many(SQL["put_labels"], rows)


def labels(tx: Transaction, team: str, sources: Sequence[str]) -> dict[str, str]:
    """Return the stored labels of messages; omit messages without labels."""
    bindings = {"team": team, "sources": dump_json(list(sources))}
    return {row[0]: row[1] for row in tx.fetch(SQL["labels"], bindings)}


def delete(tx: Transaction, team: str, sources: Sequence[str]) -> None:
    """Delete the entries of records with their passages and vectors."""
    tx.vectors().remove(team, sources)
    tx.execute(SQL["delete"], {"team": team, "sources": dump_json(list(sources))})


def replace(tx: Transaction, team: str, old: Sequence[str], news: Sequence[NewSearchEntry]) -> None:
    """Replace old entries with new ones.

    Passages whose texts are unchanged keep their vectors; an old entry without a new one is
    deleted.
    """
    hashes = _hashes_by_place(tx, team, old)
    unchanged = [new for new in news if _placed(new) == hashes.get(new.entry.source, {})]
    same = {new.entry.source for new in unchanged}
    tx.many(SQL["replace"], [_row(team, new) for new in unchanged])
    delete(tx, team, [source for source in old if source not in same])
    insert(tx, team, [new for new in news if new.entry.source not in same])


def text_hashes(tx: Transaction, team: str, sources: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """Return the hashes of the texts of each record's passages, in order."""
    found = _hashes_by_place(tx, team, sources)
    return {source: tuple(hashes.values()) for source, hashes in found.items()}


def _hashes_by_place(
    tx: Transaction, team: str, sources: Sequence[str]
) -> dict[str, dict[int, str]]:
    hashes: dict[str, dict[int, str]] = {}
    bindings = {"team": team, "sources": dump_json(list(sources))}
    for source, place, text_hash in tx.fetch(SQL["hashes"], bindings):
        hashes.setdefault(source, {})[place] = text_hash
    return hashes


def _placed(new: NewSearchEntry) -> dict[int, str]:
    """Return the hashes of the passages to embed, by position."""
    return {place: digest for place, digest in enumerate(new.passages) if digest is not None}


def make_outdated(tx: Transaction, team: str) -> None:
    """Mark every entry to be recreated by the next `replace`."""
    tx.execute(SQL["make_outdated"], {"team": team})


def unfinished_tasks(tx: Transaction, team: str) -> list[str]:
    """Return the tasks whose newest observation has no entry."""
    return [row[0] for row in tx.fetch(SQL["unfinished_tasks"], {"team": team})]


def outdated(tx: Transaction, team: str, version: int, limit: int) -> list[str]:
    """Return records whose entry was created by an earlier analysis version."""
    bindings = {"team": team, "version": version, "limit": limit}
    return [row[0] for row in tx.fetch(SQL["outdated"], bindings)]


def waiting(tx: Transaction, team: str, model: str, limit: int) -> list[WaitingPassage]:
    """Return passages without a vector of the model, unordered."""
    bindings = {"team": team, "model": model, "limit": limit}
    return [WaitingPassage(*row) for row in tx.fetch(SQL["waiting"], bindings)]


def any_waiting(tx: Transaction, team: str, model: str) -> bool:
    """Return whether a passage has no vector of the model."""
    return tx.first(SQL["any_waiting"], {"team": team, "model": model}) is not None


def unsearched(tx: Transaction, team: str, model: str, jobs: Collection[str]) -> bool:
    """Return whether a passage lacks a vector, or a job is unfinished."""
    bindings = {"team": team, "model": model, "jobs": dump_json([*jobs])}
    return tx.first(SQL["unsearched"], bindings) is not None


def counts(tx: Transaction, team: str, model: str) -> tuple[int, int]:
    """Return how many passages lack a vector of the model, and the total."""
    missing = tx.first(SQL["count_waiting"], {"team": team, "model": model})
    total = tx.first(SQL["count"], {"team": team})
    return int(missing[0]) if missing else 0, int(total[0]) if total else 0


def observations_without(tx: Transaction, team: str, task: str, limit: int) -> list[str]:
    """Return a task's observations after its last indexed one, in order."""
    bindings = {"team": team, "task": task, "first": f"{task}#", "last": f"{task}$"}
    rows = tx.fetch(SQL["observations_without"], bindings | {"limit": limit})
    return [row[0] for row in rows]


def memories_without(tx: Transaction, team: str, limit: int) -> list[str]:
    """Return memories that have no entry."""
    return [row[0] for row in tx.fetch(SQL["memories_without"], {"team": team, "limit": limit})]


def extent(tx: Transaction, team: str, workspace: str | None) -> ScopeExtent:
    """Return the size of a scope, and the speakers in it."""
    rows = tx.fetch(SQL["extent"], {"team": team, "workspace": workspace})
    tasks = observations = 0
    for name, tasks_of, observed in rows:
        if not name:
            tasks, observations = int(tasks_of), int(observed)
    return ScopeExtent(tasks, observations, frozenset(row[0] for row in rows if row[0]))


def drop_speakers(tx: Transaction, team: str) -> None:
    """Delete the names of people without remaining observations."""
    tx.execute(SQL["drop_speakers"], {"team": team})
