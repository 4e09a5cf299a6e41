"""`memory.*` methods that store, retrieve, update and prune memories."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import ClassVar

from memoranda.api.jsonrpc.memory.method_group import MethodGroup, without_none
from memoranda.api.jsonrpc.memory.observation_criticality import USED, set_criticality
from memoranda.api.jsonrpc.memory.records import (
    ChangeRecord,
    FormattedContext,
    MemoryRecord,
    RecordData,
    changed,
    filled,
    memory_record,
    observation_record,
)
from memoranda.exceptions import InvalidInput, NotFound
from memoranda.memories.model import Category, MemoryKind
from memoranda.stages.model import StageName

KINDS = {
    MemoryKind.EPISODIC: ("observation", "memory"),
    MemoryKind.SEMANTIC: ("memory",),
    MemoryKind.PROCEDURAL: ("memory",),
}
"""Record kinds that a search for memories of each type includes.

The result of a task is a memory; its steps are not.
"""
ROUNDS = 10
"""Maximum number of searches per retrieval that is limited to some memory types."""


@dataclass(frozen=True, slots=True)
class RetrievalResult:
    """Memories that match a query, best first, with their reliability."""

    memories: tuple[MemoryRecord, ...]
    critical_coverage: float
    critical_left_out: tuple[str, ...]
    contradictions: tuple[RecordData, ...]
    precision: float | None
    """Precision from ratings; None if the results were not rated."""
    degraded: bool
    note: str
    cursor: str | None


@dataclass(frozen=True, slots=True)
class PruneResult:
    """Observations that pruning removed, or would remove."""

    dry_run: bool
    observations: int
    memories: int
    places: tuple[str, ...]
    not_reached: tuple[str, ...]


class CoreMethods(MethodGroup):
    """Methods for storing and retrieving memories.

    store, retrieve, get_context, update, prune.
    """

    USES: ClassVar = {
        "store": ("observe", "tasks.show", *USED),
        "retrieve": ("search", "memories.evidence", "observations.show"),
        "get_context": ("context",),
        "update": ("memories.edit",),
        "prune": ("store.retention",),
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
            memory_type: episodic stores an event in full, in its task; semantic and procedural
            state knowledge, which is pending until a person approves it if an agent states it.
            task_id: the task in which the event happened, or to which the knowledge refers.
            is_critical: for knowledge only; an event is critical through the knowledge that is
                based on it.
            category: for knowledge only, like evidence.
            evidence: ids of the observations on which the knowledge is based.
            key: for an episodic memory only; a memory with the same key in the same task is stored
                only once.
        """
        if memory_type is MemoryKind.EPISODIC:
            _refuse(memory_type, category=category, evidence=evidence)
            happened = without_none(task=task_id, key=key, tags=keywords)
            made = self._call("observe", content=content, workspace=workspace, **happened)
            stored_content = self._call("observations.show", id=made["id"])["content"]
            record = observation_record(made, stored_content)
            return (
                set_criticality(self._ask_for, made, record, True).memory if is_critical else record
            )
        _refuse(memory_type, key=key)
        if memory_type is MemoryKind.PROCEDURAL:
            category = category or Category.PATTERN
        statement = without_none(
            content=content, category=category, tags=keywords, critical=is_critical
        )
        statement |= without_none(evidence=evidence, references=self._references(task_id))
        made = self._call("remember", statement=statement, workspace=workspace)
        return replace(memory_record(made), task_id=task_id)

    def _references(self, task_id: str | None) -> list[dict[str, str]] | None:
        """Return the reference of knowledge to a task, which may not have started yet."""
        if task_id is None:
            return None
        with suppress(NotFound):
            task_id = self._call("tasks.show", id=task_id)["id"]
        return [{"kind": "execution", "value": str(task_id)}]

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
        min_score: float | None = None,
    ) -> RetrievalResult:
        """Retrieve the memories that match a query best.

        They are ranked by similarity, recency, frequency, stage, criticality and relevance to the
        current errors.

        Args:
            stage_type: the kind of the current work; memories that help in it rank higher.
            task_id: the current task: records that resolve its errors rank higher. Not a filter.
            memory_types: all by default.
            cursor: the cursor of the previous result, to get the next k.
            min_score: minimum score, 0 to 1; 0 always retrieves the nearest memories. By default,
                nothing is retrieved if even the best memory is unlikely to answer the query.
        """
        kinds = frozenset(memory_types or MemoryKind)
        where = without_none(categories=categories, tags=keywords)
        where["kinds"] = sorted({kind for memory_kind in kinds for kind in KINDS[memory_kind]})
        arguments = without_none(query=query, where=where, workspace=workspace, min_score=min_score)
        arguments["work"] = without_none(stage=stage_type, task=task_id)
        return self._searched(arguments, k, kinds, cursor)

    def get_context(
        self,
        query: str | None = None,
        *,
        token_budget: int | None = None,
        task_id: str | None = None,
        workspace: str | None = None,
    ) -> FormattedContext:
        """Return a formatted context for a query.

        The context never exceeds its budget and never lacks a critical fact.

        Args:
            token_budget: 2,000 unless settings say otherwise.
        """
        arguments = {
            "query": query,
            "budget": token_budget,
            "task": task_id,
            "workspace": workspace,
        }
        return filled(FormattedContext, self._call("context", **arguments))

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
        """Update an existing memory; an agent's change is pending until approved.

        Args:
            memory_id: the id of knowledge; an event is never changed.
        """
        edit = without_none(content=content, title=title, category=category, tags=keywords)
        edit |= without_none(critical=is_critical)
        return changed(self._call("memories.edit", id=memory_id, edit=edit, reason=reason))

    def prune(
        self,
        until: int,
        *,
        routine_only: bool = True,
        dry_run: bool = True,
        workspace: str | None = None,
    ) -> PruneResult:
        """Permanently delete the observations recorded before a given time.

        By default it only counts them, and only those of low salience.

        Args:
            until: a time, such as 2026-01-31T12:00:00Z.
        """
        arguments = {"routine_only": routine_only, "dry_run": dry_run, "workspace": workspace}
        found = self._call("store.retention", until=until, **arguments)
        return filled(PruneResult, found)

    def _searched(
        self, arguments: RecordData, k: int, wanted: Collection[str], cursor: str | None
    ) -> RetrievalResult:
        """Search until k memories of the required types, or all, are found."""
        memories: list[MemoryRecord] = []
        contradictions: list[RecordData] = []
        for _ in range(ROUNDS):
            found = self._call("search", **arguments, limit=k - len(memories), cursor=cursor)
            opened = self._opened(found["hits"])
            memories += [record for record in opened if record.memory_type in wanted]
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
        """Yield the hits with their content; skip those deleted in the meantime."""
        for hit in hits:
            with suppress(NotFound):
                if hit["kind"] == "memory":
                    found = self._call("memories.evidence", id=hit["id"])
                    yield memory_record(found["memory"], hit)
                else:
                    found = self._call("observations.show", id=hit["id"])
                    yield observation_record(found["observation"], found["content"], hit)


def _refuse(kind: MemoryKind, **arguments: object) -> None:
    """Refuse arguments that memories of a type do not have.

    Raises:
        InvalidInput: such an argument was passed.
    """
    if stray := ", ".join(without_none(**arguments)):
        other = "episodic" if kind is not MemoryKind.EPISODIC else "semantic and procedural"
        raise InvalidInput(f"only {other} memories have {stray}, but memory_type is {kind}")
