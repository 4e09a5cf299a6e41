"""Inject known faults through every entry and check what is recorded.

Also measures the added time and which faults raise a signal. With ``--data`` the runs of StepShield
are watched as well: they label rule-breaking, not failure.
"""

from __future__ import annotations

import argparse
import json
import lzma
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from measuring.report import Report, parser, progress, quantile
from measuring.work import Desk
from memoranda import Memoranda
from memoranda.capture.analysis.failures import failure_in
from memoranda.capture.event import Event, EventKind, EventSource
from memoranda.config import load_settings
from memoranda.errors.model import ErrorType, severity
from memoranda.errors.signature import signature
from memoranda.hook_event import spool
from memoranda.observations.model import Origin
from memoranda.supervision.detector import DEFAULT, WatchedStep, WatchState, share, watch_step
from memoranda.supervision.model import SupervisionSignal

TASKS = 100
AROUND = 8
"""Successful steps of each task."""
FAULTS = (
    ("python lamp.py", "Traceback (most recent call last):\nModuleNotFoundError: No module named"
     " '{mark}'", 1),
    ("pytest -q", "FAILED tests/test_{mark}.py::test_total - assert 3 == 4\n=== 1 failed ===", 1),
    ("make {mark}", "make: *** [{mark}] Error 2", 2),
    ("curl -f http://api.test/{mark}", "curl: (22) The requested URL returned error: 503", 22),
    ("cat {mark}.yaml", "cat: {mark}.yaml: No such file or directory", 1),
    ("{mark}-cli up", "bash: {mark}-cli: command not found", 127),
    ("tsc", "src/{mark}.ts(3,7): error TS2322: Type 'string' is not assignable to 'number'.", 2),
    ("git push origin {mark}", "fatal: unable to access '{mark}': Could not resolve host", 128),
    ("rm -r /srv/{mark}", "rm: cannot remove '/srv/{mark}': Permission denied", 1),
    ("psql -f {mark}.sql", "ERROR:  syntax error at or near \"{mark}\"", 3),
)  # fmt: skip
SHIELD = "stepshield_train_a.jsonl.xz"
RUNS = ("taubench_airline_gpt4o_a.json.xz", "sweagent_traj_a.jsonl.xz")


@dataclass(frozen=True, slots=True)
class Fault:
    """The fault of one task."""

    number: int
    command: str
    output: str
    code: int

    @property
    def mark(self) -> str:
        """The text by which the fault is found again."""
        return f"wick{self.number:03}"

    @property
    def session(self) -> str:
        """The session of its task."""
        return f"task-{self.number:03}"


