"""The optimiser applies a preview in one transaction, and undoes it."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import replace

import pytest
from acting import acting, opened

from contract.clock import START, FixedClock
from contract.records import Records
from memoranda import Memoranda
from memoranda.config import Settings
from memoranda.exceptions import Conflict, Forbidden, InvalidInput, NotFound, ProfileFull
from memoranda.jobs.model import JobKind
from memoranda.memories.memory_service import NewMemory
from memoranda.memories.model import Category, Memory, MemoryStatus, Visibility
from memoranda.memories.removal import RemovalSelection
from memoranda.profile.model import DAY, ChangeStatus, ProfileSuggestionKind
from memoranda.proposals.model import MemoryEdit, MemoryState
from memoranda.store.database import Transaction

pytestmark = [pytest.mark.integration, pytest.mark.engines("sqlite")]

TALK = (
    "Thinking about it again, the whole area has been a nice place to work in over the years. "
    "People come and go there, and everybody has their own view of how things might look one day. "
    "It was mentioned in passing that the colours could be warmer, though nobody felt strongly. "
    "Some of us went for a walk afterwards and talked about the weather and about summer plans. "
    "Gate 7 of hall-3 is never locked. "
    "Later that day a few more remarks were made about how the place feels in the evening light. "
)


@pytest.fixture
def memory(engine: Settings) -> Iterator[Memoranda]:
    with opened(engine, FixedClock(start=START + 100 * DAY, step=1)) as memory:
        yield memory


def plant(memory: Memoranda, *made: Memory) -> list[Memory]:
    """Store memories directly, without the profile's limit."""

    def work(tx: Transaction) -> None:
        for one in made:
            Records().plant_memory(tx, one)

    memory._database.write(work)
    return list(made)


def mixed(memory: Memoranda) -> dict[str, Memory]:
    """Return one memory of each sort."""
    place, records = memory._named_or_new("shop").id, Records(seed=7)
    count = memory._services.counter.count
    texts = {
        "stale": "The old printer is in the cellar.",
        "one": "Use pnpm, never npm.",
        "two": "Use pnpm, never npm. Lock files are committed.",
        "other": "The gateway listens on port 8080.",
        "another": "The gateway listens on port 9090.",
        "long": TALK,
        "protected": "Tabs are used.",
        "critical": "Never deploy on Fridays.",
    }
    changes: dict[str, dict[str, object]] = {
        "stale": {"confidence": 0.1},
        "protected": {"protected": True, "confidence": 0.1},
        "two": {"uses": 1},
        "critical": {"critical": True, "critical_reason": "said", "confidence": 0.1},
    }
    made = {
        name: replace(records.memory(place, text, tokens=count(text)), **changes.get(name, {}))  # type: ignore[arg-type]
        for name, text in texts.items()
    }
    plant(memory, *made.values())
    return made


def states(memory: Memoranda, made: dict[str, Memory]) -> dict[str, MemoryState]:
    return {
        name: MemoryState.of(memory.memories.evidence(one.id).memory) for name, one in made.items()
    }


def test_each_sort_gets_what_is_due_to_it(memory: Memoranda) -> None:
    made = mixed(memory)
    change = memory.profile.optimize(workspace="shop")
    named = {one.id: name for name, one in made.items()}
    found = {one.kind: {named[step.memory] for step in one.steps} for one in change.suggestions}
    assert found == {
        ProfileSuggestionKind.STALE: {"stale"},
        ProfileSuggestionKind.MERGE: {"one"},
        ProfileSuggestionKind.SHORTEN: {"long"},
    }
    assert states(memory, made) == {name: MemoryState.of(one) for name, one in made.items()}
    assert memory.profile.optimize(workspace="shop") == change


