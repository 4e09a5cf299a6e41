"""Relations of memories, contradictions and validity, in a whole store."""

from __future__ import annotations

import threading
from collections.abc import Iterator

import pytest
from acting import acting, begun, opened

from contract.clock import START, FixedClock
from memoranda import Memoranda
from memoranda.config import Settings
from memoranda.exceptions import Conflict, InvalidInput, MemorandaError, NotFound
from memoranda.memories.extraction_model import EntityType
from memoranda.memories.link_model import LinkKind, LinkTo, Reference, ReferenceKind
from memoranda.memories.memory_service import NewMemory
from memoranda.memories.model import Category, Memory, MemoryStatus, Visibility
from memoranda.memories.removal import RemovalSelection
from memoranda.proposals.model import MemoryEdit, ProposalKind
from memoranda.search.filters import SearchFilter
from memoranda.workspaces import table as workspaces
from tables import each

pytestmark = [pytest.mark.integration, pytest.mark.engines("sqlite")]

PORT = "The gateway listens on port 8080."
MOVED = "The gateway no longer listens on port 8080."
OTHER_PORT = "The gateway listens on port 9090."


@pytest.fixture
def clock() -> FixedClock:
    return FixedClock(step=1)


@pytest.fixture
def memory(engine: Settings, clock: FixedClock) -> Iterator[Memoranda]:
    with opened(engine, clock) as memory:
        yield memory
        assert memory.journal.verify().intact


@pytest.fixture
def bob(memory: Memoranda) -> Memoranda:
    return acting(memory, "bob", "shop")


def say(memory: Memoranda, content: str, **arguments: object) -> Memory:
    """Store a person's statement about the shop, and have it compared."""
    kept = memory.remember(NewMemory(content, **arguments), workspace="shop")  # type: ignore[arg-type]
    memory.capture.drain()
    return memory.memories.evidence(kept.id).memory


def again(memory: Memoranda, kept: Memory) -> Memory:
    """Return the current state of a memory."""
    return memory.memories.evidence(kept.id).memory


def kinds(memory: Memoranda, kept: Memory) -> list[tuple[str, bool, str]]:
    """Return the links of a memory."""
    shown = memory.memories.show(kept.id)
    return [(one.kind, one.outward, one.memory.id) for one in shown.links]


def context_text(memory: Memoranda) -> str:
    return memory.context(workspace="shop", budget=2_000).text


def operations(memory: Memoranda) -> list[str]:
    return [entry.operation for entry in memory.journal.list(limit=200)]


