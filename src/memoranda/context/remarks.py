"""Sentences of people in a workspace, ranked for a context."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from memoranda.capture.event import REWOUND
from memoranda.context.changes import Changes, states_change
from memoranda.context.message_sentences import LabelledSentence, sentences
from memoranda.language.selection import containment, jaccard
from memoranda.language.words import content_stems
from memoranda.observations import content_table as contents, table as observations
from memoranda.observations.model import Observation, Origin, Salience
from memoranda.scope import Scope
from memoranda.search import table as entries
from memoranda.search.filters import EVERYTHING, matching
from memoranda.search.model import ContextItem, HitKind
from memoranda.search.table import INSTRUCTION, LASTING, NOTED, PREFERENCE
from memoranda.store.database import Transaction

MESSAGES = {INSTRUCTION: 400, PREFERENCE: 400, LASTING: 400, NOTED: 200}
"""Newest messages read of each kind: lasting ones are not lost by age."""
FEW = {INSTRUCTION: 40, PREFERENCE: 40, LASTING: 40}
"""The same for a context with a question or a task.

It is made while somebody waits for it and has little space for what lasts.
"""
READ = 2_048
"""Sentences whose stems are cached."""
AGEING = 0.05
"""Worth that a sentence that does not last loses per later session.

It loses at most `AGED` of it.
"""
AGED = 0.25
REPEATED = -0.8
"""Change in logits if all rare words of a sentence were repeated later.

