"""Fit the upper blocks of the local network to labelled messages, with JAX.

The network is that of the local embedder, a BERT encoder (Devlin et al.,
https://arxiv.org/abs/1810.04805). Its lower blocks stay as they are; the upper ones learn two tasks
at once: the label of each part, and the gaps at which parts end. The optimiser is Adam (Kingma and
Ba, https://arxiv.org/abs/1412.6980), whose rate rises first and then falls to 0. The same examples
give the same weights on one machine.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

os.environ.setdefault("JAX_PLATFORMS", "cpu")

import jax
import jax.numpy as jnp
import numpy as np

from measuring.report import progress
from memoranda.models.embedding.minilm import installed_model
from memoranda.models.embedding.onnx_weights import tensors

FIRST, BLOCKS = 3, 6
"""The first block that is fitted, and the number of blocks."""
HEADS, STATES = 12, 384
RATE, HEAD_RATE = 2e-4, 20.0
"""The highest rate, and how much faster the heads learn, which begin at 0."""
RISING = 0.1
"""The share of the steps in which the rate rises."""
DECAY = 0.01
BATCH = 32
DROPOUT = 0.1
CUT_SHARE = 0.5
"""Weight of the loss of the gaps, relative to that of the labels."""
MAX_TOKENS, MAX_PARTS = 192, 48
"""Tokens and parts of a message that are learnt from."""
_ROUND = 32
"""Lengths of batches are multiples of it: each length is compiled once."""
_OUT_OF_SIGHT = -1e9
_MATRICES = ("query", "key", "value", "mixed", "inner", "outer")
_PREFIX = "inner.encoder.layer.{}."
_VECTORS = {
    "query_bias": "attention.self.query.bias",
    "key_bias": "attention.self.key.bias",
    "value_bias": "attention.self.value.bias",
    "mixed_bias": "attention.output.dense.bias",
    "mixed_scale": "attention.output.LayerNorm.weight",
    "mixed_shift": "attention.output.LayerNorm.bias",
    "inner_bias": "intermediate.dense.bias",
    "outer_bias": "output.dense.bias",
    "outer_scale": "output.LayerNorm.weight",
    "outer_shift": "output.LayerNorm.bias",
}
_WIDTHS = {"inner": 4 * STATES}


@dataclass(frozen=True, slots=True)
class NetworkExample:
    """A message as the network reads it.

    ``words`` and ``parts`` are ranges of tokens: first, and one after the last. ``ends`` are true
    where a part ends after a word, for each word but the last.
    """

    tokens: tuple[int, ...]
    words: tuple[tuple[int, int], ...]
    ends: tuple[bool, ...]
    parts: tuple[tuple[int, int], ...]
    labels: tuple[int, ...]
    weight: float


@dataclass(frozen=True, slots=True)
class FittedNetwork:
    """Tensors by their names in the model file, and linear heads on the last states.

    ``labels`` is (states, labels), ``cuts`` (2 * states, 1), float32, each with its bias.
    """

    tensors: dict[str, Any]
    labels: tuple[Any, Any]
    cuts: tuple[Any, Any]


class _Encoder:
    """The weights of the installed model, as JAX reads them."""

    def __init__(self) -> None:
        self._data = tensors(installed_model().read_bytes())
        numbers = (name[:-2] for name in self._data if name.endswith("_q"))
        matrices = [name for name in numbers if name.startswith("val_")]
        self._matrices = sorted(matrices, key=lambda name: int(name.removeprefix("val_")))

    def embeddings(self) -> dict[str, Any]:
        """Return the vectors of tokens and positions, and their normalisation."""
        inner = "inner.embeddings."
        return {
            "words": self._rows(f"{inner}word_embeddings.weight"),
            "places": self._rows(f"{inner}position_embeddings.weight")
            + self._floats(f"{inner}token_type_embeddings.weight")[:STATES],
            "scale": self._floats(f"{inner}LayerNorm.weight"),
            "shift": self._floats(f"{inner}LayerNorm.bias"),
        }

    def block(self, number: int) -> dict[str, Any]:
        """Return the weights of a block."""
        prefix = _PREFIX.format(number)
        found = {name: self._floats(prefix + end) for name, end in _VECTORS.items()}
        for kind, name in self._names(number):
            scale = self._floats(f"{name}_scale")
            whole = np.frombuffer(self._data[f"{name}_q"], np.int8).reshape(-1, len(scale))
            found[kind] = whole * scale
        return found

    def tensors(self, number: int, block: dict[str, Any]) -> dict[str, Any]:
        """Return the weights of a block as tensors of the file: matrices in 8 bits a number."""
        prefix = _PREFIX.format(number)
        found = {prefix + end: np.asarray(block[name]) for name, end in _VECTORS.items()}
        for kind, name in self._names(number):
            matrix = np.asarray(block[kind])
            scale = np.maximum(np.abs(matrix).max(axis=0, keepdims=True), 1e-9) / 127
            found[f"{name}_q"] = np.round(matrix / scale).astype(np.int8)
            found[f"{name}_scale"] = scale.astype(np.float32)
        return found

    def _names(self, number: int) -> Iterator[tuple[str, str]]:
        count = len(_MATRICES)
        yield from zip(_MATRICES, self._matrices[count * number :][:count], strict=True)

    def _floats(self, name: str) -> Any:
        return np.frombuffer(self._data[name], np.float32)

    def _rows(self, name: str) -> Any:
        rows = np.frombuffer(self._data[f"{name}_q"], np.int8).reshape(-1, STATES)
        return rows * self._floats(f"{name}_scale")[:, None]


def fit_network(examples: Sequence[NetworkExample], epochs: int, labels: int) -> FittedNetwork:
    """Fit the upper blocks and the heads to examples, each read ``epochs`` times."""
    encoder = _Encoder()
    lower = _lower_states(encoder, examples)
    fitted: dict[str, Any] = {
        "blocks": [encoder.block(number) for number in range(FIRST, BLOCKS)],
        "labels": (jnp.zeros((STATES, labels)), jnp.zeros(labels)),
        "cuts": (jnp.zeros((STATES, 2)), jnp.zeros(1)),
    }
    moments = [jax.tree.map(jnp.zeros_like, fitted) for _ in range(2)]
    order, key = np.random.default_rng(0), jax.random.key(0, impl="rbg")
    steps = epochs * -(-len(examples) // BATCH)
    step = 0
    for epoch in range(epochs):
        losses = []
        for places in _groups(examples, order):
            step += 1
            key, dropped = jax.random.split(key)
            batch = _batch([examples[at] for at in places])
            states = _padded([lower[at] for at in places], batch["tokens"].shape[1])
            rate = RATE * min(step / (RISING * steps), (steps - step) / ((1 - RISING) * steps))
            fitted, moments, loss = _step(fitted, moments, states, batch, step, rate, dropped)
            losses.append(float(loss))
        progress(f"epoch {epoch + 1} of {epochs}: mean loss {np.mean(losses):.4f}")
    blocks = zip(range(FIRST, BLOCKS), fitted["blocks"], strict=True)
    merged = {name: data for at, one in blocks for name, data in encoder.tensors(at, one).items()}
    left_right = np.asarray(fitted["cuts"][0])
    cuts = np.concatenate([left_right[:, 0], left_right[:, 1]])[:, None]
    return FittedNetwork(
        merged,
        (np.asarray(fitted["labels"][0]), np.asarray(fitted["labels"][1])),
        (cuts, np.asarray(fitted["cuts"][1])),
    )


def _lower_states(encoder: _Encoder, examples: Sequence[NetworkExample]) -> list[Any]:
    """Return the states of each example after the blocks that are not fitted: (tokens, states)."""
    blocks = [encoder.block(number) for number in range(FIRST)]
    run = jax.jit(partial(_lower, encoder.embeddings(), blocks))
    result: list[Any] = [None] * len(examples)
    for places in _groups(examples, np.random.default_rng(0)):
        batch = _batch([examples[at] for at in places])
        states = np.asarray(run(batch["tokens"], batch["unseen"]))
        for at, found in zip(places, states, strict=True):
            result[at] = found[: len(examples[at].tokens)]
    return result


def _padded(rows: Sequence[Any], size: int) -> Any:
    padded = np.zeros((len(rows), size, STATES), np.float32)
    for at, row in enumerate(rows):
        padded[at, : len(row)] = row
    return padded


def _groups(examples: Sequence[NetworkExample], order: Any) -> list[Any]:
    """Return the places of examples of similar lengths together, in random order."""
    lengths = [len(one.tokens) + _ROUND / 4 * order.random() for one in examples]
    by_length = np.argsort(lengths, kind="stable")
    groups = [by_length[at : at + BATCH] for at in range(0, len(examples), BATCH)]
    return [groups[number] for number in order.permutation(len(groups))]


def _batch(rows: Sequence[NetworkExample]) -> dict[str, Any]:
    longest = min(MAX_TOKENS, max(len(row.tokens) for row in rows))
    size = -(-longest // _ROUND) * _ROUND
    count = len(rows)
    found = {
        "tokens": np.zeros((count, size), np.int32),
        "unseen": np.full((count, size), _OUT_OF_SIGHT, np.float32),
        "words": np.zeros((count, size, size), np.float32),
        "ends": np.zeros((count, size - 1), np.float32),
        "end_weights": np.zeros((count, size - 1), np.float32),
        "parts": np.zeros((count, MAX_PARTS, size), np.float32),
        "labels": np.zeros((count, MAX_PARTS), np.int32),
        "part_weights": np.zeros((count, MAX_PARTS), np.float32),
    }
    for at, row in enumerate(rows):
        tokens = row.tokens[:size]
        found["tokens"][at, : len(tokens)] = tokens
        found["unseen"][at, : len(tokens)] = 0
        words = [span for span in row.words if span[1] <= size]
        for number, (first, end) in enumerate(words):
            found["words"][at, number, first:end] = 1 / (end - first)
        gaps = max(0, len(words) - 1)
        found["ends"][at, :gaps] = row.ends[:gaps]
        found["end_weights"][at, :gaps] = row.weight
        parts = [part for part in zip(row.parts, row.labels, strict=True) if part[0][1] <= size]
        for number, ((first, end), label) in enumerate(parts[:MAX_PARTS]):
            found["parts"][at, number, first:end] = 1 / (end - first)
            found["labels"][at, number] = label
            found["part_weights"][at, number] = row.weight
    return found


def _lower(table: dict[str, Any], blocks: list[Any], tokens: Any, unseen: Any) -> Any:
    states = jnp.asarray(table["words"])[tokens] + table["places"][: tokens.shape[1]]
    states = _normal(states, table["scale"], table["shift"])
    for block in blocks:
        states = _block(block, states, unseen, None)
    return states


def _normal(states: Any, scale: Any, shift: Any) -> Any:
    middle = states.mean(-1, keepdims=True)
    spread = jnp.sqrt(((states - middle) ** 2).mean(-1, keepdims=True) + 1e-12)
    return (states - middle) / spread * scale + shift


def _block(block: dict[str, Any], states: Any, unseen: Any, key: Any) -> Any:
    count, size, width = states.shape
    keys = [None] * 2 if key is None else jax.random.split(key, 2)

    def split(name: str) -> Any:
        found = states @ block[name] + block[f"{name}_bias"]
        return found.reshape(count, size, HEADS, width // HEADS).transpose(0, 2, 1, 3)

    query, keyed, value = (split(name) for name in _MATRICES[:3])
    scores = query @ keyed.transpose(0, 1, 3, 2) / np.sqrt(width // HEADS)
    shares = jax.nn.softmax(scores + unseen[:, None, None, :])
    mixed = (shares @ value).transpose(0, 2, 1, 3).reshape(count, size, width)
    mixed = _dropped(mixed @ block["mixed"] + block["mixed_bias"], keys[0])
    states = _normal(states + mixed, block["mixed_scale"], block["mixed_shift"])
    inner = jax.nn.gelu(states @ block["inner"] + block["inner_bias"], approximate=False)
    outer = _dropped(inner @ block["outer"] + block["outer_bias"], keys[1])
    return _normal(states + outer, block["outer_scale"], block["outer_shift"])


def _dropped(states: Any, key: Any) -> Any:
    if key is None:
        return states
    return jnp.where(jax.random.bernoulli(key, 1 - DROPOUT, states.shape), states, 0) / (
        1 - DROPOUT
    )


def _loss(fitted: dict[str, Any], states: Any, batch: dict[str, Any], key: Any) -> Any:
    """Return the mean log loss of the labels and, at its share, of the gaps."""
    keys = jax.random.split(key, len(fitted["blocks"]) + 1)
    for block, dropped in zip(fitted["blocks"], keys, strict=False):
        states = _block(block, states, batch["unseen"], dropped)
    weights, bias = fitted["labels"]
    scores = _dropped(batch["parts"] @ states, keys[-1]) @ weights + bias
    logs = jnp.take_along_axis(jax.nn.log_softmax(scores), batch["labels"][..., None], -1)[..., 0]
    weights, bias = fitted["cuts"]
    sides = batch["words"] @ (states @ weights)
    gaps = sides[:, :-1, 0] + sides[:, 1:, 1] + bias
    cuts = jax.nn.softplus(gaps) - batch["ends"] * gaps
    return -_mean(logs, batch["part_weights"]) + CUT_SHARE * _mean(cuts, batch["end_weights"])


def _mean(values: Any, weights: Any) -> Any:
    return (values * weights).sum() / jnp.maximum(weights.sum(), 1e-6)


@jax.jit
def _step(
    fitted: Any, moments: list[Any], states: Any, batch: Any, step: int, rate: float, key: Any
) -> tuple[Any, list[Any], Any]:
    """Return the weights and the moments of Adam after one batch, and its loss."""
    loss, slopes = jax.value_and_grad(_loss)(fitted, states, batch, key)
    length = jnp.sqrt(sum((slope**2).sum() for slope in jax.tree.leaves(slopes)))
    slopes = jax.tree.map(lambda slope: slope * jnp.minimum(1, 1 / (length + 1e-6)), slopes)
    means = jax.tree.map(lambda mean, slope: 0.9 * mean + 0.1 * slope, moments[0], slopes)
    squares = jax.tree.map(lambda old, slope: 0.999 * old + 0.001 * slope**2, moments[1], slopes)

    def moved(path: Any, weights: Any, mean: Any, square: Any) -> Any:
        pace = rate * (1.0 if path[0].key == "blocks" else HEAD_RATE)
        way = mean / (1 - 0.9**step) / (jnp.sqrt(square / (1 - 0.999**step)) + 1e-8)
        return weights - pace * way - rate * DECAY * weights

    fitted = jax.tree_util.tree_map_with_path(moved, fitted, means, squares)
    return fitted, [means, squares], loss