class TestRepeats:
    """A repeated statement strengthens the existing memory."""

    @pytest.mark.parametrize(
        "alike",
        [PORT, "the gateway listens on port 8080", " The  gateway\nlistens on PORT 8080! "],
        ids=["equal", "case", "spacing"],
    )
    def test_a_repeated_statement_counts_as_a_use(self, memory: Memoranda, alike: str) -> None:
        first = say(memory, PORT)
        found = memory.remember(alike, workspace="shop")
        assert found.id == first.id
        assert (found.uses, found.content) == (1, PORT)
        assert found.last_used is not None
        assert operations(memory)[0] == "reinforce"
        assert len(memory.memories.list().items) == 1

    @pytest.mark.parametrize(
        "other", ["The gateway listens on port 8081.", "Gateway listens on port 8080"]
    )
    def test_a_statement_with_a_different_word_is_a_new_memory(
        self, memory: Memoranda, other: str
    ) -> None:
        first = say(memory, PORT)
        assert memory.remember(other, workspace="shop").id != first.id

    def test_the_case_of_code_means_something(self, memory: Memoranda) -> None:
        first = memory.remember("Pass -V to gate", workspace="shop")
        assert memory.remember("Pass -v to gate", workspace="shop").id != first.id
        assert memory.remember("Call useState", workspace="shop").id != (
            memory.remember("Call usestate", workspace="shop").id
        )

    def test_an_expired_memory_does_not_match_a_new_statement(self, memory: Memoranda) -> None:
        ended = say(memory, PORT, valid_until=START - 5)
        now = memory.remember(PORT, workspace="shop")
        assert now.id != ended.id
        assert again(memory, ended).uses == 0

    def test_a_statement_about_another_time_is_another_memory(self, memory: Memoranda) -> None:
        first = say(memory, PORT, valid_from=START - 9)
        assert say(memory, PORT, valid_from=START - 9).id == first.id
        assert say(memory, PORT).id == first.id
        assert say(memory, PORT, valid_from=START - 5).id != first.id

    def test_repeating_a_pending_memory_adds_nothing(
        self, memory: Memoranda, bob: Memoranda
    ) -> None:
        stated = bob.remember(PORT)
        for _ in range(5):
            assert bob.remember(PORT).id == stated.id
        assert again(memory, stated).confidence == stated.confidence
        assert again(memory, stated).uses == 0

    def test_a_persons_statement_is_independent_of_an_agents_pending_one(
        self, memory: Memoranda, bob: Memoranda
    ) -> None:
        waits = bob.remember(PORT)
        stored = memory.remember(PORT, workspace="shop")
        assert stored.id != waits.id
        assert stored.status is MemoryStatus.APPROVED

    def test_confidence_grows_with_each_time_up_to_one(
        self, memory: Memoranda, bob: Memoranda
    ) -> None:
        stated = bob.remember(PORT)
        (waits,) = memory.proposals.list().items
        memory.proposals.approve(waits.id, waits.hash)
        grown = [bob.remember(PORT).confidence for _ in range(6)]
        assert grown == pytest.approx([0.7, 0.8, 0.9, 1.0, 1.0, 1.0])
        assert again(memory, stated).uses == 6

    def test_additional_details_of_a_repetition_are_stored(
        self, memory: Memoranda, bob: Memoranda
    ) -> None:
        first, other = say(memory, PORT), say(memory, "Lamps are yellow.")
        seen = memory.observe("it does", task="t", workspace="shop")
        file = Reference(ReferenceKind.FILE, "gate.toml")
        memory.remember(
            NewMemory(
                PORT,
                evidence=[seen.id],
                references=[file],
                links=[LinkTo(LinkKind.PARENT, other.id)],
            ),
            workspace="shop",
        )
        bob.remember(NewMemory(PORT, references=[Reference(ReferenceKind.FILE, "bobs.toml")]))
        shown = memory.memories.show(first.id)
        assert (shown.evidence, shown.references) == ((seen.id,), (file,))
        assert (LinkKind.PARENT, True, other.id) in kinds(memory, first)

    def test_a_useful_memory_has_been_used(self, memory: Memoranda) -> None:
        kept = say(memory, PORT)
        memory.observations.rate(kept.id, useful=True)
        memory.observations.rate(kept.id, useful=False)
        assert (again(memory, kept).uses, again(memory, kept).confidence) == (1, 1.0)

    @pytest.mark.engines("sqlite", "postgres")
    def test_repeats_at_once_leave_one_memory(self, memory: Memoranda) -> None:
        writers = [
            threading.Thread(target=memory.remember, args=(PORT,), kwargs={"workspace": "shop"})
            for _ in range(8)
        ]
        for writer in writers:
            writer.start()
        for writer in writers:
            writer.join()
        (kept,) = memory.memories.list().items
        assert kept.uses == 7


