"""An MCP server in a forked process, as a host talks to it: lines on standard input and output."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from pathlib import Path

import anyio
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from anyio.to_thread import run_sync
from mcp.shared.message import SessionMessage
from mcp_types import jsonrpc_message_adapter

import forked_processes
from forked_processes import Forked

END_SECONDS = 30
"""How long a server may run on after its standard input has ended."""
Streams = tuple[
    MemoryObjectReceiveStream[SessionMessage | Exception], MemoryObjectSendStream[SessionMessage]
]


@asynccontextmanager
async def stdio(
    words: Sequence[str], environ: Mapping[str, str], cwd: Path
) -> AsyncIterator[Streams]:
    """Start ``memoranda mcp`` with these words; yield streams for `mcp.Client`."""
    process = forked_processes.command(["mcp", *words], environ, cwd, stderr=2)
    received, read = anyio.create_memory_object_stream[SessionMessage | Exception]()
    write, sent = anyio.create_memory_object_stream[SessionMessage]()
    try:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(_receive, process, received)
            tasks.start_soon(_send, process, sent)
            yield read, write
            write.close()  # its input ends, and then the server
            assert await run_sync(process.wait, END_SECONDS) == 0
    finally:
        read.close()
        process.kill()
        process.close()


async def _receive(
    process: Forked, received: MemoryObjectSendStream[SessionMessage | Exception]
) -> None:
    async with received:
        while line := await run_sync(process.stdout.readline):
            message = jsonrpc_message_adapter.validate_json(line, by_name=False)
            with suppress(anyio.BrokenResourceError):  # nobody listens any longer
                await received.send(SessionMessage(message))


async def _send(process: Forked, sent: MemoryObjectReceiveStream[SessionMessage]) -> None:
    async with sent:
        async for one in sent:
            text = one.message.model_dump_json(by_alias=True, exclude_unset=True)
            await run_sync(process.stdin.write, f"{text}\n")
            await run_sync(process.stdin.flush)
    process.stdin.close()