def test_applied_as_shown_and_back_again(memory: Memoranda) -> None:
    made = mixed(memory)
    before = states(memory, made)
    change = memory.profile.optimize(workspace="shop")
    done = memory.profile.apply(change.hash[:12], workspace="shop")
    assert (done.status, done.applied_by, done.freed) == (
        ChangeStatus.APPLIED, "human", change.freed,
    )  # fmt: skip
    assert memory.profile.show(workspace="shop").used == change.used - change.freed
    after = states(memory, made)
    assert after["stale"].status is after["one"].status is MemoryStatus.ARCHIVED
    assert after["one"].superseded_by == made["two"].id
    assert "Gate 7 of hall-3 is never locked." in after["long"].content
    assert len(after["long"].content) < len(TALK)
    untouched = ("other", "another", "protected", "critical", "two")
    assert {name: after[name] for name in untouched} == {name: before[name] for name in untouched}
    assert memory.profile.history(workspace="shop").items == (done,)
    history = memory.memories.history(made["stale"].id).items
    assert history[0].reason.startswith("stale: confidence 0.0")
    undone = memory.profile.undo(done.id[:18])
    assert (undone.status, undone.undone_by) == (ChangeStatus.UNDONE, "human")
    assert states(memory, made) == before
    with pytest.raises(Conflict, match="already undone"):
        memory.profile.undo(done.id)
    assert memory.journal.verify().intact


def test_only_what_was_chosen_is_done(memory: Memoranda) -> None:
    made = mixed(memory)
    change = memory.profile.optimize(workspace="shop")
    (number,) = [
        one.number for one in change.suggestions if one.kind is ProfileSuggestionKind.STALE
    ]
    done = memory.profile.apply(change.hash, [number], workspace="shop")
    assert [one.number for one in done.suggestions] == [number]
    changed = {name for name, state in states(memory, made).items()
               if state != MemoryState.of(made[name])}  # fmt: skip
    assert changed == {"stale"}
    memory.profile.undo(done.id)
    assert states(memory, made)["stale"] == MemoryState.of(made["stale"])


def test_each_that_left_can_be_brought_back_alone(memory: Memoranda) -> None:
    made = mixed(memory)
    done = memory.profile.apply(memory.profile.optimize(workspace="shop").hash, workspace="shop")
    for step in (step for one in done.suggestions for step in one.steps):
        assert step.version is not None
        memory.memories.restore(step.memory, step.version)
    assert states(memory, made) == {name: MemoryState.of(one) for name, one in made.items()}
    with pytest.raises(Conflict, match="has changed since"):
        memory.profile.undo(done.id)


def test_a_profile_that_changed_is_looked_at_again(memory: Memoranda) -> None:
    made = mixed(memory)
    change = memory.profile.optimize(workspace="shop")
    memory.profile.edit(made["other"].id, MemoryEdit(content="The gateway is gone."))
    before = states(memory, made)
    with pytest.raises(Conflict, match="has changed since the preview"):
        memory.profile.apply(change.hash, workspace="shop")
    again = memory.profile.optimize(workspace="shop")
    with pytest.raises(Conflict, match="not the latest preview"):
        memory.profile.apply(change.hash, workspace="shop")
    with pytest.raises(Conflict, match="not the latest preview"):
        memory.profile.apply(again.hash[:7], workspace="shop")
    with pytest.raises(Conflict):
        memory.profile.apply(again.hash)  # of another profile
    for numbers in ([], [0], [1, 99]):
        with pytest.raises(InvalidInput, match="no suggestion"):
            memory.profile.apply(again.hash, numbers, workspace="shop")
    assert states(memory, made) == before
    assert memory.profile.history(workspace="shop").items == ()


def test_an_agent_looks_and_applies_nothing(memory: Memoranda) -> None:
    made = mixed(memory)
    bob = acting(memory, "bob", "shop")
    secret = bob.remember(
        NewMemory("Bob hides.", category=Category.DOMAIN_KNOWLEDGE, visibility=Visibility.AGENT)
    )
    seen = bob.profile.optimize()
    assert seen.suggestions
    with pytest.raises(Forbidden):
        bob.profile.apply(seen.hash)
    with pytest.raises(Conflict):
        memory.profile.apply(seen.hash, workspace="shop")  # it was not kept
    with pytest.raises(Forbidden):
        bob.profile.merge([made["one"].id, made["two"].id])
    done = memory.profile.apply(memory.profile.optimize(workspace="shop").hash, workspace="shop")
    with pytest.raises(Forbidden):
        bob.profile.undo(done.id)
    assert bob.memories.evidence(secret.id).memory.status is MemoryStatus.PENDING


