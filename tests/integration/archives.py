"""Helpers for exports: full stores, and archives to read and damage."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from zipfile import ZIP_DEFLATED, ZipFile

from memoranda import Memoranda
from memoranda.agents import table as agents
from memoranda.archive.format import MANIFEST
from memoranda.archive.kinds import KINDS
from memoranda.blocks.block_writer import NewBlock
from memoranda.config import Settings
from memoranda.conversations import table as compactions
from memoranda.conversations.model import Compaction
from memoranda.memories.memory_service import NewMemory
from memoranda.memories.model import Visibility
from memoranda.proposals.model import MemoryEdit
from memoranda.scope import Scope
from memoranda.settings import CompactionMode
from memoranda.store.table_catalogue import TABLES

DECLARED: dict[str, frozenset[str]] = {
    "workspaces": frozenset({"name", "aliases"}),
    "tasks": frozenset({"number"}),
    "observations": frozenset({"origin", "source", "salience", "tokens"}),
    "memories": frozenset(
        {
            "origin", "status", "confidence", "critical", "critical_reason", "protected",
            "tokens", "approved_by",
        }
    ),
    "blocks": frozenset({"label"}),
    "block_versions": frozenset({"tokens"}),
    "compactions": frozenset({"tokens"}),
}  # fmt: skip
"""Fields that an import may change, by kind, as docs/archive.md specifies.

All others are equal in a second export.
"""
RENEWED: dict[str, frozenset[str]] = {
    "tasks": frozenset({"session"}),
    "observations": frozenset({"event_key"}),
}
"""Further fields that an import changes when ids are renewed.

