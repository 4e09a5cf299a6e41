"""Observations in the model."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from contract.model.content import Content, Model, demand
from memoranda.observations.model import ContentFormat, Observation, ObservationType, Salience
from memoranda.observations.table import (
    ANY,
    END,
    DuplicateObservation,
    NewObservation,
    ObservationFilter,
    ObservationSpan,
    RemovedObservations,
    content_key,
    copied_key,
)
from memoranda.observations.total_table import CaptureTotals, ScopeTotals


def known_keys(model: Model, team: str, keys: Iterable[str]) -> set[str]:
    """Return those of the event keys that were stored or deleted before."""
    content = model.of(team)
    stored = {new.event_key for new in content.observations.values()}
    return set(keys) & (stored | set(content.tombstones))


def insert(model: Model, news: Sequence[NewObservation]) -> None:
    """Write observations with their full text."""
    for new in news:
        content = model.of(new.observation.team)
        demand(new.observation.task in content.tasks, "an observation belongs to a task")
        for key in _keys(new):
            taken = any(key in _keys(other) for other in content.observations.values())
            demand(not taken, f"{key} is unique")
        content.observations[new.observation.id] = new
        if new.text:
            content.texts["observation", new.text.id] = new.text


def same_content(
    model: Model, team: str, task: str, hashes: Sequence[str]
) -> dict[str, list[DuplicateObservation]]:
    """Return earlier observations of a task by content, newest first."""
    news = model.of(team).observations.values()
    newest = sorted(news, key=lambda new: new.observation.sequence, reverse=True)
    return {
        digest: [
            DuplicateObservation(one.id, new.source, one.created_at, one.repeats, one.tags)
            for new, one in ((new, new.observation) for new in newest)
            if (one.task, one.content_hash) == (task, digest)
        ]
        for digest in hashes
    }


def standing_errors(model: Model, team: str, task: str) -> dict[str, str]:
    """Return the open error of each target of a task."""
    errors = model.of(team).errors
    return {target: id for (where, target), id in errors.items() if where == task}


def open_error(model: Model, team: str, task: str, target: str, id: str) -> None:
    """Set the open error of a target."""
    content = model.of(team)
    demand(task in content.tasks, "an error stands in a task")
    content.errors[task, target] = id


def close_error(model: Model, team: str, task: str, target: str) -> None:
    """Clear the open error of a target."""
    model.of(team).errors.pop((task, target), None)


def by_ids(model: Model, team: str, ids: Sequence[str]) -> dict[str, Observation]:
    """Return observations by id."""
    news = model.of(team).observations
    return {id: news[id].observation for id in ids if id in news}


def content_format(model: Model, team: str, id: str) -> ContentFormat:
    """Return the format of an observation's content."""
    new = model.of(team).observations.get(id)
    return new.format if new else ContentFormat.TEXT


def matching_name(model: Model, team: str, name: str) -> list[str]:
    """Return the id for a short name, or at most six ids with the prefix."""
    every = _all(model.of(team))
    if "#" in name:
        return [one.id for one in every if one.ref == name]
    return sorted(one.id for one in every if one.id.startswith(name))[:6]


def in_task(
    model: Model,
    team: str,
    task: str,
    *,
    where: ObservationFilter = ANY,
    span: tuple[int, int] = (0, END),
    limit: int,
) -> list[Observation]:
    """Return observations of a task by sequence, strictly between ``span``."""
    found = [
        one
        for one in _all(model.of(team))
        if one.task == task and span[0] < one.sequence < span[1] and _fits(one, where)
    ]
    return sorted(found, key=lambda one: one.sequence)[:limit]


def recent(
    model: Model,
    team: str,
    workspace: str | None,
    *,
    where: ObservationFilter = ANY,
    before: str = "~",
    limit: int,
) -> list[Observation]:
    """Return observations newest first."""
    found = [one for one in _scope(model, team, workspace) if one.id < before and _fits(one, where)]
    return sorted(found, key=lambda one: one.id, reverse=True)[:limit]


def critical(model: Model, team: str, task: str) -> list[Observation]:
    """Return the constraints that a person stated in a task, oldest first."""
    found = [one for one in _scope(model, team, None, task) if one.salience is Salience.CRITICAL]
    return sorted(found, key=lambda one: one.sequence)


def open_errors(model: Model, team: str, task: str, limit: int) -> list[Observation]:
    """Return unresolved errors of a task, newest first."""
    news = model.of(team).observations
    standing = sorted(standing_errors(model, team, task).values(), reverse=True)
    return [news[id].observation for id in standing if id in news][:limit]


def count_redactions(model: Model, team: str, task: str, counts: Mapping[str, int]) -> None:
    """Add to the redactions of a task, by rule."""
    content = model.of(team)
    for rule, count in counts.items():
        demand(task in content.tasks, "something was taken out of a task")
        content.redactions[task, rule] = content.redactions.get((task, rule), 0) + count


