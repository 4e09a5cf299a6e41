"""Doctor: checks of the complete installation, each with a remedy."""

from __future__ import annotations

import json
import re
import shlex
import shutil
import stat
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from memoranda import local_time as zone
from memoranda.assembly.services import Services
from memoranda.clock import MICROSECONDS
from memoranda.config import PREFIX, Settings
from memoranda.costs.model import dollars
from memoranda.exceptions import (
    CorruptData,
    EmbedderUnavailable,
    InvalidInput,
    ModelUnavailable,
    StorageError,
)
from memoranda.jobs import table as jobs
from memoranda.journal import table as journal
from memoranda.models.factory import (
    language_model_problem,
    language_server_problem,
    language_version,
)
from memoranda.quarantine import table as quarantine
from memoranda.store.sqlite import filesystem, inspection_and_backup as maintenance
from memoranda.store.sqlite.engine import SqliteDatabase
from memoranda.store.sqlite.leftover_copies import copies
from memoranda.text import counted
from memoranda.upkeep.host_hooks import host_hooks
from memoranda.upkeep.language_report import MULTILINGUAL, foreign_messages
from memoranda.workspaces.missing_folders import missing_folders
from memoranda.workspaces.recognition_report import workspace_report

if TYPE_CHECKING:
    from memoranda.store.postgres.inspection import ServerInspection

STALE_SPOOL = 3_600 * MICROSECONDS
"""Age above which a spooled event suggests that no process imports the spool."""
RESTORE = "restore the newest backup: memoranda restore FILE"
NOT_DAMAGED = "check the disk, its mount and the permissions, then try again; no damage was found"
REBUILD = "memoranda rebuild-index"
LITTLE_SPACE = 512 << 20
MAX_MISSING = 8
"""Maximum number of missing folders that are listed."""
MAX_HANDLERS = 5
"""Maximum number of handlers whose failures are reported."""
TRIAL = "Does the embedding server answer?"
"""Text with which an embedding server is tested."""
_LIVE_HOOK = re.compile(r"hook\.py\W{0,3} live [\w-]+ (\d+)")


class CheckStatus(StrEnum):
    """Result of a check."""

    OK = "ok"
    WARNING = "warning"
    FAILURE = "failure"


@dataclass(frozen=True, slots=True)
class Finding:
    """Result of one check, and what to do about it."""

    check: str
    verdict: CheckStatus
    detail: str
    fix: str = ""


def examine(services: Services, *, quick: bool = False) -> list[Finding]:
    """Run every check, or only the ``quick`` ones. Changes nothing.

    The duration of quick checks does not depend on the size of the store. Nothing is fixed
    automatically.
    """
    if quick:
        glance = _unless_damaged("database", _at_a_glance, services)
        return [*glance, *_quick_checks(services), *_unless_damaged("hooks", _hooks, services)]
    return [
        *_unless_damaged("database", _database, services),
        *_unless_damaged("journal", _journal, services),
        *_unless_damaged("search", _search, services),
        *_model(services),
        *_quick_checks(services, trial=True),
        *_unless_damaged("hooks", partial(_hooks, trial=True), services),
    ]


def _quick_checks(services: Services, *, trial: bool = False) -> list[Finding]:
    """Run the checks whose duration does not depend on the size of the store.

    With ``trial``, the server of the language model is contacted.
    """
    return [
        *_spool(services),
        *_live(services),
        *_redis(services),
        *_unless_damaged("language model", partial(_language, trial=trial), services),
        *_unless_damaged("jobs", _jobs, services),
        *_unless_damaged("handlers", _handlers, services),
        *_ignored(services),
        *_unless_damaged("quarantine", _quarantine, services),
        *_unless_damaged("workspaces", _workspaces, services),
        *_files(services),
        *_copies(services),
    ]


def _unless_damaged(
    check: str, run: Callable[[Services], Iterator[Finding]], services: Services
) -> list[Finding]:
    """Run a check that reads the store; return any damage as the result.

    Damage that one check finds does not abort the other checks.
    """
    try:
        return list(run(services))
    except (CorruptData, StorageError) as error:
        return [unusable(check, error)]


