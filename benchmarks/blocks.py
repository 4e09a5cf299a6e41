"""Measure concurrent edits of a shared block, and checkpoints, per engine."""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "integration"))

from acting import begun, opened

from measuring.report import Report, parser, progress, quantile
from memoranda import Memoranda
from memoranda.blocks.block_writer import NewBlock
from memoranda.blocks.model import MAX_LIMIT
from memoranda.config import Settings, load_settings
from postgres_stores import EmptyStores
from servers import PostgresServer

BLOCKS, SIZE = 4, 10_000
"""Number of blocks in the task for checkpoints, and characters of each."""
COPY_SHARE = 0.2
"""Maximum size of a checkpoint and its edit, as a share of full copies."""

WRITER = """
import sys, time
sys.path[:0] = sys.argv[5:]
from acting import acting, opened
from memoranda.config import load_settings
from memoranda.exceptions import Conflict
given = {"data_dir": sys.argv[1], "database_url": sys.argv[2]}
memory = opened(load_settings({name: value for name, value in given.items() if value}, {}))
agent = acting(memory, sys.argv[3])
print("ready", flush=True)
sys.stdin.readline()
try:
    agent.blocks.rethink("once", sys.argv[3], version=1)
    print("first")
except Conflict:
    print("conflict")
for turn in range(int(sys.argv[4])):
    began = time.perf_counter()
    agent.blocks.insert("log", f"{sys.argv[3]}-{turn}")
    print(time.perf_counter() - began)
"""


@contextmanager
def engines() -> Iterator[dict[str, Settings]]:
    """Return the settings of an empty store for each engine."""
    server = PostgresServer(settings=("fsync=on",))
    try:
        stores = EmptyStores(server)
        with tempfile.TemporaryDirectory(prefix="memoranda-blocks-") as folder:
            data_dir = {"data_dir": folder, "embedder": "none"}
            yield {
                "sqlite": load_settings(data_dir, {}),
                "postgres": load_settings(data_dir | {"database_url": stores.url}, {}),
            }
    finally:
        server.close()


def measure_writers(
    report: Report, memory: Memoranda, settings: Settings, name: str, options: argparse.Namespace
) -> None:
    """Append to one block from many processes after a version conflict."""
    memory.blocks.create(NewBlock("log", limit=MAX_LIMIT))
    memory.blocks.create(NewBlock("once"))
    result, seconds = _written(settings, options)
    lines = sorted(memory.blocks.show("log").value.split("\n"))
    expected = sorted(
        f"agent {w}-{t}" for w in range(options.writers) for t in range(options.turns)
    )
    versions = _versions(memory)
    firsts = sum(each[0] == "first" for each in result)
    conflicts = sum(each[0] == "conflict" for each in result)
    waits = [float(wait) * 1_000 for each in result for wait in each[1:]]
    section = f"{name}: {options.writers} processes, {options.turns} appends each, one block"
    report.add(section, "lines there", len(lines), "", f"of {len(expected):,}")
    report.add(section, "edits a second, all together", len(waits) / seconds)
    report.add(
        section, "one edit, p50", quantile(waits, 0.5), "ms", "waiting for its turn included"
    )
    report.add(section, "one edit, p95", quantile(waits, 0.95), "ms")
    report.add(section, "of those who read one version: done", firsts)
    report.add(section, "in conflict", conflicts)
    report.claim(f"{name}: every line is there, once", lines == expected)
    path = list(range(1, len(expected) + 2))
    report.claim(f"{name}: the history is the path 1 to {len(path):,}", versions == path)
    one = (firsts, conflicts) == (1, options.writers - 1)
    report.claim(f"{name}: of {options.writers} with one version, one succeeds", one)


def _written(settings: Settings, options: argparse.Namespace) -> tuple[list[list[str]], float]:
    """Return each writer's output, and seconds from first to last edit."""
    paths = [sys.path[0], *sys.path[1:3]]
    children = []
    for writer in range(options.writers):
        words = [str(settings.data_dir), settings.database_url or "", f"agent {writer}"]
        command = [sys.executable, "-c", WRITER, *words, str(options.turns), *paths]
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
        children.append(subprocess.Popen(command, text=True, **pipes))  # type: ignore[call-overload]
    for child in children:
        assert child.stdout.readline() == "ready\n"
    began = time.monotonic()
    for child in children:
        child.stdin.write("\n")
        child.stdin.flush()
    outputs = [child.communicate()[0].split("\n")[:-1] for child in children]
    seconds = time.monotonic() - began
    assert not any(child.returncode for child in children)
    return outputs, seconds


def _versions(memory: Memoranda) -> list[int]:
    """Return the version numbers; each version must add exactly one line."""
    found: list[int] = []
    cursor: str | None = None
    later: str | None = None
    while True:
        page = memory.blocks.history("log", cursor=cursor, limit=500)
        for one in page:
            if later is not None and later.rpartition("\n")[0] != one.value:
                return []
            later = one.value
            found.append(one.version)
        if (cursor := page.cursor) is None:
            return found[::-1]


