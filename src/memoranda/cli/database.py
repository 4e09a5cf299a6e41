"""Commands for a store on a PostgreSQL server."""

from __future__ import annotations

import shlex
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from memoranda.cli.output import Output, command_here, pairs
from memoranda.cli.progress import row_progress
from memoranda.exceptions import InvalidInput

if TYPE_CHECKING:
    from memoranda.store.sqlite.inspection_and_backup import Inspection


@click.group()
def db_command() -> None:
    """Create, migrate and inspect a store on a PostgreSQL server."""


def _url_option(function: Callable[..., Any]) -> Callable[..., Any]:
    return click.option(
        "--url", metavar="URL", help="Database URL of the owner. Default: MEMORANDA_OWNER_URL."
    )(function)


def _address(data_dir: str | None, url: str | None, *, programs_too: bool = False) -> str:
    from memoranda.config import load_settings

    settings = load_settings({"data_dir": data_dir})
    programs = settings.database_url if programs_too else ""
    result = url or programs or settings.owner_url
    if not result:
        raise InvalidInput("no database is specified; set MEMORANDA_OWNER_URL or use --url")
    return result


@db_command.command("create", epilog="Example: memoranda db create memoranda --login memo")
@click.argument("name", default="memoranda")
@click.option("--login", default="memo", help="Role that programs log in as.", show_default=True)
@click.option(
    "--partitions", type=click.IntRange(1, 1024), default=16, show_default=True,
    help="Number of partitions of each large table; use more for many teams.",
)  # fmt: skip
@_url_option
@command_here
def db_create(
    out: Output, data_dir: str | None, url: str | None, name: str, login: str, partitions: int
) -> None:
    """Create a database with its tables, and a role for programs.

    The role gets a new password. --url is the URL of any database on the server, for a user who
    may create databases and roles.
    """
    from memoranda.store.postgres import administration

    database = administration.create(_address(data_dir, url), name, login, partitions=partitions)
    out.text(database, f"{database.place} is ready. Pass this to programs; it is not stored:\n"
             f"  export MEMORANDA_DATABASE_URL={shlex.quote(database.url)}")  # fmt: skip


@db_command.command(
    "migrate", epilog="Example: memoranda db migrate --url postgresql://owner@db/memo"
)
@click.option("--partitions", type=click.IntRange(1, 1024), default=16, show_default=True,
              help="Number of partitions of each large table that is created now.")  # fmt: skip
@_url_option
@command_here
def db_migrate(out: Output, data_dir: str | None, url: str | None, partitions: int) -> None:
    """Bring the tables of a database up to date.

    Run the command again after an interruption. A database other than the one that programs use is
    refused if it has no Memoranda tables or is not specified with --url.
    """
    from memoranda.config import load_settings
    from memoranda.store.postgres import administration

    programs = load_settings({"data_dir": data_dir}).database_url
    address = _address(data_dir, url)
    administration.check_target(address, programs, named=url is not None)
    done = administration.upgrade(address, partitions=partitions)
    out.text({"migrations": done}, "\n".join(done) or "already up to date")


@db_command.command("status", epilog="Example: memoranda db status --format json")
@_url_option
@command_here
def db_status(out: Output, data_dir: str | None, url: str | None) -> None:
    """Show versions, extensions, partitions and replicas."""
    from memoranda.store.postgres import administration

    status = administration.status(_address(data_dir, url, programs_too=True))
    shown = {
        "database": status.place + (" (a replica)" if status.in_recovery else ""),
        "server": f"PostgreSQL {status.server_version}",
        "schema": f"{status.schema_version} of {status.newest_version}",
        "extensions": ", ".join(status.extensions) or "none",
        "partitions": status.partitions,
        "replicas": "; ".join(status.replicas) or "none",
    }
    out.text(status, pairs(shown))


@db_command.command("roles", epilog="Example: memoranda db roles --grant memo")
@click.option("--grant", metavar="LOGIN", help="Allow programs that log in as this role.")
@_url_option
@command_here
def db_roles(out: Output, data_dir: str | None, url: str | None, grant: str | None) -> None:
    """Show which roles may use the tables, and which would see every team."""
    from memoranda.store.postgres import administration

    address = _address(data_dir, url)
    if grant:
        administration.grant(address, grant)
    roles = administration.roles(address)
    rows = [
        (role.name, *("yes" if flag else "" for flag in (role.login, role.member, role.exempt)),
         "yes" if role.owns else "")
        for role in roles
    ]  # fmt: skip
    out.rows(roles, ("role", "login", "may use", "sees every team", "owner"), rows)


@click.command(epilog="Example: memoranda copy ./old-data postgresql://memo@db/memo")
@click.argument("source", type=click.Path())
@click.argument("target", type=click.Path())
@click.option("--team", help="Team to copy; PostgreSQL shows one team at a time.")
@command_here
def copy_command(
    out: Output, data_dir: str | None, source: str, target: str, team: str | None
) -> None:
    """Copy all data of a team to another store, then compare every row.

    SOURCE and TARGET are a data directory, a database file, or the URL of a PostgreSQL database. If
    the target is a directory that does not exist, it is created; the folder that contains it must
    exist. First stop all programs that write to the source or the target. An interrupted copy
    resumes where it stopped.
    """
    from memoranda.archive.store_copy import copy
    from memoranda.config import load_settings
    from memoranda.store.engine_selection import open_address

    settings = load_settings({"data_dir": data_dir, "team": team})
    with (
        closing(open_address(source, settings)) as here,
        closing(open_address(target, settings, new=True)) as there,
        row_progress() as progress,
    ):
        copies = copy(here, there, settings.team, progress)
    rows = [(each.table, each.rows, each.written, each.digest[:12]) for each in copies]
    out.rows(copies, ("table", "rows", "written", "digest"), rows)


@click.command(epilog="Example: memoranda encrypt")
@click.argument("file", required=False, type=click.Path(path_type=Path))
@command_here
def encrypt_command(out: Output, data_dir: str | None, file: Path | None) -> None:
    """Encrypt the store, or a backup of it, with the key in the settings.

    Close the store in all other processes first. A checked copy replaces the original; if this
    fails, nothing is changed.
    """
    path, inspection = _converted(data_dir, file, encrypted=True)
    out.text(inspection, f"{path}: encrypted, {inspection.size_bytes:,} bytes, checked")


@click.command(epilog="Example: memoranda decrypt ~/backups/memoranda-2026-11-21.db")
@click.argument("file", required=False, type=click.Path(path_type=Path))
@command_here
def decrypt_command(out: Output, data_dir: str | None, file: Path | None) -> None:
    """Decrypt the store, or a backup of it. The key remains in the settings.

    Close the store in all other processes first. A checked copy replaces the original; if this
    fails, nothing is changed.
    """
    path, inspection = _converted(data_dir, file, encrypted=False)
    out.text(inspection, f"{path}: not encrypted, {inspection.size_bytes:,} bytes, checked")


def _converted(
    data_dir: str | None, file: Path | None, *, encrypted: bool
) -> tuple[Path, Inspection]:
    from memoranda.config import load_settings
    from memoranda.store.engine_selection import convert_file

    settings = load_settings({"data_dir": data_dir})
    path = file or settings.database_path
    return path, convert_file(settings, path, encrypted=encrypted)
