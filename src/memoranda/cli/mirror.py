"""Commands for the mirror: memories as Markdown files."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from memoranda.cli.open_memory import opened
from memoranda.cli.operation_commands import OperationCommands
from memoranda.cli.output import Output, day, pairs

if TYPE_CHECKING:
    from memoranda.mirror.model import MirrorReport, MirrorStatus


@click.group()
def mirror_command() -> None:
    """Mirror memories as Markdown files; edits to the files are imported."""


mirror = OperationCommands(mirror_command, "mirror")


@mirror.command("on", "mirror on ~/notes/memory")
def mirror_on(out: Output, data_dir: str | None, folder: str | None) -> None:
    """The default folder is `mirror` in the data directory."""
    with opened(data_dir, fresh=True) as memory:
        report = memory.mirror.enable(folder)
        state = memory.mirror.status().mirror
    place = state.folder if state else ""
    out.text(
        {"folder": place, "report": report}, f"the mirror is in {place}\n{_report_text(report)}"
    )


@mirror.view("off", "mirror off")
def _off(report: MirrorReport) -> str:
    """Other files in the folder remain."""
    return f"the mirror is off\n{_report_text(report)}"


@mirror.view("sync", "mirror sync", fresh=True)
@mirror.view("rebuild", "mirror rebuild", fresh=True)
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


@mirror.view("status", "mirror status")
def _status(status: MirrorStatus) -> str:
    mirror = status.mirror
    if mirror is None:
        return "the mirror is off; to turn it on: memoranda mirror on"
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
