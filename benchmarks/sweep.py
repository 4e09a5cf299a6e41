"""Every operation, every id, every caller, every door: what is another's is as if it were not.

A real server, keys made by its own programs, and teams with something of everything. Each caller
asks for what belongs to others and for what does not exist, through REST, JSON-RPC, MCP and the
Python client; the answers have to be the same.
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

import psycopg

from measuring.report import Report, parser, progress
from postgres_stores import DATABASE, EmptyStores
from servers import PostgresServer
from sweep_cells import names, usual
from sweep_doors import doors
from sweep_worlds import Dump, Speaker, Victim, known, plant, wish
from sweeping import Sweep, Tally

SOUTH, EAST = "south", "east"
MARKER, PRIVATE, NOTED, CHOSEN = "zqsouthkx", "zqowlvw", "zqnestgm", "zqeastjq"
DECIDING = ("pending.list", "pending.show")
"""Where people see what an agent wishes to keep, also for itself alone: they decide about it."""
REFUSED = "unauthenticated"
UNKNOWN = ("memory.show", "remember")
"""What callers without a good key ask for: few things, for wrong keys are soon turned away."""
SHOWN = 5
EXPIRED_SECONDS = 67.0
"""From the making of the shortest token to when no leeway for clocks takes it any more."""
BUSY = ("job", "journal_head", "vector_block", "vector_centre", "kept_answer")


@dataclass(frozen=True, slots=True)
class Ground:
    """A running server and a way to look into its store from beside it."""

    port: int
    dump: Callable[[str], Dump]
    admin: Callable[[str], Speaker]


def main(arguments: Sequence[str] | None = None) -> int:
    """Sweep; 1 when anything crossed or told."""
    options = _options(arguments)
    report = Report("sweep", vars(options))
    with tempfile.TemporaryDirectory(prefix="sweep-") as folder, _ground(options, folder) as ground:
        _run(report, ground, options)
    return report.finish(as_json=options.json)


def _run(report: Report, ground: Ground, options: argparse.Namespace) -> None:
    south = ground.admin(SOUTH)
    plant(south, MARKER)
    owl = Speaker(ground.port, south.key("agent", agent=f"{MARKER}-owl", subject=f"{MARKER}-owl"))
    wish(owl, MARKER, f"{MARKER}-shop", (PRIVATE, NOTED))
    gone = south.key("member", jwt=True, hours=0.01)
    made = time.monotonic()
    team = _victim(ground)
    private, noted = _private(ground, PRIVATE), _private(ground, NOTED)
    make = _maker(ground)
    for role in ("reader", "agent", "admin"):
        before = _rows(ground)
        token = _stranger(ground, f"north-{role}", role)
        tally = _swept(report, ground, (f"{role} of another team", token, team), make, options)
        report.claim(f"{role} of another team: changed nothing", before == _rows(ground))
    # The member comes last: what it makes its own under names of others, its team may see.
    for role, more in (("reader", {}), ("agent", {"agent": "rival"}), ("member", {})):
        token = south.key(role, **more)
        before = _rows(ground)
        who = (f"{role} of the same team", token, private)
        people = () if role == "agent" else DECIDING
        tally = _swept(report, ground, who, make, options, people)
        if role == "agent":
            who = ("agent and another's blocks", token, noted)
            _swept(report, ground, who, make, options)
        if role == "reader":
            report.claim("reader of the same team: changed nothing", before == _rows(ground))
            writes = tally.verdicts["ok"]
            report.add("reader of the same team", "answered", writes, "calls")
    time.sleep(max(0.0, EXPIRED_SECONDS - (time.monotonic() - made)))
    for who, token in (("nobody", ""), ("expired", gone)):
        told = _unknown(ground, token)
        report.add(who, "calls", len(told), "", f"{', '.join(UNKNOWN)} at every door")
        report.claim(f"{who}: every answer is that nobody is known", set(told) == {REFUSED})


def _unknown(ground: Ground, token: str) -> list[str]:
    """Return the verdicts on somebody whom nobody knows."""
    fresh = itertools.count(1)
    opened = doors(ground.port, token)
    try:
        said = [door.ask(name, usual(name, fresh)) for name in UNKNOWN for door in opened]
    finally:
        for door in opened:
            door.close()
    return [one.verdict for one in said if one]


def _swept(
    report: Report,
    ground: Ground,
    caller: tuple[str, str, Victim],
    make: Callable[[str], str],
    options: argparse.Namespace,
    without: Sequence[str] = (),
) -> Tally:
    who, token, victim = caller
    progress(who)
    with closing(Sweep(ground.port, token, victim, make, seed=options.seed)) as sweep:
        chosen = options.operation or [one for one in names() if one not in without]
        tally = sweep.run(chosen)
    report.add(who, "calls", tally.calls, "", ", ".join(map(" ".join, _counts(tally.by_door))))
    report.add(who, "pairs compared", tally.cells, "", "foreign and absent, alike but for the id")
    report.add(who, "verdicts", len(tally.verdicts), "",
               ", ".join(map(" ".join, _counts(tally.verdicts))))  # fmt: skip
    for name, found in (("foreign bytes", tally.leaks), ("told apart", tally.oracles),
                        ("doors that differ", tally.differing)):  # fmt: skip
        report.add(who, name, len(found), "", "; ".join(found[:SHOWN]))
        report.claim(f"{who}: 0 {name}", not found)
        if options.breaks:
            with options.breaks.open("a") as out:
                out.writelines(f"{who}\t{name}\t{one}\n" for one in found)
    return tally


def _counts(counted: Any) -> Iterator[tuple[str, str]]:
    return ((name, f"{count:,}") for name, count in counted.most_common())


def _stranger(ground: Ground, team: str, role: str) -> str:
    """Return the key of somebody whose team has things of its own."""
    admin = ground.admin(team)
    plant(admin, f"own{role}")
    return admin.key(role, **({"agent": "bot"} if role == "agent" else {}))


def _victim(ground: Ground) -> Victim:
    """Return all of a team."""
    things = known(ground.dump(SOUTH), {})
    return Victim(MARKER, things, {id for ids in things.values() for id in ids})


def _private(ground: Ground, word: str) -> Victim:
    """Return what an agent keeps from its team: memories from all, blocks from agents."""
    rows = {table: [row for row in rows if word in str(row)]
            for table, rows in ground.dump(SOUTH).items() if table != "journal"}  # fmt: skip
    things = known(rows, {"label": [f"{word}-notes"]} if word == NOTED else {})
    return Victim(word, things, {id for ids in things.values() for id in ids})


def _maker(ground: Ground) -> Callable[[str], str]:
    """Return a way to have a third team make something with a name of its choice."""
    east = ground.admin(EAST)
    task = east("observe", content="begun", task="one", workspace="yard")["task"]
    numbers = iter(range(10**6))

    def make(kind: str) -> str:
        name = f"{CHOSEN}-{next(numbers):05}"
        if kind in ("place", "workspace", "task"):
            seen = east("observe", content="begun", workspace=name, task=name)
            return name if kind == "place" else str(seen[kind])
        if kind == "label":
            east("block.create", block={"label": name, "value": "text"}, workspace="yard")
        elif kind == "agent":
            Speaker(ground.port, east.key("agent", agent=name))("observe", content="begun")
        elif kind == "key":
            east("working.put", task=task, key=name, value=1)
        else:
            east("supervisor.news", channel=name)
        return name

    return make


def _rows(ground: Ground) -> Dump:
    return {name: rows for name, rows in ground.dump(SOUTH).items() if name not in BUSY}


@contextmanager
def _ground(options: argparse.Namespace, folder: str) -> Iterator[Ground]:
    data = Path(folder) / "data"
    if options.engine == "sqlite":
        with _serving(data, {}) as port:
            yield Ground(port, lambda team: _sqlite(data, team),
                         lambda t: _admin(port, data, t, {}))  # fmt: skip
        return
    server = PostgresServer()
    try:
        stores = EmptyStores(server)
        where = {"MEMORANDA_DATABASE_URL": stores.url}
        url = server.url(DATABASE)
        with _serving(data, where) as port:
            yield Ground(port, lambda team: _postgres(url, team),
                         lambda t: _admin(port, data, t, where))  # fmt: skip
    finally:
        server.close()


@contextmanager
def _serving(data: Path, where: dict[str, str]) -> Iterator[int]:
    """Start `memoranda serve`; give its port."""
    command = [sys.executable, "-m", "memoranda", "serve", "--port", "0", "--format", "json"]
    process = subprocess.Popen([*command, "--data-dir", str(data)], env=_environment(where),
                               stdout=subprocess.PIPE, text=True)  # fmt: skip
    try:
        assert process.stdout is not None
        line = process.stdout.readline()
        yield int(json.loads(line)["url"].rpartition(":")[2])
    finally:
        process.terminate()
        process.wait(30)


def _admin(port: int, data: Path, team: str, where: dict[str, str]) -> Speaker:
    """Make a key of a team's admin as its owner does, at the command line."""
    command = [sys.executable, "-m", "memoranda", "auth", "token", "create", "--role", "admin",
               "--subject", "root", "--team", team, "--data-dir", str(data)]  # fmt: skip
    made = subprocess.run(command, env=_environment(where), capture_output=True, text=True,
                          check=True)  # fmt: skip
    return Speaker(port, made.stdout.strip())


