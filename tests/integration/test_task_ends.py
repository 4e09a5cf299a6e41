"""End of a task: its archive and proposals, once, on every engine."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

import pytest
from acting import acting, opened
from happenings import finish, message_event, ran, start

from contract.clock import FixedClock
from language_servers import KEY, LanguageServer
from memoranda import Memoranda
from memoranda.assembly.services import Services
from memoranda.capture.event import Event, EventKind, EventSource
from memoranda.config import Settings
from memoranda.exceptions import Conflict, InvalidInput, NotFound
from memoranda.jobs import table as jobs
from memoranda.jobs.model import JobKind
from memoranda.memories.memory_service import NewMemory
from memoranda.memories.model import Memory, MemoryKind, MemorySource, MemoryStatus, Visibility
from memoranda.memories.removal import RemovalSelection
from memoranda.observations.model import Origin
from memoranda.proposals.model import MemoryEdit, ProposalStatus
from memoranda.scope import Scope
from memoranda.search.model import HitKind
from memoranda.tasks.model import TaskStatus

pytestmark = [pytest.mark.integration, pytest.mark.engines("sqlite")]

TROUBLES = {
    "import": (
        "Make the nightly report run again",
        "python -m report",
        "Traceback (most recent call last):\n  File \"report.py\", line 3, in <module>\n"
        "ModuleNotFoundError: No module named 'tabulate'",
        "pip install tabulate",
    ),
    "port": (
        "Start the gateway on the staging host",
        "./gateway --port 8080",
        "OSError: [Errno 98] Address already in use",
        "kill 4411",
    ),
    "net": (
        "Fetch the rate list from the partner",
        "curl -sS https://rates.example/list",
        "curl: (6) Could not resolve host: rates.example",
        "export HTTPS_PROXY=http://proxy:3128",
    ),
    "program": (
        "Render the diagrams for the handbook",
        "dot -Tsvg graph.dot",
        "bash: dot: command not found",
        "apt-get install graphviz",
    ),
    "right": (
        "Publish the nightly build",
        "./publish.sh",
        "bash: ./publish.sh: Permission denied",
        "chmod +x publish.sh",
    ),
    "base": (
        "Run the migration of the orders table",
        "alembic upgrade head",
        "sqlalchemy.exc.OperationalError: could not connect to server: Connection refused",
        "docker start orders-db",
    ),
}  # fmt: skip
RULE = "Never edit the generated tariffs by hand."


def ended(session: str) -> Event:
    """Return the end of a session, as a hook reports it."""
    return Event(
        kind=EventKind.TASK_END,
        host="claude-code",
        session=session,
        source=EventSource.HOOK,
        key=f"end-{session}",
        origin=Origin.HUMAN,
    )


def fix_events(name: str, session: str | None = None) -> list[Event]:
    """Return a task's events with a failure and its fix."""
    goal, call, error, fix = TROUBLES[name]
    where: dict[str, Any] = {"session": session or name, "cwd": "/srv/shop"}
    key = session or name
    return [
        message_event(f"{key}0", goal, **where),
        ran(f"{key}1", call, error, failed=True, **where),
        ran(f"{key}2", fix, "done", **where),
        ran(f"{key}3", call, "all well", **where),
    ]


@pytest.fixture
def memory(engine: Settings) -> Iterator[Memoranda]:
    with opened(engine, FixedClock(step=1)) as memory:
        yield memory
        assert memory.journal.verify().intact


def archives(memory: Memoranda) -> list[Memory]:
    """Return the archives of single tasks, newest first."""
    return [one for one in memory.memories.list(limit=200) if one.kind is MemoryKind.EPISODIC]


def task_of(memory: Memoranda, session: str) -> str:
    """Return the id of the task of a session."""
    (found,) = [one.id for one in memory.tasks.list(limit=200) if one.session == session]
    return found


def operations(memory: Memoranda) -> list[str]:
    return [entry.operation for entry in memory.journal.list(limit=500)]


