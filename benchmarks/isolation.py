"""Check the isolation of two teams with similar data on PostgreSQL.

No call may return a row of the other team.
"""

from __future__ import annotations

import argparse
import random
import sys
from functools import partial
from pathlib import Path
from typing import Any

import psycopg

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from contract.scope_calls import READS, WRITES, Holding, everything, hold
from measuring.report import Report, parser, progress
from memoranda.exceptions import MemorandaError
from memoranda.store.database import Transaction
from memoranda.store.postgres.engine import PostgresDatabase
from memoranda.store.table_catalogue import TABLES
from postgres_stores import EmptyStores
from servers import PostgresServer

TEAMS = ("team-north", "team-south")
MARKED = {"team-north": "team-south", "team-south": "team-north"}
"""The other team's name, in all its rows, which no answer may contain."""
STRANGERS = ("", "team-nort", "team-north ", "TEAM-NORTH", "%", "' or ''='")
STATEMENTS = (
    "select * from memoranda.{table}",
    "select * from memoranda.{table} where team = '{other}'",
    "select count(*) from memoranda.{table} where team like '%'",
    "update memoranda.{table} set team = team returning *",
    "delete from memoranda.{table} where team = '{other}' returning *",
    "select * from memoranda.{table} t, memoranda.task k where k.team = t.team",
    "with x as (select * from memoranda.{table}) select * from x",
    "select max(team) from memoranda.{table}",
    "select row_to_json(t)::text from memoranda.{table} t",
    "copy memoranda.{table} to stdout",
    "table memoranda.{table}",
    "select exists (select 1 from memoranda.{table} where team = '{other}')",
    "select found from memoranda.search_observations('{other}', null, null, array['zebra'],"
    " array['%zebra%'], 10)",
    "select found from memoranda.search_memories('{other}', null, array['zebra'], array[]::text[],"
    " 10)",
)  # fmt: skip


def main(arguments: list[str] | None = None) -> int:
    """Run the checks; return 1 when a claim does not hold."""
    options = _options(arguments)
    report = Report("isolation", vars(options))
    server = PostgresServer()
    try:
        stores = EmptyStores(server)
        with stores.opened(pool_size=2) as database:
            stored = {team: database.of(team).write(partial(hold, team=team)) for team in TEAMS}
            _calls(report, database, stored, random.Random(options.seed), options.calls)
            _statements(report, stores.url)
            for team in TEAMS:
                rows = database.of(team).read(partial(everything, team=team))
                report.claim(f"{team} has all its rows afterwards", len(rows) == len(TABLES))
    finally:
        server.close()
    return report.finish(as_json=options.json)


def _calls(
    report: Report,
    database: PostgresDatabase,
    values: dict[str, Holding],
    pick: random.Random,
    calls: int,
) -> None:
    """Call store functions as one team with ids and names of the other."""
    foreign: list[str] = []
    refused = reads = writes = 0
    names = [*READS, *WRITES]
    for number in range(calls):
        progress(f"{number:,} of {calls:,} calls")
        mine = pick.choice(TEAMS)
        name, message = pick.choice(names), pick.choice((mine, MARKED[mine], *STRANGERS))
        holding = values[pick.choice(TEAMS)]
        try:
            if name in READS:
                reads += 1
                call = partial(_read, name=name, team=message, holding=holding)
                answer: Any = database.of(mine).read(call)
            else:
                writes += 1
                message = MARKED[mine]  # a team may change its own rows
                call = partial(_write, name=name, team=message, holding=holding)
                answer = database.of(mine).write(call)
        except MemorandaError:
            refused += 1
            continue
        if MARKED[mine] in repr(answer):
            foreign.append(f"{mine}: {name} for {message!r}: {answer!r}"[:200])
    section = "calls of the store, bound to one team, with names and ids of the other"
    report.add(section, "reads", reads)
    report.add(section, "changes", writes)
    report.add(section, "refused", refused)
    report.add(section, "answers with foreign rows", len(foreign), "", "; ".join(foreign[:3]))
    report.claim(f"{calls:,} random calls: 0 foreign rows", not foreign)


def _read(tx: Transaction, name: str, team: str, holding: Holding) -> Any:
    return READS[name](tx, team, holding)


def _write(tx: Transaction, name: str, team: str, holding: Holding) -> Any:
    return WRITES[name](tx, team, holding)


def _statements(report: Report, url: str) -> None:
    """Send SQL as the programs' role with no, an empty and the wrong team."""
    foreign: list[str] = []
    sent = refused = 0
    for setting in (None, *STRANGERS, *TEAMS):
        for other in TEAMS:
            if setting == other:
                continue
            for table in TABLES:
                for template in STATEMENTS:
                    statement = template.format(table=table.name, other=other)
                    rows = _sent(url, setting, statement)
                    sent += 1
                    refused += rows is None
                    nothing = rows in (None, [], [(0,)], [(None,)], [(False,)])
                    if other in repr(rows) or not (nothing or setting in TEAMS):
                        foreign.append(f"{setting!r}: {statement}")
    section = "direct SQL as the application's role"
    report.add(section, "statements", sent)
    report.add(section, "refused", refused)
    report.add(section, "answers with foreign rows", len(foreign), "", "; ".join(foreign[:3]))
    report.claim(f"{sent:,} statements with a wrong or no team: 0 foreign rows", not foreign)


_connections: dict[str, psycopg.Connection[Any]] = {}


def _sent(url: str, setting: str | None, statement: str) -> list[Any] | None:
    connection = _connections.get(url)
    if connection is None or connection.closed:
        connection = _connections[url] = psycopg.connect(url)
    try:
        if setting is not None:
            connection.execute("select set_config('memoranda.team', %s, true)", (setting,))
        if statement.startswith("copy"):
            with connection.cursor().copy(statement) as copying:  # type: ignore[call-overload]
                return [bytes(part).decode() for part in copying]
        cursor = connection.execute(statement)  # type: ignore[call-overload]
        return cursor.fetchall() if cursor.description else []
    except psycopg.Error:
        return None
    finally:
        connection.rollback()


def _options(arguments: list[str] | None) -> argparse.Namespace:
    made = parser(__doc__)
    made.add_argument("--calls", type=int, default=10_000)
    return made.parse_args(arguments)


if __name__ == "__main__":
    sys.exit(main())
