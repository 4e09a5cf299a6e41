"""The command that imports transcripts and memories of other systems."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from memoranda.cli.open_memory import opened
from memoranda.cli.output import Output, command_here
from memoranda.exceptions import CorruptData, MemorandaError, StorageUnusable, UserError

if TYPE_CHECKING:
    from memoranda import Memoranda
    from memoranda.capture.transcript_importer import TranscriptImportReport
    from memoranda.integrations.imports.runner import ForeignReport

FAULTS = (UserError, CorruptData, StorageUnusable, OSError, RecursionError)
"""Errors that are reported per file; any other error ends the command."""
ALL_FAILED, SOME_FAILED = 1, 25
"""Exit codes if several files were specified."""
FORMS = ("claude-mem", "mem0", "mcp-memory", "letta", "chats", "basic-memory", "markdown")


@click.command(epilog="Example: memoranda import ~/.claude-mem/claude-mem.db --dry-run")
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--from", "form", type=click.Choice(FORMS), help="Input format. Default: detected.")
@click.option("--workspace", metavar="NAME", help="Workspace to store the records in.")
@click.option("--trust", is_flag=True, help="Approve the imported memories immediately.")
@click.option("--dry-run", is_flag=True, help="List what would be imported without storing it.")
@click.option(
    "--limit",
    type=click.IntRange(1, 1_000),
    help="Number of entries that --dry-run lists. Default: 20, or 1,000 as JSON.",
)
@click.option("--again", is_flag=True, help="Read transcripts from the start again.")
@click.option(
    "--unrecorded", is_flag=True, help="Also import sessions for which capture was switched off."
)
@command_here
def import_command(
    out: Output,
    data_dir: str | None,
    files: tuple[Path, ...],
    form: str | None,
    workspace: str | None,
    trust: bool,
    dry_run: bool,
    limit: int | None,
    again: bool,
    unrecorded: bool,
) -> None:
    """Import transcripts, or the data of another memory system.

    Supported: transcripts of Claude Code, Codex, Gemini CLI, Cursor, or generic JSONL; databases of
    claude-mem and mem0, or the output of mem0's get_all; the MCP memory server's JSONL; agent files
    of Letta; conversations exported from ChatGPT or Claude; notes of basic-memory; CLAUDE.md,
    AGENTS.md, any folder of Markdown.

    To update imported data, import it again: new records are added, changed memories are updated,
    and all others remain unchanged. Every file is tried: exit code 25 means that some files failed,
    exit code 1 that all failed; the failed files are listed under `failed`.
    """
    wishes = {"workspace": workspace, "trust": trust, "dry_run": dry_run}
    transcripts = {"again": again, "unrecorded": unrecorded}
    reports: list[Any] = []
    failures: list[ImportFailure] = []
    pending = 0
    with opened(data_dir) as memory:
        for path in _sources(files, form):
            try:
                reports.append(_import(memory, path, form, wishes, transcripts))
            except FAULTS as error:
                failures.append(ImportFailure(path, error))
        if reports and not dry_run:
            pending = _finish(memory)
    if len(failures) == 1 and not reports:
        raise failures[0].as_error()
    failed = [failure.row() for failure in failures] + [
        {"file": name, "reason": reason, "code": StorageUnusable.code}
        for report in reports
        for name, reason in getattr(report, "failures", {}).items()
    ]
    from memoranda.cli.import_summary import show_import, summary_of

    payload = summary_of(reports) | {"pending_jobs": pending, "failed": failed}
    show_import(out, payload, limit)
    if failed:
        click.get_current_context().exit(SOME_FAILED if reports else ALL_FAILED)


@dataclass(frozen=True, slots=True)
class ImportFailure:
    """A file that could not be imported."""

    path: Path
    error: Exception

    def row(self) -> dict[str, str]:
        """Return the failure as a row of a report."""
        error = self.as_error()
        return {"file": str(self.path), "reason": self._reason(), "code": error.code}

    def as_error(self) -> MemorandaError:
        """Return the failure as a command error with the file name."""
        reason = self._reason()
        named = reason if str(self.path) in reason else f"{self.path}: {reason}"
        kind = type(self.error) if isinstance(self.error, MemorandaError) else StorageUnusable
        return kind(named)

    def _reason(self) -> str:
        if isinstance(self.error, OSError):
            return f"cannot be read: {self.error.strerror or self.error}"
        return str(self.error)


def _sources(files: Sequence[Path], form: str | None) -> list[Path]:
    from memoranda.integrations.imports.format_detection import sources

    named = dict.fromkeys(files)
    return list(named if form else dict.fromkeys(item for path in named for item in sources(path)))


def _import(
    memory: Memoranda,
    path: Path,
    form: str | None,
    wishes: Mapping[str, Any],
    transcripts: Mapping[str, bool],
) -> TranscriptImportReport | ForeignReport:
    from memoranda.cli.progress import progress_bar
    from memoranda.integrations.imports.format_detection import form_of
    from memoranda.integrations.imports.runner import import_foreign, require_admitted

    require_admitted(memory, path)
    found = form or form_of(path)
    if found is None:
        with progress_bar(path.name, "bytes") as bytes_read:
            return memory.capture.import_transcript(
                path,
                workspace=wishes["workspace"],
                dry_run=wishes["dry_run"],
                progress=bytes_read,
                **transcripts,
            )
    with progress_bar(f"{path.name} ({found})", "items") as counted:
        return import_foreign(memory, path, form=found, progress=counted, **wishes)


def _finish(memory: Memoranda) -> int:
    """Index the imported data; return how many jobs other processes must do."""
    from memoranda.cli.progress import progress_bar

    with progress_bar("indexing", "records") as progress:
        return memory.capture.finish(progress)