def unusable(check: str, error: CorruptData | StorageError) -> Finding:
    """Report that the store or part of it cannot be read."""
    detail, _, remedy = str(error).partition("; ")
    damaged = isinstance(error, CorruptData)
    return Finding(
        check, CheckStatus.FAILURE, detail, RESTORE if damaged else remedy or NOT_DAMAGED
    )


def _at_a_glance(services: Services) -> Iterator[Finding]:
    """Report the engine, version and size of the store."""
    if isinstance(services.engine, SqliteDatabase):
        yield Finding(
            "database", CheckStatus.OK, _file_text(*maintenance.at_a_glance(services.engine))
        )
        yield _encryption(services.engine, services.settings)
    else:
        yield from _connected(services)


def _connected(services: Services) -> Iterator[Finding]:
    from memoranda.store.postgres.inspection import at_a_glance

    version, size = services.database.read(at_a_glance)
    yield Finding("database", CheckStatus.OK, f"PostgreSQL {version}, {size / 1e6:.1f} MB")


def _file_text(version: str, schema: int, size: int, log: int) -> str:
    return f"SQLite {version}, schema {schema}, {size / 1e6:.1f} MB + {log / 1e6:.1f} MB log"


def _database(services: Services) -> Iterator[Finding]:
    if isinstance(services.engine, SqliteDatabase):
        yield from _file(services.engine)
        yield _encryption(services.engine, services.settings)
    else:
        yield from _server(services)


def _server(services: Services) -> Iterator[Finding]:
    from memoranda.store.postgres.inspection import inspect

    inspection = inspect(services.database, services.settings.team)
    detail = (
        f"PostgreSQL {inspection.server_version}, schema {inspection.schema_version}, "
        f"{inspection.size_bytes / 1e6:.1f} MB, {', '.join(inspection.extensions)}"
    )
    yield Finding("database", CheckStatus.OK, detail)
    wrong = {
        "missing contents": inspection.missing_contents,
        "damaged contents": inspection.damaged_contents,
        "tasks numbered wrongly": inspection.misnumbered,
    }
    yield _counted("integrity", wrong, "restore a backup of the server")
    index = {"rows not indexed": inspection.unindexed}
    yield _counted("full text", index, "import the transcripts again")
    yield _counted("totals", {"tasks counted wrongly": inspection.miscounted}, REBUILD)
    yield _teams(inspection)


def _teams(found: ServerInspection) -> Finding:
    """Report whether the database server itself separates teams."""
    if found.unprotected:
        detail = f"row-level security is off: {', '.join(found.unprotected)}"
        return Finding(
            "teams", CheckStatus.FAILURE, detail, "run `memoranda db migrate` as the owner"
        )
    if found.sees_every_team:
        detail = f"role {found.role} is exempt from row-level security"
        remedy = "let programs log in as another role: memoranda db roles"
        return Finding("teams", CheckStatus.WARNING, detail, remedy)
    return Finding("teams", CheckStatus.OK, f"role {found.role} can access only one team at a time")


def _file(database: SqliteDatabase) -> Iterator[Finding]:
    inspection = maintenance.inspect(database)
    yield Finding("database", CheckStatus.OK, _file_text(*maintenance.at_a_glance(database)))
    wrong = {
        "damaged pages": len(inspection.damage),
        "broken references": inspection.broken_references,
        "missing contents": inspection.missing_contents,
        "tasks numbered wrongly": inspection.misnumbered,
    }
    yield _counted("integrity", wrong, RESTORE)
    if found := inspection.content_faults:
        yield Finding("contents", CheckStatus.FAILURE, found, f"forget these records, or {RESTORE}")
    if inspection.damage:  # if there is damage, the following checks may be incomplete
        return
    index = {
        "rows not indexed": inspection.unindexed,
        "index entries without a row": inspection.orphaned,
    }
    yield _counted("full text", index, "restore a backup, or import the transcripts again")
    yield _counted("totals", {"tasks counted wrongly": inspection.miscounted}, REBUILD)
    blocks = {"damaged blocks, which searches bypass": inspection.damaged_blocks}
    yield _counted("vectors", blocks, REBUILD)
    if inspection.on_remote_disk:
        yield Finding(
            "disk",
            CheckStatus.WARNING,
            "the database is on a network file system, where file locks are not reliable",
            "move the data directory to a local disk (--data-dir)",
        )


