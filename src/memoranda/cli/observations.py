"""Commands that list and show observations."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import click

from memoranda.cli.open_memory import opened
from memoranda.cli.options import MomentParam, one_of, page_options, place, workspace_option
from memoranda.cli.output import Output, command, day, pairs
from memoranda.exceptions import NotFound
from memoranda.observations.model import (
    FullObservation,
    IndexEntry,
    Observation,
    ObservationType,
    Salience,
)

if TYPE_CHECKING:
    from memoranda import Memoranda
    from memoranda.observations.table import ObservationFilter

WITHHELD = "[quarantined: the text reads like an instruction to the agent]"


@click.group()
def observation_command() -> None:
    """Show observations: recorded events, in three layers of detail."""


def _filter_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options that filter a list of observations."""
    options = (
        workspace_option,
        click.option("--task", help="Only this task, in chronological order."),
        click.option(
            "--type", "type", type=one_of(ObservationType), help="Only observations of this type."
        ),
        click.option("--agent", help="Only this agent."),
        click.option(
            "--tag",
            multiple=True,
            help="Only observations with this tag. Repeatable; all must match.",
        ),
        click.option("--any-tag", is_flag=True, help="Match any of the tags."),
        click.option(
            "--file",
            "files",
            multiple=True,
            help="Only observations that refer to this file. Repeatable.",
        ),
        click.option(
            "--since",
            type=MomentParam(),
            help="Start: an ISO date, or an age such as 90m, 12h, 7d, 4w.",
        ),
        click.option("--until", type=MomentParam(), help="End: an ISO date, or an age."),
        click.option("--with-repeats", "--repeats", is_flag=True, help="Include duplicates."),
    )
    for option in reversed(options):
        function = option(function)
    return function


@observation_command.command(
    "index", epilog="Example: memoranda observation index --task 3 --file src/app.py"
)
@_filter_options
@page_options
@command
def observation_index(out: Output, data_dir: str | None, **options: Any) -> None:
    _show_list(out, data_dir, summaries=False, **options)


@observation_command.command(
    "list", epilog="Example: memoranda observation list --type error --since 7d"
)
@_filter_options
@click.option("--summaries", is_flag=True, help="Show full summaries (second layer).")
@page_options
@command
def observation_list(out: Output, data_dir: str | None, summaries: bool, **options: Any) -> None:
    _show_list(out, data_dir, summaries=summaries, **options)


def _show_list(
    out: Output,
    data_dir: str | None,
    *,
    summaries: bool,
    workspace: str | None,
    task: str | None,
    limit: int,
    cursor: str | None,
    **options: Any,
) -> None:
    where = _filter(**options)
    with opened(data_dir, fresh=True) as memory:
        meant = place(memory, workspace, task)
        among: dict[str, Any] = {"workspace": meant, "task": task, "cursor": cursor, "limit": limit}
        if summaries:
            page = memory.observations.list(**among, where=where)
            rows = [(o.ref, o.type, day(o.created_at), _marked(o)) for o in page]
            out.rows(page, ("ref", "type", "time", "summary"), rows, recalled=True)
            return
        index = memory.observations.index(**among, where=where)
    entries = [(e.ref, e.type, day(e.created_at), e.tokens, _marked(e)) for e in index]
    out.rows(index, ("ref", "type", "time", "tokens", "title"), entries, recalled=True)


def _marked(one: Observation | IndexEntry) -> str:
    """Return the title or summary, marked if contexts do not include it."""
    if isinstance(one, IndexEntry):
        return f"[quarantined] {one.title}" if one.quarantined else one.title
    quarantined = one.salience is Salience.QUARANTINED
    return f"[quarantined] {one.summary}" if quarantined else one.summary


def _filter(
    type: str | None, tag: tuple[str, ...], with_repeats: bool, **others: Any
) -> ObservationFilter:
    from memoranda.observations.table import ObservationFilter

    kind = ObservationType(type) if type else None
    return ObservationFilter(type=kind, tags=tag, with_repeats=with_repeats, **others)


