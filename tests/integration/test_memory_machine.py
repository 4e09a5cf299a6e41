"""Random changes and proposals of memories, compared with a dict model."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import replace
from itertools import count

import pytest
from acting import acting, opened
from hypothesis import HealthCheck, settings, strategies as st
from hypothesis.stateful import (
    Bundle,
    RuleBasedStateMachine,
    initialize,
    invariant,
    rule,
    run_state_machine_as_test,
)

from contract.clock import FixedClock
from memoranda import Memoranda
from memoranda.config import Settings
from memoranda.exceptions import Conflict, InvalidInput
from memoranda.memories.memory_service import NewMemory
from memoranda.memories.model import MemoryStatus, Visibility
from memoranda.proposals.model import (
    ChangeResult,
    MemoryEdit,
    MemoryState,
    Proposal,
    ProposalKind,
    ProposalStatus,
)

pytestmark = pytest.mark.integration

DEEP = os.environ.get("MEMORANDA_MACHINE", "")
_NUMBERS = count(1)

AGENTS = ("bob", "eve")
agents = st.sampled_from(AGENTS)
actors = st.sampled_from((None, *AGENTS))
words = st.text("abc \n", min_size=1, max_size=12).filter(str.strip)


class MemoryMachine(RuleBasedStateMachine):
    """Runs the same operations on a store and a model, and compares them."""

    memory: Memoranda
    ids = Bundle("ids")

    def __init__(self) -> None:
        super().__init__()
        self.place = f"shop {next(_NUMBERS)}"
        self.states: dict[str, MemoryState] = {}
        self.versions: dict[str, list[MemoryState]] = {}
        self.wishes: dict[tuple[str, str], Proposal] = {}
        """Pending proposals, by memory and agent."""

    @initialize()
    def begin(self) -> None:
        self.workspace = self.memory._named_or_new(self.place).id

    def seen(self, actor: str | None) -> Memoranda:
        return acting(self.memory, actor, self.place)

    # ------------------------------------------------------------------ operations

    @rule(target=ids, actor=actors, text=words, protected=st.booleans())
    def remember(self, actor: str | None, text: str, protected: bool) -> str:
        memory = NewMemory(f"{len(self.states)} {text}", protected=protected)
        kept = self.seen(actor).remember(memory)
        state = MemoryState.of(kept)
        assert (state.status is MemoryStatus.APPROVED) is (actor is None)
        self.states[kept.id] = state
        self.versions[kept.id] = []
        if actor:
            self._note(kept.id, actor, ProposalKind.ADD, self._approved(state))
        return kept.id

    @rule(id=ids, actor=actors, text=words, protected=st.none() | st.booleans())
    def edit(self, id: str, actor: str | None, text: str, protected: bool | None) -> None:
        edit = MemoryEdit(title="t", content=text, protected=protected)
        after = replace(edit, content=text.strip()).applied(self.states[id])
        self._try(id, actor, ProposalKind.UPDATE, after, lambda m: m.memories.edit(id, edit))

    @rule(id=ids, actor=actors)
    def archive(self, id: str, actor: str | None) -> None:
        state = self.states[id]
        if state.protected:
            with pytest.raises(InvalidInput):
                self.seen(actor).memories.archive(id)
            return
        after = replace(state, status=MemoryStatus.ARCHIVED)
        wish = self.wishes.get((id, actor)) if actor else None
        wanted = wish is not None and wish.kind is ProposalKind.ADD
        if actor and wanted and state.status is MemoryStatus.PENDING:
            self._withdraw(id, actor, after)
            return
        self._try(id, actor, ProposalKind.ARCHIVE, after, lambda m: m.memories.archive(id))

    @rule(id=ids, actor=actors)
    def move(self, id: str, actor: str | None) -> None:
        state = self.states[id]
        if state.visibility is Visibility.TEAM:
            after = replace(state, visibility=Visibility.WORKSPACE, workspace=self.workspace)
            self._try(id, actor, ProposalKind.DEMOTE, after, lambda m: m.memories.demote(id))
        else:
            after = replace(state, visibility=Visibility.TEAM, workspace=None)
            self._try(id, actor, ProposalKind.PROMOTE, after, lambda m: m.memories.promote(id))

    @rule(id=ids, back=st.integers(1, 4))
    def restore(self, id: str, back: int) -> None:
        versions = self.versions[id]
        if not versions:
            return
        number = max(1, len(versions) + 1 - back)
        state = versions[number - 1]
        if state.status is MemoryStatus.PENDING:
            state = self._approved(state)
            if state == self.states[id]:  # only an approval happened after it
                with pytest.raises(InvalidInput):
                    self.memory.memories.restore(id, number)
                return
        self.memory.memories.restore(id, number)
        self._change(id, state)

    @rule(id=ids, agent=agents)
    def approve(self, id: str, agent: str) -> None:
        wish = self.wishes.get((id, agent))
        if wish is None:
            return
        if wish.before != self.states[id]:
            with pytest.raises(Conflict):
                self.memory.proposals.approve(wish.id, wish.hash)
            return
        with pytest.raises(Conflict):
            self.memory.proposals.approve(wish.id, "0" * 64)
        self.memory.proposals.approve(wish.id, wish.hash)
        del self.wishes[id, agent]
        self._change(id, wish.after)

    @rule(id=ids, agent=agents)
    def reject(self, id: str, agent: str) -> None:
        wish = self.wishes.pop((id, agent), None)
        if wish is None:
            return
        self.memory.proposals.reject(wish.id)
        with pytest.raises(Conflict):
            self.memory.proposals.reject(wish.id)
        state = self.states[id]
        if wish.kind is ProposalKind.ADD and state.status is MemoryStatus.PENDING:
            self._change(id, replace(state, status=MemoryStatus.REJECTED))

    # ------------------------------------------------------------------ invariants

    @invariant()
    def everything_is_as_in_the_model(self) -> None:
        if not hasattr(self, "workspace"):
            return
        waiting = {
            one.id: one for one in self.memory.proposals.list(workspace=self.place, limit=1_000)
        }
        mine = {one.id: one for one in self.wishes.values()}
        assert {id: waiting[id].hash for id in mine} == {id: one.hash for id, one in mine.items()}
        for id, state in self.states.items():
            assert MemoryState.of(self.memory.memories.evidence(id).memory) == state
            history = [one.state for one in self.memory.memories.history(id, limit=1_000)]
            assert history == self.versions[id][::-1]

    # ------------------------------------------------------------------ the model

    def _try(
        self, id: str, actor: str | None, kind: ProposalKind, after: MemoryState, act: object
    ) -> None:
        assert callable(act)
        if actor is None:
            assert isinstance(act(self.seen(None)), ChangeResult)
            self._change(id, after)
        elif after == self.states[id]:
            with pytest.raises(InvalidInput, match="already has these values"):
                act(self.seen(actor))
        else:
            act(self.seen(actor))
            self._note(id, actor, kind, after)

    def _withdraw(self, id: str, agent: str, after: MemoryState) -> None:
        """Archive an agent's own proposed memory, which ends the proposal."""
        wish = self.wishes.pop((id, agent))
        changed = self.seen(agent).memories.archive(id)
        assert changed.proposal is None
        assert self.seen(agent).proposals.show(wish.id).status is ProposalStatus.REJECTED
        with pytest.raises(Conflict):
            self.memory.proposals.approve(wish.id, wish.hash)
        self._change(id, after)

    def _change(self, id: str, after: MemoryState) -> None:
        if after != self.states[id]:
            self.versions[id].append(self.states[id])
            self.states[id] = after

    def _note(self, id: str, agent: str, kind: ProposalKind, after: MemoryState) -> None:
        """Record an agent's proposal, merged with its own added memory."""
        earlier = self.wishes.get((id, agent))
        if earlier and earlier.kind is ProposalKind.ADD and kind is not ProposalKind.ARCHIVE:
            kind, after = ProposalKind.ADD, self._approved(after)
        (waits,) = [one for one in self.seen(agent).proposals.list(limit=1_000) if one.memory == id]
        assert (waits.kind, waits.before, waits.after) == (kind, self.states[id], after)
        assert waits.status is ProposalStatus.PENDING
        self.wishes[id, agent] = waits

    @staticmethod
    def _approved(state: MemoryState) -> MemoryState:
        return replace(state, status=MemoryStatus.APPROVED)


@pytest.fixture
def opened_memory(engine: Settings) -> Iterator[Memoranda]:
    with opened(engine, FixedClock(step=1)) as memory:
        yield memory
        assert memory.journal.verify().intact


@pytest.mark.timeout(0 if DEEP else 600)  # a deep run has no time limit
def test_memories_do_what_the_model_does(opened_memory: Memoranda, engine: Settings) -> None:
    shallow = "3x15" if engine.database_url else "10x25"
    examples, steps = map(int, (DEEP or shallow).split("x"))
    chosen = settings(
        max_examples=examples,
        stateful_step_count=steps,
        deadline=None,
        suppress_health_check=list(HealthCheck),
    )
    machine = type("Machine", (MemoryMachine,), {"memory": opened_memory})
    run_state_machine_as_test(machine, settings=chosen)
