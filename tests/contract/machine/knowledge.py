"""Rules about memories and full text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from hypothesis import strategies as st
from hypothesis.stateful import rule

from contract.clock import START
from contract.machine import searches
from contract.machine.rules import StoreRules
from contract.machine.stores import call
from contract.machine.texts import (
    PARTS,
    WORDS,
    agents,
    identifiers,
    limits,
    maybe,
    prose,
    task_ids,
    teams,
    texts,
    workspace_ids,
)
from memoranda.memories import table as memories
from memoranda.memories.model import Category, Memory, MemoryKind, MemoryStatus, Visibility
from memoranda.memories.table import MemoryFilter
from memoranda.observations.model import Origin
from memoranda.store.database import TextEntry, TextQuery

EVERY = [f"m{number:02}" for number in range(1, 13)]
"""The ids that a memory may have."""
memory_ids = st.sampled_from(EVERY)
contents = st.sampled_from(("prices are net", "Prices are net", "", "価格は税抜き")) | texts


def _memory(
    scope: tuple[str | None, str | None, Visibility],
    kept: tuple[str, MemoryStatus, Category],
    words: tuple[str, str, str],
    count: int,
) -> Memory:
    """Make a memory; the bits of a count choose which fields are empty."""
    (workspace, agent, visibility), (id, status, category) = scope, kept
    title, content, message = words
    return Memory(
        team="",
        id=id,
        workspace=workspace,
        agent=agent,
        visibility=visibility,
        title=title,
        content=content,
        kind=tuple(MemoryKind)[count % 3],
        category=category,
        tags=(message, "") if count & 1 else (),
        origin=tuple(Origin)[count % 4],
        confidence=1 / (count + 1),
        critical=bool(count & 2),
        critical_reason=message if count & 4 else None,
        protected=bool(count & 8),
        status=status,
        tokens=count,
        created_at=START + count,
        updated_at=START,
    )


made_memories = st.builds(
    _memory,
    st.tuples(maybe(workspace_ids), maybe(agents), st.sampled_from(Visibility)),
    st.tuples(
        memory_ids,
        st.sampled_from((MemoryStatus.APPROVED, *MemoryStatus)),
        st.sampled_from(Category),
    ),
    st.tuples(prose, contents, texts),
    st.integers(0, 15) | st.integers(0, 2**40),
)
wheres = st.builds(
    MemoryFilter,
    workspace=maybe(workspace_ids),
    agent=maybe(agents),
    status=st.none() | st.sampled_from(MemoryStatus),
    category=st.none() | st.sampled_from(tuple(Category)[:2]),
)
TABLES = ("observation", "memory")
"""Searchable words."""


class KnowledgeRules(StoreRules):
    """Memories are visible to those who may see them; words find their rows."""

    @rule(
        team=teams,
        memory=made_memories,
        names=identifiers,
        evidence=st.lists(st.integers(1, 6).map("01A{:03}".format), max_size=3),
        again=st.integers(0, 9),
    )
    def remember(
        self, team: str, memory: Memory, names: Sequence[str], evidence: list[str], again: int
    ) -> None:
        """Store a memory, possibly with a taken id or a missing workspace."""
        made = replace(memory, team=self.teams[team])
        stored = self._memories_of(team)
        if again < len(stored):
            same = stored[again]
            made = replace(same, id=made.id, status=made.status, title=made.title)
        words = f"{made.title}\n{made.content}"
        text = TextEntry(made.team, made.id, made.workspace, None, words, names)
        self.change(team, call(memories.insert, made, text, evidence))

    @rule(team=teams, ids=st.lists(memory_ids, max_size=3), purges=st.booleans())
    def forget_memories(self, team: str, ids: list[str], purges: bool) -> None:
        """Delete memories, possibly missing or repeated; rewrite the indexes."""
        deletes = self.of(team, memories.delete, ids)
        rewrites = [call(searches.purge, table) for table in TABLES] if purges else []
        self.change(team, deletes, *rewrites)

    @rule(
        team=teams, where=wheres, before=st.just("~") | memory_ids, limit=limits, like=made_memories
    )
    def list_memories(
        self, team: str, where: MemoryFilter, before: str, limit: int, like: Memory
    ) -> None:
        """List memories with a filter; read one that may be missing."""
        self.ask(
            team,
            self.of(team, memories.listed, where, before=before, limit=limit),
            call(memories.same_content, replace(like, team=self.teams[team])),
        )

    @rule(
        team=teams,
        table=st.sampled_from(TABLES),
        words=st.lists(st.sampled_from((*WORDS, "ZEBRA", "nowhere")), max_size=2),
        parts=st.lists(st.sampled_from((*PARTS, "CONFIG", "x", "nowhere")), max_size=2),
        place=maybe(workspace_ids),
        task=maybe(task_ids),
    )
    def search(
        self,
        team: str,
        table: str,
        words: list[str],
        parts: list[str],
        place: str | None,
        task: str | None,
    ) -> None:
        """Search for words and parts of identifiers in a scope."""
        query = TextQuery(self.teams[team], words, parts, place, task, limit=searches.ALL)
        self.ask(team, call(searches.found, table, query))

    def _memories_of(self, team: str) -> list[Memory]:
        """Return the first five memories of a team in the model."""
        return list(self.stores.model.of(self.teams[team]).memories.values())[:5]