They are changed in addition to the above and the ids themselves.
"""

EXAMPLE = Path(__file__).parents[2] / "examples" / "session" / "parcel-quotes.jsonl"
LINES = 130
LONGEST = 50_000
"""Characters of a line; two outputs that are longer would be most of the text."""

DERIVED = frozenset(
    {"entry", "passage", "job", "journal", "journal_head", "transcript"}
    | {"memory_encoding", "memory_unread", "memory_link"}
)
"""Tables that an archive does not include."""


def plain(settings: Settings, **changes: Any) -> Settings:
    """Return settings without an embedder."""
    return replace(settings, embedder="none", **changes)


def as_agent(memory: Memoranda, agent: str) -> Memoranda:
    """Return the same store as an agent."""
    return Memoranda(memory._services, Scope(memory.settings.team, agent=agent))


def take_in_session(memory: Memoranda) -> None:
    """Import the beginning of the example session, with resolved errors."""
    with TemporaryDirectory() as folder:
        beginning = Path(folder) / EXAMPLE.name
        lines = EXAMPLE.read_text("utf-8").splitlines(keepends=True)
        beginning.write_text(
            "".join(line for line in lines[:LINES] if len(line) <= LONGEST), "utf-8"
        )
        memory.capture.import_transcript(beginning, workspace="shop")


def fill(memory: Memoranda) -> None:
    """Store records of every kind, by two agents and a person.

    They are in two workspaces.
    """
    take_in_session(memory)
    memory.observe("the barn door squeaks", task="door", workspace="barn")
    ada, bob = as_agent(memory, "ada"), as_agent(memory, "bob")
    team, now = memory.settings.team, memory._services.clock.now()
    for name in ("ada", "bob"):
        memory._database.write(
            partial(agents.record_seen, team=team, id=name, now=now, name=name.title())
        )
    noted = ada.observe("ada looks at prices", task="prices", workspace="shop")
    bob.observe("bob paints", task="paint", workspace="barn")
    bob.observe("bob paints", task="paint", workspace="barn")
    evidence = NewMemory(
        "prices are net", evidence=[noted.id], critical=True, protected=True, tags=["price"]
    )
    kept = memory.remember(evidence, workspace="shop")
    memory.memories.edit(kept.id, MemoryEdit(content="prices are gross"), reason="contract 4")
    memory.memories.promote(kept.id)
    memory.memories.demote(kept.id, "shop")
    memory.memories.edit(kept.id, MemoryEdit(content="prices are net", tags=("price", "net")))
    memory.remember(NewMemory("we are four", visibility=Visibility.TEAM))
    for one, name in ((ada, "ada"), (bob, "bob")):
        secret = NewMemory(f"{name} whispers", visibility=Visibility.AGENT)
        one.remember(secret, workspace="shop")
        one.blocks.create(NewBlock("mine", f"of {name} alone", private=True), workspace="shop")
    ada.blocks.create(NewBlock("progress", "nothing yet", shared=True), workspace="shop")
    memory.blocks.attach("progress", "bob", role="reader", workspace="shop")
    memory.blocks.create(NewBlock("house rules", "knock first\nwipe your feet"))
    _work(memory, noted.task)
    _summarise(memory, noted.task)


def _work(memory: Memoranda, task: str) -> None:
    """Add checkpoints, an abandoned branch, a fork and an archived block."""
    ada = as_agent(memory, "ada")
    ada.blocks.list(task=task)
    ada.checkpoints.create(
        task, "planning", "begun", state={"plan": ["look", 1.5, None], "ü": "\n"}
    )
    ada.blocks.insert("task", "first line\nsecond line", task=task)
    ada.checkpoints.create(task, "coding", "halfway", state={"plan": []})
    ada.blocks.rethink("task", "all new", task=task, reason="it was muddled")
    ada.checkpoints.rollback(task, "1")
    ada.checkpoints.fork(task, "2", "another way")
    memory.blocks.create(NewBlock("old", "gone"), task=task)
    memory.blocks.delete("old", task=task)


def _summarise(memory: Memoranda, task: str) -> None:
    mode = CompactionMode.SLIDING_WINDOW
    made = Compaction(task, "ada", 1, "ada looked. " * 40, 81, 5, mode, 1_700_000_000_000_000)
    team = memory.settings.team
    memory._database.write(lambda tx: compactions.add(tx, team, made))


def contents_of(memory: Memoranda, *, derived: bool = False, team: str | None = None) -> str:
    """Return a digest over the rows of a team.

    Derived rows are included only if ``derived``.
    """
    team = team or memory.settings.team
    tables = [table for table in TABLES if derived or table.name not in DERIVED]

    def work(tx: Any) -> str:
        digest = hashlib.sha256()
        for table in tables:
            for rows in table.pages(tx, team, 100):
                digest.update(repr((table.name, rows)).encode())
        return digest.hexdigest()

    return memory._database.of(team).read(work)


def members(path: Path) -> dict[str, list[dict[str, Any]]]:
    """Return the rows of an archive by kind."""
    with ZipFile(path) as zip:
        return {
            kind.name: [json.loads(line) for line in zip.read(kind.member).splitlines()]
            for kind in KINDS
            if kind.member in zip.namelist()
        }


def undeclared(rows: dict[str, list[dict[str, Any]]]) -> dict[str, list[dict[str, Any]]]:
    """Return the rows of an archive without fields that an import may change."""
    return {
        kind: [
            {name: value for name, value in row.items() if name not in DECLARED.get(kind, ())}
            for row in found
        ]
        for kind, found in rows.items()
    }


def renamed(rows: dict[str, list[dict[str, Any]]]) -> Any:
    """Return an archive's rows, with ids replaced by order of occurrence."""
    names: dict[str, str] = {}
    for kind, found in rows.items():
        for row in found:
            if kind != "agents" and "id" in row:
                names[row["id"]] = f"{kind} {len(names)}"

    def change(value: Any) -> Any:
        if isinstance(value, str):
            return names.get(value, value)
        if isinstance(value, list):
            return [change(item) for item in value]
        if isinstance(value, dict):
            return {name: change(opened_up(name, item)) for name, item in value.items()}
        return value

    def opened_up(name: str, item: Any) -> Any:
        is_text = name == "state" and isinstance(item, str)
        return json.loads(item) if is_text else item  # ids occur in it too

    without = {
        kind: [{n: v for n, v in row.items() if n not in RENEWED.get(kind, ())} for row in found]
        for kind, found in undeclared(rows).items()
    }
    return {
        kind: sorted((change(row) for row in found), key=repr) for kind, found in without.items()
    }


Edit = Callable[[dict[str, bytes]], None]


def rewritten(path: Path, target: Path, edit: Edit, *, seal: bool = True) -> Path:
    """Rewrite an archive with other members and a matching manifest."""
    with ZipFile(path) as zip:
        files = {name: zip.read(name) for name in zip.namelist()}
    edit(files)
    if seal:
        manifest = json.loads(files[MANIFEST])
        manifest["members"] = {
            name: {
                "rows": data.count(b"\n"),
                "bytes": len(data),
                "sha256": hashlib.sha256(data).hexdigest(),
            }
            for name, data in files.items()
            if name != MANIFEST
        }
        files[MANIFEST] = json.dumps(manifest).encode()
    with ZipFile(target, "w", ZIP_DEFLATED) as zip:
        for name, data in files.items():
            zip.writestr(name, data)
    return target


def with_row(kind: str, **changes: Any) -> Edit:
    """Return an edit that changes the first row of a kind."""

    def edit(files: dict[str, bytes]) -> None:
        first, *others = files[f"{kind}.jsonl"].splitlines(keepends=True)
        row = json.loads(first)
        row |= changes
        files[f"{kind}.jsonl"] = json.dumps(row).encode() + b"\n" + b"".join(others)

    return edit