def test_a_session_that_ends_is_archived_and_what_it_taught_waits(memory: Memoranda) -> None:
    memory.capture.take([*fix_events("import"), ended("import")])
    memory.capture.drain()
    (archive,) = archives(memory)
    assert archive.content.startswith("Goal: Make the nightly report run again\nOutcome: completed")
    assert "Fixed import error: python -m report gave" in archive.content
    assert "fixed by pip install tabulate" in archive.content
    assert (archive.status, archive.approved_by) == (MemoryStatus.APPROVED, None)
    assert (archive.source, archive.origin) == (MemorySource.EXECUTION, Origin.GENERATED)
    assert (archive.critical, archive.protected) == (False, False)
    assert archive.tags == ("task:1", "import_error")
    evidence = memory.memories.evidence(archive.id).observations
    assert {memory.observations.show(one).observation.task for one in evidence} == {
        task_of(memory, "import")
    }
    (waits,) = memory.proposals.list().items
    assert (waits.agent, waits.task) == ("memoranda", task_of(memory, "import"))
    assert waits.reason == "fix, seen in one task"
    learned = memory.memories.evidence(waits.memory)
    assert "pip install tabulate" in learned.memory.content
    assert learned.memory.status is MemoryStatus.PENDING
    assert len(learned.observations) == 3
    assert archive.content not in memory.context(workspace="shop", budget=2_000).text


def test_an_archived_account_takes_no_statement_out_of_contexts(memory: Memoranda) -> None:
    rule = message_event("rule", RULE, session="import", cwd="/srv/shop")
    memory.capture.take([*fix_events("import"), rule, ended("import")])
    memory.capture.drain()
    (archive,) = archives(memory)
    memory.memories.archive(archive.id)
    assert RULE in memory.context(workspace="shop", budget=2_000).text


def test_an_approved_rule_shows_that_a_person_stated_it_and_a_lesson_does_not(
    memory: Memoranda,
) -> None:
    rule = message_event("rule", RULE, session="import", cwd="/srv/shop")
    memory.capture.take([*fix_events("import"), rule, ended("import")])
    memory.capture.drain()
    memory.proposals.approve_all(memory.proposals.list().items)
    text = memory.context(query="order tabulate", workspace="shop", budget=4_000).text
    approved = re.findall(r"^\[(\w+), approved [\d-]+\]\n((?:- .*\n)+)", text, re.MULTILINE)
    assert sorted((label, RULE in lines, "tabulate" in lines) for label, lines in approved) == [
        ("generated", False, True),
        ("human", True, False),
    ]


def test_the_text_that_a_person_approved_in_own_words_is_that_persons(memory: Memoranda) -> None:
    rule = message_event("rule", RULE, session="import", cwd="/srv/shop")
    memory.capture.take([*fix_events("import"), rule, ended("import")])
    memory.capture.drain()
    waits = next(one for one in memory.proposals.list() if RULE in one.after.content)
    edit = MemoryEdit(content="Ship only from the branch main.")
    memory.proposals.approve(waits.id, waits.hash, edit=edit)
    text = memory.context(workspace="shop", budget=2_000).text
    assert re.search(r"^\[human, approved [\d-]+\]\n- Ship only", text, re.MULTILINE)


def test_doing_it_again_changes_nothing(memory: Memoranda) -> None:
    memory.capture.take([*fix_events("import"), ended("import")])
    memory.capture.drain()
    before = archives(memory), memory.proposals.list().items, operations(memory)
    task = task_of(memory, "import")
    for _ in range(2):
        memory._services.enqueue(JobKind.TASK_ENDED, task)
        memory.capture.drain()
    found = memory.tasks.extract_learnings(task)
    assert (found.proposals, found.reinforced, found.repeated) == ((), (), 1)
    assert (archives(memory), memory.proposals.list().items, operations(memory)) == before


