"""Commands that export and import archives of a team, workspace or agent."""

from __future__ import annotations

from pathlib import Path

import click

from memoranda.cli.open_memory import opened
from memoranda.cli.output import Output, command, pairs
from memoranda.cli.progress import row_progress
from memoranda.exceptions import InvalidInput


@click.command(epilog="Example: memoranda export shop.zip --workspace shop")
@click.argument("path", type=click.Path(path_type=Path))
@click.option("--workspace", metavar="NAME", help="Only this workspace.")
@click.option("--agent", metavar="ID", help="Only this agent's data and the tasks it worked on.")
@click.option("--without-observations", is_flag=True, help="Omit the recorded observations.")
@click.option(
    "--as",
    "form",
    type=click.Choice(["archive", "mcp-memory", "markdown"]),
    default="archive",
    help="Output format: a ZIP archive, JSONL (mcp-memory) or a folder (markdown).",
)
@click.option("--force", is_flag=True, help="Overwrite an existing file.")
@command
def export_command(
    out: Output,
    data_dir: str | None,
    path: Path,
    workspace: str | None,
    agent: str | None,
    without_observations: bool,
    form: str,
    force: bool,
) -> None:
    """The file is a ZIP archive of JSON Lines, readable only by its owner. docs/archive.md
    describes the format.
    """
    if form != "archive":
        if agent or without_observations:
            raise InvalidInput("--agent and --without-observations apply to archives only")
        _export_for_others(out, data_dir, path, workspace, form, force)
        return
    with opened(data_dir, fresh=True) as memory, row_progress() as progress:
        report = memory.archive.export(
            path,
            workspace=workspace,
            agent=agent,
            observations=not without_observations,
            force=force,
            progress=progress,
        )
    shown: dict[str, object] = {kind.replace("_", " "): n for kind, n in report.rows.items()}
    out.text(report, f"{path}: {report.size_bytes:,} bytes\n{pairs(shown)}")


def _export_for_others(
    out: Output, data_dir: str | None, path: Path, workspace: str | None, form: str, force: bool
) -> None:
    from memoranda.integrations.exports import export_markdown, export_mcp_memory

    write = export_mcp_memory if form == "mcp-memory" else export_markdown
    with opened(data_dir) as memory:
        count = write(memory, path, workspace=workspace, force=force)
    what = "lines" if form == "mcp-memory" else "files"
    out.text({"path": str(path), what: count}, f"{path}: {count:,} {what}")


@click.command(epilog="Example: memoranda import-archive shop.zip --dry-run")
@click.argument("path", type=click.Path(path_type=Path))
@click.option("--renew-ids", is_flag=True, help="Import as a copy with new ids.")
@click.option("--trust", is_flag=True, help="Trust the archive: keep approvals, marks and folders.")
@click.option("--dry-run", is_flag=True, help="Check the archive and show what would change.")
@command
def import_archive_command(
    out: Output, data_dir: str | None, path: Path, renew_ids: bool, trust: bool, dry_run: bool
) -> None:
    """Existing records remain unchanged: importing twice adds nothing."""
    with opened(data_dir) as memory, row_progress() as progress:
        report = memory.archive.import_archive(
            path,
            ids="renew" if renew_ids else "keep",
            trust=trust,
            dry_run=dry_run,
            progress=progress,
        )
    if out.format == "json":
        out.json(report)
        return
    counts = (report.added, report.there, report.refused)
    rows = [(kind.replace("_", " "), *(count.get(kind, 0) for count in counts))
            for kind in report.added]  # fmt: skip
    head = "would be added" if dry_run else "added"
    out.rows(report, ("kind", head, "already stored", "refused"), rows)
    if report.refusals:
        refusals = [(refusal.kind, refusal.id, refusal.reason) for refusal in report.refusals]
        out.rows(report, ("refused", "id", "reason"), refusals)