class TestContradictions:
    """A newer memory may supersede an older one, or both are shown."""

    def test_an_ended_memory_stays_readable(self, memory: Memoranda) -> None:
        older, newer = say(memory, PORT), say(memory, MOVED)
        ended = again(memory, older)
        assert (ended.superseded_by, ended.valid_until) == (newer.id, newer.created_at)
        assert ended.status is MemoryStatus.APPROVED
        assert again(memory, newer).valid_from == newer.created_at
        assert (LinkKind.SUPERSEDES, True, older.id) in kinds(memory, newer)
        assert PORT not in context_text(memory)
        assert MOVED in context_text(memory)
        (change,) = memory.memories.history(older.id)
        assert change.actor == "memoranda"
        assert newer.id in change.reason
        assert [hit.id for hit in memory.search("gateway port").hits] == [newer.id]

    def test_a_person_takes_a_supersession_back_for_good(self, memory: Memoranda) -> None:
        older, newer = say(memory, PORT), say(memory, MOVED)
        memory.memories.restore(older.id, 1)
        memory.index.rebuild()
        memory.capture.drain()
        assert again(memory, older).superseded_by is None
        assert again(memory, older).valid_until is None
        (link,) = [o for o in memory.memories.show(newer.id).links if o.kind == LinkKind.SUPERSEDES]
        assert link.taken_back
        assert PORT in context_text(memory)

    def test_another_number_is_shown_and_nothing_ends(self, memory: Memoranda) -> None:
        older, newer = say(memory, PORT), say(memory, OTHER_PORT)
        (found,) = memory.memories.conflicts(workspace="shop")
        assert (found.older.id, found.newer.id, found.reason) == (older.id, newer.id, "number")
        assert (LinkKind.CONTRADICTS, False, newer.id) in kinds(memory, older)
        assert again(memory, older).valid_until is None
        (shown,) = memory.search("gateway port").validation.contradictions
        assert {shown.older, shown.newer} == {one.ref for one in memory.search("gateway").hits}

    def test_a_search_reports_a_stated_contradiction(self, memory: Memoranda) -> None:
        first = say(memory, "The yard is locked by Ana at night.")
        link = LinkTo(LinkKind.CONTRADICTS, first.id)
        say(memory, "The yard has a guard and a dog.", links=[link])
        found = memory.search("yard")
        (result,) = found.validation.contradictions
        refs = {hit.id: hit.ref for hit in found.hits}
        assert result.older == refs[first.id]
        assert result.newer in refs.values()
        assert result.reason == "said by hand"
        say(memory, "The yard is green.")
        assert len(memory.search("yard").validation.contradictions) == 1

    @pytest.mark.parametrize("act", ["supersede", "archive", "edit"])
    def test_a_person_settles_a_conflict(self, memory: Memoranda, act: str) -> None:
        older, newer = say(memory, PORT), say(memory, OTHER_PORT)
        if act == "supersede":
            memory.memories.supersede(older.id, newer.id)
        elif act == "archive":
            memory.memories.archive(older.id)
        else:
            memory.memories.edit(older.id, MemoryEdit(content="The lamp is on port 8080."))
        memory.capture.drain()
        assert memory.memories.conflicts().items == ()

    @pytest.mark.parametrize("mark", [{"critical": True}, {"protected": True}], ids=str)
    def test_critical_or_protected_memories_are_ended_by_hand_only(
        self, memory: Memoranda, mark: dict[str, bool]
    ) -> None:
        older = say(memory, PORT, **mark)
        newer = say(memory, MOVED)
        assert again(memory, older).superseded_by is None
        assert [c.older.id for c in memory.memories.conflicts()] == [older.id]
        memory.memories.supersede(older.id, newer.id)
        assert again(memory, older).superseded_by == newer.id

    def test_an_agents_word_ends_nothing_before_it_is_approved(
        self, memory: Memoranda, bob: Memoranda
    ) -> None:
        older = say(memory, PORT)
        waits = bob.remember(MOVED)
        memory.capture.drain()
        assert again(memory, older).superseded_by is None
        assert [c.newer.id for c in memory.memories.conflicts()] == [waits.id]
        (proposal,) = memory.proposals.list().items
        memory.proposals.approve(proposal.id, proposal.hash)
        memory.capture.drain()
        assert again(memory, older).superseded_by == waits.id

    def test_the_word_of_the_workspace_ends_nothing_of_the_team(self, memory: Memoranda) -> None:
        wide = memory.remember(NewMemory(PORT, visibility=Visibility.TEAM))
        newer = say(memory, MOVED)
        assert again(memory, wide).superseded_by is None
        assert [(c.older.id, c.newer.id) for c in memory.memories.conflicts()] == [
            (wide.id, newer.id)
        ]

    def test_another_workspace_has_nothing_to_do_with_it(self, memory: Memoranda) -> None:
        older = say(memory, PORT)
        memory.remember(MOVED, workspace="yard")
        memory.capture.drain()
        assert kinds(memory, older) == []
        assert memory.memories.conflicts().items == ()

    def test_private_memories_are_compared_with_their_agents_own(
        self, memory: Memoranda, bob: Memoranda
    ) -> None:
        shared = say(memory, PORT)
        secret = bob.remember(NewMemory(MOVED, visibility=Visibility.AGENT))
        mine = bob.remember(NewMemory(OTHER_PORT, visibility=Visibility.AGENT))
        memory.capture.drain()
        assert kinds(memory, shared) == []
        assert {id for _, _, id in kinds(bob, secret)} <= {mine.id}
        assert memory.memories.conflicts().items == ()
        with pytest.raises(NotFound):
            memory.memories.show(secret.id)

    def test_a_contradicted_memory_follows_the_newer_one_and_is_marked(
        self, memory: Memoranda
    ) -> None:
        older = say(memory, "I love cilantro in every soup.")
        say(memory, "The soup pot is in the cellar.")
        newer = say(memory, "I hate cilantro in every soup.")
        query = "Do I love cilantro in every soup?"
        assert [hit.id for hit in memory.search(query).hits][:2] == [newer.id, older.id]
        for context in (memory.context(), memory.context(query=query)):
            lines = [line for line in context.text.splitlines() if "cilantro" in line]
            assert ["hate" in line for line in lines] == [True, False]
            assert " by " not in lines[0]
            assert newer.id[:18] in lines[1].partition(" I love")[0]

    def test_one_sentence_of_several_does_not_end_the_others(self, memory: Memoranda) -> None:
        older = say(memory, f"{PORT} The lamp is yellow.")
        say(memory, MOVED)
        assert again(memory, older).superseded_by is None
        assert [c.older.id for c in memory.memories.conflicts()] == [older.id]

    def test_memories_valid_at_different_times_do_not_conflict(self, memory: Memoranda) -> None:
        older = say(memory, PORT, valid_until=START - 9)
        newer = say(memory, OTHER_PORT, valid_from=START - 9)
        assert memory.memories.conflicts().items == ()
        assert kinds(memory, newer) == []
        assert again(memory, older).superseded_by is None

    def test_valid_time_determines_the_newer_memory(self, memory: Memoranda) -> None:
        newer = say(memory, MOVED, valid_from=START)
        older = say(memory, PORT, valid_from=START - 9)
        assert again(memory, older).superseded_by == newer.id
        assert again(memory, older).valid_until == START
        assert again(memory, newer).superseded_by is None

    def test_comparing_again_doubles_nothing(self, memory: Memoranda) -> None:
        say(memory, PORT)
        say(memory, OTHER_PORT)
        before = operations(memory)
        for _ in range(2):
            memory.index.rebuild()
            memory.capture.drain()
        assert operations(memory) == before
        assert len(memory.memories.conflicts().items) == 1

    def test_conflicts_are_read_page_by_page(self, memory: Memoranda) -> None:
        for port in (1, 2, 3, 4):
            say(memory, f"The gateway listens on port {port}.")
        whole = memory.memories.conflicts(limit=100)
        assert len(whole.items) == 6
        seen, cursor = [], None
        while True:
            page = memory.memories.conflicts(limit=2, cursor=cursor)
            seen += page.items
            cursor = page.cursor
            if cursor is None:
                break
        assert tuple(seen) == whole.items
        for wrong in ("", "x", "/", "a/"):
            with pytest.raises(InvalidInput, match="not a cursor"):
                memory.memories.conflicts(cursor=wrong)

    def test_what_is_forgotten_leaves_no_link(self, memory: Memoranda) -> None:
        older, newer = say(memory, PORT), say(memory, OTHER_PORT)
        memory.forget(RemovalSelection(ids=[newer.id]), confirm=True)
        assert kinds(memory, older) == []
        assert memory.memories.conflicts().items == ()


