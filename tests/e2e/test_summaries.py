"""A use case has one summary: in the help, REST, JSON-RPC, MCP and the reference."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from starlette.testclient import TestClient

from memoranda.api.rest.router import PREFIX
from memoranda.api.rest.routes import routes
from memoranda.api.service import Service
from memoranda.cli import cli
from memoranda.config import load_settings
from memoranda.operations import OPERATIONS
from rest_apps import rest_app

pytestmark = pytest.mark.e2e

BROADER = {"import"}
"""A command that does more than the operation of its name."""
LOCAL = {name for name, one in OPERATIONS.items() if one.local}
WIDTH = 72


def helped(*words: str) -> str:
    """The first paragraph of the help of a command."""
    output = CliRunner().invoke(cli, [*words, "--help"], prog_name="memoranda").output
    return " ".join(output.split("\n\n")[1].split())


def commands() -> dict[str, str]:
    """The summaries of the command line by operation."""
    named = {name: one.command for name, one in OPERATIONS.items()}
    return {name: helped(*words.split()) for name, words in named.items() if words not in BROADER}


@contextmanager
def discovered(data: Path) -> Iterator[Mapping[str, Any]]:
    """The description of the REST interface."""
    service = Service(load_settings({"data_dir": data}))
    try:
        client = TestClient(rest_app(service))
        answer = client.get(f"{PREFIX}/openapi.json", headers={"authorization": "Bearer ada"})
        yield answer.json()
    finally:
        service.close()


def run_rpc(data: Path, *words: str, method: str) -> Any:
    """The answer of a program that speaks JSON-RPC on standard input and output."""
    start = {
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "clientInfo": {"name": "raw", "version": "1"},
    }
    lines = [
        {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": start},
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {"jsonrpc": "2.0", "id": 1, "method": method},
    ]
    program = subprocess.Popen(
        [sys.executable, "-m", "memoranda", *words, "--data-dir", str(data)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    assert program.stdin
    assert program.stdout
    program.stdin.write("".join(json.dumps(one) + "\n" for one in lines).encode())
    program.stdin.flush()
    answers = (json.loads(line) for line in program.stdout)
    found = next(one["result"] for one in answers if one.get("id") == 1)
    program.communicate(timeout=60)
    return found


@pytest.fixture(scope="module")
def shown() -> dict[str, str]:
    return commands()


def test_the_summary_of_a_command_is_one_line(shown: dict[str, str]) -> None:
    assert len(shown) > 160
    wrong = [one for one in shown.values() if len(one) > WIDTH or not one.endswith(".")]
    assert wrong == []


@pytest.mark.parametrize("words", ["drain", "optimize apply", "feedback add", "import-archive"])
def test_the_paragraphs_after_the_summary_have_its_indentation(words: str) -> None:
    output = CliRunner().invoke(cli, [*words.split(), "--help"], prog_name="memoranda").output
    lines = output.partition("\nOptions:")[0].split("\n")[2:]
    assert [one for one in lines if one and not (one.startswith("  ") and one[2] != " ")] == []
    assert [one for one in lines if "  " in one.strip()] == []


def test_rest_has_the_summaries_of_the_commands(tmp_path: Path, shown: dict[str, str]) -> None:
    with discovered(tmp_path / "data") as document:
        different = {
            route.operation.name
            for route in routes()
            if document["paths"][PREFIX + route.template][route.method.lower()]["summary"]
            != shown[route.operation.name]
        }
    assert different == set()


def test_json_rpc_has_the_summaries_of_the_commands(tmp_path: Path, shown: dict[str, str]) -> None:
    document = run_rpc(tmp_path / "data", "rpc", method="rpc.discover")
    summaries = {one["name"]: one["summary"] for one in document["methods"]}
    assert {name: summaries[name] for name in OPERATIONS if name not in LOCAL} == {
        name: one for name, one in shown.items() if name not in LOCAL
    }


def test_a_tool_of_one_operation_begins_with_its_summary(
    tmp_path: Path, shown: dict[str, str]
) -> None:
    tools = run_rpc(tmp_path / "data", "mcp", "--profile", "full", method="tools/list")["tools"]
    described = {one["name"]: one["description"] for one in tools}
    named = {
        "search": "search", "timeline": "observations.timeline", "remember": "remember",
        "why": "memories.evidence", "errors": "errors.list", "checkpoint": "checkpoints.create",
    }  # fmt: skip
    for tool, operation in named.items():
        assert described[tool].startswith(shown[operation])
    several = {"get", "block_edit"}
    alone = [one for name, one in described.items() if name not in several]
    assert [one for one in alone if not one.startswith(tuple(shown.values()))] == []


def test_the_python_methods_have_the_summaries_of_the_commands(shown: dict[str, str]) -> None:
    from memoranda import Memoranda

    assert shown == {
        name: one.summary(Memoranda) for name, one in OPERATIONS.items() if name in shown
    }