def faults() -> list[Fault]:
    """Make the faults of all tasks."""
    made = []
    for number in range(TASKS):
        command, output, code = FAULTS[(number // len(ENTRIES)) % len(FAULTS)]
        mark = f"wick{number:03}"
        made.append(Fault(number, command.format(mark=mark), output.format(mark=mark), code))
    return made


# --- entries --------------------------------------------------------------------------------


def by_observe(memory: Memoranda, fault: Fault, folder: Path) -> None:
    """Report the fault in code, through `observe`."""
    memory.observe(
        f"{fault.output}\nexit code {fault.code} {fault.mark}",
        task=fault.session,
        workspace="shop",
        tool="Bash",
        input={"command": fault.command},
        failed=True,
    )


def by_claude_code(memory: Memoranda, fault: Fault, folder: Path) -> None:
    """Report the fault through a hook of Claude Code."""
    _hook(memory, "claude-code", {
        "hook_event_name": "PostToolUseFailure", "session_id": fault.session, "cwd": "/srv/shop",
        "tool_name": "Bash", "tool_input": {"command": fault.command},
        "tool_use_id": f"toolu_{fault.mark}",
        "error": f"Exit code {fault.code}\n{fault.output} {fault.mark}",
    })  # fmt: skip


def by_codex(memory: Memoranda, fault: Fault, folder: Path) -> None:
    """Report it through a hook of Codex, with the exit code in the output."""
    _hook(memory, "codex", {
        "hook_event_name": "PostToolUse", "session_id": fault.session, "cwd": "/srv/shop",
        "turn_id": "t-1", "tool_name": "Bash", "tool_input": {"command": fault.command},
        "tool_use_id": f"call_{fault.mark}",
        "tool_response": f"Exit code: {fault.code}\nWall time: 1s\nOutput:\n{fault.output}"
        f" {fault.mark}",
    })  # fmt: skip


def by_gemini(memory: Memoranda, fault: Fault, folder: Path) -> None:
    """Report the fault through a hook of Gemini CLI."""
    _hook(memory, "gemini-cli", {
        "hook_event_name": "AfterTool", "session_id": fault.session, "cwd": "/srv/shop",
        "timestamp": "2026-08-01T10:00:00Z", "tool_name": "run_shell_command",
        "tool_input": {"command": fault.command},
        "tool_response": {"llmContent": f"Output: {fault.output} {fault.mark}\nExit Code:"
                                        f" {fault.code}", "returnDisplay": ""},
    })  # fmt: skip


def by_cursor(memory: Memoranda, fault: Fault, folder: Path) -> None:
    """Report the fault through a hook of Cursor."""
    _hook(memory, "cursor", {
        "hook_event_name": "postToolUseFailure", "conversation_id": fault.session,
        "generation_id": f"g-{fault.mark}", "workspace_roots": ["/srv/shop"],
        "tool_name": "Shell", "tool_input": {"command": fault.command},
        "tool_use_id": f"use_{fault.mark}", "failure_type": "error",
        "error_message": f"{fault.output} {fault.mark}",
    })  # fmt: skip


def by_transcript(memory: Memoranda, fault: Fault, folder: Path) -> None:
    """Import the fault from a transcript of Claude Code."""
    call = {"type": "tool_use", "id": f"toolu_{fault.mark}", "name": "Bash",
            "input": {"command": fault.command}}  # fmt: skip
    result = {"type": "tool_result", "tool_use_id": call["id"], "is_error": True,
              "content": f"Exit code {fault.code}\n{fault.output} {fault.mark}"}  # fmt: skip
    lines = [
        _line(fault, 1, None, "user", "go on with the lamp"),
        _line(fault, 2, 1, "assistant", [call]),
        _line(fault, 3, 2, "user", [result]),
    ]
    path = folder / f"{fault.session}.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    memory.capture.import_transcript(path, workspace="shop")


def by_hand(memory: Memoranda, fault: Fault, folder: Path) -> None:
    """Record by hand a fault that no tool reported."""
    kind = (ErrorType.HALLUCINATION, ErrorType.CONTEXT_DEGRADATION)[fault.number % 2]
    memory.errors.record(f"relied on {fault.mark}, which is not there", type=kind, workspace="shop")


def by_correction(memory: Memoranda, fault: Fault, folder: Path) -> None:
    """Correct as a person what the agent did in a task."""
    begun = memory.observe("I set it up", type="message", task=fault.session, workspace="shop")
    memory.errors.record(
        f"No, that is wrong: {fault.mark} must not be touched",
        type=ErrorType.INCORRECT_ACTION,
        task=begun.task,
    )


ENTRIES: tuple[Callable[[Memoranda, Fault, Path], None], ...] = (
    by_observe,
    by_claude_code,
    by_codex,
    by_gemini,
    by_cursor,
    by_transcript,
    by_hand,
    by_correction,
)


def _hook(memory: Memoranda, host: str, payload: dict[str, Any]) -> None:
    spool(str(memory.settings.data_dir), host, json.dumps(payload).encode())


def _line(fault: Fault, number: int, parent: int | None, kind: str, content: Any) -> dict[str, Any]:
    return {
        "type": kind,
        "uuid": f"{fault.mark}-{number}",
        "parentUuid": f"{fault.mark}-{parent}" if parent else None,
        "sessionId": fault.session,
        "cwd": "/srv/shop",
        "timestamp": f"2026-08-01T10:00:0{number}Z",
        "message": {"role": kind, "content": content},
    }


def measure_recorded(report: Report, memory: Memoranda, folder: Path, seed: int) -> None:
    """Send each fault among good steps; count those recorded as errors."""
    desk = Desk(f"faults {seed}")
    made = faults()
    for fault in made:
        progress(f"task {fault.number + 1} of {TASKS}")
        memory.capture.take([desk.event(f"around-{fault.number}", f"{n}") for n in range(AROUND)])
        ENTRIES[fault.number % len(ENTRIES)](memory, fault, folder)
    memory.capture.drain(wait=True)
    error = " ".join(memory.errors.show(one.id).content for one in _all_errors(memory))
    recorded: Counter[str] = Counter()
    for fault in made:
        recorded[_entry(fault)] += fault.mark in error
    every = Counter(_entry(fault) for fault in made)
    for name, count in every.items():
        report.add(f"{TASKS} faults, recorded", name, recorded[name], note=f"of {count}")
    report.claim("every fault is recorded", recorded == every)


def _entry(fault: Fault) -> str:
    return ENTRIES[fault.number % len(ENTRIES)].__name__.removeprefix("by_")


def _all_errors(memory: Memoranda) -> Iterator[Any]:
    cursor = None
    while True:
        page = memory.errors.list(limit=200, cursor=cursor)
        yield from page
        cursor = page.cursor
        if cursor is None:
            return


# --- added time -----------------------------------------------------------------------------


def measure_time(report: Report, memory: Memoranda, rounds: int) -> None:
    """Report the extra time of a failing step over a successful one."""
    spent: dict[bool, list[tuple[float, float]]] = {True: [], False: []}
    for number in range(rounds):
        progress(f"pair {number + 1} of {rounds}")
        for failing in (number % 2 == 0, number % 2 == 1):
            event = _step(number, failing)
            wall, cpu = time.perf_counter(), time.thread_time()
            memory.capture.take([event])
            spent[failing].append(
                (1e3 * (time.perf_counter() - wall), 1e3 * (time.thread_time() - cpu))
            )
    section = f"{rounds} pairs of one step, stored one at a time"
    for at, name in enumerate(("wall", "CPU of the writing thread")):
        good, bad = ([one[at] for one in spent[failing]] for failing in (False, True))
        for share_ in (0.5, 0.95):
            note = f"{quantile(bad, share_):.2f} failing, {quantile(good, share_):.2f} well"
            added = quantile(bad, share_) - quantile(good, share_)
            report.add(section, f"added p{100 * share_:.0f}, {name}", added, "ms", note)
    pairs = [bad[1] - good[1] for good, bad in zip(spent[False], spent[True], strict=True)]
    report.add(section, "added p95 of pairs, CPU", quantile(pairs, 0.95), "ms")
    good, bad = ([one[0] for one in spent[failing]] for failing in (False, True))
    report.claim("a failure adds less than 10 ms at p95", quantile(bad, 0.95) - quantile(
        good, 0.95) < 10 and quantile(pairs, 0.95) < 10)  # fmt: skip


def _step(number: int, failing: bool) -> Event:
    ending = "ModuleNotFoundError: No module named 'wick'" if failing else "9 passed in 0.2s"
    lines = "\n".join(f"tests/test_{number}_{line}.py .........." for line in range(40))
    return Event(
        kind=EventKind.TOOL_RESULT,
        host="bench",
        session=f"timed-{number % 5}",
        source=EventSource.API,
        key=f"{number}-{failing}",
        origin=Origin.TOOL,
        tool="Bash",
        input={"command": f"pytest tests/part_{number % 7}"},
        output=f"{lines}\n{ending}",
        failed=failing,
    )


# --- signals --------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Run:
    """A recorded run."""

    good: bool
    outputs: Sequence[str]
    labels: Sequence[bool] = ()


@dataclass(frozen=True, slots=True)
class Seen:
    """The result of watching a run."""

    flagged: int | None
    """The first step that raised a signal."""
    near: float
    """The highest value reached, relative to its limit."""
    failing: float
    """The share of its steps that failed."""


def shield(file: Path) -> Iterator[Run]:
    """Read the runs of StepShield: half of them break a rule.

    The breaking steps are labelled.
    """
    with lzma.open(file, "rt") as lines:
        for line in lines:
            row = json.loads(line)
            steps = row["steps"]
            yield Run(
                row["trajectory_id"].endswith("CLEAN"),
                [step["observation"] or "" for step in steps],
                [step["label"] is not None for step in steps],
            )


def agents(file: Path) -> Iterator[Run]:
    """Read runs of tau-bench or SWE-agent.

    A tau-bench run is good if its reward is 1; all SWE-agent runs count as good.
    """
    with lzma.open(file, "rt") as lines:
        text = lines.read()
    if not text.lstrip().startswith("["):
        for line in text.splitlines():
            steps = json.loads(line)["trajectory"]
            yield Run(True, [step["observation"] for step in steps])
        return
    for row in json.loads(text):
        outputs = [turn["content"] for turn in row["traj"] if turn["role"] == "tool"]
        yield Run(row["reward"] == 1, outputs)


def watch(run: Run) -> Seen:
    """Watch a run step by step, from the text of its outputs alone."""
    state, flagged, near, failed = WatchState(), None, 0.0, 0
    for number, output in enumerate(run.outputs):
        step = WatchedStep(number, str(number), str(number))
        failure = failure_in(output, "Bash", None, None)
        if failure:
            failed += 1
            cause = signature(failure.kind, f"{failure.type or ''}: {failure.message}")
            step = replace(step, signature=cause, severity=severity(failure.kind))
        state, alarms = watch_step(state, step)
        near = max(
            near,
            *(
                share(state, one, DEFAULT)
                for one in (SupervisionSignal.FAILING, SupervisionSignal.SEVERITY)
            ),
        )
        if alarms and flagged is None:
            flagged = number
    return Seen(flagged, near, failed / max(1, len(run.outputs)))


def auc(pairs: Sequence[tuple[bool, float]]) -> float:
    """Return the area under the ROC curve; ties count half."""
    bad = [value for should, value in pairs if should]
    good = [value for should, value in pairs if not should]
    wins = sum((one > other) + 0.5 * (one == other) for one in bad for other in good)
    return wins / max(1, len(bad) * len(good))


def measure_signals(report: Report, data: Path) -> None:
    """Report which runs raise a signal, and how it relates to broken rules."""
    for name in RUNS:
        runs = list(agents(data / name))
        for good, reported in ((True, "went well"), (False, "failed")):
            some = [watch(run) for run in runs if run.good is good]
            if some:
                flagged = sum(one.flagged is not None for one in some)
                title = f"{name.partition('_')[0]}: runs that {reported}, flagged"
                report.add("signals, limits chosen on these runs", title, flagged,
                           note=f"of {len(some)}")  # fmt: skip
                if good:
                    report.claim(f"{name}: at most a fifth flagged", flagged <= 0.2 * len(some))
    runs = list(shield(data / SHIELD))
    seen = [(run, watch(run)) for run in runs]
    section = f"StepShield, {len(runs)} runs"
    for name, value in (
        ("AUC of the signal", lambda one: one.near),
        ("AUC of the failing share", lambda one: one.failing),
    ):
        found = auc([(not run.good, value(one)) for run, one in seen])
        report.add(section, name, found, note="research: .51 for the error share")
    flagged = [(run, one) for run, one in seen if one.flagged is not None]
    for good, reported in ((False, "breaking a rule"), (True, "clean")):
        count = sum(run.good is good for run, _ in flagged)
        report.add(
            section, f"flagged, {reported}", count, note=f"of {sum(r.good is good for r in runs)}"
        )
    near = sum(abs(one.flagged - run.labels.index(True)) <= 1 for run, one in flagged
               if one.flagged is not None and any(run.labels))  # fmt: skip
    report.add(section, "first flag within one step of the first label", near)


def options() -> argparse.Namespace:
    """Read the command line."""
    made = parser(__doc__)
    made.add_argument("--rounds", type=int, default=400, help="pairs of steps that are timed")
    made.add_argument("--data", type=Path, help="a folder with public runs, to watch them")
    return made.parse_args()


def main() -> int:
    """Measure recording, its cost, and signals."""
    chosen = options()
    report = Report("faults", {key: str(value) for key, value in vars(chosen).items()})
    with tempfile.TemporaryDirectory(prefix="memoranda-faults-") as folder:
        place = Path(folder)
        settings = load_settings({"data_dir": place / "data", "embedder": "none"}, {})
        with Memoranda.open(settings=settings) as memory:
            measure_recorded(report, memory, place, chosen.seed)
            measure_time(report, memory, chosen.rounds)
    if chosen.data:
        measure_signals(report, chosen.data)
    progress("")
    return report.finish(as_json=chosen.json)


if __name__ == "__main__":
    sys.exit(main())