def test_the_archive_of_a_resumed_task_is_rewritten_and_the_old_text_is_a_version(
    memory: Memoranda,
) -> None:
    memory.capture.take([*fix_events("import"), ended("import")])
    memory.capture.drain()
    (first,) = archives(memory)
    more = [one for one in fix_events("port", "import") if one.kind is not EventKind.MESSAGE]
    memory.capture.take([replace(one, key=f"more-{one.key}") for one in more])
    memory.capture.drain()
    assert memory.tasks.show("1").status is TaskStatus.ACTIVE
    assert archives(memory) == [first]
    memory.capture.take([replace(ended("import"), key="end-again")])
    memory.capture.drain()
    (second,) = archives(memory)
    assert second.id == first.id
    assert "Address already in use" in second.content
    assert (second.kind, second.approved_by) == (MemoryKind.EPISODIC, None)
    (version,) = memory.memories.history(second.id)
    assert (version.state.content, version.actor) == (first.content, "memoranda")
    assert len(memory.memories.evidence(second.id).observations) > 3
    assert second.id in [hit.id for hit in memory.search("address in use").hits]


def test_what_a_person_made_of_an_archive_is_not_written_over(memory: Memoranda) -> None:
    memory.capture.take([*fix_events("import"), ended("import")])
    memory.capture.drain()
    (first,) = archives(memory)
    memory.memories.edit(first.id, MemoryEdit(content="It was the module tabulate."))
    memory.tasks.end("1", "failed")
    (second,) = archives(memory)
    assert second.content == "It was the module tabulate."
    assert second.kind is MemoryKind.EPISODIC


def test_how_an_error_was_fixed_is_found_among_other_tasks(engine: Settings) -> None:
    with Memoranda(Services(engine, FixedClock(step=1)), Scope()) as memory:
        for name in TROUBLES:
            memory.capture.take([*fix_events(name), ended(name)])
        memory.capture.drain()
        memory.index.reembed()
        values = {
            "how did we fix the import error last time?": "import",
            "what did we do when the port was taken": "port",
            "how did we get past the permission problem": "right",
            "what helped when the database refused connections": "base",
            "how was the missing program for the diagrams installed": "program",
        }
        for query, name in values.items():
            title = f"How it was done: {TROUBLES[name][0]}"
            for mode in ("hybrid", "words"):
                found = memory.search(query, limit=3, mode=mode, min_score=0).hits
                text = [hit.title for hit in found if hit.kind is HitKind.MEMORY]
                assert text[:1] == [title], (query, mode)
        meant = memory.search("module cannot be loaded", mode="vectors", limit=5).hits
        assert "How it was done: Make the nightly report run again" in [one.title for one in meant]
        text = memory.context(query="how did we fix the import error?", workspace="shop").text
        assert "fixed by pip install tabulate" in text


def test_a_trivial_task_leaves_nothing_behind(memory: Memoranda) -> None:
    where: dict[str, Any] = {"session": "short", "cwd": "/srv/shop"}
    memory.capture.take(
        [
            message_event("s1", "List the folder.", **where),
            ran("s2", "ls", "a b", **where),
            ended("short"),
        ]
    )
    memory.capture.drain()
    assert archives(memory) == []
    assert memory.proposals.count() == 0
    left = memory.tasks.end("1", "failed")
    assert (left.archive, left.learnings.proposals) == (None, ())


def test_the_same_lesson_in_another_task_makes_it_surer(memory: Memoranda) -> None:
    for session in ("one", "two", "three"):
        memory.capture.take([*fix_events("import", session), ended(session)])
        memory.capture.drain()
    (waits,) = memory.proposals.list().items
    assert waits.reason == "fix, seen in 3 tasks"
    assert (
        len([one for one in memory.proposals.notifications("mail") if one.proposal == waits.id])
        == 1
    )
    stored = memory.memories.evidence(waits.memory)
    assert stored.memory.confidence == pytest.approx(0.8)
    assert len(stored.observations) == 9
    memory.proposals.approve(waits.id, waits.hash)
    memory.capture.take([*fix_events("import", "four"), ended("four")])
    memory.capture.drain()
    assert memory.proposals.count() == 0
    surer = memory.memories.evidence(waits.memory).memory
    assert (surer.confidence, surer.status) == (pytest.approx(0.9), MemoryStatus.APPROVED)
    assert surer.approved_by == "human"


