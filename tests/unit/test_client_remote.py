"""A remote memory has the local methods, and refuses unsupported ones."""

from __future__ import annotations

import inspect
import math
from collections.abc import Mapping
from operator import attrgetter
from typing import Any

import pytest

from memoranda import Memoranda
from memoranda.api.client.remote import ClientOptions, connect, connected, remote_class
from memoranda.config import load_settings
from memoranda.exceptions import Forbidden, InvalidInput, NotFound, ServerUnavailable
from memoranda.json_data import JsonValue
from memoranda.memories.memory_service import NewMemory
from memoranda.memories.model import Category
from memoranda.operations import OPERATIONS, Operation
from memoranda.search.filters import SearchFilter
from tables import each

NOON = 1_767_268_800_000_000


class Noted:
    """Records calls and returns a fixed answer."""

    def __init__(self, answer: JsonValue = None) -> None:
        self.answer = answer
        self.calls: list[tuple[str, dict[str, JsonValue]]] = []
        self.closed = 0

    def call(self, operation: Operation, arguments: Mapping[str, JsonValue]) -> JsonValue:
        self.calls.append((operation.name, dict(arguments)))
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer

    def close(self) -> None:
        self.closed += 1


def remote(answer: JsonValue = None, **arguments: Any) -> tuple[Memoranda, Noted]:
    noted = Noted(answer)
    return connected(Memoranda, noted, **arguments), noted


def test_it_is_of_the_class_it_stands_for_and_has_all_of_its_methods() -> None:
    memory, _ = remote()
    assert isinstance(memory, Memoranda)
    for one in OPERATIONS.values():
        ours = getattr(one.owner(type(memory)), one.method)
        theirs = getattr(one.owner(Memoranda), one.method)
        assert ours is not theirs
        assert inspect.signature(ours) == inspect.signature(theirs)
        assert one.signature(type(memory)) == one.signature(Memoranda)
    assert remote_class(Memoranda) is type(memory)


def test_only_passed_arguments_are_sent_by_name() -> None:
    memory, noted = remote(3)
    assert memory.proposals.count() == 3
    assert memory.proposals.count(workspace="shop") == 3
    assert noted.calls == [("proposals.count", {}), ("proposals.count", {"workspace": "shop"})]


def test_values_become_json_with_times_as_everywhere() -> None:
    memory, noted = remote({"hits": []})
    with pytest.raises(ServerUnavailable):
        memory.search("x", where=SearchFilter(as_of=NOON), limit=2)
    name, sent = noted.calls[0]
    assert (name, sent["query"], sent["limit"]) == ("search", "x", 2)
    where = sent["where"]
    assert isinstance(where, dict)
    assert where["as_of"] == "2026-01-01T12:00:00.000Z"
    with pytest.raises(ServerUnavailable):
        memory.remember(NewMemory("Prices are net.", category=Category.PATTERN))
    statement = noted.calls[1][1]["statement"]
    assert isinstance(statement, dict)
    assert (statement["content"], statement["category"]) == ("Prices are net.", "pattern")


def test_a_time_that_is_an_argument_is_sent_as_one() -> None:
    memory, noted = remote()
    with pytest.raises(ServerUnavailable):
        memory.store.retention(NOON)
    assert noted.calls[0][1] == {"until": "2026-01-01T12:00:00.000Z"}


def test_json_of_somebody_else_is_sent_as_it_is() -> None:
    memory, noted = remote({"head": None, "state": {}, "updated_at": NOON})
    memory.tasks.note("1", {"created_at": 5, "list": [1, None]})
    assert noted.calls[0][1]["state"] == {"created_at": 5, "list": [1, None]}
    with pytest.raises(InvalidInput, match="JSON"):
        memory.tasks.note("1", {"x": math.nan})


def test_the_workspace_of_the_opening_is_meant_where_a_call_names_none() -> None:
    memory, noted = remote(0, workspace="shop")
    memory.proposals.count()
    memory.proposals.count(workspace=None)
    memory.proposals.count(workspace="barn")
    assert [sent["workspace"] for _, sent in noted.calls] == ["shop", "shop", "barn"]
    noted.answer = "x"
    memory.rules.remove("1")
    assert noted.calls[-1][1] == {"id": "1"}


