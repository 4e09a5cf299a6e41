"""Sentences of a person's message, with their value for later sessions."""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from memoranda.context.dependent_sentences import grouped
from memoranda.context.outdated_sentences import asks_for_work, sets_right
from memoranda.language.quotations import own_text, quotations, without_ranges
from memoranda.language.rule_preference import stance
from memoranda.language.sentences import sentence_spans
from memoranda.search.table import LASTING, NOTED
from memoranda.search.text_cues import is_instruction, is_preference
from memoranda.utterances.labels import UtteranceLabel, UtterancePart
from memoranda.utterances.message_clauses import clause_spans
from memoranda.utterances.message_labels import labels_from, labels_of, readable_message
from memoranda.utterances.sentence_checks import (
    is_aside,
    is_momentary,
    is_praise,
    plain_classifier,
    points_back,
)

READ = 2_048
"""Number of texts whose sentences are cached."""
CUED = 0.8
"""Minimum lasting probability of a sentence that opens like an instruction."""
MOMENTARY = 0.2
"""Maximum lasting probability of praise, or of a sentence about the moment."""
SURE = 0.7
"""Minimum probability of a sentence that counts as lasting."""
BELONGS = 0.3
"""Minimum probability of a sentence that belongs to an adjacent lasting one."""
ORDERS = 0.8
"""Minimum probability of a sentence that counts as an instruction."""
WHOLE = 100
"""Maximum number of characters of a message that is kept as a whole.

The sentences of such a message are less informative alone: a message without lasting sentences is
treated as one sentence, and if one sentence lasts, the others last too.
"""

_VALUE = re.compile(r"[\d`/_]|\w\.\w")
_PASTED = re.compile(
    r"^\s*(?:\||at |File |[A-Z_]+=|\S+:\d+|[-+]{3} |[$>] |[\d-]{5,10}[ T]\d\d:\d\d:\d\d"
    r"|(?:\S*[=(){}\[\];,'\"]\S*\s+){6})"
)
"""Openings of output, code and logs, and words full of punctuation."""
_BINDING = re.compile(
    r"\b(?:never|always|must|only|not?|\w+n['\u2019]t|every|each|any|stays?|nothing|nobody|without"
    r"|nunca|siempre|ni|nada|cada|sin|sólo|solo|solamente|ningun[ao]?"
    r"|nie|niemals|immer|muss|nur|nicht|kein\w*|jed\w{1,2}|nichts|ohne"
    r"|jamais|toujours|doit|seulement|pas|rien|chaque|sans|sempre|não|sem|mai|senza)\b"
    "|必ず|絶対|だけ|ない|必须|不要|总是|每|从不|不能|只能",
    re.IGNORECASE,
)
"""Words typical of rules: negations and words such as "always", "every" and "only"."""
_FROM_NOW_ON = re.compile(
    "^(?:请|麻烦)?(?:你)?(?:以后|以後|今后|往后|从现在(?:起|开始)|从今以后).{0,9}?"
    "(?:请|請|都|一直|总是|始终|一律|必须|不要|别|只)"
    "|^请(?:你)?(?:一直|总是|始终|永远)"
    "|^(?:今後|これから|いつも|常に).*(?:ください|下さい|こと)"
)
"""Openings of lasting requests in languages without word breaks."""
_THING = re.compile(
    r"\W*(?:please )?(?:remember|(?:don['\u2019]?t|do not) forget)"
    r"(?: (?:the|my|your|our|some))? [\w-]+\W*",
    re.IGNORECASE,
)
"""Reminder of a thing without a statement: "remember the milk"."""
NEAR = (-2, -1, 1)
"""Relative positions of a correction to the sentences that state what is right.

"That's not right" says little; the next sentence names the value, and often a rule.
"""
MAX_BINDING = 2
"""Maximum number of binding words that count."""
_LABELS = tuple(UtteranceLabel)
_LASTS = (
    UtteranceLabel.RULE,
    UtteranceLabel.PREFERENCE,
    UtteranceLabel.LIFT,
    UtteranceLabel.REMEMBER,
)

WEIGHTS = {
    "length": 0.45,
    "lasting": 1.85,
    "corrects": 1.45,
    "fact": 0.30,
    "question": -0.50,
    "nothing": -0.75,
    "beside": 0.50,
    "beside_correction": 1.75,
    "value": 0.35,
    "pasted": -1.50,
    "binding": 0.30,
    "momentary": -0.70,
}
"""Weights of a logistic model over the labels of a sentence.

The weights were fitted to recorded sessions of four projects with leave-one-out validation, and
rounded. The target is whether the next session should know the sentence.
"""


