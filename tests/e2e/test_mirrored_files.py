"""A person keeps memories as files, on the command line and in an editor."""

from __future__ import annotations

from pathlib import Path

import pytest
from commands import ask, invoke

pytestmark = pytest.mark.e2e


@pytest.fixture(autouse=True)
def _nobody_set_anything(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))


def test_memories_are_edited_in_files(tmp_path: Path) -> None:
    data_dir = tmp_path / "data"
    assert invoke(data_dir, "drain").code == 0  # which creates the store
    assert "the mirror is off" in invoke(data_dir, "mirror", "status").out
    refused = invoke(data_dir, "mirror", "sync")
    assert (refused.code, "memoranda mirror on" in refused.err) == (3, True)
    kept = ask(data_dir, "remember", "Port 8080", "--workspace", "shop")["id"]
    made = ask(data_dir, "mirror", "on")
    assert made["folder"] == str(data_dir / "mirror")
    page = data_dir / "mirror/Memory/Projects/shop/learnings.md"
    text = page.read_text("utf-8").replace("\nPort 8080\n", "\nPort 9090\n")
    page.write_text(text + "\n## Use UTC\n\nAlways.\n", "utf-8")

    done = ask(data_dir, "mirror", "sync")
    assert (done["edited"], len(done["added"])) == ([kept], 1)
    assert ask(data_dir, "why", kept)["memory"]["content"] == "Port 9090"
    history = ask(data_dir, "memory", "history", kept)["items"]
    assert [one["state"]["content"] for one in history] == ["Port 8080"]
    ask(data_dir, "remember", "Tabs, not spaces", "--workspace", "shop")  # written on the way out
    assert "Tabs, not spaces" in page.read_text("utf-8")


def test_a_conflict_is_reported_and_decided_by_a_person(tmp_path: Path) -> None:
    data_dir, folder = tmp_path / "data", tmp_path / "files"
    kept = ask(data_dir, "remember", "Port 8080", "--workspace", "shop")["id"]
    ask(data_dir, "mirror", "on", str(folder))
    page = folder / "Memory/Projects/shop/learnings.md"
    before = page.read_text("utf-8")
    ask(data_dir, "memory", "edit", kept, "--content", "Port 7070")
    page.write_text(before.replace("\nPort 8080\n", "\nPort 9090\n"), "utf-8")
    output = invoke(data_dir, "mirror", "sync")
    assert "learnings.conflict-1.md" in output.out
    assert "1 memory update pending approval" in output.err
    assert "conflict    Memory/Projects/shop" in invoke(data_dir, "mirror", "status").out
    (waits,) = ask(data_dir, "pending", "list")["items"]
    digest = ask(data_dir, "pending", "show", waits["id"])["hash"]
    ask(data_dir, "pending", "approve", waits["id"], "--shown", digest)
    assert "\nPort 9090\n" in page.read_text("utf-8")


def test_mirror_files_are_rebuilt_forgotten_and_removed(tmp_path: Path) -> None:
    data_dir = tmp_path / "data"
    kept = ask(data_dir, "remember", "zebra crossing", "--workspace", "shop")["id"]
    folder = Path(ask(data_dir, "mirror", "on")["folder"])
    page = folder / "Memory/Projects/shop/learnings.md"
    page.unlink()
    assert ask(data_dir, "mirror", "rebuild")["edited"] == []
    assert "zebra" in page.read_text("utf-8")
    page.unlink()
    ask(data_dir, "rebuild-index")
    assert "zebra" in page.read_text("utf-8")
    receipt = ask(data_dir, "forget", kept, "--yes")
    assert "mirror" in receipt["places"]
    texts = [path.read_text("utf-8") for path in folder.rglob("*") if path.is_file()]
    assert not any("zebra" in text for text in texts)
    ask(data_dir, "mirror", "off")
    assert not (folder / "Memory").exists()


def test_an_agent_neither_turns_it_on_nor_off(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MEMORANDA_AGENT_ID", "bob")
    output = invoke(tmp_path / "data", "mirror", "on")
    assert (output.code, "is not allowed for the role agent" in output.err) == (5, True)
