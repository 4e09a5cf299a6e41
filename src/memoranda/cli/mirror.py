"""Commands for the mirror: memories as Markdown files."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from memoranda.cli.open_memory import opened
from memoranda.cli.output import Output, command, day, pairs

if TYPE_CHECKING:
    from memoranda.mirror.model import MirrorReport, MirrorStatus


@click.group()
def mirror_command() -> None:
    """Mirror memories as Markdown files; edits of the files are read back."""


@mirror_command.command("on", epilog="Example: memoranda mirror on ~/notes/memory")
@click.argument("folder", required=False)
@command
def mirror_on(out: Output, data_dir: str | None, folder: str | None) -> None:
    """The default is mirror in the data directory."""
    with opened(data_dir, fresh=True) as memory:
        report = memory.mirror.enable(folder)
        mirror = memory.mirror.status().mirror
    place = mirror.folder if mirror else ""
    out.text(
        {"folder": place, "report": report}, f"the mirror is in {place}\n{_report_text(report)}"
    )


@mirror_command.command("off", epilog="Example: memoranda mirror off")
@command
def mirror_off(out: Output, data_dir: str | None) -> None:
    """Other files in the folder remain."""
    with opened(data_dir) as memory:
        report = memory.mirror.disable()
    out.text(report, f"the mirror is off\n{_report_text(report)}")


@mirror_command.command("status", epilog="Example: memoranda mirror status")
@command
def mirror_status(out: Output, data_dir: str | None) -> None:
    with opened(data_dir) as memory:
        status = memory.mirror.status()
    out.text(status, _status(status))


@mirror_command.command("sync", epilog="Example: memoranda mirror sync")
@command
def mirror_sync(out: Output, data_dir: str | None) -> None:
    with opened(data_dir, fresh=True) as memory:
        report = memory.mirror.sync()
    out.text(report, _report_text(report))


@mirror_command.command("rebuild", epilog="Example: memoranda mirror rebuild")
@command
def mirror_rebuild(out: Output, data_dir: str | None) -> None:
    with opened(data_dir, fresh=True) as memory:
        report = memory.mirror.rebuild()
    out.text(report, _report_text(report))


def _report_text(report: MirrorReport) -> str:
    labels: dict[str, object] = {
        "changed": f"{len(report.edited)} memories",
        "added": f"{len(report.added)} memories",
        "proposed": f"{len(report.proposed)} changes",
        "conflicts": len(report.conflicts),
        "written": f"{len(report.written)} files",
        "removed": f"{len(report.removed)} files",
    }
    notes = "".join(f"\n{note.path}: {note.what}" for note in report.notes)
    again = "\na file changed in the meantime: memoranda mirror sync" if report.unfinished else ""
    return pairs(labels) + notes + again


def _status(status: MirrorStatus) -> str:
    mirror = status.mirror
    if mirror is None:
        return "the mirror is off; turn it on with memoranda mirror on"
    here = "" if status.reachable else "  (missing on this machine; memoranda mirror sync)"
    labels: dict[str, object] = {
        "folder": mirror.folder + here,
        "files": status.files,
        "written": day(mirror.synced_at) if mirror.synced_at else "never",
        "conflicts": len(status.conflicts),
        "saved as a separate file": len(status.kept),
    }
    lines = [*(f"conflict    {path}" for path in status.conflicts)]
    lines += [f"saved as a separate file  {path}" for path in status.kept]
    lines += [f"{day(note.noted_at)}  {note.path}: {note.what}" for note in mirror.notes]
    return "\n".join([pairs(labels), *lines])
