"""Tools for models: defined, called, and how reliable tools are."""

from __future__ import annotations

import builtins
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from memoranda.exceptions import InvalidInput, UserError
from memoranda.page import checked_limit
from memoranda.resource import Resource
from memoranda.tasks.reference import TaskReference
from memoranda.time_zones import parse_local_time
from memoranda.use_case import (
    read,
    write,
)

if TYPE_CHECKING:
    from memoranda.blocks.model import Block
    from memoranda.tools.memory_tools import Dialect
    from memoranda.tools.model import ToolRecord

RESULTS = 5
"""Default number of memories that a search returns."""


class ToolsResource(Resource):
    """``memory.tools``: memory tools for the function-calling interfaces of models."""

    @read("tools.list", alias=("tool.list",))
    def list(self, dialect: Dialect = "anthropic") -> builtins.list[dict[str, Any]]:
        """Return the definitions of the memory tools for a request to a model.

        Raises:
            InvalidInput: the dialect is neither ``anthropic`` nor ``openai``.
        """
        from memoranda.tools.memory_tools import tool_definitions

        return tool_definitions(dialect)

    @write("tools.call", alias=("tool.call",))
    def call(
        self, name: str, arguments: Mapping[str, object], *, task: TaskReference | None = None
    ) -> str:
        """Run a tool call of a model; return the text to answer it with.

        Errors that the model can correct itself (a text that is not there, a limit, a label) are
        returned as a text that begins with ``Error:`` and says what to do; a fault of the machine
        is raised.
        """
        from memoranda.tools.memory_tools import arguments as checked

        carried_out: dict[str, Callable[[dict[str, Any], str | None], str]] = {
            "memory_insert": self._insert,
            "memory_replace": self._replace,
            "memory_rethink": self._rethink,
            "memory_apply_patch": self._patch,
            "core_memory_append": self._insert,
            "core_memory_replace": self._replace,
            "archival_memory_insert": self._keep,
            "archival_memory_search": self._look_up,
        }
        try:
            if task is not None:
                self._task(task)
            checked_arguments = checked(name, arguments)
            return carried_out[name](checked_arguments, task)
        except UserError as error:
            return f"Error: {error}"

    @read("tools.reliability", alias=("tool.reliability",))
    def reliability(self, *, workspace: str | None = None, limit: int = 50) -> Sequence[ToolRecord]:
        """Return how often tools failed, the worst first.

        Over the newest 10,000 steps.
        """
        checked_limit(limit)
        return self._services.tool_reliability.of(self._within(workspace, None))[:limit]

    def _insert(self, arguments: dict[str, Any], task: TaskReference | None) -> str:
        label, text = arguments.pop("label"), arguments.pop("new_string")
        return _block_text(self.memory.blocks.insert(label, text, task=task, **arguments))

    def _replace(self, arguments: dict[str, Any], task: TaskReference | None) -> str:
        label = arguments.pop("label")
        return _block_text(self.memory.blocks.replace(label, task=task, **arguments))

    def _rethink(self, arguments: dict[str, Any], task: TaskReference | None) -> str:
        reason = arguments.get("reason") or arguments.get("reasoning", "")
        return _block_text(
            self.memory.blocks.rethink(
                arguments["label"], arguments["new_memory"], task=task, reason=reason
            )
        )

    def _patch(self, arguments: dict[str, Any], task: TaskReference | None) -> str:
        reason = arguments.get("reason", "")
        if "label" in arguments:
            changed = self.memory.blocks.patch(
                arguments["label"], arguments["patch"], task=task, reason=reason
            )
            return _block_text(changed)
        return "\n".join(
            map(_block_text, self.memory.blocks.apply(arguments["patch"], task=task, reason=reason))
        )

    def _keep(self, arguments: dict[str, Any], task: TaskReference | None) -> str:
        from memoranda.memories.memory_service import NewMemory

        stored = self.memory.remember(
            NewMemory(arguments["content"], tags=tuple(arguments.get("tags", ())))
        )
        waits = "" if stored.status == "approved" else "; it waits for a person's approval"
        return f"kept as {stored.id[:18]}{waits}"

    def _look_up(self, arguments: dict[str, Any], task: TaskReference | None) -> str:
        from memoranda.memories.model import MemoryStatus
        from memoranda.search.filters import SearchFilter
        from memoranda.search.model import HitKind

        where = SearchFilter(
            kinds=(HitKind.MEMORY,),
            tags=tuple(arguments.get("tags", ())),
            any_tag=arguments["tag_match_mode"] == "any",
            since=_time(arguments.get("start_datetime")),
            until=_time(arguments.get("end_datetime")),
            statuses=(MemoryStatus.APPROVED, MemoryStatus.PENDING),
        )
        hits = self.memory.search(
            arguments["query"], where=where, limit=arguments.get("top_k", RESULTS)
        ).hits
        found = [self.memory.memories.evidence(hit.id).memory for hit in hits]
        lines = [f"[{one.id[:18]}, {one.origin}, {one.status}] {one.content}" for one in found]
        return "\n".join(lines) or "nothing found"


def _block_text(block: Block) -> str:
    """Return the description of a changed block for an agent.

    It is enough for the agent not to have to look.
    """
    if block.deleted_at is not None:
        return f"{block.label} is deleted"
    return f"{block.label}: version {block.version}, {block.size:,} of {block.limit:,} characters"


def _time(text: str | None) -> int | None:
    if text is None:
        return None
    moment = parse_local_time(text)
    if moment is None:
        raise InvalidInput(f"{text!r} is not an ISO 8601 date or time")
    return moment
