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
    current_version,
    known_migrations,
    migrate,
    statements,
)
from memoranda.store.sqlite.engine import SqliteDatabase
from servers import PostgresServer

pytestmark = pytest.mark.integration

# The parts of a schema: tables, columns, keys, indexes, policies, functions and rights.
CATALOGUE = """
select 'column', table_name::text, column_name::text, data_type::text || is_nullable
from information_schema.columns where table_schema = 'memoranda'
union all select 'index', tablename::text, indexname::text, indexdef
from pg_indexes where schemaname = 'memoranda'
union all select 'constraint', conrelid::regclass::text, conname::text, pg_get_constraintdef(oid)
from pg_constraint where connamespace = 'memoranda'::regnamespace
union all select 'policy', tablename::text, policyname::text, coalesce(qual, '') || roles::text
from pg_policies where schemaname = 'memoranda'
union all select 'function', proname::text, proowner::regrole::text, md5(prosrc)
from pg_proc where pronamespace = 'memoranda'::regnamespace
union all select 'right', table_name::text, grantee::text, privilege_type::text
from information_schema.role_table_grants where table_schema = 'memoranda'
union all select 'table', relname::text, relkind::text,
  (relrowsecurity and relforcerowsecurity)::text
from pg_class where relnamespace = 'memoranda'::regnamespace order by 1, 2, 3, 4
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


def test_an_interruption_leaves_nothing_that_matters(
    postgres_server: PostgresServer, url: str
) -> None:
    """Each try resumes where the one before was killed.

    Kills are at the first statement of a step, in its middle and at its last.
    """
    administration.upgrade(url, partitions=2)
    whole = catalogue(url)
    with connect(url) as owner:
        owner.execute("drop schema memoranda cascade")
    lengths = [len(list(statements(file))) for _, file in known_migrations()]
    assert sum(lengths) > 40
    # The last kill is before the first statement of the next step: the step is done.
    plan = [(step, at) for step, n in enumerate(lengths) for at in {0, n // 2, n - 1}]
    plan += [(step, lengths[step]) for step in range(len(lengths) - 1)]
    for step, fatal in sorted(plan):
        passed = iter(range(1_000))
        with connect(url) as owner:
            pid = owner.info.backend_pid

            def kill(
                _: str, at: int = fatal, passed: Iterator[int] = passed, pid: int = pid
            ) -> None:
                if next(passed) == at:
                    postgres_server.execute(f"select pg_terminate_backend({pid}, 5000)")

            with pytest.raises(ConnectionLost):
                migrate(owner, url, partitions=2, before_each=kill)
        with connect(url) as owner:
            assert current_version(owner) == step + (fatal == lengths[step]), (step, fatal)
    assert administration.upgrade(url, partitions=2) == [known_migrations()[-1][1].stem]
    assert catalogue(url) == whole


def test_of_several_that_migrate_at_once_one_does_it(url: str) -> None:
    done: list[list[str]] = []
    together(lambda _: done.append(administration.upgrade(url, partitions=2)), count=4)
    names = [file.stem for _, file in known_migrations()]
    assert sorted(done) == [[], [], [], names]


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


def test_tables_of_a_later_version_have_as_many_partitions_as_the_first(
    url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    everything = known_migrations()
    monkeypatch.setattr(migrations, "known_migrations", lambda: everything[:2])
    administration.upgrade(url, partitions=5)
    monkeypatch.undo()
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
    for programs, reason in ((url, "programs use"), ("", "of the server itself")):
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
