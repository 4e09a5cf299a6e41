"""Check that twenty agents with similar texts see nothing of each other.

Agents of two teams each have private memories and a private block. Random callers then call every
method in turn. The arguments include ids and names of others, and injection texts.
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from measuring.report import Report, parser, progress
from memoranda.api.jsonrpc.methods import methods, public
from memoranda.api.service import Service
from memoranda.config import load_settings
from rpc_worlds import COSTLY, TEAMS, crossed, intact, plant


def main(arguments: Sequence[str] | None = None) -> int:
    """Make the calls and count foreign data."""
    options = _options(arguments)
    report = Report("rpc_isolation", vars(options))
    with tempfile.TemporaryDirectory(prefix="rpc-isolation-") as folder:
        values = {"data_dir": Path(folder) / "data", "embedder": options.embedder}
        service = Service(load_settings(values))
        try:
            world = plant(service, options.agents)
            dice = random.Random(options.seed)
            found, ended = crossed(world, options.calls, dice, progress)
            kept = intact(world)
        finally:
            service.close()
    section = f"{options.agents} agents of {len(TEAMS)} teams, nearly equal private texts"
    report.add(section, "methods", len(public()) - len(COSTLY), "", f"of {len(methods())}")
    for outcome, count in ended.most_common():
        report.add(section, outcome, count, "calls")
    report.add(section, "foreign ids and words", len(found), "", "; ".join(found[:3]))
    report.claim(f"{options.calls:,} random calls: nothing private crossed", not found)
    report.claim("no call ended in an unknown error", not ended["internal"])
    report.claim("every agent still finds what is its own", kept)
    return report.finish(as_json=options.json)


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    made = parser(__doc__)
    made.add_argument("--agents", type=int, default=20)
    made.add_argument("--calls", type=int, default=10_000)
    made.add_argument("--embedder", default="none", help="local: search by meaning as well")
    return made.parse_args(arguments)


if __name__ == "__main__":
    sys.exit(main())
