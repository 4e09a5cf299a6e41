"""Stages in the words of checkpoints."""

from __future__ import annotations

from memoranda.checkpoints.model import TaskPhase
from memoranda.stages.model import StageName

_PHASES = {
    StageName.PLANNING: TaskPhase.PLANNING,
    StageName.EXECUTION: TaskPhase.CODING,
    StageName.REFLECTION: TaskPhase.REVIEWING,
    StageName.VERIFICATION: TaskPhase.TESTING,
}
_MENDING = frozenset((StageName.EXECUTION, StageName.REFLECTION))


def phase_of(stage: StageName, failed: bool, ended: bool) -> TaskPhase:
    """Name the phase of a checkpoint that is made in a stage.

    ``failed``: something failed that nothing has mended yet, so that who changes something, or
    thinks it over, is fixing. ``ended``: the task is over; with a failure it is not completed.
    """
    if ended and not failed:
        return TaskPhase.COMPLETED
    if failed and stage in _MENDING:
        return TaskPhase.FIXING
    return _PHASES[stage]
