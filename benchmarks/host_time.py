"""Time one session of real coding agents without and with hooks."""

from __future__ import annotations

import sys
import tempfile
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "hosts"))

import stories
from host_packages import host_programs
from host_programs import HOSTS, AgentSdk, HostProgram
from recordings import Stage, session_id

from measuring.report import Report, parser, progress
from model_server import ModelServer

PROMPTS = (stories.NEXT, stories.RULE)
"""The prompts of a session: one with a tool call, then one without."""
NAMES = [name for name, kind in HOSTS.items() if kind is not AgentSdk]


@dataclass(slots=True)
class Seat:
    """A host with its own home folder, and the times of its sessions."""

    stage: Stage
    seconds: list[float] = field(default_factory=list)
    failures: list[str] = field(default_factory=list)

    def session(self) -> float:
        """Run the session once; return its seconds."""
        host, session, seconds = self.stage.recording.host, None, 0.0
        for prompt in PROMPTS:
            done = host.run(prompt, session)
            seconds += done.seconds
            if done.code or not done.out.endswith(f"{stories.ANSWERS[prompt]}\n"):
                self.failures.append(f"{prompt} exit {done.code}: {done.out}{done.err}")
            session = session_id(host.sessions()[-1])
        return seconds

    def hook_calls(self) -> int:
        """Run the session with drains disabled; return the number of hook runs."""
        spool = self.stage.recording.host.home / ".local" / "share" / "memoranda" / "spool"
        mark = spool / ".drain"
        mark.mkdir(parents=True)
        self.session()
        calls = sum(path.read_text("utf-8").count(',"p":{') for path in spool.glob("*.jsonl"))
        mark.rmdir()
        self.stage.environment.call("drain")
        return calls

    def requests(self) -> list[str]:
        """Return the stored prompts."""
        stored = self.stage.environment.observations()
        return [one["content"] for one in stored if one["origin"] == "human"]


def main(arguments: list[str] | None = None) -> int:
    """Measure each host; return 1 when a claim does not hold."""
    made = parser(__doc__)
    made.add_argument("--rounds", type=int, default=7, help="sessions of each kind")
    made.add_argument("--hosts", nargs="+", choices=NAMES, default=NAMES, help="default: all")
    options = made.parse_args(arguments)
    report = Report("host_time", vars(options))
    programs = host_programs()
    for name in options.hosts:
        with (
            tempfile.TemporaryDirectory(prefix="host-time-", ignore_cleanup_errors=True) as folder,
            ModelServer(stories.scripts(stories.TOOLS[name](folder))) as server,
        ):
            without, hooked = (
                _seat(HOSTS[name](programs, home, home / "shop", server.url), server)
                for home in (Path(folder) / kind for kind in ("without", "hooked"))
            )
            _measure(report, without, hooked, options.rounds)
    return report.finish(as_json=options.json)


def _seat(host: HostProgram, server: ModelServer) -> Seat:
    """Return a host without Memoranda installed."""
    return Seat(Stage.prepare(host, server, mcp=[]))


def _measure(report: Report, without: Seat, hooked: Seat, rounds: int) -> None:
    """Run the session without and with hooks in turn; report the overhead."""
    name = hooked.stage.recording.host.name
    hooked.stage.environment.call("install", name)
    without.session()  # a host's first start in a home folder takes longer
    calls = hooked.hook_calls()
    for number in range(rounds):
        progress(f"{name}: round {number + 1} of {rounds}")
        for seat in (hooked, without) if number % 2 else (without, hooked):
            seat.seconds.append(seat.session())
    bare, added = median(without.seconds), median(hooked.seconds) - median(without.seconds)
    section = f"{name}: two prompts and a tool call, {rounds} sessions each in turn"
    for label, seat in (("without hooks", without), ("with hooks", hooked)):
        spread = f"{min(seat.seconds):.2f} to {max(seat.seconds):.2f}"
        report.add(section, f"{label}, median", median(seat.seconds), "s", spread)
    report.add(section, "with / without", median(hooked.seconds) / bare)
    report.add(section, "hook calls in a session", calls)
    report.add(section, "added by one hook call", added / calls * 1e3, "ms")
    for failure in without.failures + hooked.failures:
        report.add(section, "session that failed", failure)
    answered = not (without.failures or hooked.failures)
    report.claim(f"{name}: every session ends as the model says, hooks or none", answered)
    stored = Counter(hooked.requests())
    report.claim(f"{name}: each prompt is stored", stored == dict.fromkeys(PROMPTS, rounds + 1))


if __name__ == "__main__":
    sys.exit(main())
