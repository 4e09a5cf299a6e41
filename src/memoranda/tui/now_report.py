"""Text of the first tab: five figures, warnings, failures, health."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from textual.content import Content

from memoranda.capture.live_output_table import LiveSavings
from memoranda.clock import MICROSECONDS
from memoranda.costs.model import DOLLAR, BudgetStatus, dollars, refusals
from memoranda.errors.model import ErrorRecord
from memoranda.quarantine.model import QuarantinedObservation
from memoranda.supervision.model import Intervention
from memoranda.tasks.model import Task
from memoranda.text import counted
from memoranda.tui.list_widgets import NOTHING, muted, title
from memoranda.tui.terminal_text import ago, amount, line
from memoranda.tui.theme import kind

if TYPE_CHECKING:
    from memoranda.upkeep.doctor import Finding
    from memoranda.upkeep.stats import StoreStatus

FEW = 5
MAXIMUM = 20
"""Number of failures that are searched for unresolved ones."""
OK = "ok"
NONE = "none"
WORD = 4
"""Approximate characters per token, for a share that is shown as "about"."""
LATE = 3_600 * MICROSECONDS
"""Age above which spooled events are reported as not processed."""
ALWAYS_SHOWN = ("spool", "jobs")
"""Checks whose result is shown before a person runs all checks."""
_BEGIN = "`memoranda install claude-code` or `memoranda import FILE` starts one"


@dataclass(frozen=True)
class CurrentState:
    """State that is cheap to load; loaded with each tick."""

    standing: StoreStatus
    tasks: Sequence[Task]
    waiting: int
    budget: BudgetStatus | None
    raised: Sequence[Intervention]
    quarantined: Sequence[QuarantinedObservation]
    more_quarantined: bool


@dataclass(frozen=True)
class RecentActivity:
    """Data whose load time grows with the store; loaded at intervals."""

    failures: Sequence[ErrorRecord]
    live: Sequence[LiveSavings]


@dataclass(frozen=True)
class DoctorResult:
    """Results of the checks; None if the caller lacks permission."""

    at: int
    findings: Sequence[Finding] | None


def tiles(found: CurrentState, seldom: RecentActivity | None, now: int) -> list[tuple[str, ...]]:
    """Return the figures, each with its description."""
    standing = found.standing
    times = [task.last_event_at for task in found.tasks[:1]]
    times += [standing.last_recorded_at] if standing.last_recorded_at else []
    failing = [failure for failure in seldom.failures if failure.open] if seldom else []
    return [
        (ago(max(times, default=None), now), "last capture", f"{standing.observations:,} kept"),
        _saved_tokens(standing, seldom.live if seldom else ()),
        _cost(found.budget),
        (str(len(failing)) if seldom else NONE, "open errors", f"of the last {MAXIMUM}"),
        (str(found.waiting), "pending proposals", "2 opens them"),
    ]


def _saved_tokens(status: StoreStatus, live: Sequence[LiveSavings]) -> tuple[str, ...]:
    if not status.raw_tokens:
        return NONE, "tokens saved", "no data yet"
    share = 1 - min(1.0, status.summary_characters / WORD / status.raw_tokens)
    saved = sum(savings.saved_tokens for savings in live)
    how = f", {amount(saved)} live" if saved else " captured"
    return f"about {share:.0%}", "tokens saved", f"of {amount(status.raw_tokens)}{how}"


def _cost(budget: BudgetStatus | None) -> tuple[str, ...]:
    if budget is None:
        return NONE, "cost", "not available to your role"
    cap = f"${budget.limit / DOLLAR:,.0f}"
    return dollars(budget.spent), f"of {cap}", "this month"


def report(
    found: CurrentState, seldom: RecentActivity | None, checks: DoctorResult | None, now: int
) -> Iterator[Content]:
    """Yield what needs attention, the last failure and action, and the checks."""
    yield title("Needs attention")
    yield from _warnings(found, checks, now) or [muted("Nothing.")]
    yield NOTHING
    yield title("Latest errors")
    yield from _failures(seldom, now)
    yield NOTHING
    yield title("Latest tasks")
    yield from [_task(task, now) for task in found.tasks] or [muted("No task yet.", _BEGIN)]
    yield NOTHING
    yield title("Health")
    yield from _health(found.standing, checks, now)


def _warnings(found: CurrentState, checks: DoctorResult | None, now: int) -> list[Content]:
    warnings = [
        _labelled(intervention.signal, line(intervention.reason), "memoranda supervisor list")
        for intervention in found.raised
    ]
    warnings += _problems(found.standing, now)
    warnings += [
        _labelled(finding.check, line(finding.detail), line(finding.fix), finding.verdict)
        for finding in (checks and checks.findings) or ()
        if finding.verdict != OK and finding.check not in ALWAYS_SHOWN
    ]
    if found.quarantined:
        quarantined = (
            counted(len(found.quarantined), "output")
            if not found.more_quarantined
            else f"over {FEW} outputs"
        )
        warnings.append(_labelled("quarantined", quarantined, "memoranda quarantine list"))
    if found.budget and found.budget.spent >= found.budget.alert_share * found.budget.limit:
        warnings.append(_labelled("budget", "nearly spent", "memoranda cost report"))
    if found.budget and found.budget.refused:
        refused = refusals(found.budget.refused, found.budget.refused_cost, found.budget.left)
        warnings.append(_labelled("budget", refused, "memoranda budget set"))
    return warnings


def _problems(status: StoreStatus, now: int) -> Iterator[Content]:
    if status.spool_oldest_at is not None and now - status.spool_oldest_at > LATE:
        files, since = counted(status.spool_files, "file"), ago(status.spool_oldest_at, now)
        yield _labelled("spool", f"nothing has stored {files} since {since}", "memoranda drain")
    for job in status.failures:
        detail = f"{job.kind} failed after {counted(job.attempts, 'attempt')}: {line(job.error)}"
        yield _labelled("jobs", detail, "memoranda doctor", "failure")


def _labelled(label: str, detail: str, remedy: str = "", verdict: str = "warning") -> Content:
    colour = "$error" if verdict == "failure" else "$warning"
    first = Content.assemble((f"{label.replace('_', ' '):<13} ", f"bold {colour}"), detail)
    return Content.assemble(first, "\n", (f"{'':14}{remedy}", "$soft")) if remedy else first


def _failures(seldom: RecentActivity | None, now: int) -> Iterator[Content]:
    if seldom is None:
        yield muted("looking …")
        return
    if not seldom.failures:
        yield muted("Nothing failed.")
    for failure in seldom.failures[:FEW]:
        when = muted(ago(failure.created_at, now))
        yield Content.assemble(kind("error", 7), line(failure.description), "  ", when)
        over = f"resolved by: {line(failure.recovery)}" if failure.recovery else "resolved"
        ended = "not resolved yet" if failure.open else over
        yield Content.styled(f"{'':7}{ended}", "$soft")


def _task(task: Task, now: int) -> Content:
    steps = counted(task.observations, "observation")
    about = muted(task.status, steps, ago(task.last_event_at, now))
    goal = line(task.title)
    return Content.assemble((f"{task.number:<7}", "bold"), goal, "\n", f"{'':7}", about)


def _health(status: StoreStatus, checks: DoctorResult | None, now: int) -> Iterator[Content]:
    waits = f"{counted(status.spool_files, 'file')}, {counted(status.spool_bytes, 'byte')}"
    yield _check("spool", f"{waits} spooled", status.spool_files == 0)
    jobs = f"{status.jobs_waiting:,} waiting, {status.jobs_failed:,} given up"
    yield _check("jobs", jobs, status.jobs_failed == 0)
    if status.feedback_asking:
        yield _check("feedback", f"{status.feedback_asking:,} to be confirmed", False)
    if checks is None:
        yield muted("c checks everything")
    elif checks.findings is None:
        yield muted("The rest is visible to admins only.")
    else:
        for finding in checks.findings:
            if finding.check not in ALWAYS_SHOWN:
                yield _check(finding.check, line(finding.detail), finding.verdict == OK)
        yield muted(f"examined {ago(checks.at, now)}", "c checks again")


def _check(name: str, detail: str, well: bool) -> Content:
    return Content.assemble((f"{name:<14}", "bold" if well else "bold $warning"), detail)
