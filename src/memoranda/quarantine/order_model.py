"""Linear model that recognises instructions to an assistant.

Logistic regression on hashed n-grams (Hastie, Tibshirani and Friedman, "The Elements of Statistical
Learning", 4.4), for phrasings that the rules do not cover. benchmarks/fit_orders.py fits the model
to instructions and ordinary texts in many languages.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import chain, pairwise
from math import sqrt
from pathlib import Path
from zlib import crc32

WEIGHTS = Path(__file__).with_name("order_weights.npz")
BUCKETS = 65_536
WINDOW = 250
"""Maximum number of characters of a passage that is scored as one unit."""
MIN_LENGTH = 16
"""Minimum number of characters of a passage; shorter passages are answers like "OK"."""
_LENGTHS = (3, 4, 5)
"""Lengths of the character n-grams of a word."""
_MAX_LENGTH = 24
"""Maximum number of characters of a word that are used; longer words are data."""
_WORD = re.compile(r"[^\W_]+")
_END = re.compile(r"[.!?]+\s+|[\n\u3002\uff01\uff1f]")
"""The end of a sentence or line."""
_CACHED = 20_000
"""Number of words whose features are cached."""


@dataclass(frozen=True, slots=True)
class OrderWeights:
    """A fitted model: a weight for each bucket, and the bias."""

    buckets: tuple[float, ...]
    bias: float

    def score(self, features: Set[int]) -> float:
        """Return the log odds that a passage is an instruction, from its features."""
        total = sum(map(self.buckets.__getitem__, features))
        return self.bias + total / sqrt(max(1, len(features)))


@dataclass(frozen=True, slots=True)
class FeaturedPassage:
    """One or several consecutive sentences or lines, with their features."""

    span: tuple[int, int]
    features: Set[int]
    """Buckets of the passage's words, character n-grams and adjacent word pairs."""

    @property
    def is_short(self) -> bool:
        """Whether the passage is too short for an instruction."""
        return self.span[1] - self.span[0] < MIN_LENGTH


@dataclass(frozen=True, slots=True)
class ScoredPassage:
    """A passage with the log odds that it is an instruction to an assistant."""

    span: tuple[int, int]
    score: float


def scored_passages(text: str, weights: OrderWeights | None = None) -> Iterator[ScoredPassage]:
    """Yield a score for each sentence and run of sentences in a folded text.

    An instruction may be in a single sentence or span several. ``weights`` are by default those of
    the package.

    Example:
        >>> [one.score > 0 for one in scored_passages("the build takes nine minutes on ci.")]
        [False]
    """
    model = weights or packaged_weights()
    for run in runs(text):
        for passage in (*run, together(run)) if len(run) > 1 else run:
            if not passage.is_short:
                yield ScoredPassage(passage.span, model.score(passage.features))


def runs(text: str) -> Iterator[list[FeaturedPassage]]:
    """Yield runs of sentences with at most `WINDOW` characters, in order."""
    run: list[FeaturedPassage] = []
    for start, stop in _sentences(text):
        if run and stop - run[0].span[0] > WINDOW:
            yield run
            run = []
        sentence = text[start:stop].rstrip()
        run.append(FeaturedPassage((start, start + len(sentence)), _features(sentence)))
    if run:
        yield run


def together(run: Sequence[FeaturedPassage]) -> FeaturedPassage:
    """Return the sentences of a run as one passage."""
    features = set[int]().union(*(passage.features for passage in run))
    return FeaturedPassage((run[0].span[0], run[-1].span[1]), features)


def _sentences(text: str) -> Iterator[tuple[int, int]]:
    """Yield the spans of sentences and lines; split those above `WINDOW`."""
    start = 0
    for end in chain((item.end() for item in _END.finditer(text)), (len(text),)):
        while end - start > WINDOW:
            space = text.rfind(" ", start + WINDOW // 2, start + WINDOW)
            cut = space if space > 0 else start + WINDOW
            yield start, cut
            start = cut
        if end > start:
            yield start, end
            start = end


def sentence_score(text: str, span: tuple[int, int], weights: OrderWeights | None = None) -> float:
    """Return the log odds for an instruction in the sentence around a span.

    At most `WINDOW` / 2 characters before and after the span are used.
    """
    start, stop = max(0, span[0] - WINDOW // 2), min(len(text), span[1] + WINDOW // 2)
    begun = [item.end() for item in _END.finditer(text, start, span[0])]
    ended = _END.search(text, max(span[1] - 1, 0), stop)
    sentence = text[begun[-1] if begun else start : ended.end() if ended else stop]
    return (weights or packaged_weights()).score(_features(sentence))


def _features(text: str) -> set[int]:
    words = [word[:_MAX_LENGTH] for word in _WORD.findall(text)]
    found = {_bucket(f"p{first} {second}") for first, second in pairwise(words)}
    return found.union(*map(_of_word, set(words)))


@lru_cache(_CACHED)
def _of_word(word: str) -> tuple[int, ...]:
    padded = f"^{word}$"
    parts = {
        padded[at : at + length] for length in _LENGTHS for at in range(len(padded) - length + 1)
    }
    return (_bucket(f"w{word}"), *(_bucket(f"c{part}") for part in parts))


def _bucket(name: str) -> int:
    return crc32(name.encode(errors="replace")) % BUCKETS


@cache
def packaged_weights() -> OrderWeights:
    """Load the weights of the package, once."""
    return load_weights(WEIGHTS)


def load_weights(file: Path) -> OrderWeights:
    """Load weights written by ``save_weights``."""
    import numpy as np

    with np.load(file, allow_pickle=False) as arrays:
        weights = arrays["buckets"].astype(np.float32) * arrays["scale"]
        return OrderWeights(tuple(weights.tolist()), float(arrays["bias"]))


def save_weights(weights: OrderWeights, file: Path) -> None:
    """Write weights in 8 bits each, so that equal weights give equal files."""
    import numpy as np

    buckets = np.array(weights.buckets, np.float32)
    scale = np.float32(max(float(np.abs(buckets).max()), 1e-9) / 127)
    rounded = np.round(buckets / scale).astype(np.int8)
    np.savez_compressed(file, buckets=rounded, scale=scale, bias=np.float32(weights.bias))
