"""Methods that list and verify the journal."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace

from memoranda.blocks import table as blocks
from memoranda.blocks.places import visible_to
from memoranda.ids import is_uuid
from memoranda.journal import table as journal
from memoranda.journal.filter import JournalFilter
from memoranda.journal.model import JournalCheck, JournalEntry
from memoranda.memories import table as memories, version_table as memory_versions
from memoranda.operation_declaration import ADMINS, REVIEWERS, read
from memoranda.page import Page, checked_limit, number_of, page_of
from memoranda.proposals import table as proposals
from memoranda.resource import Resource
from memoranda.scope import Scope
from memoranda.store.database import Transaction
from memoranda.tasks import table as tasks
from memoranda.text import clip, one_line

TITLE = 80
"""Maximum number of characters of a task's goal that are used as the task's title."""

VERSIONS = 1_000
"""Maximum number of memory versions that are read for the titles on a page."""


class JournalResource(Resource):
    """``memory.journal``: every change, in a hash chain that shows tampering."""

    @read("journal.list", roles=REVIEWERS)
    def list(
        self,
        *,
        operation: str | None = None,
        subject: str | None = None,
        actor: str | None = None,
        since: int | None = None,
        until: int | None = None,
        cursor: str | None = None,
        limit: int = 50,
    ) -> Page[JournalEntry]:
        """List journal entries, newest first.

        The entries include the titles of their subjects; titles of memories are as of the entry.

        Args:
            operation: as a list shows it, or a method: ``memory edit``, ``memories.edit``.
            actor: a person, an agent, or a part of Memoranda such as ``import``.
            since: start in microseconds since the epoch.
            until: end in microseconds since the epoch, exclusive.
        """
        where = JournalFilter(operation, subject, actor, since, until)
        checked_limit(limit)
        before = number_of(cursor, first=journal.NEWEST)

        def work(tx: Transaction) -> Sequence[JournalEntry]:
            entries = _entries(tx, self._scope.team, where, before, limit + 1)
            titles = _titles(tx, self._scope, [entry.subject for entry in entries])
            former = _former_titles(tx, self._scope.team, entries, titles)
            return [
                replace(
                    journal_entry,
                    title=former(journal_entry) or titles.get(journal_entry.subject, ""),
                )
                for journal_entry in entries
            ]

        journal_entries = self._database.read(work)
        return page_of(journal_entries, limit, lambda one: one.sequence)

    @read("journal.verify", roles=ADMINS)
    def verify(self) -> JournalCheck:
        """Verify the hash chain of the journal.

        Return where the chain is broken, if it is.
        """
        return self._database.read(lambda tx: journal.verify(tx, self._scope.team))


def _entries(
    tx: Transaction, team: str, where: JournalFilter, before: int, limit: int
) -> list[JournalEntry]:
    """Return the entries of a filter, from an index if that is possible."""
    operation = where.operations[0] if where.operations else None
    is_stored_form = where.act is None and len(where.operations) < 2
    if is_stored_form and where == JournalFilter(where.operation, where.subject):
        return journal.listed(
            tx, team, operation=operation, subject=where.subject, before=before, limit=limit
        )
    return journal.matching(tx, team, where, before=before, limit=limit)


def _former_titles(
    tx: Transaction, team: str, entries: Sequence[JournalEntry], titles: Mapping[str, str]
) -> Callable[[JournalEntry], str]:
    """Return a function that returns a memory's title as of an entry, or ""."""
    subjects = [
        item for item in dict.fromkeys(entry.subject for entry in entries) if item in titles
    ]
    versions = memory_versions.of_memories(tx, team, subjects, limit=VERSIONS)

    def title(entry: JournalEntry) -> str:
        later = [
            memory_version
            for memory_version in versions
            if memory_version.memory == entry.subject and memory_version.created_at > entry.at
        ]
        return min(later, key=lambda version: version.version).state.title if later else ""

    return title


def _titles(tx: Transaction, scope: Scope, subjects: Iterable[str]) -> Mapping[str, str]:
    """Return the titles of memories, proposals, tasks and blocks, by id."""
    team = scope.team
    ids = [item for item in dict.fromkeys(subjects) if is_uuid(item)]
    stored = memories.by_ids(tx, team, ids, scope.agent)
    result = {id: memory.title for id, memory in stored.items()}
    for id in ids:
        if id in result:
            continue
        if task := tasks.by_id(tx, team, id):
            result[id] = clip(one_line(task.title), TITLE)
        elif proposal := proposals.by_id(tx, team, id, scope.agent):
            about = memories.by_ids(tx, team, [proposal.memory], scope.agent)
            result[id] = about[proposal.memory].title if proposal.memory in about else ""
    block_filter = replace(visible_to(scope), deleted=None)
    labels = blocks.visible_among(tx, team, block_filter, [id for id in ids if id not in result])
    result |= {id: block.label for id, block in labels.items()}
    return result
