"""Weights of an ONNX network are replaced, and it ends at one of its layers."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnxruntime
import pytest

from memoranda.exceptions import EmbedderUnavailable
from memoranda.models.embedding import word_vectors
from memoranda.models.embedding.minilm import installed_model
from memoranda.models.embedding.onnx_graph import ending_at, replacing, tensors
from memoranda.models.embedding.word_vectors import WordStates
from memoranda.utterances.network import load_network, packaged_states

LAYER = "layer_norm_6"
"""Output of the third of six blocks."""
BIAS = "inner.encoder.layer.0.output.dense.bias"


@pytest.fixture(scope="module")
def model() -> bytes:
    return installed_model().read_bytes()


def test_a_cut_network_ends_at_the_layer_and_is_smaller(model: bytes) -> None:
    cut = ending_at(model, LAYER)
    assert len(cut) < len(model)
    session = onnxruntime.InferenceSession(cut)
    assert [output.name for output in session.get_outputs()] == [LAYER]


def test_cut_at_the_end_it_gives_what_the_whole_one_gives(model: bytes) -> None:
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    ids = np.array([[101, 7592, 2088, 102]], np.int64)
    fed = {"input_ids": ids, "attention_mask": ids * 0 + 1, "token_type_ids": ids * 0}
    whole, cut = (
        onnxruntime.InferenceSession(content, options).run(["last_hidden_state"], fed)[0]
        for content in (model, ending_at(model, "last_hidden_state"))
    )
    assert np.abs(whole - cut).max() < 1e-4


def test_what_is_no_network_or_lacks_the_layer_is_refused(model: bytes) -> None:
    with pytest.raises(ValueError, match="no layer nowhere"):
        ending_at(model, "nowhere")
    with pytest.raises(ValueError, match="not a model"):
        ending_at(b"\x0f\xff\xff", LAYER)
    with pytest.raises(ValueError, match="not a model"):
        ending_at(b"\xff\xff", LAYER)


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


def test_a_model_without_the_layer_is_unavailable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(word_vectors, "LAYER", "nowhere")
    with pytest.raises(EmbedderUnavailable, match="cannot be read"):
        WordStates(dict).of("", ["word"])


def test_a_network_whose_weights_cannot_be_read_is_unavailable(tmp_path: Path) -> None:
    with pytest.raises(EmbedderUnavailable, match="cannot be read"):
        WordStates(lambda: load_network(tmp_path / "none.npz")).of("", ["word"])
