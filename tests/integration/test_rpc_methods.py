"""Every operation and `memory.*` method gives the service's result."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from rpc_calls import ADA, BOT, RIVAL, ROOT, STRANGER, Rpc

from memoranda.api.jsonrpc.memory.method_group import MethodGroup
from memoranda.api.jsonrpc.methods import GROUPS, Method, methods, public
from memoranda.api.jsonrpc.trace_ids import MEMBER, META
from memoranda.api.service import Service
from memoranda.config import load_settings
from memoranda.exceptions import MemorandaError
from memoranda.identity.principal import Principal
from memoranda.operation_declaration import Access
from memoranda.operations import OPERATIONS
from tables import each
from usual_arguments import OWN, USUAL, filled

pytestmark = pytest.mark.integration

TWENTY_ONE = {
    "memory.store", "memory.retrieve", "memory.get_context", "memory.update", "memory.prune",
    "memory.get_stage_context", "memory.complete_stage", "memory.get_task_progress",
    "memory.detect_stage_transition", "memory.record_error", "memory.detect_error_patterns",
    "memory.get_error_history", "memory.get_error_aware_context", "memory.compress_stage",
    "memory.compress_task", "memory.get_compression_metrics", "memory.adjust_compression",
    "memory.get_strategic_context", "memory.record_intervention_outcome",
    "memory.get_critical_memories", "memory.update_criticality",
}  # fmt: skip

STEPS = (
    ("Let us plan: read the code of the parser first, then decide.", {}),
    ("The parser is in src/parser.py; 42 functions.", {"tool": "Read"}),
    ("ImportError: No module named 'lexer'", {"tool": "Bash", "failed": True}),
    ("Fixed the import by adding lexer to the path.", {"type": "fix"}),
    ("12 passed in 0.3s", {"tool": "Bash", "input": {"command": "pytest -q"}}),
)


def planted(folder: Path) -> tuple[Service, dict[str, str]]:
    """Return a service with records of every kind, and their ids."""
    settings = load_settings({"data_dir": folder, "slow_operation_milliseconds": 0})
    service = Service(settings)  # an alert would make the journal depend on the machine's load
    rpc, bot = Rpc(service), Rpc(service, BOT)
    for content, more in STEPS:
        seen = rpc.call("observe", content=content, task="one", workspace="shop", **more)
    rpc.call("stages.set", task="1", name="planning")
    rpc.call("observe", content="Now planning the next release. " * 20, task="one",
             workspace="shop")  # fmt: skip
    rpc.call("stages.complete", task="1")
    memory = rpc.call("remember", statement="Prices are always net.", workspace="shop")
    other = rpc.call("remember", statement="Prices are gross since May.", workspace="shop")
    wished = bot.call("remember", statement="Lamps are sold on Mondays.", workspace="shop")
    error = rpc.call("errors.record", description="made up a flag", type="hallucination", task="1")
    pending = rpc.call("proposals.list")["items"][0]
    profile = rpc.call("profile.add", content="Answers are short.", category="learned_rule")
    rpc.call("blocks.create", block={"label": "board", "value": "first"}, workspace="shop")
    rpc.call("blocks.rethink", label="board", text="second", workspace="shop")
    rpc.call("checkpoints.create", task="1", phase="coding")
    rpc.call("checkpoints.create", task="1", phase="testing")
    rpc.call("working.put", task="1", key="step", value={"n": 1})
    rpc.call("memories.edit", id=other["id"], edit={"content": "Prices are gross since June."})
    raised = rpc.call("supervisor.context", task="1", metrics={"error_rate": 0.9})
    feedback = rpc.call("feedback.add", text="No, never lamps.", workspace="shop", task="1")
    rule = rpc.call("rules.add", source="execution", confidence=0.7)
    rpc.call("conversations.add", content="hello", role="user", task="1")
    return service, {
        "observation": seen["id"], "memory": memory["id"], "other": other["id"],
        "wished": wished["id"], "error": error["id"], "proposal": pending["id"],
        "profile": profile["id"], "feedback": feedback["feedback"]["id"], "rule": rule["id"],
        "intervention": raised["intervention"],
    }  # fmt: skip


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Service, dict[str, str]]]:
    service, ids = planted(tmp_path_factory.mktemp("world") / "data")
    yield service, ids
    service.close()


@pytest.fixture
def service(world: tuple[Service, dict[str, str]]) -> Service:
    return world[0]


@pytest.fixture
def ids(world: tuple[Service, dict[str, str]]) -> dict[str, str]:
    return world[1]


@pytest.fixture
def rpc(service: Service) -> Rpc:
    return Rpc(service)


IDS = {
    "observations.show": "observation", "observations.timeline": "observation",
    "observations.rate": "memory", "memories.evidence": "memory", "memories.show": "memory",
    "memories.edit": "memory", "memories.archive": "wished", "memories.history": "other",
    "memories.restore": "other", "memories.promote": "memory", "memories.demote": "other",
    "errors.show": "error", "errors.resolve": "error", "supervisor.outcome": "intervention",
    "proposals.show": "proposal", "proposals.approve": "proposal", "proposals.reject": "proposal",
    "profile.edit": "profile", "profile.remove": "profile", "feedback.show": "feedback",
    "rules.remove": "rule", "agents.show": "bot", "agents.blocks": "bot",
}  # fmt: skip


def arguments(name: str, ids: Mapping[str, str]) -> dict[str, Any]:
    """Return the least valid arguments of an operation, with planted ids."""
    known = {**ids, "bot": "bot"}
    values = {one.name: USUAL[one.name] for one in methods()[name].arguments if one.required}
    if name in IDS:
        values["id"] = known[IDS[name]]
    values |= OWN.get(name, {})
    return {key: filled(one, known) for key, one in values.items()}


def verdict(service: Service, who: Principal, name: str, options: dict[str, Any]) -> Any:
    """Return the service's result: an error's code, or a result's shape."""
    try:
        return shape(service.call(who, name, options))
    except MemorandaError as error:
        return [error.code, error.rpc_code]


