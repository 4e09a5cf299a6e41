"""Counts of many rows are cached for a while."""

from __future__ import annotations

import pytest

from memoranda.store.postgres import counts as counting
from memoranda.store.postgres.counts import KEPT_SECONDS, MANY, CachedCounts


def test_a_count_of_many_is_known_for_a_while() -> None:
    now = [0.0]
    counts = CachedCounts(lambda: now[0])
    counts.keep(MANY, "here", "memory", "word")
    assert counts.known("here", "memory", "word") == MANY
    assert counts.known("there", "memory", "word") is None
    assert counts.known("here", "memory") is None
    now[0] = KEPT_SECONDS
    assert counts.known("here", "memory", "word") is None


def test_a_count_of_few_is_taken_each_time() -> None:
    counts = CachedCounts()
    counts.keep(MANY - 1, "here", "memory")
    assert counts.known("here", "memory") is None


def test_the_least_recently_used_entry_is_evicted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(counting, "MAXIMUM", 2)
    counts = CachedCounts()
    counts.keep(MANY, "one")
    counts.keep(MANY, "two")
    assert counts.known("one") == MANY
    counts.keep(MANY, "three")
    known = [counts.known(name) for name in ("one", "two", "three")]
    assert known == [MANY, None, MANY]
