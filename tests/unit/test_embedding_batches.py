"""Batches of texts that go through the local model together."""

from __future__ import annotations

from memoranda.models.embedding.minilm import BATCH_TOKENS, _batches


def test_batches_are_of_like_length_and_hold_every_text_once() -> None:
    lengths = [3, 250, 4, 256, 90, 5, 120, 3] * 4
    found = list(_batches(lengths))
    assert sorted(place for batch in found for place in batch) == list(range(len(lengths)))
    for batch in found:
        assert len(batch) == 1 or len(batch) * lengths[batch[-1]] <= BATCH_TOKENS
    assert len(found) < len(lengths)
