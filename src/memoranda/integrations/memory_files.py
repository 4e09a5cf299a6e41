"""Files under /memories for the Anthropic memory tool, stored as blocks.

A file is a block whose label is its path, so that all its values are kept
(`Memoranda.block_history`) and a deleted file can be restored. A folder exists as long as it
contains a file. Results and error messages have the same text as those of the tool's reference
implementation (anthropic 2.12, ``BetaLocalFilesystemMemoryTool``), which models know.
"""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Mapping, Sequence
from typing import TypedDict

from memoranda.blocks.block_writer import NewBlock
from memoranda.blocks.model import FILE_LIMIT, LABEL, Block
from memoranda.exceptions import Conflict, InvalidInput, NotFound
from memoranda.integrations.memory_tool_output import listed, numbered, with_numbers
from memoranda.memory import ALL, Memoranda
from memoranda.page import every

ROOT = "/memories"
TRIES = 20
"""Maximum number of attempts at an edit if others edit concurrently."""
PAGE = 1_000


class _Where(TypedDict):
    workspace: str | None
    task: str | None


class FileOptions(TypedDict, total=False):
    """Options of `MemoryFiles`: where and how files are stored."""

    workspace: str | None
    task: str | None
    private: bool
    limit: int


class FileRefused(Exception):
    """Operation that is not possible, with the message for the model."""


class MemoryFiles:
    """Files of one workspace or task.

    Thread-safe; several agents may share them: an edit is applied to the newest value, and no edit
    is lost.
    """

    def __init__(
        self,
        memory: Memoranda,
        *,
        workspace: str | None = None,
        task: str | None = None,
        private: bool = False,
        limit: int = FILE_LIMIT,
    ) -> None:
        """Store files in a memory, local or on a server.

        Args:
            memory: an open `Memoranda`; this object does not close it.
            workspace: a name or id; a workspace or a task is required.
            task: name, number or id of the task to which the files belong.
            private: whether only the memory's agent sees new files; its private files are then
                visible as well.
            limit: maximum length of a new file in characters, at most 1,000,000, and 100,000 for an
                agent.

        Raises:
            InvalidInput: neither a workspace nor a task is named; a person would then see
                everyone's files.
        """
        if not task and workspace in (None, "", ALL):
            raise InvalidInput("specify the owner of the files: workspace='notes', or a task")
        self._memory = memory
        self._place: _Where = {"workspace": workspace, "task": task}
        self._private = private
        self._limit = limit

    def view(self, path: str, lines: Sequence[int] | None = None) -> str:
        """Return a file with its lines numbered, or the contents of a folder.

        Args:
            path: the path below /memories.
            lines: the first and the last line to show, counted from 1; -1 is the end.
        """
        there, files = _checked(path), self._files()
        if block := files.get(there):
            return numbered(path, block.value, lines)
        below = _below(files, there)
        if not below and there != ROOT:
            raise FileRefused(f"The path {path} does not exist. Please provide a valid path.")
        return listed(path, there, below)

    def create(self, path: str, text: str) -> str:
        """Create a file that does not exist yet."""
        there, files = _checked(path), self._files()
        if there == ROOT or _at_or_below(files, there):
            raise FileRefused(f"File {path} already exists")
        _require_room(files, there)
        new = NewBlock(there, text, limit=self._limit, private=self._private)
        try:
            self._memory.blocks.create(new, **self._place)
        except Conflict:
            raise FileRefused(f"File {path} already exists") from None
        return f"File created successfully at: {path}"

    def replace(self, path: str, old: str, new: str) -> str:
        """Replace a text that occurs exactly once with another text."""

        def changed(value: str) -> str:
            _require_once(path, value, old)
            return value.replace(old, new)

        before, after = self._edited(path, changed)
        first = before[: before.find(old)].count("\n")
        lines = after.split("\n")
        start, end = max(0, first - 2), min(len(lines), first + 3)
        head = "The memory file has been edited. Here is the snippet showing the change"
        return f"{head} (with line numbers):\n" + with_numbers(lines[start:end], start + 1)

    def insert(self, path: str, line: int, text: str) -> str:
        """Insert a text after a line; line 0 is the start."""

        def changed(value: str) -> str:
            lines = value.removesuffix("\n").split("\n") if value else []
            if not 0 <= line <= len(lines):
                message = f"It should be within the range [0, {len(lines)}]."
                raise FileRefused(f"Invalid `insert_line` parameter: {line}. {message}")
            lines.insert(line, text.rstrip("\n"))
            joined = "\n".join(lines)
            return joined if joined.endswith("\n") else joined + "\n"

        self._edited(path, changed)
        return f"The file {path} has been edited."

    def delete(self, path: str) -> str:
        """Delete a file, or every file in a folder.

        `memory.blocks.undelete` restores them.
        """
        there = _checked(path)
        if there == ROOT:
            raise FileRefused(f"Cannot delete the {ROOT} directory itself")
        blocks = _at_or_below(self._files(), there)
        if not blocks:
            raise FileRefused(f"The path {path} does not exist")
        for block in blocks:
            self._memory.blocks.delete(block.id, **self._place)
        return f"Successfully deleted {path}"

    def rename(self, old: str, new: str) -> str:
        """Move a file, or every file in a folder, with its history."""
        source, target = _checked(old), _checked(new)
        if source == ROOT:
            raise FileRefused(f"Cannot rename the {ROOT} directory itself")
        files = self._files()
        if target == ROOT or _at_or_below(files, target):
            raise FileRefused(f"The destination {new} already exists")
        blocks = _at_or_below(files, source)
        if not blocks:
            raise FileRefused(f"The path {old} does not exist")
        if _is_below(target, source):
            raise FileRefused(f"The destination {new} lies in {old} itself")
        _require_room(files, target)
        moved = {block.id: _checked(target + block.label[len(source) :]) for block in blocks}
        for id, label in moved.items():
            self._memory.blocks.configure(id, rename=label, **self._place)
        return f"Successfully renamed {old} to {new}"

    def clear(self) -> str:
        """Delete every file."""
        for block in self._files().values():
            self._memory.blocks.delete(block.id, **self._place)
        return "All memory cleared"

    def _files(self) -> dict[str, Block]:
        """Return every file by its path.

        If two files have the same path, the one with the narrower scope takes precedence.
        """
        result: dict[str, Block] = {}
        try:
            for block in every(self._memory.blocks.list, limit=PAGE, **self._place):
                other = result.get(block.label)
                if self._is_ours(block) and (other is None or _width(block) < _width(other)):
                    result[block.label] = block
        except NotFound:
            if self._place["task"]:
                raise
            return {}  # nothing is stored in this workspace yet
        return result

    def _is_ours(self, block: Block) -> bool:
        """Return whether a block is a file of this workspace or task.

        For a person, the list also contains blocks of the team and of other tasks and agents.
        """
        block_place = block.place
        outside = block_place.workspace is None or (block_place.task and not self._place["task"])
        anothers = block_place.agent is not None and not self._private
        return _is_below(block.label, ROOT) and not (outside or anothers or block_place.shared)

    def _edited(self, path: str, changed: Callable[[str], str]) -> tuple[str, str]:
        """Change a file; return its old and new values."""
        there = _checked(path)
        for left in reversed(range(TRIES)):
            files = self._files()
            block = files.get(there)
            if block is None:
                if there == ROOT or _below(files, there):
                    raise FileRefused(f"The path {path} is not a file.")
                raise FileRefused(f"The path {path} does not exist. Please provide a valid path.")
            new = changed(block.value)
            try:
                made = self._memory.blocks.rethink(
                    block.id, new, version=block.version, **self._place
                )
            except Conflict:
                if not left:
                    raise
            except NotFound:
                message = "(may have been deleted or renamed concurrently)"
                raise FileRefused(f"The file {path} no longer exists {message}.") from None
            else:
                return block.value, made.value
        raise AssertionError("unreachable")


