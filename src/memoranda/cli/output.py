"""Output of commands: tables for people, JSON for programs, Markdown."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, fields, is_dataclass
from functools import wraps
from typing import Any

import click
from click.core import ParameterSource

from memoranda import local_time as zone
from memoranda.cli import FORMAT, FORMATS
from memoranda.cli.server_address import server_named, server_option
from memoranda.exceptions import BudgetTooSmall, InvalidInput, MemorandaError
from memoranda.ids import traced
from memoranda.json_data import JsonValue, as_json, dump_json
from memoranda.text import NOTICE, escaped_json, fenced, neutral, printable

KEEP_RUNNING = frozenset(("serve", "mcp", "rpc", "tui"))
"""Names of commands that serve requests until they are stopped."""
SHORT, GAP = 24, 3
"""Maximum number of characters of a cell that is not wrapped, and number of spaces between columns.

If the terminal is too narrow for a table, each row is shown as a list of its fields.
"""


@dataclass(frozen=True, slots=True)
class Output:
    """Writer of a command's result, in the requested format."""

    format: str

    def rows(
        self,
        payload: Any,
        headers: Sequence[str],
        rows: Sequence[Sequence[object]],
        *,
        recalled: bool = False,
        nothing: str = "nothing found",
    ) -> None:
        """Show a list: ``payload`` as JSON, or else ``rows`` as a table.

        The list is labelled as data if it is ``recalled`` text and the reader may be an agent.
        """
        if self.format == "json":
            self.json(payload)
        elif self.format == "md":
            write(_markdown(headers, rows))
        elif rows:
            _table(headers, rows)
        else:
            write(nothing)
        cursor = getattr(payload, "cursor", None)
        if cursor and self.format != "json":
            write(f"more: add --cursor {cursor}")
        if recalled and rows and self.format != "json" and not sys.stdout.isatty():
            write(f"({NOTICE})")

    def recalled(self, payload: Any, text: str) -> None:
        """Show text from memory: ``payload`` as exact JSON, or else the text.

        The text is labelled as data, in a fence unless a person reads it on a terminal.
        """
        if self.format == "json":
            self.json(payload)
        else:
            shown = neutral(text)
            write(shown if sys.stdout.isatty() else fenced(shown))

    def text(self, payload: Any, text: str) -> None:
        """Show one item: ``payload`` as JSON, or else ``text``.

        The text has no tags that could act as markup.
        """
        self.verbatim(payload, text if self.format == "json" else neutral(text))

    def verbatim(self, payload: Any, text: str) -> None:
        """Show text with its own fence, or a program's text; keep its tags."""
        if self.format == "json":
            self.json(payload)
        else:
            write(text)

    def json(self, payload: Any) -> None:
        """Print JSON with sorted keys."""
        _echo(escaped_json(dump_json(as_json(payload), indent=2)))


def write(text: str) -> None:
    """Print a text without terminal control or invisible characters."""
    _echo(printable(text))


def remark(text: str) -> None:
    """Print a text to standard error, separate from the result.

    The text is cleaned as by `write`.
    """
    click.echo(neutral(text), err=True)


def _echo(text: str) -> None:
    """Print a text as far as the terminal's encoding permits."""
    encoding = sys.stdout.encoding or "utf-8"
    click.echo(text.encode(encoding, "replace").decode(encoding))


def day(microseconds: int) -> str:
    """Format a time for a table: date and minute in the reader's time zone."""
    return zone.minute(microseconds)


def pairs(labels: dict[str, object]) -> str:
    """Format labelled values, one label per line with all of its values.

    In Markdown, the values are formatted as a list.
    """
    if _is_markdown():
        return "\n".join(f"- **{label}:** {_cell(_row(value))}" for label, value in labels.items())
    width = max(map(len, labels), default=0)
    return "\n".join(f"{label.ljust(width)}  {_row(value)}" for label, value in labels.items())


def _is_markdown() -> bool:
    """Return whether the running command prints Markdown."""
    context = click.get_current_context(silent=True)
    return context is not None and context.params.get("format") == "md"


def _row(value: object) -> str:
    shown = _words(value)
    return shown if shown or isinstance(value, str) else "none"