class TestByHand:
    """Relations that a person sets, and refused ones."""

    def test_a_person_supersedes_one_memory_by_another(self, memory: Memoranda) -> None:
        older, newer = say(memory, "Lamps are green."), say(memory, "Doors are blue.")
        changed = memory.memories.supersede(older.id, newer.id, reason="the law")
        assert changed.proposal is None
        assert changed.memory.superseded_by == newer.id
        (version,) = memory.memories.history(older.id)
        assert (version.actor, version.reason) == ("human", "the law")
        assert memory.memories.restore(older.id, 1).superseded_by is None

    def test_an_agent_proposes_it(self, memory: Memoranda, bob: Memoranda) -> None:
        older, newer = say(memory, "Lamps are green."), say(memory, "Doors are blue.")
        waits = bob.memories.supersede(older.id, newer.id).proposal
        assert waits is not None
        assert waits.kind is ProposalKind.UPDATE
        assert again(memory, older).superseded_by is None
        memory.proposals.approve(waits.id, waits.hash)
        assert again(memory, older).superseded_by == newer.id

    def test_nothing_supersedes_itself_or_in_a_circle(self, memory: Memoranda) -> None:
        one, two, three = (
            say(memory, f"{what} are green.") for what in ("Lamps", "Doors", "Roofs")
        )
        before = operations(memory)
        with pytest.raises(InvalidInput, match="itself"):
            memory.memories.supersede(one.id, one.id)
        with pytest.raises(InvalidInput, match="be valid from a later"):
            memory.memories.supersede(two.id, one.id)
        assert operations(memory) == before
        memory.memories.supersede(one.id, two.id)
        memory.memories.supersede(two.id, three.id)
        with pytest.raises(Conflict, match="already superseded"):
            memory.memories.supersede(one.id, three.id)
        assert again(memory, three).superseded_by is None

    def test_a_circle_is_refused_wherever_it_comes_from(self, memory: Memoranda) -> None:
        one, two = (say(memory, f"{what} are green.") for what in ("Lamps", "Doors"))
        memory.memories.supersede(one.id, two.id)  # version 1: it was not
        memory.memories.restore(one.id, 1)  # version 2: it was
        memory.memories.edit(one.id, MemoryEdit(valid_from=again(memory, two).created_at + 50))
        memory.memories.supersede(two.id, one.id)
        with pytest.raises(InvalidInput, match="cycle"):
            memory.memories.restore(one.id, 2)
        assert again(memory, one).superseded_by is None

    def test_only_what_is_approved_supersedes(self, memory: Memoranda, bob: Memoranda) -> None:
        older = say(memory, PORT)
        waits = bob.remember("Doors are blue.")
        with pytest.raises(InvalidInput, match="pending"):
            memory.memories.supersede(older.id, waits.id)
        with pytest.raises(NotFound):
            memory.memories.supersede(older.id, "ffffffff")

    @each(
        ("wrong", "expected"),
        [
            ({"valid_from": START, "valid_until": START}, "valid_until must be later"),
            ({"valid_from": START, "valid_until": START - 1}, "valid_until must be later"),
            ({"valid_from": -1}, "between 1970 and 9999"),
            ({"valid_until": 1 << 62}, "between 1970 and 9999"),
            ({"references": [Reference("letter", "x")]}, "must be one of file"),  # type: ignore[arg-type]
            ({"references": [Reference(ReferenceKind.URL, " ")]}, "between 1 and 500"),
            ({"references": [Reference(ReferenceKind.URL, "u" * 501)]}, "between 1 and 500"),
            ({"references": [Reference(ReferenceKind.URL, "u")] * 21}, "at most 20"),
            ({"links": [LinkTo("cousin", "x")]}, "must be one of related"),  # type: ignore[arg-type]
            ({"links": [LinkTo(LinkKind.RELATED, "gone")]}, "no other memory"),
            ({"links": [LinkTo(LinkKind.SUPERSEDES, "gone")]}, "memory supersede OLD NEW"),
            ({"tags": [f"t{n}" for n in range(11)]}, "at most 10 tags"),
            ({"evidence": ["gone"]}, "unknown observation"),
        ],
        ids=lambda value: value if isinstance(value, str) else "-".join(value),
    )
    def test_what_cannot_be_is_refused_and_changes_nothing(
        self, memory: Memoranda, wrong: dict[str, object], expected: str
    ) -> None:
        say(memory, PORT)
        before = (operations(memory), memory.memories.list(ever=True))
        with pytest.raises(MemorandaError, match=expected) as raised:
            say(memory, "Doors are blue.", **wrong)
        assert raised.value.code == "invalid"
        assert (operations(memory), memory.memories.list(ever=True)) == before

    def test_a_memory_cannot_be_edited_out_of_time(self, memory: Memoranda) -> None:
        kept = say(memory, PORT, valid_from=START)
        for edit in (MemoryEdit(valid_until=START), MemoryEdit(valid_until=START - 1)):
            with pytest.raises(InvalidInput, match="valid_until must be later"):
                memory.memories.edit(kept.id, edit)
        assert again(memory, kept) == kept

    def test_a_link_leads_to_what_the_speaker_sees(self, memory: Memoranda, bob: Memoranda) -> None:
        secret = bob.remember(NewMemory(PORT, visibility=Visibility.AGENT))
        with pytest.raises(InvalidInput, match="no other memory"):
            say(memory, "Doors are blue.", links=[LinkTo(LinkKind.RELATED, secret.id)])
        own = bob.remember(NewMemory("Doors are red.", links=[LinkTo(LinkKind.RELATED, secret.id)]))
        assert kinds(bob, own) == [(LinkKind.RELATED, True, secret.id)]
        assert kinds(memory, own) == []  # invisible memories are not mentioned

    def test_secrets_in_references_are_taken_out(self, memory: Memoranda) -> None:
        secret = "ghp_" + "a1B2c3D4e5F6g7H8i9J0" * 2
        url = Reference(ReferenceKind.URL, f"https://example.com/?token={secret[:40]}")
        kept = say(memory, "Doors are blue.", references=[url, url])
        (shown,) = memory.memories.show(kept.id).references
        assert secret[:40] not in shown.value


