"""Removes everything that mentions a name, and verifies the removal."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

from memoranda.exceptions import Conflict, InvalidInput
from memoranda.journal import table as journal
from memoranda.memories.model import Visibility
from memoranda.memories.name_pattern import NamePattern
from memoranda.memories.name_search import MAX_LINE_LENGTH, MentionedRow, mentioned_rows
from memoranda.memories.removal import (
    STILL_MENTIONED,
    MemoryRemover,
    NameMention,
    RemovalReceipt,
    RemovalSelection,
    protection,
)
from memoranda.observations import blob_table as blobs
from memoranda.observations.blob_table import Blob
from memoranda.ports import TokenCounter
from memoranda.scope import Scope
from memoranda.store.database import Database, Transaction
from memoranda.store.table_catalogue import MEMORY
from memoranda.workspaces import table as workspaces

SIMILAR = 20
"""Maximum number of similar forms of the name that a receipt lists."""
SHOWN = 100
"""Maximum number of mentions that a receipt lists; all are counted."""
WHOLE = ("observation", "memory", "error_note")
"""Kinds of records that are removed completely, with all derived data."""
ERASED_COLUMNS = {
    "task": ("goal", "session"),
    "task_state": ("state_hash",),
    "task_watch": ("state",),
    "stage": ("reason",),
    "stage_tracking": ("state",),
    "block": ("label", "description"),
    "block_version": ("value_hash", "reason"),
    "checkpoint": ("description", "state_hash"),
    "intervention": ("reason", "note"),
}
"""Columns in which only the lines that mention the name are erased.

The name of a task or block is replaced completely.
"""
DELETED_ROWS = frozenset(
    (
        "memory_version",
        "proposal",
        "notification",
        "profile_change",
        "profile_step",
        "feedback",
        "suggestion",
        "document",
        "working",
        "compaction",
        "compression",
        "model_answer",
        "kept_answer",
        "workspace_alias",
    )
)
"""Tables whose rows are deleted if they mention the name."""
REJECTED_LINE = "rejected_line"
"""Kind of a mention in an invalid line from a hook."""
PRIVATE = "(private to an agent)"
COPIES = "files created by export, backup and copy"


@dataclass(frozen=True, slots=True)
class RejectedLines:
    """Invalid lines from hooks, which are stored outside the tables."""

    read: Callable[[], list[str]]
    remove: Callable[[Callable[[str], bool]], None]


class MentionRemover:
    """Permanently removes everything in a team's store that mentions a name."""

    def __init__(
        self,
        database: Database,
        remover: MemoryRemover,
        counter: TokenCounter,
        rejected: RejectedLines,
    ) -> None:
        """Create the remover; ``remover`` removes single records."""
        self._database = database
        self._remover = remover
        self._counter = counter
        self._rejected = rejected

    def forget(
        self, scope: Scope, chosen: RemovalSelection, actor: str, *, dry_run: bool
    ) -> RemovalReceipt:
        """Remove all records that mention a name; a dry run only lists them.

        Raises:
            InvalidInput: the name is too short, or is combined with a workspace or other criteria.
            Conflict: a protected memory mentions the name.
        """
        name, alone = NamePattern(chosen.mentions), RemovalSelection(mentions=chosen.mentions)
        if scope.workspace or replace(chosen, ids=tuple(chosen.ids)) != alone:
            raise InvalidInput(
                "a name is searched for in all workspaces of the team; do not combine it with a"
                " workspace, ids, a task or times (if a key or folder has a default workspace,"
                " pass the workspace 'all')"
            )
        rows, similar = self._found(scope.team, name)
        receipt = _listed(rows, dry_run=dry_run)
        self._list_rejected(name, receipt)
        if dry_run:
            receipt.similar = similar
            return receipt
        _refuse_protected(rows)
        ids = sorted({row.subject for row in rows if _is_deleted_row(row)})
        changed = [mentioned_row for mentioned_row in rows if not _is_deleted_row(mentioned_row)]
        self._database.write(lambda tx: self._erase(tx, scope.team, name, changed, actor))
        self._rejected.remove(name.mentioned_in)
        removed = self._remover.remove(scope, RemovalSelection(ids=ids), actor)
        removed.mentions, removed.mention_counts = receipt.mentions, receipt.mention_counts
        left, removed.similar = self._found(scope.team, name)
        removed.not_reached += [COPIES, *_remaining(left)]
        return removed

    def _list_rejected(self, name: NamePattern, receipt: RemovalReceipt) -> None:
        """Add invalid hook lines that mention the name to a receipt."""
        lines = enumerate(self._rejected.read(), 1)
        mentions = [
            NameMention(REJECTED_LINE, str(number), name.first_line(line, MAX_LINE_LENGTH))
            for number, line in lines
            if name.mentioned_in(line)
        ]
        if mentions:
            receipt.mention_counts[REJECTED_LINE] = len(mentions)
            receipt.mentions = [*receipt.mentions, *mentions][:SHOWN]

    def _found(self, team: str, name: NamePattern) -> tuple[list[MentionedRow], list[str]]:
        """Return the rows that mention the name, and frequent similar forms."""
        similar = Counter[str]()
        rows = self._database.read(lambda tx: list(mentioned_rows(tx, team, name, similar)))
        return rows, sorted(similar, key=lambda form: (-similar[form], form))[:SIMILAR]

    def _erase(
        self,
        tx: Transaction,
        team: str,
        name: NamePattern,
        found: Sequence[MentionedRow],
        actor: str,
    ) -> None:
        """Delete or rewrite the rows that are not removed as complete records."""
        outdated = list[str]()
        changed = 0
        for row in found:
            hashes = [row.value(c) for c in row.columns if c.endswith("_hash")]
            if _is_folder_in_use(tx, team, row):
                continue
            if row.table.name in DELETED_ROWS:
                changed += row.table.delete(tx, team, row.key)
                outdated += hashes
            elif values := self._rewritten(tx, team, name, row):
                changed += row.table.update(tx, team, row.key, values)
                outdated += hashes
        blobs.delete_unused(tx, team, outdated)
        if changed:
            now = self._remover.now()
            detail = {"records": changed}
            journal.append(tx, team, journal.NewJournalEntry(now, actor, "forget", "", detail))

    def _rewritten(
        self, tx: Transaction, team: str, name: NamePattern, one: MentionedRow
    ) -> dict[str, object]:
        """Store new contents; return the new values of a row's columns."""
        values = dict[str, object]()
        for column in set(one.columns) & set(ERASED_COLUMNS.get(one.table.name, ())):
            old = one.value(column)
            if column in ("session", "label"):
                values[column] = f"erased-{one.subject}"
                continue
            if not column.endswith("_hash"):
                values[column] = name.without(old)
                continue
            text = name.without(blobs.content(tx, team, old))
            blob = Blob.of(text)
            blobs.insert(tx, team, [blob])
            values[column] = blob.hash
            if one.table.name == "block_version":
                values |= {"size": len(text), "tokens": self._counter.count(text)}
        return values


