"""Detects from a task's steps whether a supervisor should examine it.

Detection is a pure function of the previous state and a step. The state contains numbers, ids and
digests, but no text of the task.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from memoranda.json_data import JsonValue
from memoranda.supervision.model import SupervisionSignal

CAUSES = 200
"""Maximum number of error causes that are counted; the oldest are dropped."""
NAMED = 3
"""Number of errors that the reason of an alarm mentions."""


@dataclass(frozen=True, slots=True)
class SupervisionLimits:
    """Thresholds at which a task needs attention."""

    window: int = 20
    """Number of last steps that are examined."""
    failing: float = 0.5
    """Share of failed steps in the window of the last steps."""
    repeats: int = 3
    """Number of occurrences of the same unresolved error."""
    severity: float = 5.0
    """Total severity of the errors in the window of the last steps."""
    single: float = 0.0
    """Severity at which a single error is sufficient; 0 if no single error is."""


DEFAULT = SupervisionLimits()


@dataclass(frozen=True, slots=True)
class WatchedStep:
    """The properties of a step that are needed for monitoring."""

    sequence: int
    id: str
    ref: str
    signature: str = ""
    """Signature of the error; empty if nothing failed."""
    severity: float = 0.0
    resolves: str | None = None
    """Id of the error that the step resolved."""


@dataclass(frozen=True, slots=True)
class Alarm:
    """A signal, raised by a step."""

    signal: SupervisionSignal
    cause: str
    reason: str
    position: int


@dataclass(frozen=True, slots=True)
class WatchState:
    """State of detection between two steps."""

    steps: tuple[float, ...] = ()
    """Severity of each of the last steps; 0 for a successful step."""
    standing: Mapping[str, tuple[int, tuple[tuple[str, str], ...]]] = field(default_factory=dict)
    """Open errors, by the digest of their signature.

    A value consists of the number of occurrences, and the ids and names of the last occurrences.
    """
    raised: frozenset[SupervisionSignal] = frozenset()
    """Signals that were raised and have not been cleared since."""
    note: str = ""
    """Id of the last note that was processed."""

    def as_json(self) -> dict[str, JsonValue]:
        """Return the state in the form in which it is stored."""
        standing: dict[str, JsonValue] = {
            digest: [count, [[id, ref] for id, ref in last]]
            for digest, (count, last) in self.standing.items()
        }
        raised: list[JsonValue] = [*sorted(signal.value for signal in self.raised)]
        return {
            "steps": list(self.steps),
            "standing": standing,
            "raised": raised,
            "note": self.note,
        }

    @classmethod
    def read(cls, stored: Mapping[str, JsonValue] | None) -> WatchState:
        """Parse a stored state."""
        if stored is None:
            return cls()
        fields: dict = dict(stored)  # type: ignore[type-arg]
        return cls(
            tuple(fields["steps"]),
            {
                digest: (int(count), tuple((id, ref) for id, ref in last))
                for digest, (count, last) in fields["standing"].items()
            },
            frozenset(map(SupervisionSignal, fields["raised"])),
            fields["note"],
        )


def watch_step(
    state: WatchState, step: WatchedStep, limits: SupervisionLimits = DEFAULT
) -> tuple[WatchState, Sequence[Alarm]]:
    """Process one step; return the next state and the alarms it raises."""
    bad = max(step.severity, 0.01) if step.signature else 0.0
    state = replace(
        state, steps=(*state.steps, bad)[-limits.window :], standing=_current(state.standing, step)
    )
    alarms = list(_windowed(state, step, limits))
    calm = {
        item
        for item in (SupervisionSignal.FAILING, SupervisionSignal.SEVERITY)
        if share(state, item, limits) < 0.5
    }
    raised = (state.raised | {alarm.signal for alarm in alarms}) - calm
    alarms += _repeated(state, step, limits)
    return replace(state, raised=frozenset(raised)), alarms


def share(state: WatchState, signal: SupervisionSignal, limits: SupervisionLimits) -> float:
    """Return the value of a signal in the window as a fraction of its limit."""
    if signal is SupervisionSignal.SEVERITY:
        return sum(state.steps) / limits.severity
    if len(state.steps) < max(2, limits.window // 2):
        return 0.0  # too few steps to compute a share
    return sum(bad > 0 for bad in state.steps) / len(state.steps) / limits.failing


def _current(
    causes: Mapping[str, tuple[int, tuple[tuple[str, str], ...]]], step: WatchedStep
) -> Mapping[str, tuple[int, tuple[tuple[str, str], ...]]]:
    found = dict(causes)
    if step.resolves:
        ended = [one for one, (_, last) in found.items() if step.resolves in dict(last)]
        for item in ended:
            del found[item]
    if step.signature:
        digest = cause_of(step.signature)
        count, last = found.pop(digest, (0, ()))
        found[digest] = count + 1, (*last, (step.id, step.ref))[-NAMED:]
    return dict(list(found.items())[-CAUSES:])


def _windowed(state: WatchState, step: WatchedStep, limits: SupervisionLimits) -> Sequence[Alarm]:
    """Return the alarms that the last steps raise in combination.

    An alarm that was raised is raised again only after its signal has cleared.
    """
    if not step.signature:
        return []
    failed, of = sum(bad > 0 for bad in state.steps), len(state.steps)
    weight = sum(state.steps)
    reasons = {
        SupervisionSignal.FAILING: f"{failed} of the last {of} steps failed",
        SupervisionSignal.SEVERITY: (
            f"the errors of the last {of} steps have severity {weight:.1f} together"
        ),
    }
    return [
        Alarm(signal, f"{step.sequence}", reason, step.sequence)
        for signal, reason in reasons.items()
        if signal not in state.raised and share(state, signal, limits) >= 1
    ] or _severe(step, limits)


def _severe(step: WatchedStep, limits: SupervisionLimits) -> Sequence[Alarm]:
    if not 0 < limits.single <= step.severity:
        return []
    reason = f"{step.ref} alone has severity {step.severity:.2f}"
    return [Alarm(SupervisionSignal.SEVERITY, f"{step.sequence}", reason, step.sequence)]


def _repeated(state: WatchState, step: WatchedStep, limits: SupervisionLimits) -> Sequence[Alarm]:
    if not step.signature:
        return []
    digest = cause_of(step.signature)
    count, last = state.standing[digest]
    if count != limits.repeats:
        return []
    named = ", ".join(ref for _, ref in last)
    reason = f"the same error {count} times without resolution: {named}"
    return [Alarm(SupervisionSignal.SAME_ERROR, digest, reason, step.sequence)]


def cause_of(signature: str) -> str:
    """Return an identifier of an error's cause that contains no text."""
    return hashlib.sha256(signature.encode()).hexdigest()[:16]
