"""Creates, upgrades and inspects a database on a server, as its owner."""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

import psycopg
from psycopg import conninfo, sql

from memoranda.exceptions import Conflict, InvalidInput
from memoranda.store.postgres.connections import connect
from memoranda.store.postgres.faults import ConnectionLost, redacted_address, storage_faults
from memoranda.store.postgres.migrations import (
    EXTENSIONS,
    PARTITIONS,
    ROLES,
    current_version,
    known_migrations,
    migrate,
)

SERVERS_OWN = ("postgres", "template0", "template1")
"""PostgreSQL system databases."""


@dataclass(frozen=True, slots=True)
class CreatedDatabase:
    """A database that is ready for use."""

    place: str
    """host:port/database."""
    login: str
    url: str
    """URL for programs; contains the password, which is not stored elsewhere."""
    migrations: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class DatabaseStatus:
    """State of a database, and what is missing in it."""

    place: str
    server_version: str
    schema_version: int
    newest_version: int
    extensions: tuple[str, ...]
    partitions: int
    in_recovery: bool
    """Whether this server is a replica."""
    replicas: tuple[str, ...]
    """Streaming replicas of this server, with their lag in bytes."""


@dataclass(frozen=True, slots=True)
class DatabaseRole:
    """A role, and whether a program may log in with that role."""

    name: str
    login: bool
    member: bool
    """Whether the role is a member of memoranda_app, whose rights programs need."""
    exempt: bool
    """Whether the role is exempt from row-level security and would see every team."""
    owns: bool
    """Whether the role owns the tables; roles of programs should not."""


def create(url: str, name: str, login: str, *, partitions: int = PARTITIONS) -> CreatedDatabase:
    """Create a database with its schema, and a role for programs.

    The role gets a new password.

    Args:
        url: a database on the server, opened with a role that may create databases and roles.

    Raises:
        Conflict: a database or a role of that name exists.
        StorageUnusable: the server, an extension or a privilege is missing.
    """
    if login in ROLES:
        raise InvalidInput(f"{login} is the name of a permission group; choose another login")
    password = secrets.token_urlsafe(24)
    with administering(url) as connection:
        try:
            connection.execute(sql.SQL("create database {}").format(sql.Identifier(name)))
        except psycopg.errors.DuplicateDatabase as error:
            hint = "to update an existing database, run `memoranda db migrate`"
            raise Conflict(f"a database {name} exists; {hint}") from error
    owner_url = _with(url, dbname=name)
    with administering(owner_url) as connection:
        done = migrate(connection, owner_url, partitions=partitions)
        _make_login(connection, login, password)
    for_programs = program_url(owner_url, login, password)
    return CreatedDatabase(redacted_address(owner_url), login, for_programs, tuple(done))


def program_url(owner_url: str, login: str, password: str) -> str:
    """Return the address for programs; a socket folder becomes a parameter."""
    host, _, rest = redacted_address(owner_url).rpartition(":")
    port, _, name = rest.partition("/")
    user = f"postgresql://{quote(login)}:{password}@"
    if host.startswith("/"):
        return f"{user}/{name}?host={quote(host)}&port={port}"
    return f"{user}{host}:{port}/{name}"


def upgrade(url: str, *, partitions: int = PARTITIONS) -> list[str]:
    """Upgrade a schema to the newest version; return the steps that ran."""
    with administering(url) as connection:
        return migrate(connection, url, partitions=partitions)


def check_target(url: str, programs: str, *, named: bool) -> None:
    """Refuse a migration that would create tables in a foreign database.

    The owner's address is often that of the database ``postgres``, from which other databases are
    created.

    Args:
        programs: address that programs use; empty if unknown.
        named: whether the address was specified for this call instead of being read from the
            settings.

    Raises:
        InvalidInput: the database differs from that of the programs, or is one of the server's own
            databases.
    """
    place, name = redacted_address(url), _database_name(url)
    used = _database_name(programs) if programs else ""
    if name not in SERVERS_OWN and used in ("", name):
        return
    with administering(url) as connection:
        has_tables = current_version(connection) > 0
    if has_tables and (named or used in ("", name)):
        return
    wanted = used or "memoranda"
    reason = (
        f"programs use {redacted_address(programs)}"
        if used
        else "it is a PostgreSQL system database"
    )
    create = f"; to create a database, run: memoranda db create {wanted}" if not used else ""
    raise InvalidInput(
        f"{place} is not migrated: {reason}. Specify the database and its owner: memoranda db"
        f" migrate --url postgresql://OWNER@HOST/{wanted}{create}"
    )


