"""The command line: a thin layer over the memory object, loaded lazily.

``memoranda --version`` and shell completion import neither the store nor any library other than
click; each command imports what it needs when it runs.
"""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Mapping
from functools import cache
from importlib import import_module
from inspect import cleandoc
from typing import Any

import click

from memoranda.cli.server_address import server_option
from memoranda.version import __version__

COMMANDS = {
    "agent": "agents",
    "auth": "auth",
    "backup": "upkeep",
    "block": "blocks",
    "brief": "stages",
    "budget": "costs",
    "checkpoint": "checkpoints",
    "completion": "upkeep",
    "compress": "stages",
    "compression": "stages",
    "config": "config",
    "context": "search",
    "copy": "database",
    "cost": "costs",
    "db": "database",
    "demo": "demo",
    "demote": "proposals",
    "decrypt": "database",
    "doctor": "upkeep",
    "document": "documents",
    "drain": "capture",
    "encrypt": "database",
    "errors": "errors",
    "execution": "tasks",
    "export": "archive",
    "feedback": "feedback",
    "forget": "removal",
    "global": "memory_overviews",
    "help": "help",
    "import": "imports",
    "import-archive": "archive",
    "install": "hooks",
    "journal": "upkeep",
    "list": "memory_overviews",
    "live": "capture",
    "mcp": "mcp",
    "memory": "memories",
    "message": "conversation",
    "mirror": "mirror",
    "observation": "observations",
    "observe": "capture",
    "optimize": "profile",
    "pending": "proposals",
    "project": "memory_overviews",
    "privacy": "privacy",
    "profile": "profile",
    "promote": "proposals",
    "quarantine": "quarantine",
    "rate": "search",
    "rebuild-index": "upkeep",
    "reembed": "upkeep",
    "relevant": "search",
    "remember": "remember",
    "restore": "upkeep",
    "retention": "removal",
    "rpc": "rpc",
    "say": "feedback",
    "search": "search",
    "serve": "server",
    "stage": "stages",
    "stats": "upkeep",
    "status": "upkeep",
    "supervisor": "supervisor",
    "task": "tasks",
    "timeline": "observations",
    "tool": "tools",
    "tui": "tui",
    "undo": "undo",
    "uninstall": "hooks",
    "web": "server",
    "why": "remember",
    "working": "working",
    "workspace": "workspaces",
}
"""Module of this package for each command; the command is ``<name>_command``."""

ALIASES = {
    "agents": "agent",
    "blocks": "block",
    "checkpoints": "checkpoint",
    "delete": "forget",
    "documents": "document",
    "memories": "memory",
    "messages": "message",
    "observations": "observation",
    "projects": "project",
    "stages": "stage",
    "tasks": "task",
    "tools": "tool",
    "workspaces": "workspace",
}
"""Commands by alias; a group name in the plural, without a verb, lists the records of the group."""

SHORT_SECTIONS = {
    "Start": "demo install import serve web tui",
    "Look": "search context task observation timeline errors",
    "Decide": "remember memory pending say profile forget",
    "Manage": "status doctor config backup",
}
"""Sections of the short help, with the most common commands."""

SECTIONS = {
    "Start": "demo install import search context remember tui doctor serve web help",
    "History": "observe observation timeline relevant task stage brief execution rate",
    "Knowledge": "memory list project global why promote demote profile optimize forget",
    "Decisions": "pending undo say feedback quarantine errors supervisor",
    "Agent state": "block agent working document message checkpoint tool",
    "Figures and costs": "status stats live compress compression budget cost",
    "Files and archives": "privacy mirror export import-archive backup restore copy",
    "Other programs": "mcp rpc auth uninstall completion",
    "Maintenance": (
        "config workspace journal drain retention rebuild-index reembed encrypt decrypt db"
    ),
}
"""Sections of all commands, starting with the first steps."""

FORMATS = ("table", "json", "md")
FORMAT = "memoranda.cli.format"
"""Context key of an output format that is specified before the command."""