def test_an_observation_has_a_key_of_its_own_so_that_it_can_be_sent_twice() -> None:
    memory, noted = remote()
    for _ in range(2):
        with pytest.raises(ServerUnavailable):
            memory.observe("one")
    with pytest.raises(ServerUnavailable):
        memory.observe("one", key="build-117")
    keys = [sent["key"] for _, sent in noted.calls]
    assert len(set(keys)) == 3
    assert keys[2] == "build-117"


@each("name", [one.name for one in OPERATIONS.values() if one.local])
def test_what_is_about_files_of_the_other_machine_is_not_sent(name: str) -> None:
    memory, noted = remote()
    method = getattr(OPERATIONS[name].owner(memory), OPERATIONS[name].method)
    with pytest.raises(Forbidden, match="there"):
        method("/etc/passwd")
    assert noted.calls == []


def test_code_is_refused_by_its_name_and_nothing_in_its_place_is_no_code() -> None:
    memory, noted = remote({"model": None, "passages": 0, "waiting": 0})
    with pytest.raises(InvalidInput, match=r"progress of index\.reembed is a function"):
        memory.index.reembed(progress=lambda done, total: None)
    assert noted.calls == []
    memory.index.reembed(progress=None)
    assert noted.calls == [("index.reembed", {})]


@each(
    "name", ["settings", "acting", "capture.take", "capture.on", "capture.load_plugins", "metrics"]
)
def test_methods_that_need_the_store_name_themselves(name: str) -> None:
    memory, noted = remote()
    with pytest.raises(Forbidden, match=f"^{name.rpartition('.')[2]} needs the store itself"):
        found = attrgetter(name)(memory)
        found([])
    assert noted.calls == []


def test_nothing_that_a_facade_does_within_itself_reaches_for_a_store() -> None:
    memory, _ = remote()
    for private in ("_services", "_database", "_scope"):
        with pytest.raises(Forbidden, match="needs the store itself"):
            getattr(memory, private)


def test_arguments_that_a_method_does_not_take_are_refused_as_here() -> None:
    memory, noted = remote()
    with pytest.raises(TypeError):
        memory.search()  # type: ignore[call-arg]
    with pytest.raises(TypeError):
        memory.search("x", nonsense=1)  # type: ignore[call-arg]
    assert noted.calls == []


def test_an_answer_of_another_version_is_reported() -> None:
    memory, _ = remote({"hits": "none", "more": 1})
    with pytest.raises(ServerUnavailable, match="same version on both sides"):
        memory.search("x")


def test_a_list_comes_as_a_page_that_names_the_next() -> None:
    memory, _ = remote({"items": [], "cursor": "7"})
    page = memory.checkpoints.replay("1", "1")
    assert (list(page), page.cursor) == ([], "7")


def test_an_unknown_id_is_not_found_after_querying_all_kinds() -> None:
    memory, noted = remote(NotFound("no"))  # type: ignore[arg-type]
    with pytest.raises(NotFound, match="'01a2'"):
        memory.resolve("01a2")
    assert [name for name, _ in noted.calls] == [
        "observations.show",
        "memories.show",
        "errors.show",
    ]


def test_folders_of_another_machine_belong_to_no_workspace(tmp_path: Any) -> None:
    memory, noted = remote()
    assert memory.workspace_of(str(tmp_path)) is None
    assert noted.calls == []


def test_closing_lets_go_of_the_transport() -> None:
    memory, noted = remote()
    with memory:
        pass
    assert noted.closed == 1


@pytest.mark.parametrize("agent", [None, "auto"])
def test_the_token_determines_the_caller(agent: str | None) -> None:
    settings = load_settings({}, {})
    connect(Memoranda, "http://127.0.0.1:1", settings, ClientOptions("t", agent=agent)).close()
    with pytest.raises(InvalidInput, match="by the token"):
        connect(Memoranda, "http://127.0.0.1:1", settings, ClientOptions("t", agent="planner"))


def test_opening_an_address_creates_no_directory_and_sends_nothing() -> None:
    memory = Memoranda.open("http://127.0.0.1:1", token="t", workspace="shop")
    assert type(memory) is remote_class(Memoranda)
    memory.close()
