"""Commands for maintenance: status, doctor, backup and journal."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import click

from memoranda.cli.open_memory import opened
from memoranda.cli.options import MomentParam, page_options, place, workspace_option
from memoranda.cli.output import Output, command, day, pairs, remark, write
from memoranda.cli.server_address import server_named
from memoranda.exceptions import CorruptData, Forbidden, NotFound, StorageError
from memoranda.json_data import as_json
from memoranda.memories.model import MemoryStatus
from memoranda.text import counted

if TYPE_CHECKING:
    from memoranda import Memoranda
    from memoranda.config import Settings
    from memoranda.search.index import IndexReport
    from memoranda.upkeep.doctor import Finding
    from memoranda.upkeep.host_hooks import HostHooks


@click.command(epilog="Example: memoranda stats --workspace shop --format json")
@workspace_option
@command
def stats_command(out: Output, data_dir: str | None, workspace: str | None) -> None:
    with opened(data_dir, fresh=True) as memory:
        stats = memory.store.stats(workspace=place(memory, workspace))
    kinds = ", ".join(f"{count} {kind}" for kind, count in sorted(stats.by_type.items()))
    removed = ", ".join(f"{count} {rule}" for rule, count in sorted(stats.redactions.items()))
    ratio = stats.raw_tokens / stats.summary_tokens if stats.summary_tokens else 0.0
    rows: dict[str, object] = {
        "tasks": stats.tasks,
        "observations": f"{stats.observations} ({kinds})" if kinds else 0,
        "duplicates": stats.folded,
        "quarantined": sum(stats.quarantined.values()),
        "memories": _by_status(stats.memories),
        "raw tokens": f"{stats.raw_tokens:,}",
        "summary tokens": f"{stats.summary_tokens:,} ({ratio:.1f}:1)",
        "redacted": removed or "nothing",
        "text": f"{stats.text_bytes:,} bytes, {stats.stored_bytes:,} on disk",
        "last capture": day(stats.last_recorded_at) if stats.last_recorded_at else "never",
    }
    out.text(stats, pairs(rows))


def _by_status(counts: Mapping[str, int]) -> str:
    """Return the number of approved memories, then those of other statuses."""
    others = ", ".join(f"{count} {name}" for name, count in sorted(counts.items())
                       if name != MemoryStatus.APPROVED)  # fmt: skip
    approved = str(counts.get(MemoryStatus.APPROVED, 0))
    return f"{approved} ({others})" if others else approved


@click.command(epilog="Example: memoranda status --workspace shop")
@workspace_option
@command
def status_command(out: Output, data_dir: str | None, workspace: str | None) -> None:
    with opened(data_dir, fresh=True) as memory:
        status = memory.store.status(workspace=place(memory, workspace))
        hooks = _hooks_here(memory)
        store = _store(memory)
    by = " (for a drain or a server; now: memoranda drain)" if status.jobs_waiting else ""
    rows: dict[str, object] = {
        "store": f"{store}, team {status.team}",
        "workspace": status.workspace or "all",
        "last capture": day(status.last_recorded_at) if status.last_recorded_at else "never",
        "last 24 hours": f"{status.lately:,} of {status.observations:,} observations",
        "spool": f"{counted(status.spool_files, 'file')}, {counted(status.spool_bytes, 'byte')}",
        "jobs": f"{status.jobs_waiting} waiting{by}, {status.jobs_failed} failed",
    }
    if status.rejected_bytes:
        size = f"{status.rejected_bytes:,} bytes"
        rows["rejected lines"] = f"{size} from hooks that were not events: memoranda doctor"
    for copy in status.copies:
        rows[f"copy: {Path(copy.path).name}"] = f"{copy.bytes:,} bytes, see memoranda doctor"
    if status.feedback_asking:
        listing = "memoranda feedback list --state asking"
        confirm = "memoranda feedback correct ID TYPE"
        rows["feedback"] = f"{status.feedback_asking} to be confirmed: {listing}, then {confirm}"
    if status.language_model:
        trouble = status.language_trouble
        note = f": {trouble}; only rules apply" if trouble else ""
        rows["language model"] = f"{status.language_model}{note}"
    for job in status.failures:
        rows[f"failed: {job.kind}"] = job.error
    for failure in status.handlers:
        rows[failure.handler] = f"{failure.described()}; correct or uninstall the handler"
    for folder in status.moved:
        merge = shlex.join((folder.workspace, folder.moved_to or ""))
        rows[f"moved: {folder.workspace}"] = f"to merge it: memoranda workspace merge {merge}"
    for host in hooks or ():
        rows[f"hooks of {host.title}"] = _hooks(host)
    if hooks is not None and not any(host.installed for host in hooks):
        rows["hooks"] = (
            "none installed; run: memoranda install claude-code (or codex, gemini-cli, cursor)"
        )
    out.text({**cast("dict[str, object]", as_json(status)), "hooks": hooks or []}, pairs(rows))


def _store(memory: Memoranda) -> str:
    """Return the location of a command's store, without a database password."""
    if memory.is_remote:
        from memoranda.api.client.address import parsed
        from memoranda.config import load_settings

        return str(parsed(load_settings({"url": server_named()}).url))
    settings = memory.settings
    if settings.database_url:
        from memoranda.store.postgres.faults import redacted_address

        return redacted_address(settings.database_url)
    return str(settings.database_path)