def _encryption(database: SqliteDatabase, settings: Settings) -> Finding:
    if database.key is None:
        return Finding("encryption", CheckStatus.OK, "not encrypted")
    place = settings.encryption_key_file or "the system's keyring"
    return Finding("encryption", CheckStatus.OK, f"on, database and log; the key is in {place}")


def _counted(check: str, wrong: dict[str, int], remedy: str) -> Finding:
    faults = [f"{count} {what}" for what, count in wrong.items() if count]
    if faults:
        return Finding(check, CheckStatus.FAILURE, ", ".join(faults), remedy)
    return Finding(check, CheckStatus.OK, "no errors")


def _journal(services: Services) -> Iterator[Finding]:
    check = services.database.read(lambda tx: journal.verify(tx, services.settings.team))
    if check.intact:
        yield Finding("journal", CheckStatus.OK, f"{check.entries} entries, chain intact")
        return
    detail = f"entry {check.broken_at}: {check.reason}"
    remedy = "compare with a backup: another program changed the file"
    yield Finding("journal", CheckStatus.FAILURE, detail, remedy)


def _spool(services: Services) -> Iterator[Finding]:
    state = services.spool.state()
    age = services.clock.now() - state.oldest_at if state.oldest_at else 0
    oldest = f", oldest {age // MICROSECONDS} s" if state.files else ""
    detail = f"{counted(state.files, 'file')}, {counted(state.bytes, 'byte')}{oldest}"
    late = state.files > 0 and age > STALE_SPOOL
    yield Finding(
        "spool",
        CheckStatus.WARNING if late else CheckStatus.OK,
        detail,
        "memoranda drain" if late else "",
    )
    if state.rejected_bytes:
        path = services.spool.rejected
        detail = f"{state.rejected_bytes:,} bytes of lines that were not events in {path}"
        yield Finding(
            "rejected lines", CheckStatus.WARNING, detail, "read the file, then delete it"
        )


def _copies(services: Services) -> Iterator[Finding]:
    """Report copies of the store that a restore left next to the store."""
    for copy in copies(services.settings.database_path):
        detail = f"{copy.path}, {copy.bytes:,} bytes, left by a restore; has data forgotten since"
        remedy = f"if you no longer need the copy: rm {shlex.quote(copy.path)}*"
        yield Finding("copies", CheckStatus.WARNING, detail, remedy)


def _live(services: Services) -> Iterator[Finding]:
    """Report which hook settings shorten long outputs for agents."""
    found = []
    for record in sorted((services.settings.data_dir / "installed").glob("*.json")):
        try:
            path = Path(json.loads(record.read_text("utf-8")).get("path", ""))
            found += [(int(over), path) for over in _LIVE_HOOK.findall(path.read_text("utf-8"))]
        except (OSError, ValueError):  # the hooks installed there no longer exist
            continue
    paths = ", ".join(f"outputs over {over:,} bytes ({path})" for over, path in found)
    yield Finding("live mode", CheckStatus.OK, f"on: {paths}" if paths else "off")


def _hooks(services: Services, *, trial: bool = False) -> Iterator[Finding]:
    """Report for each local coding agent whether its sessions are recorded."""
    hooks = host_hooks(services, trial=trial)
    for item in hooks:
        last = item.last_event_at
        last_event = f"last event {zone.minute(last)}" if last else "no hook events yet"
        verdict = CheckStatus.WARNING if item.problems else CheckStatus.OK
        verdict = CheckStatus.FAILURE if item.broken else verdict
        detail = "; ".join(part for part in (*item.problems, item.detail, last_event) if part)
        yield Finding(f"hooks of {item.title}", verdict, detail, item.fix)
    if not hooks:
        yield Finding("hooks", CheckStatus.OK, "no coding agent has settings on this machine")


