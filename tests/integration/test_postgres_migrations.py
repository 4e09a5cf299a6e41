"""PostgreSQL migrations: atomic, concurrent, and with teams kept apart."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest
from psycopg import conninfo

from contract.contract_transactions import together
from memoranda.exceptions import Conflict, InvalidInput, SchemaTooNew, StorageUnusable
from memoranda.store.postgres import administration, migrations, vectors
from memoranda.store.postgres.connections import connect
from memoranda.store.postgres.engine import PostgresDatabase
from memoranda.store.postgres.faults import ConnectionLost
from memoranda.store.postgres.migrations import (
    BASELINE,
    BASELINE_VERSION,
    current_version,
    known_migrations,
    migrate,
    statements,
)
from memoranda.store.sqlite.engine import SqliteDatabase
from servers import PostgresServer

pytestmark = pytest.mark.integration

FIRST = Path(__file__).parents[1] / "first_schema" / "postgres.sql"
"""The schema of the first version, which databases of that time have."""
LATER = [file.stem for version, file in known_migrations() if version > BASELINE_VERSION]
NEW = [BASELINE.stem, *LATER]
"""Steps that create a new database."""

# All that a schema consists of. Indexes of partitions are named by the server, in order of time.
CATALOGUE = """
with relation as (select * from pg_class where relnamespace = 'memoranda'::regnamespace)
select 'table', relname::text, '', concat_ws(' ', relkind, relpersistence, relrowsecurity,
  relforcerowsecurity, reloptions, pg_get_partkeydef(oid), pg_get_expr(relpartbound, oid))
from relation where relkind <> 'i' and relkind <> 'I'
union all select 'column', relname::text, attname::text, concat_ws(' ', attnum,
  format_type(atttypid, atttypmod), attcollation::regcollation, attnotnull, attstorage,
  attgenerated, attidentity, pg_get_expr(adbin, adrelid))
from pg_attribute join relation r on r.oid = attrelid
left join pg_attrdef on adrelid = attrelid and adnum = attnum
where attnum > 0 and relkind in ('r', 'p')
union all select 'index', t.relname::text, case when i.relispartition then '' else i.relname end,
  replace(pg_get_indexdef(i.oid), i.relname, '')
from relation i join pg_index on indexrelid = i.oid join relation t on t.oid = indrelid
union all select 'constraint', conrelid::regclass::text, conname::text, pg_get_constraintdef(oid)
from pg_constraint where connamespace = 'memoranda'::regnamespace
union all select 'policy', tablename::text, policyname::text, concat_ws(' ', permissive, roles,
  cmd, qual, with_check) from pg_policies where schemaname = 'memoranda'
union all select 'trigger', relname::text, tgname::text, concat(tgenabled, pg_get_triggerdef(t.oid))
from pg_trigger t join relation r on r.oid = tgrelid where tgconstraint = 0
union all select 'function', oid::regprocedure::text, proowner::regrole::text,
  pg_get_functiondef(oid) from pg_proc where pronamespace = 'memoranda'::regnamespace
union all select 'domain', typname::text, typcollation::regcollation::text,
  format_type(typbasetype, typtypmod) from pg_type
where typnamespace = 'memoranda'::regnamespace and typtype = 'd'
union all select 'dictionary', dictname::text, dicttemplate::text, dictinitoption
from pg_ts_dict where dictnamespace = 'memoranda'::regnamespace
union all select 'configuration', cfgname::text, maptokentype || '.' || mapseqno,
  mapdict::regdictionary::text from pg_ts_config join pg_ts_config_map on mapcfg = oid
