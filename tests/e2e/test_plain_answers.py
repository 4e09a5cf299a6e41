"""Answers of commands name what to do next, in plain text, never in Python's notation."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from commands import ask, forked, invoke

from language_servers import LanguageServer
from memoranda import Memoranda

EXPORT = {
    "results": [
        {"id": "m1", "memory": "Port 81", "user_id": "u", "created_at": "2025-01-01T00:00:00Z"}
    ]
}
"""An export of another memory system."""

IDLE = "I had a look at that and it seems quite fine to me so far, let us go on with the rest."


@pytest.fixture
def data(tmp_path: Path) -> Path:
    return tmp_path / "data"


def test_a_restore_without_a_version_names_the_command_that_lists_them(data: Path) -> None:
    id = ask(data, "remember", "Port 81", "--everywhere")["id"]
    refused = invoke(data, "memory", "restore", id)
    assert refused.code == 2
    assert f"memoranda memory history {id}" in refused.err
    assert f"memoranda memory history {id}" in invoke(data, "memory", "restore", id, "7").err


def test_a_number_of_a_task_elsewhere_begins_no_task_of_that_name(data: Path) -> None:
    assert invoke(data, "task", "create", "first", "--workspace", "shop").code == 0
    for words in (("observe", "x"), ("errors", "record", "x", "--type", "tool")):
        refused = invoke(data, *words, "--task", "1", "--workspace", "mill")
        assert refused.code != 0
        assert "no task '#1' in this workspace" in refused.err
        assert invoke(data, *words, "--task", "1", "--workspace", "shop").code == 0
        assert invoke(data, *words, "--task", "7", "--workspace", "mill").code == 0
    names = [one["name"] for one in ask(data, "task", "list")["items"]]
    assert sorted(names) == ["7", "first"]


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
    assert (refused.code, "numbers cannot be negative" in refused.err) == (2, True)


def test_an_alert_is_a_fraction_and_the_message_names_the_option(data: Path) -> None:
    refused = invoke(data, "budget", "set", "2", "--alert", "50")
    assert refused.code == 2
    assert "--alert-share / --alert must be a fraction from 0.01 to 1, not 50" in refused.err
    assert invoke(data, "budget", "set", "2", "--alert", "0.5").code == 0


def test_a_budget_is_accepted_as_the_page_accepts_it(data: Path) -> None:
    assert "$2,000.50" in invoke(data, "budget", "set", "$2,000.5").out
    refused = invoke(data, "budget", "set", "lots")
    assert (refused.code, "'lots' is not an amount in dollars" in refused.err) == (2, True)


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
    assert re.search(r"(?m)^refused: memories m1: \w", shown), shown
    assert "{" not in shown


@pytest.mark.parametrize(
    ("words", "meant"),
    [("memory correct x", "edit"), ("memory lsit", "list"), ("install claude", "claude-code")],
)
def test_an_unknown_name_is_answered_with_the_one_that_is_meant(
    data: Path, words: str, meant: str
) -> None:
    refused = invoke(data, *words.split())
    assert (refused.code, f"Did you mean '{meant}'?" in refused.err) == (2, True)


def test_the_format_may_precede_the_command(data: Path) -> None:
    ask(data, "remember", "Port 81", "--everywhere")
    before = invoke(data, "--format", "json", "search", "port")
    assert json.loads(before.out)["hits"][0]["title"] == "Port 81"
    nearest = invoke(data, "--format", "json", "search", "port", "--format", "md")
    assert nearest.out.startswith("| ref |")


def test_a_setting_that_is_no_number_is_refused_in_plain_text(data: Path) -> None:
    refused = invoke(data, "config", "set", "context_budget", "lots")
    assert "context_budget: must be an integer, not 'lots'" in refused.err


@pytest.mark.parametrize(
    ("command", "line"),
    [
        (("project", "show", "shop"), "# shop"),
        (("global", "show"), "# global"),
        (("privacy", "show"), "## Excluded files"),
    ],
)
def test_markdown_is_markdown(data: Path, command: tuple[str, ...], line: str) -> None:
    invoke(data, "remember", "Round once", "--workspace", "shop")
    lines = invoke(data, *command, "--format", "md").out.splitlines()
    assert line in lines
    assert not [line for line in lines if line.startswith("  ")]


def test_clearing_nothing_says_that_nothing_matches(data: Path) -> None:
    invoke(data, "remember", "Round once", "--workspace", "shop")
    output = invoke(data, "document", "clear", "space", "--workspace", "shop")
    assert "nothing matches" in output.err


def test_no_cost_is_reported_as_no_call(data: Path) -> None:
    (data / "spool").mkdir(parents=True)
    assert invoke(data, "cost", "report").out == "no model calls\n"


def test_messages_that_a_summary_would_lengthen_are_left(data: Path) -> None:
    for number in range(4):
        invoke(data, "message", "add", "chat", f"Gate {number} is {number + 3} m wide.")
    assert (
        "a summary would be no shorter" in invoke(data, "message", "compact", "chat", "--force").out
    )


def test_calls_that_the_budget_does_not_cover_are_reported_by_every_view(data: Path) -> None:
    with LanguageServer() as server:
        variables = {
            "MEMORANDA_LANGUAGE_MODEL": "compatible:small",
            "MEMORANDA_LANGUAGE_BASE_URL": server.url,
            "MEMORANDA_LANGUAGE_PRICES": "small=300/300",
            "MEMORANDA_COMPACTION_MODEL": "small",
        }
        for number in range(6):
            text = f"Port {number} is 84{number}1, never 80{number}; we decided on host-{number}."
            for chat in ("one", "two"):
                invoke(data, "message", "add", chat, f"{text} {IDLE}")
        invoke(data, "budget", "set", "0.5")
        for chat in ("one", "two"):
            forked(data, "message", "compact", chat, "--force", **variables)
        views = [
            forked(data, *words.split(), **variables).out
            for words in ("budget show", "cost report", "status", "doctor --quick")
        ]
        assert server.requests == []
    for text in views:
        assert "2 calls not made this month: each could cost up to $" in text
        assert "$0.50 left" in text
    with Memoranda.open(data) as memory:
        (entry,) = memory.journal.list(operation="budget refusal").items
    assert entry.detail["limit"] == 500_000


@pytest.mark.parametrize(
    ("words", "text"),
    [
        (("task", "show", "--format", "json"), "Missing argument 'ID'"),
        (("--format", "json", "task", "show"), "Missing argument 'ID'"),
        (("--format=json", "search", "x", "--frob"), "No such option '--frob'"),
        (("search", "x", "--limit", "many", "--format=json"), "'many'"),
        (("errors", "record", "x", "--format", "json"), "Missing option '--type'"),
        (("memory", "lst", "--format", "json"), "lst"),
        (("serach", "x", "--format", "json"), "Did you mean 'search'?"),
        (("--frob", "status", "--format", "json"), "--frob"),
        (("remember", "two", "words", "--format", "json"), "quotation marks"),
    ],
)
def test_errors_of_the_syntax_are_json_too(data: Path, words: tuple[str, ...], text: str) -> None:
    refused = invoke(data, *words)
    assert (refused.code, refused.out) == (2, "")
    assert refused.error["code"] == "invalid"
    assert text in refused.error["message"]
    assert "--help" in refused.error["message"]


@pytest.mark.parametrize(
    "words",
    [
        ("task", "show"),
        ("task", "show", "--format", "table"),
        ("--format", "json", "task", "show", "--format", "table"),
        ("search", "--frob", "--", "--format", "json"),
    ],
)
def test_errors_of_the_syntax_are_text_without_a_request_for_json(
    data: Path, words: tuple[str, ...]
) -> None:
    refused = invoke(data, *words)
    assert refused.code == 2
    assert refused.err.startswith("Usage: ")