class TestCriticality:
    """Memories in every context: by words, by their sources, by hand."""

    RULE = "Never edit the tariff files by hand."

    def test_a_requirement_of_a_person_is_critical(self, memory: Memoranda) -> None:
        kept = say(memory, self.RULE)
        assert (kept.critical, kept.critical_reason) == (True, "states a requirement")
        assert self.RULE in context_text(memory)
        assert not say(memory, PORT).critical

    def test_a_requirement_behind_the_name_of_our_own_tag_is_too(self, memory: Memoranda) -> None:
        rule = "Strip `<memoranda-context>` before logging. Never log the token."
        kept = say(memory, rule)
        assert (kept.content, kept.critical) == (rule, True)

    def test_that_of_an_agent_is_when_a_person_has_approved_it(
        self, memory: Memoranda, bob: Memoranda
    ) -> None:
        stated = bob.remember(self.RULE)
        assert not stated.critical
        (waits,) = memory.proposals.list().items
        assert waits.after.critical  # and so the person sees it
        memory.proposals.approve(waits.id, waits.hash)
        approved = again(memory, stated)
        assert (approved.critical, approved.critical_reason) == (True, "states a requirement")

    def test_what_was_set_or_cleared_by_hand_stays(self, memory: Memoranda) -> None:
        cleared = say(memory, self.RULE, critical=False)
        assert (cleared.critical, cleared.critical_reason) == (False, "cleared by hand")
        memory.memories.edit(cleared.id, MemoryEdit(content="Never edit the price files."))
        assert not again(memory, cleared).critical
        marked = say(memory, PORT, critical=True)
        memory.memories.edit(marked.id, MemoryEdit(content="Doors are blue."))
        assert again(memory, marked).critical_reason == "set by hand"
        later = say(memory, "Never cross the yard.")
        memory.memories.edit(later.id, MemoryEdit(critical=False))
        memory.memories.edit(later.id, MemoryEdit(content="You must never cross it at all."))
        assert not again(memory, later).critical

    def test_an_edited_memory_is_compared_again(self, memory: Memoranda) -> None:
        kept = say(memory, self.RULE)
        memory.memories.edit(kept.id, MemoryEdit(content="Tariff files are generated."))
        assert (again(memory, kept).critical, again(memory, kept).critical_reason) == (False, None)
        memory.memories.edit(kept.id, MemoryEdit(content=self.RULE))
        assert again(memory, kept).critical_reason == "states a requirement"

    def test_an_agents_edit_shows_that_it_would_be_critical(
        self, memory: Memoranda, bob: Memoranda
    ) -> None:
        kept = say(memory, "Tariff files are generated.")
        waits = bob.memories.edit(kept.id, MemoryEdit(content=self.RULE)).proposal
        assert waits is not None
        assert waits.after.critical
        memory.proposals.approve(waits.id, waits.hash)
        assert again(memory, kept).critical_reason == "states a requirement"

    def test_knowledge_about_a_failure_on_record_prevents_it(self, memory: Memoranda) -> None:
        failed = memory.observe("no module", type="error", task="t", workspace="shop", failed=True)
        known = {"evidence": [failed.id], "category": Category.TROUBLESHOOTING}
        kept = say(memory, "The module lies in the yard.", **known)
        assert (kept.critical, kept.critical_reason) == (True, "prevents a known error")
        other = say(memory, "The door lies in the yard.", evidence=[failed.id])
        assert not other.critical

    def test_what_served_in_three_tasks_that_succeeded_is_critical(self, memory: Memoranda) -> None:
        kept = say(memory, PORT)
        tasks = [begun(memory, f"t{n}") for n in range(4)]
        for task in tasks[:3]:
            memory.observations.rate(kept.id, useful=True, task=task)
        memory.observations.rate(kept.id, useful=False, task=tasks[3])
        memory.capture.drain()
        assert not again(memory, kept).critical
        self._complete(memory, tasks)
        for task in tasks[:3]:
            memory.observations.rate(kept.id, useful=True, task=task)
        memory.capture.drain()
        found = again(memory, kept)
        assert (found.critical, found.critical_reason) == (True, "used in 3 tasks that succeeded")
        memory.memories.edit(kept.id, MemoryEdit(critical=False))
        memory.observations.rate(kept.id, useful=True, task=tasks[0])
        memory.capture.drain()
        assert not again(memory, kept).critical

    @staticmethod
    def _complete(memory: Memoranda, ids: list[str]) -> None:
        from dataclasses import replace

        from memoranda.store.database import Transaction
        from memoranda.tasks import table as tasks
        from memoranda.tasks.model import TaskStatus

        def work(tx: Transaction) -> None:
            for task in (memory.tasks.show(id) for id in ids):
                tasks.update(tx, replace(task, status=TaskStatus.COMPLETED, ended_at=START))

        memory._database.write(work)


