"""People's sentences in a workspace, ranked for a context."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from memoranda.capture.event import REWOUND
from memoranda.context.changed_statements import changes_statement, ends_rules
from memoranda.context.contradicted_sentences import LaterSentences
from memoranda.context.end_dates import has_passed
from memoranda.context.labelled_sentences import LabelledSentence, sentences
from memoranda.context.later_rules import LaterRule, LaterRules
from memoranda.context.outdated_sentences import Changes, states_change
from memoranda.feedback.command_parser import command
from memoranda.feedback.model import CommandKind
from memoranda.language.revocations import takes_back
from memoranda.language.rule_preference import Stance, stance
from memoranda.language.sentences import sentence_spans
from memoranda.language.text_overlap import containment, jaccard
from memoranda.language.words import content_stems
from memoranda.observations import content as contents, table as observations
from memoranda.observations.model import Observation, Origin, Salience
from memoranda.scope import Scope
from memoranda.search import table as entries
from memoranda.search.filter_table import matching
from memoranda.search.filters import EVERYTHING
from memoranda.search.model import ContextItem, HitKind
from memoranda.search.table import INSTRUCTION, LASTING, NOTED, PREFERENCE
from memoranda.store.database import Transaction
from memoranda.utterances.message_labels import readable_message
from memoranda.utterances.sentence_checks import is_momentary

MESSAGES = {INSTRUCTION: 400, PREFERENCE: 400, LASTING: 400, NOTED: 200}
"""Number of newest messages read of each kind.

Each kind has its own limit, so that newer messages do not displace lasting ones.
"""
FEW = {INSTRUCTION: 40, PREFERENCE: 40, LASTING: 40}
"""Number of messages read for a context with a query or task.

Such a context must be fast and has little space for lasting statements.
"""
READ = 2_048
"""Number of sentences whose stems are cached."""
AGEING = 0.05
"""Share of its worth that a short-lived sentence loses per later session.

A sentence loses at most `AGED` of its worth.
"""
AGED = 0.25
REPEATED = -0.8
"""Change in logits if all rare words of a sentence were repeated later.

The newest sentence is sufficient then.
"""
CHANGED = -2.5
"""Change in logits for a sentence that a later message made untrue."""
CHANGES = 1.0
"""Change in logits for a sentence that states a change."""
RARE = 3
"""Maximum number of messages with a rare word, or `RARE_SHARE` of many messages."""
RARE_SHARE = 0.03
MINIMUM = 0.2
"""Minimum worth of a useful sentence; expressions of thanks are below this limit."""
MIN_COUNT = 2
"""Minimum number of distinct stems of a sentence that is readable by itself."""
NEAR_COPY = 0.75
"""Minimum Jaccard similarity of two sentences at which one is redundant."""


@dataclass(frozen=True, slots=True)
class Remark:
    """A person's sentence with its worth in the current context."""

    observation: Observation
    sentence: LabelledSentence
    worth: float
    """Worth, reduced by age in sessions."""
    ended: bool
    """Whether a later message made the sentence untrue."""
    replaces: bool = False
    """Whether the sentence replaced a lasting sentence."""
    withdraws: bool = False
    """Whether the sentence only retracted another sentence, so that neither needs to be shown."""
    message: Sequence[LabelledSentence] = ()
    """All sentences of the same message, in order."""

    @property
    def lasts(self) -> bool:
        """Whether the sentence is considered valid beyond its task."""
        return (self.sentence.stands or self.replaces) and not self.ended


def remarks(
    tx: Transaction,
    scope: Scope,
    now: int,
    known: Sequence[ContextItem] = (),
    *,
    fast: bool = False,
) -> list[Remark]:
    """Return people's sentences in a workspace, best first, without repeats.

    Sentences among ``known`` are omitted. With ``fast``, fewer messages are read, and only those
    with a lasting sentence.

    The scope's task does not restrict the messages. Messages that were rewound, quarantined or are
    not visible to the scope's agent are omitted.
    """
    found = read_messages(tx, replace(scope, task=None), now, FEW if fast else MESSAGES)
    ids = [one.id for one in found]
    texts, labels = contents.texts(tx, scope.team, ids), entries.labels(tx, scope.team, ids)
    newest = max((one.counted_at for one in found), default=0)
    ages = _ages(found)
    later = LaterMessages([readable_message(text) for text in texts.values()], newest)
    found_remarks = []
    items = sorted(
        (item for item in known if item.origin is Origin.HUMAN),
        key=lambda context_item: context_item.at,
    )
    known_rules = [stance(one.text) for one in items]
    for observation in found:
        while items and items[-1].at > observation.counted_at:
            later.add_memory(items.pop().text)
        read = sentences(texts.get(observation.id, ""), labels.get(observation.id))
        found_remarks += [
            replace(later.remark(observation, current, ages[observation.task]), message=read)
            for sentence in read
            if _is_useful(sentence)
            and (current := later.current(sentence, observation.task, known_rules))
        ]
        later.add(read, observation)
        later.note_changes(read, observation, items)
    found_remarks = [
        replace(
            remark,
            replaces=(source := (remark.observation.id, remark.sentence.start)) in later.replacing,
            withdraws=source in later.withdrawing or _is_forgetting(remark.sentence.text),
        )
        for remark in found_remarks
    ]
    found_remarks.sort(
        key=lambda one: (-one.worth, -one.observation.counted_at, one.sentence.start)
    )
    return list(_without_copies(found_remarks, _with_sentences(known)))


