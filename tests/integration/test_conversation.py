"""Conversations: storage, repeated compaction, privacy and turns."""

from __future__ import annotations

import asyncio
import json
import logging
import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from happenings import message_event

from memoranda import Memoranda, Scope
from memoranda.capture.event import Event
from memoranda.config import Settings, load_settings
from memoranda.conversations import table as compactions
from memoranda.conversations.model import CompactionRules, Conversation, MessageRole
from memoranda.exceptions import Conflict, Forbidden, InvalidInput, NotFound
from memoranda.identity import principal
from memoranda.memories.removal import RemovalSelection
from memoranda.observations import blob_table as blobs
from memoranda.observations.blob_table import Blob
from memoranda.observations.model import Origin, Salience
from memoranda.operations import call
from memoranda.turns import MemoryAware
from secrets_corpus import SAMPLES_OF_KINDS
from tables import each

pytestmark = [pytest.mark.integration, pytest.mark.engines("sqlite")]

WINDOW = 4_000
LONG = "so it goes on and on " * 600
"""Message that is longer than its part in a summary."""
IDLE = (
    "I had a look at that and it seems quite fine to me so far, let us go on with the rest of it."
)


@pytest.fixture
def settings(engine: Settings) -> Settings:
    """Return settings for each engine, with a small window and no vectors."""
    return replace(engine, embedder="none", context_window=WINDOW)


@pytest.fixture
def talker(settings: Settings) -> Iterator[Memoranda]:
    with Memoranda.open(settings=settings) as opened:
        yield opened


def spoken(number: int, text: str, **changes: Any) -> Event:
    """Return a message as a host reports it, of user and agent in turn."""
    origin = Origin.AGENT if number % 2 else Origin.HUMAN
    arguments: dict[str, Any] = {"origin": origin, "session": "chat", "host": "api"}
    return message_event(f"m{number}", text, **(arguments | changes))


def fact(number: int) -> str:
    return f"The port of service-{number} is {8000 + number}."


def text_of(number: int) -> str:
    return f"{number}: {IDLE} {fact(number) if number % 20 == 0 else ''} {IDLE}".strip()


def talk(memory: Memoranda, numbers: range, **changes: Any) -> None:
    memory.capture.take([spoken(number, text_of(number), **changes) for number in numbers])


def in_use(found: Conversation) -> int:
    return int(0.8 * found.window)


# --- messages -----------------------------------------------------------------------------------


def test_messages_round_trip(talker: Memoranda) -> None:
    texts = ["Which port is it?", "It is 8443.\n\n  Really.", "Answer briefly. ünd 名"]
    roles = (MessageRole.USER, MessageRole.ASSISTANT, MessageRole.SYSTEM)
    made = [
        talker.conversations.add(text, role=role, session="chat")
        for text, role in zip(texts, roles, strict=True)
    ]
    assert [one.content for one in made] == texts
    assert [one.role for one in made] == list(roles)
    assert [one.sequence for one in made] == [1, 2, 3]
    assert list(talker.conversations.list("chat")) == made
    found = talker.conversations.show("chat")
    assert found.messages == tuple(made)
    assert (found.summary, found.compacted, found.window) == ("", 0, WINDOW)
    assert found.tokens == sum(one.tokens for one in made) > 0
    assert talker.observations.show(made[1].ref).content == texts[1]


def test_a_conversation_is_named_by_session_number_or_id(talker: Memoranda) -> None:
    one = talker.conversations.add("first", session="one")
    two = talker.conversations.add("second", session="two")
    id = talker.observations.show(two.ref).observation.task
    for name in ("two", "2", id, id[:-1]):
        assert [m.content for m in talker.conversations.list(name)] == ["second"]
        again = talker.conversations.add("third", task=name)
        assert again.ref.startswith("2#")
        talker.forget(
            RemovalSelection(ids=[talker.observations.show(again.ref).observation.id]), confirm=True
        )
    assert talker.conversations.add("fourth", session=id).ref.startswith("2#")
    assert talker.conversations.add("fifth").ref.startswith("3#")
    assert [m.ref for m in talker.conversations.list("one")] == [one.ref]
    for name, error in {"": InvalidInput, "9": NotFound, "nonesuch": NotFound}.items():
        for use in (
            talker.conversations.show,
            talker.conversations.list,
            talker.conversations.compact,
        ):
            with pytest.raises(error, match="task"):
                use(name)
    with pytest.raises(NotFound):
        talker.conversations.add("x", task="nonesuch")