def test_merged_by_hand_and_back(memory: Memoranda) -> None:
    made = mixed(memory)
    before = states(memory, made)
    done = memory.profile.merge([made["one"].id, made["two"].id])
    stored = memory.memories.evidence(made["one"].id).memory
    assert stored.content == "Use pnpm, never npm. Lock files are committed."
    assert memory.memories.evidence(made["two"].id).memory.superseded_by == stored.id
    assert memory.profile.show(workspace="shop").used == done.used - done.freed
    memory.profile.undo(done.id)
    assert states(memory, made) == before


@pytest.mark.parametrize(
    ("names", "error"),
    [
        (["one"], InvalidInput),
        (["one", "one"], InvalidInput),
        (["other", "another"], Conflict),
        (["one", "protected"], Conflict),
        (["critical", "protected"], Conflict),
        (["protected", "critical"], Conflict),
    ],
    ids=["one", "twice", "values", "protected", "both", "both turned"],
)
def test_what_must_not_be_merged_is_refused(
    memory: Memoranda, names: list[str], error: type[Exception]
) -> None:
    made = mixed(memory)
    before = states(memory, made)
    with pytest.raises(error):
        memory.profile.merge([made[name].id for name in names])
    assert states(memory, made) == before
    assert memory.profile.history().items == ()