def result_of(service: Service, who: Principal, name: str, options: dict[str, Any]) -> Any:
    """Return this door's result."""
    found = Rpc(service, who).reply(name, options)
    if "error" in found:
        return [found["error"]["data"]["code"], found["error"]["code"]]
    return shape(found["result"])


def shape(value: Any) -> Any:
    """Return the names and types in a result."""
    if isinstance(value, dict):
        return {key: shape(one) for key, one in value.items()}
    if isinstance(value, list):
        return "list"
    return "number" if isinstance(value, int | float) else "text" if value else "nothing"


CALLERS = {"owner": ROOT, "member": ADA, "agent": BOT, "stranger": STRANGER}


@pytest.mark.parametrize("caller", CALLERS)
def test_every_operation_answers_as_the_service_does(tmp_path: Path, caller: str) -> None:
    """Each door has its own store of equal content, because calls change it."""
    who = CALLERS[caller]
    done = 0
    with_service, ids_there = planted(tmp_path / "service")
    with_rpc, ids_here = planted(tmp_path / "rpc")
    try:
        for name in sorted(OPERATIONS):
            for wrong in ({"nonsense": 1}, {"limit": "many", "id": 5}):
                there = verdict(with_service, who, name, wrong)
                assert result_of(with_rpc, who, name, wrong) == there, (name, wrong)
                assert there[0] in ("invalid", "forbidden"), name
            there = verdict(with_service, who, name, arguments(name, ids_there))
            here = result_of(with_rpc, who, name, arguments(name, ids_here))
            if name == "journal.list" and isinstance(here, dict):
                # Background jobs write to each journal at their own time, so there may be
                # more than a page in one of them.
                assert {here.pop("cursor"), there.pop("cursor")} <= {"text", "nothing"}
            assert here == there, name
            done += isinstance(here, dict | str)
    finally:
        with_service.close()
        with_rpc.close()
    assert done >= {"owner": 105, "member": 80, "agent": 60, "stranger": 30}[caller], done


