"""The asynchronous memory gives the same results, here and on a server.

Cancelling loses nothing.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Callable
from contextvars import ContextVar
from pathlib import Path

import pytest

from memoranda import AsyncMemoranda, Memoranda
from memoranda.api.service import Service
from memoranda.config import load_settings
from memoranda.exceptions import InvalidInput, NotFound
from rpc_servers import RpcServer, serving

pytestmark = pytest.mark.integration

REQUEST: ContextVar[str] = ContextVar("REQUEST", default="none")


async def story(memory: AsyncMemoranda) -> None:
    kept = await memory.remember("Prices are net.", workspace="shop")
    found = await memory.ask(Memoranda.search, "prices", workspace="shop")
    assert [hit.id for hit in found.hits] == [kept.id]
    seen = await memory.observe("begin", task="one", workspace="shop")
    made = await memory.checkpoints.create(seen.task, "coding")
    later = await memory.observe("step", task="one", workspace="shop")
    assert [one.id for one in await memory.checkpoints.replay(seen.task, made.id)] == [later.id]
    many = await asyncio.gather(*(memory.memories.show(kept.id) for _ in range(20)))
    assert {one.memory.id for one in many} == {kept.id}
    with pytest.raises(NotFound):
        await memory.memories.show("01a2ffff")
    with pytest.raises(InvalidInput):
        await memory.ask(Memoranda.memories.list, limit=0)


def test_it_is_the_same_here(tmp_path: Path) -> None:
    async def run() -> None:
        async with AsyncMemoranda.open(tmp_path / "data") as memory:
            await story(memory)

    asyncio.run(run())


def test_it_is_the_same_on_a_server(tmp_path: Path) -> None:
    service = Service(load_settings({"data_dir": tmp_path / "data"}))

    async def run(url: str) -> None:
        memory = await AsyncMemoranda.open(url, token="t")
        await story(memory)
        await memory.close()
        await memory.close()

    with serving(RpcServer(service)) as server:
        asyncio.run(run(server.url))
    service.close()


class SlowProposals:
    """Proposals whose count blocks until it is released."""

    def __init__(self, memory: Slow) -> None:
        self.memory = memory

    def count(self, *, workspace: str | None = None) -> int:
        self.memory.entered.set()
        assert self.memory.leave.wait(20)
        self.memory.counted.append(REQUEST.get())
        return 1


class Slow(Memoranda):
    """A memory whose count of proposals blocks until it is released."""

    def __init__(self) -> None:
        self.entered, self.leave, self.closed = threading.Event(), threading.Event(), False
        self.counted: list[str] = []

    proposals = property(SlowProposals)  # type: ignore[assignment]

    def close(self) -> None:
        self.closed = True


def under_way(then: Callable[[AsyncMemoranda, Slow], Awaitable[None]], threads: int = 1) -> Slow:
    slow = Slow()

    async def run() -> None:
        await then(AsyncMemoranda(slow, threads), slow)

    asyncio.run(run())
    return slow


def test_a_call_that_is_cancelled_goes_on_to_its_end_and_closing_waits_for_it() -> None:
    async def then(memory: AsyncMemoranda, slow: Slow) -> None:
        call = asyncio.ensure_future(memory.proposals.count())
        await asyncio.to_thread(slow.entered.wait, 20)
        call.cancel()
        with pytest.raises(asyncio.CancelledError):
            await call
        closing = asyncio.ensure_future(memory.close())
        await asyncio.sleep(0)
        assert (slow.counted, slow.closed) == ([], False)
        slow.leave.set()
        await closing

    slow = under_way(then)
    assert (slow.counted, slow.closed) == (["none"], True)


def test_a_call_that_did_not_begin_is_not_made_when_it_is_cancelled() -> None:
    async def then(memory: AsyncMemoranda, slow: Slow) -> None:
        first = asyncio.ensure_future(memory.proposals.count())
        await asyncio.to_thread(slow.entered.wait, 20)
        second = asyncio.ensure_future(memory.proposals.count())
        await asyncio.sleep(0)
        second.cancel()
        with pytest.raises(asyncio.CancelledError):
            await second
        slow.leave.set()
        assert await first == 1
        await memory.close()

    assert under_way(then).counted == ["none"]


def test_the_loop_goes_on_while_a_call_waits_and_the_context_goes_along() -> None:
    async def then(memory: AsyncMemoranda, slow: Slow) -> None:
        REQUEST.set("r-1")
        call = asyncio.ensure_future(memory.proposals.count())
        await asyncio.to_thread(slow.entered.wait, 20)
        slow.leave.set()
        assert await call == 1
        await memory.close()

    assert under_way(then).counted == ["r-1"]


def test_what_is_no_method_is_not_there() -> None:
    memory = AsyncMemoranda(Slow())
    for name in ("settings", "nonsense", "_services"):
        with pytest.raises(AttributeError):
            getattr(memory, name)
    assert memory.search.__doc__ == Memoranda.search.__doc__
