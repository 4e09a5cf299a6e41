"""The first tab: whether the memory works, and what needs a look."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, TypeVar

from textual.binding import Binding, BindingType
from textual.containers import Grid
from textual.content import Content
from textual.widgets import Static

from memoranda.clock import MICROSECONDS
from memoranda.errors import Forbidden
from memoranda.tui.look import kind
from memoranda.tui.pane import Desk, Pane, Tone
from memoranda.tui.plain import ago, amount, counted, line
from memoranda.tui.rows import NOTHING, Reader, joined, muted, title
from memoranda.values.error import ErrorRecord
from memoranda.values.live import LiveSaving
from memoranda.values.spending import DOLLAR, BudgetStatus, dollars
from memoranda.values.supervision import Intervention, InterventionState
from memoranda.values.task import Task

if TYPE_CHECKING:
    from memoranda.doctor import Finding
    from memoranda.memoranda import Memoranda
    from memoranda.stats import Stats

T = TypeVar("T")

SELDOM = 60 * MICROSECONDS
"""How often what takes long is asked for, at most."""
SHARE = 30
"""It is left alone for this many times as long as it took."""
FEW = 5
MOST = 20
"""Failures that are looked through for those that nothing ended."""
OK = "ok"
NONE = "none"
TILES = ("captured", "kept-out", "cost", "failing", "waiting")


@dataclass(frozen=True)
class Quick:
    """What costs next to nothing; asked for with each tick."""

    tasks: Sequence[Task]
    waiting: int
    budget: BudgetStatus | None
    raised: Sequence[Intervention]


@dataclass(frozen=True)
class Checked:
    """What takes the longer, the more there is; None where the caller may not know."""

    at: int
    stats: Stats
    failures: Sequence[ErrorRecord]
    live: Sequence[LiveSaving]
    findings: Sequence[Finding] | None


def quick(memory: Memoranda, workspace: str | None) -> Quick:
    """Ask for what changes from moment to moment."""
    raised = memory.interventions(workspace=workspace, state=InterventionState.OPEN, limit=FEW)
    return Quick(
        memory.tasks(workspace=workspace, limit=FEW).items,
        memory.pending(workspace=workspace),
        _unless_forbidden(memory.budget),
        raised.items,
    )


def checked(memory: Memoranda, workspace: str | None, now: int) -> Checked:
    """Ask for what has to be counted or examined."""
    return Checked(
        now,
        memory.stats(workspace=workspace),
        memory.errors(workspace=workspace, limit=MOST).items,
        memory.live_report(workspace=workspace),
        _unless_forbidden(memory.doctor),
    )


def _unless_forbidden(call: Callable[[], T]) -> T | None:
    try:
        return call()
    except Forbidden:
        return None


class Tile(Static):
    """One figure and what it says."""

    def __init__(self, name: str) -> None:
        super().__init__(id=name, markup=False, classes="tile")

    def show(self, text: Content) -> None:
        """Show a text, if it is another one."""
        if text != self.content:
            self.update(text)


class NowPane(Pane):
    """Five figures, then what needs a look, what failed last, and how all is."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("c", "check", "Check now")]

    def __init__(self, desk: Desk) -> None:
        super().__init__("1 Now", desk, "now")
        self._quick: Quick | None = None
        self._checked: Checked | None = None
        self._again_at = 0
        self._reader = Reader("now-text")

    def compose(self) -> Iterable[Grid | Reader]:
        """Lay out the tiles and the text."""
        yield Grid(*(Tile(name) for name in TILES), id="tiles")
        yield self._reader

    @property
    def home(self) -> Reader:
        """The text."""
        return self._reader

    async def load(self) -> None:
        """Ask for what is cheap, and now and then for the rest."""
        place = self.desk.workspace
        found = await self.ask(lambda memory: quick(memory, place), Tone.LOST)
        self._quick = found or self._quick
        self._show()
        began = self.desk.clock.now()
        if found is None or began < self._again_at:
            return
        if examined := await self.ask(lambda it: checked(it, place, began)):
            self._checked = examined
            self.told("")
        ended = self.desk.clock.now()
        self._again_at = ended + max(SELDOM, SHARE * (ended - began))
        self._show()

    def action_check(self) -> None:
        """Examine everything at once."""
        self._again_at = 0
        self.told("checking …")
        self.reload()

    def _show(self) -> None:
        if self._quick is None:
            return
        now = self.desk.clock.now()
        figures = tiles(self._quick, self._checked, now)
        for name, (figure, *told) in zip(TILES, figures, strict=True):
            text = [Content.styled(figure, "bold"), *(Content.styled(one, "$soft") for one in told)]
            self.query_one(f"#{name}", Tile).show(joined(text))
        self._reader.show_in_place(joined(report(self._quick, self._checked, now)))