def _database_name(url: str) -> str:
    return redacted_address(url).rpartition("/")[2]


def status(url: str) -> DatabaseStatus:
    """Return the state of a database; only reads, and works with any role."""
    with administering(url) as connection:
        found = connection.execute(
            "select current_setting('server_version'), pg_is_in_recovery(), (select count(*) "
            "from pg_inherits where inhparent = to_regclass('memoranda.observation'))"
        ).fetchone()
        extensions = connection.execute(
            "select extname || ' ' || extversion from pg_extension where extname = any(%s) "
            "order by extname", (list(EXTENSIONS),),
        ).fetchall()  # fmt: skip
        replicas = connection.execute(
            "select format('%s, %s bytes behind', coalesce(client_addr::text, application_name), "
            "pg_current_wal_lsn() - replay_lsn) from pg_stat_replication"
            if not (found and found[1]) else "select '' where false"
        ).fetchall()  # fmt: skip
        version, in_recovery, partitions = found or ("", False, 0)
        return DatabaseStatus(
            place=redacted_address(url),
            server_version=version,
            schema_version=current_version(connection),
            newest_version=known_migrations()[-1][0],
            extensions=tuple(row[0] for row in extensions),
            partitions=partitions,
            in_recovery=in_recovery,
            replicas=tuple(row[0] for row in replicas),
        )


def roles(url: str) -> list[DatabaseRole]:
    """Return the roles with access to the schema, login roles first."""
    with administering(url) as connection:
        found = connection.execute(
            "select rolname::text, rolcanlogin, pg_has_role(rolname, 'memoranda_app', 'usage'), "
            "rolsuper or rolbypassrls, "
            "coalesce((select nspowner = r.oid from pg_namespace where nspname = 'memoranda'), "
            "false) from pg_roles r where rolname = any(%s) or rolname = current_user "
            "or (not rolsuper and exists (select 1 from pg_roles a where a.rolname = %s "
            "and pg_has_role(r.oid, a.oid, 'usage'))) order by not rolcanlogin, rolname",
            (list(ROLES), ROLES[0]),
        ).fetchall()
        return [DatabaseRole(*row) for row in found]


def grant(url: str, login: str) -> None:
    """Grant a role, with which programs log in, the use of the schema."""
    with administering(url) as connection:
        try:
            connection.execute(sql.SQL("grant memoranda_app to {}").format(sql.Identifier(login)))
        except psycopg.errors.UndefinedObject as error:
            raise InvalidInput(
                f"no role {login}, or no schema yet; to create the schema, run: memoranda db create"
            ) from error


@contextmanager
def administering(url: str) -> Iterator[psycopg.Connection[Any]]:
    """Connect and map errors; a broken connection becomes an unusable store."""
    place = redacted_address(url)
    try:
        with storage_faults(place), connect(url) as connection:
            yield connection
    except ConnectionLost as lost:
        raise lost.unusable(place) from lost


def _make_login(connection: psycopg.Connection[Any], login: str, password: str) -> None:
    name = sql.Identifier(login)
    try:
        connection.execute(
            sql.SQL("create role {} login password {} in role memoranda_app").format(
                name, sql.Literal(password)
            )
        )
    except psycopg.errors.DuplicateObject as error:
        hint = f"the database is ready; let the role use it: memoranda db roles --grant {login}"
        raise Conflict(f"a role {login} exists, and its password is unchanged; {hint}") from error


def _with(url: str, **changes: str) -> str:
    return conninfo.make_conninfo(url, **changes)
