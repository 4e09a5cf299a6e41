"""Export and import of archives over HTTP.

Archives are written to and read from a file that no other caller can name or open.
"""

from __future__ import annotations

import shutil
import tempfile
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import BinaryIO

from starlette.concurrency import iterate_in_threadpool, run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from memoranda.api.rest.arguments import request_arguments
from memoranda.api.rest.operation_endpoint import DOOR, JSON, answered, request_id
from memoranda.api.rest.problem_details import problem
from memoranda.api.rest.routes import RestRoute
from memoranda.api.rest.stream_schemas import ARCHIVE
from memoranda.api.service import Service, wire
from memoranda.exceptions import CorruptData, InvalidInput, MemorandaError, TooLarge
from memoranda.identity.principal import Principal
from memoranda.instrumentation import recording_calls
from memoranda.json_data import JsonValue, dump_json
from memoranda.operations import OPERATIONS, call, operation

CHUNK = 1 << 16
LARGEST = 2_000_000_000
"""Maximum number of bytes of an archive.

A server in front of this one may have a lower limit.
"""
LEFT_BEHIND = 24 * 3_600
"""Age in seconds after which a temporary folder is no longer in use."""
_EXPORT = RestRoute(OPERATIONS["archive.export"], "GET", "/export", 200)
_IMPORT = RestRoute(OPERATIONS["archive.import-archive"], "GET", "/import", 200)
"""Route of the import, whose arguments are in the query string.

The body of the request is the archive.
"""
_OURS = frozenset({"path", "force"})


class Archives:
    """Endpoints that export and import archives of a caller's team."""

    def __init__(self, service: Service) -> None:
        self._service = service
        self._below: Path = service.settings.data_dir
        _sweep(self._below)

    async def export(self, request: Request) -> Response:
        """Respond with an archive."""
        return await answered(request, lambda: self._export(request))

    async def bring_in(self, request: Request) -> Response:
        """Import an archive after receiving it in full."""
        try:
            with recording_calls(self._service.calls, DOOR, _IMPORT.operation.name):
                return await self._brought_in(request)
        except MemorandaError as error:
            if error.http_status >= 500:
                raise
            return problem(error, request_id(request))

    async def _brought_in(self, request: Request) -> Response:
        principal: Principal = request.state.principal
        operation("archive.import-archive", principal.role)
        _named(_IMPORT, request)
        with _folder(self._below) as folder:
            path = folder / "archive.zip"
            await _received(request, path)
            return await run_in_threadpool(self._import, request, principal, path)

    def _export(self, request: Request) -> Response:
        with recording_calls(self._service.calls, DOOR, _EXPORT.operation.name):
            return self._written(request)

    def _written(self, request: Request) -> Response:
        principal: Principal = request.state.principal
        operation("archive.export", principal.role)
        named = _named(_EXPORT, request)
        with _folder(self._below) as folder:
            path = folder / "archive.zip"
            memory = self._service.memory(principal)
            call(memory, "archive.export", {**named, "path": str(path)}, principal.role)
            file, size = path.open("rb"), path.stat().st_size
        headers = {
            "Content-Length": str(size),
            "Content-Disposition": 'attachment; filename="memoranda.zip"',
        }
        return StreamingResponse(_sent(file), 200, headers, ARCHIVE)

    def _import(self, request: Request, principal: Principal, path: Path) -> Response:
        named: dict[str, JsonValue] = {**_named(_IMPORT, request), "path": str(path)}
        memory = self._service.memory(principal)
        with _sent_by_caller(path):
            report = call(memory, "archive.import-archive", named, principal.role)
        # only the file name: the caller did not choose the temporary folder
        report = replace(report, path=path.name)
        return Response(dump_json(wire(report)), 200, media_type=JSON)


def _named(route: RestRoute, request: Request) -> dict[str, JsonValue]:
    result = request_arguments(route, {}, request.query_params.multi_items(), b"")
    if strange := sorted(_OURS & result.keys()):
        raise InvalidInput(f"unknown query parameter {', '.join(strange)}")
    return result


async def _received(request: Request, path: Path) -> None:
    size = 0
    path.touch(0o600)
    with path.open("wb") as file:
        async for chunk in request.stream():
            size += len(chunk)
            if size > LARGEST:
                raise TooLarge(f"an archive may have at most {LARGEST:,} bytes")
            await run_in_threadpool(file.write, chunk)


async def _sent(file: BinaryIO) -> AsyncIterator[bytes]:
    """Yield the content of an open file.

    The file's name is already deleted, so the file disappears when it is closed.
    """
    with file:
        async for chunk in iterate_in_threadpool(iter(lambda: file.read(CHUNK), b"")):
            yield chunk


@contextmanager
def _sent_by_caller(path: Path) -> Iterator[None]:
    """Report errors in an archive as errors of the caller who sent it.

    Such errors do not mean that the store is damaged, and the caller does not know the temporary
    file.
    """
    try:
        yield
    except (CorruptData, InvalidInput) as error:
        if not str(error).startswith(f"{path}: "):
            raise
        raise InvalidInput(str(error).replace(str(path), "the archive", 1)) from error


@contextmanager
def _folder(below: Path) -> Iterator[Path]:
    folder = Path(tempfile.mkdtemp(prefix="exchange-", dir=below))  # 0700
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _sweep(below: Path) -> None:
    """Remove the folders that were left by killed processes."""
    for folder in below.glob("exchange-*"):
        if folder.is_dir() and folder.stat().st_mtime < time.time() - LEFT_BEHIND:
            shutil.rmtree(folder, ignore_errors=True)
