"""Summaries written by a model, from the settings to the costs."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import pytest
from acting import opened
from happenings import message_event, ran

from contract.clock import FixedClock
from language_servers import KEY, LanguageServer
from memoranda import Memoranda
from memoranda.compression.extract.compressor import ExtractCompressor
from memoranda.compression.model import CompressedText, Compression, Passage
from memoranda.config import Settings
from scripted_servers import Answer

pytestmark = [pytest.mark.integration, pytest.mark.engines("sqlite")]

IDLE = "I will look at the import job once more now, as it seems to be of interest to somebody. "
ORDERS = "".join(f"order {n} of Mills costs {n * 7} EUR and leaves on day {n}\n" for n in range(90))


def shorter(text: str) -> dict[str, Any]:
    """Answer like a model that removes filler and changes nothing else."""
    lines, ref = [], "1#1"
    for row in text.split("\n"):
        name, colon, rest = row.partition(": ")
        if not row.startswith(" ") and colon:
            ref, row = name.split(" ")[0], rest
        lines.append({"text": row.strip().replace("as it seems to be ", ""), "refs": [ref]})
    return {"lines": [line for line in lines if line["text"]]}


@contextmanager
def asking(
    engine: Settings, server: LanguageServer, **changes: Any
) -> Iterator[tuple[Memoranda, str]]:
    """Yield a store with a model, and a task whose first stage has ended."""
    usual: dict[str, Any] = {
        "language_model": "compatible:small",
        "language_base_url": server.url,
        "language_api_key": KEY,
        "language_prices": {"small": (1.0, 2.0)},
        "language_timeout_seconds": 2.0,
    }
    with opened(replace(engine, **(usual | changes)), FixedClock(step=1)) as memory:
        memory.capture.take(
            [
                message_event(
                    "p", "Never write to the prod_north bucket; the budget is 4,200 EUR."
                ),
                *(ran(f"a{n}", f"cat part{n}.txt", IDLE * (3 + n)) for n in range(6)),
                ran("b", "cat orders.txt", ORDERS),
                ran("c", "sed -i s/one/two/ shop.py", ""),
                ran("d", "sed -i s/two/three/ shop.py", ""),
            ]
        )
        (task,) = [one.id for one in memory.tasks.list() if one.session == "one"]
        yield memory, task


def summary(memory: Memoranda, task: str) -> Compression:
    memory.capture.drain()
    found = memory.stages.show(task, 1).summary
    assert found is not None
    return found


def test_an_ended_stage_is_summarised_by_the_model_and_paid_for(
    engine: Settings,
) -> None:
    with LanguageServer(reply=shorter) as server, asking(engine, server) as (memory, task):
        made = summary(memory, task)
        assert made.method == "compatible:small", made.declined
        assert made.declined == ""
        assert "prod_north" in made.text
        (spent,) = memory.costs.report("task")
        assert (spent.name, spent.input_tokens, spent.output_tokens) == (task, *server.charged)
        assert made.cost == spent.cost == memory.costs.budget().spent > 0
        memory.stages.compress(task, 1)
        assert memory.costs.budget().spent == spent.cost  # the same question is sent once


def test_two_readers_at_once_cause_one_call(engine: Settings) -> None:
    def slowly(text: str) -> dict[str, Any]:
        time.sleep(0.5)
        return shorter(text)

    with LanguageServer(reply=slowly) as server, asking(engine, server) as (memory, task):
        with ThreadPoolExecutor(2) as pool:
            list(pool.map(lambda number: memory.stages.show(task, number), (1, 1)))
        memory.capture.drain(wait=True)
        assert sum(one.calls for one in memory.costs.report("operation")) == 1


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (Answer(401, "no"), "model_unavailable"),
        (Answer(200, "<html>busy</html>"), "model_answer_unusable"),
        (Answer(200, '{"choices": [{"mess'), "model_answer_unusable"),
    ],
)
def test_a_failure_keeps_the_extract_and_gives_the_reason(
    engine: Settings, answer: Answer, reason: str
) -> None:
    with LanguageServer(answer, reply=shorter) as server, asking(engine, server) as (memory, task):
        made = summary(memory, task)
        assert made.method == "extract"
        assert made.declined.startswith(reason)
        assert "prod_north" in made.text


def test_an_empty_budget_sends_no_request(engine: Settings) -> None:
    with LanguageServer(reply=shorter) as server, asking(engine, server) as (memory, task):
        memory.costs.set_budget(0)
        made = summary(memory, task)
        assert (made.method, made.declined[:16]) == ("extract", "budget_exhausted")
        assert server.charged == [0, 0]
        memory.costs.set_budget(None)
        memory.stages.compress(task, 1)
        assert memory.costs.budget().spent > 0


def test_a_model_without_a_price_is_not_called(engine: Settings) -> None:
    with LanguageServer(reply=shorter) as server:
        away = {"language_base_url": "https://models.example/v1", "language_prices": {}}
        with asking(engine, server, **away) as (memory, task):
            made = summary(memory, task)
            assert made.method == "extract"
            assert "language_prices" in made.declined


def test_forgetting_takes_the_answers_along(engine: Settings) -> None:
    from memoranda.memories.removal import RemovalSelection

    with LanguageServer(reply=shorter) as server, asking(engine, server) as (memory, task):
        summary(memory, task)
        memory.forget(RemovalSelection(task=task), confirm=True)
        rows = memory._database.read(lambda tx: tx.fetch("select * from model_answer", {}))
        assert rows == []
        assert memory.costs.budget().spent > 0


class Seeing(ExtractCompressor):
    """A compressor that records the passages it gets, in any thread."""

    shown: Sequence[Passage] = ()
    most = 0

    def compress(self, passages: Sequence[Passage], budget: int, **more: Any) -> CompressedText:
        """Choose from passages."""
        self.shown = (*self.shown, *passages)
        self.most = max(self.most, budget)
        return super().compress(passages, budget, **more)


def test_who_puts_it_otherwise_has_the_room_of_the_last_try(engine: Settings) -> None:
    texts = [f"We decided that order {n} of Mills costs {n * 7} EUR, {IDLE}" for n in range(60)]
    with opened(engine, FixedClock(step=1)) as memory:
        memory.capture.take([message_event(str(n), text) for n, text in enumerate(texts)])
        memory.capture.take([ran("e", "ls shop"), ran("f", "sed -i s/a/b/ c", "")])
        (task,) = [one.id for one in memory.tasks.list() if one.session == "one"]
        memory.stages.complete(task)
        plain = memory.stages.compress(task, 1, ratio=20)
        seeing = Seeing(memory._services.counter)
        memory._services.compressions._rewriter = lambda scope: seeing
        made = memory.stages.compress(task, 1, ratio=20)
        assert plain.tries > 1
        assert seeing.most > plain.source_tokens // 20
        assert made.kept >= plain.kept
