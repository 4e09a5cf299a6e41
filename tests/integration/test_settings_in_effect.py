"""Each setting has the effect that its description states."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from shutil import copy
from typing import Any

import pytest
from happenings import ran

from language_servers import KEY, LanguageServer
from memoranda import Memoranda
from memoranda.blocks.block_writer import NewBlock
from memoranda.compression import compressor
from memoranda.compression.model import Quality
from memoranda.config import load_settings
from memoranda.journal.model import QUALITY_ALERT
from memoranda.memories.memory_service import NewMemory
from memoranda.memories.model import Category

pytestmark = pytest.mark.integration

Opener = Callable[..., Memoranda]
PROSE = "the parser reads every line of the price list while nobody looks at the totals " * 40


@pytest.fixture
def opened(tmp_path: Path, empty_store: Path) -> Iterator[Opener]:
    """Return a function that opens the test's store with some settings."""
    copy(empty_store, tmp_path)
    records: list[Memoranda] = []

    def with_settings(**value: Any) -> Memoranda:
        settings = load_settings({"data_dir": tmp_path, "embedder": "none"} | value, {})
        records.append(Memoranda.open(settings=settings, workspace="shop"))
        return records[-1]

    yield with_settings
    for memory in records:
        memory.close()


def worked(memory: Memoranda, *commands: str, start: int = 0) -> str:
    """Run commands in one session; return its task."""
    for number, command in enumerate(commands, start):
        failing = command.startswith("!")
        output = {"stdout": "", "stderr": command, "exitCode": 1} if failing else PROSE
        memory.capture.take([ran(f"{number}", command.removeprefix("!"), output, failed=failing)])
    (task,) = [one.id for one in memory.tasks.list() if one.session == "one"]
    return task


LOOK, WRITE, CHECK = "cat shop/a.py", "sed -i s/a/b/ shop/a.py", "pytest -q"


def test_detected_stages_begin_are_suggested_or_are_not_sought(opened: Opener) -> None:
    memory = opened(stage_auto_transition=False)
    task = worked(memory, LOOK, LOOK, WRITE)
    found = memory.stages.show(task)
    assert [one.name for one in memory.stages.list(task)] == ["planning"]  # the first one begins
    assert (found.stage.name, found.suggested) == ("planning", "execution")
    worked(memory, CHECK, start=3)
    assert memory.stages.show(task).suggested == "verification"
    memory.stages.set(task, "verification")
    assert memory.stages.show(task).suggested is None
    worked(memory, LOOK, LOOK, LOOK, start=4)
    assert memory.stages.show(task).suggested == "planning"
    worked(memory, CHECK, start=7)  # as before: nothing new is started
    assert memory.stages.show(task).suggested is None
    assert len(memory.stages.list(task).items) == 2


def test_without_detection_only_what_was_stated_begins(opened: Opener) -> None:
    memory = opened(stage_detection=False)
    task = worked(memory, LOOK, LOOK, WRITE, CHECK)
    assert memory.stages.list(task).items == ()
    memory.stages.set(task, "execution")
    worked(memory, CHECK, start=4)
    found = memory.stages.show(task)
    assert (found.stage.name, found.suggested) == ("execution", None)


@pytest.mark.parametrize("automatic", [True, False])
def test_ended_stages_are_summarised_unless_that_is_off(opened: Opener, automatic: bool) -> None:
    memory = opened(stage_auto_compression=automatic)
    task = worked(memory, LOOK, LOOK, WRITE)
    memory.capture.drain()
    assert (memory.stages.show(task, 1).summary is not None) is automatic
    assert memory.stages.compress(task, 1).text  # on request in either case


@pytest.mark.parametrize(("threshold", "alerts"), [(0.85, 0), (0.95, 1)])
def test_a_quality_alert_follows_the_threshold(
    opened: Opener, monkeypatch: pytest.MonkeyPatch, threshold: float, alerts: int
) -> None:
    # Selected text has every critical fact, so a loss must be injected.
    kept = Quality(facts=100, kept=90, lost=(), contradictions=0)
    monkeypatch.setattr(compressor, "quality", lambda *_: kept)
    memory = opened(compression_quality_threshold=threshold)
    task = memory.observe("You must never ship part 7 without form 7-B.", task="one").task
    memory.stages.set(task, "execution")
    memory.stages.compress(task)
    assert len(memory.journal.list(operation=QUALITY_ALERT, subject=task).items) == alerts


