"""Storing, finding and changing memories."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import ClassVar

from memoranda.api.jsonrpc.memory.method_group import MethodGroup, without_none
from memoranda.api.jsonrpc.memory.records import (
    ChangeRecord,
    FormattedContext,
    MemoryRecord,
    RecordData,
    changed,
    formatted_context,
    memory_record,
    observation_record,
)
from memoranda.exceptions import NotFound
from memoranda.memories.model import Category, MemoryKind
from memoranda.stages.model import StageName

KINDS = {
    MemoryKind.EPISODIC: ("observation", "memory"),
    MemoryKind.SEMANTIC: ("memory",),
    MemoryKind.PROCEDURAL: ("memory",),
}
"""What is searched for memories of each type. How a task went is a memory, its steps are not."""
ROUNDS = 10
"""Searches of one retrieval, at most, where only some types are wanted."""


@dataclass(frozen=True, slots=True)
class RetrievalResult:
    """Memories that answer a question, best first, and how far to rely on them."""

    memories: tuple[MemoryRecord, ...]
    critical_coverage: float
    critical_left_out: tuple[str, ...]
    contradictions: tuple[RecordData, ...]
    precision: float | None
    """From ratings; None where nobody rated these."""
    degraded: bool
    note: str
    cursor: str | None


@dataclass(frozen=True, slots=True)
class PruneResult:
    """What pruning reached, or would reach."""

    dry_run: bool
    observations: int
    memories: int
    places: tuple[str, ...]
    not_reached: tuple[str, ...]


class CoreMethods(MethodGroup):
    """store, retrieve, get_context, update, prune."""

    USES: ClassVar = {
        "store": ("observe", "observation.show", "remember"),
        "retrieve": ("search", "why", "observation.show"),
        "get_context": ("context",),
        "update": ("memory.edit",),
        "prune": ("retention",),
    }

    def store(
        self,
        content: str,
        *,
        memory_type: MemoryKind = MemoryKind.EPISODIC,
        task_id: str | None = None,
        category: Category | None = None,
        keywords: Sequence[str] | None = None,
        is_critical: bool | None = None,
        evidence: Sequence[str] | None = None,
        key: str | None = None,
        workspace: str | None = None,
    ) -> MemoryRecord:
        """Store an interaction as a memory.

        Args:
            memory_type: episodic keeps what happened, whole and in its task; semantic and
                procedural state knowledge, which waits for a person where an agent states it.
            task_id: of an episodic one.
            category: of knowledge, like keywords, is_critical and evidence.
            evidence: ids of the observations that it rests on.
            key: of an episodic one; the same in the same task is stored once.
        """
        known = without_none(category=category, tags=keywords)
        known |= without_none(critical=is_critical, evidence=evidence)
        happened = without_none(task=task_id, key=key)
        if memory_type is MemoryKind.EPISODIC:  # what it has no use for is refused below
            made = self._ask("observe", content=content, workspace=workspace, **happened, **known)
            kept = self._ask("observation.show", id=made["id"])["content"]
            return observation_record(made, kept)
        if memory_type is MemoryKind.PROCEDURAL:
            known.setdefault("category", Category.PATTERN)
        statement = {"content": content, **known}
        return memory_record(
            self._ask("remember", statement=statement, workspace=workspace, **happened)
        )

    def retrieve(
        self,
        query: str,
        *,
        k: int = 5,
        memory_types: Sequence[MemoryKind] | None = None,
        stage_type: StageName | None = None,
        task_id: str | None = None,
        categories: Sequence[Category] | None = None,
        keywords: Sequence[str] | None = None,
        workspace: str | None = None,
        cursor: str | None = None,
    ) -> RetrievalResult:
        """Retrieve the memories that answer best, by similarity, recency, frequency, stage,
        criticality and the errors at hand.

        Args:
            stage_type: what the work is at; memories that help in it rise.
            task_id: the task at hand: what mends its errors rises. It does not narrow.
            memory_types: all, where none is named.
            cursor: that of the answer before, for the next k.
        """
        wanted = frozenset(memory_types or MemoryKind)
        where = without_none(categories=categories, tags=keywords)
        where["kinds"] = sorted({kind for one in wanted for kind in KINDS[one]})
        asked = without_none(query=query, where=where, workspace=workspace)
        asked["work"] = without_none(stage=stage_type, task=task_id)
        return self._searched(asked, k, wanted, cursor)

    def get_context(
        self,
        query: str | None = None,
        *,
        token_budget: int | None = None,
        task_id: str | None = None,
        workspace: str | None = None,
    ) -> FormattedContext:
        """Get a formatted context for a query, never over its budget, never without a critical
        fact.

        Args:
            token_budget: 2,000 unless settings say otherwise.
        """
        asked = {"query": query, "budget": token_budget, "task": task_id, "workspace": workspace}
        return formatted_context(self._ask("context", **asked))

    def update(
        self,
        memory_id: str,
        *,
        content: str | None = None,
        title: str | None = None,
        category: Category | None = None,
        keywords: Sequence[str] | None = None,
        is_critical: bool | None = None,
        reason: str = "",
    ) -> ChangeRecord:
        """Update an existing memory. What an agent wishes waits for a person.

        Args:
            memory_id: that of knowledge; what happened is never changed.
        """
        edit = without_none(content=content, title=title, category=category, tags=keywords)
        edit |= without_none(critical=is_critical)
        return changed(self._ask("memory.edit", id=memory_id, edit=edit, reason=reason))

    def prune(
        self,
        until: int,
        *,
        routine_only: bool = True,
        dry_run: bool = True,
        workspace: str | None = None,
    ) -> PruneResult:
        """Trigger pruning by hand: remove observations from before a time for good. By itself it
        only counts, and only what is of low salience.

        Args:
            until: a time, such as 2026-01-31T12:00:00Z.
        """
        asked = {"routine_only": routine_only, "dry_run": dry_run, "workspace": workspace}
        found = self._ask("retention", until=until, **asked)
        counts = found["dry_run"], found["observations"], found["memories"]
        return PruneResult(*counts, tuple(found["places"]), tuple(found["not_reached"]))

    def _searched(
        self, asked: RecordData, k: int, wanted: Collection[str], cursor: str | None
    ) -> RetrievalResult:
        """Search until there are k memories of the wanted types, or no more."""
        memories: list[MemoryRecord] = []
        contradictions: list[RecordData] = []
        for _ in range(ROUNDS):
            found = self._ask("search", **asked, limit=k - len(memories), cursor=cursor)
            opened = self._opened(found["hits"])
            memories += [one for one in opened if one.memory_type in wanted]
            contradictions += found["validation"]["contradictions"]
            cursor = found["cursor"]
            if cursor is None or len(memories) >= k:
                break
        return RetrievalResult(
            memories=tuple(memories),
            critical_coverage=found["validation"]["coverage"],
            critical_left_out=tuple(found["validation"]["left_out"]),
            contradictions=tuple(contradictions),
            precision=found["validation"]["precision"],
            degraded=found["degraded"],
            note=found["note"],
            cursor=cursor,
        )

    def _opened(self, hits: Sequence[RecordData]) -> Iterator[MemoryRecord]:
        """Return the hits with their content; what was forgotten meanwhile is left out."""
        for hit in hits:
            with suppress(NotFound):
                if hit["kind"] == "memory":
                    found = self._ask("why", id=hit["id"])
                    yield memory_record(found["memory"], hit["score"])
                else:
                    found = self._ask("observation.show", id=hit["id"])
                    yield observation_record(found["observation"], found["content"], hit["score"])
