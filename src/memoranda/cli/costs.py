"""Commands for the costs and the budget of language models."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from memoranda.cli.open_memory import opened
from memoranda.cli.operation_commands import OperationCommands
from memoranda.cli.output import Output, command, pairs, write
from memoranda.costs.model import DOLLAR, amount, dollars, refusals

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memoranda.costs.model import BudgetStatus, CostTotal

HEADINGS = ("operation", "agent", "task", "model", "day")
OWN = "by `memoranda budget set`, in place of monthly_budget_dollars"
SETTING = "by the setting monthly_budget_dollars"
NO_CALLS = "no model calls"
WIDTH = 40
"""Length of the longest bar in characters."""


def _amount(text: str) -> float:
    try:
        return float(amount(text))
    except ValueError:
        raise click.BadParameter(f"{text!r} is not an amount in dollars, such as 20") from None


@click.group()
def budget_command() -> None:
    """Manage the budget: what language models may cost in a month."""


budgets = OperationCommands(budget_command, "budget")


@budgets.view("show", "budget show")
def _budget(found: BudgetStatus) -> str:
    shown: dict[str, object] = {
        "month": found.month,
        "budget": f"{dollars(found.limit)}, {OWN if found.own_limit else SETTING}",
        "spent": f"{dollars(found.spent)}, including reservations for running calls",
        "left": dollars(found.left),
        "alert at": f"{found.alert_share:.0%}{', exceeded' if found.alerted else ''}",
    }
    if note := refusals(found.refused, found.refused_cost, found.left):
        shown["refused"] = note
    return pairs(shown)


@budgets.view(
    "set",
    "budget set 20 --alert-share 0.5",
    click.argument("dollars", type=_amount, required=False),
    click.option(
        "--alert-share",
        "--alert",
        type=float,
        help="Fraction of the budget, 0.01 to 1, that triggers an alert, such as 0.75.",
    ),
)
def _set(found: BudgetStatus) -> str:
    """Without a number, the setting monthly_budget_dollars applies again."""
    return _budget(found)


@click.group()
def cost_command() -> None:
    """Show what language models have cost."""


@cost_command.command("report", epilog="Example: memoranda cost report --by day --month 2026-11")
@click.option(
    "--by",
    type=click.Choice(HEADINGS),
    default="operation",
    help="Value by which the rows are grouped.",
)
@click.option("--month", help="Month, such as 2026-11. Default: all months.")
@click.option("--plot", is_flag=True, help="Draw a bar for each row.")
@command
def cost_report(out: Output, data_dir: str | None, by: str, month: str | None, plot: bool) -> None:
    with opened(data_dir) as memory:
        spent = memory.costs.report(by, month=month)
        status = memory.costs.budget()
    if plot and out.format != "json":
        out.text(list(spent), _bars(spent) or NO_CALLS)
        _refused(out, status, month)
        return
    rows = [
        (
            total.name or "-",
            total.calls,
            total.input_tokens,
            total.output_tokens,
            dollars(total.cost),
        )
        for total in spent
    ]
    heading = f"{by} (UTC)" if by == "day" else by
    out.rows(
        list(spent), (heading, "calls", "tokens in", "tokens out", "cost"), rows, nothing=NO_CALLS
    )
    _refused(out, status, month)


def _refused(out: Output, found: BudgetStatus, month: str | None) -> None:
    note = refusals(found.refused, found.refused_cost, found.left)
    if note and out.format != "json" and month in (None, found.month):
        write(note)


def _bars(spent: Sequence[CostTotal]) -> str:
    most = max((cost_total.cost for cost_total in spent), default=0) or DOLLAR
    longest = max((len(item.name) for item in spent), default=0)
    return "\n".join(
        f"{total.name or '-':{longest}}  {'█' * round(WIDTH * total.cost / most)} "
        f"{dollars(total.cost)}"
        for total in spent
    )
