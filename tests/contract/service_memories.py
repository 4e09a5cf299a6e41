"""Memories: stated, changed, searched, as of a time, deleted."""

from __future__ import annotations

from dataclasses import replace

import pytest

from contract.service_callers import BOT, EVE, RIVAL, SHOP, Callers, ServiceCase
from memoranda import Memoranda
from memoranda.exceptions import Conflict, InvalidInput, NotFound, ProfileFull
from memoranda.json_data import parse_iso_time
from memoranda.memories.memory_service import NewMemory
from memoranda.memories.model import Category, Memory, MemoryStatus, Visibility
from memoranda.memories.removal import RemovalSelection
from memoranda.proposals.model import MemoryEdit
from memoranda.search.filters import SearchFilter
from memoranda.search.model import SearchResult
from tables import each

JANUARY, JUNE = parse_iso_time("2026-01-01"), parse_iso_time("2026-06-01")
MARCH, JULY = parse_iso_time("2026-03-01"), parse_iso_time("2026-07-01")


class MemoryServiceContract(ServiceCase):
    def test_what_a_person_states_is_there_as_it_was_stated(self, ada: Memoranda) -> None:
        stated = NewMemory(
            "Préis sind netto 🧾.\nAlways round half up.",
            title="Prices",
            category=Category.PATTERN,
            tags=("money", "rounding"),
            critical=True,
            protected=True,
            valid_from=JANUARY,
        )
        made = ada.remember(stated, workspace=SHOP)
        assert isinstance(made, Memory)
        assert (made.content, made.title, made.tags) == (stated.content, "Prices", stated.tags)
        assert (made.status, made.valid_from) == (MemoryStatus.APPROVED, JANUARY)
        assert made.critical
        assert ada.memories.show(made.id).memory == made
        assert ada.memories.evidence(made.id[:18]).memory == made
        assert ada.memories.list(workspace=SHOP).items == (made,)

    def test_saying_the_same_again_strengthens_what_is_there(self, ada: Memoranda) -> None:
        first = ada.remember("Prices are net.", workspace=SHOP)
        again = ada.remember("prices are NET", workspace=SHOP)
        assert again.id == first.id
        assert again.uses == first.uses + 1

    def test_a_change_keeps_the_earlier_version_and_can_be_undone(self, ada: Memoranda) -> None:
        made = ada.remember("The gateway listens on port 8080.", workspace=SHOP)
        changed = ada.memories.edit(
            made.id, MemoryEdit(content="It listens on 9090."), reason="moved"
        )
        assert changed.memory.content == "It listens on 9090."
        assert changed.proposal is None
        history = ada.memories.history(made.id)
        assert [version.reason for version in history][:1] == ["moved"]
        back = ada.memories.restore(made.id, history.items[-1].version)
        assert back.content == made.content

    def test_search_finds_by_words_and_explains_why(self, ada: Memoranda) -> None:
        made = ada.remember("Freight above 1000 kg is quoted by hand.", workspace=SHOP)
        ada.remember("The vault opens at nine.", workspace=SHOP)
        found = ada.search("freight quoted", workspace=SHOP, mode="words", explain=True)
        assert isinstance(found, SearchResult)
        assert [hit.id for hit in found.hits] == [made.id]
        assert found.hits[0].why
        assert ada.search("freight", workspace=SHOP, where=SearchFilter(tags=("x",))).hits == ()
        assert ada.search("").hits == ()

    def test_search_continues_after_the_previous_page(self, ada: Memoranda) -> None:
        made = {
            ada.remember(f"Tariff {number} has a surcharge.", workspace=SHOP).id
            for number in range(5)
        }
        seen: list[str] = []
        cursor = None
        for _ in range(5):
            page = ada.search("tariff surcharge", workspace=SHOP, limit=2, cursor=cursor)
            seen += [hit.id for hit in page.hits]
            cursor = page.cursor
            if cursor is None:
                break
        assert len(seen) == len(set(seen)) == 5
        assert set(seen) == made

    def test_search_finds_what_was_valid_at_a_time(self, ada: Memoranda) -> None:
        old = NewMemory("Delivery costs five.", valid_from=JANUARY, valid_until=JUNE)
        new = NewMemory("Delivery costs seven.", valid_from=JUNE)
        before, after = (ada.remember(one, workspace=SHOP).id for one in (old, new))
        for moment, records in ((MARCH, before), (JULY, after)):
            found = ada.search("delivery costs", workspace=SHOP, where=SearchFilter(as_of=moment))
            assert [hit.id for hit in found.hits] == [records]

    def test_a_memory_valid_until_the_last_date_is_listed(self, ada: Memoranda) -> None:
        last = parse_iso_time("9999-12-31T23:59:59.999999Z")
        statement = NewMemory("The licence holds.", valid_until=last)
        made = ada.remember(statement, workspace=SHOP)
        assert [(one.id, one.valid_until) for one in ada.memories.list()] == [(made.id, last)]

    def test_a_context_of_every_workspace_has_the_critical_facts_of_each(
        self, ada: Memoranda
    ) -> None:
        text = "Never deploy on a Friday."
        ada.remember(NewMemory(text, critical=True), workspace=SHOP)
        ada.remember("Amounts are net.", workspace=SHOP)
        for place in (SHOP, None):
            assert text in ada.context(workspace=place, budget=600).text

    def test_forgetting_previews_and_then_removes(self, ada: Memoranda) -> None:
        made = ada.remember("The old office is in Graz.", workspace=SHOP)
        chosen = RemovalSelection(ids=[made.id])
        tried = ada.forget(chosen, dry_run=True)
        assert (tried.memories, tried.dry_run) == (1, True)
        assert ada.memories.show(made.id).memory.id == made.id
        assert ada.forget(chosen, confirm=True).memories == 1
        with pytest.raises(NotFound):
            ada.memories.show(made.id)
        assert ada.search("office Graz", workspace=SHOP).hits == ()

    def test_what_is_protected_is_not_forgotten_by_mistake(self, ada: Memoranda) -> None:
        kept = ada.remember(NewMemory("Never delete invoices.", protected=True), workspace=SHOP)
        with pytest.raises(Conflict):
            ada.forget(RemovalSelection(ids=[kept.id]), confirm=True)
        with pytest.raises(InvalidInput):
            ada.forget(RemovalSelection(), confirm=True)

    def test_a_profile_takes_no_more_than_its_limit(self, ada: Memoranda) -> None:
        with pytest.raises(ProfileFull) as caught:
            for number in range(60):
                words = " ".join(f"preference{number}word{part}" for part in range(60))
                ada.profile.add(f"Likes {words}.", workspace=SHOP)
        assert 0 < caught.value.used <= caught.value.limit < caught.value.used + caught.value.needed
        shown = ada.profile.show(workspace=SHOP)
        assert shown.used == caught.value.used

    def test_a_list_comes_page_by_page_and_whole(self, ada: Memoranda) -> None:
        made = [ada.remember(f"Rule number {n}.", workspace=SHOP).id for n in range(5)]
        seen: list[str] = []
        cursor = None
        for _ in range(9):
            page = ada.memories.list(workspace=SHOP, limit=2, cursor=cursor)
            assert len(page) <= 2
            seen += [one.id for one in page]
            if (cursor := page.cursor) is None:
                break
        assert sorted(seen) == sorted(made)
        for limit in (0, -1, 1_001):
            with pytest.raises(InvalidInput):
                ada.memories.list(workspace=SHOP, limit=limit)

    def test_nothing_crosses_a_team_or_a_private_agent(self, callers: Callers) -> None:
        bot, rival, eve = callers(BOT), callers(RIVAL), callers(EVE)
        private = NewMemory("My plan is amber.", visibility=Visibility.AGENT)
        made = bot.remember(private, workspace=SHOP)
        assert [one.id for one in bot.memories.list(status=None)] == [made.id]
        absent = made.id[:-4] + "0000"
        for stranger in (rival, eve):
            assert stranger.memories.list(status=None).items == ()
            with pytest.raises(NotFound) as hidden:
                stranger.memories.show(made.id)
            with pytest.raises(NotFound) as nowhere:
                stranger.memories.show(absent)
            assert str(hidden.value).replace(made.id, "") == str(nowhere.value).replace(absent, "")
        assert eve.workspaces.list().items == ()

    @each(
        "wrong",
        [
            NewMemory(""),
            NewMemory("x" * 20_001),
            NewMemory("x", tags=tuple(f"tag{n}" for n in range(11))),
            NewMemory("x", valid_from=JUNE, valid_until=JANUARY),
            NewMemory("x", evidence=["01a20000-0000-7000-8000-000000000000"]),
        ],
        ids=["empty", "too long", "too many tags", "ends before it began", "no such evidence"],
    )
    def test_what_cannot_be_remembered_is_refused_as_bad_input(
        self, ada: Memoranda, wrong: NewMemory
    ) -> None:
        with pytest.raises((InvalidInput, NotFound)):
            ada.remember(replace(wrong), workspace=SHOP)
        assert ada.memories.list().items == ()