def _environment(where: dict[str, str]) -> dict[str, str]:
    plain = {name: value for name, value in os.environ.items() if "MEMORANDA" not in name}
    return plain | {"MEMORANDA_EMBEDDER": "none"} | where


def _sqlite(data: Path, team: str) -> Dump:
    (path,) = (one for one in data.glob("*.db"))
    with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as connection:
        columns = (
            "select m.name, group_concat(c.name) from sqlite_master m, pragma_table_info(m.name) c "
            "where m.type = 'table' and m.sql not like '%virtual%' group by m.name"
        )
        return _dumped(connection, dict(connection.execute(columns).fetchall()), "", team)


def _postgres(url: str, team: str) -> Dump:
    with psycopg.connect(url) as connection:
        found = connection.execute(
            "select table_name, string_agg(column_name, ',') from information_schema.columns "
            "where table_schema = 'memoranda' group by 1"
        ).fetchall()
        return _dumped(connection, dict(found), "memoranda.", team)


def _dumped(connection: Any, columns: dict[str, str], schema: str, team: str) -> Dump:
    """Return the rows of a team in every table; the id comes first where there is one."""
    found = {}
    for table, named in columns.items():
        names = sorted(named.split(","), key=lambda one: one != "id")
        if "team" in names:
            listed = ", ".join(f'"{one}"' for one in names)
            sql = f"select {listed} from {schema}{table} where team = '{team}'"
            rows = connection.execute(sql).fetchall()
            found[table] = sorted(map(tuple, rows), key=repr)
    return found


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    made = parser(__doc__)
    made.add_argument("--engine", choices=("sqlite", "postgres"), default="sqlite")
    made.add_argument("--operation", action="append", help="only this one; may be repeated")
    made.add_argument("--breaks", type=Path, help="a file that every break is written to")
    return made.parse_args(arguments)


if __name__ == "__main__":
    sys.exit(main())
