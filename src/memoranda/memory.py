"""The memory object: every use case is one of its methods."""

from __future__ import annotations

from pathlib import Path
from types import TracebackType

from memoranda.agents.acting_agent import identity
from memoranda.api.client.address import is_address
from memoranda.archive.resource import ArchiveResource
from memoranda.assembly.services import Services
from memoranda.banks.resource import BanksResource
from memoranda.capture.privacy_resource import PrivacyResource
from memoranda.checkpoints.resource import CheckpointsResource
from memoranda.compression.resource import CompressionResource
from memoranda.config import Settings, load_settings
from memoranda.conversations.resource import ConversationsResource
from memoranda.costs.resource import CostsResource
from memoranda.feedback.resource import FeedbackResource
from memoranda.identity.principal import Principal
from memoranda.identity.resource import IdentityResource
from memoranda.memories.batch_resource import MemoryBatchResource
from memoranda.memories.relation_resource import MemoryRelationsResource
from memoranda.mirror.resource import MirrorResource
from memoranda.profile.resource import ProfileResource
from memoranda.quarantine.resource import QuarantineResource
from memoranda.resource import ALL as ALL
from memoranda.scope import PERSON, Scope
from memoranda.supervision.resource import SupervisionResource
from memoranda.tasks.end_resource import TaskEndResource
from memoranda.telemetry.exporters import metrics
from memoranda.tools.resource import ToolsResource
from memoranda.upkeep.resource import UpkeepResource
from memoranda.working.resource import WorkingMemoryResource
from memoranda.workspaces.resource import WorkspacesResource


class Memoranda(
    ConversationsResource,
    ToolsResource,
    CheckpointsResource,
    CompressionResource,
    MemoryBatchResource,
    BanksResource,
    ProfileResource,
    QuarantineResource,
    TaskEndResource,
    FeedbackResource,
    MemoryRelationsResource,
    SupervisionResource,
    MirrorResource,
    CostsResource,
    PrivacyResource,
    WorkingMemoryResource,
    ArchiveResource,
    IdentityResource,
    WorkspacesResource,
    UpkeepResource,
):
    """An open memory; thread-safe, and a context manager.

    Open it again after a fork.

    Methods take ``workspace`` as a name, an id, or None for the one passed to `open`; reading with
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
        token: str | None = None,
        timeout_seconds: float | None = None,
    ) -> Memoranda:
        """Open the store of a data directory or one on a server.

        A data directory is created if it does not exist.

        Args:
            data_dir: a directory, or an address such as ``http://127.0.0.1:7077``.
            agent: the acting agent; None for the one that the settings name, else a person;
                ``auto`` for the one that the settings name, else an agent of this installation.
            token: for a server, which identifies the caller by it; None for that of the settings
                or, on this machine, the one of its owner.
            timeout_seconds: maximum wait for a server's response.

        Raises:
            StorageUnusable: the directory or its database cannot be used.
            SchemaTooNew: a newer Memoranda wrote it; nothing was touched.
            InvalidInput: there is no token for the server.
        """
        if is_address(data_dir):
            from memoranda.api.client.remote import ClientOptions, connect

            asking = ClientOptions(token, workspace, agent, timeout_seconds)
            return connect(cls, str(data_dir), settings or load_settings(), asking)
        return cls._opened(settings or load_settings({"data_dir": data_dir}), workspace, agent)

    @classmethod
    def _opened(cls, settings: Settings, workspace: str | None, agent: str | None) -> Memoranda:
        rooms = Services(settings)
        agent = identity(settings, agent, rooms.ids)
        memory = cls(rooms, Scope(settings.team, agent=agent))
        if agent:
            memory._note_agent(agent)
        if workspace:
            memory._scope = Scope(settings.team, memory._named_or_new(workspace).id, agent)
        return memory

    @classmethod
    def seen_by(cls, rooms: Services, principal: Principal) -> Memoranda:
        """Return an open memory as a principal of its team sees it.

        The opener of the rooms closes them.

        Raises:
            NotFound: the workspace name of the principal does not exist.
            InvalidInput: the name of the principal looks like a secret.
        """
        memory = cls(rooms, principal.scope)
        if principal.subject != PERSON:
            rooms.sanitiser.checked_name("the name of a person", principal.subject)
        if principal.agent:
            memory._note_agent(principal.agent)
        if principal.workspace:
            place = memory._named_or_new(principal.workspace).id
            memory._scope = memory._scope.within(workspace=place)
        return memory

    def close(self) -> None:
        """Close the store. Idempotent."""
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
        """Return the metrics of this process in Prometheus's text format.

        Raises:
            NotFound: the setting ``telemetry`` does not name Prometheus.
        """
        return metrics(self.settings)

    @property
    def settings(self) -> Settings:
        """The settings in force."""
        return self._rooms.settings
