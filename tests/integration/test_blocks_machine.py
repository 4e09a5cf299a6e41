"""Random operations on blocks and checkpoints, compared with a model.

Few examples run with the other tests. For a deep run on both engines::

    MEMORANDA_MACHINE=300x50 python -m pytest tests/integration/test_blocks_machine.py

Examples times steps; without it 60x30 on SQLite and 10x20 on PostgreSQL.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import count
from typing import Any

import pytest
from acting import acting, begun, opened
from hypothesis import HealthCheck, settings, strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule, run_state_machine_as_test

from contract.clock import FixedClock
from memoranda import Memoranda
from memoranda.blocks.block_writer import NewBlock
from memoranda.blocks.model import DEFAULTS
from memoranda.config import Settings
from memoranda.exceptions import MemorandaError

pytestmark = pytest.mark.integration

DEEP = os.environ.get("MEMORANDA_MACHINE", "")
_EXAMPLES = count(1)

AGENTS = (None, "critic", "scribe")
TASKS = ("one", "two")
EVERY = 3
"""Steps between checks as every agent; a person checks after each step."""
labels = st.sampled_from(("plan", "persona", "learned", "task"))
texts = st.sampled_from(("", "a", "b", "a\nb", "longer than the rest", "x" * 30))
tasks = st.sampled_from(TASKS)
agents = st.sampled_from(AGENTS)
limits = st.sampled_from((5, 40, 20_000))


@dataclass(frozen=True)
class ModelBlock:
    """A block in the model."""

    id: str
    label: str
    task: str | None
    agent: str | None
    shared: bool
    values: tuple[str, ...]
    limit: int
    read_only: bool = False
    deleted: bool = False
    holders: frozenset[str] = frozenset()
    changed: int = 0
    """Order of its last change, to find the last of several deleted ones."""

    @property
    def place(self) -> tuple[str | None, str | None, bool]:
        return self.task, self.agent, self.shared


@dataclass(frozen=True)
class Point:
    """A checkpoint in the model."""

    blocks: tuple[tuple[str, int, int], ...]
    known: frozenset[str]
    """Every block that existed, archived or not."""
    state: int
    parent: int | None


class Refused(Exception):
    """The model refuses an operation."""


class Model:
    """The blocks of one workspace; a place is (task or None, agent or None)."""

    def __init__(self, defaults: dict[tuple[str, str | None], str]) -> None:
        self.blocks: dict[str, ModelBlock] = {}
        self.points: dict[str, list[Point]] = {name: [] for name in TASKS}
        self.heads: dict[str, int | None] = dict.fromkeys(TASKS)
        self.states: dict[str, int] = dict.fromkeys(TASKS, 0)
        self.moment = 0
        for (label, task), id in defaults.items():
            usual = DEFAULTS[label]
            self.blocks[id] = ModelBlock(
                id, label, task, None, False, ("",), usual.limit, usual.read_only
            )

    def sees(self, stored: ModelBlock, task: str, agent: str | None) -> bool:
        if stored.task not in (None, task):
            return False
        if agent is None:
            return True
        if agent in stored.holders:
            return True
        return not stored.shared and stored.agent in (None, agent)

    def put(self, stored: ModelBlock) -> None:
        self.moment += 1
        self.blocks[stored.id] = replace(stored, changed=self.moment)

    def named(self, label: str) -> list[ModelBlock]:
        return [one for one in self.blocks.values() if one.label == label]

    def find(self, label: str, task: str, agent: str | None, deleted: bool = False) -> ModelBlock:
        found = [
            one
            for one in self.blocks.values()
            if one.label == label and one.deleted == deleted and self.sees(one, task, agent)
        ]
        if not found:
            raise Refused

        def narrow(one: ModelBlock) -> tuple[bool, ...]:
            return (one.agent in (None, agent), one.task is not None, one.agent is not None,
                    one.shared)  # fmt: skip

        best = max(map(narrow, found))
        rivals = [one for one in found if narrow(one) == best]
        if len({one.place for one in rivals}) > 1:
            raise Refused
        return max(rivals, key=lambda one: one.changed)

    def require_free(self, stored: ModelBlock) -> None:
        for other in self.blocks.values():
            same = (other.label, other.place) == (stored.label, stored.place)
            if same and not other.deleted and other.id != stored.id:
                raise Refused

    def require_unprotected(self, stored: ModelBlock, agent: str | None) -> None:
        """Refuse an agent's block above a read-only block of the same label."""
        usual = DEFAULTS.get(stored.label)
        if agent and not stored.read_only and usual and usual.read_only:
            raise Refused

    def require_former_limit(self, new: ModelBlock, agent: str | None) -> None:
        """Refuse that an agent raises a limit by deletion and a new block."""
        gone = [
            one
            for one in self.blocks.values()
            if one.deleted and (one.label, one.place) == (new.label, new.place)
        ]
        if agent and gone and new.limit > max(gone, key=lambda one: one.changed).limit:
            raise Refused

    def writable(self, stored: ModelBlock, agent: str | None) -> ModelBlock:
        if stored.read_only and agent:
            raise Refused
        return stored

    def create(self, new: ModelBlock, agent: str | None) -> None:
        if (new.agent and new.shared) or len(new.values[0]) > new.limit:
            raise Refused
        self.require_unprotected(new, agent)
        self.require_free(new)
        self.require_former_limit(new, agent)
        self.put(new)

    def edit(self, stored: ModelBlock, agent: str | None, new: str) -> None:
        self.writable(stored, agent)
        self.require_unprotected(stored, agent)
        old = stored.values[-1]
        if new == old:
            return
        if len(new) > stored.limit and len(new) > len(old):
            raise Refused
        self.put(replace(stored, values=(*stored.values, new)))

    def configure(self, stored: ModelBlock, agent: str | None, limit: int, label: str) -> None:
        self.writable(stored, agent)
        new = replace(stored, limit=limit, label=label)
        if new == stored:
            return
        if (limit < stored.limit and limit < len(stored.values[-1])) or (
            agent and limit > stored.limit
        ):
            raise Refused
        if label != stored.label:
            self.require_unprotected(new, agent)
            self.require_free(new)
        self.put(new)

    def settle(self, stored: ModelBlock, agent: str | None, deleted: bool) -> None:
        self.writable(stored, agent)
        new = replace(stored, deleted=deleted)
        if not deleted:
            self.require_unprotected(new, agent)
            self.require_free(new)
        self.put(new)

    def point(self, task: str) -> int:
        stored = tuple(
            (one.id, len(one.values), one.limit)
            for one in self.blocks.values()
            if not one.deleted and one.task in (None, task)
        )
        known = frozenset(self.blocks)
        self.points[task].append(Point(stored, known, self.states[task], self.heads[task]))
        self.heads[task] = len(self.points[task])
        return len(self.points[task])

    def rollback(self, task: str, agent: str | None, number: int) -> None:
        if number > len(self.points[task]):
            raise Refused
        target = self.points[task][number - 1]
        kept = dict(self.blocks), self.moment
        before = {name: list(points) for name, points in self.points.items()}, dict(self.heads)
        try:
            self.point(task)
            self._restore(task, agent, target)
        except Refused:
            self.blocks, self.moment = kept
            self.points, self.heads = before
            raise
        self.heads[task], self.states[task] = number, target.state

    def _restore(self, task: str, agent: str | None, target: Point) -> None:
        then = {id: (version, limit) for id, version, limit in target.blocks}
        for one in list(self.blocks.values()):
            absent = one.id not in then and (one.task == task or one.id in target.known)
            allowed = self.sees(one, task, agent) and not (one.read_only and agent)
            if absent and allowed and not one.deleted:
                self.put(replace(one, deleted=True))
        for id in sorted(then):
            one, (version, limit) = self.blocks[id], then[id]
            value = one.values[version - 1]
            same = (one.values[-1], one.limit, one.deleted) == (value, limit, False)
            if same or not self.sees(one, task, agent) or (one.read_only and agent):
                continue
            if one.deleted:
                self.require_free(replace(one, deleted=False))
            values = one.values if value == one.values[-1] else (*one.values, value)
            self.put(replace(one, values=values, limit=limit, deleted=False))


