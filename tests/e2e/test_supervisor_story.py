"""An agent goes in circles; its supervisor is told, looks, and says what came of it."""

from __future__ import annotations

from pathlib import Path

import pytest
from commands import ask, invoke

from memoranda import Memoranda

pytestmark = pytest.mark.e2e

RAISED = "1 intervention raised: memoranda supervisor list"
OUTPUT = "Traceback (most recent call last):\nModuleNotFoundError: No module named 'wick'"


@pytest.fixture(autouse=True)
def _nobody_set_anything(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))


def circle(data_dir: Path, times: int = 3) -> str:
    """Have an agent fail in the same way again and again; returns its task."""
    with Memoranda.open(data_dir) as memory:
        for number in range(times):
            step = {"command": "python lamp.py"}
            seen = memory.observe(
                OUTPUT, task="lamp", workspace="shop", tool="Bash", input=step, failed=True
            )
            memory.observe(f"looked at part {number}", task="lamp", workspace="shop")
        memory.capture.drain(wait=True)
        return seen.task


def test_a_supervisor_is_notified_looks_and_records_the_outcome(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data_dir = tmp_path / "data"
    ask(
        data_dir, "remember", "Light one lamp first", "--category", "pattern", "--workspace", "shop"
    )
    task = circle(data_dir)
    monkeypatch.setenv("MEMORANDA_AGENT_ID", "bob")
    assert RAISED not in invoke(data_dir, "stats").err  # an agent is not the one to be told
    monkeypatch.delenv("MEMORANDA_AGENT_ID")
    assert RAISED in invoke(data_dir, "stats").err
    assert RAISED not in invoke(data_dir, "stats").err  # once
    (one,) = ask(data_dir, "supervisor", "list", "--state", "open")["items"]
    assert (one["signal"], one["task"]) == ("same_error", task)

    output = invoke(data_dir, "supervisor", "context", "--task", task, "--budget", "600")
    assert output.out.index("<errors-to-avoid>") < output.out.index("<task-progress>")
    assert "No module named &#x27;wick&#x27;" in output.out or "wick" in output.out
    assert f"memoranda supervisor outcome {one['id'][:18]}" in output.err
    done = ask(data_dir, "supervisor", "outcome", one["id"], "--helped", "--note", "showed it")
    assert (done["intervention"]["state"], len(done["rated"])) == ("closed", 1)
    again = invoke(data_dir, "supervisor", "outcome", one["id"], "--hurt")
    assert again.code == 4
    assert "add --correct" in again.err
    assert invoke(data_dir, "supervisor", "outcome", one["id"], "--hurt", "--correct").code == 0
    assert "nothing found" in invoke(data_dir, "supervisor", "list", "--state", "open").out


def test_an_error_is_recorded_shown_and_resolved(tmp_path: Path) -> None:
    data_dir = tmp_path / "data"
    task = circle(data_dir, times=1)
    result = ask(
        data_dir, "errors", "record", "made up a --lit flag", "--type", "hallucination",
        "--task", task, "--severity", "0.9",
    )  # fmt: skip
    listed = invoke(data_dir, "errors", "list", "--task", task).out
    assert "made up a --lit flag" in listed
    assert "No module named" in listed
    shown = invoke(data_dir, "errors", "show", result["id"]).out
    assert "hallucination" in shown
    assert "0.9" in shown
    ended = invoke(data_dir, "errors", "resolve", "1#1", "the wick was in the drawer")
    assert ended.out == "1#1  resolved by: the wick was in the drawer\n"
    assert ask(data_dir, "errors", "list", "--open", "--task", task)["items"] == [result]
    whole = invoke(data_dir, "errors", "show", "1#1").out
    assert "Traceback (most recent call last):" in whole
    assert "the wick was in the drawer" in whole


@pytest.mark.parametrize(
    ("line", "code"),
    [
        (("errors", "record", "x", "--type", "mistake", "--workspace", "shop"), 2),
        (("errors", "record", "x", "--type", "test", "--severity", "7", "--workspace", "shop"), 2),
        (("errors", "record", "x", "--type", "test", "--task", "#9"), 3),
        (("errors", "record", "x", "--type", "test"), 2),
        (("errors", "show", "9#9"), 3),
        (("errors", "resolve", "9#9", "x"), 3),
        (("supervisor", "context", "--metrics", "nonsense"), 2),
        (("supervisor", "context", "--metrics", '{"error_rate": "high"}'), 2),
        (("supervisor", "context", "--metrics", '{"mood": 1}'), 2),
        (("supervisor", "outcome", "nonesuch"), 2),
        (("supervisor", "outcome", "nonesuch", "--helped"), 3),
    ],
)
def test_what_makes_no_sense_is_complained_about(
    tmp_path: Path, line: tuple[str, ...], code: int
) -> None:
    data_dir = tmp_path / "data"
    ask(data_dir, "remember", "there is something", "--workspace", "shop")
    before = ask(data_dir, "journal", "list")
    output = invoke(data_dir, *line, "--format", "json")
    assert output.code == code
    assert output.error["message"]
    assert ask(data_dir, "journal", "list") == before
