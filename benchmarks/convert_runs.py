"""Convert public agent runs into generic events, one file per run.

    python benchmarks/convert_runs.py FILE OUT_DIR

Reads SWE-agent runs (``*.jsonl.xz``, one run per line) and tau-bench runs (``*.json.xz``, one list
of runs); the format is detected from the content. Prints one JSON object per run and one for the
total. Generic events are described in docs/generic-events.md.
"""

from __future__ import annotations

import json
import lzma
import re
import sys
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Any

USAGE = "usage: python benchmarks/convert_runs.py FILE OUT_DIR"


@dataclass(slots=True)
class Run:
    """One run as a list of generic records."""

    name: str
    host: str
    records: list[dict[str, Any]] = field(default_factory=list)

    def add(self, kind: str, **fields: Any) -> None:
        """Append a record; fields that are None are left out."""
        values = {name: value for name, value in fields.items() if value is not None}
        self.records.append({"kind": kind, "host": self.host, **values})

    def text(self) -> str:
        """Return the records as lines, with the run's name as their session."""
        return "".join(f"{dump({**record, 'session': self.name})}\n" for record in self.records)

    def counts(self) -> dict[str, Any]:
        """Return the number of records by kind, of failures and of characters."""
        kinds = Counter(record["kind"] for record in self.records)
        return {
            "run": self.name,
            "events": len(self.records),
            **dict(sorted(kinds.items())),
            "failed": sum(record.get("failed") is True for record in self.records),
            "pending": sum("pending" in record.get("tags", ()) for record in self.records),
            "characters": len(self.text()),
        }


def dump(value: Any) -> str:
    """Write JSON on one line."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def load(path: Path) -> list[dict[str, Any]]:
    """Read all runs of a JSON list or JSON lines file, compressed or not."""
    raw = lzma.decompress(path.read_bytes()) if path.suffix == ".xz" else path.read_bytes()
    text = raw.decode("utf-8")
    if text.lstrip().startswith("["):
        runs: list[dict[str, Any]] = json.loads(text)
        return runs
    return [json.loads(line) for line in text.split("\n") if line.strip()]


def convert(source: dict[str, Any]) -> Run:
    """Convert one run of either kind.

    Raises:
        ValueError: the object is neither.
    """
    if isinstance(source.get("trajectory"), list):
        return swe_agent_run(source)
    if isinstance(source.get("traj"), list):
        return tau_bench_run(source)
    raise ValueError("a run has neither 'trajectory' (SWE-agent) nor 'traj' (tau-bench)")


def swe_agent_run(source: dict[str, Any]) -> Run:
    """Convert the thought, action and observation of each SWE-agent step.

    The exit status ends the task.
    """
    file = PurePosixPath(source["file"])
    run = Run(_safe(f"{file.parent.name}-{file.stem}"), "swe-agent")
    run.add("task_start", id="start", text=file.stem)
    for number, step in enumerate(source["trajectory"], 1):
        message = (step.get("thought") or "").strip()
        if message:
            run.add("message", id=f"thought-{number}", origin="agent", text=message)
        action = (step.get("action") or "").strip()
        if action:
            run.add(
                "tool_result",
                id=f"step-{number}",
                tool="shell",
                input={"command": action},
                output=step.get("observation"),
            )
    run.add("task_end", id="end", text=str(source["info"].get("exit_status")))
    return run


def tau_bench_run(source: dict[str, Any]) -> Run:
    """Convert a conversation with tool calls; the reward ends the task."""
    run = Run(f"task-{source['task_id']}-trial-{source['trial']}", "tau-bench")
    run.add("task_start", id="start")
    for number, message in enumerate(source["traj"]):
        if message["role"] != "tool":
            _add_message(run, number, message)
        for call in message.get("tool_calls") or ():
            _add_call(run, number, call, _result_after(source["traj"][number + 1 :], call["id"]))
    run.add("task_end", id="end", text=f"reward {source['reward']}")
    return run


def _add_message(run: Run, number: int, message: dict[str, Any]) -> None:
    origin = {"user": "human", "assistant": "agent"}.get(message["role"], "generated")
    if message.get("content"):
        run.add("message", id=f"message-{number}", origin=origin, text=message["content"])


def _result_after(messages: list[dict[str, Any]], call_id: str) -> dict[str, Any] | None:
    return next((found for found in messages if found.get("tool_call_id") == call_id), None)


def _add_call(run: Run, number: int, call: dict[str, Any], result: dict[str, Any] | None) -> None:
    output = result.get("content") if result else None
    # The environment reports a refused or broken call only in the text of its answer.
    failed = isinstance(output, str) and output.startswith("Error:")
    run.add(
        "tool_result",
        # The model's cache repeats ids within a run, so the position is part of the id.
        id=f"{call['id']}-{number}",
        tool=call["function"]["name"],
        input=json.loads(call["function"]["arguments"]),
        output=output,
        failed=failed or None,
        tags=None if result else ["pending"],
    )


def _safe(name: str) -> str:
    return re.sub(r"[^A-Za-z0-9._-]+", "-", name)


def name_apart(runs: list[Run]) -> None:
    """Number the runs that share a name, as repeated instances do."""
    seen: Counter[str] = Counter()
    for run in runs:
        seen[run.name] += 1
        if seen[run.name] > 1:
            run.name = f"{run.name}-{seen[run.name]}"


def main(arguments: list[str]) -> int:
    """Convert a file and print the counts."""
    if len(arguments) != 2:
        print(USAGE, file=sys.stderr)
        return 2
    source, target = Path(arguments[0]), Path(arguments[1])
    target.mkdir(parents=True, exist_ok=True)
    total: Counter[str] = Counter()
    runs = [convert(run) for run in load(source)]
    name_apart(runs)
    for run in runs:
        (target / f"{run.name}.jsonl").write_text(run.text(), encoding="utf-8")
        counts = run.counts()
        print(dump(counts))
        total["runs"] += 1
        total.update({key: value for key, value in counts.items() if key != "run"})
    print(dump({"total": dict(total)}))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
