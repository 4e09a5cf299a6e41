"""The fitted blocks of the network that reads messages.

benchmarks/fit_utterances.py fits the upper blocks of the local embedder's network to labelled
messages; the package has only these, and takes the rest from the installed model.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from memoranda.models.embedding.word_vectors import WordStates

if TYPE_CHECKING:
    from memoranda.ports import Vectors

NETWORK = Path(__file__).with_name("network.npz")


@cache
def packaged_states() -> WordStates:
    """Return the process's message network, which is loaded for its first text."""
    return WordStates(lambda: load_network(NETWORK))


def load_network(file: Path) -> dict[str, bytes]:
    """Load tensors written by ``save_network``, by name in the model.

    Raises:
        OSError, ValueError: the file is missing or damaged.
    """
    from zipfile import BadZipFile

    import numpy as np

    try:
        with np.load(file, allow_pickle=False) as arrays:
            return {name: arrays[name].tobytes() for name in arrays.files}
    except (BadZipFile, EOFError) as error:
        raise ValueError(f"{file.name} is damaged: {error}") from error


def save_network(tensors: Mapping[str, Vectors], file: Path) -> None:
    """Write tensors by name, so that equal tensors give equal bytes."""
    import numpy as np

    np.savez(file, allow_pickle=False, **{name: tensors[name] for name in sorted(tensors)})
