"""Commands about blocks: what an agent always has at hand."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import click

from memoranda.cli.opening import opened, page_options, place, stated, workspace_option
from memoranda.cli.output import Output, command, day, pairs
from memoranda.errors import Conflict
from memoranda.values.block import LIMIT, PromptForm

if TYPE_CHECKING:
    from memoranda.memoranda import Memoranda
    from memoranda.values.block import Block

TASK = click.option("--task", help="A block of this task, by its number or id.")


def edit_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """Let an edit say where, why, and which version it has read."""
    for option in (
        TASK,
        click.option("--reason", default="", help="Why; kept in the history."),
        click.option("--version", type=int, help="The version you have read; else the newest."),
        click.option("--agent", help="Act as this agent (MEMORANDA_AGENT_ID)."),
    ):
        function = option(function)
    return function


@click.group()
def block_command() -> None:
    """Blocks: labelled texts that an agent always has at hand and may edit."""


@block_command.command("list", epilog="Example: memoranda block list --task 3")
@workspace_option
@TASK
@click.option("--deleted", is_flag=True, help="Those that were put away.")
@click.option("--prompt", type=click.Choice([f.value for f in PromptForm]), help="As a prompt.")
@page_options
@command
def block_list(
    out: Output,
    data_dir: str | None,
    workspace: str | None,
    task: str | None,
    deleted: bool,
    prompt: str | None,
    limit: int,
    cursor: str | None,
) -> None:
    """List blocks with how full they are."""
    with opened(data_dir) as memory:
        where = place(memory, workspace, task)
        if prompt:
            text = memory.block_prompt(workspace=where, task=task, form=prompt)
            out.text({"prompt": text}, text)
            return
        page = memory.blocks(
            workspace=where, task=task, deleted=deleted, limit=limit, cursor=cursor
        )
    rows = [
        (one.label, _where(one), f"{one.size:,} / {one.limit:,}", one.version, day(one.updated_at))
        for one in page
    ]
    out.rows(page, ("label", "of", "characters", "version", "updated"), rows)


@block_command.command("show", epilog="Example: memoranda block show project")
@click.argument("label")
@workspace_option
@TASK
@command
def block_show(
    out: Output, data_dir: str | None, label: str, workspace: str | None, task: str | None
) -> None:
    """Show a block."""
    with opened(data_dir) as memory:
        block = memory.block(label, workspace=place(memory, workspace, task), task=task)
    facts = {
        "label": block.label,
        "of": _where(block),
        "about": block.description,
        "characters": f"{block.size:,} of {block.limit:,} ({block.used:.0%})",
        "tokens": block.tokens,
        "version": f"{block.version}, by {block.author}, {day(block.updated_at)}",
        "read-only": "for agents" if block.read_only else "no",
    }
    out.text(block, f"{pairs(facts)}\n\n{block.value}")


@block_command.command("create", epilog='Example: memoranda block create style "Short answers."')
@click.argument("label")
@click.argument("value", default="")
@workspace_option
@TASK
@click.option("--description", default="", help="What it is for; agents are told.")
@click.option("--limit", type=int, default=LIMIT, help="Characters it may have.")
@click.option("--read-only", is_flag=True, help="Agents may not edit it.")
@click.option("--shared", is_flag=True, help="Seen by the agents it is attached to, and no other.")
@click.option("--agent", help="Act as this agent (MEMORANDA_AGENT_ID).")
@click.option("--private", is_flag=True, help="Only for that agent.")
@command
def block_create(
    out: Output,
    data_dir: str | None,
    label: str,
    value: str,
    workspace: str | None,
    task: str | None,
    agent: str | None,
    **given: Any,
) -> None:
    """Make a block. VALUE - reads standard input."""
    from memoranda.hold.block_changes import NewBlock

    with opened(data_dir, agent=agent) as memory:
        where = place(memory, workspace, task)
        block = memory.block_create(
            NewBlock(label, stated(value), **given), workspace=where, task=task
        )
    out.text(block, _changed(block))


@block_command.command("replace", epilog="Example: memoranda block replace project py2 py3")
@click.argument("label")
@click.argument("old")
@click.argument("new")
@click.option("--all", "every", is_flag=True, help="Each occurrence, not the only one.")
@edit_options
@command
def block_replace(
    out: Output, data_dir: str | None, label: str, old: str, new: str, every: bool, **how: Any
) -> None:
    """Put a text in the place of another that occurs once."""
    with opened(data_dir, agent=how.pop("agent")) as memory:
        block = memory.block_replace(label, old, new, replace_all=every, **how)
    out.text(block, _changed(block))


@block_command.command("insert", epilog='Example: memoranda block insert learned "Use uv."')
@click.argument("label")
@click.argument("text")
@click.option("--line", type=int, default=-1, help="After this line; 0 start, -1 end.")
@click.option("--after", help="After the line that has this text.")
@edit_options
@command
def block_insert(
    out: Output,
    data_dir: str | None,
    label: str,
    text: str,
    line: int,
    after: str | None,
    **how: Any,
) -> None:
    """Add lines to a block. TEXT - reads standard input."""
    with opened(data_dir, agent=how.pop("agent")) as memory:
        block = memory.block_insert(
            label, stated(text), insert_line=line, insert_after=after, **how
        )
    out.text(block, _changed(block))


@block_command.command("rethink", epilog="Example: memoranda block rethink task - < plan.md")
@click.argument("label")
@click.argument("value")
@edit_options
@command
def block_rethink(out: Output, data_dir: str | None, label: str, value: str, **how: Any) -> None:
    """Write a block anew. VALUE - reads standard input."""
    with opened(data_dir, agent=how.pop("agent")) as memory:
        block = memory.block_rethink(label, stated(value), **how)
    out.text(block, _changed(block))


@block_command.command("edit", epilog="Example: memoranda block edit project")
@click.argument("label")
@TASK
@click.option("--reason", default="", help="Why; kept in the history.")
@command
def block_edit(
    out: Output, data_dir: str | None, label: str, task: str | None, reason: str
) -> None:
    """Edit a block in $EDITOR. If somebody changed it meanwhile, nothing is overwritten."""
    with opened(data_dir) as memory:
        read = memory.block(label, task=task)
        value = click.edit(read.value, extension=".md")
        if value is None or value == read.value:
            out.text(read, f"{read.label} is unchanged")
            return
        block = _saved(memory, read, value, task, reason)
    out.text(block, _changed(block))


def _saved(memory: Memoranda, read: Block, value: str, task: str | None, reason: str) -> Block:
    """Save what was edited, or show what somebody else changed meanwhile, and what is lost."""
    try:
        return memory.block_rethink(read.id, value, task=task, reason=reason, version=read.version)
    except Conflict as error:
        theirs = memory.block_diff(read.id, read.version, task=task)
        raise Conflict(
            f"{read.label} was changed while you edited it; what the others did:\n{theirs}\n"
            f"nothing was saved; your text:\n{value}"
        ) from error


@block_command.command("history", epilog="Example: memoranda block history project")
@click.argument("label")
@TASK
@page_options
@command
def block_history(
    out: Output, data_dir: str | None, label: str, task: str | None, limit: int, cursor: str | None
) -> None:
    """List the versions of a block: who, when, why."""
    with opened(data_dir) as memory:
        page = memory.block_history(label, task=task, limit=limit, cursor=cursor)
    rows = [
        (one.version, one.change, one.agent or one.author, day(one.created_at), one.reason)
        for one in page
    ]
    out.rows(page, ("version", "change", "by", "when", "why"), rows)


@block_command.command("diff", epilog="Example: memoranda block diff project 3")
@click.argument("label")
@click.argument("old", type=int)
@click.argument("new", type=int, required=False)
@TASK
@command
def block_diff(
    out: Output, data_dir: str | None, label: str, old: int, new: int | None, task: str | None
) -> None:
    """Show what changed from version OLD to NEW, or to the newest."""
    with opened(data_dir) as memory:
        diff = memory.block_diff(label, old, new, task=task)
    out.text({"diff": diff}, diff or "nothing changed")


@block_command.command("restore", epilog="Example: memoranda block restore project 3")
@click.argument("label")
@click.argument("version", type=int, required=False)
@TASK
@click.option("--reason", default="", help="Why; kept in the history.")
@command
def block_restore(
    out: Output,
    data_dir: str | None,
    label: str,
    version: int | None,
    task: str | None,
    reason: str,
) -> None:
    """Bring back an earlier VERSION, or without one a block that was deleted."""
    with opened(data_dir) as memory:
        if version is None:
            block = memory.block_undelete(label, task=task)
        else:
            block = memory.block_restore(label, version, task=task, reason=reason)
    out.text(block, _changed(block))


@block_command.command("delete", epilog="Example: memoranda block delete style")
@click.argument("label")
@TASK
@command
def block_delete(out: Output, data_dir: str | None, label: str, task: str | None) -> None:
    """Put a block away; `restore` brings it back."""
    with opened(data_dir) as memory:
        block = memory.block_delete(label, task=task)
    out.text(block, f"{block.label} is put away; memoranda block restore {block.id}")


@block_command.command("set", epilog="Example: memoranda block set project --limit 20000")
@click.argument("label")
@TASK
@click.option("--rename", help="Another label.")
@click.option("--description", help="What it is for.")
@click.option("--limit", type=int, help="Characters it may have.")
@click.option("--read-only/--editable", "read_only", default=None, help="For agents.")
@command
def block_set(out: Output, data_dir: str | None, label: str, **changes: Any) -> None:
    """Change the label, description, limit or rights of a block."""
    with opened(data_dir) as memory:
        block = memory.block_configure(label, **changes)
    out.text(block, _changed(block))


@block_command.command("attach", epilog="Example: memoranda block attach board critic --role qa")
@click.argument("label")
@click.argument("agent")
@click.option("--role", default="", help="What the agent is in the group.")
@TASK
@command
def block_attach(
    out: Output, data_dir: str | None, label: str, agent: str, role: str, task: str | None
) -> None:
    """Have an agent hold a shared block."""
    with opened(data_dir) as memory:
        holders = memory.block_attach(label, agent, role=role, task=task)
    out.rows(list(holders), ("agent", "role", "since"), _holders(holders))


@block_command.command("detach", epilog="Example: memoranda block detach board critic")
@click.argument("label")
@click.argument("agent")
@TASK
@command
def block_detach(
    out: Output, data_dir: str | None, label: str, agent: str, task: str | None
) -> None:
    """Have an agent no longer hold a shared block."""
    with opened(data_dir) as memory:
        holders = memory.block_detach(label, agent, task=task)
    out.rows(list(holders), ("agent", "role", "since"), _holders(holders))


@block_command.command("holders", epilog="Example: memoranda block holders board")
@click.argument("label")
@TASK
@command
def block_holders(out: Output, data_dir: str | None, label: str, task: str | None) -> None:
    """List who holds a shared block."""
    with opened(data_dir) as memory:
        holders = memory.block_holders(label, task=task)
    out.rows(list(holders), ("agent", "role", "since"), _holders(holders))


def _holders(holders: Any) -> list[tuple[object, ...]]:
    return [(one.agent, one.role, day(one.attached_at)) for one in holders]


def _where(block: Block) -> str:
    found = block.place
    narrow = "task" if found.task else "workspace" if found.workspace else "team"
    kind = "shared" if found.shared else "private" if found.agent else ""
    return f"{narrow}, {kind}" if kind else narrow


def _changed(block: Block) -> str:
    return (
        f"{block.label}: version {block.version}, {block.size:,} of {block.limit:,} characters "
        f"({block.tokens:,} tokens)"
    )
