"""Opening the memory for a command, and options shared by commands.

The options select a workspace, a task, a page or a time.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from memoranda.cli.output import remark
from memoranda.cli.server_address import server_named
from memoranda.clock import MICROSECONDS
from memoranda.exceptions import Forbidden, StorageError
from memoranda.time_zones import parse_local_time

if TYPE_CHECKING:
    from memoranda import Memoranda
    from memoranda.tasks.model import Workspace

PATIENCE_SECONDS = 3.0
"""Seconds that a reading command waits for a drain of another process."""

CHANNEL = "cli"
"""Channel name under which the command line receives news of proposals."""

_AGO = re.compile(r"^(\d{1,6})\s*(m|h|d|w)$")
_SECONDS = {"m": 60, "h": 3_600, "d": 86_400, "w": 604_800}


@contextmanager
def opened(
    data_dir: str | None, *, agent: str | None = None, fresh: bool = False, news: bool = True
) -> Iterator[Memoranda]:
    """Open the memory, here or on the server that is named.

    ``fresh`` first stores the events that hooks have left here, if any are pending. With ``news``,
    items pending for the person are shown at the end.
    """
    from memoranda import Memoranda
    from memoranda.config import load_settings

    settings = load_settings({"data_dir": data_dir, "url": server_named()})
    if settings.url:
        with Memoranda.open(settings.url, agent=agent, settings=settings) as memory:
            yield memory
            if news:
                with suppress(Forbidden):  # agents and readers are told of nothing
                    _print_news(memory)
        return
    with Memoranda.open(agent=agent, settings=settings) as memory:
        _note_interpreter(settings.data_dir)
        if fresh:
            catch_up(memory)
        yield memory
        if news and memory.acting is None:
            _print_news(memory)


def catch_up(memory: Memoranda) -> None:
    """Store the events that hooks have left; report if that takes too long."""
    from memoranda.capture.spool import Spool
    from memoranda.hook_session import start_drain

    try:
        if not memory.capture.catch_up(PATIENCE_SECONDS, partial(start_drain, always=True)):
            waiting = Spool(memory.settings.spool_dir).count_events()
            amount = f"{waiting:,} spooled events" if waiting > 1 else "spooled events"
            remark(f"note: {amount} are being processed; the newest may be missing")
    except StorageError as error:
        remark(f"note: the spool was not drained: {error}")


def _note_interpreter(data_dir: Path) -> None:
    """Record the interpreter for hooks of a plugin.

    They cannot know where Memoranda is installed.
    """
    note, here = data_dir / "python", f"{sys.executable}\n"
    with suppress(OSError):
        if not note.is_file() or note.read_text("utf-8") != here:
            note.touch(mode=0o600)
            note.write_text(here, "utf-8")


def elsewhere(memory: Memoranda) -> bool:
    """Return whether a memory is on a server."""
    from memoranda.api.client.remote import RemoteMemory

    return isinstance(memory, RemoteMemory)


def _print_news(memory: Memoranda) -> None:
    """Show what is pending for the person at the keyboard, each item once."""
    from memoranda.proposals.model import NotificationKind

    news = any(
        one.notice is NotificationKind.PENDING for one in memory.proposals.notifications(CHANNEL)
    )
    if news and (waiting := memory.proposals.count()):  # some may be decided by now
        updates = "memory update" if waiting == 1 else "memory updates"
        remark(f"{waiting} {updates} pending approval: memoranda pending list")
    for one in memory.profile.news(CHANNEL):
        where = f" --workspace {one.workspace}" if one.workspace else ""
        message = f"profile at {one.used / one.limit:.0%}, `memoranda optimize{where}` would free"
        remark(f"{message} {one.freed:,} tokens")
    if raised := len(memory.supervisor.news(CHANNEL)):
        looks = "intervention" if raised == 1 else "interventions"
        remark(f"{raised} {looks} raised: memoranda supervisor list")


def place(
    memory: Memoranda, workspace: str | None, task: str | None = None, *, new: bool = False
) -> str | None:
    """Return the workspace of a command.

    It is the one named, the task's, this folder's, or all. With ``new``, this folder gets one if it
    has none, so that what is stated in a project does not apply to every other.
    """
    if workspace is not None or task:
        return workspace
    found = workspace_here(memory, new=new)
    return found.id if found else None


def workspace_here(memory: Memoranda, *, new: bool = False) -> Workspace | None:
    """Return the workspace of the working directory, with ``new`` created if there is none."""
    try:
        folder = os.getcwd()  # noqa: PTH109 - as the host told it, unresolved
    except FileNotFoundError:  # somebody removed it
        return None
    return memory.workspace_of(folder, new=new)


def stated(content: str) -> str:
    """Return the content of an argument; for ``-``, that of standard input."""
    if content != "-":
        return content
    return sys.stdin.buffer.read().decode("utf-8", "replace")


def workspace_option(function: Callable[..., Any]) -> Callable[..., Any]:
    """Add the workspace option to a command."""
    return click.option(
        "--workspace",
        metavar="NAME",
        help="Workspace name, or 'all'. Default: this folder's, else all.",
    )(function)


def page_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """Add the paging options to a list command."""
    function = click.option("--cursor", help="Continue after the previous page.")(function)
    return click.option(
        "--limit", type=click.IntRange(1, 1000), default=50, help="Maximum number of rows."
    )(function)


class MomentParam(click.ParamType):  # type: ignore[type-arg]
    """Parameter type of a point in time.

    ISO 8601, in the reader's zone where it names none, or how long ago (90m, 12h, 7d, 4w). A date
    is the beginning of that day.
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
    """Parameter type of two texts separated by a colon: a kind and a value."""

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