def test_a_session_may_be_called_a_number(memory: Memoranda) -> None:
    memory.conversations.add("first", session="2")
    memory.conversations.add("second", session="other")
    assert [m.content for m in memory.conversations.list("2")] == ["first"]
    assert [m.content for m in memory.conversations.list("#2")] == ["second"]
    assert [m.content for m in memory.conversations.list("1")] == ["first"]


@pytest.mark.parametrize(
    ("arguments", "match"),
    [
        ({"content": " \n"}, "must contain text"),
        ({"content": "x", "role": "robot"}, "user, assistant, system"),
        ({"content": "x", "session": "a", "task": "b"}, "not both"),
        ({"content": "x", "session": " "}, "the session name is empty"),
    ],
)
def test_what_is_no_message_is_refused(
    memory: Memoranda, arguments: dict[str, Any], match: str
) -> None:
    with pytest.raises(InvalidInput, match=match):
        memory.conversations.add(**arguments)
    assert memory.store.stats().observations == 0


def test_agents_of_one_task_have_conversations_of_their_own(talker: Memoranda) -> None:
    for agent in ("main", "helper", "main"):
        talker.conversations.add(f"for {agent}", agent=agent, session="chat")
    talker.conversations.add(LONG, agent="main", session="chat")
    assert len(talker.conversations.show("chat").messages) == 4
    assert [m.content for m in talker.conversations.show("chat", agent="helper").messages] == [
        "for helper"
    ]
    assert len(talker.conversations.list("chat", agent="main")) == 3
    talker.conversations.compact("chat", agent="main", mode="whole", force=True)
    assert talker.conversations.show("chat", agent="main").compacted == 3
    assert talker.conversations.show("chat", agent="helper").compacted == 0
    assert talker.conversations.show("chat").compacted == 0


def test_messages_of_hosts_are_the_same_conversation(talker: Memoranda) -> None:
    talker.observe("no message", task="chat")
    talk(talker, range(4))
    talker.capture.take([spoken(9, "given up", branch="rewound")])
    talker.conversations.add("by hand", session="chat")
    found = talker.conversations.show("chat")
    roles = ["user", "assistant", "user", "assistant", "user"]
    assert [m.role for m in found.messages] == roles
    assert [m.sequence for m in found.messages] == [2, 3, 4, 5, 7]
    assert len(talker.conversations.list("chat")) == 5


def test_pages_give_every_message_once(talker: Memoranda) -> None:
    talk(talker, range(7))
    seen: list[int] = []
    cursor = None
    while True:
        page = talker.conversations.list("chat", cursor=cursor, limit=3)
        seen += [one.sequence for one in page]
        cursor = page.cursor
        if cursor is None:
            break
    assert seen == list(range(1, 8))
    for wrong in ({"cursor": "x"}, {"limit": 0}, {"limit": 1_001}):
        with pytest.raises(InvalidInput):
            talker.conversations.list("chat", **wrong)


def test_a_users_constraint_is_critical_and_an_agents_is_not(
    memory: Memoranda,
) -> None:
    for role in ("user", "assistant", "system"):
        one = memory.conversations.add(
            "Never write to the legacy tables.", role=role, session="chat"
        )
        salience = memory.observations.show(one.ref).observation.salience
        assert (salience is Salience.CRITICAL) == (role == "user")


def test_an_agent_may_not_speak_as_a_person(memory: Memoranda) -> None:
    arguments = {"content": "x", "session": "chat"}
    assert call(memory, "conversations.add", arguments, principal.Role.MEMBER).role == "user"
    with pytest.raises(Exception, match=r"conversations\.add"):
        call(memory, "conversations.add", arguments, principal.Role.AGENT)


# --- compaction ---------------------------------------------------------------------------------


