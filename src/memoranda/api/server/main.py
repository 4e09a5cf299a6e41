"""Running the server until a signal ends it, in one or several processes."""

from __future__ import annotations

import logging
import os
import signal
import socket
import threading
import time
from collections.abc import Callable
from contextlib import nullcontext, suppress
from dataclasses import dataclass, replace
from http.client import HTTPConnection
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from memoranda.api.server.limits import HEAD_BYTES, ServerOptions
from memoranda.api.server.listener import (
    ListenAddress,
    bound_socket,
    check_exposure,
    options_for,
    url_of,
)
from memoranda.api.server.log_lines import TO_STANDARD_ERROR, LogSettings, start_log
from memoranda.clock import SystemClock
from memoranda.config import Settings
from memoranda.exceptions import InvalidInput, ServerUnavailable, StorageUnusable
from memoranda.telemetry.server_metrics import shared_figures
from memoranda.version import __version__

if TYPE_CHECKING:
    import uvicorn

    from memoranda.api.server.app import Interfaces
    from memoranda.api.service import Service

FIGURES = "metrics"
"""Folder in the data directory for the metrics of several processes."""
TOKEN = "token"
"""The file in the data directory with the token of this machine's owner."""
PLACE = "serving"
"""File in the data directory with the address of a running server."""
REQUIRED = ("starlette", "uvicorn")
KEEP_ALIVE_SECONDS = 30
"""How long a connection is kept for another request.

Longer than the time for which callers usually keep a connection.
"""
START_SECONDS = 60.0
PROBE_SECONDS = 0.02


@dataclass(frozen=True, slots=True)
class ServerInfo:
    """A server that is ready for requests."""

    url: str
    token_file: Path
    data_dir: Path
    process: int
    workers: int
    version: str = __version__
    sign_in: str | None = None
    """One-time URL that signs the machine's owner in to the web interface.

    None if there is no such URL.
    """
    database: str | None = None
    """PostgreSQL database as host:port/name; None if the data is in the data directory."""


def _database(settings: Settings) -> str | None:
    """Return the PostgreSQL database without user and password, if any."""
    if not settings.database_url:
        return None
    from memoranda.store.postgres.faults import redacted_address

    return redacted_address(settings.database_url)


def serve(
    settings: Settings,
    listening: ListenAddress,
    workers: int,
    ready: Callable[[ServerInfo], None],
    log: LogSettings = TO_STANDARD_ERROR,
    doors: Callable[[Service], Interfaces] | None = None,
) -> None:
    """Serve until SIGTERM or SIGINT; call ``ready`` when ready for requests.

    Raises:
        Conflict: another process listens at the address.
        Forbidden: other machines would reach the server, and that was not requested.
        InvalidInput: the required packages are not installed, or the address is invalid.
        ServerUnavailable: the worker processes ended immediately.
        StorageUnusable: the store or the token cannot be used.
    """
    if any(find_spec(name) is None for name in REQUIRED):
        raise InvalidInput("the server needs an extra: pip install 'memoranda[server]'")
    check_exposure(listening, authenticated=not listening.local and _migrated(settings))
    if workers > 1:
        _migrated(settings)
    start_log(log)
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # its threads spin while they wait
    signal.signal(signal.SIGPIPE, signal.SIG_IGN)  # a disconnected client must not end the server
    made = bound_socket(listening)
    url = url_of(listening, made)
    info = ServerInfo(
        url, settings.data_dir / TOKEN, settings.data_dir, os.getpid(), workers,
        database=_database(settings),
    )  # fmt: skip
    probe = threading.Thread(target=_announce, args=(listening, url, info, ready), daemon=True)
    try:
        options = options_for(listening, 0 if listening.unix else made.getsockname()[1])
        with shared_figures(settings.data_dir / FIGURES) if workers > 1 else nullcontext():
            _run(_config(settings, options, workers, log, doors), made, probe)
    finally:
        made.close()
        _forget_place(settings.data_dir / PLACE, url)
        if listening.unix is not None:
            listening.unix.unlink(missing_ok=True)