@pytest.mark.parametrize("name", [one.name for one in OPERATIONS.values() if one.local])
def test_files_of_the_machine_are_refused_by_name(rpc: Rpc, name: str) -> None:
    assert rpc.error(name, {"path": "/etc/passwd"})["data"]["code"] == "forbidden"


READS = [
    name for name, one in OPERATIONS.items()
    if one.access is Access.READ and not one.local
    and name not in ("store.doctor", "context", "store.stats")
]  # fmt: skip


@each("name", READS)
def test_a_read_gives_what_the_service_gives(
    service: Service, ids: dict[str, str], name: str
) -> None:
    values, services = arguments(name, ids), service.home
    with services.background.resting():  # its jobs would change the store between the two reads
        while services.worker.run():
            pass
        found = Rpc(service).reply(name, values)
        if "error" not in found:
            assert uncounted(found["result"]) == uncounted(service.call(ROOT, name, values))


def uncounted(result: Any) -> Any:
    """Return a result without the figures that an earlier search changes."""
    if isinstance(result, dict) and "nearest" in result:
        counted = {"access_count", "last_accessed_at"}
        for hit in result["hits"]:
            assert counted <= hit.keys()
        return result | {
            "hits": [
                {key: one for key, one in hit.items() if key not in counted}
                for hit in result["hits"]
            ]
        }
    return result


def test_arguments_go_by_position_as_well(rpc: Rpc) -> None:
    shown = rpc.call("blocks.show", label="board", workspace="shop")
    assert rpc.reply("blocks.show", ["board", "shop"])["result"] == shown
    changed = rpc.reply("blocks.replace", ["board", shown["value"], "third", False, "shop"])
    assert changed["result"]["value"] == "third"
    listed = rpc.call("memory.get_error_history", task_id="1", limit=1)
    positions = ["1", None, None, None, 1]
    assert rpc.reply("memory.get_error_history", positions)["result"] == listed


def test_the_twenty_one_are_there_and_have_names_of_their_own() -> None:
    adapters = {one.name for one in methods().values() if one.group}
    assert adapters == TWENTY_ONE
    assert adapters.isdisjoint(OPERATIONS)
    assert set(methods()) == adapters | set(OPERATIONS)


def test_no_argument_has_the_name_of_the_context() -> None:
    for one in methods().values():
        assert {argument.name for argument in one.arguments}.isdisjoint({MEMBER, META})
    named = {argument.name for one in OPERATIONS for argument in methods()[one].arguments}
    assert "agent_id" not in named


MINIMAL: Mapping[str, Mapping[str, Any]] = {
    "store": {"content": "The lamp is green."},
    "retrieve": {"query": "prices"},
    "get_context": {},
    "update": {"memory_id": "@memory", "title": "Prices"},
    "prune": {"until": "2020-01-01"},
    "get_stage_context": {"task_id": "1"},
    "complete_stage": {"task_id": "1"},
    "get_task_progress": {"task_id": "1"},
    "detect_stage_transition": {"task_id": "1"},
    "record_error": {"error_type": "hallucination", "error_description": "no such flag",
                     "task_id": "1"},
    "detect_error_patterns": {},
    "get_error_history": {},
    "get_error_aware_context": {},
    "compress_stage": {"task_id": "1", "stage_id": 1},
    "compress_task": {"task_id": "1"},
    "get_compression_metrics": {},
    "adjust_compression": {"task_id": "1", "compression_ratio": 5, "stage_id": 1},
    "get_strategic_context": {"task_id": "1"},
    "record_intervention_outcome": {"intervention_id": "@intervention", "outcome": "helped"},
    "get_critical_memories": {},
    "update_criticality": {"memory_id": "@memory", "is_critical": True},
}  # fmt: skip


