"""Try every operation with foreign ids through every door of a server.

Foreign records must be indistinguishable from absent ones. A real server has keys made by its own
programs, and teams with records of every kind. Each caller asks for what belongs to others and for
what does not exist, through REST, JSON-RPC, MCP and the Python client; the answers have to be the
same.
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
from collections import Counter
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
from sweep_worlds import Dump, Speaker, Victim, beginnings, known, labels, plant, wish
from sweeping import Form, Sweep, Tally

SOUTH, EAST = "south", "east"
MARKER, PRIVATE, NOTED, CHOSEN = "zqsouthkx", "zqowlvw", "zqnestgm", "zqeastjq"
DECIDING = ("proposals.list", "proposals.show")
"""Operations that show people an agent's private proposals to decide on."""
REFUSED = "unauthenticated"
UNKNOWN = ("memories.show", "remember")
"""Operations tried without a valid key; few, because of rate limits."""
SHOWN = 5
EXPIRED_SECONDS = 67.0
"""Seconds until the shortest token is invalid, clock leeway included."""
QUIET_SECONDS = 30.0
"""Seconds within which background work after planting must end."""


@dataclass(frozen=True, slots=True)
class Ground:
    """A running server and direct access to its store."""

    port: int
    dump: Callable[[str | None], Dump]
    """The rows of a team, or of all."""
    admin: Callable[[str], Speaker]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the sweep; return 1 when anything leaked."""
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
    make = _maker(ground)
    seen = _strangers(report, ground, make, options)
    seen += _colleagues(report, ground, south, make, options)
    _totals(report, seen)
    time.sleep(max(0.0, EXPIRED_SECONDS - (time.monotonic() - made)))
    for who, token in (("nobody", ""), ("revoked", _revoked(south)), ("expired", gone)):
        result = _unknown(ground, token)
        report.add(who, "calls", len(result), "", f"{', '.join(UNKNOWN)} at every door")
        report.claim(f"{who}: every answer is that nobody is known", set(result) == {REFUSED})


def _strangers(
    report: Report, ground: Ground, make: Callable[[str], str], options: argparse.Namespace
) -> list[Tally]:
    """Sweep as other teams, to which all of the south team is foreign."""
    seen = []
    for role in ("reader", "agent", "admin"):
        who = f"{role} of another team"
        token = _stranger(ground, f"north-{role}", role)
        before = _rows(ground)
        seen.append(_swept(report, ground, (who, token, _victim(ground)), make, options))
        report.claim(f"{who}: changed nothing", before == _rows(ground))
    return seen


def _colleagues(
    report: Report,
    ground: Ground,
    south: Speaker,
    make: Callable[[str], str],
    options: argparse.Namespace,
) -> list[Tally]:
    """Sweep as the same team, to which an agent's private data is foreign.

    Members come last: their team may see what they create under names of others.
    """
    private, noted = _private(ground, PRIVATE), _private(ground, NOTED)
    yard = {"workspace": "yard"}
    south("observe", content="The yard is swept.", **yard)
    seen = []
    for name, role, more, victim in (
        ("reader", "reader", {}, private),
        ("agent", "agent", {"agent": "rival"}, private),
        ("agent and another's blocks", "agent", {"agent": "rival"}, noted),
        ("member of another workspace", "member", yard, private),
        ("member", "member", {}, private),
    ):
        token = south.key(role, **more)
        Speaker(ground.port, token)("memories.list")  # the day of a key's last use is written once
        before = _rows(ground)
        without = () if role == "agent" else DECIDING
        who = f"{name} of the same team"
        seen.append(_swept(report, ground, (who, token, victim), make, options, without))
        after = _rows(ground)
        if role == "reader":
            report.claim(f"{who}: changed nothing", before == after)
            if changed := _differences(before, after):
                report.add(who, "rows that differ", len(changed), "", "; ".join(changed[:3]))
        kept = _kept(before) <= _kept(after)  # a name may be the caller's own as well
        report.claim(f"{who}: changed nothing of another's", kept)
    return seen


def _totals(report: Report, seen: Sequence[Tally]) -> None:
    everybody = "all callers"
    calls, pairs = sum(one.calls for one in seen), sum(one.cells for one in seen)
    begun = sum((one.by_form for one in seen), Counter[Form]())
    text = f"of them {begun[Form.BEGINNING]:,} by the beginning of an id, {begun[Form.SHARED]:,} "
    report.add(everybody, "calls", calls)
    report.add(everybody, "pairs compared", pairs, "", f"{text}by one of two ids")
    report.add(everybody, "foreign bytes", sum(len(one.leaks) for one in seen))
    report.add(everybody, "told apart", sum(len(one.oracles) for one in seen))
    report.add(everybody, "doors that differ", sum(len(one.differing) for one in seen))


def _revoked(south: Speaker) -> str:
    """Return a revoked key."""
    made = south("tokens.create", role="member")
    south("tokens.revoke", id=made["credential"]["id"])
    return str(made["secret"])


def _unknown(ground: Ground, token: str) -> list[str]:
    """Return the answers to a caller without a valid key."""
    fresh = itertools.count(1)
    opened = doors(ground.port, token)
    try:
        messages = [door.ask(name, usual(name, fresh)) for name in UNKNOWN for door in opened]
    finally:
        for door in opened:
            door.close()
    return [one.verdict for one in messages if one]


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
    with closing(Sweep(ground.port, token, victim, make, f"{options.seed} {who}")) as sweep:
        chosen = options.operation or [one for one in names() if one not in without]
        tally = sweep.run(chosen)
    report.add(who, "calls", tally.calls, "", ", ".join(map(" ".join, _counts(tally.by_door))))
    report.add(who, "pairs compared", tally.cells, "", "foreign and absent, alike but for the id")
    report.add(who, "verdicts", len(tally.verdicts), "",
               ", ".join(map(" ".join, _counts(tally.verdicts))))  # fmt: skip
    for name, found in (
        ("foreign bytes", tally.leaks),
        ("told apart", tally.oracles),
        ("doors that differ", tally.differing),
        ("questions not put", tally.unasked),
    ):
        report.add(who, name, len(found), "", "; ".join(found[:SHOWN]))
        report.claim(f"{who}: 0 {name}", not found)
        if options.breaks:
            with options.breaks.open("a") as out:
                out.writelines(f"{who}\t{name}\t{one}\n" for one in found)
    return tally


def _counts(counted: Any) -> Iterator[tuple[str, str]]:
    return ((name, f"{count:,}") for name, count in counted.most_common())


def _stranger(ground: Ground, team: str, role: str) -> str:
    """Return the key of a caller whose team has its own records."""
    admin = ground.admin(team)
    plant(admin, f"own{role}")
    return admin.key(role, **({"agent": "bot"} if role == "agent" else {}))


def _victim(ground: Ground) -> Victim:
    """Return all records of a team."""
    return _of(ground, MARKER, known(ground.dump(SOUTH), {}))


def _private(ground: Ground, word: str) -> Victim:
    """Return an agent's private data: memories, and blocks hidden from agents."""
    rows = {table: [row for row in rows if word in str(row)]
            for table, rows in ground.dump(SOUTH).items() if table != "journal"}  # fmt: skip
    return _of(ground, word, known(rows, {"label": labels(word)} if word == NOTED else {}))