def measure_single(report: Report, memory: Memoranda, name: str, edits: int) -> None:
    """Time edits of one block of common size with a single writer."""
    memory.blocks.create(NewBlock("alone", "x" * 4_000 + "\nturn 0."))
    waits = []
    for turn in range(edits):
        began = time.perf_counter()
        memory.blocks.replace("alone", f"turn {turn}.", f"turn {turn + 1}.")
        waits.append((time.perf_counter() - began) * 1_000)
    section = f"{name}: one writer, a block of 4,000 characters"
    report.add(section, "one edit, p50", quantile(waits, 0.5), "ms")
    report.add(section, "one edit, p95", quantile(waits, 0.95), "ms")


def measure_checkpoints(
    report: Report, memory: Memoranda, settings: Settings, name: str, count: int
) -> None:
    """Take checkpoints while one block changes each time; restore them."""
    task = begun(memory)
    for number in range(BLOCKS):
        value = _text(number, 0)
        memory.blocks.create(NewBlock(f"block {number}", value, limit=2 * SIZE), task=task)
    memory.checkpoints.create(task, "coding", state={"n": 0})
    before, began = _size(memory, settings), _rows(memory)
    waits = []
    for turn in range(1, count + 1):
        progress(f"{name}: checkpoint {turn} of {count}")
        memory.blocks.rethink(f"block {turn % BLOCKS}", _text(turn % BLOCKS, turn), task=task)
        at = time.perf_counter()
        memory.checkpoints.create(task, "coding", state={"n": turn})
        waits.append((time.perf_counter() - at) * 1_000)
    growth = (_size(memory, settings) - before) / count
    rows = {table: after - began[table] for table, after in _rows(memory).items()}
    stored = rows.pop("bytes of contents") / count
    section = f"{name}: {count} checkpoints of {BLOCKS} blocks of {SIZE:,} characters, one changed"
    report.add(section, "growth of the database, a checkpoint with its edit", growth, "bytes")
    report.add(
        section, "of it contents", stored, "bytes", "the changed value, compressed, and state"
    )
    for table, found in rows.items():
        report.add(section, f"rows of {table}, each", found / count)
    report.add(section, "one checkpoint, p50", quantile(waits, 0.5), "ms")
    values = rows["block_version"] / count
    report.claim(f"{name}: a checkpoint stores no value again", values <= 1.01)
    report.claim(
        f"{name}: it takes at most {COPY_SHARE:.0%} of what copies of its blocks would",
        growth <= COPY_SHARE * BLOCKS * SIZE,
    )
    _measure_rollbacks(report, memory, task, section)


def _measure_rollbacks(report: Report, memory: Memoranda, task: str, section: str) -> None:
    waits, right = [], True
    for number in [1, 100, 1, 50, 150, 2] * 5:
        at = time.perf_counter()
        memory.checkpoints.rollback(task, str(number))
        waits.append((time.perf_counter() - at) * 1_000)
        right &= memory.tasks.state(task).state["n"] == number - 1
    report.add(section, "one rollback, p50", quantile(waits, 0.5), "ms")
    report.add(section, "one rollback, p95", quantile(waits, 0.95), "ms")
    report.claim(f"{section.split(':')[0]}: a rollback gives what was there", right)


def _text(block: int, turn: int) -> str:
    """Return 10,000 characters that differ slightly from the text before."""
    words = [f"word {block} {turn if line == turn % 200 else 0} of line {line} and what it says"
             for line in range(250)]  # fmt: skip
    return "\n".join(words)[:SIZE].ljust(SIZE, ".")


def _rows(memory: Memoranda) -> dict[str, int]:
    tables = ("block_version", "checkpoint", "checkpoint_block", "blob", "journal")

    def work(tx: object) -> dict[str, int]:
        found = {}
        for table in tables:
            sql = f"select count(*) from {table} where team = :team"
            found[table] = int(tx.first(sql, {"team": "local"})[0])  # type: ignore[attr-defined]
        sizes = "select sum(length(data)) from blob where team = :team"
        found["bytes of contents"] = int(tx.first(sizes, {"team": "local"})[0])  # type: ignore[attr-defined]
        return found

    return memory._database.read(work)


def _size(memory: Memoranda, settings: Settings) -> int:
    """Return the bytes of the database: used pages, or schema relations."""
    sql = (
        "select sum(pg_total_relation_size(oid))::bigint from pg_class where relkind = 'r' "
        "and relnamespace = 'memoranda'::regnamespace"
        if settings.database_url
        else "select (select * from pragma_page_count) * (select * from pragma_page_size)"
    )
    row = memory._database.read(lambda tx: tx.first(sql, {}))
    return int(row[0]) if row else 0


def main(arguments: list[str] | None = None) -> int:
    """Run the measurements; return 1 when a claim does not hold."""
    options = _options(arguments)
    report = Report("blocks", vars(options))
    with engines() as found:
        for name, settings in found.items():
            with opened(settings) as memory:
                measure_checkpoints(report, memory, settings, name, options.checkpoints)
                measure_single(report, memory, name, options.edits)
                measure_writers(report, memory, settings, name, options)
    return report.finish(as_json=options.json)


def _options(arguments: list[str] | None) -> argparse.Namespace:
    made = parser(__doc__)
    made.add_argument("--writers", type=int, default=16, help="processes that edit one block")
    made.add_argument("--turns", type=int, default=500, help="appends of each")
    made.add_argument("--edits", type=int, default=500, help="edits of a writer alone")
    made.add_argument("--checkpoints", type=int, default=200)
    return made.parse_args(arguments)


if __name__ == "__main__":
    sys.exit(main())
