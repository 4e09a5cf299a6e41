"""Claude Code's own files are searchable, not in contexts, never written."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from happenings import message_event

import forked_processes
from memoranda import Memoranda
from memoranda.config import Settings
from memoranda.integrations.claude_instruction_files import HOST, files_of, follow
from memoranda.memories.removal import RemovalSelection
from memoranda.observations.model import Salience

SECRET = "AKIA" + "IOSFODNN7" + "EXAMPLE"


@pytest.fixture
def kept(engine: Settings) -> Iterator[Memoranda]:
    with Memoranda.open(settings=engine) as memory:
        yield memory


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    """Return a repository with the files that Claude Code reads."""
    root = tmp_path / "shop"
    files = {
        "CLAUDE.md": "# Shop\n\nAmounts are in cents.\n\nSee @docs/tax.md and `@docs/code.md`.\n",
        "docs/tax.md": "Rounding happens once, half up. @../CLAUDE.md @none.md\n",
        "docs/code.md": "not taken in",
        ".claude/rules/api.md": "---\npaths: src/**\n---\nEvery route has a test.\n",
        "CLAUDE.local.md": f"My sandbox key is {SECRET} <private>hidden</private>\n",
        "README.md": "not read by itself",
    }
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text, "utf-8")
    return root


@pytest.fixture
def home(tmp_path: Path, shop: Path) -> Path:
    """Return Claude Code's own folder, with its memory of that repository."""
    place = tmp_path / "home" / ".claude"
    slug = "".join(sign if sign.isalnum() else "-" for sign in str(shop))
    own = place / "projects" / slug / "memory"
    own.mkdir(parents=True)
    (own / "MEMORY.md").write_text("- [Deploys](deploys.md): on Tuesdays\n", "utf-8")
    (own / "deploys.md").write_text("Deploys wait for the tariff build.\n", "utf-8")
    return place


def _index(memory: Memoranda) -> dict[str, str]:
    """Return the index of the files: (first line, rest)."""
    (task,) = [one for one in memory.tasks.list() if one.host == HOST]
    found = [
        memory.observations.show(one.id).content for one in memory.observations.list(task=task.id)
    ]
    return dict(text.split("\n\n", 1) for text in found)


def _session(memory: Memoranda, shop: Path, name: str = "s1", host: str = "claude-code") -> str:
    event = message_event(f"go-{name}", "Mend the totals", session=name, cwd=str(shop), host=host)
    (task,) = memory.capture.take([event]).tasks
    return task


def _bytes(folder: Path) -> dict[str, str]:
    files = sorted(one for one in folder.rglob("*") if one.is_file())
    return {str(one): hashlib.sha256(one.read_bytes()).hexdigest() for one in files}


def test_all_of_it_is_found_and_none_is_in_a_context(
    kept: Memoranda, shop: Path, home: Path
) -> None:
    before = _bytes(shop), _bytes(home)
    task = _session(kept, shop)
    assert follow(kept, [task], home)
    index = _index(kept)
    assert index.pop("CLAUDE.local.md").startswith("My sandbox key is [redacted:aws:")
    assert index == {
        "CLAUDE.md > Shop": "Amounts are in cents.\n\nSee @docs/tax.md and `@docs/code.md`.",
        "docs/tax.md": "Rounding happens once, half up. @../CLAUDE.md @none.md",
        ".claude/rules/api.md": "paths:src/**\n\nEvery route has a test.",
        "memory/MEMORY.md": "- [Deploys](deploys.md): on Tuesdays",
        "memory/deploys.md": "Deploys wait for the tariff build.",
    }
    hits = kept.search("what do deploys wait for", workspace="shop").hits
    assert "memory/deploys.md" in hits[0].title
    kept.capture.drain()
    for query in (None, "deploys and the tariff build", "amounts cents rounding route"):
        text = kept.context(workspace="shop", query=query, budget=2_000).text
        assert "Mend the totals" in text
        for said_there in ("in cents", "half up", "has a test", "Tuesdays", "tariff build."):
            assert said_there not in text
    text = kept.context(workspace="shop", at_start=True, budget=2_000).text
    assert text.index("Current task") < text.index("Mend the totals")
    assert "tariff build" not in text
    assert "reads by itself" not in text
    assert (_bytes(shop), _bytes(home)) == before
    seen = kept.observations.show(hits[0].id).observation
    assert (seen.salience, seen.origin.value) == (Salience.LOW, "generated")