def _of(ground: Ground, word: str, things: dict[str, list[str]]) -> Victim:
    ids = {id for ids in things.values() for id in ids}
    everything = known(ground.dump(None), {})
    others = {id for ids in everything.values() for id in ids} - ids
    return Victim(word, things, ids, beginnings(things, others))


def _maker(ground: Ground) -> Callable[[str], str]:
    """Return a function with which a third team makes records of new names."""
    east = ground.admin(EAST)
    task = east("observe", content="begun", task="one", workspace="yard")["task"]
    numbers = iter(range(10**6))

    def make(kind: str) -> str:
        name = f"{CHOSEN}-{next(numbers):05}"
        if kind in ("place", "workspace", "task"):
            seen = east("observe", content="begun", workspace=name, task=name)
            return name if kind == "place" else str(seen[kind])
        if kind == "label":
            east("blocks.create", block={"label": name, "value": "text"}, workspace="yard")
        elif kind == "agent":
            Speaker(ground.port, east.key("agent", agent=name))("observe", content="begun")
        elif kind == "key":
            east("working.put", task=task, key=name, value=1)
        elif kind == "space":
            east("documents.put", space=name, documents=[{"key": "k", "value": 1}])
        else:
            east("supervisor.news", channel=name)
        return name

    return make


def _rows(ground: Ground) -> Dump:
    """Return every row of the south team, once no background work is left."""
    give_up = time.monotonic() + QUIET_SECONDS
    while time.monotonic() < give_up:
        rows = ground.dump(SOUTH)
        if not any("pending" in job or "running" in job for job in rows["job"]):
            return rows
        time.sleep(0.2)
    raise TimeoutError(f"work is under way after {QUIET_SECONDS} s")


