"""Settings that change the order of results."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import replace

import pytest
from happenings import message_event, ran

from memoranda import Memoranda
from memoranda.config import Settings
from memoranda.memories.memory_service import NewMemory
from memoranda.search.model import FACTORS, SearchMode
from reranking_servers import RerankingServer
from scripted_servers import Answer

pytestmark = [pytest.mark.integration, pytest.mark.engines("sqlite")]

YEAR = 365 * 24 * 3_600_000_000


@pytest.fixture
def memory(engine: Settings) -> Iterator[Memoranda]:
    """Return an open, empty memory with the local model, on each engine."""
    with Memoranda.open(settings=engine, workspace="shop") as opened:
        yield opened


def titles(memory: Memoranda, query: str, **how: object) -> list[str]:
    """Return the titles of a search's results, best first."""
    return [hit.title for hit in memory.search(query, **how).hits]  # type: ignore[arg-type]


def test_exact_mode_puts_tags_before_words_and_words_before_meaning(memory: Memoranda) -> None:
    memory.capture.take(
        [
            message_event("meaning", "Cents are cut off when a sum has too many digits."),
            message_event("words", "We talked about rounding, rounding and rounding again."),
            message_event("other", "The canteen has new chairs."),
        ]
    )
    memory.remember(NewMemory("Totals are half up.", tags=("rounding",)))
    memory.index.reembed()
    assert titles(memory, "rounding", mode="exact", min_score=0)[:3] == [
        "Totals are half up.",
        "We talked about rounding, rounding and rounding again.",
        "Cents are cut off when a sum has too many digits.",
    ]
    assert titles(memory, "rounding")[0].startswith("We talked")
    assert memory.search("rounding", mode="exact").mode is SearchMode.EXACT


def test_an_exact_search_pages_like_any_other(memory: Memoranda) -> None:
    for number in range(7):
        tags = ("pump",) if number % 2 else ()
        memory.remember(NewMemory(f"The pump number {number} leaks.", tags=tags))
    memory.index.reembed()
    seen: list[str] = []
    cursor: str | None = None
    while True:
        page = memory.search("pump", mode="exact", limit=2, cursor=cursor)
        seen += [hit.title for hit in page.hits]
        cursor = page.cursor
        if not cursor:
            break
    assert len(seen) == len(set(seen)) == 7
    assert all(int(title[16]) % 2 for title in seen[:3])


def test_a_tag_filter_applies_in_exact_mode(memory: Memoranda) -> None:
    from memoranda.search.filters import SearchFilter

    memory.remember(NewMemory("Pumps leak in winter.", tags=("winter",)))
    memory.remember(NewMemory("Pumps leak in summer.", tags=("summer", "pumps")))
    memory.index.reembed()
    where = SearchFilter(tags=("winter",))
    assert titles(memory, "pumps", mode="exact", where=where) == ["Pumps leak in winter."]


def test_weights_are_settings(memory: Memoranda) -> None:
    now = int(time.time() * 1_000_000)
    memory.capture.take(
        [
            message_event("old", "The pump leaks at the blue valve.", occurred_at=now - 2 * YEAR),
            message_event("new", "Some pump was mentioned.", occurred_at=now),
        ]
    )
    memory.index.reembed()
    query = "which pump leaks at the blue valve"
    assert titles(memory, query)[0].startswith("The pump leaks")
    weights = {**FACTORS, "similarity": 0.01, "recency": 1.0}
    changed = replace(memory.settings, recall_weights=weights)
    with Memoranda.open(settings=changed, workspace="shop") as other:
        assert titles(other, query)[0].startswith("Some pump")


def test_reciprocal_ranks_are_there_for_who_wants_them(memory: Memoranda) -> None:
    memory.capture.take(
        [message_event(f"n{n}", text) for n, text in enumerate(("a leaking valve", "tea", "cake"))]
    )
    memory.index.reembed()
    changed = replace(memory.settings, fusion="reciprocal")
    with Memoranda.open(settings=changed, workspace="shop") as other:
        best, *others = other.search("leaking valve").hits
        assert best.title == "a leaking valve"
        assert best.score > max((hit.score for hit in others), default=0.0)
        assert all(hit.why["similarity"] < best.why["similarity"] for hit in others)


def with_reranker(memory: Memoranda, url: str) -> Memoranda:
    """Open the same store with a reranker."""
    arguments = {"reranker": "compatible", "reranker_url": url, "reranker_model": "m"}
    return Memoranda.open(settings=replace(memory.settings, **arguments), workspace="shop")


def leaks(memory: Memoranda) -> None:
    """Store a dozen statements, each with one word more than the one before."""
    more = ["of", "the", "pump", "in", "the", "boiler", "house", "behind", "the", "old", "mill"]
    texts = ["leaking valve " + " ".join(more[:n]) for n in range(len(more))]
    memory.capture.take([message_event(f"n{n}", text) for n, text in enumerate(texts)])
    memory.index.reembed()


def test_a_reranker_has_the_last_word_on_every_page(memory: Memoranda) -> None:
    leaks(memory)
    query = "leaking valve mill boiler house"
    with RerankingServer() as server, with_reranker(memory, server.url) as other:
        first = other.search(query, limit=4)
        second = other.search(query, limit=4, cursor=first.cursor)
        scores = [hit.why["rerank"] for hit in (*first.hits, *second.hits)]
        assert scores == sorted(scores, reverse=True)
        assert not {hit.id for hit in first.hits} & {hit.id for hit in second.hits}
        assert all(
            text.startswith("leaking valve") for text in server.requests[0].body["documents"]
        )
        assert not first.degraded


def test_what_a_reranker_reads_of_a_long_text_is_the_passage_that_answers(
    memory: Memoranda,
) -> None:
    filler = "Nothing of note took place in the village that day. " * 40
    memory.capture.take(
        [message_event("long", filler + "The key hangs behind the clock. " + filler)]
    )
    memory.index.reembed()
    with RerankingServer() as server, with_reranker(memory, server.url) as other:
        [hit] = other.search("where does the key hang").hits
        [read] = server.requests[0].body["documents"]
        assert hit.excerpt is not None
        assert read == hit.excerpt.text


def test_without_its_reranker_a_search_continues_and_reports_it(memory: Memoranda) -> None:
    leaks(memory)
    usual = titles(memory, "leaking valve", limit=4)
    broken = Answer(400, {"error": "no such model"})
    with RerankingServer(broken) as server, with_reranker(memory, server.url) as other:
        found = other.search("leaking valve", limit=4)
        assert [hit.title for hit in found.hits] == usual
        assert found.degraded
        assert "no such model" in found.note
        assert found.mode is SearchMode.HYBRID


def test_a_tool_result_contains_no_markup(memory: Memoranda) -> None:
    memory.capture.take([ran("t", "pytest tests", "2 passed"), message_event("m", "tests are fun")])
    memory.index.reembed()
    [first, *_] = memory.search("test", mode="exact").hits
    assert first.tags