def test_many_messages_stay_within_the_window_and_within_reach(talker: Memoranda) -> None:
    compacted, many = 0, 500
    for start in range(0, many, 25):
        talk(talker, range(start, start + 25))
        before = talker.conversations.show("chat")
        made = talker.conversations.compact("chat")
        assert (made is not None) == (before.tokens > in_use(before))
        found = talker.conversations.show("chat")
        compacted += made is not None
        assert found.tokens <= in_use(found)
        assert found.messages[-1].content == text_of(start + 24)
        assert found.compacted + len(found.messages) == start + 25
    assert compacted > 2
    last = len(found.messages)
    assert [m.content for m in found.messages] == [text_of(n) for n in range(many - last, many)]
    kept = [number for number in range(0, many, 20) if fact(number) in found.summary]
    missing = set(range(0, many - last, 20)) - set(kept)
    for number in missing:
        hits = talker.search(f"port of service-{number}", limit=5).hits
        assert [hit for hit in hits if hit.ref == f"1#{number + 1}"], number
    assert len(kept) >= 10
    assert len(talker.conversations.list("chat", limit=1_000)) == many


def test_a_compaction_keeps_the_newest_messages_and_reports_its_result(talker: Memoranda) -> None:
    talk(talker, range(100))
    before = talker.conversations.show("chat")
    made = talker.conversations.compact("chat")
    after = talker.conversations.show("chat")
    assert made is not None
    assert made.summary == after.summary
    assert made.tokens <= 0.2 * WINDOW
    assert made.until_sequence == after.compacted == 100 - len(after.messages)
    assert made.source_tokens == sum(m.tokens for m in before.messages[: after.compacted])
    newest = sum(m.tokens for m in after.messages)
    assert newest <= 0.3 * WINDOW < newest + before.messages[after.compacted - 1].tokens
    assert after.tokens == made.tokens + newest


def test_compacting_again_with_nothing_new_does_nothing(talker: Memoranda) -> None:
    talk(talker, range(100))
    assert talker.conversations.compact("chat")
    assert talker.conversations.compact("chat") is None
    assert talker.conversations.compact("chat", force=True)
    assert len(talker.conversations.show("chat").messages) == 1
    assert talker.conversations.compact("chat", force=True) is None
    assert talker.conversations.compact("chat", mode="whole", force=True)
    assert talker.conversations.show("chat").messages == ()
    assert talker.conversations.compact("chat", mode="whole", force=True) is None
    talker.conversations.add("one more", session="chat")
    assert talker.conversations.compact("chat", force=True) is None
    assert talker.conversations.show("chat").messages[0].content == "one more"


def test_a_message_is_never_split_nor_is_the_newest_put_away(talker: Memoranda) -> None:
    talker.conversations.add(f"The gate is 4 m wide. {LONG}", session="chat")
    long = talker.conversations.add("word " * 2 * WINDOW, session="chat")
    assert talker.conversations.compact("chat")
    found = talker.conversations.show("chat")
    assert found.messages == (long,)
    assert "4 m" in found.summary
    assert talker.conversations.compact("chat") is None


def test_messages_that_a_summary_would_lengthen_are_left(talker: Memoranda) -> None:
    for number in range(5):
        talker.conversations.add(f"Gate {number} is {number + 3} m wide.", session="chat")
    before = talker.conversations.show("chat")
    assert talker.conversations.compact("chat", force=True) is None
    assert talker.conversations.show("chat") == before


def test_many_short_messages_are_compacted_if_forced(settings: Settings) -> None:
    with Memoranda.open(settings=replace(settings, context_window=200_000)) as memory:
        for number in range(66):
            memory.conversations.add(f"Gate {number} is {number + 3} m wide.", session="chat")
        before = memory.conversations.show("chat")
        assert memory.conversations.compact("chat") is None
        made = memory.conversations.compact("chat", force=True)
        assert made is not None
        assert "m wide" in made.summary
        assert memory.conversations.show("chat").tokens < 0.6 * before.tokens
        for text in ("And the last gate is green.", "Thanks."):
            memory.conversations.add(text, session="chat")
        again = memory.conversations.compact("chat", force=True)
        assert again is not None
        assert again.tokens > 0.9 * made.tokens  # a line more does not halve the summary again