UNWRITABLE = frozenset({errno.EBADF, errno.EIO, errno.ENOSPC, errno.EFBIG, errno.EDQUOT})
"""Error numbers of writes to a standard output that is closed or on a full disk."""

EVERY_COMMAND = "Every command takes --format table|json|md and --data-dir DIR or --url URL."
MORE_HELP = "`memoranda help COMMAND` shows one command, `memoranda help --all` every command."


def _show_all(ctx: click.Context, _: click.Parameter, chosen: bool) -> None:
    if chosen:
        click.echo(all_commands_help(ctx))
        ctx.exit()


def all_commands_help(ctx: click.Context) -> str:
    """Return the help with every command."""
    root = ctx.find_root()
    root.meta[_SECTIONS] = SECTIONS
    return root.command.get_help(root)


SUMMARIES = os.path.join(os.path.dirname(__file__), "summaries.tsv")  # noqa: PTH118, PTH120 - fast
"""Summaries of the operations by command: the first lines of their docstrings.

`scripts/reference.py` collects the summaries, because the help must not load any operation.
"""


@cache
def _summaries() -> Mapping[str, str]:
    with open(SUMMARIES, encoding="utf-8") as file:  # noqa: PTH123 - pathlib takes 7 ms
        lines = file.read().strip().split("\n")
    return dict(line.split("\t") for line in lines)


def _summarize(words: str, command: click.Command) -> None:
    """Prepend the operations' summaries to the help of commands."""
    summary = _summaries().get(words, "")
    text = cleandoc(command.help or "")
    if summary and not text.startswith(summary):
        command.help = f"{summary}\n\n{text}".strip()
    if shown := summary or text.partition("\n\n")[0]:
        from memoranda.text import one_line  # compiling its patterns takes 10 ms

        # a short help derived by click would be cut at the width
        command.short_help = one_line(shown)
    if isinstance(command, click.Group):
        for name, child in command.commands.items():
            _summarize(f"{words} {name}", child)


_SECTIONS = "memoranda.cli.sections"
_TYPED = "memoranda.cli.typed"
"""Key of the arguments as typed."""
VERSION = f"memoranda, version {__version__}"


