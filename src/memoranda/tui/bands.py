"""The stages of a task as labelled bands of colour."""

from __future__ import annotations

from collections.abc import Sequence

from textual.content import Content
from textual.widgets import Static

from memoranda.stages.model import Stage
from memoranda.tui.rows import Row
from memoranda.tui.terminal_text import line


class Bands(Static):
    """All stages in one line, each as long as its share of the task."""

    def __init__(self) -> None:
        super().__init__(markup=False, id="bands")
        self._stages: Sequence[Stage] = ()
        self._steps = 0

    def show(self, stages: Sequence[Stage], steps: int) -> None:
        """Show these stages of a task with this number of observations."""
        self._stages, self._steps = stages, steps
        self.refresh()

    def render(self) -> Content:
        """Draw them over the whole width."""
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
    """Return the beginning of a stage as a row."""
    until = f"{stage.ended}" if stage.ended is not None else ""
    word = Content.styled(f" {stage.name} ", _style(stage))
    about = f" {stage.began}-{until}  {line(stage.reason)}"
    return Row("", Content.assemble(word, (about, "$soft")))


def _style(stage: Stage) -> str:
    return f"$on-stage on ${stage.name.value}"
