"""Measure the hook: cost per call, 200 at once, and failure cases.

The cost is compared with a bare interpreter.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import os
import shlex
import sys
import tempfile
from dataclasses import replace
from pathlib import Path

from measuring import trouble
from measuring.burst import Burst, settle
from measuring.processes import Command, Timing, interleaved, run
from measuring.report import Report, parser
from measuring.work import Desk
from memoranda.hooks.commands import guarded
from memoranda.json_data import JsonValue
from memoranda.memory import Memoranda

PAYLOAD_BYTES = 4_096
LIMIT_MS = 250.0
SPOOL_MS = 15.0
SPOOL_RATIO = 1.6
CONTEXT_MS = 40.0
"""Limits of the hook: milliseconds of the fastest run, ratio of medians."""


def main(arguments: list[str] | None = None) -> int:
    """Run the measurements; return 1 when a claim does not hold."""
    options = _options(arguments)
    report = Report("hook", vars(options))
    with tempfile.TemporaryDirectory(prefix="hook-") as folder:
        home = Path(folder)
        _cost(report, home, options)
        _burst(report, home, options)
        _troubles(report, home, options)
    return report.finish(as_json=options.json)


def _options(arguments: list[str] | None) -> argparse.Namespace:
    made = parser(__doc__)
    made.add_argument("--rounds", type=int, default=100, help="runs of each command")
    made.add_argument("--hooks", type=int, default=200, help="hooks of the burst")
    made.add_argument("--at-once", type=int, default=48, help="hooks that run at the same time")
    made.add_argument("--sessions", type=int, default=10, help="sessions of the burst")
    made.add_argument("--tries", type=int, default=3, help="runs of each thing that goes wrong")
    return made.parse_args(arguments)


def command(mode: str) -> Command:
    """Return the command that `install` writes, guard included."""
    package = importlib.util.find_spec("memoranda")
    if package is None or package.origin is None:
        raise ModuleNotFoundError("memoranda")
    script = str(Path(package.origin).with_name("hook.py"))
    return tuple(shlex.split(guarded([sys.executable, "-I", "-S", script, mode], None)))


def payload(seed: str, size: int = PAYLOAD_BYTES) -> dict[str, JsonValue]:
    """Return a tool call as a host reports it, about ``size`` bytes as JSON."""
    desk, output = Desk(seed), ""
    while len(output) < size:
        output += desk.call()[2] + "\n"
    made: dict[str, JsonValue] = {
        "session_id": seed,
        "transcript_path": f"~/.claude/projects/-srv-shop/{seed}.jsonl",
        "cwd": "/srv/shop",
        "hook_event_name": "PostToolUse",
        "tool_name": "Bash",
        "tool_input": {"command": f"pytest -q tests/{seed}.py"},
        "tool_response": {"stdout": "", "stderr": "", "interrupted": False},
        "tool_use_id": f"toolu_{seed}",
    }
    room = size - len(json.dumps(made))
    made["tool_response"] = {"stdout": output[:room], "stderr": "", "interrupted": False}
    return made


def _environ(data_dir: Path) -> dict[str, str]:
    return {"PATH": os.environ.get("PATH", ""), "MEMORANDA_DATA_DIR": str(data_dir)}


def _cost(report: Report, home: Path, options: argparse.Namespace) -> None:
    data_dir = home / "cost"
    event = home / "event.json"
    event.write_text(json.dumps(payload("cost")), "utf-8")
    start = _prepared_start(home, data_dir)
    (data_dir / "spool").mkdir(exist_ok=True)
    commands: dict[str, tuple[Command, Path | None]] = {
        "bare": ((sys.executable, "-I", "-S", "-c", "pass"), None),
        "spool": (command("spool"), event),
        "context": (command("context"), start),
    }
    settle(data_dir)
    costs = interleaved(commands, _environ(data_dir), options.rounds)
    _show_cost(report, {name: Timing.of(found) for name, found in costs.items()}, options.rounds)


def _show_cost(report: Report, timings: dict[str, Timing], rounds: int) -> None:
    bare, section = timings["bare"], f"cost, {rounds} runs in turn"
    labels = {
        "bare": "python -I -S -c pass",
        "spool": "hook spool, 4 kB",
        "context": "hook context",
    }
    for name, timing in timings.items():
        against = f"{timing.middle / bare.middle:.2f} x bare"
        note = f"median {timing.middle:.2f}, {against}; wall {timing.wall_middle:.1f} ms"
        report.add(section, f"{labels[name]}, cpu min", timing.least, "ms", note)
    spool, context = timings["spool"], timings["context"]
    ratio = spool.middle / bare.middle
    report.claim(f"the hook that captures: at most {SPOOL_RATIO} x bare", ratio <= SPOOL_RATIO)
    report.claim(f"the hook that captures: at most {SPOOL_MS:.0f} ms cpu", spool.least <= SPOOL_MS)
    cheap = context.least <= CONTEXT_MS
    report.claim(f"the hook that gives context: at most {CONTEXT_MS:.0f} ms cpu", cheap)


def _prepared_start(home: Path, data_dir: Path) -> Path:
    """Have a folder's context rendered; return its session start event.

    Raises:
        RuntimeError: the hook does not print it.
    """
    work = home / "shop"
    work.mkdir()
    with Memoranda.open(data_dir) as memory:
        desk = Desk("context")
        events = [desk.event("context", f"call-{number}") for number in range(40)]
        memory.capture.take([replace(event, cwd=str(work)) for event in events])
    start = home / "start.json"
    start.write_text(
        json.dumps(
            {
                "session_id": "start",
                "cwd": str(work),
                "hook_event_name": "SessionStart",
                "source": "startup",
            }
        ),
        "utf-8",
    )
    settle(data_dir)
    path = home / "said.json"
    run(command("context"), _environ(data_dir), stdin=start, stdout=path)
    text = json.loads(path.read_text("utf-8") or "{}").get("hookSpecificOutput", {})
    if not text.get("additionalContext"):
        raise RuntimeError("the hook printed no context")
    return start


def _burst(report: Report, home: Path, options: argparse.Namespace) -> None:
    section = f"{options.hooks} hooks, {options.at_once} at a time, {options.sessions} sessions"
    burst = Burst(home / "burst", options.hooks, options.sessions)
    burst.write(payload)
    settle(burst.data_dir)
    wall = burst.run(command("spool"), _environ(burst.data_dir), options.at_once)
    found = burst.drain()
    report.add(section, "hooks a second", options.hooks / wall, "", f"{wall:.2f} s in all")
    report.add(section, "exits other than 0", burst.failed)
    report.add(section, "observations after one drain", found.stored)
    report.add(section, "out of order", found.disordered, "", "pairs, within their sessions")
    report.add(section, "drain", found.seconds * 1e3, "ms")
    report.claim(
        f"{options.hooks} hooks give {options.hooks} observations",
        found.stored == options.hooks and burst.failed == 0,
    )
    report.claim("in order within each session", found.disordered == 0)


def _troubles(report: Report, home: Path, options: argparse.Namespace) -> None:
    section = f"things going wrong, {options.tries} tries each (limit {LIMIT_MS:.0f} ms)"
    quiet = fast = True
    text = json.dumps(payload("trouble")).encode()
    for case in trouble.cases(home / "trouble", text):
        found = trouble.suffer(case, command("spool"), options.tries)
        if found is None:
            report.add(section, case.name, "skipped", "", "needs the rights to mount")
            continue
        quiet = quiet and found.code == 0 and not found.output
        fast = fast and found.slowest_ms < LIMIT_MS
        summary = f"exit {found.code}, {len(found.output)} bytes said"
        report.add(section, case.name, found.slowest_ms, "ms", f"slowest wall; {summary}")
    report.claim("whatever goes wrong: exit 0 and no output", quiet)
    report.claim(f"whatever goes wrong: over within {LIMIT_MS:.0f} ms", fast)


if __name__ == "__main__":
    sys.exit(main())
