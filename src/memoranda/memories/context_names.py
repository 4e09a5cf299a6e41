"""Finds the record to which a name in a context refers.

A context refers to memories and reported errors by the start of their id, to observations as
``3#42``, to tasks as ``task 3`` and to blocks as ``block notes``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import TYPE_CHECKING

from memoranda.context.blocks import ORIGINS
from memoranda.exceptions import InvalidInput, NotFound
from memoranda.ids import short
from memoranda.memories.model import Evidence, NamedEvidence, NamedRecord, RecordKind
from memoranda.observations.model import Origin
from memoranda.trust import BY_ORIGIN

if TYPE_CHECKING:
    from memoranda.blocks.model import Block
    from memoranda.resource_attributes import Nouns
    from memoranda.tasks.reference import TaskReference

Search = Callable[[str], NamedEvidence]
_NUMBER = re.compile(r"#\d{1,9}")
BLOCKS = 1_000
"""Maximum number of blocks in which a label is searched for."""


class NamedRecords:
    """The records of a memory by the names that contexts print."""

    def __init__(
        self, memory: Nouns, workspace: str | None = None, task: TaskReference | None = None
    ) -> None:
        self._memory = memory
        self._workspace = workspace
        self._task = task

    def record(self, name: str) -> NamedEvidence:
        """Return the record for a name that does not refer to a memory.

        Raises:
            InvalidInput: the name is a number within a task, and no task is specified.
            NotFound: nothing in the scope has this name.
        """
        for search in self._searches(name) if name.strip() else ():
            with suppress(NotFound):
                return search(name)
        raise NotFound(f"no memory, observation, error, task or block {name!r} in this scope")

    def _searches(self, name: str) -> Iterator[Search]:
        if name.startswith("block "):
            yield lambda one: self._block(one.removeprefix("block ").strip())
        if name.startswith("task "):
            yield lambda one: self._of_task(one.replace("task ", "#", 1))
        if _NUMBER.fullmatch(name):
            yield self._numbered
        else:
            yield self._observation
            yield self._error
        if "#" not in name:
            yield self._of_task

    def _numbered(self, name: str) -> NamedEvidence:
        """Return an observation by its number within the task named above it."""
        if self._task is None:
            raise InvalidInput(
                f"{name!r} is an observation of the task in the label above it; write "
                f"both, such as '1{name}' for {name} of task 1"
            )
        return self._observation(f"{self._memory.tasks.show(self._task).number}{name}")

    def _observation(self, name: str) -> NamedEvidence:
        full = self._memory.observations.show(name)
        observation = full.observation
        how = f"memoranda observation show {observation.ref}"
        record = NamedRecord(
            RecordKind.OBSERVATION,
            observation.id,
            observation.ref,
            full.content,
            observation.origin,
            observation.created_at,
            how,
        )
        return NamedEvidence(None, (observation.id,), BY_ORIGIN[observation.origin], record)

    def _error(self, name: str) -> NamedEvidence:
        """Return an error that was reported without an observation."""
        error = self._memory.errors.show(name).record
        text = "\n".join(filter(None, (error.description, error.context, error.recovery)))
        origin = Origin.AGENT if error.agent else Origin.HUMAN
        shown = short(error.id)
        how = f"memoranda errors show {shown}"
        record = NamedRecord(RecordKind.ERROR, error.id, shown, text, origin, error.created_at, how)
        return NamedEvidence(None, (), BY_ORIGIN[origin], record)

    def _of_task(self, name: str) -> NamedEvidence:
        task = self._memory.tasks.show(name)
        shown, origin = f"task {task.number}", Origin.HUMAN
        how = f"memoranda {shown.replace(' ', ' show ')}"
        record = NamedRecord(
            RecordKind.TASK, task.id, shown, task.title, origin, task.last_event_at, how
        )
        return NamedEvidence(None, (), BY_ORIGIN[origin], record)

    def _block(self, label: str) -> NamedEvidence:
        block = self._labelled(label)
        origin, how = ORIGINS[block.author], f"memoranda block show {block.id}"
        record = NamedRecord(
            RecordKind.BLOCK, block.id, f"block {label}", block.value, origin, block.updated_at, how
        )
        return NamedEvidence(None, (), BY_ORIGIN[origin], record)

    def _labelled(self, label: str) -> Block:
        """Return the scope's block with a label, or else the newest visible one."""
        blocks = self._memory.blocks
        try:
            return blocks.show(label, workspace=self._workspace, task=self._task)
        except (NotFound, InvalidInput):  # no block, or several, in this scope
            page = blocks.list(workspace=self._workspace, task=self._task, limit=BLOCKS)
            found = [item for item in page if item.label == label]
            if not found:
                raise
            return max(found, key=lambda block: block.updated_at)


def of_memory(found: Evidence) -> NamedEvidence:
    """Return a memory's evidence as the result of looking up a name."""
    memory = found.memory
    record = NamedRecord(
        RecordKind.MEMORY, memory.id, short(memory.id), memory.content, memory.origin,
        memory.created_at, f"memoranda memory show {short(memory.id)}",
    )  # fmt: skip
    return NamedEvidence(memory, found.observations, found.trust, record)
