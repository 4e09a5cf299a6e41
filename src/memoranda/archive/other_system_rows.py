"""Memories of another system, converted to the rows of an archive.

The rows are then imported like an archive.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from memoranda.archive import rows
from memoranda.archive.format import OBSERVATIONS, ArchiveSelection, Manifest, Member
from memoranda.archive.kinds import (
    BLOCK_VERSIONS,
    BLOCKS,
    HOLDERS,
    KINDS,
    MEMORIES,
    MEMORY_VERSIONS,
    WORKSPACES,
    RowKind,
)
from memoranda.archive.other_system_records import Imported, ImportedBlock, ImportedMemory
from memoranda.archive.preparation import CONFIDENCE
from memoranda.archive.rows import Row
from memoranda.blocks.model import LABEL, MAX_LIMIT, Author, BlockChangeKind
from memoranda.ids import DRAWN
from memoranda.json_data import dump_json
from memoranda.memories.memory_service import kind_of, title_of
from memoranda.memories.model import MemorySource, MemoryStatus, Visibility
from memoranda.observations.model import Origin
from memoranda.proposals.model import MemoryState
from memoranda.store.database import Transaction, load_statements
from memoranda.tasks.model import Workspace
from memoranda.text import clip, normalise, one_line
from memoranda.workspaces import table as workspaces

SQL = load_statements(__file__)

MILLISECOND = 1_000


@dataclass(frozen=True, slots=True)
class ForeignRows:
    """Rows of another system, in the form of an archive."""

    path: Path
    """File that the rows come from."""
    manifest: Manifest
    members: Mapping[str, Sequence[bytes]]

    def lines(self, name: str) -> Iterator[bytes]:
        """Yield the rows of a member."""
        return iter(self.members[name])


@dataclass(slots=True)
class KnownRecords:
    """Records that are already stored, with their ids."""

    memories: list[tuple[str, ImportedMemory]] = field(default_factory=list)
    blocks: list[tuple[str, ImportedBlock]] = field(default_factory=list)
    repeated: int = 0
    """Number of memories that occur more than once in the source."""


class ForeignRowBuilder:
    """Converts new records into rows; reads the store, writes nothing."""

    def __init__(self, tx: Transaction, team: str, source: str, now: int) -> None:
        """Prepare a conversion.

        ``source`` names the system; equal keys of two systems are two records.
        """
        self._tx = tx
        self._team = team
        self._source = source
        self._now = now
        self._rows: dict[RowKind, list[Row]] = {kind: [] for kind in KINDS}
        self._places: dict[str, str] = {}
        found = tx.fetch(SQL["imported"], {"team": team})
        self._stored = {str(row[0])[DRAWN:]: str(row[0]) for row in found}
        self._new: set[str] = set()
        self.new: dict[str, ImportedMemory] = {}
        """The new memories by id."""
        self.known = KnownRecords()

    def gathered(self, path: Path, records: Sequence[Imported]) -> ForeignRows:
        """Return the records that are not stored yet, in archive form."""
        here = self._blocks_here(records)
        for record in records:
            if isinstance(record, ImportedMemory):
                self._memory(record)
            elif self._block_id(record) not in here:
                self._block(record)
            else:
                self.known.blocks.append((self._block_id(record), record))
        return _as_archive(path, self._team, self._rows, self._now)

    def _memory(self, imported: ImportedMemory) -> None:
        created = imported.created_at if imported.created_at is not None else self._now
        id = self._id(imported.key, created, len(self._rows[MEMORIES]))
        drawn = id[DRAWN:]
        former = self._id(imported.former_key, created)[DRAWN:] if imported.former_key else ""
        if stored := self._stored.get(drawn) or self._stored.get(former):
            self.known.memories.append((stored, imported))
            return
        if drawn in self._new:
            self.known.repeated += 1
            return
        self._new.add(drawn)
        self.new[id] = imported
        place = self._place(imported.workspace)
        state = MemoryState(
            title=clip(imported.title, 120) or title_of(imported.content),
            content=imported.content,
            category=imported.category,
            tags=tuple(imported.tags),
            workspace=place,
            visibility=Visibility.WORKSPACE if place else Visibility.TEAM,
            critical=False,
            protected=False,
            status=MemoryStatus.APPROVED,
            valid_until=imported.valid_until,
        )
        self._rows[MEMORIES].append(self._memory_row(id, imported, state, created))
        self._rows[MEMORY_VERSIONS] += self._versions(id, imported, state, created)

    def _memory_row(
        self, id: str, imported: ImportedMemory, state: MemoryState, created: int
    ) -> Row:
        return {
            "id": id, "workspace": state.workspace, "agent": None,
            "visibility": state.visibility.value, "title": state.title, "content": state.content,
            "kind": kind_of(state.category).value, "category": state.category.value,
            "tags": list(state.tags), "origin": Origin.IMPORT.value, "confidence": CONFIDENCE,
            "critical": False, "critical_reason": None, "protected": False,
            "status": state.status.value, "tokens": 0, "created_at": created,
            "updated_at": max(created, imported.updated_at or 0),
            "source": MemorySource.IMPORT.value, "approved_by": None, "valid_from": None,
            "valid_until": state.valid_until, "superseded_by": None, "uses": 0,
            "last_used": None, "evidence": [],
        }  # fmt: skip

    def _versions(
        self, id: str, imported: ImportedMemory, state: MemoryState, created: int
    ) -> Iterator[Row]:
        for number, former in enumerate(imported.former, 1):
            before = MemoryState(
                title=title_of(former.content),
                content=former.content,
                category=state.category,
                tags=state.tags,
                workspace=state.workspace,
                visibility=state.visibility,
                critical=False,
                protected=False,
                status=state.status,
            )
            yield {
                "memory": id, "version": number, "state": before.text(),
                "actor": self._source, "reason": f"changed in {self._source}",
                "created_at": max(created, former.changed_at or 0),
            }  # fmt: skip

    def _block(self, imported: ImportedBlock) -> None:
        id, created = self._block_id(imported), imported.created_at or self._now
        block = {
            "id": id, "label": clip(normalise(imported.label).strip(), LABEL),
            "workspace": self._place(imported.workspace), "task": None, "agent": None,
            "shared": bool(imported.holders), "description": imported.description,
            "size_limit": min(MAX_LIMIT, max(1, imported.limit, len(imported.value))),
            "read_only": imported.read_only, "version": 1, "created_at": created,
            "updated_at": created, "accessed_at": created, "deleted_at": None,
        }  # fmt: skip
        version = {
            "block": id, "version": 1, "value": imported.value, "tokens": 0,
            "kind": BlockChangeKind.CREATE.value, "source": Author.SYSTEM.value, "agent": None,
            "reason": f"from {self._source}", "created_at": created,
        }  # fmt: skip
        self._rows[BLOCKS].append(block)
        self._rows[BLOCK_VERSIONS].append(version)
        self._rows[HOLDERS] += [
            {"block": id, "agent": agent, "role": "", "attached_at": created}
            for agent in sorted(map(normalise, imported.holders))
        ]

    def _blocks_here(self, records: Sequence[Imported]) -> set[Any]:
        ids = [self._block_id(record) for record in records if isinstance(record, ImportedBlock)]
        return {key[0] for key in rows.by_key(self._tx, BLOCKS, self._team, ids)} if ids else set()

    def _block_id(self, imported: ImportedBlock) -> str:
        return self._id(f"block\0{imported.key}", 0)  # blocks are in the order of their labels

    def _place(self, name: str | None) -> str | None:
        """Return the id of a workspace by name; add a row for it if it is new."""
        if name is None:
            return None
        if name not in self._places:
            existing = workspaces.by_name(self._tx, self._team, normalise(name))
            created = existing.created_at if existing else self._now
            id = existing.id if existing else self._id(f"workspace\0{name}", created)
            self._places[name] = id
            workspace = existing or Workspace(self._team, id, name, None, created)
            self._rows[WORKSPACES].append(
                {
                    "id": workspace.id,
                    "name": workspace.name,
                    "root": workspace.root,
                    "created_at": workspace.created_at,
                    "aliases": [],
                }
            )
        return self._places[name]

    def _id(self, key: str, at: int, number: int = 0) -> str:
        """Return a deterministic UUID of version 7.

        The UUID consists of a time, a number that keeps the order of records with the same time
        (RFC 9562, 6.2, method 1), and a part derived from source and key.
        """
        text = f"{self._source}\0{key}".encode("utf-8", "surrogatepass")
        drawn = int.from_bytes(hashlib.sha256(text).digest()[:8], "big") & (1 << 62) - 1
        tick = (max(0, at) // MILLISECOND << 12) + number
        head = (tick >> 12 & (1 << 48) - 1) << 16 | 0x7 << 12 | tick & 0xFFF
        digits = f"{head << 64 | 0b10 << 62 | drawn:032x}"
        return f"{digits[:8]}-{digits[8:12]}-{digits[12:16]}-{digits[16:20]}-{digits[20:]}"


def name_of(imported: ImportedMemory) -> str:
    """Return the name of a memory in the other system."""
    return one_line(imported.key.replace("\0", " "))


def _as_archive(
    path: Path, team: str, found: Mapping[RowKind, Sequence[Row]], now: int
) -> ForeignRows:
    lines: dict[str, list[bytes]] = {}
    for kind, data in found.items():
        if kind.member != OBSERVATIONS:
            ordered = sorted(data, key=lambda row, kind=kind: [row[name] for name in kind.key])  # type: ignore[misc]
            lines[kind.member] = [dump_json(row).encode() for row in ordered]
    members = {name: _member(data) for name, data in lines.items()}
    return ForeignRows(
        path, Manifest(now, team, ArchiveSelection(observations=False), members), lines
    )


def _member(lines: Sequence[bytes]) -> Member:
    digest = hashlib.sha256()
    for line in lines:
        digest.update(line + b"\n")
    return Member(len(lines), sum(len(line) + 1 for line in lines), digest.hexdigest())