def test_what_a_person_turned_down_or_forgot_is_not_proposed_again(memory: Memoranda) -> None:
    memory.capture.take(
        [*fix_events("import", "one"), ended("one"), *fix_events("net", "two"), ended("two")]
    )
    memory.capture.drain()
    two, one = memory.proposals.list().items
    memory.proposals.reject(one.id)
    memory.forget(RemovalSelection(ids=[two.memory]), confirm=True)
    memory.capture.take(
        [*fix_events("import", "3"), ended("3"), *fix_events("net", "4"), ended("4")]
    )
    memory.capture.drain()
    assert memory.proposals.count() == 0
    assert memory.memories.evidence(one.memory).memory.status is MemoryStatus.REJECTED


def test_a_rule_that_is_a_memory_already_is_not_proposed(memory: Memoranda) -> None:
    memory.capture.take(fix_events("import"))
    memory.remember("Never edit generated tariffs by hand!", workspace="shop")
    memory.capture.take(
        [
            message_event("rule", RULE, session="import", cwd="/srv/shop"),
            message_event("new", "You must not push to main.", session="import", cwd="/srv/shop"),
            ended("import"),
        ]
    )
    memory.capture.drain()
    titles = [one.after.title for one in memory.proposals.list()]
    assert len(titles) == len(set(titles))  # feedback from the chat is not proposed again
    assert [one.after.title for one in memory.proposals.list() if one.reason] == [
        "You must not push to main.",
        "What ended: ModuleNotFoundError: No module named 'tabulate'",
    ]


def test_a_private_memory_keeps_no_rule_from_being_proposed(memory: Memoranda) -> None:
    from memoranda.memories.memory_service import NewMemory
    from memoranda.memories.model import Visibility

    memory.capture.take(fix_events("import"))
    bob = acting(memory, "bob", "shop")
    bob.remember(NewMemory("Never edit generated tariffs by hand!", visibility=Visibility.AGENT))
    rule = message_event("rule", RULE, session="import", cwd="/srv/shop")
    memory.capture.take([rule, ended("import")])
    memory.capture.drain()
    assert RULE in [one.after.title for one in memory.proposals.list()]


@pytest.mark.parametrize("outcome", ["completed", "failed"])
def test_a_task_is_ended_by_hand_once(memory: Memoranda, outcome: str) -> None:
    memory.capture.take(fix_events("import"))
    left = memory.tasks.end("1", outcome)
    assert (left.task.status, left.archive) == (TaskStatus(outcome), archives(memory)[0].id)
    assert [one.id for one in left.learnings.proposals] == [
        one.id for one in memory.proposals.list()
    ]
    assert f"Outcome: {outcome}" in archives(memory)[0].content
    before = operations(memory), memory.tasks.show("1")
    for again in ("completed", outcome):
        with pytest.raises(Conflict, match="has already ended as"):
            memory.tasks.end("1", again)
    assert (operations(memory), memory.tasks.show("1")) == before


def test_a_session_marked_as_failed_is_not_completed_by_its_host(
    memory: Memoranda,
) -> None:
    memory.capture.take([*fix_events("import"), ended("import")])
    memory.tasks.end("1", "failed")  # a host cannot know
    memory.capture.take([replace(ended("import"), key="again")])
    assert memory.tasks.show("1").status is TaskStatus.FAILED
    memory.capture.take([ran("on", "ls", "a", session="import", cwd="/srv/shop")])
    assert memory.tasks.show("1").status is TaskStatus.ACTIVE
    memory.capture.take([replace(ended("import"), key="later")])
    assert memory.tasks.show("1").status is TaskStatus.COMPLETED


@pytest.mark.parametrize(
    ("task", "outcome", "error"),
    [("9", "completed", NotFound), ("1", "active", InvalidInput), ("1", "won", InvalidInput)],
    ids=["missing", "active", "unknown"],
)
def test_an_end_that_is_none_changes_nothing(
    memory: Memoranda, task: str, outcome: str, error: type[Exception]
) -> None:
    memory.capture.take(fix_events("import"))
    before = operations(memory)
    with pytest.raises(error):
        memory.tasks.end(task, outcome)
    with pytest.raises(NotFound):
        memory.tasks.extract_learnings("9")
    assert operations(memory) == before
    assert memory.tasks.show("1").status is TaskStatus.ACTIVE


