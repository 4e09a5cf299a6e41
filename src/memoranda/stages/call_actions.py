"""The kind of action of a step's call."""

from __future__ import annotations

from memoranda.stages.action import Action, strongest
from memoranda.stages.commands import command_action
from memoranda.stages.step import Step
from memoranda.stages.tools import EDITORS, SHELLS, action_of_name, bare_name

_TAGGED = (
    ("test", Action.TEST),
    ("lint", Action.LINT),
    ("build", Action.BUILD),
    ("edit", Action.WRITE),
    ("search", Action.LOOK),
    ("read", Action.LOOK),
    ("web", Action.LOOK),
    ("plan", Action.PLAN),
)
"""Actions by tags of an observation; the first tag that is present counts."""


def action_of(step: Step) -> Action | None:
    """Return the action of a step; None for one that is only a message."""
    if step.tool is None:
        return None
    name = bare_name(step.tool)
    if name in EDITORS:
        return Action.LOOK if step.command.strip() == "view" else Action.WRITE
    if step.command and (name in SHELLS or action_of_name(step.tool) in (None, Action.RUN)):
        line = step.command if name in SHELLS else f"{name} {step.command}"
        return _described(command_action(line), step)
    action = Action.RUN if name in SHELLS else action_of_name(step.tool)
    return _described(action or Action.RUN, step)


def _described(action: Action, step: Step) -> Action:
    """Refine the action by tags, for unknown programs and long commands.

    Tags say what an unknown program did, and what a long command ran as well.
    """
    if "test" in step.tags:
        return strongest([action, Action.TEST])
    if action is not Action.RUN:
        return action
    return next((tagged for tag, tagged in _TAGGED if tag in step.tags), action)