where cfgnamespace = 'memoranda'::regnamespace
union all select 'right', name, grantee::regrole::text, privilege_type || is_grantable from (
  select relname::text, coalesce(relacl, acldefault('r', relowner)) from relation
  where relkind in ('r', 'p')
  union all select oid::regprocedure::text, coalesce(proacl, acldefault('f', proowner))
  from pg_proc where pronamespace = 'memoranda'::regnamespace
  union all select nspname::text, nspacl from pg_namespace where nspname = 'memoranda'
) as owned (name, rights), aclexplode(rights)
order by 1, 2, 3, 4
"""
KEYS = """
select conrelid::regclass::text, contype::text, (
  select attname::text from pg_attribute where attrelid = conrelid and attnum = conkey[1])
from pg_constraint
where connamespace = 'memoranda'::regnamespace and contype in ('p', 'u', 'f')
union all
select indrelid::regclass::text, 'index', (
  select attname::text from pg_attribute where attrelid = indrelid and attnum = indkey[0])
from pg_index join pg_class on pg_class.oid = indexrelid join pg_am on pg_am.oid = relam
where relnamespace = 'memoranda'::regnamespace and amname = 'btree'
"""
PARTITIONED = """
select c.relname::text, count(*) from pg_class c join pg_inherits on inhparent = c.oid
where c.relkind = 'p' and c.relnamespace = 'memoranda'::regnamespace group by 1
"""
GRAPHS = """
select substring(pg_get_indexdef(i.indexrelid) from 'halfvec\\((\\d+)\\)')::int,
  substring(pg_get_expr(i.indpred, i.indrelid) from 'dimensions = (\\d+)'),
  (select count(*) from pg_inherits where inhparent = i.indexrelid)
from pg_index i join pg_class c on c.oid = i.indexrelid join pg_am a on a.oid = c.relam
where a.amname = 'hnsw' and c.relkind = 'I' order by 1
"""
TENANTS = """
select c.relname::text, c.relrowsecurity, c.relforcerowsecurity,
  (select array_agg(polname::text || ': ' || pg_get_expr(polqual, polrelid) order by polname)
   from pg_policy where polrelid = c.oid)
from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attname = 'team'
where c.relnamespace = 'memoranda'::regnamespace and c.relkind in ('r', 'p')
  and not c.relispartition
"""


@pytest.fixture
def url(postgres_server: PostgresServer, request: pytest.FixtureRequest) -> Iterator[str]:
    """Return a new empty database."""
    name = f"m{abs(hash(request.node.nodeid)) % 10**9}"
    postgres_server.execute(f"create database {name}")
    yield postgres_server.url(name)
    postgres_server.execute(f"drop database {name} with (force)")


@pytest.fixture(scope="module")
def migrated(postgres_server: PostgresServer) -> Iterator[str]:
    """Return a migrated database for tests that only read its catalogue."""
    postgres_server.execute("create database migrated_whole")
    url = postgres_server.url("migrated_whole")
    administration.upgrade(url, partitions=2)
    yield url
    postgres_server.execute("drop database migrated_whole with (force)")


def catalogue(url: str) -> list[Any]:
    with connect(url) as connection:
        return connection.execute(CATALOGUE).fetchall()  # type: ignore[arg-type]


def rows(url: str) -> set[str]:
    """Return the tables that have rows."""
    with connect(url) as owner:
        tables = owner.execute(
            "select oid::regclass::text from pg_class where relkind in ('r', 'p') "
            "and not relispartition and relnamespace = 'memoranda'::regnamespace"
        ).fetchall()
        has_rows = "select exists (select from memoranda.{})"
        names = [name.removeprefix("memoranda.") for (name,) in tables]
        return {n for n in names if owner.execute(has_rows.format(n)).fetchone() == (True,)}


def first_version(url: str, partitions: int = 2) -> None:
    """Create a database as the first version did."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(migrations, "known_migrations", lambda: [(1, FIRST)])
        patch.setattr(migrations, "BASELINE", FIRST)
        patch.setattr(migrations, "BASELINE_VERSION", 1)
        administration.upgrade(url, partitions=partitions)


