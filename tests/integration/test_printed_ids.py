"""Ids as printed work as typed, also where two memories' ids begin alike."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from acting import opened

from contract.clock import START, FixedClock
from memoranda import Memoranda
from memoranda.config import Settings, load_settings
from memoranda.exceptions import InvalidInput

pytestmark = pytest.mark.integration

TEXTS = ("The gateway listens on port 8080.", "The gateway does not listen on port 8080.")


@pytest.fixture
def memory(engine: Settings) -> Iterator[Memoranda]:
    with opened(engine, FixedClock(step=1)) as memory:
        yield memory


def test_the_printed_id_of_a_copy_is_its_own(memory: Memoranda, tmp_path: Path) -> None:
    stored = [memory.remember(f"{text} {text}") for text in TEXTS]
    memory.archive.export(tmp_path / "copy.zip")
    report = memory.archive.import_archive(tmp_path / "copy.zip", ids="renew", trust=True)
    assert report.added["memories"] == len(stored)
    hits = memory.search("gateway port 8080", min_score=0).hits
    assert len({hit.ref for hit in hits}) == 2 * len(stored)
    assert all(len(hit.ref) == 18 for hit in hits)
    assert [memory.resolve(hit.ref) for hit in hits] == [hit.id for hit in hits]


def test_ids_that_begin_alike_are_printed_in_full(memory: Memoranda, tmp_path: Path) -> None:
    """Two processes that store at the same time give ids with the same beginning."""
    memory.remember(TEXTS[0])
    settings = load_settings({"data_dir": tmp_path / "other"}, {})
    with opened(settings, FixedClock(START, step=1)) as other:
        other.remember(TEXTS[1])
        other.archive.export(tmp_path / "other.zip")
    memory.archive.import_archive(tmp_path / "other.zip", trust=True)
    result = memory.search("gateway port 8080", min_score=0)
    first, second = result.hits
    assert first.id[:18] == second.id[:18]
    assert (first.ref, second.ref) == (first.id, second.id)
    [pair] = result.validation.contradictions
    assert {pair.older, pair.newer} == {first.ref, second.ref}
    with pytest.raises(InvalidInput) as error:
        memory.memories.show(first.id[:18])
    assert first.id in str(error.value)
    assert second.id in str(error.value)
