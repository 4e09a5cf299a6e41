"""Truncation of an ONNX network after one of its layers."""

from __future__ import annotations

import numpy as np
import onnxruntime
import pytest

from memoranda.exceptions import EmbedderUnavailable
from memoranda.models.embedding import word_vectors
from memoranda.models.embedding.minilm import installed_model
from memoranda.models.embedding.onnx_inner_layer import ending_at
from memoranda.models.embedding.word_vectors import LAYER, WordStates, shared_states


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


def test_each_word_has_a_state_that_depends_on_its_neighbours() -> None:
    words = ["never", "push", "to", "main"]
    found, sizes = shared_states().of("", words)
    other, _ = shared_states().of("Shall I push?", words)
    assert found.shape == (4, 384)
    assert sizes.tolist() == [1, 1, 1, 1]
    assert np.abs(found - other).max() > 0.01


def test_a_long_text_is_seen_in_windows() -> None:
    found, sizes = shared_states().of("before", ["word"] * 700)
    assert found.shape == (700, 384)
    assert np.isfinite(found).all()
    assert np.abs(found).sum(axis=1).min() > 0
    assert sizes.min() == 1


def test_a_model_without_the_layer_is_unavailable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(word_vectors, "LAYER", "nowhere")
    with pytest.raises(EmbedderUnavailable, match="cannot be read"):
        WordStates().of("", ["word"])
