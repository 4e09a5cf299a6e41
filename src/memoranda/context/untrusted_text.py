"""Limits on the text of tools and web pages in a context.

Unless requested, only facts from such text are included, and nothing from quarantined observations.
"""

from __future__ import annotations

from collections.abc import Iterable

from memoranda.observations.model import Observation, Origin, Salience
from memoranda.quarantine import table as quarantine
from memoranda.search.model import ContextItem
from memoranda.store.database import Transaction
from memoranda.trust import OUTSIDE


def safe_summary(observation: Observation, text: str | None = None) -> str:
    """Return the part of an observation that may be shown unrequested.

    It is empty for a quarantined observation, and only facts for output of a program or page.
    ``text`` replaces the summary.
    """
    if observation.salience is Salience.QUARANTINED:
        return ""
    if text is not None:
        return safe_text(observation.origin, text)
    if observation.origin not in OUTSIDE:
        return observation.summary
    from memoranda.quarantine.safe_facts import facts

    return facts(observation.summary, titled=observation.tool is not None)


def safe_text(origin: Origin, text: str) -> str:
    """Return the part of a text that may be shown unrequested; else empty.

    The part depends on its origin.
    """
    if origin not in OUTSIDE:
        return text
    from memoranda.quarantine.safe_facts import facts

    return facts(text)


class QuarantineFilter:
    """Filter of quarantined observations; no context line may come from one."""

    def __init__(self, tx: Transaction, team: str) -> None:
        self._tx = tx
        self._team = team
        self._any = quarantine.any_quarantined(tx, team)

    def without(self, items: Iterable[ContextItem]) -> tuple[ContextItem, ...]:
        """Return the lines that do not come from a quarantined observation."""
        listed = tuple(items)
        if not self._any:
            return listed
        refs = {item.ref for item in listed if "#" in item.ref}
        quarantined = (
            quarantine.quarantined_refs(self._tx, self._team, refs) if refs else set[str]()
        )
        return tuple(item for item in listed if item.ref not in quarantined)