def test_a_task_that_goes_on_can_be_learned_from_but_is_not_archived(memory: Memoranda) -> None:
    memory.capture.take(fix_events("import"))
    found = memory.tasks.extract_learnings("1")
    assert (found.method, found.declined, len(found.proposals)) == ("record", "", 1)
    assert archives(memory) == []
    memory._services.enqueue(JobKind.TASK_ENDED, task_of(memory, "import"))
    memory.capture.drain()
    assert archives(memory) == []


def test_a_task_that_ends_again_teaches_no_more_than_it_may(memory: Memoranda) -> None:
    where: dict[str, Any] = {"session": "import", "cwd": "/srv/shop"}
    memory.capture.take(fix_events("import"))
    for turn in range(3):
        rules = [f"Never touch table {turn}{letter} by hand." for letter in "abc"]
        memory.capture.take([message_event(f"{turn}-{rule}", rule, **where) for rule in rules])
        memory.capture.take([replace(ended("import"), key=f"end-{turn}")])
        memory.capture.drain()
    waiting = memory.proposals.list(limit=99).items
    kinds = [one.reason.partition(",")[0] for one in waiting]
    assert kinds.count("constraint") <= 3
    assert kinds.count("fix") == 1
    titles = [one.after.title for one in waiting]
    assert len(titles) == len(set(titles))
    assert memory.tasks.extract_learnings("1").proposals == ()
    (archive,) = archives(memory)
    assert len(archive.content) <= 2_000


def test_what_a_task_left_behind_is_a_memory_like_others(memory: Memoranda) -> None:
    memory.capture.take([*fix_events("import"), ended("import")])
    memory.capture.drain()
    (archive,) = archives(memory)
    bob = acting(memory, "bob", "shop")
    wish = bob.memories.edit(archive.id, MemoryEdit(critical=True))
    assert wish.proposal is not None  # an agent alone makes nothing critical
    assert not memory.memories.evidence(archive.id).memory.critical
    memory.memories.archive(archive.id)
    memory.tasks.end("1", "failed")
    assert memory.memories.evidence(archive.id).memory.status is MemoryStatus.ARCHIVED
    back = memory.memories.restore(archive.id, 1)
    assert (back.kind, back.approved_by) == (MemoryKind.EPISODIC, None)


def test_what_is_forgotten_is_not_quoted_any_more(memory: Memoranda) -> None:
    memory.capture.take(
        [*fix_events("import"), *fix_events("port"), ended("import"), ended("port")]
    )
    memory.capture.drain()
    (error,) = [
        one.id for one in memory.observations.list(limit=99) if "tabulate" in one.summary
        and one.type == "error"
    ]  # fmt: skip
    memory.forget(RemovalSelection(ids=[error]), confirm=True)
    memory.capture.drain()
    assert len(archives(memory)) == 2  # recomputed without it
    for table in ("memory", "proposal", "memory_version", "lesson"):
        rows = memory._database.read(
            lambda tx, table=table: tx.fetch(f"select * from {table}", {})  # type: ignore[misc]
        )
        assert "No module named" not in repr(rows), table
    memory.forget(RemovalSelection(task=task_of(memory, "import")), confirm=True)
    assert [one.title for one in archives(memory)] == [
        "How it was done: Start the gateway on the staging host"
    ]


def test_what_a_person_approved_outlives_what_it_rests_on(memory: Memoranda) -> None:
    memory.capture.take([*fix_events("import"), ended("import")])
    memory.capture.drain()
    (waits,) = memory.proposals.list().items
    memory.proposals.approve(waits.id, waits.hash)
    memory.forget(RemovalSelection(task=task_of(memory, "import")), confirm=True)
    assert memory.memories.evidence(waits.memory).memory.status is MemoryStatus.APPROVED
    assert archives(memory) == []