def test_a_long_message_is_clipped_and_marked(talker: Memoranda) -> None:
    talker.conversations.add(
        f"The gate is 4 m wide. {'word ' * 800} The fence is 9 m.", session="chat"
    )
    talk(talker, range(60))
    made = talker.conversations.compact("chat", force=True)
    assert made is not None
    line = made.summary.splitlines()[0]
    assert "The gate is 4 m wide." in line
    assert line.endswith("…")
    assert "fence" not in made.summary


def test_without_force_nothing_is_compacted_that_is_not_due(settings: Settings) -> None:
    with Memoranda.open(settings=replace(settings, compaction_enabled=False)) as memory:
        talk(memory, range(100))
        assert memory.conversations.compact("chat") is None
        assert memory.conversations.compact("chat", force=True)
    with Memoranda.open(settings=replace(settings, context_window=1_000_000)) as memory:
        assert memory.conversations.compact("chat") is None


def test_the_whole_may_be_the_usual_way(settings: Settings) -> None:
    with Memoranda.open(settings=replace(settings, compaction_mode="whole")) as memory:
        talk(memory, range(100))
        made = memory.conversations.compact("chat")
        assert made is not None
        assert (made.mode, made.until_sequence) == ("whole", 100)


@pytest.mark.engines("sqlite", "postgres")
def test_two_at_once_make_one_compaction(settings: Settings) -> None:
    with Memoranda.open(settings=settings) as one, Memoranda.open(settings=settings) as two:
        talk(one, range(100))
        gate = threading.Barrier(3)
        made: list[Any] = []

        def compact(memory: Memoranda) -> None:
            gate.wait()
            made.append(memory.conversations.compact("chat"))

        def go_on() -> None:
            gate.wait()
            talk(one, range(100, 110))

        threads = [threading.Thread(target=partial(compact, memory)) for memory in (one, two)]
        threads.append(threading.Thread(target=go_on))
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        (task,) = one.tasks.list().items
        rows = one._database.read(
            lambda tx: compactions.listed(tx, task.team, task.id, None, limit=9)
        )
        assert rows == [one for one in made if one] or len(rows) == 2 == len({*made})
        found = one.conversations.show("chat")
        assert found.compacted + len(found.messages) == 110


def test_nothing_is_written_over_a_conversation_that_changed_meanwhile(
    talker: Memoranda, monkeypatch: pytest.MonkeyPatch
) -> None:
    talk(talker, range(100))
    gone = talker.observations.show("1#3").observation.id
    meanwhile: list[Callable[[], object]] = [
        lambda: talker.conversations.compact("chat"),
        lambda: talker.forget(RemovalSelection(ids=[gone]), confirm=True),
        lambda: talker.forget(RemovalSelection(task=talker.tasks.show("1").id), confirm=True),
    ]
    conversations = talker._services.conversations
    summarise = conversations._summariser.summarise
    for happens in meanwhile:
        pending = [happens]

        def late(*value: Any, pending: list[Callable[[], object]] = pending) -> str:
            if pending:
                pending.pop()()
            return summarise(*value)

        monkeypatch.setattr(conversations._summariser, "summarise", late)
        assert talker.conversations.compact("chat", mode="whole", force=True) is None
    with pytest.raises(NotFound):
        talker.conversations.show("chat")


# --- privacy ------------------------------------------------------------------------------------


@pytest.mark.parametrize("secret", SAMPLES_OF_KINDS, ids=lambda sample: sample.name)
def test_no_secret_is_in_a_conversation(memory: Memoranda, data_dir: Path, secret: Any) -> None:
    kept = memory.conversations.add(f"The gate is 4 m wide.\n{secret.text}", session="chat")
    memory.conversations.add(LONG, session="chat")
    made = memory.conversations.compact("chat", mode="whole", force=True)
    assert made is not None
    assert secret.secret not in kept.content + made.summary
    where = b"".join(path.read_bytes() for path in data_dir.iterdir() if path.is_file())
    assert secret.secret not in where.decode("latin-1")


