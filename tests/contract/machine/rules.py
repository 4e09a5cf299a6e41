"""Common base of all rules: stores, two teams, and a clock."""

from __future__ import annotations

from collections.abc import Callable
from itertools import count
from typing import Any

from hypothesis.stateful import RuleBasedStateMachine

from contract.clock import START
from contract.machine.stores import Answer, Call, Stores, call

_EXAMPLES = count(1)


class StoreRules(RuleBasedStateMachine):
    """Rules that work on several stores at once, in two new teams."""

    def __init__(self, stores: Stores) -> None:
        super().__init__()
        number = next(_EXAMPLES)
        self.stores = stores
        self.teams = {"north": f"north {number}", "south": f"south {number}: it's 100% 🚀"}
        self.now = START

    def ask(self, team: str, *calls: Call) -> Answer:
        """Call read functions; all stores must return the same."""
        return self.stores.read(self.teams[team], *calls)

    def change(self, team: str, *calls: Call) -> Answer:
        """Call write functions in one transaction; all must return the same."""
        return self.stores.write(self.teams[team], *calls)

    def of(self, team: str, function: Callable[..., Any], *arguments: Any, **options: Any) -> Call:
        """Make the call of a function whose first argument is the team."""
        return call(function, self.teams[team], *arguments, **options)
