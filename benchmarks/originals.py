"""Import files written by other memory systems twice; compare the content.

    scripts/bench originals FOLDER

The folder has the output of the programs in benchmarks/originals, each made with its system's own
code: claude-mem.db, history.db and mem0.json, memory.jsonl, guide.af. Missing files are skipped.
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from measuring.report import Report, parser
from memoranda import Memoranda
from memoranda.config import load_settings
from memoranda.integrations.exports import export_mcp_memory
from memoranda.integrations.imports.runner import ForeignReport, import_foreign
from memoranda.observations.table import ObservationFilter

EVERY = ObservationFilter(with_repeats=True)
PLACE = "here"
Checked = Mapping[str, bool]


def main(arguments: Sequence[str] | None = None) -> int:
    """Import the existing files and check the result."""
    options = parser(__doc__)
    options.add_argument("folder", type=Path)
    values = options.parse_args(arguments)
    report = Report("originals", vars(values))
    for name, check in CHECKS.items():
        path: Path = values.folder / name
        if path.is_file():
            _compare(report, path, check)
    return report.finish(as_json=values.json)


def _compare(report: Report, path: Path, check: Callable[[Memoranda, Path], Checked]) -> None:
    before, beside = _digest(path), sorted(path.parent.iterdir())
    with _empty() as memory:
        first = import_foreign(memory, path, workspace=PLACE, trust=True)
        again = import_foreign(memory, path, workspace=PLACE, trust=True)
        for what, passed in check(memory, path).items():
            report.claim(f"{path.name}: {what}", passed)
    report.add(path.name, "came in", _count(first), note=f"left out: {dict(first.left_out)}")
    report.claim(f"{path.name}: a second import adds nothing", _count(again) == 0)
    same = _digest(path) == before and sorted(path.parent.iterdir()) == beside
    report.claim(f"{path.name}: the file and its folder are as they were", same)


@contextmanager
def _empty() -> Iterator[Memoranda]:
    with tempfile.TemporaryDirectory() as folder:
        settings = load_settings({"data_dir": Path(folder), "embedder": "none"}, {})
        with Memoranda.open(settings=settings) as memory:
            yield memory


def _count(report: ForeignReport) -> int:
    return report.intake.observations + sum(report.added.values())


def _digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def _contents(memory: Memoranda) -> list[str]:
    """Return all observations in full."""
    return [
        memory.observations.show(one.id).content
        for task in memory.tasks.list(limit=500)
        for one in memory.observations.list(task=task.id, where=EVERY, limit=500)
    ]


def _claude_mem(memory: Memoranda, path: Path) -> Checked:
    database = sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro&immutable=1", uri=True)
    try:
        seen = database.execute("select title, narrative, facts from observations").fetchall()
        prompts = [row[0] for row in database.execute("select prompt_text from user_prompts")]
        summaries = [row[0] for row in database.execute("select learned from session_summaries")]
        (sessions,) = database.execute("select count(*) from sdk_sessions").fetchone()
    finally:
        database.close()
    ours = _contents(memory)
    whole = all(
        any(all(part in one for part in (title, message, *json.loads(facts))) for one in ours)
        for title, message, facts in seen
    )
    return {
        "as many sessions": len(list(memory.tasks.list(limit=500))) == sessions,
        "as many prompts, observations and summaries": len(ours)
        == len(seen) + len(prompts) + len(summaries),
        "every prompt word for word": set(prompts) <= set(ours),
        "every observation with its facts": whole,
    }


def _mem0_history(memory: Memoranda, path: Path) -> Checked:
    theirs = json.loads((path.parent / "mem0.json").read_text("utf-8"))["results"]
    ours = list(memory.memories.list(limit=500))
    database = sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro&immutable=1", uri=True)
    (changes,) = database.execute("select count(*) from history where event = 'UPDATE'").fetchone()
    database.close()
    versions = sum(
        1 for one in ours for old in memory.memories.history(one.id) if "Fact" in old.state.content
    )
    return {
        "the texts that get_all gives": sorted(one.content for one in ours)
        == sorted(one["memory"] for one in theirs),
        "a version for each change": versions == changes,
    }


def _mem0_export(memory: Memoranda, path: Path) -> Checked:
    theirs = json.loads(path.read_text("utf-8"))["results"]
    ours = {one.content: set(one.tags) for one in memory.memories.list(limit=500)}
    owned = all(
        {f"user:{one['user_id']}", f"topic:{one['metadata']['topic']}"} <= ours[one["memory"]]
        for one in theirs
    )
    return {"the same texts": len(ours) == len(theirs), "owners and metadata as tags": owned}


def _graph(memory: Memoranda, path: Path) -> Checked:
    with tempfile.TemporaryDirectory() as folder:
        back = Path(folder) / "back.jsonl"
        export_mcp_memory(memory, back, workspace=PLACE)
        return {"exported again, line for line the same": _lines(back) == _lines(path)}


def _lines(path: Path) -> list[str]:
    found = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    return sorted(json.dumps(one, sort_keys=True) for one in found)


def _letta(memory: Memoranda, path: Path) -> Checked:
    file: dict[str, Any] = json.loads(path.read_text("utf-8"))
    messages = [
        "".join(part["text"] for part in one["content"])
        for one in file["agents"][0]["messages"]
        if one["role"] != "system"
    ]
    ours = {
        one.label: (one.value, one.limit, one.read_only)
        for one in memory.blocks.list(workspace=PLACE)
    }
    theirs = {
        one["label"]: (one["value"], one["limit"], one["read_only"]) for one in file["blocks"]
    }
    return {"the same blocks": ours == theirs, "the same messages": _contents(memory) == messages}


CHECKS: Mapping[str, Callable[[Memoranda, Path], Checked]] = {
    "claude-mem.db": _claude_mem,
    "history.db": _mem0_history,
    "mem0.json": _mem0_export,
    "memory.jsonl": _graph,
    "guide.af": _letta,
}

if __name__ == "__main__":
    raise SystemExit(main())
