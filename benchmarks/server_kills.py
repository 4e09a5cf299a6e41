"""Kill a server; check acknowledged writes and the time to recover.

Eight clients write.
"""

from __future__ import annotations

import argparse
import json
import random
import shutil
import sys
import tempfile
import threading
import time
from http.client import HTTPConnection, HTTPException
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from measuring.report import Report, parser, progress, quantile
from memoranda.api.service import Service
from memoranda.config import load_settings
from memoranda.identity.principal import owner
from serving import RPC, Served, request_of

LONGEST_LIFE = 1.5
"""Maximum seconds of a server's life after its first acknowledgement."""
FIRST_SECONDS = 20.0


class Client(threading.Thread):
    """A client that writes until its connection breaks."""

    def __init__(self, server: Served, name: str) -> None:
        super().__init__(daemon=True)
        self._server = server
        self._name = name
        self.kept: dict[str, str] = {}
        self.errors: list[str] = []

    def run(self) -> None:
        """Write memories one after another."""
        connection = HTTPConnection("127.0.0.1", self._server.port, timeout=30)
        headers = {"Content-Type": "application/json"}
        headers |= {"Authorization": f"Bearer {self._server.token}"}
        try:
            for number in range(1_000_000):
                text = f"Lamp {self._name}-{number} of this house is on circuit {number}."
                connection.request("POST", RPC, request_of("call", "remember", statement=text),
                                   headers)  # fmt: skip
                answer = connection.getresponse()
                body = json.loads(answer.read())
                if answer.status != 200:
                    self.errors.append(str(body)[:200])
                    return
                self.kept[body["result"]["id"]] = text
        except (OSError, HTTPException, ValueError):
            return  # killed during the request: nothing was acknowledged
        finally:
            connection.close()


def main(arguments: list[str] | None = None) -> int:
    """Kill a server repeatedly; return 1 when a claim does not hold."""
    options = _options(arguments)
    report = Report("server_kills", vars(options))
    with tempfile.TemporaryDirectory(prefix="server-kills-", dir=options.dir) as folder:
        _run(report, Path(folder) / "data", options)
    return report.finish(as_json=options.json)


def _options(arguments: list[str] | None) -> argparse.Namespace:
    made = parser(__doc__)
    made.add_argument("--kills", type=int, default=200, help="servers to end with SIGKILL")
    made.add_argument("--clients", type=int, default=8, help="clients that write at once")
    made.add_argument("--workers", type=int, default=1, help="processes of a server")
    made.add_argument("--records", type=int, default=0, help="observations that are there before")
    made.add_argument("--folder", type=Path, help="a store to begin with, of load --fill; copied")
    made.add_argument("--dir", type=Path, help="where the store lies; default: temporary files")
    return made.parse_args(arguments)


def _run(report: Report, data_dir: Path, options: argparse.Namespace) -> None:
    before = f"a copy of {options.folder}" if options.folder else f"{options.records:,} records"
    section = f"kill -9 under {options.clients} clients, {before} before"
    if options.folder:
        shutil.copytree(options.folder, data_dir)
    _fill(data_dir, options.records)
    chance = random.Random(f"server-kills-{options.seed}")
    kept: dict[str, str] = {}
    starts: list[float] = []
    errors: list[str] = []
    for number in range(options.kills):
        server = Served(data_dir, workers=options.workers)
        starts.append(server.seconds)
        clients = [Client(server, f"{number}-{one}") for one in range(options.clients)]
        for client in clients:
            client.start()
        _await_first(clients)
        time.sleep(chance.uniform(0, LONGEST_LIFE))
        server.kill()
        for client in clients:
            client.join()
            kept |= client.kept
            errors += client.errors
        progress(f"{number + 1} of {options.kills} kills")
    lost = _lost(data_dir, kept)
    report.add(section, "kills", options.kills)
    report.add(section, "acknowledged", len(kept), "", "memories, each looked up")
    report.add(section, "lost or altered", lost)
    report.add(section, "answers other than 200", len(errors), "", "; ".join(errors[:2]))
    report.add(section, "ready again, p50", quantile(starts, 0.5), "s", "interpreter included")
    report.add(section, "ready again, slowest", max(starts), "s")
    report.claim(f"{options.kills} kills: no acknowledged write lost", bool(kept) and lost == 0)
    report.claim("no client was told of an error", not errors)
    report.claim("half of the restarts took less than 2 s", quantile(starts, 0.5) < 2)


def _await_first(clients: list[Client]) -> None:
    """Wait for the first acknowledgement; a new server is still loading."""
    give_up = time.monotonic() + FIRST_SECONDS
    while not any(client.kept for client in clients) and time.monotonic() < give_up:
        time.sleep(0.01)


def _fill(data_dir: Path, records: int) -> None:
    """Fill a store, in batches as an import does."""
    if not records:
        return
    from memoranda.capture.event import Event, EventKind, EventSource
    from memoranda.observations.model import Origin

    service = Service(load_settings({"data_dir": data_dir, "embedder": "none"}, {}))
    memory = service.memory(owner())
    for start in range(0, records, 1_000):
        memory.capture.take(
            [
                Event(
                    kind=EventKind.MESSAGE, host="bench", session=f"s{start // 5_000}",
                    source=EventSource.API, key=f"k{n}", origin=Origin.HUMAN,
                    occurred_at=1_750_000_000_000_000 + n,
                    text=f"Room {n} has lamp {n % 977} and the door {n % 331} is painted green.",
                )
                for n in range(start, min(records, start + 1_000))
            ],
            workspace="house",
        )  # fmt: skip
    service.close()


def _lost(data_dir: Path, kept: dict[str, str]) -> int:
    service = Service(load_settings({"data_dir": data_dir}, {}))
    memory = service.memory(owner())
    lost = 0
    for id, text in kept.items():
        try:
            lost += memory.memories.evidence(id).memory.content != text
        except Exception as error:
            print(f"{id}: {type(error).__name__}: {error}", file=sys.stderr)
            lost += 1
    service.close()
    return lost


if __name__ == "__main__":
    sys.exit(main())
