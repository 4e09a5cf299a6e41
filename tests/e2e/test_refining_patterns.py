"""A person has what keeps failing put into plain words, on the command line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from commands import CommandOutput, ask, forked

from language_servers import LanguageServer

pytestmark = pytest.mark.e2e

ERROR = "ModuleNotFoundError: No module named 'tabulate'"
NAME = "No module named 'tabulate' in python -m report"
MENDS = "When `python -m report` gives No module named 'tabulate', first `pip install tabulate`."


def sessions(data_dir: Path, count: int) -> None:
    """Import sessions that failed in the same way and mended it."""
    steps = [
        {"kind": "tool_result", "tool": "Bash", "input": {"command": "python -m report"},
         "output": ERROR, "failed": True},
        {"kind": "tool_result", "tool": "Bash", "input": {"command": "pip install tabulate"},
         "output": "done"},
        {"kind": "tool_result", "tool": "Bash", "input": {"command": "python -m report"},
         "output": "41 rows"},
    ]  # fmt: skip
    for number in range(count):
        where = {"session": f"s{number}", "cwd": str(data_dir.parent)}
        path = data_dir.parent / f"{number}.jsonl"
        path.write_text("".join(json.dumps(step | where) + "\n" for step in steps))
        ask(data_dir, "import", str(path))


def answer(text: str) -> dict[str, Any]:
    refs = list(dict.fromkeys(line.partition(" ")[0] for line in text.split("\n")))
    return {"name": {"text": NAME, "refs": refs}, "prevention": {"text": MENDS, "refs": refs}}


def test_patterns_are_described_in_plain_text_for_a_reported_price(tmp_path: Path) -> None:
    data_dir = tmp_path / "data"
    sessions(data_dir, 3)
    plain = forked(data_dir, "errors", "refine")
    assert (plain.code, "no language model is configured" in plain.err) == (0, True)
    assert "python -m report \u2192 41 rows" in plain.out
    with LanguageServer(reply=answer) as server:
        variables = {
            "MEMORANDA_LANGUAGE_MODEL": "compatible:small",
            "MEMORANDA_LANGUAGE_BASE_URL": server.url,
            "MEMORANDA_LANGUAGE_PRICES": "small=1/2",
        }

        def refine(*words: str) -> CommandOutput:
            return forked(data_dir, "errors", "refine", *words, **variables)

        result = refine()
        assert (result.code, result.err) == (0, "")
        assert NAME in result.out
        assert MENDS in result.out
        assert "compatible:small" in result.out
        (one,) = refine("--format", "json").json
        assert one["pattern"]["count"] == 3
        assert (one["cost"], len(server.requests)) == (0, 1)
        forked(data_dir, "budget", "set", "0")
        assert NAME in refine("--format", "md").out
    (spent,) = ask(data_dir, "cost", "report", "--by", "operation")
    assert spent["name"] == "refine"
    (measured,) = ask(data_dir, "errors", "patterns")
    assert measured == one["pattern"]