def test_a_new_database_has_the_schema_of_an_upgraded_one(url: str, migrated: str) -> None:
    first_version(url)
    administration.upgrade(url)
    of_new, of_upgraded = catalogue(migrated), catalogue(url)
    kinds = {row[0] for row in of_new}
    assert len(kinds) == 11
    assert len(of_new) > 2_000
    assert of_new == of_upgraded
    assert rows(migrated) == rows(url) == {"migration"}
    with connect(migrated) as new, connect(url) as upgraded:
        assert current_version(new) == current_version(upgraded) == known_migrations()[-1][0]


def test_an_interruption_leaves_nothing_that_matters(
    postgres_server: PostgresServer, url: str
) -> None:
    """Each try resumes where the one before was killed.

    Each step is killed at its last statement, so that the step before is done and this one undone;
    some also at the first and in the middle.
    """
    steps = known_migrations()
    size = len(list(statements(BASELINE)))
    for fatal in (0, size // 2, size - 1):
        assert version_after_kill(postgres_server, url, fatal) == 0
    assert administration.upgrade(url, partitions=2) == NEW
    whole = catalogue(url)
    with connect(url) as owner:
        owner.execute("drop schema memoranda cascade")
    first_version(url)
    lengths = [len(list(statements(file))) for _, file in steps]
    pending = 0  # statements of the step before, which a try does first
    for step, size in enumerate(lengths):
        tries = [pending + size - 1, *((0, size // 2) if step % 5 == 0 else ())]
        for fatal in tries:
            done = version_after_kill(postgres_server, url, fatal)
            assert done == steps[step][0] - 1, (step, fatal)
        pending = size
    assert administration.upgrade(url, partitions=2) == [steps[-1][1].stem]
    assert catalogue(url) == whole


def version_after_kill(server: PostgresServer, url: str, fatal: int) -> int:
    """Return the version after a migration that is killed before a statement, by its number."""
    passed = iter(range(1_000))
    with connect(url) as owner:
        pid = owner.info.backend_pid

        def kill(_: str) -> None:
            if next(passed) == fatal:
                server.execute(f"select pg_terminate_backend({pid}, 5000)")

        with pytest.raises(ConnectionLost):
            migrate(owner, url, partitions=2, before_each=kill)
    with connect(url) as owner:
        return current_version(owner)


def test_a_database_whose_first_migration_was_killed_is_created(url: str, migrated: str) -> None:
    """Earlier versions created the schema and the record of migrations before the rest."""
    with connect(url) as owner:
        owner.execute(
            "create schema memoranda; create table memoranda.migration "
            "(version integer primary key, name text not null, applied_at bigint not null)"
        )
    administration.upgrade(url, partitions=2)
    assert catalogue(url) == catalogue(migrated)


def test_of_several_that_migrate_at_once_one_does_it(url: str) -> None:
    done: list[list[str]] = []
    together(lambda _: done.append(administration.upgrade(url, partitions=2)), count=4)
    assert sorted(done) == [[], [], [], NEW]


def test_every_key_and_index_begins_with_the_team(migrated: str) -> None:
    with connect(migrated) as owner:
        found = owner.execute(KEYS).fetchall()  # type: ignore[arg-type]
    assert len(found) > 50
    others = {row for row in found if row[2] != "team"}
    assert {table for table, _, _ in others} == {"memoranda.migration"}


def test_every_table_of_a_team_has_a_policy_of_equality(migrated: str) -> None:
    with connect(migrated) as owner:
        found = owner.execute(TENANTS).fetchall()  # type: ignore[arg-type]
    text = "team_only: ((team)::text = current_setting('memoranda.team'::text, true))"
    assert len(found) > 15
    for table, enabled, forced, policies in found:
        assert (enabled, forced) == (True, True), table
        assert policies[-1] == text, table
        assert policies[:-1] == (["searched: true"] if table.endswith("_text") else []), table


def test_both_engines_have_the_same_tables_and_columns(migrated: str, tmp_path: Path) -> None:
    database = SqliteDatabase(tmp_path / "store.db")
    of_sqlite = database.read(
        lambda tx: tx.fetch(
            "select m.name, c.name from sqlite_master m, pragma_table_info(m.name) c "
            "where m.type = 'table' and m.sql not like '%virtual%' and m.name not like 'sqlite%' "
            "and c.name <> 'docid' and m.name not like 'vector%' "
            "and not (m.name = 'passage' and c.name = 'block')",
            {},
        )
    )
    database.close()
    with connect(migrated) as owner:
        of_postgres = owner.execute(
            "select c.table_name::text, c.column_name::text from information_schema.columns c "
            "join pg_class on relname = c.table_name and not relispartition "
            "where c.table_schema = 'memoranda' and relnamespace = 'memoranda'::regnamespace"
        ).fetchall()
    shadows = ("_words", "_terms", "_words_data", "_words_idx", "_words_docsize", "_words_config",
               "_terms_data", "_terms_idx", "_terms_docsize", "_terms_config")  # fmt: skip
    ours = {row for row in of_sqlite if not row[0].endswith(shadows)}
    own = {"observation_text", "memory_text", "committed"}
    theirs = {row for row in of_postgres if row[0] not in own}
    assert theirs - {("passage", "dimensions")} == ours


def test_tables_of_a_later_version_have_as_many_partitions_as_the_first(url: str) -> None:
    first_version(url, partitions=5)
    administration.upgrade(url, partitions=16)
    with connect(url) as owner:
        found = owner.execute(PARTITIONED).fetchall()  # type: ignore[arg-type]
    assert {"entry", "passage", "observation"} <= {table for table, _ in found}
    assert {count for _, count in found} == {5}


def test_every_length_of_vectors_that_is_searched_by_a_graph_has_one(migrated: str) -> None:
    with connect(migrated) as owner:
        found = owner.execute(GRAPHS).fetchall()  # type: ignore[arg-type]
    assert found == [(size, str(size), 2) for size in sorted(vectors.GRAPHS)]


def test_a_schema_from_the_future_is_left_alone(url: str) -> None:
    administration.upgrade(url, partitions=2)
    with connect(url) as owner:
        owner.execute("insert into memoranda.migration values (999, 'later', 0)")
    for attempt in (administration.upgrade, PostgresDatabase):
        with pytest.raises(SchemaTooNew, match="999"):
            attempt(url)


def test_a_database_without_tables_explains_the_next_step(url: str) -> None:
    with pytest.raises(StorageUnusable, match="db migrate"):
        PostgresDatabase(url)


def test_a_role_without_privileges_gets_an_explanation(
    postgres_server: PostgresServer, url: str
) -> None:
    name = psycopg.conninfo.conninfo_to_dict(url)["dbname"]
    postgres_server.execute(f"create role small_{name} login")
    postgres_server.execute(f"alter database {name} owner to small_{name}")
    small = postgres_server.url(str(name), f"small_{name}")
    with pytest.raises(StorageUnusable, match="create the extension vector"):
        administration.upgrade(small)
    with connect(url) as owner:
        assert owner.execute("select to_regnamespace('memoranda')").fetchone() == (None,)


def test_an_extension_that_is_not_installed_is_named(
    url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(migrations, "EXTENSIONS", ("pg_trgm", "no_such_thing"))
    with pytest.raises(StorageUnusable, match="has no extension no_such_thing; install it"):
        administration.upgrade(url)
    with connect(url) as owner:
        assert owner.execute("select to_regnamespace('memoranda')").fetchone() == (None,)


def test_more_partitions_than_a_server_has_locks_for_leave_nothing() -> None:
    server = PostgresServer(settings=("max_locks_per_transaction=10", "max_connections=20"))
    try:
        url = server.url("postgres")
        with pytest.raises(StorageUnusable, match="64 partitions; use fewer, or raise max_locks"):
            administration.upgrade(url, partitions=64)
        with connect(url) as owner:
            assert owner.execute("select to_regnamespace('memoranda')").fetchone() == (None,)
    finally:
        server.close()


@pytest.mark.parametrize(
    ("address", "error"),
    [
        ("nonsense", InvalidInput),
        ("postgresql://nobody@127.0.0.1:1/x", StorageUnusable),
        ("postgresql://nobody@127.0.0.1:port/x", StorageUnusable),
        ("mysql://nobody@127.0.0.1/x", InvalidInput),
    ],
)
def test_an_address_that_leads_nowhere_is_an_error_without_its_password(
    address: str, error: type[Exception]
) -> None:
    with pytest.raises(error) as caught:
        PostgresDatabase(address.replace("nobody", "nobody:geheim"))
    assert "geheim" not in str(caught.value)


def test_a_login_made_with_the_database_sees_its_team_and_owns_nothing(
    postgres_server: PostgresServer,
) -> None:
    made = administration.create(postgres_server.url("postgres"), "made", "made_login")
    with pytest.raises(Conflict, match="exists"):
        administration.create(postgres_server.url("postgres"), "made", "other_login")
    database = PostgresDatabase(made.url)
    assert database.write(lambda tx: tx.fetch("select current_user::text", {})) == [("made_login",)]
    database.close()
    [role] = [r for r in administration.roles(postgres_server.url("made")) if r.name == made.login]
    assert (role.login, role.member, role.exempt, role.owns) == (True, True, False, False)
    found = administration.status(postgres_server.url("made"))
    assert (found.partitions, found.schema_version) == (16, found.newest_version)
    with psycopg.connect(made.url, autocommit=True) as login:
        for forbidden in (
            "set role memoranda_search",
            "alter table memoranda.task disable row level security",
            "create table memoranda.mine (x int)",
            "update memoranda.journal set actor = 'x'",
            "delete from memoranda.migration",
        ):
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                login.execute(forbidden)  # type: ignore[call-overload]


def test_a_database_that_programs_do_not_use_is_not_migrated(
    postgres_server: PostgresServer, url: str
) -> None:
    maintenance = postgres_server.url("postgres")
    for programs, reason in ((url, "programs use"), ("", "a PostgreSQL system database")):
        with pytest.raises(InvalidInput, match=reason) as refused:
            administration.check_target(maintenance, programs, named=False)
        assert "--url postgresql://OWNER@HOST/" in str(refused.value)
    with pytest.raises(InvalidInput, match="programs use"):
        administration.check_target(maintenance, url, named=True)
    other = url.rpartition("/")[0] + "/elsewhere"
    administration.check_target(url, "", named=False)  # an empty database that was prepared
    administration.check_target(url, url, named=False)
    with pytest.raises(InvalidInput, match="elsewhere"):
        administration.check_target(url, other, named=True)
    administration.upgrade(url, partitions=2)
    administration.check_target(url, other, named=True)  # a named database of Memoranda
    with pytest.raises(InvalidInput, match="elsewhere"):
        administration.check_target(url, other, named=False)
    with connect(maintenance) as owner:
        assert current_version(owner) == 0


@pytest.mark.parametrize(
    "owner",
    [
        "postgresql://postgres@db.example:6543/memo",
        "postgresql://postgres:@/memo?host=/tmp/a%20server&port=6543",
        "host=/tmp/a\\ server port=6543 user=postgres dbname=memo",
    ],
)
def test_the_address_for_programs_reaches_the_same_server(owner: str) -> None:
    parts = conninfo.conninfo_to_dict(administration.program_url(owner, "me", "se-cret"))
    same = conninfo.conninfo_to_dict(owner)
    assert (parts["user"], parts["password"], parts["dbname"]) == ("me", "se-cret", "memo")
    assert (parts["host"], int(parts["port"])) == (same["host"], int(same["port"]))
