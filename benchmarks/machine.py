"""Run random operations on a model, SQLite and PostgreSQL, and compare."""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from contract.contract_machine import run_machine
from measuring.report import Report, parser
from memoranda.store.sqlite.engine import SqliteDatabase
from postgres_stores import EmptyStores
from servers import PostgresServer


def main(arguments: list[str] | None = None) -> int:
    """Run; return 1 when the answers of the stores differ."""
    options = _options(arguments)
    report = Report("machine", vars(options))
    tally = Counter[str]()
    difference = ""
    server = PostgresServer()
    try:
        with (
            tempfile.TemporaryDirectory(prefix="machine-") as folder,
            EmptyStores(server).opened() as served,
        ):
            embedded = SqliteDatabase(Path(folder) / "store.db")
            try:
                run_machine(
                    [embedded, served],
                    examples=options.examples,
                    steps=options.steps,
                    start=options.seed,
                    tally=tally,
                )
            except Exception as error:  # any failure is a finding to be minimised
                difference = f"{type(error).__name__}: {error}"
            finally:
                embedded.close()
    finally:
        server.close()
    for name, count in tally.most_common():
        report.add("done, on the model and on both engines", name, count)
    report.add("found", "differences", int(bool(difference)), "", difference[:2_000])
    report.claim(f"{options.examples} examples of {options.steps} steps: no difference",
                 not difference and tally["examples"] >= options.examples)  # fmt: skip
    return report.finish(as_json=options.json)


def _options(arguments: list[str] | None) -> argparse.Namespace:
    made = parser(__doc__)
    made.add_argument("--examples", type=int, default=300)
    made.add_argument("--steps", type=int, default=50)
    return made.parse_args(arguments)


if __name__ == "__main__":
    sys.exit(main())
