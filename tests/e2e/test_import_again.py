"""A second import of another system's data completes the first."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from commands import invoke

import foreign_files
from memoranda import Memoranda
from memoranda.archive.other_system_records import ImportedMemory
from memoranda.cli import progress
from memoranda.integrations.imports import markdown
from memoranda.integrations.imports.imported_items import ImportContext

COUNTS = ("added", "updated", "unchanged", "refused_count")


def _mem0(path: Path, **texts: tuple[str, str]) -> Path:
    """Write what get_all returns: a text and the time of its last change, by id."""
    items = [
        {"id": id, "memory": text, "user_id": "ada", "created_at": "2026-03-01T10:00:00Z",
         "updated_at": changed or None}
        for id, (text, changed) in texts.items()
    ]  # fmt: skip
    return foreign_files.written(path, {"results": items})


FIRST = {"a": ("Likes oolong", ""), "b": ("Has a cat", "")}
LATER = {
    "a": ("Likes green tea", "2026-04-01T10:00:00Z"),
    "b": ("Has a cat", ""),
    "c": ("Lives in Bonn", ""),
}


def ask(data: Path, *words: str) -> Any:
    """Return the JSON of a command, whatever it remarks about pending proposals."""
    output = invoke(data, *words, "--format", "json")
    assert output.code == 0, output.err
    return output.json


def _counts(data: Path, *words: str | Path) -> tuple[int, ...]:
    report = ask(data, "import", *map(str, words))
    return tuple(report[name] for name in COUNTS)


def _titles(data: Path) -> dict[str, dict[str, Any]]:
    return {one["title"]: one for one in ask(data, "memory", "list")["items"]}


@pytest.fixture
def data(tmp_path: Path) -> Path:
    return tmp_path / "data"


def test_a_later_export_adds_updates_and_leaves_the_rest(data: Path, tmp_path: Path) -> None:
    first = _mem0(tmp_path / "first.json", **FIRST)
    later = _mem0(tmp_path / "later.json", **LATER)
    assert _counts(data, first) == (2, 0, 0, 0)
    assert _counts(data, later, "--dry-run") == (1, 1, 1, 0)
    assert set(_titles(data)) == {"Likes oolong", "Has a cat"}
    assert _counts(data, later) == (1, 1, 1, 0)
    assert set(_titles(data)) == {"Likes green tea", "Has a cat", "Lives in Bonn"}
    tea = _titles(data)["Likes green tea"]["id"]
    (former,) = ask(data, "memory", "history", tea)["items"]
    assert (former["state"]["content"], former["reason"]) == ("Likes oolong", "changed in mem0")
    assert _counts(data, later) == (0, 0, 3, 0)
    assert _counts(data, first) == (0, 0, 2, 0)  # an older export changes nothing
    assert "Likes green tea" in _titles(data)
    ask(data, "pending", "approve-all", "--yes")
    assert _titles(data)["Likes green tea"]["status"] == "approved"


def test_a_change_of_what_a_person_approved_is_proposed(data: Path, tmp_path: Path) -> None:
    _counts(data, _mem0(tmp_path / "1.json", **FIRST), "--trust")
    later = _mem0(tmp_path / "2.json", **LATER)
    assert _counts(data, later) == (1, 1, 1, 0)
    assert "Likes oolong" in _titles(data)  # until a person approves the change
    assert _counts(data, later) == (0, 0, 3, 0)  # proposed once
    proposals = ask(data, "pending", "list")["items"]
    (update,) = [one for one in proposals if one["kind"] == "update"]
    ask(data, "pending", "reject", str(update["number"]), "--note", "no")
    refused = ask(data, "import", str(later))["refused"]
    assert [one["reason"] for one in refused] == ["a person rejected this text"]
    newest = LATER | {"a": ("Likes sencha", "2099-05-01T10:00:00Z")}
    assert _counts(data, _mem0(tmp_path / "3.json", **newest), "--trust") == (0, 1, 2, 0)
    tea = _titles(data)["Likes sencha"]
    assert tea["status"] == "approved"
    assert ask(data, "why", tea["id"])["memory"]["approved_by"] is None  # nobody looked at it


def test_what_was_edited_or_archived_here_stays(data: Path, tmp_path: Path) -> None:
    first = _mem0(tmp_path / "1.json", **FIRST)
    _counts(data, first, "--trust")
    ids = {title: one["id"] for title, one in _titles(data).items()}
    ask(data, "memory", "edit", ids["Likes oolong"], "--content", "Likes any tea")
    ask(data, "memory", "archive", ids["Has a cat"])
    assert _counts(data, first, "--trust") == (0, 0, 2, 0)
    newest = {"a": LATER["a"], "b": ("Has two cats", "2099-04-01T10:00:00Z")}
    report = ask(data, "import", str(_mem0(tmp_path / "2.json", **newest)), "--trust")
    assert sorted(one["reason"] for one in report["refused"]) == [
        "it is archived here, and was changed in mem0",
        "it was edited here, and changed in mem0",
    ]
    assert set(_titles(data)) == {"Likes any tea", "Has a cat"}


def test_a_history_of_mem0_that_went_on_is_followed(data: Path, tmp_path: Path) -> None:
    path = foreign_files.mem0_history(tmp_path / "history.db")
    assert _counts(data, path) == (2, 0, 0, 0)
    with closing(sqlite3.connect(path)) as database, database:
        database.execute(
            "insert into history (id, memory_id, old_memory, new_memory, event, created_at,"
            " updated_at) values ('h9', 'c', 'Works at night', 'Works by day', 'UPDATE', ?, ?)",
            ["2026-03-02T10:00:00+00:00", "2026-06-01T10:00:00+00:00"],
        )
    assert _counts(data, path) == (0, 1, 1, 0)
    assert "Works by day" in _titles(data)


def test_a_directive_of_claude_mem_that_changed_is_updated(data: Path, tmp_path: Path) -> None:
    path = foreign_files.claude_mem(tmp_path / "claude-mem.db")
    _counts(data, path)
    with closing(sqlite3.connect(path)) as database, database:
        database.execute(
            "update directives set content = 'Answer in German', updated_at_epoch = ?"
            " where content = 'Answer in English'",
            [foreign_files.DAY + 1],
        )
    assert _counts(data, path) == (0, 1, 7, 0)
    assert "Answer in German" in _titles(data)


def test_a_block_of_letta_that_changed_is_a_new_version(data: Path, tmp_path: Path) -> None:
    path = foreign_files.letta(tmp_path / "guide.af")
    _counts(data, path)
    file = json.loads(path.read_text("utf-8"))
    file["blocks"][0]["value"] = "Name: Ada. Sells tea."
    foreign_files.written(path, file)
    assert _counts(data, path, "--dry-run") == (0, 1, 5, 0)
    assert _counts(data, path) == (0, 1, 5, 0)
    assert _counts(data, path) == (0, 0, 6, 0)
    human = {one["label"]: one for one in ask(data, "block", "list")["items"]}["human"]
    assert (human["value"], human["version"]) == ("Name: Ada. Sells tea.", 2)
    ask(data, "block", "replace", human["id"], "tea", "coffee")
    assert _counts(data, path) == (0, 0, 6, 0)
    file["blocks"][0]["value"] = "Name: Ada. Retired."
    assert _counts(data, foreign_files.written(path, file)) == (0, 0, 5, 1)


def test_a_section_of_markdown_that_changed_is_updated(data: Path, tmp_path: Path) -> None:
    notes = tmp_path / "notes"
    notes.mkdir()
    page = notes / "shop.md"
    page.write_text("# Shop\n\nPrices are net.\n\n## Tests\n\nRun make test.\n", "utf-8")
    assert _counts(data, notes) == (2, 0, 0, 0)
    page.write_text(
        "# Shop\n\nPrices are gross.\n\n## Tests\n\nRun make test.\n\n## New\n\nYes.", "utf-8"
    )
    assert _counts(data, notes) == (1, 1, 1, 0)
    contents = {one["content"] for one in ask(data, "memory", "list")["items"]}
    assert contents == {"Prices are gross.", "Run make test.", "Yes."}
    page.write_text("# Shop\n\nPrices are net.\n", "utf-8")  # as it was before
    assert _counts(data, notes) == (0, 1, 0, 0)


def test_sections_that_an_earlier_version_imported_are_recognised(
    data: Path, tmp_path: Path
) -> None:
    page = tmp_path / "notes" / "shop.md"
    page.parent.mkdir()
    page.write_text("# Shop\n\nPrices are net.\n", "utf-8")
    reading = ImportContext(workspace="shop")
    (section,) = markdown.read(page.parent, reading)
    assert isinstance(section, ImportedMemory)
    with Memoranda.open(data) as memory:
        memory.archive.import_memories([replace(section, key=section.former_key)], "markdown")
    assert _counts(data, page.parent, "--workspace", "shop") == (0, 0, 1, 0)


def test_a_dry_run_lists_what_would_be_added(data: Path, tmp_path: Path) -> None:
    key = "AKIA" + "Z7Q4M2N8K5P1R3T6"
    texts = {f"m{n}": (f"Fact number {n}", "") for n in range(29)}
    path = _mem0(tmp_path / "m.json", **texts, key=(f"The key is {key}", ""))
    found = invoke(data, "import", str(path), "--dry-run")
    assert "20 of 30 entries (memory 30)" in found.out
    assert found.out.count("Fact number") == 20
    report = ask(data, "import", str(path), "--dry-run")
    assert report["entries_by_kind"] == {"memory": 30}
    assert len(report["entries"]) == 30
    assert {"change": "add", "kind": "memory", "text": "Fact number 3"} in report["entries"]
    assert key not in json.dumps(report)
    few = ask(data, "import", str(path), "--dry-run", "--limit", "2")
    assert (len(few["entries"]), few["entries_by_kind"]) == (2, {"memory": 30})
    assert _titles(data) == {}


def test_a_dry_run_lists_events_once(data: Path, tmp_path: Path) -> None:
    path = foreign_files.claude_mem(tmp_path / "claude-mem.db")
    report = ask(data, "import", str(path), "--dry-run")
    assert sum(report["entries_by_kind"].values()) == report["added"] == 8
    assert any(one["text"].startswith("Mend the cart") for one in report["entries"])
    _counts(data, path)
    assert ask(data, "import", str(path), "--dry-run")["entries"] == []


def test_a_slow_import_reports_on_standard_error(
    data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(progress, "LINE_SECONDS", 0.02)
    texts = {f"m{n}": (f"Fact number {n} of several", "") for n in range(230)}
    found = invoke(data, "import", str(_mem0(tmp_path / "m.json", **texts)), "--format", "json")
    lines = found.err.splitlines()
    assert any("200 of 230 items" in one and one.endswith("s left") for one in lines)
    assert any(one.startswith("indexing: ") and "of 230 records" in one for one in lines)
    assert json.loads(found.out)["added"] == 230