def tiles(found: Quick, seldom: Checked | None, now: int) -> list[tuple[str, ...]]:
    """Return the figures, each with what it says."""
    stats = seldom.stats if seldom else None
    times = [task.last_event_at for task in found.tasks[:1]]
    times += [stats.last_recorded_at] if stats and stats.last_recorded_at else []
    kept = f"{stats.observations:,} kept" if stats else "counting …"
    failing = [one for one in seldom.failures if not one.recovery] if seldom else []
    return [
        (ago(max(times, default=None), now), "last capture", kept),
        _kept_out(stats, seldom.live if seldom else ()),
        _cost(found.budget),
        (str(len(failing)), "failures not ended", f"of the last {MOST}"),
        (str(found.waiting), "proposals wait", "2 opens them"),
    ]


def _kept_out(stats: Stats | None, live: Sequence[LiveSaving]) -> tuple[str, ...]:
    if stats is None or not stats.raw_tokens:
        return NONE, "tokens kept out", "nothing captured" if stats else "counting …"
    share = 1 - min(1.0, stats.summary_tokens / stats.raw_tokens)
    saved = sum(one.saved_tokens for one in live)
    how = f", {amount(saved)} live" if saved else " captured"
    return f"{share:.0%}", "tokens kept out", f"of {amount(stats.raw_tokens)}{how}"


def _cost(budget: BudgetStatus | None) -> tuple[str, ...]:
    if budget is None:
        return NONE, "cost", "not for your role"
    cap = f"${budget.limit / DOLLAR:,.0f}"
    return dollars(budget.spent), f"of {cap}", "this month"


def report(found: Quick, seldom: Checked | None, now: int) -> Iterator[Content]:
    """Tell what needs a look, what failed last, what was done last, and how all is."""
    yield title("Needs a look")
    yield from _warnings(found, seldom) or [muted("Nothing.")]
    yield NOTHING
    yield title("Failed last")
    yield from _failures(seldom, now)
    yield NOTHING
    yield title("Worked on last")
    yield from [_task(task, now) for task in found.tasks] or [muted("No task yet.", _BEGIN)]
    yield NOTHING
    yield title("Health")
    yield from _health(seldom, now)


_BEGIN = "`memoranda install claude-code` or `memoranda import FILE` begins one"


def _warnings(found: Quick, seldom: Checked | None) -> list[Content]:
    told = [
        _labelled(one.signal, line(one.reason), "memoranda supervisor list") for one in found.raised
    ]
    told += [
        _labelled(one.check, line(one.detail), line(one.mend), one.verdict)
        for one in (seldom and seldom.findings) or ()
        if one.verdict != OK
    ]
    held = sum(seldom.stats.quarantined.values()) if seldom else 0
    if held:
        told.append(_labelled("held back", counted(held, "output"), "memoranda quarantine list"))
    if found.budget and found.budget.spent >= found.budget.alert_share * found.budget.limit:
        told.append(_labelled("budget", "nearly spent", "memoranda cost report"))
    return told


def _labelled(label: str, detail: str, mend: str = "", verdict: str = "warning") -> Content:
    colour = "$error" if verdict == "failure" else "$warning"
    first = Content.assemble((f"{label.replace('_', ' '):<14}", f"bold {colour}"), detail)
    return Content.assemble(first, "\n", (f"{'':14}{mend}", "$soft")) if mend else first


def _failures(seldom: Checked | None, now: int) -> Iterator[Content]:
    if seldom is None:
        yield muted("counting …")
        return
    if not seldom.failures:
        yield muted("Nothing failed.")
    for one in seldom.failures[:FEW]:
        when = muted(ago(one.created_at, now))
        yield Content.assemble(kind("error", 7), line(one.description), "  ", when)
        ended = f"ended by: {line(one.recovery)}" if one.recovery else "nothing ended it yet"
        yield Content.styled(f"{'':7}{ended}", "$soft")


def _task(task: Task, now: int) -> Content:
    steps = counted(task.observations, "observation")
    about = muted(task.status, steps, ago(task.last_event_at, now))
    goal = line(task.goal) or "no goal stated"
    return Content.assemble((f"{task.number:<7}", "bold"), goal, "\n", f"{'':7}", about)


def _health(seldom: Checked | None, now: int) -> Iterator[Content]:
    if seldom is None:
        yield muted("checking …")
    elif seldom.findings is None:
        yield muted("Only an admin is told.")
    else:
        yield muted(f"checked {ago(seldom.at, now)}", "c checks again")
        for one in seldom.findings:
            colour = "bold" if one.verdict == OK else "bold $warning"
            yield Content.assemble((f"{one.check:<14}", colour), line(one.detail))
