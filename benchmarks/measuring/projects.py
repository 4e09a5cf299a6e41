"""Recorded projects: sessions of a coding agent with annotations.

A project is a JSON file. ``sessions`` have ``start``, ``cwd``, ``steps`` (``user``, ``assistant``,
or ``tool`` with ``input`` and ``output``) and ``gold`` (items by kind). ``probe`` lists the items
that the next session should get, and those that a newer one replaced. An item has ``keys``: groups
of alternatives; a line contains it if it has at least one alternative of each group.
"""

from __future__ import annotations

import json
import lzma
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

LASTING = ("critical", "standing", "profile")
"""Parts of section names that mark lasting statements."""
OVER = ("fixed", "passed", "resolved", "ended", "over ", "now works")
"""Words that mark a failure as resolved."""
OUTPUT = 4_000
"""Maximum characters of an output in a run added as a later session."""
Spoken = Sequence[tuple[str, str]]
"""Lines of a context, each with the name of its section."""


@dataclass(frozen=True, slots=True)
class Project:
    """A recorded project."""

    name: str
    sessions: Sequence[dict[str, Any]]
    items: dict[str, dict[str, Any]]
    wanted: Sequence[str]
    replaced: Sequence[str]

    @classmethod
    def read(cls, path: Path) -> Project:
        """Read a project's file."""
        found = json.loads(path.read_text("utf-8"))
        items = {
            f"{session['id']}.{item['id']}": {"kind": kind, "keys": keys_of(item)}
            for session in found["sessions"]
            for kind, group in session["gold"].items()
            for item in group
            if "id" in item
        }
        probe = found["probe"]
        return cls(path.stem, found["sessions"], items, probe["told"], probe["superseded"])

    def later(self, runs: Path, count: int) -> list[dict[str, Any]]:
        """Return recorded runs of SWE-agent as later sessions, a day apart.

        They are in the same folder.
        """
        begun = datetime.fromisoformat(self.sessions[-1]["start"])
        with lzma.open(runs, "rt") as file:
            found = [json.loads(line) for line, _ in zip(file, range(count), strict=False)]
        return [
            {
                "id": f"later{number}",
                "cwd": self.sessions[0]["cwd"],
                "start": (begun + timedelta(days=number)).isoformat(),
                "steps": list(_steps(run)),
            }
            for number, run in enumerate(found, 1)
        ]


def keys_of(item: dict[str, Any]) -> list[list[str]]:
    """Return the groups of alternatives of an item."""
    return item.get("keys") or item["error_keys"] + item["fix_keys"]


def tells(keys: Sequence[Sequence[str]], line: str) -> bool:
    """Return whether a line contains an item."""
    low = line.lower()
    return all(any(one.lower() in low for one in group) for group in keys)


def figures(project: Project, lines: Spoken) -> dict[str, float]:
    """Return shares of items in lines: wanted, in the first ten, and wrong.

    Wrong are replaced items without the newer one, momentary orders as lasting, and resolved
    failures as failing.
    """
    keys = {name: item["keys"] for name, item in project.items.items()}
    covered = {name for name in project.wanted if any(tells(keys[name], t) for _, t in lines)}
    newer = [keys[name] for name in project.wanted]
    stale = [
        name
        for name in project.replaced
        if (mine := [t for _, t in lines if tells(keys[name], t)])
        and not any(tells(one, t) for t in mine for one in newer)
    ]
    lasting = [t for section, t in lines if any(part in section for part in LASTING)]
    failing = [t for s, t in lines if "error" in s and not any(w in t.lower() for w in OVER)]
    one_off, over = _named(project, "one_off"), _named(project, "resolved")
    return {
        "told": len(covered) / len(project.wanted),
        "told10": len(covered.intersection(project.wanted[:10])) / min(10, len(project.wanted)),
        "stale": len(stale) / max(1, len(project.replaced)),
        "one-off": _share(one_off, lasting),
        "still": _share(over, failing),
    }


def pasted(sessions: Sequence[dict[str, Any]], budget: int) -> list[tuple[str, str]]:
    """Return the control: the person's messages, newest first, to a budget.

    A token is four characters.
    """
    lines, room = [], 4 * budget
    for session in reversed(sessions):
        for step in reversed(session["steps"]):
            if "user" in step and room > 0:
                text = " ".join(step["user"].split())[: min(600, room)]
                lines.append(("messages", text))
                room -= len(text)
    return lines


def write_transcript(session: dict[str, Any], number: int, folder: Path) -> Path:
    """Write a session as Claude Code does; return the file."""
    name = f"5e55{number:04d}-0000-4000-8000-000000000001"
    common = {"isSidechain": False, "userType": "external", "cwd": session["cwd"]}
    common |= {"sessionId": name, "version": "2.1.331", "gitBranch": "main"}
    at = datetime.fromisoformat(session["start"])
    lines = []
    for place, (kind, message) in enumerate(_messages(session["steps"])):
        row = {"type": kind, "message": message, "uuid": f"{name[:8]}-{place:04d}-4000-8000-1"}
        row["timestamp"] = (at + timedelta(seconds=10 * place)).isoformat()
        lines.append(json.dumps(common | row, ensure_ascii=False))
    path = folder / f"{name}.jsonl"
    path.write_text("\n".join(lines) + "\n", "utf-8")
    return path


def _messages(steps: Sequence[dict[str, Any]]) -> Iterator[tuple[str, dict[str, Any]]]:
    for number, step in enumerate(steps):
        if "user" in step:
            yield "user", {"role": "user", "content": step["user"]}
        elif "assistant" in step:
            yield "assistant", _spoken(number, {"type": "text", "text": step["assistant"]})
        else:
            use = {"type": "tool_use", "id": f"toolu_{number:05d}", "name": step["tool"]}
            yield "assistant", _spoken(number, use | {"input": step["input"]})
            result = {"type": "tool_result", "tool_use_id": use["id"], "content": step["output"]}
            result |= {"is_error": True} if step.get("error") else {}
            yield "user", {"role": "user", "content": [result]}


def _spoken(number: int, content: dict[str, Any]) -> dict[str, Any]:
    usage = {"input_tokens": 10, "output_tokens": 50}
    return {"id": f"msg_{number:05d}", "role": "assistant", "content": [content], "usage": usage}


def _steps(run: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield {"user": f"Please fix {Path(run['file']).name.partition('.')[0]} next."}
    for step in run["trajectory"]:
        if step["thought"].strip():
            yield {"assistant": step["thought"].strip()}
        if command := step["action"].strip():
            yield {
                "tool": "Bash",
                "input": {"command": command},
                "output": step["observation"][:OUTPUT],
            }


def _named(project: Project, kind: str) -> list[list[list[str]]]:
    return [item["keys"] for item in project.items.values() if item["kind"] == kind]


def _share(items: Sequence[Sequence[Sequence[str]]], lines: Sequence[str]) -> float:
    result = sum(any(tells(keys, line) for line in lines) for keys in items)
    return result / max(1, len(items))
