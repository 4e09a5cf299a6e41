"""Weights of an ONNX network are replaced."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from memoranda.exceptions import EmbedderUnavailable
from memoranda.models.embedding.contextual_word_vectors import WordStates
from memoranda.models.embedding.minilm import LocalEmbedder, installed_model
from memoranda.models.embedding.onnx_weights import replacing, tensors
from memoranda.utterances.classifier import UtteranceClassifier
from memoranda.utterances.network_weights import load_network, packaged_states

BIAS = "inner.encoder.layer.0.output.dense.bias"


@pytest.fixture(scope="module")
def model() -> bytes:
    return installed_model().read_bytes()


@pytest.mark.parametrize("content", [b"\x0f\xff\xff", b"\xff\xff"])
def test_what_is_no_network_is_refused(content: bytes) -> None:
    with pytest.raises(ValueError, match="not a model"):
        tensors(content)


def test_replaced_weights_change_the_states_and_nothing_else(model: bytes) -> None:
    zeros = bytes(len(tensors(model)[BIAS]))
    changed = replacing(model, {BIAS: zeros})
    assert changed != model
    assert tensors(changed) == tensors(model) | {BIAS: zeros}
    assert replacing(changed, {BIAS: tensors(model)[BIAS]}) == model
    plain, other = (
        WordStates(lambda weights=weights: weights).of("", ["never", "push"])[0]
        for weights in ({}, {BIAS: zeros})
    )
    assert np.abs(plain - other).max() > 1e-3


@pytest.mark.parametrize("weights", [{"nowhere": b"\0\0\0\0"}, {BIAS: b"\0\0\0\0"}])
def test_weights_without_a_tensor_of_their_size_are_refused(
    model: bytes, weights: dict[str, bytes]
) -> None:
    with pytest.raises(ValueError, match="no tensor"):
        replacing(model, weights)


def test_each_word_has_a_state_that_depends_on_its_neighbours() -> None:
    words = ["never", "push", "to", "main"]
    found, sizes = packaged_states().of("", words)
    other, _ = packaged_states().of("Shall I push?", words)
    assert found.shape == (4, 384)
    assert sizes.tolist() == [1, 1, 1, 1]
    assert np.abs(found - other).max() > 0.01


def test_a_long_text_is_seen_in_windows() -> None:
    found, sizes = packaged_states().of("before", ["word"] * 700)
    assert found.shape == (700, 384)
    assert np.isfinite(found).all()
    assert np.abs(found).sum(axis=1).min() > 0
    assert sizes.min() == 1


@pytest.mark.parametrize("content", [None, b"", b"PK", b"no archive"])
def test_a_damaged_network_is_unavailable_and_messages_are_read_without_it(
    tmp_path: Path, content: bytes | None
) -> None:
    file = tmp_path / "network.npz"
    if content is not None:
        file.write_bytes(content)
    states = WordStates(lambda: load_network(file))
    with pytest.raises(EmbedderUnavailable, match="cannot be read"):
        states.of("", ["word"])
    classifier = UtteranceClassifier(LocalEmbedder(), states=states)
    assert classifier.has_network
    text = "Never push to main. Why is the build red?"
    assert classifier.parts(text) == UtteranceClassifier(None).parts(text)
    assert not classifier.has_network
