"""Commands for rules that approve proposals automatically."""

from __future__ import annotations

import sys
from typing import Any

import click

from memoranda.cli.open_memory import opened
from memoranda.cli.options import one_of, page_options, place, workspace_option
from memoranda.cli.output import Output, command, day
from memoranda.exceptions import InvalidInput
from memoranda.memories.model import Category, MemorySource
from memoranda.observations.model import Origin

CONDITIONS = ("source", "category", "confidence")
"""Condition options; a rule has one, unless it applies to every memory."""


@click.group()
def rules_command() -> None:
    """Manage rules that approve new memories automatically.

    By default there are no rules.
    """


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
    "--agents", is_flag=True, help="Include statements by agents, not only what the record shows."
)
@click.option("--every", is_flag=True, help="Every new memory, from any source.")
@command
def rules_add(
    out: Output, data_dir: str | None, workspace: str | None, every: bool, **options: Any
) -> None:
    """It has a condition (--source, --category or --confidence), or applies to --every one.
    Critical or protected memories and changes always need a review.
    """
    if not every and all(options[name] is None for name in CONDITIONS):
        _confirm_unconditional()
        every = True
    options["confidence"] = options["confidence"] or 0.0
    with opened(data_dir) as memory:
        rule = memory.rules.add(every=every, workspace=place(memory, workspace), **options)
    out.text(rule, f"{rule.id}  is active; `memoranda pending rules remove` removes it")


def _confirm_unconditional() -> None:
    """Continue with a rule without a condition only if a person confirms.

    Raises:
        InvalidInput: nobody is at a terminal, or the person declines.
    """
    if not sys.stdin.isatty():
        raise InvalidInput(
            "this rule would approve every new memory; add --source, --category or --confidence, "
            "or --every if that is meant"
        )
    if not click.confirm("This rule approves every new memory without a review. Add it?"):
        raise InvalidInput(
            "no rule was added; to limit it, use --source, --category or --confidence"
        )


@rules_command.command("list", epilog="Example: memoranda pending rules list")
@workspace_option
@page_options
@command
def rules_list(out: Output, data_dir: str | None, workspace: str | None, **paging: Any) -> None:
    with opened(data_dir) as memory:
        page = memory.rules.list(workspace=place(memory, workspace), **paging)
    rows = [
        (rule.id, rule.source or "any", rule.category or "any", f"{rule.confidence:.2f}",
         rule.origin,
         "too" if rule.agents else "no", rule.workspace or "all", rule.created_by,
         day(rule.created_at))
        for rule in page
    ]  # fmt: skip
    names = ("id", "source", "category", "sure", "origin", "agents", "workspace", "by", "since")
    out.rows(page, names, rows)


@rules_command.command(
    "remove", epilog="Example: memoranda pending rules remove 01a2042c-5b1e-7000"
)
@click.argument("id")
@command
def rules_remove(out: Output, data_dir: str | None, id: str) -> None:
    with opened(data_dir) as memory:
        removed = memory.rules.remove(id)
    out.text({"removed": removed}, f"{removed}  removed")