class TestTime:
    """Validity: present, past, and known at a time."""

    def test_expired_memories_are_listed_on_request(self, memory: Memoranda) -> None:
        stored = say(memory, PORT, valid_from=START - 90, valid_until=START - 10)
        holds = say(memory, OTHER_PORT, valid_from=START - 10)
        assert [one.id for one in memory.memories.list()] == [holds.id]
        assert [one.id for one in memory.memories.list(ever=True)] == [holds.id, stored.id]
        for time, there in (
            (START - 91, []),
            (START - 90, [stored.id]),
            (START - 11, [stored.id]),
            (START - 10, [holds.id]),
            (START, [holds.id]),
        ):
            assert [one.id for one in memory.memories.list(as_of=time)] == there, time
            where = SearchFilter(as_of=time)
            assert [hit.id for hit in memory.search("gateway port", where=where).hits] == there
        assert [hit.id for hit in memory.search("gateway port").hits] == [holds.id]
        assert len(memory.search("gateway port", where=SearchFilter(ever=True)).hits) == 2
        assert PORT not in context_text(memory)
        assert not memory.memories.show(stored.id).holds
        assert memory.memories.show(holds.id).holds

    def test_record_time_and_valid_time_are_two_things(
        self, memory: Memoranda, clock: FixedClock
    ) -> None:
        before = clock.now()
        kept = say(memory, PORT, valid_from=START - 90)
        known = SearchFilter(known_by=before)
        assert memory.search("gateway port", where=known).hits == ()
        where = SearchFilter(as_of=START - 50)
        assert [hit.id for hit in memory.search("gateway port", where=where).hits] == [kept.id]
        both = SearchFilter(as_of=START - 50, known_by=before)
        assert memory.search("gateway port", where=both).hits == ()

    def test_a_memory_valid_later_is_listed_but_in_no_context(
        self, memory: Memoranda, clock: FixedClock
    ) -> None:
        later = clock.now() + 10**9
        kept = say(memory, "Always close the yard.", valid_from=later)
        assert kept.critical
        assert [one.id for one in memory.memories.list()] == [kept.id]
        assert kept.content not in context_text(memory)
        assert memory.search("yard").hits == ()
        clock.advance(2 * 10**9)
        assert kept.content in context_text(memory)
        assert [hit.id for hit in memory.search("yard").hits] == [kept.id]

    def test_prepared_contexts_are_rendered_again_when_a_memory_expires(
        self, memory: Memoranda, clock: FixedClock
    ) -> None:
        end = clock.now() + 10**9
        kept = say(memory, PORT, valid_until=end)
        place, team = kept.workspace or "", kept.team
        memory._database.write(
            lambda tx: workspaces.add_aliases(tx, team, place, ["path:/srv/shop"])
        )
        memory.remember("Lamps are yellow.", workspace="shop")
        memory.capture.drain()
        prepared = memory._services.prepared.file("path:/srv/shop")
        assert PORT in prepared.read_text("utf-8")
        clock.advance(2 * 10**9)
        memory.capture.drain()
        assert PORT not in prepared.read_text("utf-8")

    def test_a_superseded_memory_is_returned_for_an_earlier_time(self, memory: Memoranda) -> None:
        older, newer = say(memory, PORT), say(memory, MOVED)
        turn = newer.created_at
        assert [one.id for one in memory.memories.list(as_of=turn - 1)] == [older.id]
        assert [one.id for one in memory.memories.list(as_of=turn)] == [newer.id]

    def test_a_persons_edit_ends_a_memory(self, memory: Memoranda, clock: FixedClock) -> None:
        kept = say(memory, PORT)
        memory.memories.edit(kept.id, MemoryEdit(valid_until=clock.now()))
        assert memory.memories.list().items == ()
        assert PORT not in context_text(memory)
        memory.memories.restore(kept.id, 1)
        assert PORT in context_text(memory)


