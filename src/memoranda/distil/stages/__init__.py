"""Which stage a task is in, told from its steps without a model.

Pure functions: a step comes in, a small state goes on, now and then a transition comes out.
"""

from memoranda.distil.stages.observed import step_of
from memoranda.distil.stages.phases import phase_of
from memoranda.distil.stages.reading import read
from memoranda.distil.stages.state import Before, StageState
from memoranda.distil.stages.step import Outcome, Signal, Speaker, Step
from memoranda.distil.stages.tracking import Patience, StageTracker, Tracked

__all__ = [
    "Before",
    "Outcome",
    "Patience",
    "Signal",
    "Speaker",
    "StageState",
    "StageTracker",
    "Step",
    "Tracked",
    "phase_of",
    "read",
    "step_of",
]
