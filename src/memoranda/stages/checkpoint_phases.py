"""The checkpoint phase that corresponds to a stage."""

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
    """Return the phase of a checkpoint that is created in a stage.

    ``failed``: there is an unresolved failure, so execution and reflection count as fixing.
    ``ended``: the task has ended; with an unresolved failure, its phase is not "completed".
    """
    if ended and not failed:
        return TaskPhase.COMPLETED
    if failed and stage in _MENDING:
        return TaskPhase.FIXING
    return _PHASES[stage]
