"""Actions: what a call does, and the stage that each kind of action belongs to."""

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
    """Looks whether something holds: a diff, a health page, a reproduction."""
    RUN = "run"
    """Runs a program of which nothing more is known."""
    SUBMIT = "submit"
    """Hands the work in."""
    NONE = "none"
    """Waits, echoes, hands the work to somebody else: tells nothing."""


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
"""How sure an action makes its stage; 0.8 where none is given."""

SURE = 0.8

STRENGTH = {
    action: rank
    for rank, action in enumerate(
        (Action.NONE, Action.LOOK, Action.PLAN, Action.RUN, Action.CHECK, Action.WRITE,
         Action.PACKAGE, Action.BUILD, Action.LINT, Action.TEST, Action.SUBMIT)
    )
}  # fmt: skip
"""Of the parts of a command the strongest tells what the command does."""


def strongest(actions: list[Action]) -> Action:
    """Return the action that tells most; NONE for none."""
    return max(actions, key=STRENGTH.__getitem__, default=Action.NONE)