def test_secrets_do_not_come_back_by_way_of_lessons(memory: Memoranda) -> None:
    key = "ghp_" + "a1B2c3D4e5F6" * 3
    where: dict[str, Any] = {"session": "s", "cwd": "/srv/shop"}
    memory.capture.take(
        [
            message_event("s0", f"Deploy with {key}", **where),
            ran("s1", f"./deploy {key}", "bash: ./deploy: Permission denied", failed=True, **where),
            ran("s2", "chmod +x deploy", "done", **where),
            ran("s3", f"./deploy {key}", "all well", **where),
            ended("s"),
        ]
    )
    memory.capture.drain()
    assert len(archives(memory)) == 1
    assert key not in repr(memory.memories.list(limit=99)) + repr(memory.proposals.list())


def test_a_tool_that_often_fails_is_proposed_once(memory: Memoranda) -> None:
    where: dict[str, Any] = {"cwd": "/srv/shop"}
    error = "curl: (7) Failed to connect to rates port 80"
    for part in range(3):
        name = f"s{part}"
        work = [ran(f"{name}-ls{n}", f"ls {n}", "ok", session=name, **where) for n in range(40)]
        for n in range(8):
            call = f"curl -s http://rates/{part}/{n}"
            failed = n % 2 == 0
            output = error if failed else "ok"
            work.append(ran(f"{name}-c{n}", call, output, failed=failed, session=name, **where))
        memory.capture.take([*work, ended(name)])
        memory.capture.drain()
    (found,) = [one for one in memory.tools.reliability(workspace="shop") if one.unreliable]
    assert (found.tool, found.calls, found.failures) == ("curl", 24, 12)
    assert found.kinds == (("network", 12),)
    about = [one for one in memory.proposals.list() if one.after.title == "curl often fails here"]
    (waits,) = about
    stored = memory.memories.evidence(waits.memory).memory
    assert (stored.source, stored.category.value) == (MemorySource.ANALYZED, "troubleshooting")
    assert "network" in stored.content
    assert memory.tools.reliability(workspace="shop", limit=1)[0] == found
    assert memory.tools.reliability()[0].tool == "curl"


def test_teams_learn_apart(memory: Memoranda) -> None:
    memory.capture.take([*fix_events("import"), ended("import")])
    memory.capture.drain()
    stranger = Memoranda(memory._services, Scope("elsewhere"))
    assert stranger.memories.stats() == []
    assert stranger.tools.reliability() == []
    assert stranger.proposals.list(status=None).items == ()
    assert stranger.rules.list().items == ()


@pytest.mark.engines("sqlite", "postgres")
def test_memories_are_counted_by_workspace_and_category(memory: Memoranda) -> None:
    memory.capture.take([*fix_events("import"), ended("import")])
    memory.capture.drain()
    memory.remember("Prices are net.", workspace="yard")
    found = {
        (one.workspace, one.category, one.status): one.memories for one in memory.memories.stats()
    }
    assert found == {
        ("shop", "insight", "approved"): 1,
        ("shop", "troubleshooting", "pending"): 1,
        ("yard", "insight", "approved"): 1,
    }
    assert [one.workspace for one in memory.memories.stats(workspace="yard")] == ["yard"]


def test_every_count_is_of_what_the_caller_may_list(memory: Memoranda) -> None:
    services, scope = memory._services, memory._scope
    bots = {name: Memoranda(services, replace(scope, agent=name)) for name in ("bot", "rival")}
    bots["bot"].remember(NewMemory("Only the bot knows.", visibility=Visibility.AGENT))
    memory.remember(NewMemory("Prices were net.", valid_until=1))
    memory.remember("Prices are gross.")
    bots["rival"].remember("Prices are round.")

    def counts(caller: Memoranda) -> tuple[Mapping[str, int], Mapping[str, int], int]:
        by_status: Counter[str] = Counter()
        for one in caller.memories.stats():
            by_status[one.status] += one.memories
        return caller.store.stats().memories, by_status, caller.proposals.count()

    for caller in (memory, *bots.values()):
        listed = Counter(
            "ended" if one.valid_until == 1 else one.status.value
            for one in caller.memories.list(ever=True)
        )
        assert counts(caller) == (listed, listed, len(caller.proposals.list().items))


# ---------------------------------------------------------------------- killed and at once