def _differences(before: Dump, after: Dump) -> list[str]:
    """Return the first rows added or removed, each with its table."""
    reported = []
    for name in sorted(before.keys() | after.keys()):
        old, new = set(before.get(name, ())), set(after.get(name, ()))
        reported += [f"{name} - {row}" for row in sorted(old - new)]
        reported += [f"{name} + {row}" for row in sorted(new - old)]
    return [one[:400] for one in reported[:10]]


def _kept(rows: Dump) -> set[str]:
    """Return the rows of an agent's private data."""
    result = (f"{name} {row}" for name in rows for row in rows[name])
    return {one for one in result if PRIVATE in one or NOTED in one}


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
    """Start `memoranda serve`; yield its port."""
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
    """Make an admin key of a team as its owner does, at the command line."""
    command = [sys.executable, "-m", "memoranda", "auth", "token", "create", "--role", "admin",
               "--subject", "root", "--team", team, "--data-dir", str(data)]  # fmt: skip
    made = subprocess.run(command, env=_environment(where), capture_output=True, text=True,
                          check=True)  # fmt: skip
    return Speaker(port, made.stdout.strip())


def _environment(where: dict[str, str]) -> dict[str, str]:
    plain = {name: value for name, value in os.environ.items() if "MEMORANDA" not in name}
    # Reports of slow calls go to the journal, which is compared for changes.
    quiet = {"MEMORANDA_EMBEDDER": "none", "MEMORANDA_SLOW_OPERATION_MILLISECONDS": "0"}
    return plain | quiet | where


def _sqlite(data: Path, team: str | None) -> Dump:
    (path,) = (one for one in data.glob("*.db"))
    with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as connection:
        columns = (
            "select m.name, group_concat(c.name) from sqlite_master m, pragma_table_info(m.name) c "
            "where m.type = 'table' and m.sql not like '%virtual%' group by m.name"
        )
        return _dumped(connection, dict(connection.execute(columns).fetchall()), "", team)


def _postgres(url: str, team: str | None) -> Dump:
    with psycopg.connect(url) as connection:
        found = connection.execute(
            "select c.relname, string_agg(a.attname, ',' order by attnum) from pg_class c "
            "join pg_attribute a on a.attrelid = c.oid and attnum > 0 and not attisdropped "
            "where relkind in ('r', 'p') and not relispartition "
            "and relnamespace = 'memoranda'::regnamespace group by 1"
        ).fetchall()
        return _dumped(connection, dict(found), "memoranda.", team)


def _dumped(connection: Any, columns: dict[str, str], schema: str, team: str | None) -> Dump:
    """Return the rows of a team, or of all, in every table, ids first."""
    found = {}
    for table, named in columns.items():
        names = sorted(named.split(","), key=lambda one: one != "id")
        if "team" in names:
            listed = ", ".join(f'"{one}"' for one in names)
            sql = f"select {listed} from {schema}{table}"
            sql += f" where team = '{team}'" if team else ""
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
