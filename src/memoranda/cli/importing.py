"""The command that takes in what was written down elsewhere: transcripts, and other memories."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from memoranda.cli.opening import opened
from memoranda.cli.output import Output, command_here, pairs
from memoranda.cli.progress import progress_bar
from memoranda.errors import InvalidInput

if TYPE_CHECKING:
    from memoranda import Memoranda
    from memoranda.capture.importer import ImportReport
    from memoranda.integrations.importing.running import ForeignReport

FORMS = ("claude-mem", "mem0", "mcp-memory", "letta", "chats", "markdown")


@click.command(epilog="Example: memoranda import ~/.claude-mem/claude-mem.db --dry-run")
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--from", "form", type=click.Choice(FORMS), help="Default: told by the file.")
@click.option("--workspace", metavar="NAME", help="Store under this workspace.")
@click.option("--trust", is_flag=True, help="Memories are approved at once, not pending.")
@click.option("--dry-run", is_flag=True, help="Of other systems: only say what would be done.")
@click.option("--again", is_flag=True, help="Transcripts: from the start, not where it ended.")
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
    """Import transcripts, or what another system remembered.

    Transcripts of Claude Code, Codex, Cursor, or generic JSONL; databases of claude-mem and mem0,
    or what mem0's get_all gives; the MCP memory server's JSONL; agent files of Letta;
    conversations exported from ChatGPT or Claude; CLAUDE.md, AGENTS.md, any folder of Markdown.

    Doing it twice adds nothing: what is stored already is counted as duplicates.
    """
    wishes = {"workspace": workspace, "trust": trust, "dry_run": dry_run}
    with opened(data_dir) as memory:
        reports = [_import(memory, path, form, wishes, again=again) for path in files]
    payload = _payload(reports)
    shown = {
        key.replace("_", " "): value for key, value in payload.items() if value not in ({}, [])
    }
    out.text(payload, pairs(shown))


def _import(
    memory: Memoranda, path: Path, form: str | None, wishes: Mapping[str, Any], *, again: bool
) -> ImportReport | ForeignReport:
    from memoranda.integrations.importing.forms import form_of
    from memoranda.integrations.importing.running import import_foreign

    found = form or form_of(path)
    if found is None:
        if wishes["dry_run"]:
            raise InvalidInput(f"{path}: --dry-run is for what other systems remembered")
        with progress_bar(path.name, "bytes") as bytes_read:
            return memory.import_transcript(
                path, workspace=wishes["workspace"], again=again, progress=bytes_read
            )
    with progress_bar(f"{path.name} ({found})", "things") as counted:
        return import_foreign(
            memory,
            path,
            form=found,
            progress=(lambda done: counted(done, 0)) if counted else None,
            **wishes,
        )


def _payload(reports: Sequence[Any]) -> dict[str, Any]:
    """Sum up what became of the files, whatever they were."""
    skipped, removed, added, there, left = (Counter[str]() for _ in range(5))
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
        "dry_run": any(getattr(report, "dry_run", False) for report in reports),
        "tasks": tasks,
    }


_SUMS = ("files", "lines", "events", "observations", "duplicates", "completed", "folded")