def _jobs(services: Services) -> Iterator[Finding]:
    team = services.settings.team
    counts = services.database.read(lambda tx: jobs.counts(tx, team))
    failed = services.database.read(lambda tx: jobs.failed(tx, team, 1))
    detail = ", ".join(f"{count} {state}" for state, count in sorted(counts.items())) or "none"
    if failed:
        detail += f"; last failure: {failed[0].kind}: {failed[0].error}"
        remedy = "only derived data is affected; it is created again at that workspace's next event"
        yield Finding("jobs", CheckStatus.WARNING, detail, remedy)
        return
    yield Finding("jobs", CheckStatus.OK, detail)


def _handlers(services: Services) -> Iterator[Finding]:
    """Report the plug-ins' handlers, and the failures of any handler."""
    names = services.bus.names()  # loads the plug-ins and records load failures
    failures = services.handler_failures.since(services.clock.now())
    remedy = "correct or uninstall it; the events are stored, and the log contains the error"
    for failure in failures[:MAX_HANDLERS]:
        detail = f"{failure.handler} {failure.described()}"
        yield Finding("handlers", CheckStatus.WARNING, detail, remedy)
    if not failures:
        yield Finding("handlers", CheckStatus.OK, ", ".join(names) or "no plug-in handlers")


def _ignored(services: Services) -> Iterator[Finding]:
    """Report ignored variables, which another program may have set."""
    for variable, reason in services.settings.ignored.items():
        detail = f"{variable} in the environment is ignored: {reason}"
        ours = variable.startswith(PREFIX)
        other = "unset it" if ours else f"set {PREFIX}{variable}, if it is for Memoranda"
        remedy = f"correct it, or {other}"
        yield Finding("settings", CheckStatus.WARNING, detail, remedy)


def _model(services: Services) -> Iterator[Finding]:
    """Report whether the embedder works, and whether another suits the texts."""
    from memoranda.models.embedding.minilm import LocalEmbedder

    if (embedder := services.embedder) is None:
        return
    verify = getattr(embedder, "verify", None)  # only of models on this machine
    try:
        verify() if verify else embedder.embed([TRIAL], query=True)
    except EmbedderUnavailable as error:
        yield Finding(
            "model", CheckStatus.FAILURE, str(error), "until this is fixed, search uses text only"
        )
        return
    detail = f"{embedder.name}, {'the file of the model is complete' if verify else 'answers'}"
    foreign = isinstance(embedder, LocalEmbedder) and foreign_messages(services)
    detail += f"; it was trained on English, but {foreign}" if foreign else ""
    yield Finding("model", CheckStatus.OK, detail, MULTILINGUAL if foreign else "")


def _redis(services: Services) -> Iterator[Finding]:
    """Report whether the configured Redis or Valkey server responds."""
    if services.redis is None:
        return
    try:
        services.redis.run(lambda client: client.ping())
    except StorageError as error:
        remedy = "start the server, or check redis_url; until then, the store is used instead"
        yield Finding("redis", CheckStatus.WARNING, str(error), remedy)
    else:
        yield Finding("redis", CheckStatus.OK, "answers")


def _language(services: Services, *, trial: bool = False) -> Iterator[Finding]:
    """Report the language model, its availability and its results."""
    settings = services.settings
    if not settings.language_model:
        yield Finding("language model", CheckStatus.OK, "none: rules are used")
        return
    name, remedy = settings.language_model, "correct it as stated; until then only rules apply"
    try:
        name += language_version(settings)
        trouble = language_model_problem(settings)
        if trial and not trouble:
            trouble = language_server_problem(settings)
        if not trouble and (trouble := services.ledger.trouble(settings.team)):
            remedy = f"raise the budget with `memoranda budget set`; {remedy}"
    except (InvalidInput, ModelUnavailable) as error:
        trouble = str(error)
    if trouble:
        detail = f"{name}: {trouble}; {_spent(services)}"
        yield Finding("language model", CheckStatus.WARNING, detail, remedy)
    else:
        yield Finding("language model", CheckStatus.OK, f"{name}; {_spent(services)}")


