"""Classifier that splits a person's message into parts and labels them."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

from memoranda.exceptions import EmbedderUnavailable
from memoranda.utterances.boundary_features import UtteranceWord, words_of
from memoranda.utterances.fitted_model import (
    UtteranceModel,
    cut_probabilities,
    label_probabilities,
    packaged_model,
)
from memoranda.utterances.labels import LABELS, LASTING, UtteranceLabel, UtterancePart, part_of
from memoranda.utterances.lasting_requests import asks_for_always, asks_to_remember
from memoranda.utterances.network_weights import packaged_states
from memoranda.utterances.part_features import feature_rows
from memoranda.utterances.rule_lists import rule_lists
from memoranda.utterances.sentence_checks import is_aside, is_customary, is_from_now_on

if TYPE_CHECKING:
    from memoranda.models.embedding.contextual_word_vectors import WordStates
    from memoranda.ports import Embedder, Vectors

logger = logging.getLogger(__name__)

CUT, NETWORK_CUT = 0.25, 0.12
"""Minimum probability that a part ends at a gap, without and with the neural network.

It is low because a part that is too long reduces accuracy more than a part that is split in two.
"""
FIRST_WORD = 0.5
"""Minimum probability that a part ends after the first word if no line ends there.

Only words of ASCII letters are considered: "Never" belongs to the following "push to main".
"""
PASSING = 0.2
"""Maximum probability of lasting labels for a part that only describes."""
LISTED = 0.9
"""Minimum total probability of the lasting labels for an item of a list of rules, and for "from now
on".
"""
_RULE, _REMEMBER = map(LABELS.index, (UtteranceLabel.RULE, UtteranceLabel.REMEMBER))
_LASTING = [place for place, label in enumerate(LABELS) if label in LASTING]


class UtteranceClassifier:
    """Splits messages into parts and labels them.

    Thread-safe and deterministic. Unless embeddings are off, it also uses the states of a variant
    of the local embedder's network, whose upper layers were fine-tuned on messages; otherwise
    only n-grams and cues, which is less accurate. A message takes about 30 ms with the network and
    4 ms without it.
    """

    def __init__(
        self,
        embedder: Embedder | None,
        model: UtteranceModel | None = None,
        states: WordStates | None = None,
    ) -> None:
        """Create a classifier from a model and its network.

        The default model and network come with the package. The network is not used if
        ``embedder`` is None; which embedder it is does not matter.
        """
        self._model = model or packaged_model()
        self._states = None if embedder is None else states or packaged_states()

    @property
    def has_network(self) -> bool:
        """Return whether the network is used; False once loading it failed."""
        return self._states is not None

    def parts(self, text: str, before: str = "") -> tuple[UtterancePart, ...]:
        """Return the parts of a message in order.

        ``before`` is the agent's last message. Of a message of more than 6,000 characters, only the
        beginning and the end are read. If the neural network cannot be loaded, only n-grams and
        cues are used.
        """
        words = words_of(text)
        if not words:
            return ()
        states = self._states_of(words, before)
        reading = self._model.whole if states else self._model.plain
        cuts = cut_probabilities(reading.cuts, words, states[0] if states else None)
        first = words[0]
        if len(cuts) and first.text.isascii() and first.text.isalpha() and not first.ends_line:
            cuts[0] *= cuts[0] >= FIRST_WORD
        edges = cut_at(cuts, NETWORK_CUT if states else CUT)
        spans, lists = _spans(words, edges), rule_lists(text)
        rows = feature_rows([text[start:end] for start, end in spans], before)
        means = part_states(*states, edges) if states else None
        parts = []
        chances = label_probabilities(reading.labels, rows, means)
        for span, one in zip(spans, chances, strict=True):
            listed = any(start <= span[0] < end for start, end in lists)
            one = _as(_RULE, one) if listed else _checked(text, span, one)
            parts.append(part_of(text, span, one.tolist()))
        return tuple(parts)

    def _states_of(
        self, words: Sequence[UtteranceWord], before: str
    ) -> tuple[Vectors, Vectors] | None:
        network = self._states
        if network is None:
            return None
        try:
            return network.of(before, [word.text for word in words])
        except EmbedderUnavailable as error:
            logger.warning(
                "messages are classified without the neural network", extra={"reason": str(error)}
            )
            self._states = None
            return None


def cut_at(probabilities: Vectors, level: float = CUT) -> list[int]:
    """Return the index of the first word of each part, then the word count."""
    cuts = [at + 1 for at, cut in enumerate(probabilities) if cut >= level]
    return [0, *cuts, len(probabilities) + 1]


def part_states(states: Vectors, sizes: Vectors, edges: Sequence[int]) -> Vectors:
    """Return the mean token state of each part.

    ``edges`` are the indices of the parts' first words, followed by the word count.
    """
    import numpy as np

    weighted = np.add.reduceat(states * sizes[:, None], edges[:-1], axis=0)
    result: Vectors = (weighted / np.add.reduceat(sizes, edges[:-1])[:, None]).astype(np.float32)
    return result


def _spans(words: Sequence[UtteranceWord], edges: Sequence[int]) -> list[tuple[int, int]]:
    return [(words[first].start, words[last - 1].end) for first, last in pairwise(edges)]


def _as(label: int, chances: Vectors) -> Vectors:
    """Return label probabilities, with at least ``LISTED`` for lasting labels.

    The label at that position gets what is added.
    """
    import numpy as np

    lasting = float(chances[_LASTING].sum())
    rest = max(0.0, (LISTED - lasting) / (1 - lasting + 1e-9))
    raised: Vectors = chances * (1 - rest) + rest * (np.arange(len(chances)) == label)
    return raised


def _checked(text: str, span: tuple[int, int], chances: Vectors) -> Vectors:
    """Return the label probabilities of a part, within what its form allows."""
    part, line = text[slice(*span)], text[span[0] :].partition("\n")[0]
    if asks_to_remember(line):
        return _as(_REMEMBER, chances)
    if asks_for_always(line):
        return _as(_RULE, chances)
    lasting = float(chances[_LASTING].sum())
    if is_from_now_on(part) or is_customary(part):
        return _with_lasting(chances, max(lasting, LISTED))
    return _with_lasting(chances, min(lasting, PASSING)) if is_aside(part) else chances


def _with_lasting(chances: Vectors, total: float) -> Vectors:
    """Return label probabilities with a total probability of lasting labels."""
    lasting = float(chances[_LASTING].sum())
    scaled: Vectors = chances * ((1 - total) / (1 - lasting + 1e-9))
    scaled[_LASTING] = chances[_LASTING] * (total / (lasting + 1e-9))
    return scaled
