"""The memory tool of the Anthropic SDK (type ``memory_20250818``).

    client.beta.messages.run_tools(..., tools=[MemoryTool(memory, workspace="notes")]).until_done()

`MemoryTool` and `AsyncMemoryTool` behave the same. Results and errors have the same text as those
of the SDK's own tool for folders.
"""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from functools import partial, wraps
from typing import Any, Concatenate, ParamSpec, Unpack

from memoranda.integrations.version_check import supported

with supported("anthropic", "2.12", "3", "memoranda[anthropic]"):
    from anthropic.lib.tools import BetaAbstractMemoryTool, BetaAsyncAbstractMemoryTool, ToolError
    from anthropic.types.beta import (
        BetaCacheControlEphemeralParam,
        BetaMemoryTool20250818CreateCommand,
        BetaMemoryTool20250818DeleteCommand,
        BetaMemoryTool20250818InsertCommand,
        BetaMemoryTool20250818RenameCommand,
        BetaMemoryTool20250818StrReplaceCommand,
        BetaMemoryTool20250818ViewCommand,
    )
    from anyio.to_thread import run_sync

from memoranda.exceptions import MemorandaError
from memoranda.integrations.memory_files import FileOptions, FileRefused, MemoryFiles
from memoranda.memory import Memoranda

P = ParamSpec("P")


class MemoryTool(BetaAbstractMemoryTool):
    """Memory tool of a model, based on blocks of a workspace or task."""

    def __init__(
        self,
        memory: Memoranda,
        *,
        cache_control: BetaCacheControlEphemeralParam | None = None,
        **files: Unpack[FileOptions],
    ) -> None:
        """Create the tool.

        The arguments are those of `MemoryFiles`; ``cache_control`` is passed on with the tool
        definition.
        """
        super().__init__(cache_control=cache_control)
        self.files = MemoryFiles(memory, **files)

    def view(self, command: BetaMemoryTool20250818ViewCommand) -> str:
        """Return a file with its lines numbered, or the contents of a folder."""
        return _done(lambda: self.files.view(command.path, command.view_range))

    def create(self, command: BetaMemoryTool20250818CreateCommand) -> str:
        """Create a file."""
        return _done(lambda: self.files.create(command.path, command.file_text))

    def str_replace(self, command: BetaMemoryTool20250818StrReplaceCommand) -> str:
        """Replace a text that occurs exactly once with another text."""
        return _done(lambda: self.files.replace(command.path, command.old_str, command.new_str))

    def insert(self, command: BetaMemoryTool20250818InsertCommand) -> str:
        """Insert a text after the given line."""
        return _done(
            lambda: self.files.insert(command.path, command.insert_line, command.insert_text)
        )

    def delete(self, command: BetaMemoryTool20250818DeleteCommand) -> str:
        """Archive a file or a folder; people can restore it."""
        return _done(lambda: self.files.delete(command.path))

    def rename(self, command: BetaMemoryTool20250818RenameCommand) -> str:
        """Move a file or a folder."""
        return _done(lambda: self.files.rename(command.old_path, command.new_path))

    def clear_all_memory(self) -> str:
        """Archive every file."""
        return _done(self.files.clear)


def _twin(
    command: Callable[Concatenate[MemoryTool, P], str],
) -> Callable[Concatenate[AsyncMemoryTool, P], Coroutine[Any, Any, str]]:
    @wraps(command)
    async def twin(self: AsyncMemoryTool, /, *args: P.args, **named: P.kwargs) -> str:
        return await run_sync(partial(command, self._tool, *args, **named))

    return twin


class AsyncMemoryTool(BetaAsyncAbstractMemoryTool):
    """Asynchronous variant: each command runs in a thread."""

    def __init__(
        self,
        memory: Memoranda,
        *,
        cache_control: BetaCacheControlEphemeralParam | None = None,
        **files: Unpack[FileOptions],
    ) -> None:
        """Create the tool with the arguments of `MemoryTool`."""
        super().__init__(cache_control=cache_control)
        self._tool = MemoryTool(memory, **files)

    view = _twin(MemoryTool.view)
    create = _twin(MemoryTool.create)
    str_replace = _twin(MemoryTool.str_replace)
    insert = _twin(MemoryTool.insert)
    delete = _twin(MemoryTool.delete)
    rename = _twin(MemoryTool.rename)
    clear_all_memory = _twin(MemoryTool.clear_all_memory)


def _done(work: Callable[[], str]) -> str:
    try:
        return work()
    except (FileRefused, MemorandaError) as error:
        raise ToolError(str(error)) from error