def _spent(services: Services) -> str:
    team = services.settings.team
    status = services.ledger.status(team)
    totals = services.ledger.spent(team, "model", status.month)
    calls = sum(cost_total.calls for cost_total in totals)
    tokens = sum(total.input_tokens + total.output_tokens for total in totals)
    spent = f"{dollars(status.spent)} of {dollars(status.limit)}"
    calls_made = counted(calls, "call")
    return f"{calls_made}, {tokens:,} tokens and {spent} in {status.month}"


def _search(services: Services) -> Iterator[Finding]:
    report = services.indexing.report()
    model = report.model or "no model: text search only"
    detail = f"{report.passages:,} passages, {report.waiting:,} of them without a vector; {model}"
    remedy = "nothing: drains, servers and searches continue it" if report.waiting else ""
    yield Finding("search", CheckStatus.OK, detail, remedy)


def _quarantine(services: Services) -> Iterator[Finding]:
    team = services.settings.team
    found = services.database.read(lambda tx: quarantine.counts(tx, team, None))
    if not found:
        yield Finding("quarantine", CheckStatus.OK, "nothing is quarantined")
        return
    counts = ", ".join(f"{count} {reason}" for reason, count in found.items())
    detail = f"{sum(found.values())} quarantined as instructions to the agent ({counts})"
    yield Finding("quarantine", CheckStatus.OK, detail, "memoranda quarantine list")


def _workspaces(services: Services) -> Iterator[Finding]:
    team = services.settings.team
    report = services.database.read(lambda tx: workspace_report(tx, team))
    alike = ", ".join(f"{name} and {base}" for name, base in report.alike[:5])
    detail = counted(report.count, "workspace") + (f"; perhaps one: {alike}" if alike else "")
    remedy = f"memoranda workspace merge {' '.join(report.alike[0])} --dry-run" if alike else ""
    yield Finding("workspaces", CheckStatus.OK, detail, remedy)
    for line in report.joined:
        remedy = "if these are different workspaces: memoranda workspace split"
        yield Finding("joined", CheckStatus.OK, line, remedy)
    yield from _missing_folders(services)


def _missing_folders(services: Services) -> Iterator[Finding]:
    """Report the workspaces whose folders were moved or deleted."""
    team = services.settings.team
    missing = services.database.read(lambda tx: missing_folders(tx, team))
    for folder in missing:
        if folder.moved_to is not None:
            moved = f"{folder.folder} of {folder.workspace} was moved"
            detail = f"{moved}: {folder.moved_to} has its repository"
            names = shlex.join((folder.workspace, folder.moved_to))
            remedy = f"memoranda workspace merge {names}"
            yield Finding("moved", CheckStatus.WARNING, detail, remedy)
    gone = [
        f"{missing_folder.workspace} ({missing_folder.folder})"
        for missing_folder in missing
        if missing_folder.moved_to is None
    ]
    if gone:
        more = f" and {len(gone) - MAX_MISSING} more" if len(gone) > MAX_MISSING else ""
        detail = f"moved or deleted: {', '.join(gone[:MAX_MISSING])}{more}"
        remedy = "if the folder was moved: memoranda workspace merge OLD NEW"
        yield Finding("folders", CheckStatus.OK, detail, remedy)


def _files(services: Services) -> Iterator[Finding]:
    home = services.settings.data_dir
    open_files = [
        path.name
        for path in (home, services.settings.database_path, services.settings.key_path)
        if path.exists() and stat.S_IMODE(path.stat().st_mode) & 0o077
    ]
    if open_files:
        remedy = f"chmod -R go-rwx {home}"
        detail = f"others may read: {', '.join(open_files)}"
        yield Finding("permissions", CheckStatus.WARNING, detail, remedy)
    else:
        yield Finding("permissions", CheckStatus.OK, f"{home} is readable by its owner only")
    if filesystem.is_full(services.settings.database_path):
        detail, _, remedy = str(filesystem.full(services.settings.database_path)).partition("; ")
        yield Finding("space", CheckStatus.FAILURE, detail, remedy)
        return
    free = shutil.disk_usage(home).free
    scarce = free < LITTLE_SPACE
    yield Finding(
        "space",
        CheckStatus.WARNING if scarce else CheckStatus.OK,
        f"{free / 1e9:.1f} GB free",
        "to free space, see memoranda retention --dry-run" if scarce else "",
    )
