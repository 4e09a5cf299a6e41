"""The command that imports transcripts and memories of other systems."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from memoranda.cli.open_memory import opened
from memoranda.cli.output import Output, command_here, pairs, progress_bar
from memoranda.exceptions import CorruptData, MemorandaError, StorageUnusable, UserError
from memoranda.text import visible

if TYPE_CHECKING:
    from memoranda import Memoranda
    from memoranda.capture.transcript_importer import TranscriptImportReport
    from memoranda.integrations.imports.runner import ForeignReport

FAULTS = (UserError, CorruptData, StorageUnusable, OSError, RecursionError)
"""Errors that one file may cause; any other ends the command."""
ALL_FAILED, SOME_FAILED = 1, 25
"""Exit codes where several files were named."""
FORMS = ("claude-mem", "mem0", "mcp-memory", "letta", "chats", "markdown")


@click.command(epilog="Example: memoranda import ~/.claude-mem/claude-mem.db --dry-run")
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--from", "form", type=click.Choice(FORMS), help="Input format. Default: detected.")
@click.option("--workspace", metavar="NAME", help="Workspace to store the records in.")
@click.option("--trust", is_flag=True, help="Approve the imported memories immediately.")
@click.option("--dry-run", is_flag=True, help="Show what would be imported without storing it.")
@click.option("--again", is_flag=True, help="Read transcripts from the start again.")
@command_here
def import_command(
    out: Output,
    data_dir: str | None,
    files: tuple[Path, ...],
    form: str | None,
    workspace: str | None,
    trust: bool,
    dry_run: bool,
    again: bool,
) -> None:
    """Import transcripts, or the data of another memory system.

    Transcripts of Claude Code, Codex, Gemini CLI, Cursor, or generic JSONL; databases of claude-mem
    and mem0, or the output of mem0's get_all; the MCP memory server's JSONL; agent files of Letta;
    conversations exported from ChatGPT or Claude; CLAUDE.md, AGENTS.md, any folder of Markdown.

    Importing twice adds nothing: what is already stored is counted as duplicates. Every file is
    tried: exit code 25 means that some failed, 1 that all did; they are listed under
    failed.
    """
    wishes = {"workspace": workspace, "trust": trust, "dry_run": dry_run}
    reports: list[Any] = []
    failures: list[ImportFailure] = []
    pending = 0
    with opened(data_dir) as memory:
        for path in _sources(files, form):
            try:
                reports.append(_import(memory, path, form, wishes, again=again))
            except FAULTS as error:
                failures.append(ImportFailure(path, error))
        if reports and not dry_run:
            pending = _finish(memory)
    if len(failures) == 1 and not reports:
        raise failures[0].as_error()
    failed = [one.row() for one in failures] + [
        {"file": name, "reason": reason, "code": StorageUnusable.code}
        for report in reports
        for name, reason in getattr(report, "failures", {}).items()
    ]
    _show(out, _payload(reports) | {"pending_jobs": pending, "failed": failed})
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
        """Return the failure as a command's error, with the name of the file."""
        reason = self._reason()
        named = reason if str(self.path) in reason else f"{self.path}: {reason}"
        kind = type(self.error) if isinstance(self.error, MemorandaError) else StorageUnusable
        return kind(named)

    def _reason(self) -> str:
        if isinstance(self.error, OSError):
            return f"cannot be read: {self.error.strerror or self.error}"
        return str(self.error)


def _sources(files: Sequence[Path], form: str | None) -> list[Path]:
    from memoranda.integrations.imports.forms import sources

    named = dict.fromkeys(files)
    return list(named if form else dict.fromkeys(one for path in named for one in sources(path)))


def _import(
    memory: Memoranda, path: Path, form: str | None, wishes: Mapping[str, Any], *, again: bool
) -> TranscriptImportReport | ForeignReport:
    from memoranda.integrations.imports.forms import form_of
    from memoranda.integrations.imports.runner import import_foreign, require_admitted

    require_admitted(memory, path)
    found = form or form_of(path)
    if found is None:
        with progress_bar(path.name, "bytes") as bytes_read:
            return memory.capture.import_transcript(
                path,
                workspace=wishes["workspace"],
                again=again,
                dry_run=wishes["dry_run"],
                progress=bytes_read,
            )
    with progress_bar(f"{path.name} ({found})", "things") as counted:
        return import_foreign(
            memory,
            path,
            form=found,
            progress=(lambda done: counted(done, 0)) if counted else None,
            **wishes,
        )


def _finish(memory: Memoranda) -> int:
    """Index the imported data; return the number of jobs left to a drain or a server."""
    with progress_bar("passages", "each") as progress:
        return memory.capture.finish(progress)


def _show(out: Output, payload: Mapping[str, Any]) -> None:
    shown = {
        key.replace("_", " "): value
        for key, value in payload.items()
        if value not in ({}, []) and key != "failed"
    }
    lines = [f"failed: {one['file']}: {one['reason']}" for one in payload["failed"]]
    out.text(payload, "\n".join([pairs(shown), *map(visible, lines)]))


def _payload(reports: Sequence[Any]) -> dict[str, Any]:
    """Sum up the results of the files, whatever their kind."""
    skipped, removed, added, there, left, kinds = (Counter[str]() for _ in range(6))
    places: set[str] = set()
    sums = Counter[str]()
    refused: list[Any] = []
    for report in reports:
        intake = report.intake
        sums.update(
            files=getattr(report, "files", 1),
            lines=getattr(report, "lines", 0),
            events=intake.events,
            observations=intake.observations,
            duplicates=intake.duplicates,
            completed=intake.completed,
            folded=intake.folded,
        )
        skipped.update(getattr(report, "skipped", {}))
        removed.update(intake.redactions)
        added.update(getattr(report, "added", {}))
        there.update(getattr(report, "there", {}))
        left.update(getattr(report, "left_out", {}))
        kinds.update(getattr(report, "kinds", {}))
        places |= getattr(report, "workspaces", set())
        refused += getattr(report, "refusals", [])
    tasks = sorted({task for report in reports for task in report.intake.tasks})
    return {
        **{name: sums[name] for name in _SUMS},
        "memories": added["memories"],
        "blocks": added["blocks"],
        "duplicates": sums["duplicates"] + there["memories"] + there["blocks"],
        "skipped": skipped.total() + left.total(),
        "skipped_by_reason": dict(skipped + left),
        "redactions": removed.total(),
        "redactions_by_rule": dict(removed),
        "refused": refused,
        "events_by_kind": dict(kinds),
        "workspaces": sorted(places),
        "dry_run": any(getattr(report, "dry_run", False) for report in reports),
        "tasks": tasks,
    }


_SUMS = ("files", "lines", "events", "observations", "duplicates", "completed", "folded")
