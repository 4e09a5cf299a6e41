"""Arguments of a wrong type are refused by name, and nothing is stored."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from rpc_calls import ROOT, Rpc
from starlette.testclient import TestClient

from memoranda import Memoranda
from memoranda.api.mcp.tool_calls import TableTools
from memoranda.api.mcp.tools import ToolProfile
from memoranda.api.service import Service
from memoranda.asynchronous import AsyncMemoranda
from memoranda.cli import cli
from memoranda.config import Settings, load_settings
from memoranda.exceptions import InvalidInput, NotFound
from memoranda.memories.memory_service import NewMemory
from memoranda.memories.model import Category, Visibility
from memoranda.memories.removal import RemovalSelection
from memoranda.observations.model import ObservationType
from memoranda.operations import OPERATIONS
from memoranda.search.filters import SearchFilter
from memoranda.tasks.model import TaskStatus
from rest_apps import rest_app

pytestmark = pytest.mark.integration

RIGHT: Mapping[str, Mapping[str, Any]] = {
    "observe": {"content": "The till rounds up."},
    "remember": {"statement": "Prices are net."},
    "search": {"query": "prices"},
    "context": {},
    "tasks.create": {"name": "refunds"},
    "say": {"text": "remember that prices are net"},
    "feedback.add": {"text": "No.", "workspace": "shop"},
}
KINDS: Mapping[str, Sequence[Any]] = {
    "str": (None, 5, -1, True, 0.5, [], ["a"], {}, b"x", object()),
    "TaskReference": (None, 5, True, [], {}, b"x"),
    "int": (None, "5", "", 0.5, True, [], {}, b"x", 2**70),
    "float": (None, "0.5", True, [], {}),
    "bool": (None, 1, "yes", [], {}),
    "Sequence[str]": (None, 5, "a,b", {}, [None], ["a", 3], [["a"]]),
    "SearchFilter": (None, 5, "x", [], {"kind": []}, SearchFilter(kinds=5)),  # type: ignore[arg-type]
    "TaskContext": (None, 5, "x", []),
    "NewMemory": (NewMemory(None), NewMemory("x", tags="a"), NewMemory("x", confidence="1")),  # type: ignore[arg-type]
}
"""Values of a wrong type, by annotated type."""
Values = Mapping[str, Any]


def wrong(operation: str) -> Iterator[Values]:
    """Yield an operation's valid arguments with one of a wrong type."""
    method = OPERATIONS[operation]
    described = inspect.unwrap(getattr(method.owner(Memoranda), method.method))
    for name, annotation in described.__annotations__.items():
        parts = str(annotation).split(" | ")
        fitting = {"str": str, "TaskReference": str, "int": int, "float": float, "bool": bool}
        for kind in parts:
            for value in KINDS.get(kind, ()):
                others = [fitting[one] for one in parts if one in fitting and one != kind]
                optional = value is None and "None" in parts
                if name != "return" and not optional and type(value) not in others:
                    yield {**RIGHT[operation], name: value, "changed": name}


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return load_settings({"data_dir": tmp_path / "data", "embedder": "none"}, {})


@pytest.fixture
def memory(settings: Settings) -> Iterator[Memoranda]:
    with closing(Memoranda.open(settings=settings, workspace="shop")) as memory:
        memory.observe("begin", task="one")
        yield memory


def refused(call: Callable[[], Any]) -> str:
    with pytest.raises(InvalidInput) as error:
        call()
    assert error.value.code == "invalid"
    return str(error.value)


@pytest.mark.parametrize("operation", RIGHT)
def test_a_program_is_refused_by_the_name_of_the_argument(
    memory: Memoranda, operation: str
) -> None:
    method = OPERATIONS[operation]
    call = getattr(method.owner(memory), method.method)
    before, journal = memory.store.stats(), memory.journal.list().items
    tried = 0
    for arguments in wrong(operation):
        name = arguments["changed"]
        values = {one: value for one, value in arguments.items() if one != "changed"}
        tried += 1
        assert refused(lambda values=values: call(**values)).startswith(name)  # type: ignore[misc]
    assert tried > 10
    after = memory.store.stats()
    assert (after.observations, after.memories) == (before.observations, before.memories)
    assert memory.journal.list().items == journal


