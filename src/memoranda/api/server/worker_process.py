"""A worker process of the server: its store, application and shutdown."""

from __future__ import annotations

import asyncio
import ctypes
import logging
import os
import signal
import sys
import threading
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, replace

from starlette.applications import Starlette

from memoranda.api.server.app import Interfaces, create_app
from memoranda.api.server.limits import ServerOptions
from memoranda.api.server.log_lines import LogSettings, start_log
from memoranda.api.server.metrics import request_observer, server_settings
from memoranda.api.server.processes import FAILED
from memoranda.api.server.spool_thread import Upkeep
from memoranda.api.service import Service
from memoranda.config import load_settings
from memoranda.exceptions import MemorandaError
from memoranda.identity import table as credentials
from memoranda.ports import Authenticator
from memoranda.store.database import Transaction


def known_callers(service: Service) -> tuple[Authenticator, bool]:
    """Return the authenticator, and whether callers besides the owner exist.

    The owner is the person at this machine.

    Raises:
        StorageUnusable: a file of secrets is readable by others, or cannot be used.
        InvalidInput: the settings of an external issuer are incomplete.
    """
    home = service.home
    team, now = service.settings.team, home.clock.now()

    def work(tx: Transaction) -> bool:
        return credentials.holding(tx, team, now) > 0

    others = bool(service.settings.issuer_keys_file) or home.database.read(work)
    return home.authenticator, others


ARENAS = 2
"""Number of malloc arenas that threads share.

With glibc's default of eight arenas for each processor, each of a server's threads keeps the memory
of its largest request: 460 MB instead of 330 MB at 100,000 memories, and a quarter of a megabyte
more with every second of load. The duration of requests is the same.
"""
M_ARENA_MAX = -8
"""Parameter number for mallopt(3)."""


def share_arenas() -> None:
    """Limit the memory pools of this process's threads (glibc only).

    Must be called before any thread is started.
    """
    if sys.platform.startswith("linux"):
        with suppress(OSError, AttributeError):  # another C library
            ctypes.CDLL(None).mallopt(M_ARENA_MAX, ARENAS)


GRACE_SECONDS = 6
"""How long requests in progress may take to complete."""
CLOSING_SECONDS = 3.0
"""How long derived work in progress may take to complete.

Interrupted work is repeated at the next start.
"""
END_SECONDS = GRACE_SECONDS + CLOSING_SECONDS + 0.5
"""Time after which a process that was requested to end is killed."""

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class WorkerApplication:
    """Picklable factory of a process's application, called in that process."""

    data_dir: str
    options: ServerOptions
    doors: Callable[[Service], Interfaces]
    log: LogSettings
    parent: int | None = None
    """Process id of the supervisor; if it exits, this process ends too."""

    def __call__(self) -> Starlette:
        """Open the store and return its application."""
        share_arenas()
        start_log(self.log)
        if self.parent is None:
            return self._served()
        try:
            return self._served()
        except MemorandaError as error:
            logger.error("cannot serve", extra={"code": error.code})
            sys.exit(FAILED)

    def _served(self) -> Starlette:
        settings = server_settings(load_settings({"data_dir": self.data_dir}))
        watching = request_observer(settings)
        service = Service(settings, calls=watching)
        opened = self.doors(service)
        running = (*opened.running, lambda: _living(service, self.parent))
        authenticator, _ = known_callers(service)
        opened = replace(opened, running=running)
        return create_app(service, authenticator, self.options, opened, watching)


@asynccontextmanager
async def _living(service: Service, parent: int | None) -> AsyncIterator[None]:
    upkeep = Upkeep(service)
    upkeep.start()
    watch = asyncio.create_task(_end_with(parent)) if parent else None
    try:
        yield
    finally:
        if watch:
            watch.cancel()
        await _close(service, upkeep)


async def _close(service: Service, upkeep: Upkeep) -> None:
    """Close the service; end the process if that takes too long.

    Ending the process is safe: interrupted work is repeated at the next start.
    """

    def work() -> None:
        upkeep.stop(CLOSING_SECONDS)
        service.close()

    closing = threading.Thread(target=work, name="memoranda-closing", daemon=True)
    closing.start()
    loop = asyncio.get_running_loop()
    give_up = loop.time() + CLOSING_SECONDS
    while closing.is_alive() and loop.time() < give_up:
        await asyncio.sleep(0.01)
    if closing.is_alive():
        logger.warning("derived work is in progress; it is repeated at the next start")
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(0)


async def _end_with(parent: int) -> None:
    """End this process when its supervisor was killed."""
    while os.getppid() == parent:
        await asyncio.sleep(0.2)
    signal.raise_signal(signal.SIGTERM)
