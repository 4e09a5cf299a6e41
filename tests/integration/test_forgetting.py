"""Deleted data leaves no trace, stays away, and takes nothing else along."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from uuid import uuid4

import apsw
import pytest
from happenings import message_event, ran

from memoranda import Memoranda
from memoranda.capture.event import EventKind, EventSource
from memoranda.documents.model import MEMORY_METADATA, NewDocument
from memoranda.exceptions import Conflict, Forbidden, InvalidInput, NotFound
from memoranda.memories.memory_service import NewMemory
from memoranda.memories.model import MemoryStatus
from memoranda.memories.removal import RemovalSelection
from memoranda.proposals.model import MemoryEdit
from memoranda.store.sqlite import inspection_and_backup as maintenance

pytestmark = pytest.mark.integration

CANARY = "Quetzalcoatlus Xylophonist-7731"
"""Words in no other record; stemming must not hide them in the index."""
WORDS = ("quetzalcoatlus", "xylophonist", "7731")


@pytest.fixture
def project(tmp_path: Path) -> str:
    folder = tmp_path / "project"
    folder.mkdir()
    return str(folder)


def traces(data_dir: Path) -> list[str]:
    """Return every place in a data directory with the canary or its words."""
    found = [*_in_files(data_dir), *_in_full_text(data_dir / "memoranda.db")]
    return sorted(found)


def _in_files(data_dir: Path) -> Iterator[str]:
    for path in data_dir.rglob("*"):
        if not path.is_file():
            continue
        content = path.read_bytes().lower()
        for word in WORDS[:2]:
            for encoding in ("utf-8", "utf-16-le", "utf-16-be"):
                if word.encode(encoding) in content:
                    yield f"{path.name}: {word} in {encoding}"


def _in_full_text(path: Path) -> Iterator[str]:
    """Return the terms of an index, which only SQLite can list.

    They are stored with prefix compression.
    """
    raw = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READWRITE)
    try:
        for index in ("observation_words", "observation_terms", "memory_words", "memory_terms"):
            raw.execute(f"create virtual table temp.v_{index} using fts5vocab(main, {index}, row)")
            for (term,) in raw.execute(f"select term from temp.v_{index}"):
                if any(_same(term, word) for word in WORDS):
                    yield f"{index}: {term}"
    finally:
        raw.close()


def _same(term: str, word: str) -> bool:
    """Return whether an index term comes from a word: its stem or a trigram."""
    return (len(term) > 3 and word.startswith(term[:7])) or term in ("uet", "etz", "xyl")


def filled(memory: Memoranda, project: str) -> None:
    """Store the canary in every kind of place, and other records beside it."""
    events = [
        message_event("m1", f"never tell anybody about {CANARY}", cwd=project),
        ran("t1", f"cat {CANARY.split()[0]}.txt", {"stdout": f"{CANARY}\n" * 300}, cwd=project),
        ran("t2", "make", f"error: {CANARY} is not defined", failed=True, cwd=project),
        ran("t3", "echo ordinary", "an ordinary line", cwd=project),
        message_event("m2", "the total must be rounded half up", cwd=project),
    ]
    memory.capture.take(events)
    memory._services.worker.run()


def ids_with_canary(memory: Memoranda) -> list[str]:
    """Return ids of observations with the canary in content or summary."""
    return [
        o.id
        for o in memory.observations.list(limit=1000)
        if CANARY.split()[0].lower() in (o.summary + memory.observations.show(o.id).content).lower()
    ]


def test_the_canary_is_found_where_it_was_put(
    memory: Memoranda, data_dir: Path, project: str
) -> None:
    filled(memory, project)
    memory.capture.take([message_event("p", f"{CANARY} " * 30, session="plain", cwd=project)])
    found = " ".join(traces(data_dir))
    for place in ("memoranda.db", "observation_words", "observation_terms"):
        assert place in found
    assert any(name.endswith("json: quetzalcoatlus in utf-8") for name in traces(data_dir))


@pytest.mark.parametrize("way", ["ids", "task", "workspace", "time"])
def test_nothing_of_what_was_forgotten_is_left_in_any_file(
    memory: Memoranda, data_dir: Path, project: str, way: str
) -> None:
    filled(memory, project)
    chosen = {
        "ids": RemovalSelection(ids=ids_with_canary(memory)),
        "task": RemovalSelection(task=memory.tasks.list().items[0].id),
        "workspace": RemovalSelection(workspace=True),
        "time": RemovalSelection(since=1),
    }[way]
    place = memory.workspaces.list().items[0].name if way == "workspace" else None
    receipt = memory.forget(chosen, workspace=place, confirm=True)
    assert traces(data_dir) == []
    assert receipt.observations == (3 if way == "ids" else 5)
    assert memory.search(CANARY).hits == ()
    assert maintenance.inspect(memory._database).sound
    assert memory.journal.verify().intact
    if way == "ids":
        assert len(memory.search("rounded ordinary").hits) == 2
    memory.close()
    assert traces(data_dir) == []


def test_events_still_in_the_spool_are_forgotten_too(
    memory: Memoranda, data_dir: Path, project: str
) -> None:
    filled(memory, project)
    _spool(data_dir, {"kind": "message", "session": "one", "id": "s", "text": CANARY})
    memory.forget(RemovalSelection(since=1), confirm=True)
    assert traces(data_dir) == []


def test_a_forgotten_memory_leaves_no_trace(memory: Memoranda, data_dir: Path) -> None:
    kept = memory.remember("prices are net")
    made = memory.remember(NewMemory(f"beware of {CANARY}", title=CANARY, tags=["xylophonist"]))
    receipt = memory.forget(RemovalSelection(ids=[made.id]), confirm=True)
    assert (receipt.memories, receipt.observations) == (1, 0)
    assert traces(data_dir) == []
    assert [m.id for m in memory.memories.list()] == [kept.id]


@pytest.mark.parametrize(
    "said",
    [
        "Always open pull requests against develop.",
        "Remember that the staging port is 8080.",
        "We deploy via Jenkins. Keep that in mind.",
    ],
)
@pytest.mark.parametrize("act", ["forget", "edit", "archive"])
def test_a_message_no_longer_states_what_a_person_decided_on(
    memory: Memoranda, said: str, act: str
) -> None:
    memory.conversations.add("Please look at src/cart.py first.", session="one", workspace="shop")
    memory.conversations.add(said, session="one", workspace="shop")
    memory.capture.drain()
    for waiting in memory.proposals.list():
        memory.proposals.approve(waiting.id, waiting.hash)
    [known] = memory.memories.list(workspace="shop").items
    if act == "forget":
        chosen = RemovalSelection(ids=[known.id])
        assert memory.forget(chosen, dry_run=True).statements == ["1#2"]
        assert memory.forget(chosen, confirm=True).statements == ["1#2"]
    elif act == "archive":
        memory.memories.archive(known.id)
    else:
        memory.memories.edit(known.id, MemoryEdit(content="Gulls are fed on Mondays."))
    memory.conversations.add("Please look at src/tax.py first.", session="two", workspace="shop")
    memory.capture.drain()
    text = memory.context(workspace="shop").text
    assert said.split(". ")[0].rstrip(".") not in text
    assert memory.observations.show("1#2").content == said
    memory.conversations.add(said, session="three", workspace="shop")
    memory.capture.drain()
    assert said.split(". ")[0].rstrip(".") in memory.context(workspace="shop").text


def test_a_rejected_message_that_asks_to_be_kept_in_mind_ends_at_once(memory: Memoranda) -> None:
    memory.conversations.add("We deploy via Jenkins. Keep that in mind.", session="one",
                             workspace="shop")  # fmt: skip
    memory.conversations.add("Please look at src/cart.py first.", session="two", workspace="shop")
    memory.capture.drain()
    [waiting] = memory.proposals.list()
    memory.proposals.reject(waiting.id)
    assert "<standing-instructions>" not in memory.context(workspace="shop").text


def test_a_text_that_a_person_wrote_is_labelled_as_the_person_s(memory: Memoranda) -> None:
    with Memoranda.open(settings=memory.settings, workspace="shop", agent="bot") as agent:
        agent.remember("Gulls are fed on Fridays.")
    [waiting] = memory.proposals.list()
    memory.proposals.approve(waiting.id, waiting.hash)
    assert "[agent, approved" in memory.context(workspace="shop").text
    memory.memories.edit(waiting.memory, MemoryEdit(content="Gulls are fed on Mondays."))
    text = memory.context(workspace="shop").text
    assert re.search(r"\[human.*\]\n- Gulls are fed on Mondays\.", text)
    [known] = memory.memories.list(workspace="shop").items
    assert known.origin == "human"


def test_taking_the_same_events_again_does_not_bring_them_back(
    memory: Memoranda, data_dir: Path, project: str
) -> None:
    filled(memory, project)
    memory.forget(RemovalSelection(ids=ids_with_canary(memory)), confirm=True)
    filled(memory, project)
    assert traces(data_dir) == []
    assert memory.store.stats().observations == 2


def test_taking_a_forgotten_task_again_does_not_bring_it_back(
    memory: Memoranda, data_dir: Path, project: str
) -> None:
    filled(memory, project)
    memory.forget(RemovalSelection(task=memory.tasks.list().items[0].id), confirm=True)
    filled(memory, project)
    assert traces(data_dir) == []
    assert memory.store.stats().observations == 0


def test_importing_the_transcript_again_does_not_bring_it_back(
    memory: Memoranda, data_dir: Path, tmp_path: Path, project: str
) -> None:
    transcript = tmp_path / "session.jsonl"
    records = [
        {"kind": "message", "origin": "human", "text": f"look at {CANARY}", "id": "1"},
        {"kind": "tool_result", "tool": "Bash", "input": {"command": "ls"}, "output": CANARY,
         "id": "2"},
        {"kind": "message", "origin": "agent", "text": "nothing special", "id": "3"},
    ]  # fmt: skip
    lines = [json.dumps(record | {"session": "s", "cwd": project}) for record in records]
    transcript.write_text("\n".join(lines) + "\n")
    memory.capture.import_transcript(transcript)
    memory.forget(RemovalSelection(ids=ids_with_canary(memory)), confirm=True)
    report = memory.capture.import_transcript(transcript, again=True)
    assert (report.intake.observations, report.intake.duplicates) == (0, 3)
    assert traces(data_dir) == []


def test_a_message_forgotten_after_its_hook_does_not_come_back_by_its_transcript(
    memory: Memoranda, data_dir: Path
) -> None:
    memory.capture.take([message_event("hook-key", f"look at {CANARY}")])
    memory.forget(RemovalSelection(ids=ids_with_canary(memory)), confirm=True)
    memory.capture.take(
        [message_event("transcript-key", f"look at {CANARY}", source=EventSource.TRANSCRIPT)]
    )
    assert traces(data_dir) == []


def test_a_reader_elsewhere_keeps_no_copy_in_the_log(
    memory: Memoranda, data_dir: Path, project: str
) -> None:
    filled(memory, project)
    reader = apsw.Connection(str(memory.settings.database_path))
    reader.execute("begin; select count(*) from observation").fetchall()
    memory._database._writer.set_busy_timeout(100)
    try:
        receipt = memory.forget(RemovalSelection(ids=ids_with_canary(memory)), confirm=True)
        assert traces(data_dir) == [] or "write-ahead log" not in receipt.places
    finally:
        reader.close()


def test_a_line_that_was_no_event_keeps_no_copy(
    memory: Memoranda, data_dir: Path, project: str
) -> None:
    filled(memory, project)
    (data_dir / "spool").mkdir(exist_ok=True)
    (data_dir / "spool" / "cut.jsonl").write_text(f'{{"v":1,"p":{{"text":"{CANARY}')
    receipt = memory.forget(RemovalSelection(since=1), confirm=True)
    assert traces(data_dir) == [] or any("rejected" in place for place in receipt.not_reached)


def test_a_task_opened_with_a_forgotten_goal_does_not_get_it_back(
    memory: Memoranda, data_dir: Path
) -> None:
    opening = message_event("start", f"find {CANARY}", kind=EventKind.TASK_START)
    memory.capture.take([opening, ran("1", "ls")])
    assert CANARY in memory.tasks.list().items[0].goal
    memory.forget(RemovalSelection(task=memory.tasks.list().items[0].id), confirm=True)
    assert traces(data_dir) == []


def test_the_goal_of_a_task_is_taken_again_from_what_is_left(
    memory: Memoranda, data_dir: Path, project: str
) -> None:
    filled(memory, project)
    assert CANARY in memory.tasks.list().items[0].goal
    memory.forget(RemovalSelection(ids=ids_with_canary(memory)), confirm=True)
    assert memory.tasks.list().items[0].goal == "the total must be rounded half up"


def test_others_that_share_the_content_keep_it(memory: Memoranda) -> None:
    memory.capture.take(
        [message_event("a", "the same words"), message_event("b", "the same words", session="two")]
    )
    first, second = memory.observations.list().items
    receipt = memory.forget(RemovalSelection(ids=[first.id]), confirm=True)
    assert (receipt.observations, receipt.contents) == (1, 0)
    assert memory.observations.show(second.id).content == "the same words"
    assert [hit.id for hit in memory.search("same words").hits] == [second.id]
    receipt = memory.forget(RemovalSelection(ids=[second.id]), confirm=True)
    assert (receipt.observations, receipt.contents, receipt.tasks) == (1, 1, 1)


def test_a_repeat_of_what_was_forgotten_is_still_there(memory: Memoranda) -> None:
    memory.capture.take([ran(str(n), "make", "the same output") for n in range(3)])
    first = memory.observations.list().items[0]
    memory.forget(RemovalSelection(ids=[first.id]), confirm=True)
    left = memory.observations.list().items
    assert len(left) == 2
    assert "the same output" in memory.observations.show(left[0].id).content
    assert maintenance.inspect(memory._database).sound


def test_a_protected_memory_is_refused_and_nothing_else_goes_either(
    memory: Memoranda, data_dir: Path, project: str
) -> None:
    filled(memory, project)
    guarded = memory.remember(NewMemory("the master rule", protected=True))
    other = memory.remember("an ordinary rule")
    with pytest.raises(Conflict, match="the master rule"):
        memory.forget(
            RemovalSelection(ids=[guarded.id, other.id, *ids_with_canary(memory)]), confirm=True
        )
    assert {m.id for m in memory.memories.list()} == {guarded.id, other.id}
    assert memory.store.stats().observations == 5


@pytest.mark.parametrize("way", ["ids", "task", "time", "ids and task", "ids elsewhere", "memory"])
def test_a_dry_run_counts_what_would_go_and_changes_nothing(
    memory: Memoranda, data_dir: Path, project: str, way: str
) -> None:
    filled(memory, project)
    memory.remember("prices are net")
    elsewhere = memory.observe("said in another task", task="another")
    task = next(found.id for found in memory.tasks.list() if found.session == "one")
    some = ids_with_canary(memory)
    chosen = {
        "ids": RemovalSelection(ids=some),
        "task": RemovalSelection(task=task),
        "time": RemovalSelection(since=0, until=1 << 60),
        "ids and task": RemovalSelection(ids=some, task=task),
        "ids elsewhere": RemovalSelection(ids=[elsewhere.id, some[0]], task=task),
        "memory": RemovalSelection(ids=[memory.memories.list().items[0].id, some[0]]),
    }[way]
    memory._services.background.stop()  # so that no background work runs beside the comparison
    memory._services.worker.run()
    before = _everything(data_dir)
    dry = memory.forget(chosen, dry_run=True)
    assert dry.dry_run
    assert (dry.places, dry.contents, dry.tasks) == ([], 0, 0)
    assert _everything(data_dir) == before
    wet = memory.forget(chosen, confirm=True)
    assert (dry.observations, dry.memories) == (wet.observations, wet.memories)


def test_memories_derived_from_a_task_are_counted(memory: Memoranda) -> None:
    memory.capture.take(
        [
            message_event("goal", "Make the totals of the invoice right"),
            ran("1", "pytest", "FAILED test_totals", failed=True),
            ran("2", "sed -i s/floor/round/ totals.py"),
            ran("3", "pytest", "12 passed"),
        ]
    )
    [task] = memory.tasks.list().items
    memory.tasks.end(task.id)
    memory.capture.drain(wait=True)
    memory._services.worker.run()
    count = len(memory.memories.list().items) + len(memory.proposals.list().items)
    assert count > 0
    chosen = RemovalSelection(task=task.id)
    assert memory.forget(chosen, dry_run=True).memories == count
    assert memory.forget(chosen, confirm=True).memories == count
    assert memory.memories.list().items == memory.proposals.list().items == ()


def test_no_task_gets_the_number_of_a_forgotten_one(memory: Memoranda) -> None:
    memory.capture.take([message_event("a", "the first", session="one")])
    memory.forget(RemovalSelection(task="1"), confirm=True)
    memory.capture.take([message_event("b", "the second", session="two")])
    assert [one.ref for one in memory.observations.list()] == ["2#1"]
    with pytest.raises(NotFound):
        memory.observations.show("1#1")


def test_a_dry_run_counts_more_than_one_page(memory: Memoranda) -> None:
    memory.capture.take([ran(str(n), f"echo {n}", f"out {n}") for n in range(1_203)])
    chosen = RemovalSelection(task=memory.tasks.list().items[0].id)
    assert memory.forget(chosen, dry_run=True).observations == 1_203
    receipt = memory.forget(chosen, confirm=True)
    assert (receipt.observations, receipt.contents, receipt.tasks) == (1_203, 1_203, 1)
    assert memory.journal.verify().intact


def test_a_span_of_time_takes_its_beginning_and_leaves_its_end(memory: Memoranda) -> None:
    memory.capture.take(
        [message_event(str(n), f"message {n}", occurred_at=n * 10) for n in range(1, 6)]
    )
    receipt = memory.forget(RemovalSelection(since=20, until=40), confirm=True)
    assert receipt.observations == 2
    assert [o.created_at for o in memory.observations.list()] == [50, 40, 10]


def test_retention_takes_routine_alone(memory: Memoranda) -> None:
    memory.capture.take([ran(str(n), "make", "the same output") for n in range(3)])
    memory.capture.take([message_event("m", "the total must be rounded half up")])
    receipt = memory.forget(RemovalSelection(until=1 << 60, routine_only=True), confirm=True)
    assert receipt.observations >= 2
    assert "rounded" in memory.search("rounded").hits[0].title


def test_forgetting_stays_within_its_workspace(memory: Memoranda) -> None:
    here = memory.observe("here", workspace="here", task="a")
    there = memory.observe("there", workspace="there", task="b")
    rule = memory.remember("a rule of there", workspace="there")
    receipt = memory.forget(
        RemovalSelection(ids=[there.id, rule.id]), workspace="here", confirm=True
    )
    assert (receipt.observations, receipt.memories) == (0, 0)
    receipt = memory.forget(RemovalSelection(since=1), workspace="here", confirm=True)
    assert receipt.observations == 1
    assert {o.id for o in memory.observations.list()} == {there.id}
    assert here.id not in {o.id for o in memory.observations.list()}
    assert (
        memory.forget(RemovalSelection(ids=[rule.id]), workspace="there", confirm=True).memories
        == 1
    )


def test_forgetting_requires_a_criterion(memory: Memoranda) -> None:
    memory.observe("something")
    for chosen in (
        RemovalSelection(),
        RemovalSelection(ids=[]),
        RemovalSelection(routine_only=True),
    ):
        with pytest.raises(InvalidInput):
            memory.forget(chosen, confirm=True)
    with pytest.raises(InvalidInput):
        memory.forget(RemovalSelection(workspace=True), confirm=True)
    assert memory.forget(RemovalSelection(ids=[str(uuid4())]), confirm=True).observations == 0
    assert memory.store.stats().observations == 1


def test_an_event_forgotten_before_is_named_when_it_is_stored_again(memory: Memoranda) -> None:
    made = memory.observe("something", key="k")
    memory.forget(RemovalSelection(ids=[made.id]), confirm=True)
    with pytest.raises(NotFound, match="forgotten"):
        memory.observe("something", key="k")


def test_a_private_memory_of_another_agent_is_out_of_reach(data_dir: Path) -> None:
    from memoranda.memories.model import Visibility

    with Memoranda.open(data_dir, agent="anna") as anna:
        private = anna.remember(NewMemory("anna's own", visibility=Visibility.AGENT))
    with Memoranda.open(data_dir, agent="bert") as bert:
        for chosen in (RemovalSelection(ids=[private.id]), RemovalSelection(mentions="anna")):
            with pytest.raises(Forbidden, match="not allowed for the role agent"):
                bert.forget(chosen, dry_run=True)
        assert bert.memories.list().items == ()
    with Memoranda.open(data_dir, agent="anna") as anna:
        assert [m.id for m in anna.memories.list()] == [private.id]


def test_the_journal_records_the_amount_but_not_the_text_of_forgotten_data(
    memory: Memoranda, project: str
) -> None:
    filled(memory, project)
    memory.forget(RemovalSelection(ids=ids_with_canary(memory)), confirm=True)
    (entry,) = memory.journal.list(operation="forget").items
    assert dict(entry.detail) == {"observations": 3, "contents": 3}
    assert not re.search("quetzal|xylo", repr(asdict(entry)), re.IGNORECASE)


def _spool(data_dir: Path, record: dict[str, str]) -> None:
    spool = data_dir / "spool"
    spool.mkdir(mode=0o700, exist_ok=True)
    line = {"v": 1, "t": 1_750_000_000_000_000_000, "h": "generic", "p": record}
    (spool / "one.jsonl").write_text(json.dumps(line) + "\n")


def _everything(data_dir: Path) -> list[object]:
    """Return every row of every table, and every other file."""
    raw = apsw.Connection(str(data_dir / "memoranda.db"), flags=apsw.SQLITE_OPEN_READWRITE)
    try:
        names = raw.execute(
            "select name from sqlite_master where type = 'table' order by name"
        ).fetchall()
        rows: list[object] = [
            (name, raw.execute(f'select * from "{name}"').fetchall())
            for (name,) in names
            if name not in ("job", "sqlite_sequence")
        ]
    finally:
        raw.close()
    others = sorted(p for p in data_dir.rglob("*") if p.is_file() and "memoranda.db" not in p.name)
    return rows + [(path.name, path.read_bytes()) for path in others]


def test_a_summary_that_quotes_a_forgotten_message_goes_with_it(
    memory: Memoranda, data_dir: Path
) -> None:
    messages = memory.conversations.add(
        f"The deadline of {CANARY} is 17 March 2031.", session="talk"
    )
    for number in range(6):
        memory.conversations.add(f"We met {number} people at the harbour on 3 May.", session="talk")
    memory.conversations.add("so it goes on and on " * 600, session="talk")
    assert memory.conversations.compact("talk", mode="whole", force=True)
    assert CANARY.split()[0] in memory.conversations.show("talk").summary
    ids = ids_with_canary(memory)
    memory.forget(RemovalSelection(ids=ids), confirm=True)
    assert messages.ref
    assert memory.conversations.show("talk").summary == ""
    assert not traces(data_dir)


def test_what_a_program_keeps_of_a_memory_goes_with_it(memory: Memoranda, tmp_path: Path) -> None:
    kept = memory.remember("Something plain")
    memory.documents.put(MEMORY_METADATA, [NewDocument(kept.id, {"note": CANARY})])
    assert traces(tmp_path / "data") or memory.documents.get(MEMORY_METADATA, [kept.id])
    memory.forget(RemovalSelection(ids=[kept.id]), confirm=True)
    assert memory.documents.get(MEMORY_METADATA, [kept.id]) == []


def test_what_was_derived_and_nobody_approved_goes_with_its_source(
    memory: Memoranda, data_dir: Path, project: str
) -> None:
    filled(memory, project)
    while memory._services.worker.run():
        pass  # jobs that other jobs created
    derived = [one for one in memory.memories.list() if CANARY in one.content]
    assert [one.status for one in derived] == [MemoryStatus.PENDING]
    memory.forget(RemovalSelection(task=memory.tasks.list().items[0].id), confirm=True)
    assert traces(data_dir) == []


@pytest.mark.parametrize("how", ["created", "edited"])
@pytest.mark.parametrize("doomed", [[0], [0, 1], [1]])
def test_a_goal_that_was_set_by_hand_outlives_the_messages_of_its_task(
    memory: Memoranda, how: str, doomed: list[int]
) -> None:
    texts, goal = ("please water the roses", "plant some tulips", "go on"), "Buy flowers\nat once"
    if how == "created":
        memory.tasks.create("garden", goal)
    else:
        memory.observe("looked at the garden", task="garden")
    for text in texts:
        memory.conversations.add(text, task="garden")
    task = memory.tasks.show("garden")
    if how == "edited":
        assert task.goal == texts[0]
        memory.tasks.edit(task.id, goal)
    said = [one.id for text in texts for one in memory.observations.list() if one.summary == text]
    assert memory.tasks.show(task.id).goal == "Buy flowers at once"
    memory.forget(RemovalSelection(ids=[said[place] for place in doomed]), confirm=True)
    assert memory.tasks.show(task.id).goal == "Buy flowers at once"


def test_a_goal_that_was_set_by_hand_outlives_what_is_forgotten(memory: Memoranda) -> None:
    memory.tasks.create("garden", "buy flowers")
    step = memory.observe("watered the roses", task="garden")
    memory.observe("planted tulips", task="garden")
    memory.forget(RemovalSelection(ids=[step.id]), confirm=True)
    assert memory.tasks.show("garden").goal == "buy flowers"
