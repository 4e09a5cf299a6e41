"""Commands for rules that approve proposals automatically."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import click

from memoranda.cli.open_memory import opened
from memoranda.cli.operation_commands import OperationCommands, Row
from memoranda.cli.options import one_of, place, workspace_option
from memoranda.cli.output import Output, command, day
from memoranda.exceptions import InvalidInput
from memoranda.memories.model import Category, MemorySource
from memoranda.observations.model import Origin

if TYPE_CHECKING:
    from memoranda.proposals.approval_rule import ApprovalRule


CONDITIONS = ("source", "category", "confidence")
"""Options for conditions; a rule has at least one condition, unless it applies to every memory."""


@click.group()
def rules_command() -> None:
    """Manage rules that approve new memories automatically.

    By default there are no rules.
    """


rules = OperationCommands(rules_command, "pending rules")


@rules_command.command(
    "add",
    epilog="Example: memoranda pending rules add --source execution --category troubleshooting "
    "--confidence 0.7",
)
@workspace_option
@click.option("--source", type=one_of(MemorySource), help="Only memories from this source.")
@click.option("--category", type=one_of(Category), help="Only memories of this category.")
@click.option("--confidence", type=float, help="Minimum confidence, 0 to 1.")
@click.option(
    "--origin",
    type=one_of(Origin),
    default=Origin.GENERATED.value,
    help="Minimum trust: human, agent, tool, generated, import.",
)
@click.option(
    "--agents", is_flag=True, help="Include statements by agents, not only facts from the record."
)
@click.option("--every", is_flag=True, help="Every new memory, from any source.")
@command
def rules_add(
    out: Output, data_dir: str | None, workspace: str | None, every: bool, **options: Any
) -> None:
    """A rule has a condition (--source, --category or --confidence) or --every. Critical or
    protected memories, and changes of memories, always need a review.
    """
    if not every and all(options[name] is None for name in CONDITIONS):
        _confirm_unconditional()
        every = True
    options["confidence"] = options["confidence"] or 0.0
    with opened(data_dir) as memory:
        rule = memory.rules.add(every=every, workspace=place(memory, workspace), **options)
    out.text(rule, f"{rule.id}  is active; to remove it: memoranda pending rules remove")


def _confirm_unconditional() -> None:
    """Require a person's confirmation for a rule without a condition.

    Raises:
        InvalidInput: standard input is not a terminal, or the person declines.
    """
    if not sys.stdin.isatty():
        raise InvalidInput(
            "this rule would approve every new memory; add --source, --category or --confidence, "
            "or --every if that is meant"
        )
    if not click.confirm("This rule approves every new memory without a review. Add it?"):
        raise InvalidInput(
            "no rule was added; to limit the rule, use --source, --category or --confidence"
        )


@rules.view(
    "list",
    "pending rules list",
    columns=("id", "source", "category", "sure", "origin", "agents", "workspace", "by", "since"),
)
def _row(rule: ApprovalRule) -> Row:
    source, category, sure = rule.source or "any", rule.category or "any", f"{rule.confidence:.2f}"
    agents, workspace = "too" if rule.agents else "no", rule.workspace or "all"
    by, since = rule.created_by, day(rule.created_at)
    return rule.id, source, category, sure, rule.origin, agents, workspace, by, since


@rules.view("remove", "pending rules remove 01a2042c-5b1e-7000", key="removed")
def _removed(id: str) -> str:
    return f"{id}  removed"