@dataclass(frozen=True, slots=True)
class _KnownText:
    """Text that a context contains in any case, by its stems."""

    stems: frozenset[str]
    text: str = ""
    at: int = 0

    def changed_by(self, remark: Remark) -> bool:
        """Return whether a similar later sentence gives it another value."""
        later = bool(self.text) and remark.observation.counted_at > self.at
        return later and changes_statement(self.text, remark.sentence.text)


def _with_sentences(known: Iterable[ContextItem]) -> Iterator[_KnownText]:
    """Yield texts, and the single sentences of texts with several."""
    for item in known:
        yield _KnownText(_stems(item.text), item.text, item.at)
        spans = list(sentence_spans(item.text))
        if len(spans) > 1:
            texts = (item.text[start:end] for start, end in spans)
            yield from (_KnownText(_stems(text), text, item.at) for text in texts)


def read_messages(
    tx: Transaction, scope: Scope, now: int, limits: Mapping[int, int]
) -> list[Observation]:
    """Return the messages of people to read, newest first."""
    ids = [
        id
        for kind, limit in limits.items()
        for id in entries.lasting_records(tx, scope.team, scope.workspace, kind, limit)
    ]
    passing = set(matching(tx, scope, EVERYTHING.at(now), HitKind.OBSERVATION, ids)) if ids else ()
    found = observations.by_ids(tx, scope.team, [id for id in ids if id in passing])
    return sorted(
        (observation for observation in found.values() if _counts(observation)),
        key=lambda o: (-o.counted_at, o.id),
    )


def _is_useful(sentence: LabelledSentence) -> bool:
    return sentence.worth >= MINIMUM and len(_stems(sentence.text)) >= MIN_COUNT


@lru_cache(maxsize=READ)
def _is_forgetting(text: str) -> bool:
    """Return whether a sentence only tells the memory to forget something."""
    order = command(text) if "forget" in text.lower() else None
    return order is not None and order.kind is CommandKind.FORGET and not order.if_clear


def _counts(observation: Observation) -> bool:
    return (
        observation.origin is Origin.HUMAN
        and observation.branch != REWOUND
        and observation.salience is not Salience.QUARANTINED
    )


def _ages(found: Sequence[Observation]) -> dict[str, int]:
    """Return the number of later sessions of each task, by newest message."""
    return {
        task: age
        for age, task in enumerate(dict.fromkeys(observation.task for observation in found))
    }


def _aged(sentence: LabelledSentence, moved: float, age: int) -> float:
    """Return the worth of a sentence, shifted by logits and reduced by age.

    ``moved`` is in logits; ``age`` is in sessions. Lasting sentences are not reduced by age.
    """
    score = min(max(sentence.worth, 1e-4), 1 - 1e-4)
    score = 1 / (1 + (1 - score) / score * math.exp(-moved))
    passing = 1 - sentence.lasting
    return score * (1 - passing * min(AGED, AGEING * age))


