"""Archives a task's notes in the `learned` block as a memory at its end.

Later tasks change the block, and the block is shortened when it is full; the memory remains
searchable until it is forgotten.
"""

from __future__ import annotations

from dataclasses import replace

from memoranda.blocks import table as blocks
from memoranda.blocks.model import Block
from memoranda.blocks.places import find_block_or_none
from memoranda.exceptions import UserError
from memoranda.lessons import table as known
from memoranda.lessons.model import GENERATOR, KnownLesson
from memoranda.lessons.proposals import LessonWriter, MemoryDraft
from memoranda.memories import table as memories
from memoranda.memories.memory_writer import MemoryChanges
from memoranda.memories.model import Category, Memory, MemoryKind, MemorySource, MemoryStatus
from memoranda.proposals.model import MemoryState
from memoranda.quarantine.order_detection import suspicion
from memoranda.scope import Scope
from memoranda.store.database import Transaction
from memoranda.tasks.model import Task
from memoranda.text import clip, one_line, text_lines
from memoranda.utterances.sentence_checks import is_momentary

LABEL = "learned"
SHORT = 50
"""Minimum number of characters of notes that are archived."""
GOAL = 80
"""Number of characters of a task's goal in the memory's title."""
PAGE = 50
"""Number of block versions that are read at once."""
TAGS = ("learned",)


class LearnedNotes:
    """Archives the notes of tasks, within the caller's transaction."""

    def __init__(self, book: LessonWriter, changes: MemoryChanges) -> None:
        self._book = book
        self._changes = changes

    def archive(self, tx: Transaction, task: Task, now: int) -> str | None:
        """Archive the lines that a task added; return the memory's id.

        If a task was continued, its memory is rewritten. The result is None if the task added too
        little, or if the text reads like an instruction to the agent.
        """
        text = self._book.clean(_added(tx, task))
        if len(text) <= SHORT or suspicion(text):
            return None
        key = f"notes:{task.id}"
        before = known.known_lesson(tx, task.team, task.workspace, key)
        if before is not None:
            self._rewrite(tx, task.team, before.memory, text, now)
            return before.memory
        title = f"Learned in task {task.number}: {clip(one_line(task.goal), GOAL)}".rstrip(" :")
        draft = MemoryDraft(title, text, Category.INSIGHT, 1.0, TAGS)
        scope = Scope(task.team, task.workspace)
        made = self._book.made(scope, draft, MemorySource.EXECUTION)
        memory = replace(made, kind=MemoryKind.EPISODIC, status=MemoryStatus.APPROVED)
        self._book.insert(tx, memory, ())
        known.put(tx, KnownLesson(task.team, task.workspace, key, memory.id, 1, now))
        return memory.id

    def _rewrite(self, tx: Transaction, team: str, id: str, text: str, now: int) -> None:
        memory: Memory | None = memories.of_any_agent(tx, team, [id]).get(id)
        if memory is None or memory.status is not MemoryStatus.APPROVED:
            return  # a person has forgotten or archived the memory
        after = replace(MemoryState.of(memory), content=text)
        self._changes.change(tx, memory, after, GENERATOR, "the task continued", now)


def _added(tx: Transaction, task: Task) -> str:
    """Return the lines added during a task, except short-lived instructions.

    An imported task from the past has added nothing to the current block.
    """
    scope = Scope(task.team, task.workspace, None, task.id)
    try:
        block = find_block_or_none(tx, scope, LABEL)
    except UserError:  # there are several blocks, and none of them belongs to the task
        return ""
    if block is None:
        return ""
    before = set(text_lines(_value_at(tx, block, task.started_at)))
    after = text_lines(_value_at(tx, block, max(task.last_event_at, task.ended_at or 0)))
    fresh = (line for line in after if line.strip() and line not in before)
    return "\n".join(line for line in fresh if not is_momentary(line))


def _value_at(tx: Transaction, block: Block, time: int) -> str:
    """Return a block's value at a time; empty if it did not exist."""
    number = block.version + 1
    while page := blocks.history(tx, block.team, block.id, before=number, limit=PAGE):
        for version in page:
            if version.created_at <= time:
                return version.value
        number = page[-1].version
    return ""