def test_a_task_summary_is_as_short_as_its_ratio(opened: Opener) -> None:
    sizes = []
    for ratio in (1.0, 20.0):
        memory = opened(task_compression_ratio=ratio, compression_ratio=2.0)
        if not sizes:
            texts = [f"The price of part {n} is {n * 7} cents since May." for n in range(120)]
            task = memory.observe("\n".join(texts), task="one").task
            memory.stages.set(task, "execution")
            memory.observe("\n".join(reversed(texts)).replace("part", "box"), task="one")
        memory.stages.compress(task)
        sizes.append(memory.compression.report(task=task)[0].tokens)
    assert sizes[0] > 2 * sizes[1] > 0


def test_blocks_and_working_memory_have_the_usual_limits_of_the_settings(opened: Opener) -> None:
    memory = opened(default_block_limit=40, working_memory_ttl=90)
    assert memory.blocks.create(NewBlock("style", "short")).limit == 40
    assert memory.blocks.create(NewBlock("wide", "short", limit=9_000)).limit == 9_000
    with pytest.raises(Exception, match="its limit is 40"):
        memory.blocks.create(NewBlock("long", "x" * 41))
    task = memory.observe("begin", task="one").task
    entry = memory.working.put(task, "next", "write")
    longer = memory.working.put(task, "later", "read", ttl=900)
    assert 88e6 < entry.expires_at - entry.written_at < 92e6
    assert longer.expires_at - longer.written_at > 800e6


def test_critical_memories_count_as_often_as_is_set(opened: Opener) -> None:
    def order(memory: Memoranda) -> list[bool]:
        found = memory.search("cents rounding in invoices")
        return [bool(hit.why["criticality"]) for hit in found.hits]

    memory = opened(criticality_multiplier=1.0)
    memory.remember(NewMemory("Cents rounding in invoices of the shop follows the tax office."))
    memory.remember(NewMemory("Rounding of cents in invoices: ask Ada.", critical=True))
    weak = dict(zip(order(memory), memory.search("cents rounding in invoices").hits, strict=True))
    strong_memory = opened(criticality_multiplier=10.0)
    assert order(strong_memory)[0] is True
    strong = dict(
        zip(order(strong_memory), strong_memory.search("cents rounding in invoices").hits,
            strict=True)
    )  # fmt: skip
    assert strong[True].score / strong[False].score > weak[True].score / weak[False].score


def test_one_severe_error_is_enough_where_a_threshold_is_set(opened: Opener) -> None:
    memory = opened(error_severity_threshold=0.7)
    task = memory.observe("begin", task="one").task
    memory.errors.record("a mild one", type="missing_info", task=task, severity=0.6)
    memory.capture.drain()
    assert memory.supervisor.interventions(task=task).items == ()
    memory.errors.record("wrote to production", type="incorrect_action", task=task, severity=0.9)
    memory.capture.drain()
    (raised,) = memory.supervisor.interventions(task=task)
    assert "alone has severity 0.90" in raised.reason


def test_patterns_of_errors_are_sought_unless_that_is_off(opened: Opener) -> None:
    memory = opened()
    for name in ("one", "two", "three"):
        memory.errors.record(
            "KeyError: 'zone' in report.py", type="incorrect_action",
            task=memory.observe("begin", task=name).task,
        )  # fmt: skip
    assert memory.errors.patterns()
    assert not opened(error_pattern_detection=False).errors.patterns()


def test_the_least_useful_memories_beyond_a_capacity_are_archived(opened: Opener) -> None:
    memory = opened(semantic_memory_capacity=3)
    facts = [memory.remember(NewMemory(f"Part {n} costs {n} cents.")) for n in range(5)]
    rule = memory.remember(NewMemory("Ask Ada about prices.", critical=True))
    kept = memory.remember(NewMemory("Prices are in cents.", protected=True))
    step = memory.remember(NewMemory("First cut, then weld.", category=Category.PATTERN))
    memory.capture.drain()
    left = {one.id for one in memory.memories.list(status="approved")}
    assert left == {facts[4].id, rule.id, kept.id, step.id}
    gone = memory.memories.history(facts[0].id).items[0]
    assert gone.reason == "beyond the capacity of 3 semantic memories"
    memory.close()  # its worker would archive what is restored
    again = opened(semantic_memory_capacity=0)
    again.memories.restore(facts[0].id, gone.version)
    again.remember(NewMemory("Part 9 costs 9 cents."))
    again.capture.drain()
    assert facts[0].id in {one.id for one in again.memories.list(status="approved")}


