"""The store and all of its teams, as a service for remote callers.

The caller is identified before the request is processed; permissions and visibility follow from the
caller alone, and are the same in every interface.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import nullcontext
from dataclasses import replace
from itertools import islice
from typing import Any

from memoranda.assembly.services import Services
from memoranda.clock import Clock
from memoranda.config import Settings
from memoranda.exceptions import Forbidden, InvalidInput, StorageBusy, UserError
from memoranda.identity.principal import Principal
from memoranda.ids import traced
from memoranda.instrumentation import UNHEARD
from memoranda.json_data import JsonValue, as_json
from memoranda.memory import Memoranda
from memoranda.operations import call, operation
from memoranda.page import MAX_LIMIT
from memoranda.ports import Calls
from memoranda.upkeep.slow_operations import SlowOperations

TEAMS = "teams"
"""Folder in the data directory for the files of other teams.

The folder contains the data of those teams that is outside the store.
"""
SEARCHES = 2
"""Maximum concurrent searches.

More concurrent searches would only compete for the interpreter lock with each other and with short
calls: with 24, five in a hundred reads of one memory took 0.3 s (1 ms alone) under the load of
`benchmarks/load.py`; with 2, fewer of the searches themselves are late.
"""

ASKING = 16
"""Maximum number of concurrent searches that call an embedding or reranking provider.

Such searches mostly wait for the provider.
"""


class Service:
    """An open store for many callers. Thread-safe; close it when done."""

    def __init__(
        self, settings: Settings, clock: Clock | None = None, calls: Calls = UNHEARD
    ) -> None:
        """Open the configured store; ``calls`` is notified of calls.

        Raises:
            StorageUnusable: the store cannot be used.
        """
        self.settings = settings
        self.calls = calls
        self._clock = clock
        self._home = Services(settings, clock)
        allowed = settings.slow_operation_milliseconds
        self._slowness = SlowOperations(calls, self._home.clock, allowed)
        self._teams = {settings.team: self._home}
        self._opening = threading.Lock()
        self._searching = threading.BoundedSemaphore(searches(settings))

    @property
    def home(self) -> Services:
        """Services of the team in the settings."""
        return self._home

    def call(
        self, principal: Principal, name: str, arguments: Mapping[str, JsonValue]
    ) -> JsonValue:
        """Run an operation for a caller; return its result as JSON.

        Raises:
            NotFound: there is no such operation, or nothing with that name in the caller's scope.
            Forbidden: the caller's role may not call it, or it uses files of this machine.
            InvalidInput: the arguments do not match its signature.
        """
        chosen = operation(name, principal.role)
        if chosen.local:
            raise Forbidden(f"{name} uses files of the server's machine; run it there")
        with traced(), self._searching if chosen.searches else nullcontext():
            return self._carried_out(principal, chosen.name, arguments)

    def memory(self, principal: Principal) -> Memoranda:
        """Return the memory as a caller sees it.

        The memory is closed with the service, not by itself.
        """
        return Memoranda.seen_by(self._services(principal.team), principal)

    def teams(self) -> tuple[str, ...]:
        """Return the teams whose services have been opened so far."""
        return tuple(self._teams)

    def import_spool(self, team: str) -> None:
        """Store a team's events from hooks, and start its background jobs.

        Raises:
            StorageError: the events could not be written to the store; they remain in the spool.
        """
        services = self._services(team)
        services.drain.run()
        services.background.wake()

    def close(self) -> None:
        """Run the light jobs that are due, then close the store. Idempotent."""
        self._slowness.close()
        with self._opening:
            for services in reversed(self._teams.values()):
                services.close()

    def _carried_out(
        self, principal: Principal, name: str, arguments: Mapping[str, JsonValue]
    ) -> JsonValue:
        began, locked = time.perf_counter(), False
        try:
            return wire(call(self.memory(principal), name, arguments, principal.role))
        except StorageBusy:
            locked = True  # a note in the journal would make other writes wait for the same lock
            raise
        except UserError as error:
            # a message may quote an argument, and recipients log responses
            error.args = (self._home.sanitiser.clean(str(error)),)
            raise
        finally:
            seconds = time.perf_counter() - began
            database = None if locked else self._home.database
            self._slowness.look(database, principal.team, name, seconds)

    def _services(self, team: str) -> Services:
        with self._opening:
            if team not in self._teams:
                folder = self.settings.data_dir / TEAMS / team
                settings = replace(self.settings, team=team, data_dir=folder)
                self._teams[team] = Services(settings, self._clock, sharing=self._home)
            return self._teams[team]


def searches(settings: Settings) -> int:
    """Return how many searches may run at a time."""
    alone = settings.embedder in ("local", "multilingual", "none") and settings.reranker == "none"
    return SEARCHES if alone else ASKING


def wire(result: Any) -> JsonValue:
    """Convert a result to JSON.

    Raises:
        InvalidInput: the result is a stream with more items than a list may have.
    """
    if isinstance(result, Iterator):
        result = list(islice(result, MAX_LIMIT + 1))
        if len(result) > MAX_LIMIT:
            raise InvalidInput(f"more than {MAX_LIMIT} results; run it on the machine itself")
    return as_json(result)