def _checked(path: str) -> str:
    if path != ROOT and not path.startswith(f"{ROOT}/"):
        raise FileRefused(f"Path must start with {ROOT}, got: {path}")
    there = posixpath.normpath(path)
    if there != ROOT and not there.startswith(f"{ROOT}/"):
        raise FileRefused(f"Path {path} would escape {ROOT} directory")
    if len(there) > LABEL:
        raise FileRefused(f"The path {path} is longer than {LABEL} characters.")
    return there


def _below(files: Mapping[str, Block], folder: str) -> dict[str, Block]:
    return {label: block for label, block in files.items() if _is_below(label, folder)}


def _at_or_below(files: Mapping[str, Block], path: str) -> list[Block]:
    return [block for label, block in files.items() if label == path or _is_below(label, path)]


def _require_room(files: Mapping[str, Block], path: str) -> None:
    """Refuse a path that uses a file as a folder."""
    while (path := posixpath.dirname(path)) not in (ROOT, "/"):
        if path in files:
            raise FileRefused(f"The path {path} is a file, not a directory.")


def _width(block: Block) -> tuple[bool, bool]:
    """Return the sort key of blocks by visibility, narrowest first."""
    block_place = block.place
    return block_place.task is None, block_place.agent is None


def _is_below(label: str, folder: str) -> bool:
    return label.startswith(f"{folder}/")


def _require_once(path: str, value: str, old: str) -> None:
    count = value.count(old) if old else 0
    if count == 0:
        message = f"old_str `{old}` did not appear verbatim in {path}."
        raise FileRefused(f"No replacement was performed, {message}")
    if count > 1:
        lines: list[str] = []
        at = value.find(old)
        while at >= 0:
            lines.append(str(value[:at].count("\n") + 1))
            at = value.find(old, at + 1)
        message = f"Multiple occurrences of old_str `{old}` in lines: {', '.join(lines)}."
        raise FileRefused(f"No replacement was performed. {message} Please ensure it is unique")
