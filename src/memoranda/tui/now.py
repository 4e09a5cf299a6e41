"""The first tab: whether Memoranda works, and what needs attention.

Cheap data is loaded with each tick, errors at longer intervals, and the full check runs only when a
person presses its key.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, ClassVar, TypeVar

from textual.binding import Binding, BindingType
from textual.containers import Grid
from textual.content import Content
from textual.widgets import Static

from memoranda.clock import MICROSECONDS
from memoranda.exceptions import Forbidden
from memoranda.supervision.model import InterventionState
from memoranda.tui.list_widgets import TextView, joined
from memoranda.tui.now_report import (
    FEW,
    MAXIMUM,
    CurrentState,
    DoctorResult,
    RecentActivity,
    report,
    tiles,
)
from memoranda.tui.pane import MessageTone, Pane, PaneContext

if TYPE_CHECKING:
    from memoranda.memory import Memoranda

T = TypeVar("T")

SELDOM = 60 * MICROSECONDS
"""Minimum interval in microseconds between loads of slow data."""
SHARE = 30
"""Pause between loads, as a multiple of the duration of a load."""
TILES = ("captured", "kept-out", "cost", "failing", "waiting")


def current_state(memory: Memoranda, workspace: str | None) -> CurrentState:
    """Return the state that changes frequently and is cheap to load."""
    raised = memory.supervisor.interventions(
        workspace=workspace, state=InterventionState.OPEN, limit=FEW
    )
    quarantined = memory.quarantine.list(workspace=workspace, limit=FEW)
    return CurrentState(
        memory.store.status(workspace=workspace),
        memory.tasks.list(workspace=workspace, limit=FEW).items,
        memory.proposals.count(workspace=workspace),
        _unless_forbidden(memory.costs.budget),
        raised.items,
        quarantined.items,
        quarantined.cursor is not None,
    )


def recent_activity(memory: Memoranda, workspace: str | None) -> RecentActivity:
    """Return the newest errors and the live report, which take longer to load."""
    return RecentActivity(
        memory.errors.list(workspace=workspace, limit=MAXIMUM).items,
        memory.capture.live_report(workspace=workspace),
    )


def run_doctor(memory: Memoranda, now: int) -> DoctorResult:
    """Run all checks."""
    return DoctorResult(now, _unless_forbidden(memory.store.doctor))


def _unless_forbidden(call: Callable[[], T]) -> T | None:
    try:
        return call()
    except Forbidden:
        return None


class FigureWidget(Static):
    """One figure with its description."""

    def __init__(self, name: str) -> None:
        super().__init__(id=name, markup=False, classes="tile")

    def show(self, text: Content) -> None:
        """Show a text unless it is already shown."""
        if text != self.content:
            self.update(text)


class NowPane(Pane):
    """Five figures, then what needs attention, the last failure and the state."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("c", "check", "Check now")]

    def __init__(self, desk: PaneContext) -> None:
        super().__init__("1 Now", desk, "now")
        self._quick: CurrentState | None = None
        self._looked: RecentActivity | None = None
        self._examined: DoctorResult | None = None
        self._examining = False
        self._again_at = 0
        self._reader = TextView("now-text")

    def compose(self) -> Iterable[Grid | TextView]:
        """Create the tiles and the text."""
        yield Grid(*(FigureWidget(name) for name in TILES), id="tiles")
        yield self._reader

    @property
    def home(self) -> TextView:
        """The text."""
        return self._reader

    async def load(self) -> None:
        """Load cheap data at each call, and errors at longer intervals."""
        place = self.desk.workspace
        state = await self.ask(lambda memory: current_state(memory, place), MessageTone.LOST)
        self._quick = state or self._quick
        self._show()
        began = self.desk.clock.now()
        if state is None or began < self._again_at:
            return
        self._looked = await self.ask(lambda memory: recent_activity(memory, place)) or self._looked
        self._show()
        if self._examining:
            self._examining = False
            if result := await self.ask(lambda it: run_doctor(it, began)):
                self._examined = result
                self.report("")
        ended = self.desk.clock.now()
        self._again_at = ended + max(SELDOM, SHARE * (ended - began))
        self._show()

    def action_check(self) -> None:
        """Run all checks."""
        self._again_at, self._examining = 0, True
        self.report("examining …")
        self.reload()

    def _show(self) -> None:
        if self._quick is None:
            return
        now = self.desk.clock.now()
        figures = tiles(self._quick, self._looked, now)
        for name, (figure, *tile_figure) in zip(TILES, figures, strict=True):
            text = [
                Content.styled(figure, "bold"),
                *(Content.styled(item, "$soft") for item in tile_figure),
            ]
            self.query_one(f"#{name}", FigureWidget).show(joined(text))
        lines = report(self._quick, self._looked, self._examined, now)
        self._reader.show_in_place(joined(lines))
