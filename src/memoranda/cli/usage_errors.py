"""Errors of the command line's syntax as JSON, like all other errors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import IO, Any

import click

from memoranda.exceptions import InvalidInput
from memoranda.json_data import JsonValue, dump_json
from memoranda.text import escaped_json


class JsonUsageError(click.UsageError):
    """A usage error that is shown as JSON on standard error, with exit code 2."""

    def show(self, file: IO[Any] | None = None) -> None:
        """Print the error object."""
        hint = f" See {self.ctx.command_path} --help." if self.ctx else ""
        detail: dict[str, JsonValue]
        detail = {"code": InvalidInput.code, "message": f"{self.message}{hint}"}
        click.echo(escaped_json(dump_json({"error": detail}, indent=2)), file=file, err=True)


def in_format(error: click.UsageError, arguments: Sequence[str]) -> click.UsageError:
    """Return the error to show for arguments, which may request JSON."""
    return JsonUsageError(error.format_message(), error.ctx) if _is_json(arguments) else error


def _is_json(arguments: Sequence[str]) -> bool:
    """Return whether the last output format in the arguments is JSON."""
    options = list(arguments)
    if "--" in options:
        options = options[: options.index("--")]
    pairs = zip(options, [*options[1:], ""], strict=True)
    formats = [
        value if option == "--format" else option.partition("=")[2]
        for option, value in pairs
        if option == "--format" or option.startswith("--format=")
    ]
    return formats[-1:] == ["json"]
