"""Related words of general and technical English, from a table made by a script.

They stand in for vectors where no embedder is configured. `benchmarks/fit_related_words.py` makes
the table from the vectors that the local embedder gives to single words.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from memoranda.language.words import stems

if TYPE_CHECKING:
    from numpy.typing import NDArray

TABLE = Path(__file__).with_name("related_words.npz")
NONE = 65_535
"""Fills the rows of words that have few related words."""


@dataclass(frozen=True, slots=True, eq=False)
class RelatedWords:
    """Words by their stem, each with the positions of its related words, nearest first."""

    words: Sequence[str]
    place_of: dict[str, int]
    near: NDArray[np.uint16]

    def of(self, stem: str) -> list[str]:
        """Return the words related to a stem, nearest first."""
        place = self.place_of.get(stem)
        if place is None:
            return []
        return [self.words[near] for near in self.near[place].tolist() if near != NONE]


@cache
def related_words() -> RelatedWords:
    """Load the table."""
    with np.load(TABLE) as table:
        listed = table["words"].tobytes().decode().split("\n")
        near = table["near"]
    places = {stem: place for place, stem in enumerate(stems(listed))}
    return RelatedWords(listed, places, near)
