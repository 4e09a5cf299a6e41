"""Make the table of related words that search uses without an embedder.

Each word gets the words whose vectors, by the local embedder, are nearest to its own. The words are
those of a file, one a line, most frequent first, or those of the present table. Of the words with
one stem the first is kept.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from measuring.report import parser, progress
from memoranda.language.words import stems
from memoranda.models.embedding.minilm import LocalEmbedder
from memoranda.search.related_words import NONE, TABLE, related_words

MOST, LEAST = 12, 0.5
"""Maximum number of related words of one, and the least cosine of their vectors."""
AT_ONCE = 512


def distinct(listed: Sequence[str]) -> list[str]:
    """Return the first word of each stem, sorted."""
    first: dict[str, str] = {}
    for word, stem in zip(listed, stems(listed), strict=True):
        first.setdefault(stem, word)
    return sorted(first.values())


def vectors(listed: Sequence[str]) -> np.ndarray:  # type: ignore[type-arg]
    """Return the vector of each word, of length 1."""
    embedder = LocalEmbedder()
    found = []
    for at in range(0, len(listed), AT_ONCE):
        progress(f"{at:,} of {len(listed):,} words")
        found.append(np.array(embedder.embed(listed[at : at + AT_ONCE]), np.float32))
    stacked = np.vstack(found)
    return stacked / np.linalg.norm(stacked, axis=1, keepdims=True)


def nearest(placed: np.ndarray) -> np.ndarray:  # type: ignore[type-arg]
    """Return the positions of each word's related words, nearest first."""
    table = np.full((len(placed), MOST), NONE, np.uint16)
    for place, vector in enumerate(placed):
        cosines = placed @ vector
        cosines[place] = -1
        best = np.argsort(-cosines, kind="stable")[:MOST]
        best = best[cosines[best] >= LEAST]
        table[place, : len(best)] = best
    return table


def main() -> int:
    """Write the table."""
    options = parser(__doc__)
    options.add_argument("--words", type=Path, help="words, one a line, most frequent first")
    options.add_argument("--out", type=Path, default=TABLE)
    chosen = options.parse_args()
    listed = chosen.words.read_text("utf-8").split() if chosen.words else related_words().words
    kept = distinct(listed)
    text = np.frombuffer("\n".join(kept).encode(), np.uint8)
    np.savez_compressed(chosen.out, words=text, near=nearest(vectors(kept)))
    progress(f"{len(kept):,} words, {chosen.out.stat().st_size:,} bytes")
    return 0


if __name__ == "__main__":
    sys.exit(main())
