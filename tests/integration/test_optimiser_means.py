"""The optimiser with vectors or words, with a model or none."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from test_optimiser import TALK, plant

from contract.records import Records
from language_servers import LanguageServer
from memoranda import Memoranda
from memoranda.assembly.services import Services
from memoranda.config import load_settings
from memoranda.exceptions import EmbedderUnavailable
from memoranda.memories.model import Memory
from memoranda.memories.vectors import MemoryVectors
from memoranda.profile.model import ProfileSuggestionKind
from memoranda.proposals.model import MemoryEdit

pytestmark = pytest.mark.integration


class Known:
    """An embedder for which texts with the same first word are equal."""

    name, dimensions = "known", 2

    def __init__(self, *, broken: bool = False) -> None:
        self.asked: list[str] = []
        self._broken = broken

    def embed(self, texts: Sequence[str], *, query: bool = False) -> np.ndarray:  # type: ignore[type-arg]
        if self._broken:
            raise EmbedderUnavailable("it is gone")
        self.asked += texts
        north, east = np.eye(2, dtype=np.float32)
        return np.array([north if text.startswith("Answer") else east for text in texts])


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memoranda]:
    settings = load_settings({"data_dir": tmp_path / "data", "embedder": "none"}, {})
    with Memoranda.open(settings=settings) as memory:
        yield memory


def two(memory: Memoranda) -> list[Memory]:
    place, records = memory._named_or_new("shop").id, Records(seed=5)
    texts = (
        "Answer us en fran\u00e7ais, whatever else anybody may write to this place. Pumps hum.",
        "Answers are to be French ones at every counter that our shops run. Pumps hum.",
        "Pumps are blue.",
    )
    return plant(memory, *(records.memory(place, text, tokens=9) for text in texts))


@pytest.mark.parametrize("broken", [False, True])
def test_similarity_uses_vectors_or_words_if_there_are_none(
    memory: Memoranda, broken: bool
) -> None:
    made = two(memory)
    optimiser, embedder = memory._services.optimiser, Known(broken=broken)
    meanings = MemoryVectors(memory._database, embedder)
    optimiser._means = replace(optimiser._means, meanings=meanings)
    found = memory.profile.optimize(workspace="shop").suggestions
    if broken:
        assert found == ()
        return
    assert len(embedder.asked) == 3
    (merge,) = found
    assert {step.memory for step in merge.steps} == {made[0].id, made[1].id}


def test_a_vector_that_search_has_is_not_made_again(memory: Memoranda) -> None:
    from memoranda.search.index import SearchIndexer

    made, embedder = two(memory), Known()
    indexing = SearchIndexer(memory._database, "local", embedder)
    indexing.index_memories()
    assert indexing.embed() == 3
    embedder.asked.clear()
    found = MemoryVectors(memory._database, embedder).of("local", made)
    assert embedder.asked == []
    assert set(found) == {one.id for one in made}
    assert MemoryVectors(memory._database, None).of("local", made) == {}


def test_a_text_that_was_changed_while_it_was_embedded_waits_for_its_own_vector(
    memory: Memoranda,
) -> None:
    from memoranda.search.index import SearchIndexer

    made, embedder = two(memory), Known()
    indexing = SearchIndexer(memory._database, "local", embedder)
    indexing.index_memories()
    embed = embedder.embed

    def meanwhile(texts: Sequence[str]) -> Any:
        memory.memories.edit(made[0].id, MemoryEdit(content="Bricks are red."))
        indexing.index_memories()
        return embed(texts)

    embedder.embed = meanwhile  # type: ignore[method-assign]
    indexing.embed(limit=3)
    embedder.embed = embed  # type: ignore[method-assign]
    assert indexing.embed() == 1
    assert any("Bricks are red." in text for text in embedder.asked)


@pytest.mark.parametrize("faithful", [True, False])
def test_the_words_of_a_model_are_taken_only_if_every_fact_is_in_them(
    tmp_path: Path, faithful: bool
) -> None:
    message = "Gate 7 of hall-3 is never locked." if faithful else "Gate 8 of hall-3 is open."
    reply = {"lines": [{"text": message, "refs": ["memory"]}]}
    with LanguageServer(reply=lambda text: reply) as server:
        settings = load_settings(
            {"data_dir": tmp_path / "data", "embedder": "none", "language_model": "compatible:m",
             "language_base_url": server.url, "language_prices": "m=0/0"}, {},
        )  # fmt: skip
        with Memoranda(Services(settings), _scope()) as memory:
            place, records = memory._named_or_new("shop").id, Records(seed=5)
            text = TALK * 3
            tokens = memory._services.counter.count(text)
            plant(memory, records.memory(place, text, tokens=tokens))
            found = memory.profile.optimize(workspace="shop").suggestions
    for one in found:
        assert one.kind is ProfileSuggestionKind.SHORTEN
        (step,) = one.steps
        assert step.after is not None
        assert "Gate 7 of hall-3 is never locked." in step.after.content
        assert "Gate 8" not in step.after.content


def _scope() -> object:
    from memoranda.scope import Scope

    return Scope()