def test_what_fits_is_accepted_in_each_of_its_forms(memory: Memoranda) -> None:
    for form in (ObservationType.FIX, "fix"):
        seen = memory.observe("Fixed the till.", type=form, tags=("a",), files=["till.py"])
        assert seen.type == "fix"
    assert memory.tasks.list(status=TaskStatus.ACTIVE) == memory.tasks.list(status="active")  # type: ignore[arg-type]
    assert memory.search("till", limit=3, min_score=0, where=SearchFilter(since=None)).hits
    assert memory.remember(NewMemory("Prices are net.", tags=("money",))).content
    assert "must be one of active, " in refused(lambda: memory.tasks.list(status="bogus"))  # type: ignore[arg-type]


def test_an_asynchronous_program_is_refused_as_well(settings: Settings) -> None:
    async def observe() -> None:
        async with AsyncMemoranda.open(settings=settings) as memory:
            await memory.observe(None)

    assert refused(lambda: asyncio.run(observe())) == "content must be a text, not None"


def test_servers_refuse_the_same_values(settings: Settings) -> None:
    with closing(Service(settings)) as service:
        rpc, tools = Rpc(service), TableTools(ToolProfile.FULL)
        client = TestClient(rest_app(service), headers={"authorization": "Bearer ada"})
        for operation in RIGHT:
            for arguments in wrong(operation):
                values = {name: value for name, value in arguments.items() if name != "changed"}
                if not _is_json(values[arguments["changed"]]):
                    continue
                error = rpc.error(operation, values)
                assert (error["data"]["code"], error["code"]) == ("invalid", -32602), values
                assert arguments["changed"] in error["message"], values
        bodies: list[Any] = [{}, *({"content": one} for one in (None, 5, ""))]
        for body in (*bodies, {"content": "x", "tags": "a"}):
            answer = client.post("/api/v1/observations", json=body)
            assert (answer.status_code, answer.json()["code"]) == (422, "invalid"), body
        for text in (None, 5, [], ""):
            with pytest.raises(InvalidInput):
                tools.call(service, ROOT, "observe", {"content": text})
        assert rpc.call("observations.list")["items"] == []
        assert rpc.call("memories.list")["items"] == []
        assert rpc.call("tasks.list")["items"] == []


def _is_json(value: Any) -> bool:
    if isinstance(value, int) and not isinstance(value, bool):
        return abs(value) < 2**63
    return value is None or isinstance(value, str | bool | float | list | dict)


@pytest.mark.parametrize(
    "words",
    [
        ["observe", ""],
        ["observe", "x", "--type", "bogus"],
        ["remember", " "],
        ["search", "x", "--limit", "many"],
        ["context", "--budget", "few"],
        ["task", "create", ""],
    ],
    ids=" ".join,
)
def test_the_command_line_refuses_what_is_empty_or_no_number(
    words: list[str], tmp_path: Path
) -> None:
    data = {"MEMORANDA_DATA_DIR": str(tmp_path / "data")}
    result = CliRunner(env=data).invoke(cli, words)
    assert result.exit_code == 2, result.output
    assert "Traceback" not in result.output


@pytest.mark.parametrize(
    ("words", "standard_input", "message"),
    [
        (("remember", ""), "", "a memory must contain text; pass the text to store, or - to read"),
        (("remember", "-"), "\n", "a memory must contain text; standard input is empty"),
        (("observe", " "), "", "an observation must contain text; pass the text to store"),
        (("feedback", "add", ""), "", "feedback must contain text; pass the text to store, or -"),
    ],
)
def test_the_command_line_states_what_to_do_about_an_empty_text(
    words: Sequence[str], standard_input: str, message: str, tmp_path: Path
) -> None:
    data = {"MEMORANDA_DATA_DIR": str(tmp_path / "data"), "MEMORANDA_EMBEDDER": "none"}
    result = CliRunner(env=data).invoke(cli, words, input=standard_input)
    assert result.exit_code == InvalidInput.exit_code
    assert result.stderr.startswith(f"error (invalid): {message}")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("remember", "x", "--link", "bad:{id}"), "kind of --link must be one of related, "),
        (("remember", "x", "--reference", "bad:/x"), "kind of --reference must be one of file, "),
        (("task", "note", "one", "[1]"), "STATE must be a mapping, not [1]"),
        (("memory", "change-all", '[{"id": 5}]'), "CHANGES[0].id must be a text, not 5"),
        (("memory", "restore", "{id}", str(2**63)), "VERSION must be a 64-bit integer"),
        (
            ("block", "insert", "plan", "x", "--workspace", "shop", "--line", str(2**63)),
            "--line must be a 64-bit integer",
        ),
    ],
)
def test_the_command_line_names_the_option_or_argument_as_it_was_typed(
    memory: Memoranda, settings: Settings, words: Sequence[str], message: str
) -> None:
    id = memory.remember(NewMemory("Prices are net.")).id
    typed = [one.replace("{id}", id) for one in words]
    data = {"MEMORANDA_DATA_DIR": str(settings.data_dir), "MEMORANDA_EMBEDDER": "none"}
    result = CliRunner(env=data).invoke(cli, typed)
    assert result.exit_code == InvalidInput.exit_code
    assert result.stderr.startswith(f"error (invalid): {message}")