The newest sentence is then enough.
"""
CHANGED = -2.5
"""The same, of one that a later message made untrue."""
CHANGES = 1.0
"""Change in logits of a sentence that itself states a change."""
RARE = 3
"""Maximum messages with a rare word; of very many, `RARE_SHARE` of them."""
RARE_SHARE = 0.03
LEAST = 0.2
"""Worth below which a sentence is useless later: thanks, a nod."""
FEWEST = 2
"""Minimum distinct stems of a sentence that is readable by itself."""
NEAR_COPY = 0.75
"""Share of the stems of a sentence in another that makes one redundant."""


@dataclass(frozen=True, slots=True)
class Remark:
    """Sentence of a person in some session."""

    observation: Observation
    sentence: LabelledSentence
    worth: float
    """Worth after the aging by later sessions."""
    ended: bool
    """Whether a later message made it untrue."""

    @property
    def lasts(self) -> bool:
        """Return whether it is considered valid beyond its task."""
        return self.sentence.stands and not self.ended


def remarks(
    tx: Transaction, scope: Scope, now: int, known: Sequence[ContextItem] = (), *, few: bool = False
) -> list[Remark]:
    """Return what people said in a workspace, best first, without repeats.

    Sentences among ``known`` are left out, and what a later one of a person changed ends. With
    ``few``, only the newest messages that contain a lasting sentence are read.

    A task in the scope does not narrow it. What was taken back by a rewind, is held back or is not
    for the scope's agent is left out.
    """
    found = _messages(tx, replace(scope, task=None), now, FEW if few else MESSAGES)
    texts = contents.texts(tx, scope.team, [one.id for one in found])
    ages, later = _ages(found), _Later(texts.values())
    found_remarks = []
    stated = sorted((one for one in known if one.origin is Origin.HUMAN), key=lambda one: one.at)
    for one in found:
        while stated and stated[-1].at > one.created_at:
            later.add_memory(stated.pop().text)
        read = sentences(texts.get(one.id, ""))
        telling = (x for x in read if x.worth >= LEAST and len(_stems(x.text)) >= FEWEST)
        found_remarks += [later.remark(one, sentence, ages[one.task]) for sentence in telling]
        later.add([sentence.text for sentence in read])
    found_remarks.sort(
        key=lambda one: (-one.worth, -one.observation.created_at, one.sentence.start)
    )
    return list(_without_copies(found_remarks, [one.text for one in known]))


def _messages(
    tx: Transaction, scope: Scope, now: int, limits: Mapping[int, int]
) -> list[Observation]:
    """Return the messages that are read, newest first."""
    ids = [
        id
        for kind, limit in limits.items()
        for id in entries.lasting_records(tx, scope.team, scope.workspace, kind, limit)
    ]
    passing = set(matching(tx, scope, EVERYTHING.at(now), HitKind.OBSERVATION, ids)) if ids else ()
    found = observations.by_ids(tx, scope.team, [id for id in ids if id in passing])
    return sorted(
        (one for one in found.values() if _counts(one)), key=lambda o: (-o.created_at, o.id)
    )


def _counts(observation: Observation) -> bool:
    return (
        observation.origin is Origin.HUMAN
        and observation.branch != REWOUND
        and observation.salience is not Salience.QUARANTINED
    )


def _ages(found: Sequence[Observation]) -> dict[str, int]:
    """Return how many sessions came after each task, by its newest message."""
    return {task: age for age, task in enumerate(dict.fromkeys(one.task for one in found))}


def _aged(sentence: LabelledSentence, moved: float, age: int) -> float:
    """Return the worth of a sentence after later sessions.

    It is ``moved`` by so many logits; lasting sentences keep their worth.
    """
    score = min(max(sentence.worth, 1e-4), 1 - 1e-4)
    score = 1 / (1 + (1 - score) / score * math.exp(-moved))
    passing = 1 - sentence.lasting
    return score * (1 - passing * min(AGED, AGEING * age))


class _Later:
    """Words of later messages, while messages are read newest first."""

    def __init__(self, texts: Collection[str]) -> None:
        counts = Counter(stem for text in texts for stem in _stems(text))
        most = max(RARE, RARE_SHARE * len(texts))
        self._rare = {stem for stem, count in counts.items() if count <= most}
        self._stems: set[str] = set()
        self._changes = Changes(texts)

    def remark(self, observation: Observation, sentence: LabelledSentence, age: int) -> Remark:
        """Return a sentence of an earlier message with what it is worth after the later ones."""
        ended = self._changes.ended(sentence.text)
        moved = REPEATED * self.share(sentence.text) + CHANGED * ended
        moved += CHANGES * states_change(sentence.text)
        return Remark(observation, sentence, _aged(sentence, moved, age), ended)

    def share(self, text: str) -> float:
        """Return the share of a sentence's rare words that were repeated later."""
        return containment(_stems(text) & self._rare, self._stems)

    def add_memory(self, text: str) -> None:
        """Add the change that a memory of a person states, if it states one."""
        self._changes.add([text])

    def add(self, texts: Sequence[str]) -> None:
        """Add the sentences of a message."""
        self._changes.add(texts)
        self._stems.update(stem for text in texts for stem in _stems(text))


def _without_copies(
    all_remarks: Sequence[Remark], earlier_texts: Iterable[str]
) -> Iterator[Remark]:
    """Drop sentences that add nothing to a better or a known one."""
    before, own = (
        [_stems(text) for text in earlier_texts],
        [_stems(one.sentence.text) for one in all_remarks],
    )
    counts = Counter(stem for some in (*before, *own) for stem in some)
    having: dict[str, list[frozenset[str]]] = {}

    def rarest(some: frozenset[str]) -> Iterable[str]:
        ordered = sorted(some, key=lambda stem: (counts[stem], stem))
        return ordered[: len(some) - math.ceil(NEAR_COPY * len(some)) + 1]

    def keep(some: frozenset[str]) -> None:
        for stem in rarest(some):
            having.setdefault(stem, []).append(some)

    for some in before:
        keep(some)
    for one, some in zip(all_remarks, own, strict=True):
        near = (other for stem in rarest(some) for other in having.get(stem, ()))
        if any(jaccard(some, other) >= NEAR_COPY for other in near):
            continue
        keep(some)
        yield one


_stems = lru_cache(maxsize=READ)(content_stems)