@each("method", MINIMAL)
def test_an_adapter_uses_the_documented_names_and_results(
    service: Service, ids: dict[str, str], method: str
) -> None:
    values = {name: filled(one, ids) for name, one in MINIMAL[method].items()}
    chosen = methods()[f"memory.{method}"]
    queries: list[str] = []

    def ask(name: str, arguments: Mapping[str, Any]) -> Any:
        queries.append(name)
        return service.call(ROOT, name, arguments)

    assert chosen.group is not None
    getattr(chosen.group(ask), method)(**chosen.signature.bound(values))
    assert queries
    assert set(queries) <= set(chosen.uses)
    assert chosen.roles == frozenset.intersection(*(OPERATIONS[one].roles for one in chosen.uses))
    result = Rpc(service).call(chosen.name, **values)
    checked(service, chosen, result)


def checked(service: Service, method: Method, result: Any) -> None:
    """Check a result against its schema in rpc.discover."""
    document = Rpc(service).call("rpc.discover")
    (described,) = [one for one in document["methods"] if one["name"] == method.name]
    schema = described["result"]["schema"] | {"components": document["components"]}
    Draft202012Validator(schema).validate(result)


def test_every_group_names_its_functions() -> None:
    for group in GROUPS:
        assert issubclass(group, MethodGroup)
        public_names = {name for name in vars(group) if not name.startswith("_")} - {"USES"}
        assert public_names == set(group.USES)
        assert all(name in (group.__doc__ or "") for name in group.USES)


def test_results_of_operations_match_rpc_discover(service: Service, ids: dict[str, str]) -> None:
    document = Rpc(service).call("rpc.discover")
    components, looked = document["components"], 0
    for described in document["methods"]:
        name = described["name"]
        if name not in READS:
            continue
        found = Rpc(service).reply(name, arguments(name, ids))
        if "error" not in found:
            looked += 1
            schema = described["result"]["schema"] | {"components": components}
            Draft202012Validator(schema).validate(found["result"])
    assert looked >= 50


def test_rpc_discover_describes_every_method_that_can_be_called(rpc: Rpc) -> None:
    document = rpc.call("rpc.discover")
    assert document["openrpc"].startswith("1.")
    described = {one["name"]: one for one in document["methods"]}
    local = {name for name, one in OPERATIONS.items() if one.local}
    assert set(described) == (set(OPERATIONS) - local) | TWENTY_ONE
    assert list(described) == sorted(described) == [one.name for one in public()]
    for name, one in described.items():
        assert one["summary"]
        assert one["x-access"] in ("read", "write")
        assert one["x-roles"]
        needed = [parameter["required"] for parameter in one["params"]]
        assert needed == sorted(needed, reverse=True), f"{name}: required ones come first"
        for parameter in one["params"]:
            Draft202012Validator.check_schema(parameter["schema"])
        Draft202012Validator.check_schema(one["result"]["schema"])
    assert described["proposals.approve"]["x-roles"] == ["reviewer", "admin"]
    assert described["memory.prune"]["x-access"] == "write"
    assert described["memory.store"]["params"][0]["name"] == "content"
    assert "memory_type" in {one["name"] for one in described["memory.store"]["params"]}
    references = set(_references(document))
    named = set(document["components"]["schemas"])
    assert references <= {f"#/components/schemas/{name}" for name in named}
    assert document["components"]["errors"]["not_found"]["code"] == -32010


