"""Memories with validity times, compared with a model in a list."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count

import pytest
from acting import opened
from hypothesis import HealthCheck, Phase, settings, strategies as st
from hypothesis.stateful import (
    Bundle,
    RuleBasedStateMachine,
    consumes,
    invariant,
    rule,
    run_state_machine_as_test,
)

from contract.clock import START, FixedClock
from memoranda import Memoranda
from memoranda.config import Settings
from memoranda.exceptions import Conflict, InvalidInput
from memoranda.memories.memory_service import NewMemory
from memoranda.proposals.model import MemoryEdit
from memoranda.search.filters import SearchFilter

pytestmark = pytest.mark.integration

DEEP = os.environ.get("MEMORANDA_MACHINE", "")
_NUMBERS = count(1)

times = st.none() | st.integers(0, 12).map(lambda n: START - 120 + 10 * n)
ASKED = [START - 125 + 10 * n for n in range(14)]


@dataclass
class ModelMemory:
    """A memory in the model."""

    created: int
    begins: int | None
    ends: int | None
    by: str | None = None
    before: tuple[int | None, int | None, str | None] | None = None
    """Its state before it was superseded."""

    @property
    def since(self) -> int:
        return self.created if self.begins is None else self.begins

    def at(self, time: int) -> bool:
        after = self.begins is None or self.begins <= time
        return after and (self.ends is None or time < self.ends)


class TimeMachine(RuleBasedStateMachine):
    """Writes and supersedes memories, and asks what was valid."""

    memory: Memoranda
    ids = Bundle("ids")

    def __init__(self) -> None:
        super().__init__()
        self.place = f"shop {next(_NUMBERS)}"
        self.memory._named_or_new(self.place)
        self.held: dict[str, ModelMemory] = {}
        self.said = 0

    @rule(target=ids, begins=times, ends=times)
    def remember(self, begins: int | None, ends: int | None) -> str:
        self.said += 1
        memory = NewMemory(f"zebra{self.said}", valid_from=begins, valid_until=ends)
        if begins is not None and ends is not None and ends <= begins:
            with pytest.raises(InvalidInput):
                self.memory.remember(memory, workspace=self.place)
            memory = NewMemory(f"zebra{self.said}")
            begins = ends = None
        kept = self.memory.remember(memory, workspace=self.place)
        self.held[kept.id] = ModelMemory(kept.created_at, begins, ends)
        return kept.id

    @rule(old=ids, new=ids)
    def supersede(self, old: str, new: str) -> None:
        older, newer = self.held[old], self.held[new]
        circle = self._leads_to(new, old)
        if old == new or older.by is not None or older.since >= newer.since or circle:
            with pytest.raises((InvalidInput, Conflict)):
                self.memory.memories.supersede(old, new)
            return
        cut = newer.since if older.ends is None else min(newer.since, older.ends)
        if older.begins is not None and cut <= older.begins:
            with pytest.raises(InvalidInput):
                self.memory.memories.supersede(old, new)
            return
        self.memory.memories.supersede(old, new)
        older.before = (older.begins, older.ends, older.by)
        older.ends, older.by = cut, new
        if newer.begins is None and (newer.ends is None or cut < newer.ends):
            newer.begins = cut

    @rule(id=ids)
    def take_back(self, id: str) -> None:
        """Restore a superseded memory, if that was its last change."""
        stored = self.held[id]
        history = self.memory.memories.history(id, limit=1_000).items
        if stored.before is None or history[0].state.superseded_by is not None or stored.by is None:
            return
        if (history[0].state.valid_from, history[0].state.valid_until) != stored.before[:2]:
            return
        self.memory.memories.restore(id, history[0].version)
        stored.begins, stored.ends, stored.by = stored.before

    @rule(id=ids, ends=times)
    def end(self, id: str, ends: int | None) -> None:
        stored = self.held[id]
        if ends is None:
            return
        if stored.begins is not None and ends <= stored.begins:
            with pytest.raises(InvalidInput):
                self.memory.memories.edit(id, MemoryEdit(valid_until=ends))
            return
        self.memory.memories.edit(id, MemoryEdit(valid_until=ends))
        stored.ends = ends

    @rule(id=consumes(ids))
    def archive(self, id: str) -> None:
        self.memory.memories.archive(id)
        del self.held[id]

    @invariant()
    def what_held_is_as_in_the_model(self) -> None:
        for time in ASKED:
            wanted = {id for id, one in self.held.items() if one.at(time)}
            listed = self.memory.memories.list(workspace=self.place, as_of=time, limit=1_000)
            found = {one.id for one in listed if one.status == "approved"}
            assert found == wanted, time

    def teardown(self) -> None:
        words = " ".join(f"zebra{n}" for n in range(self.said + 1))
        for time in ASKED[::4]:
            wanted = {id for id, one in self.held.items() if one.at(time)}
            hits = self.memory.search(
                words, workspace=self.place, where=SearchFilter(as_of=time), mode="words", limit=99
            ).hits
            assert {hit.id for hit in hits} <= wanted

    def _leads_to(self, start: str, end: str) -> bool:
        at: str | None = start
        while at is not None and at != end:
            at = self.held[at].by if at in self.held else None
        return at == end


@pytest.fixture
def opened_memory(engine: Settings) -> Iterator[Memoranda]:
    with opened(engine, FixedClock(step=1)) as memory:
        yield memory
        assert memory.journal.verify().intact


@pytest.mark.timeout(0 if DEEP else 600)  # a deep run has no time limit
def test_validity_over_time_matches_the_model(opened_memory: Memoranda, engine: Settings) -> None:
    shallow = "3x12" if engine.database_url else "8x20"
    examples, steps = map(int, (DEEP or shallow).split("x"))
    chosen = settings(
        max_examples=examples,
        stateful_step_count=steps,
        deadline=None,
        phases=[phase for phase in Phase if DEEP or phase is not Phase.shrink],
        suppress_health_check=list(HealthCheck),
    )
    machine = type("Machine", (TimeMachine,), {"memory": opened_memory})
    run_state_machine_as_test(machine, settings=chosen)
