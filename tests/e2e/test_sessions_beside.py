"""Sessions at work beside each other in one repository: each goes on with its own task."""

from __future__ import annotations

import json
import os
import re
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest
from commands import SOURCES, forked

pytestmark = pytest.mark.e2e

TASKS = re.compile(
    r"^- (?:\[[^]]*\] )?(\w+ task) \(active, \d+ observations?\): (.*) \(task \d+\)$", re.MULTILINE
)
RULE = "Never edit ledger.csv by hand."


class Repository:
    """A repository in which Claude Code runs the hooks that were installed."""

    def __init__(self, home: Path) -> None:
        self.data = home / "data"
        self.folder = home / "shop"
        (self.folder / ".git").mkdir(parents=True)
        installed = forked(
            self.data, "install", "claude-code", "--scope", "project", cwd=self.folder
        )
        assert installed.code == 0, installed
        settings = json.loads((self.folder / ".claude" / "settings.local.json").read_text("utf-8"))
        self._hooks: dict[str, list[dict[str, Any]]] = settings["hooks"]

    def happens(self, session: str, name: str, occasion: str = "", **more: Any) -> str:
        """Run what is installed for an event, as the host does; return what the agent is told."""
        event = {"session_id": session, "hook_event_name": name, "cwd": str(self.folder)} | more
        plain = {name: value for name, value in os.environ.items() if "MEMORANDA" not in name}
        text = ""
        for group in self._hooks[name]:
            if not re.fullmatch(group.get("matcher", "").replace("*", ".*"), occasion):
                continue
            for hook in group["hooks"]:
                done = subprocess.run(
                    ["sh", "-c", hook["command"]],
                    input=json.dumps(event).encode(),
                    capture_output=True,
                    env=plain | {"MEMORANDA_DATA_DIR": str(self.data), "PYTHONPATH": SOURCES},
                    timeout=30,
                    check=False,
                )
                assert (done.returncode, done.stderr) == (0, b"")
                text += done.stdout.decode()
        return text

    def prompt(self, session: str, text: str) -> None:
        self.happens(session, "UserPromptSubmit", prompt=text)

    def begin(self, session: str, source: str) -> str:
        """Return the context that a session is given."""
        result = self.happens(session, "SessionStart", source, source=source)
        text: str = json.loads(result)["hookSpecificOutput"]["additionalContext"]
        return text

    def drain(self) -> None:
        """Take in what happened; no hook does so by itself meanwhile."""
        assert forked(self.data, "drain", "--quiet", cwd=self.folder).code == 0
        mark = self.data / "spool" / ".drain"
        mark.touch()
        later = time.time() + 3_600
        os.utime(mark, (later, later))


@pytest.fixture
def shop(tmp_path: Path) -> Repository:
    """Three sessions at work; the one that began first is about to be compacted."""
    shop = Repository(tmp_path)
    shop.drain()
    shop.prompt("A1", f"AAAA refactor the invoice parser. {RULE}")
    shop.drain()
    shop.prompt("B1", "BBBB write the release notes")
    shop.drain()
    shop.happens("A1", "PreCompact", trigger="auto")
    used = {"tool_name": "Bash", "tool_input": {"command": "ls"}, "tool_use_id": "toolu_1"}
    shop.happens("P1", "PostToolUse", "Bash", tool_response={"stdout": "pyproject.toml"}, **used)
    shop.drain()
    return shop


def test_a_compacted_session_gets_its_own_task_as_current(shop: Repository) -> None:
    result = shop.begin("A1", "compact")
    tasks = {goal: label for label, goal in TASKS.findall(result)}
    assert tasks[f"AAAA refactor the invoice parser. {RULE}"] == "Current task"
    assert tasks["BBBB write the release notes"] == "Earlier task"
    assert set(tasks.values()) == {"Current task", "Earlier task"}  # P1 has no goal: no line
    assert RULE in result[result.index("<critical-facts>") : result.index("</critical-facts>")]


def test_each_of_them_goes_on_with_its_own(shop: Repository) -> None:
    assert TASKS.findall(shop.begin("B1", "compact"))[0] == (
        "Current task",
        "BBBB write the release notes",
    )
    others = TASKS.findall(shop.begin("P1", "compact"))  # it has no goal, so no line of its own
    assert {label for label, _ in others} == {"Earlier task"}


def test_no_task_without_a_goal_leads_the_context_of_a_new_session(shop: Repository) -> None:
    tasks = TASKS.findall(shop.begin("new", "startup"))
    assert tasks[0] == ("Earlier task", f"AAAA refactor the invoice parser. {RULE}")
