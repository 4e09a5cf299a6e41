"""The coherence benchmark finds wrong contexts, and no others."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"
sys.path.insert(0, str(BENCHMARKS))

from measuring.coherence_checks import KINDS, ReportedText, violations  # noqa: E402
from measuring.moments import Moment, Step  # noqa: E402

sys.path.remove(str(BENCHMARKS))  # the tests have modules of the same names

FAILED = Step("tool", "Error: Exit code 1\n1 failed", "pytest -q", '{"command": "pytest -q"}', True)
PASSED = Step("tool", "9 passed", "ruff check . && pytest -q", "{}")
SAID = Step("user", "Prices are whole cents everywhere & never floats, <b>please</b>")
CORRECTED = {"text": "whole cents", "keys": [["cents"]]}
BLOCK = "Answers in short sentences."


def told(
    *lines: str,
    section: str = "errors-to-avoid",
    budget: int = 2_000,
    steps: tuple[Step, ...] = (),
    resolved: tuple[dict[str, Any], ...] = (),
) -> list[str]:
    """Return the kinds of violations of a context with some lines."""
    body = "\n".join(["[tool 2026-11-25 task 1]", *(f"#1 {line}" for line in lines)])
    text = f'<memoranda-context id="0">\n<{section}>\n{body}\n</{section}>\n</memoranda-context>'
    steps = (SAID, FAILED, PASSED, *steps)
    moment = Moment("made", "1/1", {}, steps, resolved, [CORRECTED])
    count = len(text.split())
    context = ReportedText(
        text, count, budget, moment, [BLOCK], 10_000, lambda one: len(one.split())
    )
    return [one.kind for one in violations(context)]


WELL = (BLOCK, "Prices are whole cents everywhere & never floats, <b>please</b>")


def test_a_context_that_is_right_has_no_violation() -> None:
    assert told(*WELL) == []


@pytest.mark.parametrize(
    ("line", "kind"),
    [
        ("Still failing: pytest -q → 1 failed", 0),
        ("Prices are whole cents everyw…", 1),
        ('Read {"file_path":"/srv/a.py"} x', 2),
        ('answer {"a": {"b": 1', 2),
        ("never floats, &lt;b&gt;please&lt;/b&gt;", 3),
    ],
)
def test_a_line_that_is_wrong_is_found(line: str, kind: int) -> None:
    assert told(*WELL, line) == [KINDS[kind]]


def test_an_annotated_ending_is_confirmed_by_a_later_run() -> None:
    line = "Still failing: tflint --init → init: 503"
    failed = Step("tool", "init: 503", "tflint --init && plan.sh", "{}", True)
    resolved = ({"keys": [["init"]]},)
    assert told(*WELL, line, steps=(failed,), resolved=resolved) == []
    again = Step("tool", "", "tflint --chdir=envs", "{}")
    assert told(*WELL, line, steps=(failed, again), resolved=resolved) == [KINDS[0]]


def test_resolved_facts_may_be_reported_as_over_and_tags_may_be_escaped() -> None:
    assert told(*WELL, "Failed, then fixed: pytest -q → 1 failed", "&lt;/memories> x") == []


def test_a_context_over_its_budget_or_without_what_had_room_is_found() -> None:
    assert told(*WELL, budget=5) == [KINDS[5]]
    assert told("Last said: fine") == [KINDS[6], KINDS[7]]


def test_the_bench_counts_and_names_what_it_finds() -> None:
    command = [sys.executable, str(BENCHMARKS / "coherence.py"), "--json"]
    command += ["--budgets", "200,1000", "--moments", "1", "--only", "kiln"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    found = json.loads(done.stdout)
    assert found["figures"]["contexts"]["built"]["value"] == 8
    assert set(found["claims"]) == {f"no context: {kind}" for kind in KINDS}
