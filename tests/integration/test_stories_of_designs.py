"""One story per design: what is stated once reaches the next step."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from acting import acting, opened
from hooking import PROMPT, hook, without_drain
from rpc_calls import Rpc

from memoranda import Memoranda
from memoranda.api.service import Service
from memoranda.capture.event import Event, EventKind
from memoranda.config import Settings, load_settings
from memoranda.search.filters import SearchFilter
from memoranda.search.model import HitKind

pytestmark = pytest.mark.integration

SPOOLED: list[dict[str, Any]] = [
    {"kind": "message", "session": "s9", "id": "m1", "origin": "human", "text": "the port is 8"},
    {"kind": "tool_result", "session": "s9", "id": "c1", "tool": "Bash", "output": "fine"},
]
IMPORTED: list[dict[str, Any]] = [
    *SPOOLED,
    {"kind": "error", "session": "s9", "id": "e1", "text": "connection lost"},
]
UUID, OTHER = "6ba7b810-9dad-11d1-80b4-00c04fd430c8", "6ba7b811-9dad-11d1-80b4-00c04fd430c8"
BLOCKS = SearchFilter(kinds=(HitKind.BLOCK,))
EXPIRED = "the zebra certificate of the gateway expired"
RENEWED = "renewed the zebra certificate with certbot and restarted nginx"
ROUTINE = "The parser reads every line of the list and keeps the rest for later. " * 6


@pytest.fixture
def memory(engine: Settings) -> Iterator[Memoranda]:
    with opened(engine) as memory:
        yield memory


# ---------------------------------------------------------------------- seed 000


def test_000_what_an_agent_writes_in_a_block_is_in_the_next_context_and_found(
    memory: Memoranda,
) -> None:
    agent = acting(memory, "builder", "shop")
    task = agent.observe("begin the refunds", task="refunds").task
    agent.blocks.insert("learned", "Refunds of the shop go through ledger A.", task="refunds")
    agent.blocks.replace("learned", "ledger A", "the zebra ledger of the bank", task="refunds")
    text = agent.context(task=task).text
    assert "Refunds of the shop go through the zebra ledger of the bank." in text
    assert "ledger A" not in text
    (block,) = agent.search("zebra ledger", task="refunds", where=BLOCKS).hits
    assert block.excerpt
    assert "the zebra ledger of the bank" in block.excerpt.text
    agent.tasks.end("refunds", "completed")
    memory.capture.drain()
    agent.observe("begin the next", task="next")
    (hit,) = agent.search("zebra ledger", task="next").hits
    assert hit.title.startswith("Learned in task 1")
    assert hit.excerpt
    assert "go through the zebra ledger of the bank." in hit.excerpt.text
    assert "the zebra ledger of the bank" in agent.context(task="next", query="zebra ledger").text


def test_000_each_stored_event_is_handled_once_at_each_interface(
    memory: Memoranda, tmp_path: Path
) -> None:
    heard: Counter[str] = Counter()

    def hears(event: Event) -> None:
        heard[event.kind.value] += 1

    for kind in EventKind:
        if kind is not EventKind.STAGE_END:
            memory.capture.on(kind, hears)
    without_drain(memory.settings.data_dir)
    for record in SPOOLED * 2:
        assert hook(memory.settings.data_dir, record, "spool", "generic").silent
    memory.capture.drain()
    assert heard == {"task_start": 1, "message": 1, "tool_result": 1}
    file = tmp_path / "run.jsonl"
    file.write_text("\n".join(map(json.dumps, IMPORTED)))
    memory.capture.import_transcript(file)
    assert heard == {"task_start": 1, "message": 1, "tool_result": 1, "error": 1}
    for _ in range(2):
        memory.observe("the till rounds up", task="s9", key="d1")
    assert heard == {"task_start": 1, "message": 2, "tool_result": 1, "error": 1}
    memory.capture.drain()
    assert sum(heard.values()) == 5
    assert memory.store.stats().observations == 4


# ---------------------------------------------------------------------- seed 001


def test_001_a_callers_uuid_is_the_task_in_all_methods_and_its_error_warns_another(
    engine: Settings,
) -> None:
    with closing(Service(replace(engine, embedder="none"))) as service:
        rpc = Rpc(service)
        called: set[str] = set()

        def call(method: str, **value: Any) -> Any:
            called.add(f"memory.{method}")
            return rpc.call(f"memory.{method}", **value)

        of = {"task_id": UUID}
        stored = call("store", content="The till rounds up to whole cents.", workspace="shop", **of)
        assert stored["task_id"] == UUID
        for number in range(3):
            call("store", content=f"Let us plan part {number}. {ROUTINE}", **of)
        found = call("retrieve", query="whole cents", **of)["memories"]
        assert {one["task_id"] for one in found} == {UUID}
        assert "whole cents" in call("get_context", **of)["context"]
        assert call("get_stage_context", **of)["stage"]["task_id"] == UUID
        assert call("detect_stage_transition", **of)["stage"]["task_id"] == UUID
        assert call("complete_stage", **of)["task_id"] == UUID
        kept = call("record_error", error_type="tool", error_description=EXPIRED,
                    recovery_action=RENEWED, **of)  # fmt: skip
        assert kept["task_id"] == UUID
        assert [one["task_id"] for one in call("get_error_history", **of)["errors"]] == [UUID]
        assert call("compress_stage", stage_id=1, **of)["metrics"]["task_id"] == UUID
        assert "whole cents" in call("compress_task", **of)["task_progress_summary"]
        changed = call("adjust_compression", compression_ratio=4, stage_id=1, **of)
        assert changed["metrics"]["task_id"] == UUID
        metrics = call("get_compression_metrics", **of)["metrics"]
        assert {one["task_id"] for one in metrics} == {UUID}
        raised = call("get_strategic_context", current_metrics={"error_rate": 0.9}, **of)
        call("record_intervention_outcome", intervention_id=raised["intervention_id"],
             outcome="helped")  # fmt: skip
        fact = call(
            "store", content="Prices are always net.", memory_type="semantic", workspace="shop"
        )
        call("update_criticality", memory_id=fact["memory_id"], is_critical=True)
        critical = call("get_critical_memories", workspace="shop")["memories"]
        assert fact["memory_id"] in {one["memory_id"] for one in critical}
        call("update", memory_id=fact["memory_id"], title="Prices")
        call("prune", until="2020-01-01")
        progress = call("get_task_progress", **of)
        assert (progress["task_id"], progress["completed_stages"]) == (UUID, [1])
        call("store", content="begin", task_id=OTHER, workspace="shop")
        for _ in range(2):
            call("record_error", error_type="tool", error_description=EXPIRED, task_id=OTHER)
        text = call("get_error_aware_context", task_id=OTHER)["context"]["context"]
        assert RENEWED in text
        (pattern,) = call("detect_error_patterns", workspace="shop")["patterns"]
        assert "zebra certificate" in str(pattern)
        assert len(called) == 21


# ---------------------------------------------------------------------- seed 002


def test_002_a_section_configures_and_a_finished_stage_is_in_the_next_context(
    engine: Settings,
) -> None:
    engine.data_dir.mkdir(mode=0o700, exist_ok=True)
    (engine.data_dir / "config.toml").write_text(
        "[memory]\nstage_compression_ratio_target = 6.0\nstage_completion_auto_compress = true\n"
    )
    arguments = {"data_dir": engine.data_dir, "embedder": "none"}
    if engine.database_url:
        arguments["database_url"] = engine.database_url
    settings = load_settings(arguments, {})
    assert settings.compression_ratio == 6.0
    with opened(settings) as memory:
        memory.observe("Decided: prices stay net because of the ledger.", type="decision",
                       task="quote", workspace="shop")  # fmt: skip
        for number in range(6):
            memory.observe(f"Part {number}. " + ROUTINE, task="quote")
        memory.stages.complete("quote")
        view = memory.stages.show("quote", 1)
        assert view.summary, "it is there when the call returns"
        assert "prices stay net because of the ledger" in view.summary.text
        assert view.summary.target == 6.0
        assert view.summary.source_tokens / view.summary.tokens >= 5
        memory.observe("begin the letter", task="quote")
        assert "prices stay net because of the ledger" in memory.context(task="quote").text


# ---------------------------------------------------------------------- seed 003


def talk(memory: Memoranda, session: str, *prompts: str) -> None:
    """Type prompts in a session, end it, and run due jobs."""
    payload = PROMPT | {"session_id": session}
    for number, text in enumerate(prompts):
        values = payload | {"prompt": text, "prompt_id": f"{session}-{number}"}
        assert hook(memory.settings.data_dir, values).code == 0
    for _ in range(2):  # jobs that follow from the feedback
        memory.capture.drain()


def test_003_a_correction_in_the_chat_is_in_the_next_context_of_the_workspace(
    memory: Memoranda,
) -> None:
    without_drain(memory.settings.data_dir)
    talk(memory, "s1", "Set up the gateway", "That's wrong, it should be port 9090.")
    standing = memory.context(task="s1").text.partition("<standing-instructions>")[2]
    assert "unconfirmed" in standing.partition("\n")[2].partition("\n")[0]
    assert "it should be port 9090." in standing.partition("</standing-instructions>")[0]
    assert "port 9090" in memory.context(workspace="shop").text
    memory.tasks.end("s1", "completed")
    memory.capture.drain()
    memory.observe("begin", task="s2", workspace="shop")
    text = memory.context(task="s2", query="which port has the gateway?").text
    assert "it should be port 9090." in text


def test_003_approved_memories_stay_and_rejected_ones_disappear(memory: Memoranda) -> None:
    without_drain(memory.settings.data_dir)
    talk(memory, "s1", "Quote it", "From now on, never ring before ten.")
    (proposal,) = memory.proposals.list().items
    memory.proposals.approve(proposal.id, proposal.hash)
    bob = acting(memory, "bob", "shop")
    refused = bob.remember("Use zebra UUIDs for the primary keys of all tables.")
    (proposal,) = memory.proposals.list().items
    memory.proposals.reject(proposal.id, note="integers")
    memory.capture.drain()
    for again in (
        "Use zebra UUIDs for the primary keys of all tables.",
        "use zebra UUIDs for primary keys of all the tables",
    ):
        assert bob.remember(again).status == "rejected"
    other = bob.remember("Use integers for the primary keys of all tables.")
    assert [one.memory for one in memory.proposals.list().items] == [other.id]
    assert memory.remember("Use zebra UUIDs for the primary keys of all tables.").uses == 0
    memory.memories.archive(memory.memories.list(status="approved").items[0].id)
    for task in ("s2", "s3"):
        memory.observe("begin", task=task, workspace="shop")
        text = memory.context(task=task, query="primary keys").text
        assert "never ring before ten." in text
        assert "zebra" not in text
    assert refused.id not in {hit.id for hit in bob.search("zebra UUIDs").hits}


# ---------------------------------------------------------------------- seed 004


def test_004_refused_three_times_is_a_rule_and_accepted_is_used(memory: Memoranda) -> None:
    kept = memory.profile.add("Answers are short.", workspace="shop", category="learned_rule")
    for about in (
        "Use UUIDs for the primary keys",
        "Use UUIDs for all the primary keys",
        "Use UUIDs for primary keys",
    ):
        memory.feedback.add("No.", workspace="shop", type="rejection", about=about)
    memory.feedback.add("Yes.", workspace="shop", type="approval", about="Answers are short.")
    memory.say("Remember that the deploys are on Tuesdays", workspace="shop")
    memory.observe("begin", task="next", workspace="shop")
    text = memory.context(task="next", query="when are the deploys?").text
    assert "Don't suggest: \"Use UUIDs for" in text
    assert "the deploys are on Tuesdays" in text
    assert "Answers are short." in text
    assert memory.memories.show(kept.id).memory.uses == 1
    memory.say("Forget about the deploys", workspace="shop")
    assert "Tuesdays" not in memory.context(task="next", query="when are the deploys?").text
    memory.working.put("next", "step", {"number": 1})
    assert memory.working.get("next", "step").value == {"number": 1}