def _forget_place(place: Path, url: str) -> None:
    """Remove the stored address of a server, unless a new server replaced it."""
    with suppress(OSError):
        if place.read_text("ascii") == url:
            place.unlink()


def _migrated(settings: Settings) -> bool:
    """Migrate the store; return whether callers besides the owner exist.

    The migration runs before the workers start, so that an error is reported once and not by each
    process.
    """
    from memoranda.api.server.worker_process import known_callers
    from memoranda.api.service import Service

    service = Service(replace(settings, telemetry="none"))  # nothing here is a caller's operation
    try:
        return known_callers(service)[1]
    finally:
        service.close()


def _config(
    settings: Settings,
    options: ServerOptions,
    workers: int,
    log: LogSettings,
    doors: Callable[[Service], Interfaces] | None,
) -> uvicorn.Config:
    import uvicorn

    from memoranda.api.server.connection import Connection
    from memoranda.api.server.mounts import doors as usual
    from memoranda.api.server.worker_process import GRACE_SECONDS, WorkerApplication

    share = replace(options, rate=options.rate / workers, burst=options.burst / workers)
    parent = os.getpid() if workers > 1 else None
    return uvicorn.Config(
        WorkerApplication(str(settings.data_dir), share, doors or usual, log, parent),
        factory=True,
        workers=workers,
        http=Connection,
        ws="none",
        lifespan="on",
        proxy_headers=False,
        server_header=False,
        access_log=False,
        log_config=None,
        log_level=logging.WARNING,
        timeout_keep_alive=KEEP_ALIVE_SECONDS,
        timeout_graceful_shutdown=GRACE_SECONDS,
        timeout_worker_healthcheck=30,
        h11_max_incomplete_event_size=HEAD_BYTES,
    )


def _run(config: uvicorn.Config, made: socket.socket, probe: threading.Thread) -> None:
    import uvicorn

    from memoranda.api.server.processes import FAILED, Supervisor
    from memoranda.api.server.worker_process import END_SECONDS

    if config.workers == 1:
        _end_quietly()
        server = uvicorn.Server(config)
        probe.start()
        server.run([made])
        return
    supervisor = Supervisor(config, [made], END_SECONDS)
    probe.start()
    supervisor.run()
    if any(process.exitcode == FAILED for process in supervisor.processes):
        raise ServerUnavailable("the server processes ended; see the log for the cause")


def _end_quietly() -> None:
    """Exit without an error after a handled signal."""
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: None)


def _announce(
    listening: ListenAddress, url: str, info: ServerInfo, ready: Callable[[ServerInfo], None]
) -> None:
    give_up = time.monotonic() + START_SECONDS
    while time.monotonic() < give_up:
        if _answers(listening, url):
            ready(_with_link(info))
            return
        time.sleep(PROBE_SECONDS)


def _with_link(info: ServerInfo) -> ServerInfo:
    """Store the server's address, and create a link to its web interface."""
    from memoranda.identity import key_files as private
    from memoranda.identity.sessions import new_link

    if not info.url.startswith("http:") or find_spec("jinja2") is None:
        return info
    with suppress(StorageUnusable):
        private.replace(info.data_dir / PLACE, info.url.encode())
        return replace(info, sign_in=link_at(info.url, new_link(info.data_dir, SystemClock())))
    return info


def link_at(url: str, code: str) -> str:
    """Return the URL that signs in the holder of a code."""
    return f"{url}/sign-in?code={code}"


def _answers(listening: ListenAddress, url: str) -> bool:
    connection = HTTPConnection(url.rpartition("//")[2] if not listening.unix else "localhost")
    connection.timeout = 2
    try:
        if listening.unix:
            connection.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
            connection.sock.connect(str(listening.unix))
        connection.request("GET", "/readyz")
        return connection.getresponse().status == 200
    except OSError:
        return False
    finally:
        connection.close()
