"""The fourth tab: tasks, and the timeline of one task."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.widgets import Static

from memoranda.checkpoints.model import CheckpointSummary
from memoranda.observations.model import IndexEntry
from memoranda.page import MAX_LIMIT
from memoranda.stages.model import Stage
from memoranda.tasks.model import Task
from memoranda.text import counted
from memoranda.tui.details import LayeredPane
from memoranda.tui.list_widgets import MORE, NOTHING, Row, muted
from memoranda.tui.pane import MessageTone, PaneContext
from memoranda.tui.terminal_text import ago, amount, line
from memoranda.tui.theme import kind

if TYPE_CHECKING:
    from memoranda.memory import Memoranda


class Bands(Static):
    """All stages on one line, each as long as its share of the task."""

    def __init__(self) -> None:
        super().__init__(markup=False, id="bands")
        self._stages: Sequence[Stage] = ()
        self._steps = 0

    def show(self, stages: Sequence[Stage], steps: int) -> None:
        """Show the stages of a task with ``steps`` observations."""
        self._stages, self._steps = stages, steps
        self.refresh()

    def render(self) -> Content:
        """Draw the stages over the full width."""
        return bands(self._stages, self._steps, self.size.width)


def bands(stages: Sequence[Stage], steps: int, width: int) -> Content:
    """Return stages as one line of exactly this width.

    A stage that is too short has no label.
    """
    if not stages or width < 1:
        return Content("")
    first, last = stages[0].began, max(steps, stages[-1].began)
    scale = width / (last - first + 1)
    ends = [*(stage.began for stage in stages[1:]), last + 1]
    parts = []
    for stage, end in zip(stages, ends, strict=True):
        cells = round((end - first) * scale) - round((stage.began - first) * scale)
        word = f" {stage.name} "
        shown = word if len(word) <= cells else stage.name[:1] if cells > 2 else ""
        parts.append((shown.center(cells)[:cells], _style(stage)))
    return Content.assemble(*parts)


def band_row(stage: Stage) -> Row:
    """Return the start of a stage as a row."""
    until = f"{stage.ended}" if stage.ended is not None else ""
    word = Content.styled(f" {stage.name} ", _style(stage))
    about = f" {stage.began}-{until}  {line(stage.reason)}"
    return Row("", Content.assemble(word, (about, "$soft")))


def _style(stage: Stage) -> str:
    return f"$on-stage on ${stage.name.value}"


NONE = "No task yet; `memoranda install claude-code` records your sessions."
PIN = "checkpoint "
"""Prefix of the key of a checkpoint's row."""


@dataclass(frozen=True)
class Timeline:
    """Events of a task that have been loaded."""

    task: Task
    entries: Sequence[IndexEntry]
    more: bool
    stages: Sequence[Stage]
    checkpoints: Sequence[CheckpointSummary]
    ends: Mapping[str, str]
    """Short name of the error that each fix resolved, by the fix's id."""
    limit: int
    """Number of requested entries."""


def timeline(memory: Memoranda, id: str, limit: int) -> Timeline:
    """Return the events of a task from its start, up to ``limit``."""
    page = memory.observations.index(task=id, limit=limit)
    refs = {entry.id: entry.ref for entry in page}
    errors = memory.errors.list(task=id, limit=MAX_LIMIT)
    ends = {
        error.resolved_by: refs[error.observation]
        for error in errors
        if error.resolved_by and error.observation in refs
    }
    return Timeline(
        memory.tasks.show(id),
        page.items,
        page.cursor is not None,
        memory.stages.list(id, limit=MAX_LIMIT).items,
        memory.checkpoints.list(id, limit=MAX_LIMIT).items,
        ends,
        limit,
    )