@dataclass(frozen=True, slots=True)
class LabelledSentence:
    """A sentence of a message."""

    start: int
    """Start of the part of the message that is read, in characters."""
    text: str
    worth: float
    """Probability that a later session can use the sentence, 0 to 1.

    The probability is comparable between messages.
    """
    lasting: float
    """Probability that the sentence is valid beyond the current task, 0 to 1."""
    corrects: bool
    """Whether the sentence states what is right after an agent's mistake, for this task and later
    ones.
    """
    chances: tuple[float, ...] = ()
    """Highest probability of each label among the clauses of the sentence, in the order of
    `LABELS`.
    """

    @property
    def stands(self) -> bool:
        """Whether later sessions should follow the sentence: it lasts or corrects."""
        return self.corrects or self.lasting >= SURE


def sentences(text: str, stored: str | None = None) -> tuple[LabelledSentence, ...]:
    """Return the sentences of a person's message in order. Deterministic.

    ``stored`` contains the message's labels from the search index; without them the message is
    analysed without the network.
    """
    readable = readable_message(text)
    return _sentences(readable, stored, len(readable) != len(text))


def kind_of(text: str) -> int:
    """Return the kind of a message, by its value for later sessions.

    The kind is `LASTING`, `NOTED` or 0. A message that ends a rule lasts as long as the rule would
    have.
    """
    labelled_sentences = sentences(text)
    if any(one.stands or stance(one.text).revokes for one in labelled_sentences):
        return LASTING
    return NOTED if labelled_sentences else 0


@lru_cache(maxsize=READ)
def _sentences(text: str, stored: str | None, shortened: bool) -> tuple[LabelledSentence, ...]:
    labels = labels_from(text, stored, shortened=shortened) if stored else None
    labels = labels or labels_of(text, plain_classifier())
    parts, own_parts, foreign = labels.parts, labels.own, quotations(text)
    own = own_text(text)

    def reading(start: int, end: int) -> _LabelProbabilities:
        label_probabilities = _LabelProbabilities.of(_within(parts, start, end), start, end, text)
        if not foreign:
            return label_probabilities
        stated = _LabelProbabilities.of(_within(own_parts, start, end), start, end, own)
        return replace(
            label_probabilities, lasting=stated.lasting if own[start:end].strip() else 0.0
        )

    places = grouped(text, clause_spans(text))
    if foreign:
        places = [(start, end) for start, end, _ in without_ranges(places, foreign, text)]
    read = [reading(start, end) for start, end in places]
    short = len(places) > 1 and places[-1][1] - places[0][0] <= WHOLE
    revokes = short and any(stance(text[start:end]).revokes for start, end in places)
    if short and not revokes and all(probabilities.lasting < SURE for probabilities in read):
        places = [(places[0][0], places[-1][1])]
        read = [reading(*places[0])]
    lasting = _lasting(own, places, read, short)
    return tuple(
        LabelledSentence(
            start,
            text[start:end],
            _score(text[start:end], read, at),
            lasting[at],
            _corrects(own, start, end, own_parts),
            tuple(read[at].highest.values()),
        )
        for at, (start, end) in enumerate(places)
    )


def _within(parts: Sequence[UtterancePart], start: int, end: int) -> list[UtterancePart]:
    return [part for part in parts if part.start < end and part.end > start]


def _lasting(
    text: str,
    places: Sequence[tuple[int, int]],
    read: Sequence[_LabelProbabilities],
    short: bool,
) -> list[float]:
    """Return the lasting probability of each sentence.

    A sentence that belongs to an adjacent lasting one gets at least `SURE`; in a ``short`` message,
    so do all except instructions, questions and sentences about the moment.
    """
    result = [probabilities.lasting for probabilities in read]
    last = len(result) - 1
    forth, back = range(1, last + 1), range(last - 1, -1, -1)
    for at, beside in [*((at, at - 1) for at in forth), *((at, at + 1) for at in back)]:
        if result[beside] >= SURE > result[at]:
            item, other = text[slice(*places[at])], text[slice(*places[beside])]
            gap = text[min(places[at], places[beside])[1] : max(places[at], places[beside])[0]]
            pointed = beside > at and points_back(other)
            belongs = pointed or result[at] >= BELONGS or (short and _states(item, read[at]))
            if "\n" not in gap and belongs and _goes_on(item):
                result[at] = SURE
    return result