def _remaining(rows: Sequence[MentionedRow]) -> list[str]:
    """Return which records still mention the name, after the removal."""
    left = Counter((row.table.name, column) for row in rows for column in row.columns)
    return [
        f"{table}.{column} {STILL_MENTIONED}: {count:,}"
        for (table, column), count in sorted(left.items())
    ]


def _is_folder_in_use(tx: Transaction, team: str, one: MentionedRow) -> bool:
    """Return whether a row is the alias of a workspace's current folder.

    Without this alias, the next session in the folder would create another workspace.
    """
    if one.table.name != "workspace_alias":
        return False
    workspace = workspaces.by_id(tx, team, one.value("workspace"))
    return bool(workspace and workspace.root and workspace.root in one.value("alias"))


def _is_deleted_row(one: MentionedRow) -> bool:
    return one.kind in WHOLE and one.table.name not in DELETED_ROWS


def _listed(found: Sequence[MentionedRow], *, dry_run: bool) -> RemovalReceipt:
    """Return a receipt that counts all records and lists the first ones."""
    records = _by_record(found)
    counts = Counter(kind for kind, _ in records)
    return RemovalReceipt(
        observations=counts["observation"],
        memories=sum(1 for item in {o.subject for o in found if _is_memory(o)} if item),
        errors=counts["error_note"],
        mentions=list(records.values())[:SHOWN],
        mention_counts=dict(sorted(counts.items())),
        dry_run=dry_run,
    )


def _is_memory(one: MentionedRow) -> bool:
    return one.kind == "memory" and _is_deleted_row(one)


def _is_private(one: MentionedRow) -> bool:
    """Return whether a memory is private to an agent."""
    return one.table is MEMORY and one.value("visibility") == Visibility.AGENT


def _by_record(found: Iterable[MentionedRow]) -> dict[tuple[str, str], NameMention]:
    records = dict[tuple[str, str], NameMention]()
    for row in found:
        mention = NameMention(row.kind, row.subject, row.line)
        if _is_memory(row) and _is_private(row):
            mention = replace(mention, line=PRIVATE)
        elif _is_deleted_row(row):
            mention = replace(mention, opening=row.opening)
        records.setdefault((row.kind, row.subject), mention)
    return records


def _refuse_protected(found: Sequence[MentionedRow]) -> None:
    rows = [row for row in found if row.table.name == "memory" and row.value("protected")]
    if rows:
        raise Conflict(
            "; ".join(
                protection(str(mentioned_row.value("id")), str(mentioned_row.value("title")))
                for mentioned_row in rows
            )
        )
