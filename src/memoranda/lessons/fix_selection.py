"""Selects the changes that resolved an error."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from memoranda.errors.signature import names_in
from memoranda.lessons.task_record import changes, error_line, target
from memoranda.lessons.tool_failure_rates import tool_name
from memoranda.lessons.vocabulary import tools
from memoranda.observations.model import Observation, Salience

CHANGES = 2
"""Maximum number of changes per error, counted from the last."""
FEW = 3
"""Maximum number of steps from which a change is selected without evidence."""
_DOING = frozenset({"edit", "install"})
"""Tags of steps that change something, whatever else they do."""


def ended_by(
    error: Observation, done: Sequence[Observation], others: Mapping[str, Observation]
) -> tuple[tuple[Observation, ...], bool]:
    """Return the changes that resolved an error, and whether they concern it.

    Changes that share a name with the error are preferred, then changes of the error's target, then
    edits, then any changes if there are few of them and they resolved no other error.

    ``done``: the steps, oldest first. ``others``: the errors that some of these steps resolved, by
    step id. Quarantined changes are never selected.
    """
    observations, near = _about_it(error, done)
    edits = [
        observation for observation in done if _changes(observation) and "edit" in observation.tags
    ]
    chosen = observations or edits or _few(done, others)
    return tuple(chosen[-CHANGES:]), near


def tried_against(
    error: Observation, done: Sequence[Observation], others: Mapping[str, Observation]
) -> tuple[Observation, ...]:
    """Return the changes that did not resolve an error.

    Changes that concern the error are preferred; otherwise all changes except edits are returned,
    if there are few. ``done``: the steps before the last attempt.
    """
    observations, _ = _about_it(error, done)
    chosen = observations or _few(
        [observation for observation in done if "edit" not in observation.tags], others
    )
    return tuple(chosen[-CHANGES:])


def _about_it(
    error: Observation, done: Sequence[Observation]
) -> tuple[Sequence[Observation], bool]:
    """Return the changes that share a name with an error, or with its target."""
    cause = names_in(f"{error_line(error)}\n{error.summary.partition(chr(10))[2]}")
    changed = [observation for observation in done if _changes(observation)]
    for near, names in ((True, cause), (False, names_in(target(error)))):
        chosen = [item for item in changed if _about(item, names)]
        if chosen:
            return chosen, near
    return (), False


def _few(done: Sequence[Observation], others: Mapping[str, Observation]) -> Sequence[Observation]:
    """Return the changes that resolved no other error, if there are few."""
    rest = _unclaimed([observation for observation in done if _changes(observation)], others)
    return rest if len(rest) <= FEW else ()


def _changes(one: Observation) -> bool:
    if one.salience in (Salience.QUARANTINED, Salience.LOW) or not changes(one):
        return False
    unrelated = tools("looking") | tools("recording")
    return not _DOING.isdisjoint(one.tags) or tool_name(one) not in unrelated


def _unclaimed(done: Sequence[Observation], others: Mapping[str, Observation]) -> list[Observation]:
    """Return the steps that are not between another error and its resolution."""
    spans = [
        (observation.task, others[observation.resolves], observation.sequence)
        for observation in done
        if observation.resolves and observation.resolves in others
    ]
    return [
        item
        for item in done
        if not any(
            item.task == task
            and item.sequence <= last
            and (error.task != task or error.sequence < item.sequence)
            for task, error, last in spans
        )
    ]


def _about(one: Observation, names: Sequence[str]) -> bool:
    text = "\n".join((one.summary, *one.files)).lower()
    return any(name in text for name in names)
