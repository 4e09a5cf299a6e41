"""Finding memories that state the same: exactly, by words, by meaning."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from acting import acting, opened

from contract.clock import FixedClock
from memoranda import Memoranda
from memoranda.assembly.services import Services
from memoranda.config import Settings
from memoranda.feedback.turn_classifier import FeedbackReader
from memoranda.memories.duplicates import (
    UNKNOWN,
    find_duplicate,
    sharing_words,
    with_every_word,
    with_same_text,
)
from memoranda.memories.memory_service import NewMemory
from memoranda.memories.model import Memory, Visibility
from memoranda.scope import Scope

pytestmark = [pytest.mark.integration, pytest.mark.engines("sqlite")]


@pytest.fixture
def memory(engine: Settings) -> Iterator[Memoranda]:
    with opened(engine, FixedClock(step=1)) as memory:
        yield memory


def scope(memory: Memoranda, workspace: str = "shop", agent: str | None = None) -> Scope:
    return acting(memory, agent, workspace)._scope


def contents(found: list[Memory]) -> list[str]:
    return sorted(one.content for one in found)


def test_memories_that_share_words_are_found_in_their_place(memory: Memoranda) -> None:
    memory.remember("Lamps are tested on Mondays", workspace="shop")
    memory.remember("The lamp of the yard is green", workspace="yard")
    memory.remember(NewMemory("Lamps save power", visibility=Visibility.TEAM))
    memory.remember("Prices are net", workspace="shop")
    here, database = scope(memory), memory._database
    found = database.read(lambda tx: sharing_words(tx, here, "the lamps"))
    assert contents(found) == ["Lamps are tested on Mondays", "Lamps save power"]
    everywhere = database.read(lambda tx: sharing_words(tx, Scope("local"), "the lamps"))
    assert len(everywhere) == 3
    assert database.read(lambda tx: sharing_words(tx, here, "the lamps", 1)) == found[:1]
    assert database.read(lambda tx: sharing_words(tx, Scope("elsewhere"), "the lamps")) == []
    assert database.read(lambda tx: sharing_words(tx, here, "of the and ...")) == []


def test_what_is_not_approved_or_anothers_is_not_found(memory: Memoranda) -> None:
    bob = acting(memory, "bob", "shop")
    bob.remember("Lamps wait for approval")
    private = NewMemory("Lamps are my own plan", visibility=Visibility.AGENT)
    bob.remember(private)
    gone = memory.remember("Lamps were green", workspace="shop")
    memory.memories.archive(gone.id)
    (plan, _) = memory.proposals.list().items
    memory.proposals.approve(plan.id, plan.hash)
    database = memory._database
    for who, expected in ((None, []), ("eve", []), ("bob", ["Lamps are my own plan"])):
        place = scope(memory, agent=who)
        found = database.read(lambda tx, place=place: sharing_words(tx, place, "lamps"))  # type: ignore[misc]
        assert contents(found) == expected


def test_many_archived_memories_do_not_hide_a_valid_one(memory: Memoranda) -> None:
    for number in range(60):
        gone = memory.remember(f"Lamp {number} is on", workspace="shop")
        memory.memories.archive(gone.id)
    memory.remember("The lamp of the porch with the long chain is on", workspace="shop")
    here = scope(memory)
    found = memory._database.read(lambda tx: with_every_word(tx, here, "the lamp"))
    assert contents(found) == ["The lamp of the porch with the long chain is on"]


def test_every_word_that_carries_content_must_be_there(memory: Memoranda) -> None:
    memory.remember("The tea is in the cupboard", workspace="shop")
    memory.remember("The cupboard is green", workspace="shop")
    here, database = scope(memory), memory._database

    def found(text: str) -> list[str]:
        return contents(database.read(lambda tx: with_every_word(tx, here, text)))

    assert found("tea") == ["The tea is in the cupboard"]
    assert found("the cupboards") == ["The cupboard is green", "The tea is in the cupboard"]
    assert found("the tea and the milk") == []
    assert found("it") == []
    assert found("The cupboard is GREEN.") == ["The cupboard is green"]


def test_an_exact_match_requires_the_first_line(memory: Memoranda) -> None:
    memory.remember('Knock first.\nSaid of: "I went in."', workspace="shop")
    memory.remember("Always knock first", workspace="shop")
    here, database = scope(memory), memory._database
    for text, expected in (
        ("knock FIRST", True),
        ("Knock first!", True),
        ("Knock first, then ring", False),
        ("Said of", False),
    ):
        found = database.read(lambda tx, text=text: with_same_text(tx, here, text))  # type: ignore[misc]
        assert (found is not None) is expected, text


def test_the_same_in_other_words_is_found_by_meaning(engine: Settings) -> None:
    with Memoranda(Services(engine, FixedClock(step=1)), Scope()) as memory:
        wanted = memory.remember("Tag every release with the year", workspace="shop")
        memory.remember("Delete the tag of every release", workspace="shop")
        memory.remember("The year begins in spring", workspace="shop")
        memory.capture.drain()
        reader, here = FeedbackReader(memory._services.embedder), scope(memory)
        text = "Put the year into the tag of each release"
        meaning = reader.meaning(text)
        found = memory._database.read(lambda tx: find_duplicate(tx, here, text, meaning))
        assert found is not None
        assert found.id == wanted.id
        blind = memory._database.read(
            lambda tx: find_duplicate(tx, here, "year after year", UNKNOWN)
        )
        assert blind is None


def test_a_meaning_is_unknown_without_an_embedder_or_words(memory: Memoranda) -> None:
    assert FeedbackReader(None).meaning("lamps") == UNKNOWN
    assert FeedbackReader(None).read("That's wrong, it is red", "It is blue.").sure
