"""Fine-tuned upper layers of the network that classifies messages.

benchmarks/fit_utterances.py fine-tunes the upper layers of the local embedder's neural network on
labelled messages; the package contains only these layers, and takes the other layers from the
installed model.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

from memoranda.models.embedding.contextual_word_vectors import WordStates

NETWORK = Path(__file__).with_name("network.npz")


@cache
def packaged_states() -> WordStates:
    """Return the process's message network, which is loaded for the first text."""
    return WordStates(lambda: load_network(NETWORK))


def load_network(file: Path) -> dict[str, bytes]:
    """Load the fine-tuned tensors, by their names in the installed model.

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
