"""Commands for quarantined observations.

Their text reads like instructions to the agent; no context contains them until a person releases
them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from memoranda.cli.open_memory import opened
from memoranda.cli.options import page_options, place, workspace_option
from memoranda.cli.output import Output, command, day, pairs
from memoranda.cli.proposals import visible

if TYPE_CHECKING:
    from memoranda.quarantine.model import QuarantinedObservation


@click.group()
def quarantine_command() -> None:
    """Review outputs and pages that read like instructions to the agent.

    They are excluded from contexts until released.
    """


@quarantine_command.command("list", epilog="Example: memoranda quarantine list --released")
@workspace_option
@click.option("--task", help="Only this task.")
@click.option("--released", is_flag=True, help="List released observations instead.")
@page_options
@command
def quarantine_list(
    out: Output,
    data_dir: str | None,
    workspace: str | None,
    task: str | None,
    released: bool,
    **paging: Any,
) -> None:
    with opened(data_dir, fresh=True) as memory:
        page = memory.quarantine.list(
            workspace=place(memory, workspace, task), task=task, released=released, **paging
        )
    rows = [
        (
            observation.observation.ref,
            observation.held.reason,
            observation.observation.origin,
            day(observation.observation.created_at),
            visible(observation.observation.summary.partition("\n")[0]),
        )
        for observation in page
    ]
    out.rows(page, ("ref", "reason", "origin", "time", "title"), rows)


@quarantine_command.command("show", epilog="Example: memoranda quarantine show 3#42")
@click.argument("id")
@command
def quarantine_show(out: Output, data_dir: str | None, id: str) -> None:
    """Its full content is shown too.

    Invisible characters are shown too.
    """
    with opened(data_dir, fresh=True) as memory:
        observation = memory.quarantine.show(id)
        content = memory.observations.show(observation.observation.id).content
    payload = {"quarantined": observation, "content": content}
    out.recalled(payload, f"{pairs(_labels(observation))}\n\n{visible(content)}")


@quarantine_command.command("release", epilog="Example: memoranda quarantine release 3#42")
@click.argument("id")
@command
def quarantine_release(out: Output, data_dir: str | None, id: str) -> None:
    with opened(data_dir) as memory:
        observation = memory.quarantine.release(id)
    ref = observation.observation.ref
    out.text(observation, f"{ref}  released; `memoranda quarantine hold {ref}` reverts it")


@quarantine_command.command("hold", epilog="Example: memoranda quarantine hold 3#42")
@click.argument("id")
@command
def quarantine_hold(out: Output, data_dir: str | None, id: str) -> None:
    with opened(data_dir) as memory:
        observation = memory.quarantine.hold(id)
    out.text(
        observation, f"{observation.observation.ref}  quarantined: excluded from every context"
    )


def _labels(found: QuarantinedObservation) -> dict[str, object]:
    observation, record = found.observation, found.held
    labels: dict[str, object] = {
        "observation": f"{observation.ref} "
        f"({observation.origin}, {observation.tool or observation.type})",
        "reason": record.reason,
        "since": day(record.created_at),
        "state": "quarantined" if record.held else "released",
    }
    if record.decided_at is not None:
        labels["decided"] = f"{day(record.decided_at)} by {record.decided_by}"
    return labels
