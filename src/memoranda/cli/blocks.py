"""Commands for blocks, the texts that are always in an agent's context."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from memoranda.cli.open_memory import opened
from memoranda.cli.operation_commands import OperationCommands, Row
from memoranda.cli.options import agent_option, place
from memoranda.cli.output import Output, day, pairs
from memoranda.exceptions import Conflict

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memoranda.blocks.model import Block, BlockHolder, BlockVersion, CompressedBlock
    from memoranda.memory import Memoranda


@click.group()
def block_command() -> None:
    """Manage blocks: labelled texts in every context, editable by the agent."""


VALUE = click.argument("value", default="")
TASK = click.option("--task", help="Task whose block is used (name, number or id).")
REASON = click.option("--reason", default="", help="Reason, recorded in the history.")
EVERY = click.option("--replace-all", "--all", is_flag=True, help="Replace every occurrence.")
READ_ONLY = click.option(
    "--read-only/--editable", default=None, help="Make the block read-only for agents."
)
RATIO = click.option("--ratio", type=click.FloatRange(1, 20), default=2.0, show_default=True)

blocks = OperationCommands(block_command, "block", TASK, REASON, agent_option)


@blocks.view(
    "list", "block list --task 3", columns=("label", "of", "characters", "version", "updated", "id")
)
def _row(block: Block) -> Row:
    size = f"{block.size:,} / {block.limit:,}"
    return block.label, _place(block), size, block.version, day(block.updated_at), block.id


@blocks.view("show", "block show project", form="recalled")
def _details(block: Block) -> str:
    facts = {
        "label": block.label,
        "of": _place(block),
        "about": block.description,
        "characters": f"{block.size:,} of {block.limit:,} ({block.used:.0%})",
        "tokens": block.tokens,
        "version": f"{block.version}, by {block.author}, {day(block.updated_at)}",
        "read-only": "for agents" if block.read_only else "no",
    }
    return f"{pairs(facts)}\n\n{block.value}"


def _place(block: Block) -> str:
    place = block.place
    narrow = "task" if place.task else "workspace" if place.workspace else "team"
    kind = "shared" if place.shared else "private" if place.agent else ""
    return f"{narrow}, {kind}" if kind else narrow


@blocks.view("configure", "block configure project --limit 20000", READ_ONLY)
@blocks.view("create", 'block create style "Short answers."', VALUE, reads="value")
@blocks.view("insert", 'block insert learned "Use uv." --task 3', reads="text")
@blocks.view("patch", "block patch project - < project.diff", reads="patch")
@blocks.view("replace", "block replace project py2 py3", EVERY)
@blocks.view("restore", "block restore project 3")
@blocks.view("rethink", "block rethink task - --task 3 < plan.md", reads="text")
@blocks.view("undelete", "block undelete style")
def _changed(block: Block) -> str:
    return (
        f"{block.label}: version {block.version}, {block.size:,} of {block.limit:,} characters "
        f"({block.tokens:,} tokens)"
    )


@blocks.view("apply", "block apply - --task 3 < blocks.patch", reads="patch")
def _all_changed(touched: Sequence[Block]) -> str:
    return "\n".join(map(_changed, touched))


@blocks.view("delete", "block delete style")
def _deleted(block: Block) -> str:
    """`block undelete` restores the block."""
    return f"{block.label} is deleted; to restore it: memoranda block undelete {block.id}"


@blocks.view("prompt", "block prompt --task 3", form="verbatim", key="prompt")
def _prompt(text: str) -> str:
    return text


@blocks.view("history", "block history project", columns=("version", "change", "by", "when", "why"))
def _version_row(version: BlockVersion) -> Row:
    by = version.agent or version.author
    return version.version, version.change, by, day(version.created_at), version.reason


@blocks.view("diff", "block diff project 3", key="diff")
def _diff(diff: str) -> str:
    """From version OLD to version NEW, or to the newest version."""
    return diff or "nothing changed"


HOLDERS = ("agent", "role", "since")


@blocks.view("holders", "block holders board", columns=HOLDERS)
def _holder_row(holder: BlockHolder) -> Row:
    return holder.agent, holder.role, day(holder.attached_at)


@blocks.view("attach", "block attach board critic --role qa", columns=HOLDERS)
def _attached_row(holder: BlockHolder) -> Row:
    """HOLDER is the id of the agent."""
    return _holder_row(holder)


@blocks.command("detach", "block detach board critic")
def block_detach(out: Output, data_dir: str | None, label: str, holder: str, **where: Any) -> None:
    """HOLDER is the id of the agent."""
    holders = blocks.call("detach", data_dir, {"label": label, "holder": holder, **where})
    if holders:
        out.rows(holders, HOLDERS, list(map(_holder_row, holders)))
    else:
        out.text(
            holders, f"{label} is detached from {holder}; it is no longer attached to any agent"
        )


@blocks.view("compress", "block compress project --task 3 --apply", RATIO)
def _compressed(done: CompressedBlock, *, apply: bool) -> str:
    """The former text remains in the history."""
    message = _changed(done.block) if apply else f"{done.tokens:,} tokens; --apply writes it"
    return f"{done.diff or 'nothing to compress'}\n{message}"


@blocks.command("edit", "block edit project", REASON, of="show")
def block_edit(
    out: Output, data_dir: str | None, label: str, reason: str, agent: str | None, **where: Any
) -> None:
    """Edit a block in $EDITOR.

    Nothing is overwritten if the block changed in the meantime.
    """
    with opened(data_dir, agent=agent) as memory:
        where["workspace"] = place(memory, where["workspace"], where["task"])
        read = memory.blocks.show(label, **where)
        value = click.edit(read.value, extension=".md")
        if value is not None and not read.value.endswith("\n"):
            value = value.removesuffix("\n")  # editors add a newline at the end of a text
        if value is None or value == read.value:
            out.text(read, f"{read.label} is unchanged")
            return
        block = _saved(memory, read, value, {"reason": reason, **where})
    out.text(block, _changed(block))


def _saved(memory: Memoranda, read: Block, value: str, how: dict[str, Any]) -> Block:
    """Save an edited block; on a conflict, report the change of each side."""
    try:
        return memory.blocks.rethink(read.id, value, version=read.version, **how)
    except Conflict as error:
        theirs = memory.blocks.diff(read.id, read.version, task=how["task"])
        raise Conflict(
            f"{read.label} was changed while you edited it. Their changes:\n{theirs}\n"
            f"Nothing was saved. Your text:\n{value}"
        ) from error