def _goes_on(sentence: str) -> bool:
    """Return whether a sentence can belong to a lasting one.

    Text of others, questions and sentences about the moment cannot belong to a lasting sentence.
    """
    return bool(sentence.strip()) and "?" not in sentence and not is_momentary(sentence)


def _states(sentence: str, probabilities: _LabelProbabilities) -> bool:
    """Return whether a sentence is not an instruction, praise or end of rule."""
    if probabilities.highest[UtteranceLabel.ORDER] >= ORDERS or asks_for_work(sentence):
        return False
    return not _passes(sentence) and not stance(sentence).revokes


@dataclass(frozen=True, slots=True)
class _LabelProbabilities:
    """Probabilities of a sentence's labels.

    The probabilities are the highest and the mean of the sentence's clauses.
    """

    highest: dict[UtteranceLabel, float]
    mean: dict[UtteranceLabel, float]
    lasting: float

    @classmethod
    def of(
        cls, parts: Collection[UtterancePart], start: int, end: int, text: str
    ) -> _LabelProbabilities:
        sizes = [min(p.end, end) - max(p.start, start) for p in parts]
        whole = sum(sizes) or 1
        highest, mean = dict.fromkeys(_LABELS, 0.0), dict.fromkeys(_LABELS, 0.0)
        for part, size in zip(parts, sizes, strict=True):
            for label, chance in zip(_LABELS, part.chances, strict=True):
                highest[label] = max(highest[label], chance)
                mean[label] += chance * size / whole
        lasting = 0.0
        for first, last in sentence_spans(text[start:end]):
            own = [p for p in parts if p.start < start + last and p.end > start + first]
            lasting = max(lasting, _lasts(text[start + first : start + last], own))
        return cls(highest, mean, lasting)

    def both(self, *labels: UtteranceLabel) -> float:
        """Return the mean of the labels' highest and mean probability.

        The probabilities of the labels are added.
        """
        return sum(self.highest[label] + self.mean[label] for label in labels) / 2


def _lasts(sentence: str, parts: Collection[UtterancePart]) -> float:
    """Return how likely a sentence is to last, judging by its own words."""
    cued = is_instruction(sentence) or is_preference(sentence) or _FROM_NOW_ON.match(sentence)
    cue = CUED if cued else 0.0
    lasting = max([cue, *(part.lasting for part in parts)])
    passes = _passes(sentence) or asks_for_work(sentence) or _THING.fullmatch(sentence)
    return min(lasting, MOMENTARY) if passes else lasting


def _passes(sentence: str) -> bool:
    return is_momentary(sentence) or is_praise(sentence) or is_aside(sentence)


def _corrects(text: str, start: int, end: int, parts: Collection[UtterancePart]) -> bool:
    """Return whether a sentence in a range states what is right."""
    return any(
        sets_right(
            text[start + first : start + last],
            [p for p in parts if p.start < start + last and p.end > start + first],
        )
        for first, last in sentence_spans(text[start:end])
    )


def _score(text: str, read: Sequence[_LabelProbabilities], at: int) -> float:
    found = _features(text, read, at)
    score = sum(WEIGHTS[name] * value for name, value in found.items())
    return round(1 / (1 + math.exp(-score)), 4)


def _features(text: str, read: Sequence[_LabelProbabilities], at: int) -> dict[str, float]:
    label, probabilities = UtteranceLabel, read[at]
    beside = [read[place].lasting for place in (at - 1, at + 1) if 0 <= place < len(read)]
    return {
        "length": math.log(max(1, len(text))) - 4,
        "lasting": min(1.0, probabilities.both(*_LASTS)),
        "corrects": probabilities.both(label.CORRECTION, label.DECISION),
        "fact": probabilities.mean[label.FACT],
        "question": probabilities.mean[label.QUESTION] + text.rstrip().endswith(("?", "\uff1f")),
        "nothing": probabilities.mean[label.NONE] + probabilities.mean[label.APPROVAL],
        "beside": sum(beside),
        "beside_correction": _near_correction(read, at),
        "value": float(_VALUE.search(text) is not None),
        "pasted": float(_PASTED.match(text) is not None),
        "binding": min(MAX_BINDING, len(_BINDING.findall(text))),
        "momentary": float(_passes(text)),
    }


def _near_correction(read: Sequence[_LabelProbabilities], at: int) -> float:
    """Return the probability, 0 to 1, that a neighbour corrects the agent."""
    near = (read[at + step] for step in NEAR if 0 <= at + step < len(read))
    return max(
        (probabilities.both(UtteranceLabel.CORRECTION) for probabilities in near), default=0.0
    )
