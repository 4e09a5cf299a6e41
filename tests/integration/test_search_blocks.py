"""Search covers the caller's blocks and returns the matching line."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from memoranda import Memoranda
from memoranda.blocks.block_writer import NewBlock
from memoranda.config import load_settings
from memoranda.search.filters import SearchFilter
from memoranda.search.model import HitKind, SearchMode

pytestmark = pytest.mark.integration

RUNBOOK = "Restart the queue before the importer.\n\nThe importer reads parcels at midnight."
BLOCKS = SearchFilter(kinds=(HitKind.BLOCK,))


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memoranda]:
    settings = load_settings({"data_dir": tmp_path / "data", "embedder": "none"}, {})
    with Memoranda.open(settings=settings) as memory:
        memory.blocks.create(NewBlock("runbook", RUNBOOK), workspace="shop")
        yield memory


@pytest.mark.parametrize(
    ("query", "line"),
    [
        ("when does the importer read parcels", "The importer reads parcels at midnight."),
        ("parcels midnight", "The importer reads parcels at midnight."),
        ("restarting queues", "Restart the queue before the importer."),
        ("runbook midnight", "The importer reads parcels at midnight."),
    ],
)
def test_the_line_with_the_words_answers(memory: Memoranda, query: str, line: str) -> None:
    (hit,) = memory.search(query, workspace="shop", where=BLOCKS).hits
    assert hit.excerpt is not None
    assert (hit.kind, hit.ref, hit.excerpt.text) == (HitKind.BLOCK, "runbook", line)
    start = hit.excerpt.start
    assert RUNBOOK[start : start + hit.excerpt.length] == line
    assert hit.score == sum(hit.parts.values())


@pytest.mark.parametrize("query", ["", "giraffe opera ticket", "the importer of opera tickets"])
def test_what_no_line_answers_finds_no_block(memory: Memoranda, query: str) -> None:
    assert not memory.search(query, workspace="shop", where=BLOCKS).hits


@pytest.mark.parametrize(
    "where",
    [
        SearchFilter(kinds=(HitKind.MEMORY, HitKind.OBSERVATION)),
        SearchFilter(tags=("midnight",)),
        SearchFilter(least_confidence=0.5),
        SearchFilter(until=1),
        SearchFilter(as_of=1),
        SearchFilter(team_wide=True),
    ],
)
def test_a_filter_that_no_block_passes_leaves_blocks_out(
    memory: Memoranda, where: SearchFilter
) -> None:
    assert not memory.search("parcels midnight", workspace="shop", where=where).hits


def test_another_workspace_does_not_find_it(memory: Memoranda) -> None:
    memory.blocks.create(NewBlock("garden", "Roses are cut in March."), workspace="yard")
    assert not memory.search("parcels midnight", workspace="yard").hits


def test_pages_have_each_block_once(memory: Memoranda) -> None:
    for number in range(5):
        text = f"Parcels arrive at midnight on dock {number}."
        memory.blocks.create(NewBlock(f"dock-{number}", text), workspace="shop")
    seen: list[str] = []
    cursor = None
    for _ in range(9):
        page = memory.search("parcels midnight", workspace="shop", limit=2, cursor=cursor)
        seen += [hit.ref for hit in page.hits]
        cursor = page.cursor
        if cursor is None:
            break
    assert sorted(seen) == [*(f"dock-{number}" for number in range(5)), "runbook"]


def test_what_a_block_repeats_of_a_record_is_listed_once(memory: Memoranda) -> None:
    memory.remember("Vans are washed on Fridays.", workspace="shop")
    memory.blocks.create(NewBlock("vans", "Vans are washed on Fridays."), workspace="shop")
    hits = memory.search("vans washed Fridays", workspace="shop").hits
    assert [hit.kind for hit in hits] == [HitKind.MEMORY]


def test_exact_matches_stand_before_blocks(memory: Memoranda) -> None:
    memory.remember("Parcels wait for a scan.", workspace="shop")
    hits = memory.search("parcels midnight", workspace="shop", mode=SearchMode.EXACT).hits
    assert [hit.kind for hit in hits][-1] == HitKind.BLOCK
