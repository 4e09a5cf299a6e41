"""The memory object: six methods, and a resource for each kind of object."""

from __future__ import annotations

import atexit
import logging
import os
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from weakref import WeakKeyDictionary

from memoranda.agents.acting_agent import identity
from memoranda.assembly.services import Services
from memoranda.clock import MICROSECONDS
from memoranda.config import Settings, is_address, load_settings
from memoranda.exceptions import InvalidInput, StorageError
from memoranda.identity.principal import Principal
from memoranda.resource import ALL as ALL, require_name
from memoranda.root_verbs import RootVerbs
from memoranda.scope import PERSON, Scope
from memoranda.tasks.model import Workspace
from memoranda.workspaces import table as workspaces
from memoranda.workspaces.host_paths import here, is_home
from memoranda.workspaces.recognition import find_workspace, identify

SEEN_ANEW = 3_600 * MICROSECONDS
"""Minimum microseconds between two recorded activities of an agent."""


logger = logging.getLogger(__name__)

_open: WeakKeyDictionary[Services, int] = WeakKeyDictionary()
"""Services that may still be open, with the process that opened each."""


class Memoranda(RootVerbs):
    """An open store of memories. Thread-safe, and a context manager.

    The object cannot be used after a fork: open a new one in the child process.

    Methods take ``workspace`` as a name, an id, or None for the workspace passed to `open`. If
    neither specifies a workspace, a read covers the whole team.
    """

    is_remote = False
    """Whether the memory is on a server."""

    @classmethod
    def open(
        cls,
        data_dir: str | Path | None = None,
        *,
        workspace: str | None = None,
        agent: str | None = None,
        settings: Settings | None = None,
        token: str | None = None,
        timeout_seconds: float | None = None,
    ) -> Memoranda:
        """Open the store in a data directory or a store on a server.

        A data directory is created if it does not exist.

        Args:
            data_dir: a directory, or an address such as ``http://127.0.0.1:7077``.
            agent: the acting agent; None for the agent that the settings name, or a person if they
                name none; ``auto`` for the agent that the settings name, or an agent of this
                installation if they name none.
            token: token by which a server identifies the caller; None for the token in the settings
                or, on this machine, the owner's token.
            timeout_seconds: maximum wait for a server's response.

        Raises:
            StorageUnusable: the directory or its database cannot be used.
            SchemaTooNew: a newer version of Memoranda wrote the database; nothing was changed.
            InvalidInput: there is no token for the server, the workspace or the agent is an empty
                text, the agent's id is reserved, or the data directory is not a path.
        """
        folder = os.fspath(data_dir) if isinstance(data_dir, os.PathLike) else data_dir
        for name, value in (("data_dir", folder), ("workspace", workspace), ("agent", agent)):
            if not isinstance(value, str | None):
                raise InvalidInput(f"{name} must be a string, not {type(value).__name__}")
        require_name(workspace)
        if is_address(data_dir):
            from memoranda.api.client.remote import ClientOptions, connect

            asking = ClientOptions(token, workspace, agent, timeout_seconds)
            return connect(cls, str(data_dir), settings or load_settings(), asking)
        return cls._opened(settings or load_settings({"data_dir": data_dir}), workspace, agent)

    @classmethod
    def _opened(cls, settings: Settings, workspace: str | None, agent: str | None) -> Memoranda:
        services = Services(settings)
        agent = identity(settings, agent, services.ids)
        _open[services] = os.getpid()
        memory = cls(services, Scope(settings.team, agent=agent))
        if agent:
            memory._note_agent(agent)
        if workspace:
            memory._scope = Scope(settings.team, memory._named_or_new(workspace).id, agent)
        return memory

    @classmethod
    def seen_by(cls, services: Services, principal: Principal) -> Memoranda:
        """Return the memory as a principal of its team sees it.

        The returned memory shares the services, and does not close them.

        Raises:
            NotFound: the principal's workspace does not exist.
            InvalidInput: the principal's name looks like a secret.
        """
        memory = cls(services, principal.scope)
        if principal.subject != PERSON:
            services.sanitiser.checked_name("a person's name", principal.subject)
        if principal.agent:
            memory._note_agent(principal.agent)
        if principal.workspace:
            place = memory._named_or_new(principal.workspace).id
            memory._scope = memory._scope.within(workspace=place)
        return memory

    def close(self) -> None:
        """Close the store. Idempotent.

        A store that a program leaves open is closed when the interpreter exits.
        """
        self._services.close()
        _open.pop(self._services, None)

    def __enter__(self) -> Memoranda:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def metrics(self) -> str:
        """Return the metrics of this process in Prometheus's text format.

        Raises:
            NotFound: the setting ``telemetry`` does not name Prometheus.
        """
        from memoranda.telemetry.exporters import metrics

        return metrics(self.settings)

    @property
    def settings(self) -> Settings:
        """The current settings."""
        return self._services.settings

    def workspace_of(self, folder: str, *, new: bool = False) -> Workspace | None:
        """Return a folder's workspace; None if nothing was captured there.

        With ``new``, a workspace is always returned, except for a home folder or the root, which
        are not projects; the first write to a new workspace creates it.
        """
        team, services = self._scope.team, self._services
        workspace_identity = identify(here(folder))
        # Stored names contain no secrets. Few names look like secrets, and loading the redactor is
        # slow.
        workspace = self._database.read(lambda tx: find_workspace(tx, team, workspace_identity))
        if workspace or not (new or self._database.read(lambda tx: workspaces.ids(tx, team))):
            return workspace
        identity = workspace_identity.renamed(services.sanitiser.name)
        if identity != workspace_identity:
            workspace = self._database.read(lambda tx: find_workspace(tx, team, identity))
        if workspace or not new or is_home(folder):
            return workspace
        planned = Workspace(
            team, services.ids.new(), identity.name, identity.root, services.clock.now()
        )
        services.new_workspaces[planned.id] = identity
        return planned

    def resolve(self, id: str) -> str:
        """Return the full id of an observation, memory or error from a prefix.

        Raises:
            NotFound: no record has this prefix.
            InvalidInput: several records have it.
        """
        return self._record_id(id)

    def _note_agent(self, id: str) -> None:
        """Record that an agent was active, at most once an hour.

        If the store cannot be written, the memory is opened nevertheless.

        Raises:
            InvalidInput: the agent is new, and the agent's id looks like a secret.
        """
        from memoranda.agents import table as agents

        team, now = self._scope.team, self._services.clock.now()
        stored = self._database.read(lambda tx: agents.by_id(tx, team, id))
        if stored is None:
            self._services.sanitiser.checked_name("the id of an agent", id)
        if stored is None or now - stored.last_seen_at > SEEN_ANEW:
            with suppress(StorageError):
                self._database.write(lambda tx: agents.record_seen(tx, team, id, now))


@atexit.register
def _close_all() -> None:
    """Close what a program left open at exit.

    Otherwise, a background thread that is executing C++ code of a library would abort the process.
    """
    for services, process in list(_open.items()):
        if process == os.getpid():  # a store does not survive a fork
            try:
                services.close()
            except Exception as error:  # the program itself has ended successfully
                logger.warning("a store was not closed", extra={"error": type(error).__name__})