class TestEncoding:
    """The analysis of a memory is derived, and can be rebuilt."""

    TEXT = (
        "Priya Shah has run the tariff service on PostgreSQL since May 2024."
        " Pinning the driver fixed the timeouts. Never restart it during a release."
    )

    def test_a_memory_shows_its_encoding(self, memory: Memoranda) -> None:
        kept = say(memory, self.TEXT)
        stored = memory.memories.show(kept.id).encoding
        assert ("Priya Shah", EntityType.PERSON) in {(o.name, o.type) for o in stored.entities}
        assert any("May 2024" in fact for fact in stored.facts)
        assert stored.constraints == ("Never restart it during a release.",)
        assert [(o.action, o.worked) for o in stored.outcomes] == [("Pinning the driver", True)]
        assert "tariff" in stored.keywords

    def test_losing_it_loses_nothing(self, memory: Memoranda) -> None:
        from memoranda.memories import extraction_table as memory_encodings

        kept = say(memory, self.TEXT)
        before = memory.memories.show(kept.id)
        team = kept.team
        memory._database.write(lambda tx: memory_encodings.clear(tx, team))
        assert memory.memories.show(kept.id).encoding == before.encoding
        memory._database.write(lambda tx: memory_encodings.clear(tx, team))
        memory.index.rebuild()
        stored = memory._database.read(lambda tx: memory_encodings.by_memory(tx, team, kept.id))
        assert stored is not None
        assert stored.encoding == before.encoding

    def test_an_edited_memory_is_encoded_again(self, memory: Memoranda) -> None:
        kept = say(memory, self.TEXT)
        memory.memories.edit(kept.id, MemoryEdit(content="Omar Diaz keeps the lamps."))
        memory.capture.drain()
        stored = memory.memories.show(kept.id).encoding
        assert [one.name for one in stored.entities] == ["Omar Diaz"]
