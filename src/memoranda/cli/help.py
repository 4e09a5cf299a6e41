"""The command that shows help."""

from __future__ import annotations

import click

from memoranda.cli import all_commands_help
from memoranda.cli.output import Output, command_here


@click.command(epilog="Example: memoranda help config set")
@click.argument("names", nargs=-1, metavar="[COMMAND]...")
@click.option("--all", "every", is_flag=True, help="Show every command.")
@command_here
def help_command(out: Output, data_dir: str | None, names: tuple[str, ...], every: bool) -> None:
    """Show the help of the program or of one command."""
    context = click.get_current_context().find_root()
    if every and not names:
        text = all_commands_help(context)
    else:
        text = _context_of(context, names).get_help()
    out.verbatim({"help": text}, text)


def _context_of(context: click.Context, names: tuple[str, ...]) -> click.Context:
    """Return a command's context, as if the command were run."""
    for name in names:
        if not isinstance(context.command, click.Group):
            context.fail(f"'{context.command_path}' has no command '{name}'.")
        canonical, command, _ = context.command.resolve_command(context, [name])
        if command is None:
            context.fail(f"No such command '{name}'.")
        context = click.Context(command, info_name=canonical, parent=context)
    return context
