"""Write the fitted files that the package reads messages with."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from memoranda.utterances.fitted_model import UtteranceModel

if TYPE_CHECKING:
    from memoranda.ports import Vectors


def save_model(model: UtteranceModel, file: Path) -> None:
    """Write a model: sparse weights in 8 bits each, the others in 16.

    Equal models give equal bytes.
    """
    arrays: dict[str, Vectors] = {"embedder": np.array(model.embedder)}
    for reading, models in (("whole", model.whole), ("plain", model.plain)):
        for part, head in (("cuts", models.cuts), ("labels", models.labels)):
            name = f"{reading}_{part}"
            scale = np.maximum(np.abs(head.sparse).max(axis=0), 1e-9) / 127
            arrays[f"{name}_sparse"] = np.round(head.sparse / scale).astype(np.int8)
            arrays[f"{name}_scale"] = scale.astype(np.float32)
            arrays[f"{name}_dense"] = head.dense.astype(np.float16)
            arrays[f"{name}_bias"] = head.bias.astype(np.float32)
    np.savez_compressed(file, allow_pickle=False, **arrays)


def save_network(tensors: Mapping[str, Vectors], file: Path) -> None:
    """Write tensors by name; equal tensors give equal bytes."""
    np.savez(file, allow_pickle=False, **{name: tensors[name] for name in sorted(tensors)})
