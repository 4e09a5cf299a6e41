"""Kinds of actions, and the stage to which each kind belongs."""

from __future__ import annotations

from enum import StrEnum

from memoranda.stages.model import StageName


class Action(StrEnum):
    """Kinds of actions."""

    LOOK = "look"
    PLAN = "plan"
    WRITE = "write"
    """Changes something, in files or elsewhere."""
    PACKAGE = "package"
    """Installs or removes packages."""
    BUILD = "build"
    TEST = "test"
    LINT = "lint"
    CHECK = "check"
    """Checks a condition: a diff, a health page, a reproduction."""
    RUN = "run"
    """Runs a program whose purpose is unknown."""
    SUBMIT = "submit"
    """Submits the work."""
    NONE = "none"
    """Waits, echoes or delegates the work; not evidence of a stage."""


STAGES = {
    Action.LOOK: StageName.PLANNING,
    Action.PLAN: StageName.PLANNING,
    Action.WRITE: StageName.EXECUTION,
    Action.PACKAGE: StageName.EXECUTION,
    Action.BUILD: StageName.VERIFICATION,
    Action.TEST: StageName.VERIFICATION,
    Action.LINT: StageName.VERIFICATION,
    Action.CHECK: StageName.VERIFICATION,
    Action.RUN: StageName.VERIFICATION,
    Action.SUBMIT: StageName.VERIFICATION,
}

CONFIDENCE = {Action.WRITE: 0.9, Action.TEST: 0.9, Action.LINT: 0.9, Action.RUN: 0.6}
"""Confidence of the stage by action; 0.8 for an action that is not listed."""

SURE = 0.8

STRENGTH = {
    action: rank
    for rank, action in enumerate(
        (Action.NONE, Action.LOOK, Action.PLAN, Action.RUN, Action.CHECK, Action.WRITE,
         Action.PACKAGE, Action.BUILD, Action.LINT, Action.TEST, Action.SUBMIT)
    )
}  # fmt: skip
"""Rank of actions; the action of a command is that of its highest-ranked part."""


def strongest(actions: list[Action]) -> Action:
    """Return the highest-ranked action; NONE for an empty list."""
    return max(actions, key=STRENGTH.__getitem__, default=Action.NONE)
