"""Stages in the words of checkpoints."""

from __future__ import annotations

from memoranda.checkpoints.model import Phase
from memoranda.stages.model import StageName

_PHASES = {
    StageName.PLANNING: Phase.PLANNING,
    StageName.EXECUTION: Phase.CODING,
    StageName.REFLECTION: Phase.REVIEWING,
    StageName.VERIFICATION: Phase.TESTING,
}
_MENDING = frozenset((StageName.EXECUTION, StageName.REFLECTION))


def phase_of(stage: StageName, failed: bool, ended: bool) -> Phase:
    """Name the phase of a checkpoint that is made in a stage.

    ``failed``: something failed that nothing has mended yet, so that who changes something, or
    thinks it over, is fixing. ``ended``: the task is over; with a failure it is not completed.
    """
    if ended and not failed:
        return Phase.COMPLETED
    if failed and stage in _MENDING:
        return Phase.FIXING
    return _PHASES[stage]
