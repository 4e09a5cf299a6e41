"""Methods for memory tools: definitions, calls, and reliability."""

from __future__ import annotations

import builtins
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from memoranda.exceptions import UserError
from memoranda.operation_declaration import read, write
from memoranda.page import checked_limit
from memoranda.resource import Resource
from memoranda.tasks.reference import TaskReference

if TYPE_CHECKING:
    from memoranda.tools.memory_tools import Dialect
    from memoranda.tools.reliability import ToolRecord


class ToolsResource(Resource):
    """``memory.tools``: memory tools for the function-calling interfaces of models."""

    @read("tools.list", alias=("tool.list",))
    def list(self, dialect: Dialect = "anthropic") -> builtins.list[dict[str, Any]]:
        """List the memory tool definitions for a request to a model.

        Raises:
            InvalidInput: the dialect is neither ``anthropic`` nor ``openai``.
        """
        from memoranda.tools.memory_tools import tool_definitions

        return tool_definitions(dialect)

    @write("tools.call", alias=("tool.call",))
    def call(
        self, name: str, arguments: Mapping[str, object], *, task: TaskReference | None = None
    ) -> str:
        """Execute a tool call of a model.

        Return the text with which to answer the call. Errors that the model can correct (a missing
        text, a limit, a label) are returned as a text that begins with ``Error:`` and states what
        to do; a failure of the server is raised.
        """
        from memoranda.tools.memory_tool_calls import MemoryToolCalls

        try:
            if task is not None:
                self._task(task)
            return MemoryToolCalls(self.memory, task).run(name, arguments)
        except UserError as error:
            return f"Error: {error}"

    @read("tools.reliability", alias=("tool.reliability",))
    def reliability(self, *, workspace: str | None = None, limit: int = 50) -> Sequence[ToolRecord]:
        """List how often tools fail, with the highest failure rates first.

        The newest 10,000 steps are examined.
        """
        checked_limit(limit)
        return self._services.tool_reliability.of(self._within(workspace, None))[:limit]