def test_a_records_short_name_stands_for_its_id(memory: Memoranda) -> None:
    seen, kept = memory.observe("Build 117 passed", task="ci"), memory.remember("Bikes are green")
    for id in (seen.ref, seen.id[:-3], kept.id[:-3]):
        assert memory.observations.rate(id, useful=True).useful >= 1
    based = memory.remember(NewMemory("The build is green", evidence=[seen.ref]))
    assert memory.memories.show(based.id).evidence == (seen.id,)
    assert memory.forget(RemovalSelection(ids=[seen.ref]), confirm=True).observations == 1
    with pytest.raises(NotFound, match="nope"):
        memory.forget(RemovalSelection(ids=["nope"]), confirm=True)


def test_texts_of_enumerations_in_a_value_become_members(memory: Memoranda) -> None:
    stored = memory.remember(NewMemory("Use SQLite: one file", category="decision"))  # type: ignore[arg-type]
    assert stored.category is Category.DECISION
    private = NewMemory("The key is with Ursula", visibility="agent")  # type: ignore[arg-type]
    with pytest.raises(InvalidInput, match="only an agent has private memories"):
        memory.remember(private)
    with Memoranda.open(memory.settings.data_dir, agent="planner") as planner:
        assert planner.remember(private).visibility is Visibility.AGENT


@pytest.mark.parametrize("text", ["\x01\x02", "\u200b", " \u2060\n", "\ud800"])
def test_a_text_without_a_visible_character_is_no_text(memory: Memoranda, text: str) -> None:
    before = memory.store.stats()
    for store in (memory.remember, memory.observe, memory.conversations.add, memory.feedback.add):
        with pytest.raises(InvalidInput, match="must contain text"):
            store(text)
    assert memory.store.stats() == before


@pytest.mark.parametrize("arguments", [{"agent": ""}, {"agent": " "}, {"agent": "human"}])
def test_no_agent_is_named_nothing_or_like_a_person(
    memory: Memoranda, arguments: Mapping[str, Any]
) -> None:
    for wrong in (arguments, {"workspace": 5}, {"agent": 5}):
        with pytest.raises(InvalidInput, match=r"agent|workspace"):
            Memoranda.open(memory.settings.data_dir, **wrong)
    with pytest.raises(InvalidInput, match="not a JSON value"):
        memory.observe("x", tool="t", input=object())  # type: ignore[arg-type]


def test_times_of_a_filter_are_dates_or_microseconds(memory: Memoranda) -> None:
    moment = datetime(2026, 7, 1, tzinfo=UTC)
    texts = SearchFilter(since=moment, until="2026-08-01T00:00:00Z")  # type: ignore[arg-type]
    assert texts.since == round(moment.timestamp()) * 1_000_000
    assert texts.until == texts.since + 31 * 86_400 * 1_000_000
    for wrong in (1_782_864_000, 1_782_864_000_000, "soon"):
        with pytest.raises(InvalidInput, match="since"):
            SearchFilter(since=wrong)  # type: ignore[arg-type]
    with pytest.raises(InvalidInput, match="valid_from is in microseconds"):
        memory.remember(NewMemory("The shop closes early", valid_from=1_704_067_200))


def test_times_names_and_folders_are_checked(memory: Memoranda) -> None:
    moment = datetime(2026, 1, 2, tzinfo=UTC)
    stored = memory.conversations.add("The lamp is red.", session="s", at=moment)  # type: ignore[arg-type]
    stated = memory.conversations.add("The rug is red.", session="s", at=moment.isoformat())
    assert stored.created_at == stated.created_at
    with pytest.raises(InvalidInput, match="after 1970"):
        memory.conversations.add("The sofa is red.", session="s", at=-1)
    for name in ("\ud800", "a" * 201):
        with pytest.raises(InvalidInput, match="name"):
            memory.remember("Prices are net.", workspace=name)
    with pytest.raises(InvalidInput, match="data_dir"):
        Memoranda.open(5)  # type: ignore[arg-type]