class LazyGroup(click.Group):
    """Group whose commands are imported when they are used."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of all commands."""
        return sorted(COMMANDS)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        """Import and return a command."""
        if name not in COMMANDS:
            return None
        module = import_module(f"memoranda.cli.{COMMANDS[name]}")
        command: click.Command = getattr(module, f"{name.replace('-', '_')}_command")
        _summarize(name, command)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Resolve a command as any group does; suggest names for an unknown one."""
        args = self._without_alias(ctx, args)
        name = args[0]
        if name not in COMMANDS and not name.startswith("-") and not ctx.resilient_parsing:
            from memoranda.cli.name_suggestions import command_suggestion

            ctx.fail(f"No such command '{name}'.{command_suggestion(name, COMMANDS)}")
        return super().resolve_command(ctx, args)

    def _without_alias(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Return the arguments with an alias replaced by its command."""
        name, *more = args
        if name == "version" and not ctx.resilient_parsing:
            click.echo(VERSION)
            ctx.exit()
        if name not in ALIASES:
            return args
        command = self.get_command(ctx, ALIASES[name])
        if isinstance(command, click.Group) and "list" in command.commands:
            is_alone = not more or (more[0].startswith("-") and more[0] not in ("-h", "--help"))
            return [ALIASES[name], *(["list"] if is_alone else []), *more]
        return [ALIASES[name], *more]

    def make_context(
        self,
        info_name: str | None,
        args: list[str],
        parent: click.Context | None = None,
        **extra: Any,
    ) -> click.Context:
        """Parse the options before the command; show errors in the requested format."""
        typed = list(args)
        try:
            ctx = super().make_context(info_name, args, parent, **extra)
        except click.UsageError as error:
            from memoranda.cli.usage_errors import in_format

            raise in_format(error, typed) from None
        ctx.meta[_TYPED] = typed
        return ctx

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command; show errors of its arguments in the requested format."""
        try:
            return self._invoke(ctx)
        except click.UsageError as error:
            from memoranda.cli.usage_errors import in_format

            raise in_format(error, ctx.meta[_TYPED]) from None

    def _invoke(self, ctx: click.Context) -> Any:
        """Run the command; suggest a replacement for an unknown name."""
        try:
            return super().invoke(ctx)
        except click.NoSuchOption as error:
            from memoranda.cli.name_suggestions import option_suggestion, takes_text

            text = ""
            if error.option_name[1:].isdecimal():
                text = f"'{error.option_name}' is not an option, and numbers cannot be negative."
            elif meant := option_suggestion(error):
                text = f"No such option '{error.option_name}'. Did you mean '{meant}'?"
            elif takes_text(error):
                text = f"No such option '{error.option_name}'. Write -- before text that begins so."
            if text:
                raise click.NoSuchOption(error.option_name, text, ctx=error.ctx) from None
            raise
        except click.UsageError as error:
            from memoranda.cli.name_suggestions import name_suggestion, unquoted_text

            if argument := unquoted_text(error):
                text = f"{error.message}. Put quotation marks around a {argument} of several words."
                raise click.UsageError(text, ctx=error.ctx) from None
            if meant := name_suggestion(error):
                text = f"{error.format_message()} Did you mean '{meant}'?"
                raise click.UsageError(text, ctx=error.ctx) from None
            raise

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List commands by topic, with the first line of their help."""
        sections = ctx.meta.get(_SECTIONS, SHORT_SECTIONS)
        widest = max(len(name) for names in sections.values() for name in names.split())
        for section, names in sections.items():
            with formatter.section(section):
                formatter.write_dl(
                    [
                        (name.ljust(widest), command.get_short_help_str(76))
                        for name in names.split()
                        if (command := self.get_command(ctx, name))
                    ]
                )

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the common options, and how to list the other commands."""
        formatter.write_paragraph()
        formatter.write_text(EVERY_COMMAND)
        if _SECTIONS not in ctx.meta:
            formatter.write_text(MORE_HELP)


@click.group(
    cls=LazyGroup,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    invoke_without_command=True,
)
@click.version_option(__version__, message=VERSION)
@click.option("--data-dir", metavar="DIR", help="Data directory (MEMORANDA_DATA_DIR).")
@click.option(
    "--help-all",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_show_all,
    help="Show every command and exit.",
)
@click.option("--format", type=click.Choice(FORMATS), help="Output format.")
@server_option
@click.pass_context
def cli(ctx: click.Context, data_dir: str | None, format: str | None) -> None:
    """Capture what AI agents do, keep it as memory and return what matters."""
    ctx.meta[FORMAT] = format
    ctx.obj = data_dir
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help())


def main(arguments: list[str] | None = None) -> Any:
    """Run the command line; exit with the error's exit code."""
    import signal

    if hasattr(signal, "SIGPIPE"):
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    _reopen_closed_streams()
    try:
        sys.exit(cli.main(args=arguments, prog_name="memoranda", standalone_mode=True))
    except OSError as error:
        if error.filename is not None or error.errno not in UNWRITABLE:
            raise
        from memoranda.exceptions import SystemFault

        fault = SystemFault(f"cannot write the output: {error.strerror}")
        click.echo(f"error ({fault.code}): {fault}", err=True)
        # writing the rest of the buffer would fail again when the process ends
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        sys.exit(fault.exit_code)


def _reopen_closed_streams() -> None:
    """Reopen closed standard streams before store files get their descriptors.

    Writing to a standard output that the caller closed then fails, as in any program.
    """
    streams = {"stdin": os.O_RDONLY, "stdout": os.O_RDONLY, "stderr": os.O_WRONLY}
    for number, (name, flags) in enumerate(streams.items()):
        if getattr(sys, name) is None:
            null = os.open(os.devnull, flags)
            if null != number:
                os.dup2(null, number)
                os.close(null)
            setattr(sys, name, os.fdopen(number, "w" if number else "r", encoding="utf-8"))