def _words(value: object) -> str:
    """Format a value for people: yes and no, and names with their values."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if is_dataclass(value):
        value = {one.name: getattr(value, one.name) for one in fields(value)}
    if isinstance(value, Mapping):
        return ", ".join(f"{name} {_words(item)}" for name, item in value.items())
    if isinstance(value, list | tuple):
        return ", ".join(map(_words, value))
    return str(value)


def command(function: Callable[..., None]) -> Callable[..., None]:
    """Add common options to a command; convert errors to exit codes."""
    return server_option(_plain(function))


def command_here(function: Callable[..., None]) -> Callable[..., None]:
    """Like `command`, for commands that always run on this machine."""

    @wraps(function)
    def here(out: Output, data_dir: str | None, **arguments: Any) -> None:
        if server_named():
            name = click.get_current_context().info_name
            raise InvalidInput(f"{name} applies to this machine only; omit --url")
        function(out, data_dir, **arguments)

    return _plain(here)


def _plain(function: Callable[..., None]) -> Callable[..., None]:
    @click.option(
        "--format", "format", type=click.Choice(FORMATS), default="table", help="Output format."
    )
    @click.option("--data-dir", metavar="DIR", help="Data directory.")
    @wraps(function)
    def run(format: str, data_dir: str | None, **arguments: Any) -> None:
        ctx = click.get_current_context()
        root = ctx.find_root()
        if ctx.get_parameter_source("format") is ParameterSource.DEFAULT:
            format = ctx.params["format"] = ctx.meta.get(FORMAT) or format
        try:
            # in a program that keeps running, each request has its own id
            with nullcontext() if ctx.info_name in KEEP_RUNNING else traced():
                if "\\udc" in repr(arguments):  # bytes that the locale cannot decode
                    from memoranda.cli.utf8_arguments import utf8_arguments

                    arguments = utf8_arguments(arguments, ctx.command)
                function(Output(format), data_dir or root.obj, **arguments)
        except MemorandaError as error:
            _complain(error, format, ctx.command)
            ctx.exit(error.exit_code)
        except ModuleNotFoundError as error:
            from memoranda.cli.extras import missing_extra

            missing = missing_extra(error)
            if missing is None:
                raise
            _complain(missing, format, ctx.command)
            ctx.exit(missing.exit_code)

    return run


def _complain(error: MemorandaError, format: str, command: click.Command) -> None:
    message = _as_typed(str(error), command)
    if format == "json":
        detail: dict[str, JsonValue] = {"code": error.code, "message": message}
        if isinstance(error, BudgetTooSmall):
            detail["needed"] = error.needed
        click.echo(escaped_json(dump_json({"error": detail}, indent=2)), err=True)
        return
    remark(f"error ({error.code}): {message}")


def _as_typed(message: str, command: click.Command) -> str:
    """Replace a parameter's path in a message with its option or argument.

    ``statement.links[0].kind must be …`` becomes ``kind of --link must be …``.
    """
    path, must_be, rest = message.partition(" must be ")
    for item in command.params if must_be else ():
        match = re.fullmatch(rf"(?:[\w.]+(?:\[\d+\])?\.)?{item.name}((?:\[\d+\])?[\w.]*)", path)
        if match and isinstance(item, click.Option):
            within = re.sub(r"^(?:\[\d+\])?\.?", "", match[1])
            name = " / ".join(item.opts)
            return f"{within} of {name} must be {rest}" if within else f"{name} must be {rest}"
        if match:
            return f"{item.human_readable_name}{match[1]} must be {rest}"
    return message


def _markdown(headers: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    def line(cells: Sequence[object]) -> str:
        return "| " + " | ".join(_cell(cell).replace("|", "\\|") for cell in cells) + " |"

    return "\n".join([line(headers), line(["---"] * len(headers)), *map(line, rows)])


def _cell(value: object) -> str:
    return " ".join(neutral(_words(value)).split())


def _table(headers: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
    if sys.stdout.isatty():
        _rich_table(headers, rows)
        return
    cells = [list(map(_cell, row)) for row in [headers, *rows]]
    widths = [max(len(row[i]) for row in cells) for i in range(len(headers))]
    for row in cells:
        padded = [cell.ljust(width) for cell, width in zip(row, widths, strict=True)]
        write("  ".join(padded).rstrip())


def _rich_table(headers: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
    from rich.box import SIMPLE_HEAD
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    console, cells = Console(), [list(map(_cell, row)) for row in rows]
    widths = [max(map(len, column)) for column in zip(headers, *cells, strict=True)]
    if sum(min(width, SHORT) + GAP for width in widths) >= console.width:
        write("\n\n".join(pairs(dict(zip(headers, row, strict=True))) for row in cells))
        return
    table = Table(box=SIMPLE_HEAD, header_style="bold")
    for header, width in zip(headers, widths, strict=True):
        table.add_column(header, no_wrap=width <= SHORT)
    for row in cells:
        table.add_row(*map(Text, row))
    console.print(table)
