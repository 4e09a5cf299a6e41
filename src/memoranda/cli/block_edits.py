"""Commands that edit a block."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from memoranda.cli.block_places import changed, edit_options, opened_as_caller, place_options
from memoranda.cli.options import stated
from memoranda.cli.output import Output, command
from memoranda.exceptions import Conflict

if TYPE_CHECKING:
    from memoranda.blocks.model import Block
    from memoranda.memory import Memoranda


@click.command("replace", epilog="Example: memoranda block replace project py2 py3")
@click.argument("label")
@click.argument("old")
@click.argument("new")
@click.option("--replace-all", "--all", is_flag=True, help="Replace every occurrence.")
@edit_options
@command
def replace_command(
    out: Output, data_dir: str | None, label: str, old: str, new: str, **options: Any
) -> None:
    with opened_as_caller(data_dir, options) as (memory, how):
        block = memory.blocks.replace(label, old, new, **how)
    out.text(block, changed(block))


@click.command("insert", epilog='Example: memoranda block insert learned "Use uv." --task 3')
@click.argument("label")
@click.argument("text")
@click.option("--line", type=int, default=-1, help="Insert after this line; 0: start, -1: end.")
@click.option("--after", help="Insert after the line that contains this text.")
@edit_options
@command
def insert_command(
    out: Output, data_dir: str | None, label: str, text: str, **options: Any
) -> None:
    """Pass - as TEXT to read standard input."""
    with opened_as_caller(data_dir, options) as (memory, how):
        block = memory.blocks.insert(label, stated(text), **how)
    out.text(block, changed(block))


@click.command("rethink", epilog="Example: memoranda block rethink task - --task 3 < plan.md")
@click.argument("label")
@click.argument("text")
@edit_options
@command
def rethink_command(
    out: Output, data_dir: str | None, label: str, text: str, **options: Any
) -> None:
    """Pass - as TEXT to read standard input."""
    with opened_as_caller(data_dir, options) as (memory, how):
        block = memory.blocks.rethink(label, stated(text), **how)
    out.text(block, changed(block))


@click.command("patch", epilog="Example: memoranda block patch project - < project.diff")
@click.argument("label")
@click.argument("patch")
@edit_options
@command
def patch_command(
    out: Output, data_dir: str | None, label: str, patch: str, **options: Any
) -> None:
    """Pass - as PATCH to read standard input."""
    with opened_as_caller(data_dir, options) as (memory, how):
        block = memory.blocks.patch(label, stated(patch), **how)
    out.text(block, changed(block))


@click.command("edit", epilog="Example: memoranda block edit project")
@click.argument("label")
@click.option("--reason", default="", help="Reason, recorded in the history.")
@place_options
@command
def edit_command(
    out: Output, data_dir: str | None, label: str, reason: str, **options: Any
) -> None:
    """Edit a block in $EDITOR.

    Nothing is overwritten if the block changed in the meantime.
    """
    with opened_as_caller(data_dir, options) as (memory, where):
        read = memory.blocks.show(label, **where)
        value = click.edit(read.value, extension=".md")
        if value is not None and not read.value.endswith("\n"):
            value = value.removesuffix("\n")  # editors read and write whole lines
        if value is None or value == read.value:
            out.text(read, f"{read.label} is unchanged")
            return
        block = _saved(memory, read, value, {"reason": reason, **where})
    out.text(block, changed(block))


def _saved(memory: Memoranda, read: Block, value: str, how: dict[str, Any]) -> Block:
    """Save an edited block, or show a conflicting change and what is lost."""
    try:
        return memory.blocks.rethink(read.id, value, version=read.version, **how)
    except Conflict as error:
        theirs = memory.blocks.diff(read.id, read.version, task=how["task"])
        raise Conflict(
            f"{read.label} was changed while you edited it. Their changes:\n{theirs}\n"
            f"Nothing was saved. Your text:\n{value}"
        ) from error


@click.command("apply", epilog="Example: memoranda block apply - --task 3 < blocks.patch")
@click.argument("patch")
@click.option("--reason", default="", help="Reason, recorded in the history.")
@place_options
@command
def apply_command(out: Output, data_dir: str | None, patch: str, **options: Any) -> None:
    """Pass - as PATCH to read standard input."""
    with opened_as_caller(data_dir, options) as (memory, how):
        touched = memory.blocks.apply(stated(patch), **how)
    out.text(list(touched), "\n".join(map(changed, touched)))


@click.command("compress", epilog="Example: memoranda block compress project --task 3 --apply")
@click.argument("label")
@click.option(
    "--ratio",
    type=click.FloatRange(1, 20),
    default=2.0,
    show_default=True,
    help="Compression ratio.",
)
@click.option("--apply", is_flag=True, help="Write the result instead of only showing it.")
@place_options
@command
def compress_command(out: Output, data_dir: str | None, label: str, **options: Any) -> None:
    """The former text remains in the history."""
    with opened_as_caller(data_dir, options) as (memory, how):
        done = memory.blocks.compress(label, **how)
    message = (
        changed(done.block) if options["apply"] else f"{done.tokens:,} tokens; --apply writes it"
    )
    out.text(done, f"{done.diff or 'nothing to compress'}\n{message}")


COMMANDS = (
    compress_command,
    replace_command,
    insert_command,
    rethink_command,
    patch_command,
    apply_command,
    edit_command,
)
