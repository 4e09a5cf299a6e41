"""Contract of the store for profiles: visibility, changes, undo."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from contract.clock import START
from contract.contract_transactions import together
from contract.records import Records
from memoranda.memories import table as memories
from memoranda.memories.model import Category, Memory, MemoryStatus, Visibility
from memoranda.profile import table as profiles
from memoranda.profile.model import (
    OVERHEAD,
    ChangeStatus,
    ProfileChange,
    ProfileNews,
    ProfileStep,
    ProfileSuggestion,
    ProfileSuggestionKind,
)
from memoranda.profile.table import ProfileShare
from memoranda.proposals.model import MemoryState
from memoranda.store.database import Database, Transaction
from memoranda.workspaces import table as workspaces

TEAM = Records().team


def suggestion(number: int, *values: Memory, **changes: Any) -> ProfileSuggestion:
    """Make a suggestion that archives some memories."""
    steps = tuple(
        ProfileStep(memory.id, memory.tokens + OVERHEAD, f"hash of {memory.id}",
             replace(MemoryState.of(memory), status=MemoryStatus.ARCHIVED))
        for memory in values
    )  # fmt: skip
    made = ProfileSuggestion(number, ProfileSuggestionKind.FIT, f"reason {number}", steps)
    return replace(made, **changes)


def change(records: Records, *suggestions: ProfileSuggestion, **changes: Any) -> ProfileChange:
    """Make the preview of a change."""
    made = ProfileChange(
        team=records.team,
        id=records.ids.new(),
        workspace=None,
        hash="0123456789abcdef",
        status=ChangeStatus.PREVIEW,
        limit=10_000,
        target=8_000,
        used=9_000,
        short="",
        created_at=START,
        suggestions=suggestions,
    )
    return replace(made, **changes)


class ProfileContract:
    """A profile is one reader's view; a preview is applied and undone once."""

    def test_a_profile_has_what_a_reader_sees_and_nothing_else(self, database: Database) -> None:
        records = Records()
        shop, yard = records.workspace(), records.workspace("yard")

        def work(tx: Transaction) -> None:
            for place in (shop, yard):
                workspaces.insert(tx, place, [])
            private = {"visibility": Visibility.AGENT, "agent": "bob"}
            plant = records.plant_memory
            team, own, other, bobs = (
                plant(tx, records.memory(where, text, **kind))
                for where, text, kind in (
                    (None, "of all", {}),
                    (shop.id, "of the shop", {}),
                    (yard.id, "of the yard", {}),
                    (shop.id, "of bob", private),
                )
            )
            for kind in (
                {"status": MemoryStatus.PENDING},
                {"status": MemoryStatus.ARCHIVED},
                {"category": Category.DECISION},
                {"valid_until": START},
            ):
                plant(tx, records.memory(shop.id, f"not {kind}", **kind))
            assert profiles.members(tx, TEAM, shop.id, None) == [team, own]
            assert profiles.members(tx, TEAM, shop.id, "bob") == [team, own, bobs]
            assert profiles.members(tx, TEAM, yard.id, "eve") == [team, other]
            assert profiles.members(tx, TEAM, None, None) == [team]
            each = (Category.DOMAIN_KNOWLEDGE, 1, 3 + OVERHEAD)
            expected = {ProfileShare(None, None, *each), ProfileShare(shop.id, None, *each),
                        ProfileShare(yard.id, None, *each),
                        ProfileShare(shop.id, "bob", *each)}  # fmt: skip
            assert set(profiles.shares(tx, TEAM)) == expected
            found = profiles.shares(tx, TEAM, yard.id)
            assert {one.workspace for one in found} == {None, yard.id}

        database.write(work)

    def test_shares_are_sums(self, database: Database) -> None:
        records = Records()

        def work(tx: Transaction) -> None:
            for tokens in (3, 40, 500):
                kept = records.memory(None, f"{tokens} tokens", tokens=tokens)
                records.plant_memory(tx, kept)
            rule = {"category": Category.LEARNED_RULE, "tokens": 7}
            records.plant_memory(tx, records.memory(None, "a rule", **rule))
            assert {(one.category, one.entries, one.tokens) for one in
                    profiles.shares(tx, TEAM)} == {
                (Category.DOMAIN_KNOWLEDGE, 3, 543 + 3 * OVERHEAD),
                (Category.LEARNED_RULE, 1, 7 + OVERHEAD),
            }  # fmt: skip

        database.write(work)

    def test_a_preview_is_kept_whole_and_replaced(self, database: Database) -> None:
        records = Records()

        def work(tx: Transaction) -> None:
            one, two, three = (
                records.plant_memory(tx, records.memory(None, f"fact {n}")) for n in range(3)
            )
            made = change(records, suggestion(1, one, two), suggestion(2, three, reason="old"))
            profiles.put(tx, made, news=False)
            assert profiles.preview(tx, TEAM, None) == made
            assert profiles.preview(tx, TEAM, "elsewhere") is None
            assert profiles.by_id(tx, TEAM, made.id) == made
            assert profiles.by_prefix(tx, TEAM, made.id[:34]) == [made.id]
            assert profiles.listed(tx, TEAM, None, limit=9) == []
            assert profiles.drop_preview(tx, TEAM, "elsewhere") == 0
            assert profiles.drop_preview(tx, TEAM, None) == 1
            assert profiles.by_id(tx, TEAM, made.id) is None

        database.write(work)

    def test_an_applied_change_has_versions_instead_of_texts(self, database: Database) -> None:
        records = Records()

        def work(tx: Transaction) -> None:
            one, two = (records.plant_memory(tx, records.memory(None, f"fact {n}")) for n in (1, 2))
            made = change(records, suggestion(1, one), suggestion(2, two))
            profiles.put(tx, made, news=True)
            chosen = made.suggestions[1]
            done = replace(chosen.steps[0], version=4)
            assert profiles.apply(tx, made, "human", START + 5, [(2, done)])
            assert not profiles.apply(tx, made, "human", START + 6, [(2, done)])
            kept = replace(chosen, steps=(replace(done, after=None),))
            applied = replace(
                made,
                status=ChangeStatus.APPLIED,
                applied_at=START + 5,
                applied_by="human",
                suggestions=(kept,),
            )
            assert profiles.listed(tx, TEAM, None, limit=9) == [applied]
            assert profiles.listed(tx, TEAM, None, before=made.id, limit=9) == []
            assert profiles.listed(tx, TEAM, "elsewhere", limit=9) == []
            assert profiles.preview(tx, TEAM, None) is None
            assert profiles.undo(tx, TEAM, made.id, "eve", START + 9)
            assert not profiles.undo(tx, TEAM, made.id, "eve", START + 10)
            undone = profiles.by_id(tx, TEAM, made.id)
            assert undone == replace(
                applied, status=ChangeStatus.UNDONE, undone_at=START + 9, undone_by="eve"
            )

        database.write(work)

    def test_a_preview_goes_with_any_of_its_memories(self, database: Database) -> None:
        records = Records()

        def work(tx: Transaction) -> None:
            one, two = (records.plant_memory(tx, records.memory(None, f"fact {n}")) for n in (1, 2))
            done = change(records, suggestion(1, one, two))
            profiles.put(tx, done, news=False)
            steps = [(1, replace(step, version=1)) for step in done.suggestions[0].steps]
            profiles.apply(tx, done, "human", START, steps)
            waits = change(records, suggestion(1, one, two))
            profiles.put(tx, waits, news=False)
            assert profiles.drop_previews_of(tx, TEAM, ["nonesuch"]) == 0
            assert profiles.drop_previews_of(tx, TEAM, [two.id]) == 1
            memories.delete(tx, TEAM, [two.id])
            assert profiles.preview(tx, TEAM, None) is None
            kept = profiles.by_id(tx, TEAM, done.id)
            assert kept is not None
            assert [step.memory for step in kept.suggestions[0].steps] == [one.id]

        database.write(work)

    def test_channels_are_notified_of_a_crowded_profile(self, database: Database) -> None:
        records = Records()

        def work(tx: Transaction) -> None:
            entries = [
                records.plant_memory(tx, records.memory(None, f"fact {n}")) for n in range(3)
            ]
            made = change(records, suggestion(1, *entries[:2]), suggestion(2, entries[2]))
            profiles.put(tx, made, news=False, channels=["page"])
            assert profiles.unnotified(tx, TEAM, "cli") == []
            assert profiles.make_news(tx, TEAM, made.id) == 1
            news = ProfileNews(made.id, None, 9_000, 10_000, 3 * (3 + OVERHEAD))
            assert profiles.unnotified(tx, TEAM, "cli") == [(news, ("page",))]
            assert profiles.unnotified(tx, TEAM, "page") == []
            assert profiles.mark_notified(tx, TEAM, made.id, ("page", "cli")) == 1
            assert profiles.unnotified(tx, TEAM, "cli") == []
            assert profiles.notified_channels(tx, TEAM, None) == ("page", "cli")
            assert profiles.notified_channels(tx, TEAM, "elsewhere") == ()

        database.write(work)

    def test_of_previews_applied_at_once_one_is(self, database: Database) -> None:
        records = Records()

        def plant(tx: Transaction) -> ProfileChange:
            memory = records.plant_memory(tx, records.memory(None))
            made = change(records, suggestion(1, memory))
            profiles.put(tx, made, news=False)
            return made

        made, found = database.write(plant), list[bool]()
        step = replace(made.suggestions[0].steps[0], version=1)
        together(
            lambda _: found.append(
                database.write(lambda tx: profiles.apply(tx, made, "human", START, [(1, step)]))
            ),
            8,
        )
        assert sorted(found) == [False] * 7 + [True]
