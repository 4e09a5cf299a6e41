"""Bulk creation of observations or memories, with a result for each line.

A request has one record per line; each line is accepted or refused separately.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence

import anyio
from anyio.streams.memory import MemoryObjectSendStream
from starlette.concurrency import run_in_threadpool
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from memoranda.api.rest.operation_endpoint import DOOR, answered
from memoranda.api.rest.stream_schemas import LINES
from memoranda.api.service import Service
from memoranda.exceptions import InvalidInput, MemorandaError, TooLarge
from memoranda.identity.principal import Principal
from memoranda.instrumentation import recording_calls
from memoranda.json_data import JsonValue, dump_json, parse_exact_json
from memoranda.operations import OPERATIONS, operation

LINE_BYTES = 1_000_000
"""Maximum number of bytes of one line, since a line is kept in memory as a whole."""
MAX_LINES = 10_000
"""Maximum number of lines of one request.

The results of all lines are buffered until the sender reads them.
"""


async def batches(chunks: AsyncIterator[bytes]) -> AsyncIterator[list[tuple[int, bytes]]]:
    """Yield the complete lines of each chunk, with line numbers from 1.

    Empty lines are skipped.

    Raises:
        TooLarge: a line is too long, or there are too many lines; earlier lines were yielded.
    """
    rest, number = b"", 0
    async for chunk in chunks:
        *whole, rest = (rest + chunk).split(b"\n")
        if any(len(item) > LINE_BYTES for item in (*whole, rest)):
            raise TooLarge(
                f"a line may have at most {LINE_BYTES:,} bytes; one near line {number + 1} has more"
            )
        if result := _numbered(whole, number):
            yield result
        number += len(whole)
    if last := _numbered([rest], number):
        yield last


def _numbered(lines: list[bytes], before: int) -> list[tuple[int, bytes]]:
    if before + len(lines) > MAX_LINES + 1:
        raise TooLarge(f"a request may have at most {MAX_LINES:,} lines; send the rest in another")
    return [(n, item) for n, item in enumerate(lines, before + 1) if item.strip()]


MADE = 201


class BulkEndpoint:
    """Endpoints that run an operation for each line, and report each result."""

    def __init__(self, service: Service) -> None:
        self._service = service

    async def observations(self, request: Request) -> Response:
        """Store an observation for each line."""
        return await self._answer(request, "observe")

    async def memories(self, request: Request) -> Response:
        """Store a memory for each line."""
        return await self._answer(request, "remember")

    async def _answer(self, request: Request, name: str) -> Response:
        principal: Principal = request.state.principal

        def look() -> Response:
            if principal.role not in OPERATIONS[name].roles:
                with recording_calls(self._service.calls, DOOR, name):
                    operation(name, principal.role)  # raises
            return BulkResponse(self._verdicts(request, principal, name))

        return await answered(request, look)

    async def _verdicts(
        self, request: Request, principal: Principal, name: str
    ) -> AsyncIterator[bytes]:
        try:
            async for lines in batches(request.stream()):
                verdicts, go_on = await run_in_threadpool(self._each, principal, name, lines)
                yield verdicts
                if not go_on:
                    return
        except TooLarge as error:
            yield _line(_refused(None, error))

    def _each(
        self, principal: Principal, name: str, lines: Sequence[tuple[int, bytes]]
    ) -> tuple[bytes, bool]:
        """Return the results of lines, and whether to continue."""
        verdicts = []
        for number, line in lines:
            try:
                verdicts.append(_line(self._one(principal, name, number, line)))
            except MemorandaError as error:
                verdicts.append(_line(_refused(number, error)))
                if error.http_status >= 500:
                    return b"".join(verdicts), False
        return b"".join(verdicts), True

    def _one(
        self, principal: Principal, name: str, number: int, line: bytes
    ) -> dict[str, JsonValue]:
        with recording_calls(self._service.calls, DOOR, name):
            arguments = parse_exact_json(line)
            if not isinstance(arguments, dict):
                raise InvalidInput("a line must be a JSON object with the arguments")
            made = self._service.call(principal, name, arguments)
        assert isinstance(made, dict)
        return {"line": number, "status": MADE, "id": made["id"]}


def _refused(number: int | None, error: MemorandaError) -> dict[str, JsonValue]:
    """Return the result for a refused line, without details of server errors."""
    ours = error.http_status < 500
    verdict: dict[str, JsonValue] = {
        "line": number,
        "status": error.http_status,
        "code": error.code,
    }
    return verdict | {"detail": str(error) if ours else str(type(error)())}


def _line(verdict: dict[str, JsonValue]) -> bytes:
    return dump_json(verdict).encode() + b"\n"


class BulkResponse(Response):
    """Response that sends results while lines are still being received.

    Reading never waits for sending: a sender that reads only after sending its last line would
    otherwise deadlock with a receiver that waits for the sender to read.
    """

    def __init__(self, verdicts: AsyncIterator[bytes]) -> None:
        super().__init__(media_type=LINES)
        del self.headers["content-length"]
        self._verdicts = verdicts

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Read, process and send until the lines end or the caller disconnects."""
        start = {"type": "http.response.start", "status": 200, "headers": self.raw_headers}
        await send(start)
        into, out = anyio.create_memory_object_stream[bytes](MAX_LINES + 2)
        async with anyio.create_task_group() as tasks, out:
            tasks.start_soon(self._read, into)
            async for verdict in out:
                await send({"type": "http.response.body", "body": verdict, "more_body": True})
        await send({"type": "http.response.body", "body": b"", "more_body": False})

    async def _read(self, into: MemoryObjectSendStream[bytes]) -> None:
        async with into:
            try:
                async for verdict in self._verdicts:
                    into.send_nowait(verdict)
            except ClientDisconnect:
                return