def _hooks_here(memory: Memoranda) -> list[HostHooks] | None:
    """Return the hooks on this machine; None if the store is on a server."""
    with suppress(Forbidden):
        return memory.store.hooks()
    return None


def _hooks(host: HostHooks) -> str:
    """Return a line about one coding agent's hooks, with the fix of a problem."""
    last = f"last event {day(host.last_event_at)}" if host.last_event_at else ""
    if host.installed:
        last = last or "no hook events yet"
    fix = f"fix: {host.fix}" if host.fix else ""
    return "; ".join(part for part in (host.detail, last, *host.problems, fix) if part)


@click.command(epilog="Example: memoranda doctor")
@click.option("--quick", is_flag=True, help="Skip checks that read the whole store.")
@command
def doctor_command(out: Output, data_dir: str | None, quick: bool) -> None:
    """The exit code is 1 if a check fails."""
    findings: list[Finding] = []
    try:
        with opened(data_dir) as memory:
            findings += memory.store.doctor(quick=quick)
    except (CorruptData, StorageError) as error:  # a store that cannot be opened is also a finding
        from memoranda.upkeep.doctor import unusable

        findings.append(unusable("store", error))
    rows = [(f.verdict, f.check, f.detail, f.fix) for f in findings]
    out.rows(findings, ("verdict", "check", "detail", "how to fix"), rows)
    if any(finding.verdict == "failure" for finding in findings):
        click.get_current_context().exit(1)


@click.command(epilog="Example: memoranda backup ~/backups/memoranda-2026-11-21.db")
@click.argument("target", type=click.Path(path_type=Path))
@command
def backup_command(out: Output, data_dir: str | None, target: Path) -> None:
    with opened(data_dir, fresh=True) as memory:
        inspection = memory.store.backup(target)
    out.text(inspection, f"{target}: {inspection.size_bytes:,} bytes, checked")


@click.command(epilog="Example: memoranda restore ~/backups/memoranda-2026-11-21.db --yes")
@click.argument("source", type=click.Path(path_type=Path))
@click.option("--yes", is_flag=True, help="Do not ask for confirmation.")
@command
def restore_command(out: Output, data_dir: str | None, source: Path, yes: bool) -> None:
    """The current data, if any, is backed up to the same folder first. If the data is too damaged
    for a backup, its files are moved aside within that folder.
    """
    from memoranda.config import load_settings

    settings = load_settings({"data_dir": data_dir, "url": server_named()})
    here = not (settings.url or settings.database_url)
    if here and not source.is_file():
        raise NotFound(f"no file {source}")
    if not yes and not (here and _is_empty(settings.data_dir)):
        click.confirm(f"Replace everything in {settings.data_dir}?", abort=True)
    before, keep = "there was no data before", None
    if here and settings.database_path.exists():
        before, keep = _save_current(settings, source)
    with opened(data_dir) as memory:
        inspection = memory.store.restore(source, keep=keep)
    out.text(inspection, f"restored {source}, verified; {before}")


def _is_empty(folder: Path) -> bool:
    return not folder.exists() or not any(folder.iterdir())


