"""The facade: the one object that a program holds. Every use case is a method of it."""

from __future__ import annotations

from pathlib import Path
from types import TracebackType

from memoranda.config import Settings, load_settings
from memoranda.exporters import metrics
from memoranda.facade.checkpointing import Checkpointing
from memoranda.facade.conversing import Conversing
from memoranda.facade.distilling import Distilling
from memoranda.facade.exchanging import Exchanging
from memoranda.facade.keeping import Keeping
from memoranda.facade.noting import Noting
from memoranda.facade.reviewing import Reviewing
from memoranda.facade.scoped import ALL as ALL
from memoranda.facade.spending import Spending
from memoranda.facade.tooling import Tooling
from memoranda.hold.identity import identity
from memoranda.values.scope import Scope
from memoranda.wiring import Rooms


class Memoranda(
    Conversing,
    Tooling,
    Checkpointing,
    Distilling,
    Reviewing,
    Spending,
    Noting,
    Exchanging,
    Keeping,
):
    """An open memory. Thread-safe; a context manager; open it again after a fork.

    Methods take ``workspace`` as a name, an id, or None for the one given to `open`; reading with
    none at all covers the team.
    """

    @classmethod
    def open(
        cls,
        data_dir: str | Path | None = None,
        *,
        workspace: str | None = None,
        agent: str | None = None,
        settings: Settings | None = None,
    ) -> Memoranda:
        """Open the store of a data directory, making it if need be.

        Args:
            agent: who acts; None for whom the settings name, else a person; ``auto`` for whom the
                settings name, else an agent of this installation's own.

        Raises:
            StorageUnusable: the directory or its database cannot be used.
            SchemaTooNew: a newer Memoranda wrote it; nothing was touched.
        """
        settings = settings or load_settings({"data_dir": data_dir})
        rooms = Rooms(settings)
        agent = identity(settings, agent, rooms.ids)
        memory = cls(rooms, Scope(settings.team, agent=agent))
        if agent:
            memory._note_agent(agent)
        if workspace:
            memory._scope = Scope(settings.team, memory._named_or_new(workspace).id, agent)
        return memory

    def close(self) -> None:
        """Let go of the store. Idempotent."""
        self._rooms.close()

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
        """Return the figures of this process in Prometheus's text format.

        Raises:
            NotFound: the setting ``telemetry`` names no Prometheus.
        """
        return metrics(self.settings)

    @property
    def settings(self) -> Settings:
        """The settings in force."""
        return self._rooms.settings
