"""Commands for supervisors: interventions, their context and outcome."""

from __future__ import annotations

import json
from typing import Any

import click

from memoranda.cli.open_memory import opened
from memoranda.cli.operation_commands import OperationCommands, Row
from memoranda.cli.options import place, workspace_option
from memoranda.cli.output import Output, command, day, remark
from memoranda.exceptions import InvalidInput
from memoranda.supervision.model import Intervention, InterventionOutcome, StrategicContext

NAME = 18
"""Number of leading characters of an id that are shown and identify it."""


@click.group()
def supervisor_command() -> None:
    """Manage interventions: tasks that need attention, and the outcomes."""


@supervisor_command.command(
    "context",
    epilog="Example: memoranda supervisor context --task 3 --metrics '{\"error_rate\": 0.4}'",
)
@workspace_option
@click.option("--task", help="Task number or id. Default: the newest active task.")
@click.option("--metrics", metavar="JSON", help="Custom metrics as JSON, such as coherence.")
@click.option("--query", help="Decision to make.")
@click.option("--budget", type=click.IntRange(1), help="Maximum tokens. Default: 2,000.")
@command
def supervisor_context(
    out: Output, data_dir: str | None, workspace: str | None, task: str | None, **options: Any
) -> None:
    figures = _metrics(options.pop("metrics"))
    with opened(data_dir, fresh=True) as memory:
        where = place(memory, workspace, task)
        context = memory.supervisor.context(workspace=where, task=task, metrics=figures, **options)
    if out.format != "json":  # the JSON output already includes these
        _note(context)
    out.text(context, context.context.text)


supervisor = OperationCommands(
    supervisor_command,
    "supervisor",
    click.option("--task", help="Only interventions of this task."),
)


@supervisor.view(
    "list",
    "supervisor list --state open",
    columns=("id", "raised", "signal", "state", "outcome", "reason"),
    fresh=True,
)
def _row(found: Intervention) -> Row:
    raised, outcome = day(found.raised_at), found.outcome or ""
    return found.id[:NAME], raised, found.signal, found.state, outcome, found.reason


@supervisor_command.command(
    "outcome",
    epilog="Example: memoranda supervisor outcome 01a2042c-5b1e-7000 --helped --note 'loop ended'",
)
@click.argument("id")
@click.option(
    "--helped",
    "outcome",
    flag_value=InterventionOutcome.HELPED.value,
    help="The task improved afterwards.",
)
@click.option(
    "--hurt",
    "outcome",
    flag_value=InterventionOutcome.HURT.value,
    help="The task got worse afterwards.",
)
@click.option("--note", default="", help="Description of the intervention.")
@click.option("--correct", is_flag=True, help="Replace an earlier outcome.")
@command
def supervisor_outcome(
    out: Output, data_dir: str | None, id: str, outcome: str | None, note: str, correct: bool
) -> None:
    """The outcome also rates the memories in the context of the intervention."""
    if outcome is None:
        raise InvalidInput("add --helped or --hurt")
    with opened(data_dir) as memory:
        recorded = memory.supervisor.outcome(id, outcome, note=note, correct=correct)
    message = f"{recorded.intervention.id[:NAME]}  {recorded.intervention.outcome}"
    message += f", {len(recorded.rated)} memories rated" if recorded.rated else ""
    out.text(recorded, message)


@supervisor.view(
    "news",
    "supervisor news --channel mail",
    click.option("--channel", default="news", help="Channel to notify; each is notified once."),
    columns=("id", "signal", "raised", "reason"),
    fresh=True,
)
def _news_row(found: Intervention) -> Row:
    return found.id[:NAME], found.signal, day(found.raised_at), found.reason


def _note(found: StrategicContext) -> None:
    """Show the basis of the assessment, and how to record the outcome."""
    figures = "  ".join(f"{name} {value:g}" for name, value in found.metrics.items())
    remark(f"note: {found.state}; {figures or 'no metrics'}")
    if found.intervention:
        id = found.intervention[:NAME]
        remark(f"note: to record the outcome: memoranda supervisor outcome {id}")


def _metrics(text: str | None) -> dict[str, Any] | None:
    """Parse metrics from JSON.

    Raises:
        InvalidInput: the text is not a JSON object.
    """
    if text is None:
        return None
    try:
        result = json.loads(text)
    except ValueError:
        result = None
    if not isinstance(result, dict):
        raise InvalidInput('metrics must be a JSON object, such as {"error_rate": 0.4}')
    return result
