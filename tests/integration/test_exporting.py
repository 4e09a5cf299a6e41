"""Exports of memories in common formats, and their import."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import foreign_files
from memoranda import Memoranda, NewBlock
from memoranda.exceptions import Conflict, NotFound
from memoranda.integrations.exports import export_markdown, export_mcp_memory
from memoranda.integrations.imports.runner import import_foreign


def test_a_graph_is_exported_as_it_was_imported(memory: Memoranda, tmp_path: Path) -> None:
    path = foreign_files.mcp_memory(tmp_path / "in.jsonl")
    import_foreign(memory, path, trust=True)
    out = tmp_path / "out.jsonl"
    assert export_mcp_memory(memory, out) == 3
    lines = [json.loads(line) for line in out.read_text("utf-8").splitlines()]
    expected = [json.loads(line) for line in path.read_text("utf-8").splitlines()][:3]
    for line in expected:
        if "observations" in line:
            line["observations"] = list(dict.fromkeys(line["observations"]))
    assert lines == expected
    assert out.stat().st_mode & 0o777 == 0o600


def test_other_memories_and_blocks_become_entities(memory: Memoranda, tmp_path: Path) -> None:
    memory.remember("Prices are kept in cents", workspace="shop")
    memory.blocks.create(NewBlock("plan", "ship it"), workspace="shop")
    assert export_mcp_memory(memory, tmp_path / "o.jsonl", workspace="shop") == 2
    lines = [json.loads(line) for line in (tmp_path / "o.jsonl").read_text("utf-8").splitlines()]
    assert [(one["name"], one["entityType"], one["observations"]) for one in lines] == [
        ("Prices are kept in cents", "insight", ["Prices are kept in cents"]),
        ("plan", "block", ["ship it"]),
    ]


def test_markdown_is_a_page_for_each_category_and_block(memory: Memoranda, tmp_path: Path) -> None:
    memory.remember("# Use cents\n\nFloats drift", workspace="shop")
    memory.blocks.create(NewBlock("/notes/a", "one"), workspace="shop")
    memory.blocks.create(NewBlock("notes/a", "two"), workspace="shop")
    folder = tmp_path / "out"
    assert export_markdown(memory, folder, workspace="shop") == 3
    page = (folder / "insight.md").read_text("utf-8")
    assert page.startswith("# insight\n\n## # Use cents\n\n### Use cents\n\nFloats drift\n")
    names = sorted(one.name for one in (folder / "blocks").iterdir())
    assert names == ["notes-a-2.md", "notes-a.md"]
    with Memoranda.open(tmp_path / "other") as other:
        assert import_foreign(other, folder).added["memories"] == 3


def test_nothing_is_replaced_without_force(memory: Memoranda, tmp_path: Path) -> None:
    memory.remember("Prices are kept in cents", workspace="shop")
    taken = tmp_path / "taken"
    taken.mkdir()
    (taken / "mine.md").write_text("mine")
    with pytest.raises(Conflict):
        export_markdown(memory, taken)
    assert export_markdown(memory, taken, force=True) == 1
    assert (taken / "mine.md").read_text() == "mine"
    with pytest.raises(Conflict):
        export_mcp_memory(memory, taken / "mine.md")
    assert export_mcp_memory(memory, taken / "mine.md", force=True) == 1
    for write in (export_markdown, export_mcp_memory):
        with pytest.raises(NotFound):
            write(memory, tmp_path / "none" / "x")
