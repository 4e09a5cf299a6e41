"""The resources of the memory object, and how they are loaded."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any, Generic, TypeVar, overload

if TYPE_CHECKING:
    from memoranda.agents.resource import AgentsResource
    from memoranda.archive.resource import ArchiveResource
    from memoranda.banks.resource import BanksResource
    from memoranda.blocks.resource import BlocksResource
    from memoranda.capture.resource import CaptureResource
    from memoranda.checkpoints.resource import CheckpointsResource
    from memoranda.compression.resource import CompressionResource
    from memoranda.conversations.resource import ConversationsResource
    from memoranda.costs.resource import CostsResource
    from memoranda.documents.resource import DocumentsResource
    from memoranda.errors.resource import ErrorsResource
    from memoranda.feedback.resource import FeedbackResource
    from memoranda.identity.resource import TokensResource
    from memoranda.journal.resource import JournalResource
    from memoranda.memories.resource import MemoriesResource
    from memoranda.mirror.resource import MirrorResource
    from memoranda.observations.resource import ObservationsResource
    from memoranda.profile.resource import ProfileResource
    from memoranda.proposals.resource import ProposalsResource
    from memoranda.proposals.rules_resource import RulesResource
    from memoranda.quarantine.resource import QuarantineResource
    from memoranda.search.resource import IndexResource
    from memoranda.stages.resource import StagesResource
    from memoranda.supervision.resource import SupervisorResource
    from memoranda.tasks.resource import TasksResource
    from memoranda.tools.resource import ToolsResource
    from memoranda.upkeep.resource import StoreResource
    from memoranda.working.resource import WorkingMemoryResource
    from memoranda.workspaces.resource import WorkspacesResource

R = TypeVar("R")


class Noun(Generic[R]):
    """One resource of the memory object, such as ``memory.blocks``.

    The module of the resource is loaded on first use, so that a hook that stores one event does not
    import the rest. A resource object is created at each access: caching it would form a reference
    cycle with the memory and keep the store open.
    """

    name = ""

    def __init__(self, module: str, resource: str) -> None:
        self._module = module
        self._resource = resource

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    @property
    def resource(self) -> type[R]:
        """The resource class, whose module is loaded on access."""
        result: type[R] = getattr(import_module(self._module), self._resource)
        return result

    @overload
    def __get__(self, memory: None, owner: type) -> type[R]: ...

    @overload
    def __get__(self, memory: object, owner: type) -> R: ...

    def __get__(self, memory: object | None, owner: type) -> R | type[R]:
        if memory is None:
            return self.resource
        made: Any = self.resource
        return made(memory)  # type: ignore[no-any-return]


class Nouns:
    """Resources of the memory object, by name."""

    capture: Noun[CaptureResource] = Noun("memoranda.capture.resource", "CaptureResource")
    observations: Noun[ObservationsResource] = Noun(
        "memoranda.observations.resource", "ObservationsResource"
    )
    tasks: Noun[TasksResource] = Noun("memoranda.tasks.resource", "TasksResource")
    stages: Noun[StagesResource] = Noun("memoranda.stages.resource", "StagesResource")
    memories: Noun[MemoriesResource] = Noun("memoranda.memories.resource", "MemoriesResource")
    proposals: Noun[ProposalsResource] = Noun("memoranda.proposals.resource", "ProposalsResource")
    rules: Noun[RulesResource] = Noun("memoranda.proposals.rules_resource", "RulesResource")
    profile: Noun[ProfileResource] = Noun("memoranda.profile.resource", "ProfileResource")
    feedback: Noun[FeedbackResource] = Noun("memoranda.feedback.resource", "FeedbackResource")
    errors: Noun[ErrorsResource] = Noun("memoranda.errors.resource", "ErrorsResource")
    supervisor: Noun[SupervisorResource] = Noun(
        "memoranda.supervision.resource", "SupervisorResource"
    )
    blocks: Noun[BlocksResource] = Noun("memoranda.blocks.resource", "BlocksResource")
    agents: Noun[AgentsResource] = Noun("memoranda.agents.resource", "AgentsResource")
    checkpoints: Noun[CheckpointsResource] = Noun(
        "memoranda.checkpoints.resource", "CheckpointsResource"
    )
    conversations: Noun[ConversationsResource] = Noun(
        "memoranda.conversations.resource", "ConversationsResource"
    )
    working: Noun[WorkingMemoryResource] = Noun(
        "memoranda.working.resource", "WorkingMemoryResource"
    )
    documents: Noun[DocumentsResource] = Noun("memoranda.documents.resource", "DocumentsResource")
    quarantine: Noun[QuarantineResource] = Noun(
        "memoranda.quarantine.resource", "QuarantineResource"
    )
    mirror: Noun[MirrorResource] = Noun("memoranda.mirror.resource", "MirrorResource")
    workspaces: Noun[WorkspacesResource] = Noun(
        "memoranda.workspaces.resource", "WorkspacesResource"
    )
    banks: Noun[BanksResource] = Noun("memoranda.banks.resource", "BanksResource")
    tools: Noun[ToolsResource] = Noun("memoranda.tools.resource", "ToolsResource")
    journal: Noun[JournalResource] = Noun("memoranda.journal.resource", "JournalResource")
    costs: Noun[CostsResource] = Noun("memoranda.costs.resource", "CostsResource")
    tokens: Noun[TokensResource] = Noun("memoranda.identity.resource", "TokensResource")
    index: Noun[IndexResource] = Noun("memoranda.search.resource", "IndexResource")
    compression: Noun[CompressionResource] = Noun(
        "memoranda.compression.resource", "CompressionResource"
    )
    archive: Noun[ArchiveResource] = Noun("memoranda.archive.resource", "ArchiveResource")
    store: Noun[StoreResource] = Noun("memoranda.upkeep.resource", "StoreResource")


NOUNS = {name: noun for name, noun in vars(Nouns).items() if isinstance(noun, Noun)}
"""All resources by name."""
