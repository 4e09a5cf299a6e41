"""Limits on text from tools and web pages in a context.

Unless requested, only facts from such text are included, and nothing from quarantined observations.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from memoranda.language.sentences import sentence_spans
from memoranda.language.words import plain_words
from memoranda.observations import content as contents
from memoranda.observations.model import Observation, Origin, Salience
from memoranda.quarantine import table as quarantine
from memoranda.search.model import ContextItem
from memoranda.store.database import Transaction
from memoranda.trust import OUTSIDE

NEWEST = 20
"""Number of newest quarantined texts whose sentences are not repeated."""
LONGEST = 20_000
"""Maximum number of characters of a quarantined text that are read."""
FEWEST = 5
"""Minimum number of words of a sentence whose repetition is recognised."""


def safe_summary(observation: Observation, text: str | None = None) -> str:
    """Return the part of an observation that is safe to show unrequested.

    The part is empty for a quarantined observation, and contains only facts for the output of a
    program or page. ``text`` replaces the summary.
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
    """Return the part of a text that is safe to show unrequested, or "".

    The part depends on the origin of the text.
    """
    if origin not in OUTSIDE:
        return text
    from memoranda.quarantine.safe_facts import facts

    return facts(text)


class QuarantineFilter:
    """Filter for quarantined observations; no context line may come from one.

    An agent's line may not repeat a sentence of a quarantined observation either.
    """

    def __init__(self, tx: Transaction, team: str, workspace: str | None) -> None:
        self._tx = tx
        self._team = team
        self._any = quarantine.any_quarantined(tx, team)
        self._texts = list(_quarantined_texts(tx, team, workspace)) if self._any else []

    def without(self, items: Iterable[ContextItem]) -> tuple[ContextItem, ...]:
        """Return the lines except those from quarantined observations or repeats."""
        context_items = tuple(items)
        if not self._any:
            return context_items
        refs = {item.ref for item in context_items if "#" in item.ref}
        quarantined = (
            quarantine.quarantined_refs(self._tx, self._team, refs) if refs else set[str]()
        )
        return tuple(
            item
            for item in context_items
            if item.ref not in quarantined
            and not (item.origin is Origin.AGENT and self._is_repeated(item.text))
        )

    def _is_repeated(self, text: str) -> bool:
        """Return whether a text contains, or is part of, a quarantined sentence."""
        whole, parts = _spaced(text), list(_long_sentences(text))
        return any(
            any(part in quarantined_text.whole for part in parts)
            or any(part in whole for part in quarantined_text.sentences)
            for quarantined_text in self._texts
        )


@dataclass(frozen=True, slots=True)
class _QuarantinedText:
    """Words of a quarantined text, without punctuation and case."""

    whole: str
    sentences: tuple[str, ...]


def _quarantined_texts(
    tx: Transaction, team: str, workspace: str | None
) -> Iterator[_QuarantinedText]:
    records = quarantine.listed(tx, team, workspace, None, limit=NEWEST)
    for text in contents.texts(tx, team, [record.observation for record in records]).values():
        yield _QuarantinedText(_spaced(text[:LONGEST]), tuple(_long_sentences(text[:LONGEST])))


def _long_sentences(text: str) -> Iterator[str]:
    for start, end in sentence_spans(text):
        result = _spaced(text[start:end])
        if result.count(" ") > FEWEST:
            yield result


def _spaced(text: str) -> str:
    return f" {plain_words(text)} "