class LaterMessages:
    """Words and changes of later messages, collected from newest to oldest."""

    def __init__(self, texts: Collection[str], latest: int) -> None:
        """``latest`` is the time of the newest of all messages, in microseconds."""
        self._latest = latest
        counts = Counter(stem for text in texts for stem in _stems(text))
        most = max(RARE, RARE_SHARE * len(texts))
        self._rare = {stem for stem, count in counts.items() if count <= most}
        self._stems: set[str] = set()
        self._changes = Changes(texts)
        self._sentences = LaterSentences()
        self._rules = LaterRules()
        self._taking_back: dict[str, tuple[str, int]] = {}
        """By task, the sentence that takes back the rule in the task's next older message."""
        self.replacing: set[tuple[str, int]] = set()
        """Sentences that replaced lasting ones, by message id and start."""
        self.withdrawing: set[tuple[str, int]] = set()
        """Sentences that only retracted others."""

    def remark(self, observation: Observation, sentence: LabelledSentence, age: int) -> Remark:
        """Return a sentence with its worth, given the later messages."""
        ended = self._changes.ended(sentence.text) or has_passed(
            sentence.text, observation.counted_at, self._latest
        )
        moved = REPEATED * self.share(sentence.text) + CHANGED * ended
        moved += CHANGES * states_change(sentence.text)
        return Remark(observation, sentence, _aged(sentence, moved, age), ended)

    def share(self, text: str) -> float:
        """Return the share of a sentence's rare words in later messages."""
        return containment(_stems(text) & self._rare, self._stems)

    def replaces(self, sentence: LabelledSentence, task: str, known: Sequence[Stance]) -> bool:
        """Return whether a later statement replaces a sentence or contains it."""
        if self._sentences.contradict(sentence.text):
            return True
        if sentence.stands and task in self._taking_back:
            self.replacing.add(self._taking_back[task])
            return True
        own = stance(sentence.text)
        rule = self._rules.replacing(own, task)
        if rule and rule.source and rule.stance.only_withdraws:
            self.withdrawing.add(rule.source)
        elif rule and rule.source and sentence.stands:
            self.replacing.add(rule.source)
        return rule is not None or any(one.agrees(own) for one in known)

    def current(
        self, sentence: LabelledSentence, task: str, known: Sequence[Stance]
    ) -> LabelledSentence | None:
        """Return a sentence, or a group of them, without the replaced parts."""
        if not self.replaces(sentence, task, known):
            return sentence
        parts = [sentence.text[start:end] for start, end in sentence_spans(sentence.text)]
        left = [
            part for part in parts if not self.replaces(replace(sentence, text=part), task, known)
        ]
        if len(left) == len(parts) or left[:1] != parts[:1]:
            return None
        return replace(sentence, text=" ".join(left))

    def ends(self, text: str, task: str = "") -> bool:
        """Return whether a later message made a task's statement untrue or replaced it."""
        if self._changes.ended(text) or self._sentences.contradict(text):
            return True
        if task in self._taking_back:
            return True
        return self._rules.replacing(stance(text), "") is not None

    def note_changes(
        self,
        sentences: Sequence[LabelledSentence],
        observation: Observation,
        memories: Iterable[ContextItem],
    ) -> None:
        """Record a message's sentences that change a person's earlier memory."""
        earlier = [item.text for item in memories if item.at < observation.counted_at]
        for sentence in sentences:
            if any(changes_statement(text, sentence.text) for text in earlier):
                self.replacing.add((observation.id, sentence.start))

    def add_memory(self, text: str) -> None:
        """Add a person's memory, which may state a change."""
        self._changes.add([text])
        self._sentences.add([text])
        if not is_momentary(text):
            self._rules.add(LaterRule(stance(text)))

    def add(self, sentences: Sequence[LabelledSentence], observation: Observation) -> None:
        """Add the sentences of a message."""
        texts = [labelled_sentence.text for labelled_sentence in sentences]
        self._changes.add(texts)
        self._sentences.add(texts)
        self._stems.update(stem for text in texts for stem in _stems(text))
        self._taking_back.pop(observation.task, None)
        for sentence in sentences:
            if sentence.stands and takes_back(sentence.text):
                self._taking_back[observation.task] = (observation.id, sentence.start)
            if sentence.stands or ends_rules(sentence.text):
                source = (observation.id, sentence.start)
                self._rules.add(LaterRule(stance(sentence.text), observation.task, source))


def _without_copies(all_remarks: Sequence[Remark], known: Iterable[_KnownText]) -> Iterator[Remark]:
    """Drop sentences that add nothing to a better or known one."""
    before = list(known)
    own = [_stems(_statement(all_remark.sentence.text)) for all_remark in all_remarks]
    counts = Counter(stem for some in (*(one.stems for one in before), *own) for stem in some)
    having: dict[str, list[_KnownText]] = {}

    def rarest(some: frozenset[str]) -> Iterable[str]:
        ordered = sorted(some, key=lambda stem: (counts[stem], stem))
        return ordered[: len(some) - math.ceil(NEAR_COPY * len(some)) + 1]

    def keep(one: _KnownText) -> None:
        for stem in rarest(one.stems):
            having.setdefault(stem, []).append(one)

    for one in before:
        keep(one)
    for remark, some in zip(all_remarks, own, strict=True):
        near = (other for stem in rarest(some) for other in having.get(stem, ()))
        if any(
            jaccard(some, one.stems) >= NEAR_COPY and not one.changed_by(remark) for one in near
        ):
            continue
        keep(_KnownText(some))
        yield remark


def _statement(text: str) -> str:
    """Return a sentence without the request to remember it."""
    order = command(text)
    return order.argument if order and order.kind is CommandKind.REMEMBER else text


_stems = lru_cache(maxsize=READ)(content_stems)
