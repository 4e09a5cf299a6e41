"""Commands for blocks, the texts that are always in an agent's context."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from memoranda.blocks.model import PromptForm
from memoranda.cli import block_edits
from memoranda.cli.block_places import changed, opened_as_caller, place_options, where_of
from memoranda.cli.options import one_of, page_options, stated
from memoranda.cli.output import Output, command, day, pairs

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memoranda.blocks.model import BlockHolder


@click.group()
def block_command() -> None:
    """Manage blocks: labelled texts an agent always has and may edit."""


@block_command.command("list", epilog="Example: memoranda block list --task 3")
@click.option("--deleted", is_flag=True, help="List deleted blocks.")
@place_options
@page_options
@command
def block_list(out: Output, data_dir: str | None, **options: Any) -> None:
    with opened_as_caller(data_dir, options) as (memory, how):
        page = memory.blocks.list(**how)
    rows = [
        (
            block.label,
            where_of(block),
            f"{block.size:,} / {block.limit:,}",
            block.version,
            day(block.updated_at),
            block.id,
        )
        for block in page
    ]
    out.rows(page, ("label", "of", "characters", "version", "updated", "id"), rows)


@block_command.command("show", epilog="Example: memoranda block show project")
@click.argument("label")
@place_options
@command
def block_show(out: Output, data_dir: str | None, label: str, **options: Any) -> None:
    with opened_as_caller(data_dir, options) as (memory, where):
        block = memory.blocks.show(label, **where)
    facts = {
        "label": block.label,
        "of": where_of(block),
        "about": block.description,
        "characters": f"{block.size:,} of {block.limit:,} ({block.used:.0%})",
        "tokens": block.tokens,
        "version": f"{block.version}, by {block.author}, {day(block.updated_at)}",
        "read-only": "for agents" if block.read_only else "no",
    }
    out.recalled(block, f"{pairs(facts)}\n\n{block.value}")


@block_command.command("prompt", epilog="Example: memoranda block prompt --task 3")
@click.option(
    "--form", type=one_of(PromptForm), default="xml",
    help="Output form."
)  # fmt: skip
@place_options
@command
def block_prompt(out: Output, data_dir: str | None, **options: Any) -> None:
    with opened_as_caller(data_dir, options) as (memory, how):
        text = memory.blocks.prompt(**how)
    out.verbatim({"prompt": text}, text)


@block_command.command("create", epilog='Example: memoranda block create style "Short answers."')
@click.argument("label")
@click.argument("value", default="")
@place_options
@click.option("--description", default="", help="Description, shown to agents.")
@click.option(
    "--limit", type=int, help="Maximum number of characters. Default: default_block_limit."
)
@click.option("--read-only", is_flag=True, help="Make it read-only for agents.")
@click.option("--shared", is_flag=True, help="Visible only to the agents it is attached to.")
@click.option("--private", is_flag=True, help="Visible only to the acting agent.")
@command
def block_create(
    out: Output,
    data_dir: str | None,
    label: str,
    value: str,
    workspace: str | None,
    task: str | None,
    agent: str | None,
    **options: Any,
) -> None:
    """Pass - as VALUE to read standard input."""
    from memoranda.blocks.changes import NewBlock

    new = NewBlock(label, stated(value), **options)
    meant = {"workspace": workspace, "task": task, "agent": agent}
    with opened_as_caller(data_dir, meant) as (memory, where):
        block = memory.blocks.create(new, **where)
    out.text(block, changed(block))


@block_command.command("history", epilog="Example: memoranda block history project")
@click.argument("label")
@place_options
@page_options
@command
def block_history(out: Output, data_dir: str | None, label: str, **options: Any) -> None:
    with opened_as_caller(data_dir, options) as (memory, how):
        page = memory.blocks.history(label, **how)
    rows = [
        (
            version.version,
            version.change,
            version.agent or version.author,
            day(version.created_at),
            version.reason,
        )
        for version in page
    ]
    out.rows(page, ("version", "change", "by", "when", "why"), rows)


@block_command.command("diff", epilog="Example: memoranda block diff project 3")
@click.argument("label")
@click.argument("old", type=int)
@click.argument("new", type=int, required=False)
@place_options
@command
def block_diff(
    out: Output, data_dir: str | None, label: str, old: int, new: int | None, **options: Any
) -> None:
    """From version OLD to NEW, or to the newest."""
    with opened_as_caller(data_dir, options) as (memory, where):
        diff = memory.blocks.diff(label, old, new, **where)
    out.text({"diff": diff}, diff or "nothing changed")


@block_command.command("restore", epilog="Example: memoranda block restore project 3")
@click.argument("label")
@click.argument("version", type=int)
@click.option("--reason", default="", help="Reason, recorded in the history.")
@place_options
@command
def block_restore(
    out: Output, data_dir: str | None, label: str, version: int, **options: Any
) -> None:
    with opened_as_caller(data_dir, options) as (memory, how):
        block = memory.blocks.restore(label, version, **how)
    out.text(block, changed(block))


@block_command.command("delete", epilog="Example: memoranda block delete style")
@click.argument("label")
@place_options
@command
def block_delete(out: Output, data_dir: str | None, label: str, **options: Any) -> None:
    """`block undelete` restores it."""
    with opened_as_caller(data_dir, options) as (memory, where):
        block = memory.blocks.delete(label, **where)
    out.text(block, f"{block.label} is deleted; to restore it: memoranda block undelete {block.id}")


@block_command.command("undelete", epilog="Example: memoranda block undelete style")
@click.argument("label")
@place_options
@command
def block_undelete(out: Output, data_dir: str | None, label: str, **options: Any) -> None:
    with opened_as_caller(data_dir, options) as (memory, where):
        block = memory.blocks.undelete(label, **where)
    out.text(block, changed(block))


@block_command.command(
    "configure", epilog="Example: memoranda block configure project --limit 20000"
)
@click.argument("label")
@place_options
@click.option("--rename", help="New label.")
@click.option("--description", help="New description.")
@click.option("--limit", type=int, help="Maximum number of characters.")
@click.option(
    "--read-only/--editable", "read_only", default=None, help="Make it read-only for agents."
)
@command
def block_configure(out: Output, data_dir: str | None, label: str, **options: Any) -> None:
    with opened_as_caller(data_dir, options) as (memory, how):
        block = memory.blocks.configure(label, **how)
    out.text(block, changed(block))


NAMES = ("agent", "role", "since")


@click.command("attach", epilog="Example: memoranda block attach board critic --role qa")
@click.argument("label")
@click.argument("holder")
@click.option("--role", default="", help="Role of the agent in the group.")
@place_options
@command
def attach_command(
    out: Output, data_dir: str | None, label: str, holder: str, role: str, **options: Any
) -> None:
    """HOLDER is the id of the agent."""
    with opened_as_caller(data_dir, options) as (memory, where):
        holders = memory.blocks.attach(label, holder, role=role, **where)
    out.rows(list(holders), NAMES, _rows(holders))


@click.command("detach", epilog="Example: memoranda block detach board critic")
@click.argument("label")
@click.argument("holder")
@place_options
@command
def detach_command(
    out: Output, data_dir: str | None, label: str, holder: str, **options: Any
) -> None:
    """HOLDER is the id of the agent."""
    with opened_as_caller(data_dir, options) as (memory, where):
        holders = list(memory.blocks.detach(label, holder, **where))
    if holders:
        out.rows(holders, NAMES, _rows(holders))
    else:
        out.text(holders, f"{label} is detached from {holder}; no agent has it any longer")


@click.command("holders", epilog="Example: memoranda block holders board")
@click.argument("label")
@place_options
@command
def holders_command(out: Output, data_dir: str | None, label: str, **options: Any) -> None:
    with opened_as_caller(data_dir, options) as (memory, where):
        holders = memory.blocks.holders(label, **where)
    out.rows(list(holders), NAMES, _rows(holders))


def _rows(holders: Sequence[BlockHolder]) -> list[tuple[object, ...]]:
    return [(holder.agent, holder.role, day(holder.attached_at)) for holder in holders]


for one in (*block_edits.COMMANDS, attach_command, detach_command, holders_command):
    block_command.add_command(one)
