"""A state machine that checks that all stores behave the same.

It generates operations and runs each on several open databases and on the model in
`contract.model`, in two teams with the same ids. Every answer and every refusal must be the same.
All rows are compared with the model every few steps and at the end, when every read function is
called as well. An engine's tests, with a database that may contain rows of other teams:

    def test_my_engine_does_what_the_model_does(database):
        run_machine([database], examples=25, steps=30)

Several databases are compared with each other in one run.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from hypothesis import HealthCheck, seed, settings
from hypothesis.stateful import invariant, rule, run_state_machine_as_test

from contract.machine.happenings import HappeningRules
from contract.machine.knowledge import KnowledgeRules
from contract.machine.lookups import LookupRules
from contract.machine.notes import NoteRules
from contract.machine.outbox import OutboxRules
from contract.machine.places import PlaceRules
from contract.machine.questions import questions
from contract.machine.stores import Difference, Stores
from memoranda.store.database import Database

__all__ = ["Difference", "StoreMachine", "run_machine"]

EVERY = 20
"""Steps between two comparisons of all rows."""


class StoreMachine(PlaceRules, HappeningRules, LookupRules, KnowledgeRules, OutboxRules, NoteRules):
    """All rules of the store."""

    taken = 0
    """Number of steps so far."""

    @rule()
    def next_write_fails(self) -> None:
        """Let the next write raise after its work: nothing may be stored."""
        self.stores.fails_next = True

    @invariant()
    def look_around(self) -> None:
        """Compare all rows every few steps."""
        self.taken += 1
        self.stores.tally["steps"] += 1
        if self.taken % EVERY == 0:
            self._compare()

    def teardown(self) -> None:
        """Compare all rows at the end, and call every read function."""
        if not self.stores.differ:
            self._compare()
            for team in self.teams.values():
                self.stores.read(team, *questions(team, self.stores.model.of(team)))
            self.stores.tally["examples"] += 1

    def _compare(self) -> None:
        for team in self.teams.values():
            self.stores.compare(team)


def run_machine(
    databases: Sequence[Database],
    *,
    examples: int,
    steps: int,
    start: int | None = None,
    tally: Counter[str] | None = None,
) -> None:
    """Run ``examples`` examples of ``steps`` steps on open databases.

    The databases are shared by all examples, each of which has its own teams. ``start`` is the seed
    of the examples; ``tally`` counts calls by function name, examples, steps, comparisons and
    refusals.

    Raises:
        Difference: with the shortest sequence of calls that leads to it.
    """
    done = Counter[str]() if tally is None else tally

    def machine() -> StoreMachine:
        return StoreMachine(Stores(databases, done))

    chosen = settings(
        max_examples=examples,
        stateful_step_count=steps,
        deadline=None,
        suppress_health_check=list(HealthCheck),
    )
    factory = machine if start is None else seed(start)(machine)
    run_state_machine_as_test(factory, settings=chosen)  # type: ignore[arg-type]