def test_only_errors_of_the_last_stages_affect_ranking_where_that_is_set(opened: Opener) -> None:
    def helped(memory: Memoranda) -> float:
        found = memory.search("wireguard office", task=task).hits
        return max(hit.why["error_correction"] for hit in found)

    memory = opened()
    memory.remember(
        NewMemory(
            "Office: run tools/wireguard.sh twice.",
            category=Category.TROUBLESHOOTING,
            tags=("network",),
        )
    )
    task = memory.observe("begin", task="one").task
    memory.errors.record(
        "tools/wireguard.sh does not reach the office", type="missing_info", task=task,
        context="tools/wireguard.sh",
    )  # fmt: skip
    before = helped(memory)
    for stage in ("execution", "verification"):
        memory.stages.set(task, stage)
        memory.observe(f"go on with {stage}", task="one")
    assert helped(opened(error_lookback_stages=5)) == helped(opened()) == before > 0
    assert helped(opened(error_lookback_stages=1)) == 0


FILLER = "as it seems to be "


def rephrased(text: str) -> dict[str, Any]:
    """Answer like a model that removes filler and changes nothing else."""
    lines = []
    for row in text.split("\n"):
        name, _, value = row.partition(": ")
        lines.append({"text": value.replace(FILLER, ""), "refs": [name.split(" ")[0]]})
    return {"lines": lines}


def compacted(memory: Memoranda, start: int) -> str:
    """Add ten messages and compact the conversation; return its summary."""
    for number in range(start, start + 10):
        memory.conversations.add(
            f"I will look at part{number}.csv once more now, {FILLER}of interest to somebody.",
            role="assistant",
            session="chat",
        )
    memory.conversations.add("so it goes on and on " * 200, session="chat")
    memory.conversations.add("Go on.", session="chat")
    made = memory.conversations.compact("chat", force=True)
    assert made is not None
    return made.summary


def test_a_compaction_model_words_the_summary_and_is_paid_for(opened: Opener) -> None:
    with LanguageServer(reply=rephrased) as server:
        arguments: dict[str, Any] = {
            "language_model": "compatible:large",
            "language_base_url": server.url,
            "language_api_key": KEY,
            "language_prices": "large=5/9, small=1/2",
        }
        memory = opened(**arguments, compaction_model="small")
        first = compacted(memory, 0)
        assert first.startswith(
            "[assistant 1#1] I will look at part0.csv once more now, of interest"
        )
        assert FILLER.strip() not in first
        (spent,) = memory.costs.report("task")
        assert spent.cost > 0
        second = compacted(memory, 10)  # the previous summary is read like any other message
        assert "[assistant 1#1] I will look at part0.csv once more now, of interest" in second
        assert "part15.csv once more now, of interest" in second
        assert len(server.requests) == 2

        plain = opened(**arguments)  # without the setting no model is used
        assert FILLER.strip() in compacted(plain, 20)
        assert len(server.requests) == 2


@pytest.mark.parametrize("lie", ["part77.csv", "nothing"])
def test_a_compaction_that_changes_or_loses_a_fact_is_not_used(opened: Opener, lie: str) -> None:
    def wrong(text: str) -> dict[str, Any]:
        lines = rephrased(text)["lines"]
        lines[0]["text"] = lines[0]["text"].replace("part0.csv", lie)
        return {"lines": lines}

    with LanguageServer(reply=wrong) as server:
        memory = opened(
            language_model="compatible:small", language_base_url=server.url,
            language_api_key=KEY, language_prices="small=1/2", compaction_model="small",
        )  # fmt: skip
        summary = compacted(memory, 0)
        assert len(server.requests) == 1
    assert "part0.csv" in summary
    assert "77" not in summary
