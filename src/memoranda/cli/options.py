"""Options shared by commands: workspace, page, time and standard input."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from memoranda.clock import MICROSECONDS
from memoranda.exceptions import InvalidInput, NotFound, empty_text
from memoranda.local_time import parse_local_time

if TYPE_CHECKING:
    from memoranda import Memoranda
    from memoranda.tasks.model import Workspace

_AGO = re.compile(r"^(\d{1,6})\s*(m|h|d|w)$")
_SECONDS = {"m": 60, "h": 3_600, "d": 86_400, "w": 604_800}


def place(
    memory: Memoranda, workspace: str | None, task: str | None = None, *, new: bool = False
) -> str | None:
    """Return the workspace of a command.

    The workspace is the named one, the task's, the one of this folder, or all (None). With ``new``,
    a workspace is created for this folder if it has none, so that a statement in one project does
    not apply to all projects.
    """
    if workspace is not None or task:
        return workspace
    found = workspace_here(memory, new=new)
    return found.id if found else None


def with_sign(memory: Memoranda, task: str) -> str:
    """Return a number of a task with its ``#``; any other reference unchanged.

    Then a write to a workspace without that task fails, instead of creating a task with this name.
    """
    if not task.isdecimal():
        return task
    with suppress(NotFound, InvalidInput):  # or several workspaces have a task of that name
        if memory.tasks.show(task).name != task:
            return f"#{task}"
    return task


def workspace_here(memory: Memoranda, *, new: bool = False) -> Workspace | None:
    """Return the working directory's workspace; ``new`` creates a missing one.

    For a deleted directory, the workspace to which the path in ``PWD`` belongs is returned.

    Raises:
        InvalidInput: a ``new`` workspace would belong to a deleted directory.
    """
    try:
        folder = os.getcwd()  # noqa: PTH109 - as the host sets it, unresolved
    except FileNotFoundError:
        named = Path(os.environ.get("PWD", ""))
        deleted = named.is_absolute() and not named.exists()
        workspace = memory.workspace_of(str(named)) if deleted else None
        if new and workspace is None:
            raise InvalidInput(
                "the working directory no longer exists; specify --workspace NAME"
            ) from None
        return workspace
    return memory.workspace_of(folder, new=new)


def stated(content: str, of: str = "") -> str:
    """Return the text of an argument; for ``-``, the text of standard input.

    With ``of``, an empty text is refused before a workspace is created for the text.

    Raises:
        InvalidInput: standard input is not UTF-8, or ``of`` is specified and the text is empty.
    """
    text = standard_input() if content == "-" else content
    if of and not text.strip():
        if content == "-":
            raise InvalidInput(f"{of} must contain text; standard input is empty")
        raise InvalidInput(f"{empty_text(of)}, or - to read it from standard input")
    return text


def standard_input(errors: str = "strict") -> str:
    """Return the text of standard input.

    With ``errors="replace"``, as for a program's output, bytes that are not UTF-8 are replaced.

    Raises:
        InvalidInput: standard input is not UTF-8; nothing is stored with unreadable characters.
    """
    try:
        return sys.stdin.buffer.read().decode("utf-8", errors)
    except UnicodeDecodeError as error:
        raise InvalidInput(
            f"standard input is not UTF-8: byte {error.start + 1:,} is 0x"
            f"{error.object[error.start]:02x}; convert it, for example: iconv -f latin1 -t utf-8"
        ) from None


@contextmanager
def confirmed_by_option() -> Iterator[None]:
    """Name options, not parameters, in the message of an unconfirmed removal."""
    try:
        yield
    except InvalidInput as error:
        message = str(error).replace("set `confirm`", "add --yes")
        raise InvalidInput(message.replace("set `dry_run`", "add --dry-run")) from None


def workspace_option(function: Callable[..., Any]) -> Callable[..., Any]:
    """Add the workspace option to a command."""
    return click.option(
        "--workspace",
        metavar="NAME",
        help="Workspace name, or 'all'. Default: the workspace of this folder, or all.",
    )(function)


def agent_option(function: Callable[..., Any]) -> Callable[..., Any]:
    """Add the option for the acting agent to a command."""
    return click.option("--agent", help="Act as this agent (MEMORANDA_AGENT_ID).")(function)


def dry_run_option(function: Callable[..., Any]) -> Callable[..., Any]:
    """Add the option for a trial run to a command."""
    return click.option("--dry-run", is_flag=True, help="Show the changes without making them.")(
        function
    )


def one_of(kind: type[StrEnum]) -> click.Choice[str]:
    """Return a choice of the values of an enumeration."""
    return click.Choice([item.value for item in kind])


def page_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """Add the paging options to a list command."""
    function = click.option("--cursor", help="Continue after the previous page.")(function)
    return click.option(
        "--limit", type=click.IntRange(1, 1000), default=50, help="Maximum number of rows."
    )(function)


class MomentParam(click.ParamType):  # type: ignore[type-arg]
    """Parameter type for a point in time.

    ISO 8601, in the reader's time zone unless a zone is specified, or how long ago (90m, 12h, 7d,
    4w). A date means the beginning of that day.
    """

    name = "time"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """Return microseconds since the epoch."""
        if isinstance(value, int):
            return value
        if ago := _AGO.match(str(value)):
            from memoranda.clock import SystemClock

            back = int(ago[1]) * _SECONDS[ago[2]] * MICROSECONDS
            return SystemClock().now() - back
        moment = parse_local_time(str(value))
        if moment is None:
            self.fail(f"{value!r} is neither a date nor a span such as 7d", param, ctx)
        return moment


class PairParam(click.ParamType):  # type: ignore[type-arg]
    """Parameter type for two strings separated by a colon: kind and value."""

    name = "kind:value"

    def __init__(self, example: str) -> None:
        self._example = example

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[str, str]:
        """Return the kind and the value."""
        if isinstance(value, tuple):
            return value
        kind, colon, rest = str(value).partition(":")
        if not (kind and colon and rest):
            self.fail(f"{value!r} is not of the form {self._example}", param, ctx)
        return kind, rest