def _references(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        if isinstance(value.get("$ref"), str):
            yield value["$ref"]
        for one in value.values():
            yield from _references(one)
    elif isinstance(value, list):
        for one in value:
            yield from _references(one)


@pytest.mark.parametrize("place", ["params", "_meta", "request"])
def test_the_context_of_agents_comes_back(rpc: Rpc, place: str) -> None:
    context = {"trace_id": "t-1", "agent_id": "critic", "task_id": "9", "context_id": "c-1"}
    sent = context | {"session_id": "not ours", "progressToken": 1}
    params: dict[str, Any] = {"query": "prices"}
    message: dict[str, Any] = {"jsonrpc": "2.0", "method": "search", "id": 1, "params": params}
    if place == "request":
        message[MEMBER] = sent
    else:
        params[MEMBER if place == "params" else META] = sent
    found = rpc.send(message)
    assert found["result"]["hits"]
    assert found[MEMBER] == context
    message["method"] = "tasks.show"
    failed = rpc.send(message)
    assert failed["error"]["code"] == -32602
    assert failed[MEMBER] == context
    assert MEMBER not in rpc.send({"jsonrpc": "2.0", "method": "store.stats", "id": 1})


def test_what_cannot_be_a_context_is_a_bad_argument(rpc: Rpc) -> None:
    for context in ([], "t-1", {"trace_id": "two words"}, {"trace_id": 7}):
        assert rpc.error("store.stats", {MEMBER: context})["code"] == -32602
        assert rpc.error("store.stats", {META: context})["code"] == -32602


def test_a_context_grants_no_identity(service: Service) -> None:
    statement = {"content": "My plan is amber.", "visibility": "agent"}
    mine = Rpc(service, BOT).call("remember", statement=statement, workspace="shop")
    rival = Rpc(service, RIVAL)
    for values in ({"agent_id": "bot"}, {MEMBER: {"agent_id": "bot"}}, {META: {"agent_id": "bot"}}):
        for method in ("memory.retrieve", "memory.get_critical_memories", "memory.store"):
            response = rival.reply(method, {"query": "amber", **values})
            assert response["error"]["data"]["code"] == "forbidden", (values, method)
            assert mine["id"] not in json.dumps(response)
    person = Rpc(service, ADA)
    found = person.call("memory.retrieve", query="amber", agent_id="bot")
    assert mine["id"] not in json.dumps(found)
    own = Rpc(service, BOT).call("memory.update", memory_id=mine["id"], title="x", agent_id="bot")
    assert own["memory"]["agent_id"] == "bot"
    stored = person.call("memory.store", content="Who wrote this?", agent_id="bot", task_id="t")
    assert stored["agent_id"] != "bot"


def test_an_agent_that_names_another_changes_nothing(service: Service) -> None:
    before = Rpc(service).call("store.stats")["observations"]
    Rpc(service, RIVAL).reply("memory.store", {"content": "text", "agent_id": "bot"})
    Rpc(service, RIVAL).send(
        {"jsonrpc": "2.0", "method": "memory.store", "params": {"content": "x", "agent_id": "bot"}}
    )
    assert Rpc(service).call("store.stats")["observations"] == before


def test_what_happened_is_stored_and_found_as_an_episodic_memory(rpc: Rpc) -> None:
    stored = rpc.call(
        "memory.store", content="The zebra crossed at noon; token ghp_" + "a1B2" * 9,
        task_id="zoo", key="k1",
    )  # fmt: skip
    assert (stored["memory_type"], stored["status"]) == ("episodic", "approved")
    assert "ghp_a1B2" not in stored["content"]
    again = rpc.call(
        "memory.store", content="The zebra crossed at noon; token ghp_" + "a1B2" * 9,
        task_id="zoo", key="k1",
    )  # fmt: skip
    assert again["memory_id"] == stored["memory_id"]
    found = rpc.call("memory.retrieve", query="zebra", memory_types=["episodic"], k=1)
    (only,) = found["memories"]
    assert only["memory_id"] == stored["memory_id"]
    assert "crossed at noon" in only["content"]
    assert 0 < only["importance_score"] <= 1
    for kind in ("semantic", "procedural"):
        others = rpc.call("memory.retrieve", query="zebra gates lamps", memory_types=[kind])
        assert {one["memory_type"] for one in others["memories"]} <= {kind}


def test_a_retrieval_of_one_type_continues_until_the_limit(rpc: Rpc) -> None:
    for number in range(6):
        kind = "procedural" if number % 2 else "semantic"
        rpc.call("memory.store", content=f"Otters swim lane {number} upstream.", memory_type=kind,
                 workspace="river")  # fmt: skip
    values = {"query": "otters swim upstream", "memory_types": ["procedural"], "workspace": "river"}
    first = rpc.call("memory.retrieve", **values, k=2)
    rest = rpc.call("memory.retrieve", **values, k=2, cursor=first["cursor"])
    seen = [one["content"] for one in first["memories"] + rest["memories"]]
    assert len(first["memories"]) == 2
    assert len(seen) == len(set(seen))
    assert {f"Otters swim lane {number} upstream." for number in (1, 3, 5)} <= set(seen)
    assert rpc.error("memory.retrieve", {**values, "k": 0})["code"] == -32602


def test_knowledge_is_stored_as_the_speaker_may(service: Service, rpc: Rpc) -> None:
    wish = {"content": "Giraffes are fed at ten.", "memory_type": "semantic", "workspace": "zoo"}
    assert Rpc(service, BOT).call("memory.store", **wish)["status"] == "pending"
    other = {**wish, "content": "Open gates from the left.", "memory_type": "procedural"}
    known = rpc.call("memory.store", **other, keywords=["gate"], is_critical=True)
    assert (known["memory_type"], known["status"]) == ("procedural", "approved")
    assert (known["is_critical"], known["keywords"]) == (True, ["gate"])
    critical = rpc.call("memory.get_critical_memories", workspace="zoo")["memories"]
    assert known["memory_id"] in [one["memory_id"] for one in critical]
    assert all(one["is_critical"] for one in critical)
    refused = rpc.error("memory.store", {**wish, "key": "k"})
    assert (refused["code"], refused["message"]) == (
        -32602,
        "only episodic memories have key, but memory_type is semantic",
    )
    refused = rpc.error("memory.store", {"content": "x", "category": "decision"})
    assert refused["code"] == -32602
    assert refused["message"].startswith("only semantic and procedural memories have category")


def test_knowledge_refers_to_the_task_that_its_caller_names(rpc: Rpc) -> None:
    task, wish = "7d0c5a40-1111-4111-8111-2b7e1f0a9c3d", {"memory_type": "semantic"}
    for content in ("Owls are counted at dusk.", "Owls are fed at dawn."):
        known = rpc.call("memory.store", content=content, task_id=task, workspace="zoo", **wish)
        shown = rpc.call("memories.show", id=known["memory_id"])
        assert known["task_id"] == task
        assert shown["references"] == [{"kind": "execution", "value": task}]
        rpc.call("memory.store", content="An owl was seen.", task_id=task, workspace="zoo")


def test_a_critical_episode_becomes_knowledge_and_can_be_unmarked(
    service: Service, rpc: Rpc
) -> None:
    def critical() -> list[str]:
        found = rpc.call("memory.get_critical_memories", workspace="zoo")["memories"]
        return [one["content"] for one in found]

    made = rpc.call("memory.store", content="The moat froze in January.", workspace="zoo")
    wish = {"memory_id": made["memory_id"], "criticality_reason": "visitors walked on it"}
    wished = Rpc(service, BOT).call("memory.update_criticality", is_critical=True, **wish)
    assert (wished["memory"]["is_critical"], bool(wished["proposal_id"])) == (False, True)
    assert "The moat froze in January." not in critical()
    rpc.call("proposals.reject", id=wished["proposal_id"])
    for _ in range(2):
        done = rpc.call("memory.update_criticality", is_critical=True, **wish)
        assert (done["memory"]["is_critical"], done["proposal_id"]) == (True, None)
        assert done["memory"]["memory_id"] == made["memory_id"]
        assert critical().count("The moat froze in January.") == 1
    done = rpc.call("memory.update_criticality", is_critical=False, **wish)
    assert not done["memory"]["is_critical"]
    assert "The moat froze in January." not in critical()
    at_once = rpc.call(
        "memory.store", content="The bear left its den.", workspace="zoo", is_critical=True
    )
    assert (at_once["memory_type"], at_once["is_critical"]) == ("episodic", True)
    assert "The bear left its den." in critical()
    unknown = {"memory_id": "01a2211d-ea89-7000-87dc-499a2693e11d", "is_critical": True}
    assert "no memory" in rpc.error("memory.update_criticality", unknown)["message"]


def test_criticality_is_wished_by_agents_and_set_by_people(service: Service, rpc: Rpc) -> None:
    made = rpc.call("remember", statement="The lake is deep.", workspace="zoo")["id"]
    wish = {"memory_id": made, "is_critical": True, "criticality_reason": "people swim"}
    wished = Rpc(service, BOT).call("memory.update_criticality", **wish)
    assert (wished["memory"]["is_critical"], bool(wished["proposal_id"])) == (False, True)
    done = rpc.call("memory.update_criticality", **wish)
    assert (done["memory"]["is_critical"], done["proposal_id"]) == (True, None)


def test_pages_of_critical_memories_neither_repeat_nor_skip(rpc: Rpc) -> None:
    for number in range(5):
        rpc.call("memory.store", content=f"Gate {number} stays shut.", memory_type="semantic",
                 is_critical=number % 2 == 0, workspace="gates")  # fmt: skip
    whole = rpc.call("memory.get_critical_memories", workspace="gates")["memories"]
    seen: list[str] = []
    cursor = None
    while True:
        page = rpc.call("memory.get_critical_memories", workspace="gates", limit=1, cursor=cursor)
        seen += [one["memory_id"] for one in page["memories"]]
        if (cursor := page["cursor"]) is None:
            break
    assert seen == [one["memory_id"] for one in whole]
    gates = {one["content"] for one in whole} & {f"Gate {n} stays shut." for n in range(5)}
    assert gates == {"Gate 0 stays shut.", "Gate 2 stays shut.", "Gate 4 stays shut."}


def test_a_stage_is_followed_completed_and_compressed(rpc: Rpc) -> None:
    for step in range(8):
        task = rpc.call("memory.store", content=f"Planning step {step}: read module {step}. " * 30,
                        task_id="long")["task_id"]  # fmt: skip
    rpc.call("stages.set", task=task, name="execution")
    rpc.call("memory.store", content="Editing the module. " * 30, task_id=task)
    found = rpc.call("memory.detect_stage_transition", task_id=task, current_stage="planning")
    assert found["should_transition"] is True
    assert found["stage"]["stage_type"] == "execution"
    assert found["stage"]["transition_source"] == "hand"
    agreed = rpc.call("memory.detect_stage_transition", task_id=task, current_stage="execution")
    assert agreed["should_transition"] is False
    assert rpc.call("memory.detect_stage_transition", task_id=task)["should_transition"] is False
    ended = rpc.call("memory.complete_stage", task_id=task, reason="done")
    assert ended["completed_at"]
    assert rpc.call("memory.detect_stage_transition", task_id=task)["should_transition"] is True
    made = rpc.call("memory.compress_stage", task_id=task, stage_id=ended["stage_id"])
    assert made["metrics"]["compression_type"] == "stage"
    assert made["stage_summary"]
    assert 0 <= made["metrics"]["critical_fact_retention_rate"] <= 1
    harder = rpc.call("memory.adjust_compression", task_id=task, compression_ratio=20,
                      stage_id=ended["stage_id"])  # fmt: skip
    assert harder["metrics"]["stage_id"] == ended["stage_id"]
    metrics = rpc.call("memory.get_compression_metrics", task_id=task)["metrics"]
    assert {one["task_id"] for one in metrics} == {task}
    assert {"stage", "task"} == {one["compression_type"] for one in metrics}
    progress = rpc.call("memory.get_task_progress", task_id=task)
    assert ended["stage_id"] in progress["completed_stages"]
    assert progress["current_stage_id"] is None
    assert progress["task_progress_summary"]
    staged = rpc.call("memory.get_stage_context", task_id=task, token_budget=500)
    assert staged["stage"]["raw_memory_refs"]
    assert staged["context"]["token_count"] <= 500


def test_a_task_without_a_stage_has_a_context_all_the_same(rpc: Rpc) -> None:
    task = rpc.call("memory.store", content="begun", task_id="fresh")["task_id"]
    found = rpc.call("memory.get_stage_context", task_id=task)
    assert found["stage"] is None
    assert found["context"]["context"]
    assert rpc.error("memory.get_stage_context", {"task_id": "99"})["data"]["code"] == "not_found"


def test_recorded_errors_are_returned_before_they_are_repeated(rpc: Rpc) -> None:
    made = rpc.call(
        "memory.record_error", error_type="incorrect_action", error_description="wrong port 81",
        task_id="1", context_when_occurred="starting", error_severity=0.9, stage_type="execution",
    )  # fmt: skip
    assert (made["error_severity"], made["stage_type"]) == (0.9, "execution")
    history = rpc.call("memory.get_error_history", task_id="1", min_severity=0.85)
    assert [one["error_id"] for one in history["errors"]] == [made["error_id"]]
    aware = rpc.call("memory.get_error_aware_context", query="port", task_id="1")
    assert made["error_id"] in [one["error_id"] for one in aware["open_errors"]]
    assert "wrong port 81" in aware["context"]["context"]
    patterns = rpc.call("memory.detect_error_patterns", task_id="1")
    assert isinstance(patterns["patterns"], list)


def test_a_supervisor_is_notified_and_reports(rpc: Rpc) -> None:
    task = rpc.call("memory.store", content="begun", task_id="watched")["task_id"]
    found = rpc.call(
        "memory.get_strategic_context", task_id=task, decision_type="retry or stop",
        current_metrics={"error_rate": 0.95}, focus_areas=["ports"], token_budget=900,
    )  # fmt: skip
    assert (found["state"], found["metrics"]["error_rate"]) == ("errors", 0.95)
    assert found["context"]["token_count"] <= 900
    options = {"intervention_id": found["intervention_id"], "outcome": "hurt"}
    assert rpc.call("memory.record_intervention_outcome", **options)["outcome"] == "hurt"
    other = {**options, "outcome": "helped"}
    assert rpc.error("memory.record_intervention_outcome", other)["data"]["code"] == "conflict"
    corrected = rpc.call("memory.record_intervention_outcome", **other, correct=True)
    assert corrected["outcome"] == "helped"


def test_pruning_only_counts_unless_confirmed(service: Service, rpc: Rpc) -> None:
    rpc.call("memory.store", content="soon gone", task_id="short")
    counted = rpc.call("memory.prune", until="2100-01-01", routine_only=False)
    assert counted["dry_run"] is True
    assert counted["observations"] >= 1
    assert rpc.call("memory.retrieve", query="soon gone")["memories"]
    for who in (ADA, BOT):
        result = Rpc(service, who).error("memory.prune", {"until": "2100-01-01"})
        assert result["data"]["code"] == "forbidden"


def test_memories_that_were_forgotten_meanwhile_are_left_out(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    rpc = Rpc(service)
    kept = rpc.call("memory.store", content="heron one", task_id="birds")["memory_id"]
    gone = rpc.call("memory.store", content="heron two", task_id="birds")["memory_id"]
    real = service.call

    def forgetful(who: Principal, name: str, options: Mapping[str, Any]) -> Any:
        found = real(who, name, options)
        if name == "search":
            real(ROOT, "forget", {"chosen": {"ids": [gone]}, "confirm": True})
        return found

    monkeypatch.setattr(service, "call", forgetful)
    found = rpc.call("memory.retrieve", query="heron")["memories"]
    seen = [one["memory_id"] for one in found]
    assert kept in seen
    assert gone not in seen


def test_a_proposal_is_approved_by_what_json_rpc_shows(tmp_path: Path) -> None:
    service = Service(load_settings({"data_dir": tmp_path, "embedder": "none"}, {}))
    try:
        Rpc(service, BOT).call("remember", statement="Lamps are sold on Mondays.")
        rpc = Rpc(service)
        (listed,) = rpc.call("proposals.list")["items"]
        shown = rpc.call("proposals.show", id=listed["id"])
        assert shown["hash"] == listed["hash"]
        approved = rpc.call("proposals.approve", id=listed["id"], shown=shown["hash"])
        assert approved["status"] == "approved"
    finally:
        service.close()
