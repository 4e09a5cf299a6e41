"""Compute the mean vectors and language directions of multilingual-e5-small.

Its vectors share a large component, and texts of one language share another, so that unrelated
texts have high cosines. `MultilingualEmbedder` removes both. The same texts always give the same
file.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from measuring.report import Report, parser
from memoranda.models.embedding.multilingual import BASIS, MultilingualEmbedder, centred

DATA = Path(__file__).parent / "data" / "utterances"
"""Labelled messages to coding agents in nine languages."""
OF_A_LANGUAGE = 150
"""Number of texts of each language, so that none dominates."""
SHORTEST, LONGEST = 25, 400
"""Minimum and maximum characters of a text; longer ones are cut."""
DIRECTIONS = 12
"""Number of principal directions of the languages' means, of 16."""
PERCENTILES = (5, 50, 95, 99)


def texts(folder: Path, number: int) -> dict[str, list[str]]:
    """Return the same number of texts of each language, evenly from all."""
    by_language: dict[str, list[str]] = defaultdict(list)
    for path in sorted(folder.glob("*.jsonl")):
        for line in path.read_text("utf-8").splitlines():
            row = json.loads(line)
            if len(row["text"]) >= SHORTEST:
                by_language[row["lang"]].append(row["text"][:LONGEST])
    return {
        language: [found[place * len(found) // number] for place in range(number)]
        for language, found in sorted(by_language.items())
        if len(found) >= number
    }


def basis(sides: Sequence[np.ndarray]) -> np.ndarray:  # type: ignore[type-arg]
    """Return the means of passages and queries, and the directions of languages.

    ``sides`` has the vectors of passages and of queries, as (languages, texts, dimensions).
    """
    of_languages = [side.mean(axis=1) for side in sides]
    means = [side.mean(axis=0) for side in of_languages]
    apart = np.vstack([side - mean for side, mean in zip(of_languages, means, strict=True)])
    directions = np.linalg.svd(apart, full_matrices=False)[2][:DIRECTIONS]
    return np.vstack([*means, directions]).astype(np.float32)


def options() -> argparse.ArgumentParser:
    """Return the parser of the command line."""
    made = parser(__doc__)
    made.add_argument("--number", type=int, default=OF_A_LANGUAGE, help="texts of each language")
    made.add_argument("--write", action="store_true", help="replace the packaged file")
    return made


def main() -> int:
    """Compute the basis; report the cosines of unrelated texts before and after."""
    chosen = options().parse_args()
    embedder, report = MultilingualEmbedder(), Report("fit_multilingual", vars(chosen))
    found = texts(DATA, chosen.number)
    sides = [
        np.stack([embedder.uncentred(listed, query=query) for listed in found.values()])
        for query in (False, True)
    ]
    made = basis(sides)
    _, number, dimensions = sides[0].shape
    flat = [side.reshape(-1, dimensions) for side in sides]
    moved = [centred(side, made, query=bool(at)) for at, side in enumerate(flat)]
    language = np.repeat(np.arange(len(found)), number)
    same = language[:, None] == language
    unrelated = {"one language": same & ~np.eye(len(same), dtype=bool), "two languages": ~same}
    for section, (passages, queries) in (("as they are", flat), ("centred", moved)):
        cosines = queries @ passages.T
        for name, chosen_pairs in unrelated.items():
            for percentile in PERCENTILES:
                value = float(np.percentile(cosines[chosen_pairs], percentile))
                report.add(section, f"{name}, percentile {percentile}", f"{value:.3f}", "cosine")
    if chosen.write:
        np.save(BASIS, made)
    return report.finish(as_json=chosen.json)


if __name__ == "__main__":
    sys.exit(main())
