"""Classifier that splits a person's message into parts and labels them."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

from memoranda.models.embedding.word_vectors import shared_states
from memoranda.utterances.boundary_features import UtteranceWord, words_of
from memoranda.utterances.headings import rule_lists
from memoranda.utterances.labels import LABELS, LASTING, UtteranceLabel, UtterancePart
from memoranda.utterances.model import (
    UtteranceModel,
    cut_probabilities,
    label_probabilities,
    packaged_model,
)
from memoranda.utterances.part_features import feature_rows
from memoranda.utterances.sentence_cues import is_customary, is_from_now_on

if TYPE_CHECKING:
    from memoranda.ports import Embedder, Vectors

CUT = 0.25
"""Minimum probability that a part ends at a gap.

It is low because an overlong part costs more accuracy than a part split in two.
"""
LEVELS = (0.35, 0.05, 0.4)
"""Thresholds at which a message is divided if the network is used.

The label probabilities of a word are averaged over the divisions, which reduces the effect of
uncertain ends. The first threshold determines the parts. The lowest makes short parts, so that a
lasting word in one clause affects the next one less.
"""
LASTS = 0.4
"""Minimum total probability of the lasting labels to choose one of them."""
LISTED = 0.9
"""Minimum probability of lasting labels for an item of a rule list, and for "from now on"."""
_RULE = LABELS.index(UtteranceLabel.RULE)
_LASTING = [place for place, label in enumerate(LABELS) if label in LASTING]
_PASSING = [place for place, label in enumerate(LABELS) if label not in LASTING]


class UtteranceClassifier:
    """Splits messages into parts and labels them.

    Thread-safe and deterministic. With the local embedder it also uses the states of that network,
    of which a process loads a second, truncated copy; otherwise only n-grams and cues, which is
    less accurate. A message takes about 8 ms with the network and 2 ms without.
    """

    def __init__(self, embedder: Embedder | None, model: UtteranceModel | None = None) -> None:
        """Create a classifier of an embedder and a model.

        The default model is that of the package.
        """
        self._model = model or packaged_model()
        fits = embedder is not None and embedder.name == self._model.embedder
        self._states = shared_states() if fits else None
        self._reading = self._model.whole if fits else self._model.plain

    def parts(self, text: str, before: str = "") -> tuple[UtterancePart, ...]:
        """Return the parts of a message in order.

        ``before`` is the agent's last message. Only the beginning and the end of a message of more
        than 6,000 characters are read.

        Raises:
            EmbedderUnavailable: the network cannot be loaded.
        """
        import numpy as np

        words = words_of(text)
        if not words:
            return ()
        states = self._states.of(before, [word.text for word in words]) if self._states else None
        cuts = cut_probabilities(self._reading.cuts, words, states[0] if states else None)
        divided = _divided(cuts, LEVELS if states else (CUT,))
        by_word = [self._by_word(text, before, words, edges, states) for edges in divided]
        chances: Vectors = np.stack(by_word).mean(axis=0)
        edges, lists = divided[0], rule_lists(text)
        parts = []
        for span, (first, last) in zip(_spans(words, edges), pairwise(edges), strict=True):
            averaged = chances[first:last].mean(axis=0)
            if any(start <= span[0] < end for start, end in lists):
                averaged = _as_rule(averaged)
            elif any(check(text[slice(*span)]) for check in (is_from_now_on, is_customary)):
                averaged = _as_lasting(averaged)
            parts.append(_part(text, span, averaged))
        return tuple(parts)

    def _by_word(
        self,
        text: str,
        before: str,
        words: Sequence[UtteranceWord],
        edges: Sequence[int],
        states: tuple[Vectors, Vectors] | None,
    ) -> Vectors:
        """Return the label probabilities of each word's part: (words, labels)."""
        import numpy as np

        rows = feature_rows([text[start:end] for start, end in _spans(words, edges)], before)
        means = part_states(*states, edges) if states else None
        chances = label_probabilities(self._reading.labels, rows, means)
        result: Vectors = np.repeat(chances, np.diff(edges), axis=0)
        return result


def cut_at(probabilities: Vectors, level: float = CUT) -> list[int]:
    """Return the index of the first word of each part, and the word count."""
    cuts = [at + 1 for at, cut in enumerate(probabilities) if cut >= level]
    return [0, *cuts, len(probabilities) + 1]


def part_states(states: Vectors, sizes: Vectors, edges: Sequence[int]) -> Vectors:
    """Return the mean state of the tokens of each part.

    ``edges`` are the indices of the parts' first words, and the word count.
    """
    import numpy as np

    weighted = np.add.reduceat(states * sizes[:, None], edges[:-1], axis=0)
    result: Vectors = (weighted / np.add.reduceat(sizes, edges[:-1])[:, None]).astype(np.float32)
    return result


def _divided(probabilities: Vectors, levels: Sequence[float]) -> list[list[int]]:
    """Return the division at each level; only one if all are equal."""
    found = [cut_at(probabilities, level) for level in levels]
    return found if any(edges != found[0] for edges in found) else found[:1]


def _spans(words: Sequence[UtteranceWord], edges: Sequence[int]) -> list[tuple[int, int]]:
    return [(words[first].start, words[last - 1].end) for first, last in pairwise(edges)]


def _as_rule(chances: Vectors) -> Vectors:
    """Return the label probabilities of an item of a list of rules."""
    import numpy as np

    lasting = float(chances[_LASTING].sum())
    rest = max(0.0, (LISTED - lasting) / (1 - lasting + 1e-9))
    raised: Vectors = chances * (1 - rest) + rest * (np.arange(len(chances)) == _RULE)
    return raised


def _as_lasting(chances: Vectors) -> Vectors:
    """Return label probabilities whose lasting labels have at least ``LISTED`` together."""
    lasting = float(chances[_LASTING].sum())
    if lasting >= LISTED:
        return chances
    scaled: Vectors = chances * ((1 - LISTED) / (1 - lasting + 1e-9))
    scaled[_LASTING] = chances[_LASTING] * (LISTED / (lasting + 1e-9))
    return scaled


def _part(text: str, place: tuple[int, int], chances: Vectors) -> UtterancePart:
    start, end = place
    lasting = float(chances[_LASTING].sum())
    among = _LASTING if lasting >= LASTS else _PASSING
    best = max(among, key=lambda place: float(chances[place]))
    return UtterancePart(
        start=start,
        end=end,
        text=text[start:end],
        label=LABELS[best],
        confidence=round(float(chances[best]), 4),
        lasting=round(lasting, 4),
        chances=tuple(round(float(chance), 4) for chance in chances),
    )
