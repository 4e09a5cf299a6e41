"""What a context may tell of words that neither a person nor the agent said."""

from __future__ import annotations

from collections.abc import Iterable

from memoranda.observations.model import Observation, Origin, Salience
from memoranda.quarantine import table as quarantine
from memoranda.quarantine.orders import facts
from memoranda.search.model import ContextItem
from memoranda.store.database import Transaction
from memoranda.trust import OUTSIDE


def safe_summary(observation: Observation, text: str | None = None) -> str:
    """Return what may be told unasked of an observation: of one that is held back nothing, of what
    a program or a page said only facts. ``text`` stands for its summary."""
    if observation.salience is Salience.QUARANTINED:
        return ""
    if text is not None:
        return safe_text(observation.origin, text)
    if observation.origin not in OUTSIDE:
        return observation.summary
    return facts(observation.summary, titled=observation.tool is not None)


def safe_text(origin: Origin, text: str) -> str:
    """Return what may be told unasked of a text, by whose words it is; empty if nothing."""
    return facts(text) if origin in OUTSIDE else text


class QuarantineFilter:
    """The observations that are held back; no line of a context may come from one."""

    def __init__(self, tx: Transaction, team: str) -> None:
        self._tx = tx
        self._team = team
        self._any = quarantine.any_quarantined(tx, team)

    def without(self, items: Iterable[ContextItem]) -> tuple[ContextItem, ...]:
        """Return the lines that do not come from one."""
        listed = tuple(items)
        if not self._any:
            return listed
        refs = {item.ref for item in listed if "#" in item.ref}
        held = quarantine.quarantined_refs(self._tx, self._team, refs) if refs else set[str]()
        return tuple(item for item in listed if item.ref not in held)
