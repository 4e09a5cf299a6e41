"""Commands for quarantined observations.

Their text reads like instructions to the agent; contexts exclude these observations until a person
releases them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from memoranda.cli.open_memory import opened
from memoranda.cli.operation_commands import OperationCommands, Row
from memoranda.cli.output import Output, day, pairs
from memoranda.cli.proposals import visible

if TYPE_CHECKING:
    from memoranda.quarantine.model import QuarantinedObservation


@click.group()
def quarantine_command() -> None:
    """Review outputs and pages that read like instructions to the agent.

    Quarantined texts are excluded from contexts until they are released.
    """


quarantine = OperationCommands(
    quarantine_command,
    "quarantine",
    click.option("--task", help="Only this task."),
    click.option("--released", is_flag=True, help="List released observations instead."),
)


@quarantine.view(
    "list",
    "quarantine list --released",
    columns=("ref", "reason", "origin", "time", "title"),
    fresh=True,
)
def _row(found: QuarantinedObservation) -> Row:
    observation = found.observation
    title = visible(observation.summary.partition("\n")[0])
    return (
        observation.ref,
        found.held.reason,
        observation.origin,
        day(observation.created_at),
        title,
    )


@quarantine.command("show", "quarantine show 3#42")
def quarantine_show(out: Output, data_dir: str | None, id: str) -> None:
    """The full content of the observation is shown too.

    Invisible characters are shown too.
    """
    with opened(data_dir, fresh=True) as memory:
        observation = memory.quarantine.show(id)
        content = memory.observations.show(observation.observation.id).content
    payload = {"quarantined": observation, "content": content}
    out.recalled(payload, f"{pairs(_labels(observation))}\n\n{visible(content)}")


@quarantine.view("release", "quarantine release 3#42")
def _released(found: QuarantinedObservation) -> str:
    ref = found.observation.ref
    return f"{ref}  released; `memoranda quarantine hold {ref}` reverts it"


@quarantine.view("hold", "quarantine hold 3#42")
def _held(found: QuarantinedObservation) -> str:
    return f"{found.observation.ref}  quarantined: excluded from every context"


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