def _save_current(settings: Settings, source: Path) -> tuple[str, Path | None]:
    """Move damaged data aside, or choose the backup file of current data.

    Return a text that states where the data is now, and the path of a backup file.
    """
    from memoranda.store.engine_selection import damage, restore_damaged
    from memoranda.store.sqlite.file_recovery import free_name
    from memoranda.store.sqlite.leftover_copies import BEFORE_RESTORE

    if fault := damage(settings):  # a read-only check, before anything opens the store
        remark(f"note: the current data cannot be backed up: {fault}")
        aside = restore_damaged(settings, source)
        return f"the damaged file of the previous data was moved unchanged to {aside}", None
    copy_path = free_name(settings.data_dir / f"{BEFORE_RESTORE}{source.stem}.db")
    return f"the previous data is in {copy_path}", copy_path


@click.group()
def journal_command() -> None:
    """Show the journal: who did what, append-only and hash-chained."""


@journal_command.command("list", epilog="Example: memoranda journal list --operation forget")
@click.option("--operation", help="Only this operation, such as forget or 'memory edit'.")
@click.option("--subject", help="Only this task or memory, by its id.")
@click.option("--actor", help="Only of this person, agent or part of Memoranda.")
@click.option("--since", type=MomentParam(), help="Start: an ISO date, or an age such as 7d.")
@click.option("--until", type=MomentParam(), help="End: an ISO date, or an age.")
@page_options
@command
def journal_list(out: Output, data_dir: str | None, **filters: Any) -> None:
    from memoranda.cli.undo import command_of

    with opened(data_dir) as memory:
        page = memory.journal.list(**filters)
    rows = [
        (
            e.sequence,
            day(e.at),
            e.actor,
            command_of(e),
            e.title,
            e.subject,
            e.trace_id,
            dict(e.detail),
        )
        for e in page
    ]
    headers = ("no", "time", "actor", "operation", "what", "subject", "trace", "detail")
    out.rows(page, headers, rows)


@journal_command.command("verify", epilog="Example: memoranda journal verify")
@click.option("--expect", metavar="HASH", help="Expected head of the chain, as recorded elsewhere.")
@command
def journal_verify(out: Output, data_dir: str | None, expect: str | None) -> None:
    """The exit code is 1 if the chain is broken."""
    with opened(data_dir) as memory:
        check = memory.journal.verify()
    moved = expect is not None and expect != check.head
    if check.intact:
        text = f"{check.entries} entries, chain intact, head {check.head}"
    else:
        text = f"broken at entry {check.broken_at}: {check.reason}"
    out.text(check, text + ("\nthe head is not the expected one" if moved else ""))
    if moved or not check.intact:
        click.get_current_context().exit(1)


@click.command(epilog="Example: memoranda completion bash >> ~/.bashrc")
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
@command
def completion_command(out: Output, data_dir: str | None, shell: str) -> None:
    """Print the script that completes commands in your shell."""
    from click.shell_completion import get_completion_class

    root = click.get_current_context().find_root().command
    kind = get_completion_class(shell)
    if kind is None:
        raise click.UsageError(f"no completion for {shell}")
    script = kind(root, {}, "memoranda", "_MEMORANDA_COMPLETE").source()
    if out.format == "json":
        out.json({"shell": shell, "script": script})
    else:
        write(script)


@click.command(epilog="Example: memoranda reembed")
@command
def reembed_command(out: Output, data_dir: str | None) -> None:
    """Search then uses vectors as well as text. The command can be interrupted and resumed."""
    from memoranda.cli.progress import progress_bar

    with opened(data_dir, fresh=True) as memory, progress_bar("passages", "each") as progress:
        _show(out, memory.index.reembed(progress=None if memory.is_remote else progress))


@click.command(epilog="Example: memoranda rebuild-index")
@command
def rebuild_index_command(out: Output, data_dir: str | None) -> None:
    from memoranda.cli.progress import progress_bar

    with opened(data_dir, fresh=True) as memory, progress_bar("passages", "each") as progress:
        _show(out, memory.index.rebuild(progress=None if memory.is_remote else progress))


def _show(out: Output, report: IndexReport) -> None:
    labels: dict[str, object] = {
        "model": report.model or "none; search uses text only",
        "passages": report.passages,
        "waiting": report.waiting,
    }
    out.text(report, pairs(labels))
