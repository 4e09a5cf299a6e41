"""Answers of commands name what to do next, in plain text, never in Python's notation."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from commands import ask, invoke

from memoranda import Memoranda

EXPORT = {
    "results": [
        {"id": "m1", "memory": "Port 81", "user_id": "u", "created_at": "2025-01-01T00:00:00Z"}
    ]
}
"""An export of another memory system."""


@pytest.fixture
def data(tmp_path: Path) -> Path:
    return tmp_path / "data"


def test_a_restore_without_a_version_names_the_command_that_lists_them(data: Path) -> None:
    id = ask(data, "remember", "Port 81", "--everywhere")["id"]
    refused = invoke(data, "memory", "restore", id)
    assert refused.code == 2
    assert f"memoranda memory history {id}" in refused.err
    assert f"memoranda memory history {id}" in invoke(data, "memory", "restore", id, "7").err


def test_a_restore_to_before_an_approval_is_refused_and_names_archive(data: Path) -> None:
    with Memoranda.open(data, agent="bot") as memory:
        id = memory.remember("Port 81").id
    assert invoke(data, "pending", "approve-all", "--yes").code == 0
    refused = invoke(data, "memory", "restore", id, "1")
    assert refused.code == 2
    assert f"memoranda memory archive {id}" in refused.err
    ask(data, "memory", "edit", id, "--content", "Port 82")
    restored = invoke(data, "memory", "restore", id, "1")
    assert (restored.code, restored.out) == (0, f"{id} restored to version 1: Port 81\n")
    assert ask(data, "memory", "show", id)["memory"]["status"] == "approved"


@pytest.mark.parametrize("amount", ["-5", "-12.5"])
def test_a_budget_below_zero_is_no_unknown_option(data: Path, amount: str) -> None:
    refused = invoke(data, "budget", "set", amount)
    assert (refused.code, "no number may be below 0" in refused.err) == (2, True)


def test_an_alert_is_a_fraction_and_the_message_names_the_option(data: Path) -> None:
    refused = invoke(data, "budget", "set", "2", "--alert", "50")
    assert refused.code == 2
    assert "--alert-share / --alert must be a fraction from 0.01 to 1, not 50" in refused.err
    assert invoke(data, "budget", "set", "2", "--alert", "0.5").code == 0


def test_a_budget_is_accepted_as_the_page_accepts_it(data: Path) -> None:
    assert "$2,000.50" in invoke(data, "budget", "set", "$2,000.5").out
    refused = invoke(data, "budget", "set", "lots")
    assert (refused.code, "'lots' is no amount in dollars" in refused.err) == (2, True)


def test_details_and_truths_are_text(data: Path) -> None:
    id = ask(data, "remember", "Port 81", "--workspace", "shop")["id"]
    assert invoke(data, "promote", id).code == 0
    assert invoke(data, "demote", id, "--workspace", "shop").code == 0
    journal = invoke(data, "journal", "list").out
    assert "act demote, " in journal
    assert "critical no" in journal
    drained = invoke(data, "drain").out
    assert re.search(r"(?m)^busy +no$", drained)
    for shown in (journal, drained, invoke(data, "config", "show").out):
        assert not re.search(r"\b(True|False)\b|\{'", shown)


def test_what_an_import_refused_is_text(data: Path, tmp_path: Path) -> None:
    exported = tmp_path / "mem0.json"
    exported.write_text(json.dumps(EXPORT))
    assert invoke(data, "import", str(exported), "--workspace", "shop").code == 0
    id = ask(data, "memory", "list", "--workspace", "shop")["items"][0]["id"]
    ask(data, "forget", id, "--yes")
    shown = invoke(data, "import", str(exported), "--workspace", "shop").out
    assert re.search(r"(?m)^refused +1$", shown), shown
    assert re.search(rf"(?m)^refused: memories {id}: \w", shown), shown
    assert "{" not in shown