@pytest.mark.engines("sqlite", "postgres")
def test_of_applications_at_once_one_is_made(memory: Memoranda) -> None:
    mixed(memory)
    change, outcomes = memory.profile.optimize(workspace="shop"), list[str]()
    ready = threading.Barrier(8)

    def apply() -> None:
        ready.wait()
        try:
            memory.profile.apply(change.hash, workspace="shop")
            outcomes.append("done")
        except Conflict:
            outcomes.append("conflict")

    threads = [threading.Thread(target=apply) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(outcomes) == ["conflict"] * 7 + ["done"]
    written = [one.operation for one in memory.journal.list(limit=200)]
    assert written.count("profile optimise") == 1


def test_a_failure_half_way_leaves_nothing_done(
    memory: Memoranda, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = mixed(memory)
    before, change = states(memory, made), memory.profile.optimize(workspace="shop")
    changes = memory._services.optimiser._changes
    write, calls = changes.write, list[str]()

    def failing(tx: Transaction, one: Memory, *rest: object) -> Memory:
        calls.append(one.id)
        if len(calls) == 3:
            raise InvalidInput("the lights went out")
        return write(tx, one, *rest)  # type: ignore[arg-type]

    monkeypatch.setattr(type(changes), "write", lambda self, *values: failing(*values))
    with pytest.raises(InvalidInput, match="lights"):
        memory.profile.apply(change.hash, workspace="shop")
    monkeypatch.undo()
    assert len(calls) == 3
    assert states(memory, made) == before
    assert memory.profile.apply(change.hash, workspace="shop").freed == change.freed


def crowd(memory: Memoranda, count: int, workspace: str = "shop") -> list[Memory]:
    place, records = memory._named_or_new(workspace).id, Records(seed=9)
    texts = [f"Lamp {n} hangs in hall {n}." + " a" * 170 for n in range(count)]
    return plant(memory, *(records.memory(place, text, tokens=180, uses=n)
                           for n, text in enumerate(texts)))  # fmt: skip


def test_a_profile_above_its_limit_is_fitted_and_may_be_so_again(memory: Memoranda) -> None:
    made = crowd(memory, 60)
    assert memory.profile.show(workspace="shop").used == 12_000
    change = memory.profile.optimize(workspace="shop", target=9_000)
    done = memory.profile.apply(change.hash, workspace="shop")
    assert memory.profile.show(workspace="shop").used <= 9_000
    room = 10_000 - memory.profile.show(workspace="shop").used
    with pytest.raises(ProfileFull):
        memory.profile.add("x" + " a" * room, workspace="shop")
    memory.profile.undo(done.id)
    assert memory.profile.show(workspace="shop").used == 12_000
    assert all(
        MemoryState.of(memory.memories.evidence(one.id).memory) == MemoryState.of(one)
        for one in made
    )


def test_what_came_meanwhile_can_leave_no_room_for_undoing(memory: Memoranda) -> None:
    crowd(memory, 45)
    change = memory.profile.optimize(workspace="shop", target=6_000)
    done = memory.profile.apply(change.hash, workspace="shop")
    kept = memory.profile.add("new" + " a" * 3_000, workspace="shop")
    used = memory.profile.show(workspace="shop").used
    with pytest.raises(ProfileFull):
        memory.profile.undo(done.id)
    assert memory.profile.show(workspace="shop").used == used
    assert memory.profile.history().items[0].status is ChangeStatus.APPLIED
    memory.profile.remove(kept.id)
    memory.profile.undo(done.id)


@pytest.mark.parametrize("target", [0, -1, 10_001])
def test_a_target_lies_within_the_limit(memory: Memoranda, target: int) -> None:
    with pytest.raises(InvalidInput, match="target must be between"):
        memory.profile.optimize(target=target)


@pytest.mark.parametrize("id", ["", "nonesuch", "x' or 1=1 --", "%"])
def test_there_is_no_such_change(memory: Memoranda, id: str) -> None:
    mixed(memory)
    preview = memory.profile.optimize(workspace="shop")
    for wanted in (id, preview.id):
        with pytest.raises((NotFound, InvalidInput)):
            memory.profile.undo(wanted)


def test_a_crowded_profile_is_reported_once(memory: Memoranda) -> None:
    crowd(memory, 39)
    assert memory.profile.news("cli") == []
    memory.profile.add("one more" + " a" * 300, workspace="shop")
    memory.capture.drain()
    (news,) = memory.profile.news("cli")
    assert (news.limit, news.workspace) == (10_000, "shop")
    assert news.used == memory.profile.show(workspace="shop").used > 8_000
    assert news.freed >= news.used - 8_000
    assert memory.profile.news("cli") == []
    assert memory.profile.news("page") == [replace(news)]
    memory.profile.add("a little", workspace="shop")
    memory.capture.drain()
    assert memory.profile.news("cli") == []
    memory.profile.add("and much" + " b" * 600, workspace="shop")
    memory.capture.drain()
    assert len(memory.profile.news("cli")) == 1
    assert memory.profile.history().items == ()


def test_nothing_is_applied_without_a_person_by_default(engine: Settings) -> None:
    for automatic, entries in ((False, 41), (True, None)):
        with opened(replace(engine, optimize_automatically=automatic)) as memory:
            if not automatic:
                crowd(memory, 40)
                memory.profile.add("one more" + " a" * 60, workspace="shop")
            else:
                memory.profile.add("a last one", workspace="shop")
            memory.capture.drain()
            shown = memory.profile.show(workspace="shop")
            if entries:
                assert shown.entries == entries
                assert memory.profile.history().items == ()
            else:
                assert shown.used <= 8_000
                (done,) = memory.profile.history().items
                assert done.applied_by == "optimize_automatically"
                memory.profile.undo(done.id)


def test_forgetting_reaches_what_was_suggested(memory: Memoranda) -> None:
    place, records = memory._named_or_new("shop").id, Records(seed=3)
    texts = ["Use heliotrope paint here. Never red.", "Never red. Use heliotrope paint here, ok."]
    one, two = plant(memory, *(records.memory(place, text, tokens=9) for text in texts))
    (suggested,) = memory.profile.optimize(workspace="shop").suggestions
    assert suggested.kind is ProfileSuggestionKind.MERGE
    memory.forget(RemovalSelection(ids=[one.id]), confirm=True)
    memory.forget(RemovalSelection(ids=[two.id]), confirm=True)
    for table in ("profile_change", "profile_step", "memory", "memory_version"):
        rows = memory._database.read(
            lambda tx, table=table: tx.fetch(f"select * from {table}", {})  # type: ignore[misc]
        )
        assert rows == [], table


def test_a_kind_of_job_waits_for_a_crowded_profile_only(memory: Memoranda) -> None:
    def waiting() -> int:
        from memoranda.jobs import table as jobs

        kind = JobKind.OPTIMISE_PROFILE
        return memory._database.read(lambda tx: jobs.waiting(tx, "local", kind))

    memory._services.background.stop()
    memory.profile.add("Tabs.", workspace="shop")
    assert waiting() == 0
    crowd(memory, 40)
    memory.profile.add("Spaces.", workspace="shop")
    assert waiting() == 1
    memory.profile.add("Lines.", workspace="shop")
    assert waiting() == 1
