"""Secrets in names are redacted from hosts, and refused from callers."""

from __future__ import annotations

import json
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hooking import tool_used

from memoranda import Memoranda, Scope
from memoranda.capture.redaction.caller_text_cleaner import TextSanitiser
from memoranda.capture.redaction.redactor import Redactor
from memoranda.documents.model import NewDocument
from memoranda.exceptions import InvalidInput
from memoranda.hook_event import spool
from memoranda.memories.memory_service import NewMemory
from memoranda.store.database import Transaction
from memoranda.store.table_catalogue import TABLES
from tables import each

pytestmark = pytest.mark.integration

TOKEN = "ghp_Ab3De6Gh9Jk2Mn5Pq8St1Vw4Yz7Bc0Df3Gh6"
PRIVATE = "the bride is Ada"


def left(memory: Memoranda, folder: Path) -> list[str]:
    """Return columns, blobs and files with a token or a private span."""
    secrets = [TOKEN, PRIVATE]

    def look(tx: Transaction) -> list[str]:
        found = []
        for table in TABLES:
            for row in tx.fetch(f"select * from {table.name}", {}):
                for value in row:
                    texts = [str(value)]
                    if isinstance(value, bytes):
                        try:
                            texts.append(zlib.decompress(value, -15).decode("utf-8", "replace"))
                        except zlib.error:
                            texts.append(value.decode("utf-8", "replace"))
                    if any(secret in text for secret in secrets for text in texts):
                        found.append(f"{table.name}: {str(value)[:80]}")
        return found

    leaks = [str(path) for path in folder.rglob("*") if any(s in path.name for s in secrets)]
    leaks += [
        str(path)
        for path in folder.rglob("*")
        if path.is_file() and any(secret.encode() in path.read_bytes() for secret in secrets)
    ]
    return memory._database.read(look) + leaks


@pytest.mark.parametrize("name", [f"run {TOKEN}", f"run <private>{PRIVATE}</private>"])
def test_names_that_a_host_sends_are_kept_without_secrets(
    data_dir: Path, tmp_path: Path, name: str
) -> None:
    folder = tmp_path / name.replace("/", "_")
    for number, values in enumerate(
        ({"session_id": name}, {"tool_name": name}, {"cwd": str(folder)}, {"agent_type": name})
    ):
        payload = tool_used("session", number, tool_response={"stdout": "done"})
        spool(str(data_dir), "claude-code", json.dumps(payload | values).encode())
    spool(str(data_dir), name, json.dumps(tool_used("other", 9)).encode())
    with Memoranda.open(data_dir) as memory:
        report = memory.capture.drain(wait=True)
        assert report.intake.events >= 4
        assert left(memory, data_dir) == []


def test_a_folder_with_a_secret_in_its_name_is_found_again(
    memory: Memoranda, tmp_path: Path, data_dir: Path
) -> None:
    folder = tmp_path / f"run {TOKEN}"
    folder.mkdir()
    assert memory.workspace_of(str(folder)) is None
    made = memory.workspace_of(str(folder), new=True)
    assert made is not None
    assert memory.workspace_of(str(folder)) is None  # until something is stored there
    assert memory.remember("Prices are net.", workspace=made.id).workspace == made.id
    found = memory.workspace_of(str(folder))
    assert found is not None
    assert (found.id, found.root) == (made.id, made.root)
    assert memory.workspace_of(str(folder), new=True) == found
    assert memory.workspace_of(str(tmp_path / "another")) is None
    assert left(memory, data_dir) == []


@pytest.mark.parametrize(
    "give",
    [
        lambda memory: memory.observe("x", workspace=f"shop {TOKEN}"),
        lambda memory: memory.observe("x", task=f"deploy {TOKEN}"),
        lambda memory: memory.remember(NewMemory("x"), workspace=f"shop {TOKEN}"),
        lambda memory: memory.documents.put(f"space-{TOKEN}", [NewDocument("k", 1)]),
        lambda memory: memory.tokens.create("reader", subject=TOKEN),
        lambda memory: Memoranda.open(memory.settings.data_dir, agent=TOKEN),
    ],
    ids=["workspace", "task", "memory", "space", "token", "agent"],
)
def test_a_name_with_a_secret_is_refused_and_nothing_is_kept(
    memory: Memoranda, data_dir: Path, give: Callable[[Memoranda], Any]
) -> None:
    with pytest.raises(InvalidInput, match="looks like a secret"):
        give(memory)
    assert left(memory, data_dir) == []
    assert memory._scope == Scope(memory.settings.team)


@each(
    "name",
    [
        "01a20f5e-3c20-7000-9b0c-ae1588bb5268",
        "01HV7Z8K3QJ4W5X6Y7Z8A9B0C1",
        "d670460b4b4aece5915caf5c68d12f560a9fe3e4",
        "rollout-2026-11-24T18-47-32-01a20f5e-3c20-7000-9b0c-ae1588bb5268",
        "toolu_01A09q90qw90lq917835lq9",
        "/home/ada/password=reset/app",
        "token-service",
        "4111111111111111",
        "mcp__github__create_issue",
    ],
)
def test_ordinary_names_stay_as_they_are(name: str) -> None:
    assert TextSanitiser(Redactor(b"key")).name(name) == name
