"""Memory tool calls by a model, which are executed as calls of the memory.

The tools and their arguments are declared in `memory_tools`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from memoranda.exceptions import InvalidInput
from memoranda.local_time import parse_local_time
from memoranda.tasks.reference import TaskReference
from memoranda.tools.memory_tools import arguments as checked

if TYPE_CHECKING:
    from memoranda.blocks.model import Block
    from memoranda.memory import Memoranda

RESULTS = 5
"""Default number of memories that a search returns."""


class MemoryToolCalls:
    """Runs tool calls for one task, or without a task."""

    def __init__(self, memory: Memoranda, task: TaskReference | None) -> None:
        self._memory = memory
        self._task = task

    def run(self, name: str, arguments: Mapping[str, object]) -> str:
        """Run a tool call; return the result text for the model.

        Raises:
            NotFound: there is no such tool.
            InvalidInput: the arguments do not match the tool's parameters, or the called operation
                refuses them.
        """
        carried_out: Mapping[str, Callable[[dict[str, Any]], str]] = {
            "memory_insert": self._insert,
            "memory_replace": self._replace,
            "memory_rethink": self._rethink,
            "memory_apply_patch": self._patch,
            "core_memory_append": self._insert,
            "core_memory_replace": self._replace,
            "archival_memory_insert": self._store,
            "archival_memory_search": self._look_up,
        }
        checked_arguments = checked(name, arguments)
        return carried_out[name](checked_arguments)

    def _insert(self, arguments: dict[str, Any]) -> str:
        changed = self._memory.blocks.insert(
            arguments["label"],
            arguments["new_string"],
            line=arguments.get("insert_line", -1),
            after=arguments.get("insert_after"),
            task=self._task,
            reason=arguments.get("reason", ""),
        )
        return _block_text(changed)

    def _replace(self, arguments: dict[str, Any]) -> str:
        changed = self._memory.blocks.replace(
            arguments["label"],
            arguments["old_string"],
            arguments["new_string"],
            replace_all=arguments.get("replace_all", False),
            task=self._task,
            reason=arguments.get("reason", ""),
        )
        return _block_text(changed)

    def _rethink(self, arguments: dict[str, Any]) -> str:
        reason = arguments.get("reason") or arguments.get("reasoning", "")
        return _block_text(
            self._memory.blocks.rethink(
                arguments["label"], arguments["new_memory"], task=self._task, reason=reason
            )
        )

    def _patch(self, arguments: dict[str, Any]) -> str:
        reason = arguments.get("reason", "")
        if "label" in arguments:
            changed = self._memory.blocks.patch(
                arguments["label"], arguments["patch"], task=self._task, reason=reason
            )
            return _block_text(changed)
        return "\n".join(
            map(
                _block_text,
                self._memory.blocks.apply(arguments["patch"], task=self._task, reason=reason),
            )
        )

    def _store(self, arguments: dict[str, Any]) -> str:
        from memoranda.memories.memory_service import NewMemory

        stored = self._memory.remember(
            NewMemory(arguments["content"], tags=tuple(arguments.get("tags", ())))
        )
        pending = "" if stored.status == "approved" else "; it is pending approval"
        return f"stored as {stored.id[:18]}{pending}"

    def _look_up(self, arguments: dict[str, Any]) -> str:
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
        hits = self._memory.search(
            arguments["query"], where=where, limit=arguments.get("top_k", RESULTS)
        ).hits
        memories = (self._memory.memories.evidence(hit.id).memory for hit in hits)
        lines = [f"[{m.id[:18]}, {m.origin}, {m.status}] {m.content}" for m in memories if m]
        return "\n".join(lines) or "nothing found"


def _block_text(block: Block) -> str:
    """Return the state of a changed block as text for an agent.

    This saves the agent from viewing the block.
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
