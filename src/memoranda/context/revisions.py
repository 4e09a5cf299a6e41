"""Pairs of statements in which a later one ends or changes an earlier one."""

from __future__ import annotations

import math
import re
import zlib
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Self

from memoranda.context.outdated_sentences import states_change
from memoranda.language.words import content_stems
from memoranda.utterances.sentence_checks import is_momentary

if TYPE_CHECKING:
    from memoranda.context.labelled_sentences import LabelledSentence
    from memoranda.ports import Vectors

WEIGHTS = Path(__file__).with_name("revisions.npz")
BUCKETS = 4_096
"""Number of weights that terms and pairs of terms share, by checksum."""
TERM = 0.5
"""Value of a term; the other features have values from 0 to 1."""
FLOOR = 0.7
"""Minimum score of a pair, in logits.

Of other authors' pairs without a revision, a tenth are above this score; of their pairs with a
revision, half are.
"""
SHARED = 0.3
"""Minimum share of the earlier statement's stems, by rarity, in the later one."""
ENOUGH = 1.3
"""Minimum rarity of the common stems, relative to a stem of a single statement."""
OTHERS = 20
"""Number of statements without these stems that are assumed in addition to the workspace's."""
READ = 2_048
"""Number of statements whose stems are cached."""
MANY = 4
"""Number of common stems above which further ones have no effect."""

_WORD = re.compile(r"[\w']+|[?!]")
_NEGATION = re.compile(
    r"\b(?:no|not|never|don['\u2019]?t|do not|without|avoid|only|nothing|kein\w*|nie|nicht|nunca"
    r"|jamais|pas)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class PersonStatement:
    """Sentence of a message with the sentences around it."""

    text: str
    around: str
    """The previous sentence, this one and the next one."""
    chances: tuple[float, ...]
    """Probabilities of the labels of the sentence."""
    highest: tuple[float, ...]
    """Highest probability of each label among the three sentences."""

    @classmethod
    def of(cls, sentences: Sequence[LabelledSentence], at: int) -> Self:
        """Return a sentence of a message from the message's ordered sentences."""
        beside = sentences[max(0, at - 1) : at + 2]
        highest = tuple(map(max, zip(*(one.chances for one in beside), strict=True)))
        around = " ".join(one.text for one in beside)
        return cls(sentences[at].text, around, sentences[at].chances, highest)


@dataclass(frozen=True, slots=True)
class RevisionModel:
    """Logistic regression over the labels, terms and common stems of two statements.

    Fitted by benchmarks/fit_revisions.py to pairs that several authors wrote for that purpose.
    """

    own: Vectors
    """Weights of the later statement's features, (features,) float32."""
    pair: Vectors
    """Weights of the features of a pair, (features,) float32."""
    terms: Vectors
    """Weights of terms, (`BUCKETS`,) float32."""
    bias: float

    def later(self, statement: PersonStatement) -> float:
        """Return the score's part for the later statement, in logits."""
        terms = TERM * float(self.terms[later_terms(statement)].sum())
        return float(self.own @ own_features(statement)) + terms + self.bias

    def earlier(self, text: str) -> float:
        """Return the score's part for the earlier statement."""
        return TERM * float(self.terms[earlier_terms(text)].sum())

    def both(self, earlier: str, later: str, share: float, common: int) -> float:
        """Return the score's part for both statements together."""
        return float(self.pair @ pair_features(earlier, later, share, common))


@cache
def revision_model() -> RevisionModel:
    """Return the fitted model."""
    import numpy as np

    with np.load(WEIGHTS) as file:
        own, pair, terms = (file[name].astype(np.float32) for name in ("own", "pair", "terms"))
        return RevisionModel(own, pair, terms, float(file["bias"]))


def own_features(statement: PersonStatement) -> list[float]:
    """Return the features of a later statement: labels and wording."""
    text = statement.text
    wording = (is_momentary(text), "?" in text, states_change(text), _negates(text))
    return [*statement.chances, *statement.highest, *map(float, wording)]


def pair_features(earlier: str, later: str, share: float, common: int) -> list[float]:
    """Return the features of a pair: common stems, and whether one negates."""
    negates = _negates(earlier)
    several = min(common, MANY) / MANY
    return [share, several, float(negates), float(negates and not _negates(later))]


def later_terms(statement: PersonStatement) -> list[int]:
    """Return the distinct buckets of a later statement's terms, in order."""
    return sorted({*_buckets("", statement.text), *_buckets("around ", statement.around)})


def earlier_terms(text: str) -> list[int]:
    """Return the distinct buckets of an earlier statement's terms, in order."""
    return sorted(set(_buckets("earlier ", text)))


def _buckets(kind: str, text: str) -> Iterator[int]:
    terms = ["^", *_WORD.findall(text.lower().replace("\u2019", "'")), "$"]
    for term in (*terms, *map(" ".join, pairwise(terms))):
        yield zlib.crc32((kind + term).encode()) % BUCKETS


def _negates(text: str) -> bool:
    return _NEGATION.search(text) is not None


statement_stems = lru_cache(maxsize=READ)(content_stems)


class Rarity:
    """Weights of stems: higher if fewer earlier statements contain them."""

    def __init__(self, texts: Sequence[str]) -> None:
        """Count the stems of the earlier statements."""
        counts = Counter(stem for text in texts for stem in statement_stems(text))
        size = OTHERS + len(texts)
        self._weights = {stem: math.log(size / (count + 0.5)) for stem, count in counts.items()}
        self._unknown = math.log(size / 0.5)
        self._single = math.log(size / 1.5)

    def of(self, stems: Iterable[str]) -> float:
        """Return the sum of the weights of stems."""
        return math.fsum(self._weights.get(stem, self._unknown) for stem in stems)

    def relative(self, stems: Iterable[str]) -> float:
        """Return the sum of the weights of the stems, relative to the rarest."""
        return self.of(stems) / self._single

    def share(self, earlier: frozenset[str], later: frozenset[str]) -> float:
        """Return the share of an earlier statement's weight in a later one."""
        return self.of(earlier & later) / max(self.of(earlier), 1e-9)

    def shares(
        self, having: Mapping[str, Sequence[int]], whole: Mapping[int, float], later: Iterable[str]
    ) -> dict[int, float]:
        """Return the shares of the earlier statements with enough in common with a later one.

        ``having`` contains the earlier statements by stem, ``whole`` the weight of each statement.
        """
        common: dict[int, float] = defaultdict(float)
        for stem in later:
            weight = self._weights.get(stem, self._unknown)
            for other in having.get(stem, ()):
                common[other] += weight
        least = ENOUGH * self._single
        return {
            other: share
            for other, weight in sorted(common.items())
            if weight >= least and (share := weight / max(whole[other], 1e-9)) >= SHARED
        }