def test_it_follows_the_files(kept: Memoranda, shop: Path, home: Path) -> None:
    task = _session(kept, shop)
    follow(kept, [task], home)
    first = _index(kept)
    assert "hidden" not in str(first)
    assert not follow(kept, [task], home)
    (shop / "docs" / "tax.md").write_text("Rounding happens once, half even.\n", "utf-8")
    (shop / ".claude" / "rules" / "api.md").unlink()
    assert follow(kept, [_session(kept, shop, "s2")], home)
    second = _index(kept)
    assert second["docs/tax.md"] == "Rounding happens once, half even."
    assert first.keys() - second.keys() == {".claude/rules/api.md"}
    hits = kept.search("rounding half up", workspace="shop").hits
    assert not [hit for hit in hits if "half up" in hit.title]
    (shop / "docs" / "tax.md").write_text("Rounding happens once, half up.\n", "utf-8")
    assert follow(kept, [task], home)
    assert _index(kept)["docs/tax.md"] == "Rounding happens once, half up."
    assert len(_index(kept)) == 5


def test_what_was_forgotten_comes_back_only_when_it_is_written_again(
    kept: Memoranda, shop: Path, home: Path
) -> None:
    task = _session(kept, shop)
    follow(kept, [task], home)
    (hit, *_) = kept.search("what do deploys wait for", workspace="shop").hits
    kept.forget(RemovalSelection(ids=[hit.id]), confirm=True)
    follow(kept, [task], home)
    assert "memory/deploys.md" not in _index(kept)
    notes = next(home.rglob("deploys.md"))
    os.utime(notes, (1_900_000_000, 1_900_000_000))
    follow(kept, [task], home)
    assert "memory/deploys.md" in _index(kept)


def test_other_agents_and_folders_without_such_files_leave_nothing(
    kept: Memoranda, shop: Path, home: Path, tmp_path: Path
) -> None:
    assert not follow(kept, [_session(kept, shop, host="codex")], home)
    assert not follow(kept, [], home)
    (tmp_path / "empty").mkdir()
    assert not follow(kept, [_session(kept, tmp_path / "empty", "s3")], tmp_path / "nowhere")
    assert HOST not in {one.host for one in kept.tasks.list()}


def test_what_privacy_excludes_is_not_indexed(engine: Settings, shop: Path, home: Path) -> None:
    from dataclasses import replace

    with Memoranda.open(settings=replace(engine, exclude_paths=("**/memory/*.md",))) as memory:
        follow(memory, [_session(memory, shop)], home)
        assert not [name for name in _index(memory) if name.startswith("memory/")]


def test_odd_files_are_passed_over(shop: Path, home: Path, tmp_path: Path) -> None:
    rules = shop / ".claude" / "rules"
    (rules / "loop").symlink_to(rules, target_is_directory=True)
    (rules / "folder.md").mkdir()
    (rules / "gone.md").symlink_to(tmp_path / "nothing")
    (shop / "CLAUDE.md").write_bytes(b"\xff\xfe@docs/tax.md\n" + b"@~nobody/x.md @/dev/zero.md\n")
    names = [name for name, _ in files_of(shop, home)]
    assert names[0] == "CLAUDE.md"
    assert len(names) == len(set(names))
    assert "memory/MEMORY.md" in names
    assert list(files_of(tmp_path / "none", tmp_path / "none")) == []


def test_the_drain_that_a_hook_starts_indexes_them(
    data_dir: Path, shop: Path, home: Path, memory: Memoranda
) -> None:
    memory.close()
    event = {
        "session_id": "s", "cwd": str(shop), "hook_event_name": "UserPromptSubmit",
        "prompt": "Mend the totals",
    }  # fmt: skip
    (data_dir / "spool").mkdir(exist_ok=True)
    line = {"v": 1, "t": 1_795_000_000_000_000_000, "h": "claude-code", "p": event}
    (data_dir / "spool" / "s.jsonl").write_text(json.dumps(line) + "\n", "utf-8")
    environ = {**os.environ, "HOME": str(home.parent), "MEMORANDA_DATA_DIR": str(data_dir)}
    done = forked_processes.run(["drain", "--quiet"], environ, shop)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    with Memoranda.open(data_dir) as opened:
        assert len(_index(opened)) == 6
        assert opened.search("tariff build", workspace="shop").hits