def redactions(
    model: Model, team: str, workspace: str | None, task: str | None = None
) -> dict[str, int]:
    """Return the number of redactions, by rule."""
    content, found = model.of(team), Counter[str]()
    for (where, rule), count in content.redactions.items():
        if task in (None, where) and workspace in (None, content.tasks[where].workspace):
            found[rule] += count
    return dict(found)


def by_type(
    model: Model, team: str, workspace: str | None, task: str | None = None
) -> dict[str, int]:
    """Return how many observations there are of each type."""
    return dict(Counter(one.type.value for one in _scope(model, team, workspace, task)))


def measures(
    model: Model, team: str, workspace: str | None, task: str | None = None
) -> ScopeTotals:
    """Return the totals of a workspace or task."""
    found = list(_scope(model, team, workspace, task))
    return ScopeTotals(
        len(found),
        sum(one.repeats is not None for one in found),
        sum(one.tokens for one in found),
        sum(one.redactions for one in found),
        max((one.recorded_at for one in found), default=None),
    )


def captured(model: Model, team: str, workspace: str | None, since: int) -> CaptureTotals:
    """Return the amount captured in a workspace, or in the team."""
    found = list(_scope(model, team, workspace))
    return CaptureTotals(
        len(found),
        sum(one.recorded_at >= since for one in found),
        max((one.recorded_at for one in found), default=None),
        sum(one.tokens for one in found),
        sum(len(one.summary) for one in found),
    )


def summaries(model: Model, team: str, workspace: str | None, task: str | None = None) -> list[str]:
    """Return every summary of a scope, without folded repeats."""
    return [one.summary for one in _scope(model, team, workspace, task) if one.repeats is None]


def matching(
    model: Model,
    team: str,
    span: ObservationSpan,
    *,
    after: str = "",
    limit: int,
) -> list[str]:
    """Return ids of the observations of a span, oldest first."""
    routine = (Salience.LOW, Salience.FOLDED)
    found = [
        one.id
        for one in _scope(model, team, span.workspace, span.task)
        if (span.since is None or one.created_at >= span.since)
        and (span.until is None or one.created_at < span.until)
        and (one.salience in routine or not span.routine_only)
        and one.id > after
    ]
    return sorted(found)[:limit]


def delete(model: Model, team: str, ids: Sequence[str], now: int) -> RemovedObservations:
    """Delete observations with their full text; keep their keys as deleted."""
    content = model.of(team)
    doomed = [
        content.observations.pop(id) for id in dict.fromkeys(ids) if id in content.observations
    ]
    content.errors = {key: id for key, id in content.errors.items() if id not in ids}
    for id, left in content.observations.items():
        if left.observation.repeats in ids:
            alone = replace(left.observation, repeats=None)
            content.observations[id] = replace(left, observation=alone)
    for new in doomed:
        content.texts.pop(("observation", new.observation.id), None)
        for key in _buried(content, new):
            content.tombstones.setdefault(key, now)
    gone = [new.observation for new in doomed]
    hashes, tasks = ({one.content_hash for one in gone}, {one.task for one in gone})
    return RemovedObservations(len(gone), tuple(sorted(hashes)), tuple(sorted(tasks)))


def has_observations(model: Model, team: str, task: str) -> bool:
    """Return whether a task still has observations."""
    return any(one.task == task for one in _all(model.of(team)))


def by_event(model: Model, team: str, event_key: str) -> Observation | None:
    """Return the observation of an event, by its key."""
    news = model.of(team).observations.values()
    return next((new.observation for new in news if new.event_key == event_key), None)


def _keys(new: NewObservation) -> tuple[tuple[str, object], ...]:
    """Return the values that must be unique among a team's observations."""
    one = new.observation
    return (
        ("id", one.id),
        ("ref", one.ref),
        ("sequence", (one.task, one.sequence)),
        ("event_key", new.event_key),
    )


def _buried(content: Content, new: NewObservation) -> list[str]:
    """Return the keys under which a deleted event must not come back."""
    one, task = new.observation, content.tasks[new.observation.task]
    message = one.type is ObservationType.MESSAGE
    also = [content_key(task.host, task.session, one.content_hash)] if message else []
    return [new.event_key, *also, copied_key(new.event_key, one.created_at)]


def _all(content: Content) -> Iterator[Observation]:
    return (new.observation for new in content.observations.values())


def _scope(
    model: Model, team: str, workspace: str | None, task: str | None = None
) -> Iterator[Observation]:
    return (
        one
        for one in _all(model.of(team))
        if workspace in (None, one.workspace) and task in (None, one.task)
    )


def _fits(one: Observation, where: ObservationFilter) -> bool:
    enough: Callable[[Iterable[bool]], bool] = any if where.any_tag else all
    return (
        where.type in (None, one.type)
        and where.agent in (None, one.agent)
        and (where.since is None or one.created_at >= where.since)
        and (where.until is None or one.created_at < where.until)
        and (where.with_repeats or one.repeats is None)
        and (not where.tags or enough(tag in one.tags for tag in where.tags))
        and (not where.files or any(file in one.files for file in where.files))
    )
