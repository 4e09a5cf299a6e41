"""What the rules of all nouns share: the stores, two teams, a clock that they move forward."""

from __future__ import annotations

from collections.abc import Callable
from itertools import count
from typing import Any

from hypothesis.stateful import RuleBasedStateMachine

from contract.clock import START
from contract.machine.stores import Answer, Call, Stores, call

_EXAMPLES = count(1)


class StoreRules(RuleBasedStateMachine):
    """Rules that work on several stores at once, in two teams that nothing was stored for yet."""

    def __init__(self, stores: Stores) -> None:
        super().__init__()
        number = next(_EXAMPLES)
        self.stores = stores
        self.teams = {"north": f"north {number}", "south": f"south {number}: it's 100% 🚀"}
        self.now = START

    def ask(self, team: str, *calls: Call) -> Answer:
        """Call functions that read; all stores must give the same answers."""
        return self.stores.read(self.teams[team], *calls)

    def change(self, team: str, *calls: Call) -> Answer:
        """Call functions that write, in one transaction; all stores must give the same answers."""
        return self.stores.write(self.teams[team], *calls)

    def of(self, team: str, function: Callable[..., Any], *arguments: Any, **options: Any) -> Call:
        """Write down the call of a function that is told the team first."""
        return call(function, self.teams[team], *arguments, **options)
