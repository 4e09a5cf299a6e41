"""Memories are mirrored in files; edits of the files are stored."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from acting import acting, opened as opened_with_thread
from happenings import message_event, ran

from memoranda import Memoranda
from memoranda.config import Settings, load_settings
from memoranda.exceptions import Conflict, Forbidden, NotFound, ProfileFull, StorageUnusable
from memoranda.memories.memory_service import NewMemory
from memoranda.memories.model import Category, Memory, MemorySource, MemoryStatus, Visibility
from memoranda.memories.removal import RemovalSelection
from memoranda.mirror.model import MirrorReport
from memoranda.observations.model import Origin
from memoranda.proposals.model import MemoryEdit, ProposalKind

pytestmark = [pytest.mark.integration, pytest.mark.engines("sqlite")]

SECRET = "AKIAIOSFODNN7EXAMPLE"
REFERENCES = "Memory/Projects/shop/references.md"
PATTERNS = "Memory/Projects/shop/patterns.md"
LEARNINGS = "Memory/Projects/shop/learnings.md"


def opened(settings: Settings) -> Memoranda:
    """Open a store whose jobs run only on request."""
    memory = opened_with_thread(settings)
    memory._services.background.stop()
    return memory


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return load_settings({"data_dir": tmp_path / "data"}, {})


@pytest.fixture
def memory(settings: Settings) -> Iterator[Memoranda]:
    with opened(settings) as memory:
        yield memory


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return tmp_path / "files"


def stated(memory: Memoranda, text: str, **more: object) -> Memory:
    values = {"category": Category.DOMAIN_KNOWLEDGE} | more
    return memory.remember(NewMemory(text, **values), workspace="shop")  # type: ignore[arg-type]


def changed(path: Path, old: str, new: str) -> None:
    """Edit a file as an editor does, by replacing it."""
    text = path.read_text("utf-8")
    assert old in text
    draft = path.with_name("draft")
    draft.write_text(text.replace(old, new), "utf-8")
    draft.replace(path)


def appended(path: Path, text: str) -> None:
    with path.open("a", encoding="utf-8") as file:
        file.write(text)


def content(memory: Memoranda, id: str) -> str:
    return memory.memories.evidence(id).memory.content


def files(root: Path) -> dict[str, bytes]:
    """Return all files below a folder, hidden ones included."""
    return {
        path.relative_to(root).as_posix(): path.read_bytes()
        for path in sorted(root.rglob("*"))
        if path.is_file()
    }


def holds(root: Path, text: str) -> list[str]:
    """Return the files with a text in their name or content."""
    return [name for name, data in files(root).items() if text.encode() in data or text in name]


def report_text(report: MirrorReport) -> str:
    return "\n".join(f"{note.path}: {note.what}" for note in report.notes)


def test_memories_are_in_files_of_their_category(engine: Settings, tmp_path: Path) -> None:
    root = tmp_path / "files"
    with opened(engine) as memory:
        pattern = stated(memory, "Retry twice", category=Category.PATTERN, tags=("net",))
        decision = stated(memory, "Chose SQLite\n## of course", category=Category.DECISION)
        rule = memory.remember(
            NewMemory("Say why", category=Category.LEARNED_RULE, visibility=Visibility.TEAM)
        )
        memory.mirror.enable(root)
        base = root / "Memory"
        text = (base / "Projects/shop/decisions.md").read_text("utf-8")
        assert f"## Chose SQLite\n<!-- memoranda {decision.id} version 1" in text
        assert "\n\\## of course\n" in text
        beside = json.loads((base / "Projects/shop/patterns.json").read_text("utf-8"))
        assert [one["id"] for one in beside["memories"]] == [pattern.id]
        assert beside["memories"][0]["tags"] == ["net"]
        assert rule.id in (base / "Global/learnings.md").read_text("utf-8")
        assert "- Say why" in (base / "Projects/shop/agent.md").read_text("utf-8")
        assert "- Say why" in (base / "Global/agent.md").read_text("utf-8")
        index = json.loads((base / "Index/memories.json").read_text("utf-8"))["memories"]
        assert {one["id"]: one["file"] for one in index} == {
            pattern.id: "Memory/Projects/shop/patterns.md",
            decision.id: "Memory/Projects/shop/decisions.md",
            rule.id: "Memory/Global/learnings.md",
        }
        assert json.loads((base / "Index/tags.json").read_text("utf-8"))["tags"] == {
            "net": [pattern.id]
        }
        pairs = {name.rpartition(".")[0] for name in files(root) if name.endswith(".md")}
        alone = {name for name in pairs if f"{name}.json" not in files(root)}
        assert {name.rpartition("/")[2] for name in alone} == {"agent"}


def test_tasks_and_pending_proposals_are_in_files_too(engine: Settings, tmp_path: Path) -> None:
    root = tmp_path / "files"
    with opened(engine) as memory:
        seen = memory.observe("ran the tests", task="one", workspace="shop")
        number = memory.tasks.show(seen.task).number
        memory.tasks.note(seen.task, {"plan": ["look", "mend"], "diff": "-a\n+b"})
        stated(memory, "Tests need a clock", evidence=(seen.id,))
        acting(memory, "bob", "shop").remember("Bob thinks so")
        memory.mirror.enable(root)
        base = root / "Memory"
        assert (base / f"Execution/{number}/changes.diff").read_text("utf-8") == "-a\n+b"
        assert "mend" in (base / f"Execution/{number}/context.md").read_text("utf-8")
        learned = (base / f"Execution/{number}/learnings.md").read_text("utf-8")
        assert "Tests need a clock" in learned
        assert f"# Task {number}" in (base / f"Execution/{number}/summary.md").read_text("utf-8")
        assert (base / f"Tasks/active/{number}.md").exists()
        (waits,) = memory.proposals.list().items
        (pending,) = (base / "Pending").glob("*.md")
        assert waits.id in pending.name
        assert "Bob thinks so" in pending.read_text("utf-8")
        assert json.loads(pending.with_suffix(".json").read_text("utf-8"))["hash"] == waits.hash
        assert holds(base / "Projects", "Bob thinks so") == []
        memory.proposals.approve(waits.id, waits.hash)
        memory.mirror.sync()
        assert not (base / "Pending").exists()
        assert holds(base / "Projects", "Bob thinks so") != []


def test_the_archive_of_a_task_that_taught_nothing_is_written_too(
    memory: Memoranda, root: Path
) -> None:
    where: dict[str, Any] = {"session": "s", "cwd": "/srv/shop"}
    reads = [ran(f"a{n}", f"cat file{n}.md", "text", **where) for n in range(1, 9)]
    done = ran("a9", "git commit -m 'Changelog'", "done", **where)
    memory.capture.take(
        [message_event("a0", "Write the changelog of the release.", **where), *reads, done]
    )
    memory.capture.drain()
    memory.mirror.enable(root)
    left = memory.tasks.end("1", "completed")
    assert left.archive and not left.learnings.proposals
    memory.capture.drain()
    assert holds(root, left.archive) != []


def test_what_changes_is_written_by_a_job(engine: Settings, tmp_path: Path) -> None:
    root = tmp_path / "files"
    with opened(engine) as memory:
        memory.mirror.enable(root)
        kept = stated(memory, "Port 8080")
        memory.capture.drain()
        assert holds(root, "Port 8080") != []
        memory.memories.edit(kept.id, MemoryEdit(content="Port 9090"))
        memory.capture.drain()
        assert holds(root, "Port 8080") == []
        assert holds(root, "Port 9090") != []
        memory.memories.archive(kept.id)
        memory.capture.drain()
        assert holds(root, "Port 9090") == []


def test_files_that_need_no_change_are_not_touched(memory: Memoranda, root: Path) -> None:
    stated(memory, "Port 8080")
    memory.mirror.enable(root)

    def stamps() -> dict[Path, tuple[int, int]]:
        found = [path for path in root.rglob("*") if path.is_file()]
        return {path: (path.stat().st_mtime_ns, path.stat().st_ino) for path in found}

    before = stamps()
    assert memory.mirror.sync().written == []
    assert stamps() == before
    stated(memory, "Use UTC", category=Category.DECISION)
    memory.mirror.sync()
    same = {path for path, stamp in stamps().items() if before.get(path) == stamp}
    assert root / REFERENCES in same
    assert root / "Memory/Projects/shop/decisions.md" not in same


def test_files_are_their_owners_alone(memory: Memoranda, root: Path) -> None:
    old = os.umask(0)
    try:
        stated(memory, "Port 8080")
        memory.mirror.enable(root)
    finally:
        os.umask(old)
    for path in [root, *root.rglob("*")]:
        assert path.stat().st_mode & 0o777 == (0o700 if path.is_dir() else 0o600), path


def test_an_agents_own_memories_are_never_written(engine: Settings, tmp_path: Path) -> None:
    root = tmp_path / "files"
    with opened(engine) as memory:
        bob = acting(memory, "bob", "shop")
        own = bob.remember(NewMemory("Bobs own secret thought", visibility=Visibility.AGENT))
        bob.memories.edit(own.id, MemoryEdit(content="Bobs other thought"))
        memory.mirror.enable(root)
        for trace in ("thought", own.id):
            assert holds(root, trace) == []


def test_an_edit_of_a_text_is_an_edit_of_its_memory(engine: Settings, tmp_path: Path) -> None:
    root = tmp_path / "files"
    with opened(engine) as memory:
        kept = stated(memory, "Port 8080\nfor the gateway")
        other = stated(memory, "Use UTC")
        memory.mirror.enable(root)
        changed(root / REFERENCES, "for the gateway", "for the proxy")
        report = memory.mirror.sync()
        assert (report.edited, report.conflicts, report.proposed) == ([kept.id], [], [])
        assert content(memory, kept.id) == "Port 8080\nfor the proxy"
        (version,) = memory.memories.history(kept.id).items
        assert version.state.content == "Port 8080\nfor the gateway"
        assert version.actor == "human"
        assert REFERENCES in version.reason
        assert memory.memories.history(other.id).items == ()
        assert "version 2" in (root / REFERENCES).read_text("utf-8")
        assert memory.mirror.sync().edited == []
        changed(root / REFERENCES, "## Port 8080", "## The port")
        memory.mirror.sync()
        assert memory.memories.evidence(kept.id).memory.title == "The port"


def test_an_edit_is_taken_in_before_the_file_is_written(memory: Memoranda, root: Path) -> None:
    kept = stated(memory, "Port 8080")
    memory.mirror.enable(root)
    changed(root / REFERENCES, "\nPort 8080\n", "\nPort 9090\n")
    stated(memory, "Use UTC")
    memory.capture.drain()
    assert content(memory, kept.id) == "Port 9090"
    text = (root / REFERENCES).read_text("utf-8")
    assert "Port 9090" in text
    assert "Use UTC" in text
    memory.capture.drain()
    assert "Port 9090" in memory.context(workspace="shop").text or kept.status == "approved"


def test_changes_on_both_sides_are_a_conflict(engine: Settings, tmp_path: Path) -> None:
    root = tmp_path / "files"
    with opened(engine) as memory:
        kept = stated(memory, "Port 8080")
        memory.mirror.enable(root)
        changed(root / REFERENCES, "\nPort 8080\n", "\nPort 9090\n")
        memory._services.memory_edits.edit(
            memory._scope, kept.id, MemoryEdit(content="Port 7070"), "meanwhile"
        )
        report = memory.mirror.sync()
        aside = "Memory/Projects/shop/references.conflict-1.md"
        assert (report.edited, report.conflicts, report.proposed) == ([], [aside], [kept.id])
        assert "Port 9090" in (root / aside).read_text("utf-8")
        assert "Port 7070" in (root / REFERENCES).read_text("utf-8")
        assert content(memory, kept.id) == "Port 7070"
        (waits,) = memory.proposals.list().items
        assert (waits.kind, waits.after.content) == (ProposalKind.UPDATE, "Port 9090")
        assert aside in waits.reason
        status = memory.mirror.status()
        assert status.conflicts == (aside,)
        assert status.mirror
        assert "changed here and in the store" in status.mirror.notes[0].what
        again = memory.mirror.sync()
        assert (again.conflicts, again.written) == ([], [])
        memory.proposals.approve(waits.id, waits.hash)
        memory.mirror.sync()
        assert "Port 9090" in (root / REFERENCES).read_text("utf-8")
        (root / aside).unlink()
        memory.mirror.sync()
        assert memory.mirror.status().conflicts == ()


def test_an_editor_that_held_a_file_while_it_was_written_takes_nothing_back(
    memory: Memoranda, root: Path
) -> None:
    kept = stated(memory, "Port 8080")
    other = stated(memory, "Use UTC")
    memory.mirror.enable(root)
    text = (root / REFERENCES).read_text("utf-8")
    memory.memories.edit(kept.id, MemoryEdit(content="Port 7070"))
    memory.memories.edit(other.id, MemoryEdit(content="Use CET"))
    memory.mirror.sync()
    saved = text.replace("\nUse UTC\n", "\nUse EST\n")
    (root / REFERENCES).write_text(saved, "utf-8")
    report = memory.mirror.sync()
    assert content(memory, kept.id) == "Port 7070"
    assert content(memory, other.id) == "Use CET"
    assert (report.edited, report.proposed) == ([], [other.id])
    assert "Use EST" in (root / report.conflicts[0]).read_text("utf-8")


def test_a_person_may_go_on_where_a_run_was_killed_before_it_wrote(
    memory: Memoranda, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = stated(memory, "Port 1")
    memory.mirror.enable(root)
    with monkeypatch.context() as patched:
        patched.setattr("memoranda.mirror.writer.MirrorWriter.run", lambda *_: MirrorReport())
        changed(root / REFERENCES, "\nPort 1\n", "\nPort 2\n")
        memory.mirror.sync()
        for before, after in ((2, 3), (3, 1)):
            changed(root / REFERENCES, f"\nPort {before}\n", f"\nPort {after}\n")
            assert memory.mirror.sync().edited == [kept.id]
            assert content(memory, kept.id) == f"Port {after}"
    report = memory.mirror.sync()
    assert (report.edited, report.conflicts) == ([], [])
    assert memory.proposals.list().items == ()
    assert content(memory, kept.id) == "Port 1"


def test_the_same_change_on_both_sides_is_none(memory: Memoranda, root: Path) -> None:
    kept = stated(memory, "Port 8080")
    memory.mirror.enable(root)
    changed(root / REFERENCES, "Port 8080", "Port 9090")
    memory.memories.edit(kept.id, MemoryEdit(title="Port 9090", content="Port 9090"))
    report = memory.mirror.sync()
    assert (report.edited, report.conflicts) == ([], [])
    assert len(memory.memories.history(kept.id).items) == 1


def test_a_change_that_the_file_does_not_show_is_no_conflict(memory: Memoranda, root: Path) -> None:
    kept = stated(memory, "Port 8080")
    memory.mirror.enable(root)
    memory.memories.edit(kept.id, MemoryEdit(critical=True, category=Category.DECISION))
    changed(root / REFERENCES, "\nPort 8080\n", "\nPort 9090\n")
    report = memory.mirror.sync()
    assert (report.edited, report.conflicts) == ([kept.id], [])
    found = memory.memories.evidence(kept.id).memory
    assert (found.content, found.critical) == ("Port 9090", True)
    assert holds(root, "Port 9090") != []


def test_a_new_heading_becomes_a_memory_of_a_person(engine: Settings, tmp_path: Path) -> None:
    root = tmp_path / "files"
    with opened(engine) as memory:
        stated(memory, "Port 8080")
        memory.mirror.enable(root)
        decisions = root / "Memory/Projects/shop/decisions.md"
        appended(decisions, "\n## Use UTC\n\nEverywhere, always.\n\n## Only a heading\n")
        appended(root / "Memory/Global/anti-patterns.md", "\n## No sleeps\n\nThey flake.\n")
        report = memory.mirror.sync()
        added = {
            one.title: one for one in (memory.memories.evidence(id).memory for id in report.added)
        }
        assert set(added) == {"Use UTC", "Only a heading", "No sleeps"}
        utc = added["Use UTC"]
        assert (utc.category, utc.content) == (Category.DECISION, "Everywhere, always.")
        assert (utc.source, utc.origin) == (MemorySource.MANUAL, Origin.HUMAN)
        assert utc.status is MemoryStatus.APPROVED
        assert added["No sleeps"].visibility is Visibility.TEAM
        assert added["No sleeps"].category is Category.ANTI_PATTERN
        assert f"## Use UTC\n<!-- memoranda {utc.id} version 1" in decisions.read_text("utf-8")
        assert memory.mirror.sync().added == []


def test_text_above_the_entries_becomes_a_memory_too(memory: Memoranda, root: Path) -> None:
    stated(memory, "Port 8080")
    memory.mirror.enable(root)
    changed(root / REFERENCES, "-->\n\n## Port", "-->\n\nMind the gap.\n\n## Port")
    (id,) = memory.mirror.sync().added
    assert content(memory, id) == "Mind the gap."


def test_a_copied_entry_that_was_changed_is_a_new_memory(memory: Memoranda, root: Path) -> None:
    kept = stated(memory, "Port 8080")
    memory.mirror.enable(root)
    text = (root / REFERENCES).read_text("utf-8")
    entry = text[text.index("\n## ") :]
    appended(root / REFERENCES, "\n" + entry + "\n" + entry.replace("8080", "9090"))
    report = memory.mirror.sync()
    assert (report.edited, len(report.added)) == ([], 1)
    assert content(memory, kept.id) == "Port 8080"
    assert content(memory, report.added[0]) == "Port 9090"


def test_a_removed_entry_is_a_proposal_to_archive(engine: Settings, tmp_path: Path) -> None:
    root = tmp_path / "files"
    with opened(engine) as memory:
        first = stated(memory, "Port 8080")
        second = stated(memory, "Use UTC")
        safe = stated(memory, "Never force", protected=True)
        memory.mirror.enable(root)
        text = (root / REFERENCES).read_text("utf-8")
        (root / REFERENCES).write_text(text[: text.index("## Use UTC")], "utf-8")
        report = memory.mirror.sync()
        assert report.proposed == [second.id]
        assert "protected" in report_text(report)
        (waits,) = memory.proposals.list().items
        assert (waits.kind, waits.memory) == (ProposalKind.ARCHIVE, second.id)
        for id in (first.id, second.id, safe.id):
            assert memory.memories.evidence(id).memory.status is MemoryStatus.APPROVED
        assert "## Use UTC" in (root / REFERENCES).read_text("utf-8")
        assert memory.mirror.sync().proposed == []
        memory.proposals.approve(waits.id, waits.hash)
        memory.mirror.sync()
        assert "Use UTC" not in (root / REFERENCES).read_text("utf-8")


def test_an_entry_that_was_emptied_is_a_proposal_to_archive(memory: Memoranda, root: Path) -> None:
    kept = stated(memory, "Port 8080")
    memory.mirror.enable(root)
    changed(root / REFERENCES, "\nPort 8080\n", "\n")
    assert memory.mirror.sync().proposed == [kept.id]
    assert "\nPort 8080\n" in (root / REFERENCES).read_text("utf-8")


def test_an_entry_that_was_moved_to_another_file_is_still_its_memory(
    memory: Memoranda, root: Path
) -> None:
    kept = stated(memory, "Port 8080")
    memory.mirror.enable(root)
    text = (root / REFERENCES).read_text("utf-8")
    at = text.index("\n## ")
    (root / REFERENCES).write_text(text[:at], "utf-8")
    moved = text[at:].replace("\nPort 8080\n", "\nPort 1\n")
    appended(root / "Memory/Projects/shop/patterns.md", moved)
    report = memory.mirror.sync()
    assert (report.edited, report.proposed, report.added) == ([kept.id], [], [])
    assert content(memory, kept.id) == "Port 1"


@pytest.mark.parametrize("how", ["gone", "empty", "all"])
def test_a_file_that_was_deleted_is_written_again(memory: Memoranda, root: Path, how: str) -> None:
    kept = stated(memory, "Port 8080")
    memory.mirror.enable(root)
    before = files(root)
    if how == "gone":
        (root / REFERENCES).unlink()
    elif how == "empty":
        (root / REFERENCES).write_text("\n")
    else:
        for path in sorted((root / "Memory").rglob("*"), reverse=True):
            path.rmdir() if path.is_dir() else path.unlink()
    report = memory.mirror.sync()
    assert f"{REFERENCES}: was deleted; it will be written again" in report_text(report)
    assert report.proposed == []
    assert files(root) == before
    assert content(memory, kept.id) == "Port 8080"


def test_a_file_that_was_renamed_is_found_by_what_is_in_it(memory: Memoranda, root: Path) -> None:
    kept = stated(memory, "Port 8080")
    memory.mirror.enable(root)
    moved = root / "Memory/Projects/shop/my notes.md"
    (root / REFERENCES).rename(moved)
    changed(moved, "\nPort 8080\n", "\nPort 9090\n\n## New one\n\nOf the shop.\n")
    report = memory.mirror.sync()
    assert report.edited == [kept.id]
    (new,) = [memory.memories.evidence(id).memory for id in report.added]
    assert (new.category, new.content) == (Category.DOMAIN_KNOWLEDGE, "Of the shop.")
    assert new.workspace == kept.workspace
    assert not moved.exists()
    text = (root / REFERENCES).read_text("utf-8")
    assert "Port 9090" in text
    assert "Of the shop." in text
    assert report.proposed == []


def test_a_page_with_nothing_but_new_text_is_found_under_another_name(
    memory: Memoranda, root: Path
) -> None:
    stated(memory, "Port 8080")
    memory.mirror.enable(root)
    page = root / "Memory/Projects/shop/decisions.md"
    appended(page, "\n## Use UTC\n\nAlways.\n")
    page.rename(page.with_name("mine.md"))
    (id,) = memory.mirror.sync().added
    assert content(memory, id) == "Always."
    assert page.exists()
    assert not page.with_name("mine.md").exists()


@pytest.mark.parametrize(
    ("data", "why"), [(b"\xff\xfe\x00", "is not UTF-8"), (b"a\0b", "is no text")]
)
def test_what_is_no_text_is_kept_as_it_is(
    memory: Memoranda, root: Path, data: bytes, why: str
) -> None:
    kept = stated(memory, "Port 8080")
    memory.mirror.enable(root)
    agent = root / "Memory/Projects/shop/agent.md"
    for path in (root / REFERENCES, agent):
        path.write_bytes(data)
    report = memory.mirror.sync()
    aside = root / "Memory/Projects/shop/references.kept-1.md"
    assert aside.read_bytes() == data
    assert agent.with_name("agent.kept-1.md").read_bytes() == data
    assert why in report_text(report)
    assert report.proposed == []
    assert "Port 8080" in (root / REFERENCES).read_text("utf-8")
    assert len(memory.mirror.status().kept) == 2
    assert memory.mirror.sync().notes == []
    assert content(memory, kept.id) == "Port 8080"


def test_a_file_that_is_too_large_is_kept_as_it_is(memory: Memoranda, root: Path) -> None:
    memory.remember("x", workspace="shop")
    memory.mirror.enable(root)
    for name, size in (("references", 9 << 20), ("decisions", 33 << 20)):
        path = root / f"Memory/Projects/shop/{name}.md"
        with path.open("ab") as file:
            file.truncate(size) if name == "decisions" else file.write(b"a" * size)
    report = memory.mirror.sync()
    assert report_text(report).count("is too large; kept as") == 2
    assert (root / "Memory/Projects/shop/references.kept-1.md").stat().st_size > 9 << 20
    assert (root / REFERENCES).exists()


def test_what_is_too_long_for_a_memory_is_kept_beside(memory: Memoranda, root: Path) -> None:
    kept = stated(memory, "Port 8080")
    memory.mirror.enable(root)
    changed(root / REFERENCES, "\nPort 8080\n", f"\n{'long ' * 5_000}\n")
    appended(root / REFERENCES, f"\n## New\n\n{'wide ' * 5_000}\n")
    report = memory.mirror.sync()
    assert len(report.conflicts) == 2
    assert "long long" in (root / report.conflicts[0]).read_text("utf-8")
    assert "wide wide" in (root / report.conflicts[1]).read_text("utf-8")
    assert "at most 20,000 characters" in report_text(report)
    assert content(memory, kept.id) == "Port 8080"
    assert memory.proposals.list().items == ()
    assert memory.mirror.sync().conflicts == []


def test_the_same_text_written_twice_that_is_too_long_is_kept_beside_once(
    engine: Settings, tmp_path: Path
) -> None:
    root = tmp_path / "files"
    with opened(engine) as memory:
        stated(memory, "Port 8080")
        memory.mirror.enable(root)
        appended(root / REFERENCES, f"\n## New\n\n{'wide ' * 5_000}\n" * 2)
        assert len(set(memory.mirror.sync().conflicts)) == 1
        assert memory.mirror.sync().conflicts == []


def test_what_the_profile_has_no_room_for_is_kept_beside_and_the_rest_is_taken_in(
    memory: Memoranda, root: Path
) -> None:
    long = " ".join(f"word{n}" for n in range(700))
    rule = stated(memory, "Commits are small", category=Category.PROJECT_PATTERN)
    with pytest.raises(ProfileFull):
        for number in range(20):
            stated(memory, f"Rule {number}: {long}", category=Category.PROJECT_PATTERN)
    secret = stated(memory, "The vault is under the blue stone", category=Category.INSIGHT)
    memory.mirror.enable(root)
    changed(root / PATTERNS, "\nCommits are small\n", f"\nCommits are small {long}\n")
    appended(root / LEARNINGS, "\n## Staging\n\nThe staging host is called heron.\n")
    report = memory.mirror.sync()
    assert (len(report.conflicts), len(report.added)) == (1, 1)
    assert "tokens" in report_text(report)
    assert content(memory, rule.id) == "Commits are small"
    assert memory.forget(RemovalSelection(ids=[secret.id]), confirm=True).memories == 1
    assert holds(root, "blue stone") == []


def test_a_file_that_is_made_from_others_keeps_a_persons_version_beside(
    memory: Memoranda, root: Path
) -> None:
    stated(memory, "Say why", category=Category.LEARNED_RULE)
    memory.mirror.enable(root)
    base = root / "Memory/Projects/shop"
    before = (base / "agent.md").read_bytes()
    appended(base / "agent.md", "mine\n")
    appended(base / "learnings.json", "mine\n")
    report = memory.mirror.sync()
    assert sorted(report.conflicts) == [
        "Memory/Projects/shop/agent.conflict-1.md",
        "Memory/Projects/shop/learnings.conflict-1.json",
    ]
    assert (base / "agent.conflict-1.md").read_text("utf-8").endswith("mine\n")
    assert (base / "agent.md").read_bytes() == before
    assert memory.mirror.sync().conflicts == []


def test_secrets_in_edits_are_taken_out_of_everything(engine: Settings, tmp_path: Path) -> None:
    root = tmp_path / "files"
    with opened(engine) as memory:
        kept = stated(memory, "The key is in the vault")
        both = stated(memory, "Use UTC")
        memory.mirror.enable(root)
        changed(root / REFERENCES, "\nThe key is in the vault\n", f"\nThe key is {SECRET}\n")
        changed(root / REFERENCES, "\nUse UTC\n", f"\nUse {SECRET}\n")
        appended(root / REFERENCES, f"\n## New {SECRET}\n\nkey {SECRET}\n")
        appended(root / "Memory/Projects/shop/agent.md", SECRET)
        memory._services.memory_edits.edit(
            memory._scope, both.id, MemoryEdit(content="Use CET"), "meanwhile"
        )
        report = memory.mirror.sync()
        assert len(report.conflicts) == 2
        assert report.edited == [kept.id]
        assert SECRET not in content(memory, kept.id)
        assert "The key is" in content(memory, kept.id)
        assert holds(root, SECRET) == []
        listed = [one.content + one.title for one in memory.memories.list().items]
        assert not any(SECRET in text for text in listed)
        assert not any(SECRET in one.after.content for one in memory.proposals.list())
        assert memory.mirror.sync().edited == []


def test_forgetting_leaves_no_trace_in_the_folder(engine: Settings, tmp_path: Path) -> None:
    root = tmp_path / "files"
    with opened(engine) as memory:
        kept = stated(memory, "zebra 8080", tags=("striped",), category=Category.LEARNED_RULE)
        stays = stated(memory, "Use UTC", category=Category.LEARNED_RULE)
        memory.mirror.enable(root)
        page = root / "Memory/Projects/shop/learnings.md"
        changed(page, "\nzebra 8080\n", "\nzebra 9090\n")
        memory._services.memory_edits.edit(
            memory._scope, kept.id, MemoryEdit(content="zebra 7070"), "meanwhile"
        )
        assert len(memory.mirror.sync().conflicts) == 1
        appended(root / "Memory/Projects/shop/agent.md", "- zebra mine\n")
        memory.mirror.sync()
        (waits,) = memory.proposals.list().items
        assert holds(root, "zebra") != []
        changed(page, "\nzebra 7070\n", "\nzebra 5050\n")  # not imported yet
        changed(page, "\nUse UTC\n", "\nUse CET\n")
        receipt = memory.forget(RemovalSelection(ids=[kept.id]), confirm=True)
        for trace in ("zebra", kept.id, "striped", waits.id):
            assert holds(root, trace) == [], trace
        assert "mirror" in receipt.places
        assert content(memory, stays.id) == "Use CET"
        assert memory.mirror.status().conflicts == ()


def test_a_forgotten_task_is_gone_from_the_folder(memory: Memoranda, root: Path) -> None:
    seen = memory.observe("zebra crossed", task="one", workspace="shop")
    memory.tasks.note(seen.task, {"diff": "zebra"})
    memory.mirror.enable(root)
    appended(root / "Memory/Execution/1/summary.md", "my zebra\n")
    memory.mirror.sync()
    assert holds(root, "zebra") != []
    memory.forget(RemovalSelection(task=seen.task), confirm=True)
    assert holds(root, "zebra") == []
    assert not (root / "Memory/Execution").exists()


def test_a_receipt_lists_what_forgetting_does_not_reach(memory: Memoranda, root: Path) -> None:
    kept = stated(memory, "zebra 8080")
    memory.mirror.enable(root)
    (root / REFERENCES).write_bytes(b"zebra \xff")
    memory.mirror.sync()
    receipt = memory.forget(RemovalSelection(ids=[kept.id]), confirm=True)
    assert any("references.kept-1.md" in place for place in receipt.not_reached)
    root.rename(root.with_name("away"))
    other = stated(memory, "lion")
    receipt = memory.forget(RemovalSelection(ids=[other.id]), confirm=True)
    assert "mirror" not in receipt.places
    assert any("not on this machine" in place for place in receipt.not_reached)
    assert not root.exists()


def test_a_text_of_a_forgotten_memory_does_not_come_back_from_a_copy(
    memory: Memoranda, root: Path
) -> None:
    kept = stated(memory, "zebra 8080")
    memory.mirror.enable(root)
    copy = (root / REFERENCES).read_bytes()
    memory.forget(RemovalSelection(ids=[kept.id]), confirm=True)
    (root / "Memory/Projects/shop/copy.md").write_bytes(copy)
    report = memory.mirror.sync()
    assert report.added == []
    assert holds(root, "zebra") == []


def test_turning_it_off_leaves_only_what_people_wrote(memory: Memoranda, root: Path) -> None:
    kept = stated(memory, "Port 8080")
    memory.mirror.enable(root)
    (root / "mine.txt").write_text("mine")
    (root / "Memory/Projects/shop/list.txt").write_text("mine too")
    changed(root / REFERENCES, "\nPort 8080\n", "\nPort 9090\n")
    memory.mirror.disable()
    assert content(memory, kept.id) == "Port 9090"
    assert set(files(root)) == {"mine.txt", "Memory/Projects/shop/list.txt"}
    assert memory.mirror.status().mirror is None
    for act in (memory.mirror.disable, memory.mirror.sync, memory.mirror.rebuild):
        with pytest.raises(NotFound, match="mirror on"):
            act()
    (root / "Memory/Projects/shop/list.txt").unlink()
    memory.mirror.enable(root)
    assert "Port 9090" in (root / REFERENCES).read_text("utf-8")


def test_the_index_is_rebuilt_with_the_mirror(memory: Memoranda, root: Path) -> None:
    kept = stated(memory, "Port 8080")
    memory.mirror.enable(root)
    before = files(root)
    changed(root / REFERENCES, "\nPort 8080\n", "\nPort 9090\n")
    (root / "Memory/Index/tags.json").unlink()
    memory.index.rebuild()
    assert content(memory, kept.id) == "Port 9090"
    assert set(files(root)) == set(before)
    memory.mirror.rebuild()
    assert memory.mirror.sync().written == []


def test_a_folder_that_is_gone_is_made_again_when_asked_for(memory: Memoranda, root: Path) -> None:
    stated(memory, "Port 8080")
    memory.mirror.enable(root)
    before = set(files(root))
    root.rename(root.with_name("away"))
    stated(memory, "Use UTC")
    memory.capture.drain()
    assert not root.exists()  # without its disk, nothing is written to the mount point
    assert not memory.mirror.status().reachable
    memory.mirror.sync()
    assert set(files(root)) == before


def test_workspaces_of_nearly_the_same_name_have_their_own_folders(
    memory: Memoranda, root: Path
) -> None:
    for name in ("Shop", "shop", "a/b", "a:b", "CON", "...", "x" * 200):
        memory.remember(NewMemory(f"of {name}", category=Category.DOMAIN_KNOWLEDGE), workspace=name)
    memory.mirror.enable(root)
    folders = [path.name for path in (root / "Memory/Projects").iterdir()]
    assert len({name.casefold() for name in folders}) == 7
    assert all(re.fullmatch(r"[\w-][\w -]{0,70}", name) for name in folders)
    assert memory.mirror.sync().written == []


def test_pages_have_an_end(memory: Memoranda, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("memoranda.mirror.expected_files.ENTRIES", 3)
    kept = [stated(memory, f"fact {number}") for number in range(7)]
    memory.mirror.enable(root)
    base = root / "Memory/Projects/shop"
    assert "fact 6" in (base / "references-3.md").read_text("utf-8")
    changed(base / "references-2.md", "\nfact 4\n", "\nfact four\n")
    appended(base / "references-3.md", "\n## Added\n\nhere\n")
    memory.memories.archive(kept[0].id)
    memory.mirror.sync()
    assert content(memory, kept[4].id) == "fact four"
    texts = [path.read_text("utf-8") for path in sorted(base.glob("references*.md"))]
    assert [text.count("<!-- memoranda ") for text in texts] == [3, 1, 3]  # -2, -3, the first
    (added,) = memory.memories.list(category=Category.DOMAIN_KNOWLEDGE).items[:1]
    assert (added.title, added.content) == ("Added", "here")


# ---------------------------------------------------------------------- impossible operations


def test_a_folder_within_another_mirror_is_refused(
    memory: Memoranda, root: Path, tmp_path: Path
) -> None:
    memory.mirror.enable(root)
    other = replace(memory.settings, data_dir=tmp_path / "other")
    with opened(other) as another:
        for folder in (root, root / "Memory", root / "deep" / "er"):
            with pytest.raises(Conflict, match="another store's mirror"):
                another.mirror.enable(folder)
        assert another.mirror.status().mirror is None
    with pytest.raises(Conflict, match="mirror off"):
        memory.mirror.enable(tmp_path / "elsewhere")
    assert memory.mirror.enable(root).written == []


def test_a_folder_with_other_files_where_memories_would_be_is_refused(
    memory: Memoranda, root: Path
) -> None:
    (root / "Memory").mkdir(parents=True)
    (root / "Memory/mine.md").write_text("## mine\n\nmine")
    (root / "README.md").write_text("mine")
    with pytest.raises(Conflict, match="contains other files"):
        memory.mirror.enable(root)
    assert memory.mirror.status().mirror is None
    assert set(files(root)) == {"Memory/mine.md", "README.md"}
    (root / "Memory/mine.md").unlink()
    memory.mirror.enable(root)
    assert (root / "README.md").read_text() == "mine"


def test_a_file_in_place_of_the_folder_is_refused(memory: Memoranda, root: Path) -> None:
    root.write_text("mine")
    for folder in (root, root / "below"):
        with pytest.raises((Conflict, StorageUnusable)):
            memory.mirror.enable(folder)
    assert memory.mirror.status().mirror is None
    assert root.read_text() == "mine"


def test_a_place_that_cannot_be_written_is_an_error_with_what_to_do(memory: Memoranda) -> None:
    with pytest.raises(StorageUnusable, match="mirror"):
        memory.mirror.enable("/proc/nonesuch/mirror")
    assert memory.mirror.status().mirror is None
    assert stated(memory, "Port 8080").status is MemoryStatus.APPROVED


@pytest.mark.parametrize("what", ["Memory/Projects", "Memory/Projects/shop", "Memory"])
@pytest.mark.parametrize("how", ["link", "file"])
def test_links_and_files_in_place_of_folders_are_not_gone_through(
    memory: Memoranda, root: Path, tmp_path: Path, what: str, how: str
) -> None:
    stated(memory, "Port 8080")
    memory.mirror.enable(root)
    outside = tmp_path / "outside"
    (root / what).rename(outside)
    before = files(outside)
    if how == "link":
        (root / what).symlink_to(outside)
    else:
        (root / what).write_text("mine")
    kept = stated(memory, "Use UTC")
    report = memory.mirror.sync()
    assert files(outside) == before
    assert "not written" in report_text(report)
    assert ("is a link" if how == "link" else "is not a folder") in report_text(report)
    assert content(memory, kept.id) == "Use UTC"
    (root / what).unlink()
    memory.mirror.sync()
    assert "Use UTC" in (root / REFERENCES).read_text("utf-8")


def test_a_link_in_place_of_a_file_is_put_aside(
    memory: Memoranda, root: Path, tmp_path: Path
) -> None:
    stated(memory, "Port 8080")
    memory.mirror.enable(root)
    outside = tmp_path / "outside.md"
    outside.write_text("## Theirs\n\nnot ours\n")
    (root / REFERENCES).unlink()
    (root / REFERENCES).symlink_to(outside)
    report = memory.mirror.sync()
    assert report.added == []
    assert outside.read_text() == "## Theirs\n\nnot ours\n"
    assert not (root / REFERENCES).is_symlink()
    assert (root / "Memory/Projects/shop/references.kept-1.md").is_symlink()


@pytest.mark.parametrize("kind", ["folder", "pipe"])
def test_what_is_no_file_in_place_of_one_is_left_and_reported(
    memory: Memoranda, root: Path, kind: str
) -> None:
    stated(memory, "Port 8080")
    memory.mirror.enable(root)
    (root / REFERENCES).unlink()
    if kind == "folder":
        (root / REFERENCES).mkdir()
    else:
        os.mkfifo(root / REFERENCES)
    report = memory.mirror.sync()
    assert "is not a regular file" in report_text(report)
    assert not (root / REFERENCES).is_file()


def test_files_of_nobody_here_are_left(memory: Memoranda, root: Path) -> None:
    stated(memory, "Port 8080")
    memory.mirror.enable(root)
    theirs = {
        "Memory/Projects/shop/todo.md": b"## todo\n",
        "Memory/Projects/new/patterns.md": b"## x\n",
    }
    for name, data in theirs.items():
        (root / name).parent.mkdir(exist_ok=True)
        (root / name).write_bytes(data)
    report = memory.mirror.sync()
    assert report.added == []
    assert report_text(report).count("is not a file of the mirror; it is left unchanged") == 2
    assert {name: files(root)[name] for name in theirs} == theirs


def test_a_file_that_stands_where_one_is_to_be_made_is_kept(memory: Memoranda, root: Path) -> None:
    memory.mirror.enable(root)
    base = root / "Memory/Projects/shop"
    base.mkdir(parents=True)
    (base / "agent.md").write_text("mine")
    (base / "patterns.md").write_text("## Retry\n\ntwice\n")
    stated(memory, "Port 8080")
    memory.capture.drain()
    memory.mirror.sync()
    assert (base / "agent.kept-1.md").read_text() == "mine"
    assert "# Agent memory" in (base / "agent.md").read_text()
    found = memory.memories.list(category=Category.PATTERN).items
    assert [(one.title, one.content) for one in found] == [("Retry", "twice")]


def test_an_agent_may_not_set_the_mirror_folder(memory: Memoranda, root: Path) -> None:
    bob = acting(memory, "bob", "shop")
    with pytest.raises(Forbidden):
        bob.mirror.enable(root)
    memory.mirror.enable(root)
    with pytest.raises(Forbidden):
        bob.mirror.disable()
    assert (root / REFERENCES).exists()