def test_another_team_and_another_workspace_see_nothing(talker: Memoranda) -> None:
    talk(talker, range(30))
    talker.conversations.compact("chat", mode="whole", force=True)
    id = talker.tasks.show("1").id
    talker.observe("x", workspace="barn")
    place = talker._named("barn").id
    for scope in (Scope("other"), Scope("loca"), Scope(workspace=place)):
        talker._scope = scope
        seen = talker.conversations
        uses = (seen.show, seen.list, partial(seen.compact, force=True))
        for use, name in ((use, name) for use in uses for name in ("chat", "1", id)):
            with pytest.raises(NotFound):
                use(name)
    services, everybody = talker._services, Scope("other")
    assert services.conversations.view(everybody, id).messages == ()
    assert services.conversations.view(everybody, id).summary == ""
    assert services.conversations.compact(everybody, id, force=True) is None


def test_a_summary_of_forgotten_messages_is_not_returned(talker: Memoranda) -> None:
    talk(talker, range(60))
    first = talker.conversations.compact("chat", force=True)
    assert first is not None
    secret = talker.conversations.add("The codeword is Quetzalcoatlus-7.", session="chat")
    talk(talker, range(60, 120))
    second = talker.conversations.compact("chat", force=True)
    assert second is not None
    assert "Quetzalcoatlus" in second.summary
    gone = talker.observations.show(secret.ref).observation.id
    talker.forget(RemovalSelection(ids=[gone]), confirm=True)
    found = talker.conversations.show("chat")
    assert found.summary == first.summary
    assert found.compacted + len(found.messages) == 120
    third = talker.conversations.compact("chat", force=True)
    assert third is not None
    assert "Quetzalcoatlus" not in third.summary
    unused = talker._database.write(
        lambda tx: blobs.delete_unused(tx, "local", [Blob.of(second.summary).hash])
    )
    assert unused == 0  # it is gone already


# --- rules --------------------------------------------------------------------------------------


def test_shares_that_contradict_each_other_are_refused(memory: Memoranda) -> None:
    with pytest.raises(InvalidInput, match=r"compaction_window_percentage \(0\.6\)"):
        CompactionRules(verbatim_share=0.6)
    values = replace(memory.settings, compaction_trigger_threshold=0.4)
    with Memoranda.open(settings=values) as opened, pytest.raises(InvalidInput, match="threshold"):
        opened.conversations.add("x")