class BlockMachine(RuleBasedStateMachine):
    """Operations on two tasks of a workspace by a person and two agents."""

    memory: Memoranda
    steps = 0

    def __init__(self) -> None:
        super().__init__()
        self.workspace = f"shop {next(_EXAMPLES)}"
        names = {name: begun(self.memory, f"{self.workspace} {name}", self.workspace)
                 for name in TASKS}  # fmt: skip
        self.tasks = names
        defaults = {}
        for name, id in names.items():
            for one in self.memory.blocks.list(task=id):
                defaults[one.label, name if one.place.task else None] = one.id
        self.model = Model(defaults)

    def both(self, agent: str | None, real: Callable[[Memoranda], Any], model: Callable[[], None]
             ) -> Any:  # fmt: skip
        """Run an operation on store and model; a refusal must change nothing."""
        refused = False
        try:
            model()
        except Refused:
            refused = True
        try:
            answer = real(acting(self.memory, agent))
        except MemorandaError:
            assert refused, "the store refuses what the model does"
            return None
        assert not refused, "the store does what the model refuses"
        return answer

    @rule(label=labels, value=texts, task=tasks, wide=st.booleans(), agent=agents,
          kind=st.sampled_from(("", "private", "shared")), limit=limits)  # fmt: skip
    def create(self, label: str, value: str, task: str, wide: bool, agent: str | None,
               kind: str, limit: int) -> None:  # fmt: skip
        private = kind == "private"
        if private and agent is None:
            return
        new = NewBlock(label, value, limit=limit, shared=kind == "shared", private=private)
        place = {"workspace": self.workspace} if wide else {"task": self.tasks[task]}
        stored = ModelBlock("new", label, None if wide else task, agent if private else None,
                    new.shared, (value,), limit,
                    holders=frozenset({agent} if agent and new.shared else ()))  # fmt: skip
        made = self.both(
            agent,
            lambda memory: memory.blocks.create(new, **place),
            lambda: self.model.create(stored, agent),
        )
        if made:
            self.model.put(replace(self.model.blocks.pop("new"), id=made.id))

    @rule(label=labels, task=tasks, agent=agents, value=texts, stale=st.booleans())
    def rethink(self, label: str, task: str, agent: str | None, value: str, stale: bool) -> None:
        def model() -> None:
            stored = self.model.find(label, task, agent)
            self.model.writable(stored, agent)
            if stale and len(stored.values) != 1:
                raise Refused
            self.model.edit(stored, agent, value)

        version = 1 if stale else None
        self.both(agent, lambda memory: memory.blocks.rethink(
            label, value, task=self.tasks[task], version=version), model)  # fmt: skip

    @rule(label=labels, task=tasks, agent=agents, text=texts.filter(bool))
    def insert(self, label: str, task: str, agent: str | None, text: str) -> None:
        def model() -> None:
            stored = self.model.find(label, task, agent)
            old = stored.values[-1]
            self.model.edit(stored, agent, f"{old}\n{text}" if old else text)

        self.both(agent, lambda memory: memory.blocks.insert(
            label, text, task=self.tasks[task]), model)  # fmt: skip

    @rule(label=labels, task=tasks, agent=agents, new=texts)
    def replace_text(self, label: str, task: str, agent: str | None, new: str) -> None:
        def model() -> None:
            stored = self.model.find(label, task, agent)
            self.model.writable(stored, agent)
            if stored.values[-1].count("a") != 1:
                raise Refused
            self.model.edit(stored, agent, stored.values[-1].replace("a", new))

        self.both(agent, lambda memory: memory.blocks.replace(
            label, "a", new, task=self.tasks[task]), model)  # fmt: skip

    @rule(label=labels, task=tasks, agent=agents, limit=limits, rename=labels)
    def configure(self, label: str, task: str, agent: str | None, limit: int, rename: str) -> None:
        # A read-only block that takes a label protects it from then on: test_block_protection.
        if rename != label and any(one.read_only for one in self.model.named(label)):
            return
        self.both(
            agent,
            lambda memory: memory.blocks.configure(
                label, limit=limit, rename=rename, task=self.tasks[task]
            ),
            lambda: self.model.configure(self.model.find(label, task, agent), agent, limit, rename),
        )

    @rule(label=labels, task=tasks, agent=agents)
    def delete(self, label: str, task: str, agent: str | None) -> None:
        self.both(
            agent,
            lambda memory: memory.blocks.delete(label, task=self.tasks[task]),
            lambda: self.model.settle(self.model.find(label, task, agent), agent, True),
        )

    @rule(label=labels, task=tasks, agent=agents)
    def undelete(self, label: str, task: str, agent: str | None) -> None:
        self.both(
            agent,
            lambda memory: memory.blocks.undelete(label, task=self.tasks[task]),
            lambda: self.model.settle(self.model.find(label, task, agent, True), agent, False),
        )

    @rule(label=labels, task=tasks, agent=agents, number=st.integers(1, 3))
    def restore(self, label: str, task: str, agent: str | None, number: int) -> None:
        def model() -> None:
            stored = self.model.find(label, task, agent)
            if number > len(stored.values):
                raise Refused
            self.model.edit(stored, agent, stored.values[number - 1])

        self.both(agent, lambda memory: memory.blocks.restore(
            label, number, task=self.tasks[task]), model)  # fmt: skip

    @rule(label=labels, task=tasks, agent=agents, holder=st.sampled_from(AGENTS[1:]),
          away=st.booleans())  # fmt: skip
    def hold(self, label: str, task: str, agent: str | None, holder: str, away: bool) -> None:
        def model() -> None:
            if away and agent not in (None, holder):
                raise Refused
            stored = self.model.find(label, task, agent)
            if not stored.shared:
                raise Refused
            changed = stored.holders - {holder} if away else stored.holders | {holder}
            if not away or changed != stored.holders:
                self.model.put(replace(stored, holders=changed))

        def real(memory: Memoranda) -> Any:
            use = memory.blocks.detach if away else memory.blocks.attach
            return use(label, holder, task=self.tasks[task])

        self.both(agent, real, model)

    @rule(task=tasks, agent=agents, state=st.none() | st.integers(1, 3))
    def checkpoint(self, task: str, agent: str | None, state: int | None) -> None:
        def model() -> None:
            if state is not None:
                self.model.states[task] = state
            self.model.point(task)

        value: Any = None if state is None else {"n": state}
        self.both(agent, lambda memory: memory.checkpoints.create(
            self.tasks[task], "coding", state=value), model)  # fmt: skip

    @rule(task=tasks, agent=agents, number=st.integers(1, 5))
    def rollback(self, task: str, agent: str | None, number: int) -> None:
        self.both(
            agent,
            lambda memory: memory.checkpoints.rollback(self.tasks[task], str(number)),
            lambda: self.model.rollback(task, agent, number),
        )

    @rule(task=tasks, number=st.integers(1, 3))
    def fork(self, task: str, number: int) -> None:
        points = self.model.points[task]
        if number > len(points):
            return
        made = self.memory.checkpoints.fork(self.tasks[task], str(number))
        found = self.memory.checkpoints.show(made.id, "1")
        point = points[number - 1]
        own = {id for id, _, _ in point.blocks if self.model.blocks[id].task == task}
        wider = {(id, version, limit) for id, version, limit in point.blocks if id not in own}
        reported = {(one.block, one.version, one.limit) for one in found.blocks}
        assert wider <= reported
        assert len(reported) == len(point.blocks)
        copies = [self.memory.blocks.show(id, task=made.id) for id, _, _ in reported - wider]
        values = sorted(
            self.model.blocks[id].values[version - 1]
            for id, version, _ in point.blocks if id in own
        )  # fmt: skip
        assert sorted(one.value for one in copies) == values
        assert dict(found.state).get("n", 0) == point.state

    @invariant()
    def the_same_is_seen(self) -> None:
        """Every caller in every task sees the state of the model."""
        self.steps += 1
        for name, id in self.tasks.items():
            for agent in AGENTS if self.steps % EVERY == 0 else (None,):
                listed = acting(self.memory, agent).blocks.list(task=id, limit=1_000)
                seen = {one.id: (one.label, one.value, one.limit, one.version) for one in listed}
                expected = {
                    one.id: (one.label, one.values[-1], one.limit, len(one.values))
                    for one in self.model.blocks.values()
                    if not one.deleted and self.model.sees(one, name, agent)
                }
                self._take_in_new_defaults(name, seen, expected, listed)
                assert seen == expected
            assert dict(self.memory.tasks.state(id).state).get("n", 0) == self.model.states[name]
            line = self.memory.checkpoints.list(id, limit=1_000)
            assert len(line) == len(self.model.points[name])
            heads = [one.checkpoint.sequence for one in line if one.head]
            assert heads == [self.model.heads[name]] * bool(self.model.heads[name])

    def _take_in_new_defaults(self, task: str, seen: Any, expected: Any, listed: Any) -> None:
        """Add default blocks that reading created in place of renamed ones."""
        for one in listed:
            if one.id not in expected and one.id not in self.model.blocks:
                assert (one.label in DEFAULTS, one.value, one.version) == (True, "", 1)
                own = task if one.place.task else None
                stored = ModelBlock(
                    one.id, one.label, own, None, False, ("",), one.limit, one.read_only
                )
                self.model.require_free(stored)
                self.model.put(stored)
                expected[one.id] = seen[one.id]

    def teardown(self) -> None:
        """Compare all values of every block."""
        for stored in self.model.blocks.values():
            where = {"workspace": self.workspace} if not stored.task else {
                "task": self.tasks[stored.task]}  # fmt: skip
            listed = self.memory.blocks.history(stored.id, limit=1_000, **where)
            assert tuple(one.value for one in listed)[::-1] == stored.values
        assert self.memory.journal.verify().intact


@pytest.mark.timeout(0 if DEEP else 600)  # a deep run has no time limit
def test_blocks_do_what_the_model_does(engine: Settings) -> None:
    shallow = "4x20" if engine.database_url else "8x30"
    examples, steps = map(int, (DEEP or shallow).split("x"))
    chosen = settings(
        max_examples=examples,
        stateful_step_count=steps,
        deadline=None,
        suppress_health_check=list(HealthCheck),
    )
    with opened(engine, FixedClock(step=1)) as memory:
        machine = type("Machine", (BlockMachine,), {"memory": memory})
        run_state_machine_as_test(machine, settings=chosen)
