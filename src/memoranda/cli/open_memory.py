"""Opening the memory for a command, on this machine or a server.

A command that reads first stores spooled events; at its end, it shows items that are pending for
the person.
"""

from __future__ import annotations

import shlex
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

import click

from memoranda.cli.output import remark
from memoranda.cli.server_address import server_named
from memoranda.config import CONFIG_FILE
from memoranda.exceptions import Forbidden, NotFound, StorageError

if TYPE_CHECKING:
    from memoranda import Memoranda
    from memoranda.config import Settings

PATIENCE_SECONDS = 3.0
"""Maximum seconds that a reading command waits for another process's import."""

OTHER_READS = frozenset(
    {"backup", "execution list", "export", "global list-learnings", "global show", "global stats"}
    | {"project list", "tui", "undo"}
)
"""Commands that change nothing although their names are not those of read operations."""
CHANNEL = "cli"
"""Channel name with which the command line receives news of proposals."""


@contextmanager
def opened(
    data_dir: str | None, *, agent: str | None = None, fresh: bool = False, news: bool = True
) -> Iterator[Memoranda]:
    """Open the memory on this machine or on the given server.

    ``fresh`` first stores the events that hooks have spooled on this machine, if any are pending.
    With ``news``, items pending for the person are shown at the end.

    Raises:
        NotFound: the command only reads, and the directory specified with --data-dir has no store.
    """
    from memoranda import Memoranda
    from memoranda.config import load_settings

    settings = load_settings({"data_dir": data_dir, "url": server_named()})
    if settings.url:
        with Memoranda.open(settings.url, agent=agent, settings=settings) as memory:
            yield memory
            if news:
                with suppress(Forbidden):  # agents and readers see no notifications
                    _print_news(memory)
        return
    if data_dir:
        _require_store(settings)
    with Memoranda.open(agent=agent, settings=settings) as memory:
        _note_interpreter(settings.data_dir)
        if fresh:
            catch_up(memory)
        yield memory
        if news and memory.acting is None:
            with suppress(StorageError):  # the command itself has succeeded
                _print_news(memory)


def _require_store(settings: Settings) -> None:
    """Refuse to read from a given directory without a store.

    The default directory is not checked: the first command there uses an empty store.
    """
    folder = settings.data_dir
    parts = (settings.database_path, settings.spool_dir, folder / CONFIG_FILE, folder / "installed")
    if settings.database_url or any(path.exists() for path in parts) or not _only_reads():
        return
    what = "has no store" if folder.is_dir() else "does not exist"
    raise NotFound(
        f"{folder} {what}; check --data-dir. To use the default directory, omit it. To create a "
        f'store there: memoranda --data-dir {shlex.quote(str(folder))} remember "…"'
    )


def _only_reads() -> bool:
    """Return whether the running command changes nothing."""
    from memoranda.operation_declaration import Access
    from memoranda.operations import OPERATIONS

    path = click.get_current_context().command_path.partition(" ")[2]
    reads = {
        operation.command for operation in OPERATIONS.values() if operation.access is Access.READ
    }
    return path in reads | OTHER_READS


def catch_up(memory: Memoranda) -> None:
    """Store spooled events; show a note if this takes too long."""
    try:
        if not memory.capture.catch_up(PATIENCE_SECONDS, _start_drain):
            from memoranda.capture.spool import Spool

            waiting = Spool(memory.settings.spool_dir).count_events()
            amount = f"{waiting:,} spooled events" if waiting > 1 else "spooled events"
            remark(f"note: {amount} are being processed; the newest may be missing")
    except StorageError as error:
        remark(f"note: the spool was not drained: {error}")


def _start_drain(data_dir: str) -> None:
    from memoranda.hook_session import start_drain

    start_drain(data_dir, always=True)


def _note_interpreter(data_dir: Path) -> None:
    """Record the Python interpreter for the hooks of a plugin.

    Hooks of a plugin cannot determine where Memoranda is installed.
    """
    note, here = data_dir / "python", f"{sys.executable}\n"
    with suppress(OSError):
        if not note.is_file() or note.read_text("utf-8") != here:
            note.touch(mode=0o600)
            note.write_text(here, "utf-8")


def pending_count(memory: Memoranda, workspace: str | None) -> int:
    """Return how many proposals are pending; 0 if the caller may not see them."""
    from memoranda.exceptions import Forbidden

    try:
        waiting = memory.proposals.count(workspace=workspace)
        if waiting and memory.is_remote:
            memory.proposals.list(limit=1)
    except Forbidden:
        return 0
    return waiting


def _print_news(memory: Memoranda) -> None:
    """Show what is pending for the person at the keyboard, each item once."""
    from memoranda.proposals.model import NotificationKind

    news = any(
        notification.notice is NotificationKind.PENDING
        for notification in memory.proposals.notifications(CHANNEL)
    )
    waiting = pending_count(memory, "all") if news else 0  # some may have been decided since
    if waiting:
        from memoranda.cli.options import place

        updates = "memory update" if waiting == 1 else "memory updates"
        listed = waiting == pending_count(memory, place(memory, None))
        everywhere = "" if listed else " --workspace all"
        remark(f"{waiting} {updates} pending approval: memoranda pending list{everywhere}")
    for profile_news in memory.profile.news(CHANNEL):
        where = f" --workspace {profile_news.workspace}" if profile_news.workspace else ""
        message = (
            f"profile at {profile_news.used / profile_news.limit:.0%}, `memoranda optimize{where}`"
        )
        remark(f"{message} would free {profile_news.freed:,} tokens")
    if raised := len(memory.supervisor.news(CHANNEL)):
        looks = "intervention" if raised == 1 else "interventions"
        remark(f"{raised} {looks} raised: memoranda supervisor list")