@each(
    ("name", "value", "problem"),
    [
        ("compaction_window_percentage", "30", "between 0 and 0.7, such as 0.3 for 30 %"),
        ("compaction_window_percentage", "nan", "between 0 and 0.7"),
        ("compaction_window_percentage", "x", "must be a number, not 'x'"),
        ("compaction_trigger_threshold", "0.2", "between 0.3 and 1"),
        ("compaction_clip_chars", "99", "between 100 and 1,000,000 characters"),
        ("compaction_mode", "half", "must be one of sliding_window, whole"),
        ("compaction_enabled", "perhaps", "must be true or false"),
        ("context_window", "0", "between 1,000 and 100,000,000 tokens"),
    ],
)
def test_a_setting_that_cannot_be_is_refused_in_words(name: str, value: str, problem: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        load_settings({}, {f"MEMORANDA_{name.upper()}": value})
    assert f"environment: {name}: " in str(caught.value)
    assert problem in str(caught.value)


def test_settings_come_from_the_environment(tmp_path: Path) -> None:
    arguments = {
        "COMPACTION_ENABLED": "false",
        "COMPACTION_MODE": "whole",
        "COMPACTION_WINDOW_PERCENTAGE": "0.25",
        "COMPACTION_CLIP_CHARS": "500",
        "COMPACTION_TRIGGER_THRESHOLD": "0.9",
        "CONTEXT_WINDOW": "32000",
    }
    environ = {f"MEMORANDA_{name}": value for name, value in arguments.items()}
    with Memoranda.open(settings=load_settings({"data_dir": tmp_path}, environ)) as memory:
        rules = memory._services.conversations._rules
    assert rules == CompactionRules(32_000, False, rules.mode, 0.25, 0.9, 500)
    assert rules.mode == "whole"


# --- turns --------------------------------------------------------------------------------------


class Answer:
    """The result type of an agent's framework."""

    def __init__(self, **texts: Any) -> None:
        self.__dict__ |= texts

    def __str__(self) -> str:
        return "printed"


def contents(memory: Memoranda, session: str) -> list[tuple[str, str]]:
    return [(one.role.value, one.content) for one in memory.conversations.list(session)]


@pytest.mark.parametrize(
    ("answer", "kept"),
    [
        ("plain", "plain"),
        (Answer(response_text="one", text="two"), "one"),
        (Answer(text="two", content="three"), "two"),
        (Answer(text=None, content="three"), "three"),
        (Answer(content=[1]), "printed"),
        (7, "7"),
        (None, None),
        ("", None),
        (iter("abc"), None),
    ],
    ids=[
        "text",
        "response_text",
        "text first",
        "content",
        "no text",
        "7",
        "None",
        "empty",
        "iterator",
    ],
)
def test_a_turn_keeps_both_sides_and_changes_nothing(
    memory: Memoranda, answer: Any, kept: str | None
) -> None:
    seen: list[Any] = []

    def process_turn(*value: Any, **named: Any) -> Any:
        seen.append((value, named, contents(memory, aware.session)))
        return answer

    aware = MemoryAware(memory, process_turn, agent="helper")
    assert aware("Which port?", 1, two=2) is answer
    heard = ("user", "Which port?")
    assert seen == [(("Which port?", 1), {"two": 2}, [heard])]
    said_back = [("assistant", kept)] if kept else []
    assert contents(memory, aware.session) == [heard, *said_back]
    assert {one.agent for one in aware.conversation().messages} == {"helper"}


def test_the_memory_of_an_agent_wraps_nothing(tmp_path: Path) -> None:
    with (
        Memoranda.open(tmp_path, workspace="shop", agent="helper") as own,
        pytest.raises(Forbidden, match="without agent="),
    ):
        MemoryAware(own, str.upper, agent="helper")


def test_every_wrapper_has_its_own_conversation_by_default(memory: Memoranda) -> None:
    one, two = (MemoryAware(memory, str.upper, agent="helper") for _ in range(2))
    again = MemoryAware(memory, str.upper, agent="helper", session=one.session)
    for aware in (one, two, again):
        aware("hello")
    assert len(one.conversation().messages) == len(again.conversation().messages) == 4
    assert len(two.conversation().messages) == 2


@pytest.mark.parametrize("kind", ["function", "object", "lambda"])
def test_an_awaited_turn_is_awaited(memory: Memoranda, kind: str) -> None:
    async def process_turn(message: str) -> Answer:
        await asyncio.sleep(0)
        return Answer(text=f"{message}!")

    class Processor:
        async def __call__(self, message: str) -> Answer:
            return await process_turn(message)

    chosen: Any = {
        "function": process_turn,
        "object": Processor(),
        "lambda": lambda message: process_turn(message),
    }[kind]
    aware = MemoryAware(memory, chosen, agent="helper", session="chat")

    async def both() -> list[Answer]:
        if kind != "lambda":
            aware("nobody awaits this").close()
            with pytest.raises(NotFound):
                aware.conversation()
        return [await aware("one"), await aware("two")]

    assert [answer.text for answer in asyncio.run(both())] == ["one!", "two!"]
    texts = ["one", "one!", "two", "two!"]
    assert [text for _, text in contents(memory, "chat")] == texts


class Broken(Exception):
    """An error of the agent's framework."""


@pytest.mark.parametrize("awaited", [False, True])
def test_a_turn_that_fails_fails_as_before_and_the_question_stays(
    memory: Memoranda, awaited: bool
) -> None:
    def fails(message: str) -> str:
        raise Broken(message)

    async def fails_later(message: str) -> str:
        raise Broken(message)

    aware = MemoryAware(memory, fails_later if awaited else fails, agent="helper", session="chat")
    with pytest.raises(Broken, match="Which port"):
        if awaited:
            asyncio.run(aware("Which port?"))
        else:
            aware("Which port?")
    assert contents(memory, "chat") == [("user", "Which port?")]


@pytest.mark.parametrize("awaited", [False, True])
def test_a_store_that_fails_does_not_break_the_turn(
    data_dir: Path, caplog: pytest.LogCaptureFixture, awaited: bool
) -> None:
    async def later(message: str) -> str:
        return message.upper()

    memory = Memoranda.open(data_dir)
    aware = MemoryAware(memory, later if awaited else str.upper, agent="helper", session="chat")
    memory.conversations.add("before", session="chat", agent="helper")
    memory.close()
    with caplog.at_level(logging.WARNING, "memoranda.turns"):
        answer = asyncio.run(aware("hello")) if awaited else aware("hello")
    assert answer == "HELLO"
    log_lines = [record.getMessage() for record in caplog.records]
    assert [one.partition(":")[0] for one in log_lines] == [
        "could not keep the user's message",
        "could not keep the assistant's message",
        "could not compact",
    ]
    with Memoranda.open(data_dir) as again:
        assert contents(again, "chat") == [("user", "before")]


def test_a_text_that_cannot_be_had_does_not_break_the_turn(
    memory: Memoranda, caplog: pytest.LogCaptureFixture
) -> None:
    def text_of(answer: Answer) -> str:
        raise Broken("no text")

    answer = Answer()
    aware = MemoryAware(memory, lambda message: answer, agent="a", session="s", text_of=text_of)
    assert aware("hello") is answer
    assert contents(memory, "s") == [("user", "hello")]
    assert "could not keep the assistant's message: no text" in caplog.text


def test_a_conversation_is_compacted_when_it_is_due(settings: Settings) -> None:
    with Memoranda.open(settings=replace(settings, context_window=1_000)) as memory:
        aware = MemoryAware(memory, lambda message: IDLE, agent="helper")
        for number in range(30):
            aware(fact(number))
            found = aware.conversation()
            assert found.tokens <= 800
            assert found.messages[-1].content == IDLE
        assert found.compacted > 20
        assert fact(0) in found.summary


def test_a_message_has_its_time_and_is_stored_once_for_its_key(memory: Memoranda) -> None:
    said = {"session": "july", "at": "2026-07-14T21:30:00Z", "key": "m1"}
    first = memory.conversations.add("I'd like a second lock.", **said)
    again = memory.conversations.add("I'd like a second lock.", **said)
    assert first == again
    assert first.created_at == 1_784_064_600_000_000
    with pytest.raises(Conflict, match="with other content; nothing was stored"):
        memory.conversations.add("And a pump.", **said)
    assert len(memory.conversations.list("july")) == 1
    with pytest.raises(InvalidInput, match="at is not a time"):
        memory.conversations.add("x", session="july", at="soon")


def test_an_imported_session_is_continued_by_its_name(memory: Memoranda, tmp_path: Path) -> None:
    line = {"kind": "message", "session": "july", "origin": "human", "text": "A second lock."}
    (tmp_path / "h.jsonl").write_text(json.dumps(line) + "\n")
    memory.capture.import_transcript(tmp_path / "h.jsonl", workspace="user:kim")
    memory.conversations.add("And a pump.", session="july", workspace="user:kim")
    texts = [message.content for message in memory.conversations.list("july")]
    assert texts == ["A second lock.", "And a pump."]


def test_a_message_that_must_not_be_remembered_is_in_nothing(talker: Memoranda) -> None:
    secret = "Don't remember this: the hint is the zebra at the zoo."
    shown = talker.conversations.add(secret, session="A", workspace="zoo")
    kept = "Don't store this in the session. Feed the zebra at nine."
    talker.conversations.add(f"{kept} {secret}", session="A", workspace="zoo")
    assert shown.content == ""
    found = [one.content for one in talker.conversations.list(shown.ref.partition("#")[0])]
    assert found == ["", f"{kept} "]
    assert "hint" not in talker.context(workspace="zoo").text
    assert talker.search("hint", workspace="zoo").hits == ()