@observation_command.command("show", epilog="Example: memoranda observation show 3#42")
@click.argument("id")
@click.option("--full", "alone", is_flag=True, help="Print only the content, as data for agents.")
@command
def observation_show(out: Output, data_dir: str | None, id: str, alone: bool) -> None:
    with opened(data_dir, fresh=True) as memory:
        full = _full_form(memory, id) if alone else memory.observations.show(id)
    if alone or out.format == "json":
        quarantined = full.observation.salience is Salience.QUARANTINED
        out.recalled(full, f"{WITHHELD}\n{full.content}" if quarantined else full.content)
        return
    observation = full.observation
    shown: dict[str, object] = {
        "ref": observation.ref,
        "id": observation.id,
        "type": f"{observation.type} ({observation.origin}, {observation.agent})",
        "time": day(observation.created_at),
        "task": f"{observation.task}, number {observation.sequence}",
        "tags": ", ".join(observation.tags),
        "files": ", ".join(observation.files),
        "tokens": observation.tokens,
        "redactions": observation.redactions,
    }
    if observation.salience is Salience.QUARANTINED:
        shown["quarantined"] = f"memoranda quarantine show {observation.ref}"
    if observation.resolves:
        shown["resolves"] = observation.resolves
    if observation.repeats:
        shown["repeats"] = observation.repeats
    parts = [pairs(shown), full.content]
    if not _contains(full.content, observation.summary):
        parts.insert(1, observation.summary)
    out.recalled(full, "\n\n".join(parts))


def _contains(content: str, summary: str) -> bool:
    """Return whether the content contains the summary, ignoring whitespace."""
    return " ".join(summary.split()) in " ".join(content.split())


@observation_command.command("ties", epilog="Example: memoranda observation ties 3#42")
@click.argument("ids", nargs=-1, required=True)
@command
def observation_ties(out: Output, data_dir: str | None, ids: tuple[str, ...]) -> None:
    """Ties are, for example, memories based on them and error resolutions."""
    with opened(data_dir, fresh=True) as memory:
        chosen = [memory.observations.show(id).observation for id in ids]
        found = memory.observations.backlinks([observation.id for observation in chosen])
    names = {item.id: item.ref for item in chosen}
    rows = [
        (names[backlinks.observation], backlinks.ended_by, backlinks.ends, backlinks.repeats,
         "\n".join(f"{memory.id}  {memory.title}" for memory in backlinks.memories))
        for backlinks in found
    ]  # fmt: skip
    out.rows(found, ("ref", "resolved by", "resolves", "repeats", "memories"), rows)


def _full_form(memory: Memoranda, id: str) -> FullObservation:
    """Return the full form of an observation that was shown shortened.

    If the observation is not found, spooled events are stored first: another process may not have
    stored it yet.
    """
    try:
        return memory.observations.show(id, full=True)
    except NotFound:
        memory.capture.drain(wait=True, light=True)
        return memory.observations.show(id, full=True)


@click.command(epilog="Example: memoranda timeline 3#42 --before 3 --after 3")
@click.argument("id")
@click.option(
    "--before",
    type=click.IntRange(0, 400),
    default=5,
    help="Number of events before the observation.",
)
@click.option(
    "--after",
    type=click.IntRange(0, 400),
    default=5,
    help="Number of events after the observation.",
)
@command
def timeline_command(out: Output, data_dir: str | None, id: str, before: int, after: int) -> None:
    with opened(data_dir, fresh=True) as memory:
        entries = memory.observations.timeline(id, before=before, after=after)
    rows = [
        (
            ">" if id in (e.ref, e.id[: len(id)]) else "",
            e.ref,
            e.type,
            day(e.created_at),
            _marked(e),
        )
        for e in entries
    ]
    out.rows(entries, ("", "ref", "type", "time", "title"), rows, recalled=True)