class TasksPane(LayeredPane):
    """The list of tasks; Enter opens one, Escape goes back."""

    page = 100
    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "back", "Back", show=False)]

    def __init__(self, desk: PaneContext) -> None:
        super().__init__("4 Tasks", desk, "tasks")
        self._head = Static(markup=False, id="task-title")
        self._bands = Bands()
        self._beside = Vertical(self.reader, classes="beside")
        self._chosen: str | None = None
        self._seen: Timeline | None = None

    def compose(self) -> Iterable[Static | Horizontal]:
        """Create the title, the stages, the rows and the text of one row."""
        yield self._head
        yield self._bands
        yield Horizontal(self.rows, self._beside, classes="split")

    def on_mount(self) -> None:
        """Show the list first."""
        self._turn_to(None)

    async def load(self) -> None:
        """Load the tasks, or the timeline of the open one."""
        if self._chosen is None:
            await self._load_tasks()
        else:
            await self._load_timeline(self._chosen)

    async def _load_tasks(self) -> None:
        place, limit = self.desk.workspace, self.limit
        page = await self.ask(
            lambda it: it.tasks.list(workspace=place, limit=limit), MessageTone.LOST
        )
        if page is None:
            return
        rows = [task_row(task, self.desk.clock.now()) for task in page]
        if page.cursor:
            rows.append(Row(MORE, muted("more …")))
        self.rows.fill(rows or [Row("", muted(NONE))])

    async def _load_timeline(self, id: str) -> None:
        limit, seen = self.limit, self._seen
        task = await self.ask(lambda it: it.tasks.show(id), MessageTone.LOST)
        if task is None or (seen and (seen.task, seen.limit) == (task, limit)):
            return
        found = await self.ask(lambda it: timeline(it, id, limit), MessageTone.LOST)
        if found is None:
            return
        self._seen = found
        self._head.update(task_title(found.task, self.desk.clock.now()))
        self._bands.show(found.stages, found.task.observations)
        self.rows.fill(step_rows(found))
        if self.opened is None:
            self.show(None)

    def pick(self, key: str) -> None:
        """Open a task, or the next layer of a step."""
        if self._chosen is None:
            self._turn_to(key)
            self.reload()
        elif not key.startswith(PIN):
            self.look_closer(key, key)

    def action_back(self) -> None:
        """Go back one layer, then to the list of tasks."""
        if not self.back():
            left = self._chosen
            self._turn_to(None)
            if left:  # select its row again
                self.rows.fill([Row(left, NOTHING)])
            self.reload()
            self.rows.focus()

    def _turn_to(self, task: str | None) -> None:
        """Show one task, or the list of tasks."""
        self._chosen, self._seen, self.limit = task, None, self.page
        self.rows.fill(())
        self.show(None)
        for part in (self._head, self._bands, self._beside):
            part.display = task is not None


def task_row(one: Task, now: int) -> Row:
    """Return a task as a row of the list."""
    left = Content.assemble((f"{one.number:<6}", "bold"), line(one.title))
    cells = (
        counted(one.observations, "observation"),
        f"{amount(one.tokens)} tokens",
        line(one.agent),
    )
    below = muted(one.status, *cells)
    return Row(one.id, left, muted(ago(one.last_event_at, now)), Content(" " * 6) + below)


def task_title(one: Task, now: int) -> Content:
    """Return the header of a timeline."""
    parts = (one.status, counted(one.observations, "observation"), f"{amount(one.tokens)} tokens")
    about = muted(f"task {one.number}", *parts, ago(one.last_event_at, now), "Escape: all tasks")
    return Content.assemble((line(one.title), "bold"), "\n", about)


def step_rows(found: Timeline) -> list[Row]:
    """Return events in order, with stages and checkpoints in between.

    A band marks the beginning of a stage.
    """
    begins = {stage.began: stage for stage in found.stages}
    pins: dict[int, list[CheckpointSummary]] = {}
    for checkpoint in reversed(found.checkpoints):
        pins.setdefault(checkpoint.checkpoint.position, []).append(checkpoint)
    rows = [checkpoint_row(checkpoint_summary) for checkpoint_summary in pins.pop(0, ())]
    for entry in found.entries:
        if stage := begins.pop(entry.sequence, None):
            rows.append(band_row(stage))
        rows.append(step_row(entry, found.ends.get(entry.id, "")))
        rows += [checkpoint_row(summary) for summary in pins.pop(entry.sequence, ())]
    if found.more and len(found.entries) < MAX_LIMIT:
        rows.append(Row(MORE, muted("more …")))
    elif found.more:
        rows.append(Row("", muted(f"memoranda observation list --task {found.task.number}")))
    return rows or [Row("", muted("No observations yet."))]


def step_row(one: IndexEntry, ends: str) -> Row:
    """Return an observation as a row."""
    mark = ("quarantined  ", "bold $error") if one.quarantined else ""
    left = Content.assemble((f"{one.ref:<8}", "$soft"), kind(one.type), mark, line(one.title))
    edge = muted(f"ends {ends}" if ends else "", amount(one.tokens))
    return Row(one.id, left, edge)


def checkpoint_row(one: CheckpointSummary) -> Row:
    """Return a checkpoint as a row."""
    checkpoint = one.checkpoint
    spent = f"{amount(checkpoint.effort.tokens)} tokens" if checkpoint.effort.tokens else ""
    left_line = "" if one.main else "abandoned by a rollback"
    description = line(checkpoint.description) or f"number {checkpoint.sequence}"
    left = Content.assemble(" " * 8, kind("checkpoint"), description)
    return Row(f"{PIN}{checkpoint.id}", left, muted(checkpoint.phase, left_line, spent))
