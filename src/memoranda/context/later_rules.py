"""People's later rules, indexed by the stems of the rules that they replace."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

from memoranda.language.rule_preference import Stance


@dataclass(frozen=True, slots=True)
class LaterRule:
    """Statement that may replace earlier ones."""

    stance: Stance
    task: str = ""
    source: tuple[str, int] | None = None
    """Id of the message, and the start of the sentence in it."""

    def replaces(self, earlier: Stance, task: str) -> bool:
        """Return whether a task's earlier statement is void because of this one."""
        if self.stance.replaces(earlier):
            return True
        return task == self.task and self.stance.puts_right(earlier)


class LaterRules:
    """Rules that were added from newest to oldest."""

    def __init__(self) -> None:
        """Create an empty collection."""
        self._rules: list[LaterRule] = []
        self._general: list[int] = []
        """Positions of the rules that may replace a rule with any stems."""
        self._by_stem: dict[str, list[int]] = defaultdict(list)

    def add(self, rule: LaterRule) -> None:
        """Add a rule that is older than those added before."""
        stems = rule.stance.index_stems
        if stems is None:
            self._general.append(len(self._rules))
        for stem in stems or ():
            self._by_stem[stem].append(len(self._rules))
        self._rules.append(rule)

    def replacing(self, earlier: Stance, task: str) -> LaterRule | None:
        """Return the newest rule that replaces a task's earlier statement, if any."""
        found = (rule for rule in self._candidates(earlier) if rule.replaces(earlier, task))
        return next(found, None)

    def _candidates(self, earlier: Stance) -> Iterator[LaterRule]:
        stems = earlier.preferred | earlier.rejected
        places = {at for stem in stems for at in self._by_stem.get(stem, ())}
        return (self._rules[at] for at in sorted(places.union(self._general)))