ENDING = """
import os, sys
from acting import opened
from memoranda.config import load_settings
given = {"data_dir": sys.argv[1], "database_url": sys.argv[2]}
memory = opened(load_settings({name: value for name, value in given.items() if value}, {}))
sys.stdin.readline()
while memory._services.worker.run():
    os.write(1, b".\\n")
print("done")
memory.close()
"""


@pytest.mark.engines("sqlite", "postgres")
def test_several_processes_that_do_the_same_end_leave_one_archive(
    engine: Settings, memory: Memoranda
) -> None:
    for name in TROUBLES:
        memory.capture.take([*fix_events(name), ended(name)])
    place = str(engine.data_dir), engine.database_url or ""
    children = [start(ENDING, *place) for _ in range(3)]
    for child in children:
        assert child.stdin is not None
        child.stdin.write("\n")
        child.stdin.flush()
    children.pop().kill()
    for child in children:
        finish(child)
    for name in TROUBLES:  # jobs leased by the killed process run again
        memory._services.enqueue(JobKind.TASK_ENDED, task_of(memory, name))
    memory.capture.drain()
    assert sorted(one.title for one in archives(memory)) == sorted(
        f"How it was done: {goal}" for goal, *_ in TROUBLES.values()
    )
    waiting = [one.after.title for one in memory.proposals.list(limit=99)]
    assert len(waiting) == len(set(waiting)) == 5  # the port is reported as an error without a kind


@pytest.mark.engines("sqlite", "postgres")
def test_an_end_that_is_killed_before_its_work_is_done_later(memory: Memoranda) -> None:
    memory.capture.take(fix_events("import"))
    scope = Scope(memory._scope.team)
    memory._services.task_ends.end(scope, task_of(memory, "import"), TaskStatus.FAILED)
    assert archives(memory) == []
    team = memory._scope.team
    kind = JobKind.TASK_ENDED
    assert memory._database.read(lambda tx: jobs.waiting(tx, team, kind)) == 1
    memory.capture.drain()
    assert "Outcome: failed" in archives(memory)[0].content


# ---------------------------------------------------------------------- with a language model

BETTER = "If python -m report lacks a module, run pip install tabulate."


@pytest.fixture
def worded(data_dir: Any) -> Iterator[tuple[Memoranda, LanguageServer]]:
    def reply(text: str) -> object:
        return {"lessons": [{"note": 1, "text": BETTER}]}

    with LanguageServer(reply=reply) as server:
        arguments: dict[str, Any] = {
            "data_dir": data_dir,
            "language_model": "compatible:small",
            "language_base_url": server.url,
            "language_api_key": KEY,
            "language_prices": {"small": (1.0, 2.0)},
            "language_timeout_seconds": 2.0,
            "embedder": "none",
        }
        services = Services(Settings(**arguments), FixedClock(step=1))
        with Memoranda(services, Scope()) as memory:
            yield memory, server


def test_a_model_rephrases_lessons_in_one_request(
    worded: tuple[Memoranda, LanguageServer],
) -> None:
    memory, server = worded
    memory.capture.take(fix_events("import"))
    left = memory.tasks.end("1")
    assert left.learnings.method == "compatible:small"
    (waits,) = memory.proposals.list().items
    assert waits.after.content == BETTER
    charged = list(server.charged)
    memory.tasks.extract_learnings("1")
    assert server.charged == charged
    assert "learn" in [one.name for one in memory.costs.report("operation")]
    memory.capture.take([*fix_events("import", "two"), ended("two")])
    memory.capture.drain()
    assert memory.proposals.count() == 1  # in any wording it is the same lesson
    assert memory.proposals.list().items[0].reason == "fix, seen in 2 tasks"


def test_a_model_that_answers_nonsense_leaves_the_words_of_the_record(
    worded: tuple[Memoranda, LanguageServer], monkeypatch: pytest.MonkeyPatch
) -> None:
    memory, server = worded
    monkeypatch.setattr(server, "_reply", lambda text: {"lessons": "all of them"})
    memory.capture.take(fix_events("import"))
    left = memory.tasks.end("1")
    assert left.learnings.method == "record"
    assert "model_answer_unusable" in left.learnings.declined
    assert left.archive is not None
    assert len(memory.proposals.list(status=ProposalStatus.PENDING)) == 1
