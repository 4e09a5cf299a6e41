"""Background thread of a server that imports events left by hooks.

The thread serves every known team, in only one of all processes that serve a data directory.
"""

from __future__ import annotations

import logging
import os
import threading
from collections.abc import Iterator
from pathlib import Path

from memoranda.api.service import TEAMS, Service
from memoranda.exceptions import InvalidInput, MemorandaError
from memoranda.identity.principal import checked_team

LOCK = "server.lock"
SECONDS = 1.0
"""Seconds between checks for waiting events."""

logger = logging.getLogger(__name__)


class Upkeep:
    """Thread that keeps the teams of a data directory up to date.

    Of all processes that serve one directory, only one imports events; when it dies, another takes
    over.
    """

    def __init__(self, service: Service, seconds: float = SECONDS) -> None:
        self._service = service
        self._seconds = seconds
        self._lock: int | None = None
        self._visited: set[str] = set()
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._loop, name="memoranda-upkeep", daemon=True)

    def start(self) -> None:
        """Start the thread."""
        self._thread.start()

    def stop(self, seconds: float) -> bool:
        """Stop the thread, wait up to ``seconds``, and return whether it ended."""
        self._stopping.set()
        self._thread.join(seconds)
        ended = not self._thread.is_alive()
        if ended and self._lock is not None:
            os.close(self._lock)
            self._lock = None
        return ended

    @property
    def in_charge(self) -> bool:
        """Whether this process is the one that imports events."""
        return self._lock is not None

    def _loop(self) -> None:
        while not self._stopping.wait(self._seconds):
            if not self.in_charge:
                self._lock = _locked(self._service.settings.data_dir / LOCK)
            if self.in_charge:
                self._round()

    def _round(self) -> None:
        for team in known_teams(self._service):
            if self._stopping.is_set():
                return
            if team in self._visited and not _waiting(spool_of(self._service, team)):
                continue
            try:
                self._service.import_spool(team)
            except MemorandaError as error:
                logger.warning("a team is not up to date", extra={"code": error.code})
            else:
                self._visited.add(team)


def spool_of(service: Service, team: str) -> Path:
    """Return the spool folder where hooks write the events of a team."""
    settings = service.settings
    if team == settings.team:
        return settings.spool_dir
    return settings.data_dir / TEAMS / team / settings.spool_dir.name


def known_teams(service: Service) -> tuple[str, ...]:
    """Return all teams in the data directory, the configured one first."""
    return tuple(dict.fromkeys([*service.teams(), *_folders(service.settings.data_dir / TEAMS)]))


def _folders(place: Path) -> Iterator[str]:
    for path in sorted(place.glob("*/")):
        try:
            yield checked_team(path.name)
        except InvalidInput:
            continue  # the folder does not belong to this program


def _waiting(spool: Path) -> bool:
    """Return whether the spool has events, including interrupted imports."""
    return any(path for pattern in ("*.jsonl", "*.draining") for path in spool.glob(pattern))


def _locked(path: Path) -> int | None:
    """Return a file descriptor that locks a file while it is open.

    None if another process has the lock.
    """
    import fcntl

    try:
        file = os.open(path, os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600)
    except OSError:
        return None
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(file)
        return None
    return file
