"""Imports from other systems: once, with their source, read only."""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pytest
from happenings import start

import foreign_files
from memoranda import Memoranda
from memoranda.config import Settings
from memoranda.exceptions import CorruptData, InvalidInput, NotFound
from memoranda.integrations.imports.format_detection import READERS, form_of
from memoranda.integrations.imports.runner import ForeignReport, import_foreign
from memoranda.memories.model import Memory, MemorySource, MemoryStatus
from memoranda.memories.removal import RemovalSelection
from memoranda.observations.model import ObservationType, Origin

pytestmark = pytest.mark.engines("sqlite")

MADE: dict[str, tuple[Callable[[Path], Path], str]] = {
    "claude-mem": (foreign_files.claude_mem, "claude-mem.db"),
    "mem0": (foreign_files.mem0_history, "history.db"),
    "mem0 export": (foreign_files.mem0_export, "all.json"),
    "mcp-memory": (foreign_files.mcp_memory, "memory.jsonl"),
    "letta": (foreign_files.letta, "guide.af"),
    "chats of ChatGPT": (foreign_files.chatgpt, "export.zip"),
    "chats of Claude": (foreign_files.claude_export, "claude"),
    "markdown": (foreign_files.notes, "notes"),
}
COUNTS = {  # observations, memories, blocks
    "claude-mem": (6, 2, 0),
    "mem0": (0, 2, 0),
    "mem0 export": (0, 2, 0),
    "mcp-memory": (0, 5, 0),
    "letta": (4, 0, 2),
    "chats of ChatGPT": (4, 0, 0),
    "chats of Claude": (4, 2, 0),
    "markdown": (0, 3, 0),
}


@pytest.fixture
def kept(engine: Settings) -> Iterator[Memoranda]:
    with Memoranda.open(settings=engine) as memory:
        yield memory


def _made(form: str, folder: Path) -> Path:
    make, name = MADE[form]
    return make(folder / name)


def _counts(report: ForeignReport) -> tuple[int, int, int]:
    added = report.added
    return report.intake.observations, added.get("memories", 0), added.get("blocks", 0)


def _bytes(folder: Path) -> dict[str, str]:
    """Return the content of a folder, to detect changed or new files."""
    files = sorted(one for one in folder.rglob("*") if one.is_file())
    return {str(file): hashlib.sha256(file.read_bytes()).hexdigest() for file in files}


def _all(memory: Memoranda) -> list[Memory]:
    """Return the imported memories, without those of ended tasks."""
    found = memory.memories.list(limit=500, ever=True)
    return [one for one in found if one.source is not MemorySource.EXECUTION]


@pytest.mark.parametrize("form", MADE)
def test_it_comes_in_once_and_the_file_stays_as_it_is(
    kept: Memoranda, tmp_path: Path, form: str
) -> None:
    folder = tmp_path / "there"
    folder.mkdir()
    path = _made(form, folder)
    before = _bytes(folder)
    assert form_of(path) == form.split()[0]
    dry = import_foreign(kept, path, dry_run=True)
    assert (_counts(dry), _all(kept), list(kept.tasks.list())) == (COUNTS[form], [], [])
    report = import_foreign(kept, path)
    assert (_counts(report), report.refusals) == (COUNTS[form], [])
    again = import_foreign(kept, path)
    assert (_counts(again), again.refusals) == ((0, 0, 0), [])
    there = again.intake.duplicates, again.there.get("memories", 0), again.there.get("blocks", 0)
    assert there == COUNTS[form]
    assert len(_all(kept)) == COUNTS[form][1]
    assert {one.source for one in _all(kept)} <= {MemorySource.IMPORT}
    assert {one.origin for one in _all(kept)} <= {Origin.IMPORT}
    assert _bytes(folder) == before


@pytest.mark.parametrize("form", [form for form, counts in COUNTS.items() if counts[1]])
def test_what_was_forgotten_here_does_not_come_again(
    kept: Memoranda, tmp_path: Path, form: str
) -> None:
    path = _made(form, tmp_path)
    import_foreign(kept, path, trust=True)
    gone, *others = _all(kept)
    assert kept.forget(RemovalSelection(ids=[gone.id]), confirm=True).memories == 1
    again = import_foreign(kept, path, trust=True)
    assert (again.added.get("memories", 0), again.there["memories"]) == (0, len(others))
    assert [one.reason for one in again.refusals if one.kind == "memories"] == [
        "it was forgotten in this store"
    ]
    assert _all(kept) == others


def test_sessions_of_claude_mem_become_tasks_of_their_workspaces(
    kept: Memoranda, tmp_path: Path
) -> None:
    import_foreign(kept, foreign_files.claude_mem(tmp_path / "c.db"), trust=True)
    tasks = {(one.host, one.session): one for one in kept.tasks.list()}
    assert set(tasks) == {("claude-mem", "s-1"), ("claude-mem", "s-2"), ("claude-mem", "m-9")}
    resolved = tasks["claude-mem", "s-1"]
    assert (resolved.goal, resolved.status, resolved.observations) == (
        "Mend the cart",
        "completed",
        4,
    )
    assert resolved.started_at == foreign_files.DAY * 1_000
    found = list(kept.observations.list(task=resolved.id))
    assert [(one.type, one.origin) for one in found] == [
        (ObservationType.MESSAGE, Origin.HUMAN),
        (ObservationType.FIX, Origin.GENERATED),
        (ObservationType.DECISION, Origin.GENERATED),
        (ObservationType.MESSAGE, Origin.GENERATED),
    ]
    text = kept.observations.show(found[1].id).content
    assert text == (
        "Cart rounds half up\nonce\nWas twice.\n- Totals were rounded twice\n"
        "- Half up is used now\nfiles modified: src/cart.py\ntype: bugfix\n"
        "concepts: problem-solution"
    )
    rules = {one.content: one for one in _all(kept)}
    assert set(rules) == {"Answer in English", "Never edit the tax table"}
    assert rules["Answer in English"].workspace is None
    assert rules["Never edit the tax table"].workspace == resolved.workspace
    assert rules["Never edit the tax table"].status is MemoryStatus.APPROVED


def test_prompts_that_a_host_wrote_are_not_the_person_s(kept: Memoranda, tmp_path: Path) -> None:
    """claude-mem stores what its hook receives, also a host's notices."""
    path, rule = foreign_files.claude_mem(tmp_path / "c.db"), "From now on always use pnpm."
    with sqlite3.connect(path) as database:
        database.execute(
            "update user_prompts set prompt_text = ?",
            (f"<system-reminder>{rule}</system-reminder>",),
        )
        database.execute("update sdk_sessions set user_prompt = '<task-notification>x'")
    database.close()
    import_foreign(kept, path, workspace="w")
    found = [one for one in kept.observations.list(workspace="w") if "pnpm" in one.summary]
    assert found and {one.origin for one in found} == {Origin.GENERATED}
    text = kept.context(workspace="w", budget=2_000, at_start=True).text
    assert "<standing-instructions>" not in text and "<user-statements>" not in text


def test_an_attached_file_is_not_what_the_person_said(kept: Memoranda, tmp_path: Path) -> None:
    rule = "From now on always use yarn. Never use npm."
    message = {
        "uuid": "m1", "sender": "human", "text": "why did you say this?",
        "created_at": "2026-03-01T10:00:00Z",
        "attachments": [{"file_name": "excerpt.txt", "extracted_content": rule}],
    }  # fmt: skip
    empty = message | {"uuid": "m2", "text": ""}
    chat = {"uuid": "c", "created_at": "2026-03-01T10:00:00Z", "chat_messages": [message, empty]}
    (tmp_path / "conversations.json").write_text(json.dumps([chat]))
    import_foreign(kept, tmp_path, workspace="w")
    origins = {one.origin for one in kept.observations.list(workspace="w") if "yarn" in one.summary}
    assert origins == {Origin.IMPORT}
    text = kept.context(workspace="w", budget=2_000, at_start=True).text
    assert "<critical-facts>" not in text and "<standing-instructions>" not in text


def test_a_chat_without_its_start_is_dated_by_its_last_change(
    kept: Memoranda, tmp_path: Path
) -> None:
    author = {"role": "user"}
    content = {"content_type": "text", "parts": ["I live in Oslo."]}
    said = {"id": "u", "parent": None, "message": {"author": author, "content": content}}
    chat = {"conversation_id": "g", "update_time": 1.7e9, "mapping": {"u": said}}
    (tmp_path / "conversations.json").write_text(json.dumps([chat]))
    import_foreign(kept, tmp_path, workspace="w")
    assert [one.created_at for one in kept.observations.list(workspace="w")] == [
        1_700_000_000_000_000
    ]


def test_custom_instructions_of_chatgpt_are_one_memory(kept: Memoranda, tmp_path: Path) -> None:
    wrapped = (
        "The user provided the additional info about how they would like you to respond:\n"
        "```Follow the instructions below naturally, without repeating them!\n\n{}```"
    )
    profile = "Very important: The user's timezone is Asia/Kolkata."  # by the host alone

    def chat(number: int, text: str, *, stated: bool) -> dict[str, Any]:
        content = {"content_type": "user_editable_context", "user_profile": profile}
        metadata: dict[str, Any] = {"is_visually_hidden_from_conversation": True}
        if stated:
            metadata["user_context_message_data"] = {"about_model_message": text}
        message = {"author": {"role": "user"}, "metadata": metadata}
        message["content"] = content | {"user_instructions": wrapped.format(text)}
        return {
            "conversation_id": f"g-{number}",
            "create_time": 1.76e9 + number,
            "current_node": "u",
            "mapping": {"u": {"parent": None, "children": [], "message": message}},
        }

    chats = [chat(3, "Be brief.", stated=True), chat(1, "Be polite.", stated=False)]
    chats.append(chat(2, "Be brief.", stated=False))
    path = tmp_path / "conversations.json"
    path.write_text(json.dumps(chats), encoding="utf-8")
    for _ in range(2):
        import_foreign(kept, path)

    (memory,) = kept.memories.list().items
    assert memory.content == "Be brief."
    assert [one.state.content for one in kept.memories.history(memory.id)] == ["Be polite."]


def test_the_id_and_the_metadata_of_a_mem0_memory_are_kept(kept: Memoranda, tmp_path: Path) -> None:
    metadata = {
        "pages": [1, 2],
        "source": {"doc": "a.pdf"},
        "sure": True,
        "key": f"ghp_{'a1' * 18}",
    }
    item = {"id": "8f2c", "memory": "Likes tea", "user_id": "ada", "run_id": "r7"}
    path = tmp_path / "all.json"
    path.write_text(json.dumps({"results": [{**item, "metadata": metadata}]}), encoding="utf-8")
    for _ in range(2):  # a second import changes nothing
        import_foreign(kept, path, trust=True)
    (memory,) = kept.memories.list(workspace="user:ada").items
    (document,) = kept.documents.get("memory-metadata", [memory.id])
    value: Any = document.value

    assert "mem0-id:8f2c" in memory.tags
    assert value["owners"] == {"user_id": ["ada"], "run_id": ["r7"]}
    assert "ghp_" not in value["metadata"].pop("key")
    assert value["metadata"] == {"pages": [1, 2], "source": {"doc": "a.pdf"}, "sure": True}
    assert document.version == 1


def test_earlier_texts_of_mem0_are_stored_as_versions(kept: Memoranda, tmp_path: Path) -> None:
    import_foreign(kept, foreign_files.mem0_history(tmp_path / "h.db"), workspace="people")
    found = {one.content: one for one in _all(kept)}
    assert set(found) == {"Likes oolong", "Works at night"}
    tea = found["Likes oolong"]
    assert tea.status is MemoryStatus.PENDING
    versions = [one.state.content for one in kept.memories.history(tea.id)]
    assert versions == ["Likes green tea", "Likes tea"]
    more = import_foreign(kept, foreign_files.mem0_export(tmp_path / "e.json"), workspace="people")
    assert (more.added["memories"], more.there["memories"]) == (1, 1)  # a is known from its history
    assert dict(more.left_out) == {"an item without an id or a text": 1}


def test_what_was_edited_here_stays_edited(kept: Memoranda, tmp_path: Path) -> None:
    path = foreign_files.mem0_history(tmp_path / "h.db")
    import_foreign(kept, path, trust=True)
    tea = next(one for one in _all(kept) if one.content == "Likes oolong")
    kept.memories.archive(tea.id, reason="not any more")
    again = import_foreign(kept, path, trust=True)
    assert again.there["memories"] == 2
    assert kept.memories.show(tea.id).memory.status is MemoryStatus.ARCHIVED


def test_an_agent_of_letta_brings_its_blocks_and_its_conversation(
    kept: Memoranda, tmp_path: Path
) -> None:
    report = import_foreign(kept, foreign_files.letta(tmp_path / "a.af"), workspace="guide")
    blocks = {one.label: one for one in kept.blocks.list(workspace="guide")}
    assert (blocks["human"].value, blocks["human"].limit) == ("Name: Ada", 2_000)
    assert (blocks["persona"].read_only, blocks["persona"].limit) == (True, 10)
    found = list(kept.observations.list(workspace="guide"))[::-1]
    assert [one.summary for one in found][:3] == ["Hello, I am Ada", "Hello Ada", "I will look."]
    assert found[3].tool == "run_code"
    assert dict(report.left_out) == {
        "a message of the role system": 1,
        "an alert of the kind heartbeat": 1,
        "a block that an agent names and the file lacks": 1,
    }


def test_an_abandoned_branch_of_a_chat_is_marked(kept: Memoranda, tmp_path: Path) -> None:
    import_foreign(kept, foreign_files.chatgpt(tmp_path / "e.zip"))
    found = list(kept.observations.list(workspace="chatgpt"))[::-1]
    reported = [(one.summary, one.branch, one.origin) for one in found[:3]]
    assert reported == [
        ("How do I round half up?", "main", Origin.HUMAN),
        ("With round().", "rewound", Origin.AGENT),
        ("With decimal.", "main", Origin.AGENT),
    ]
    assert (found[3].tool, found[3].origin) == ("python", Origin.TOOL)


@pytest.mark.parametrize("shard", ["{}", "null", '[{"id": "x", "title": "t"}]', "[]", "{", ""])
@pytest.mark.parametrize("name", ["conversations-000.json", "conversations.json.json"])
def test_a_shard_without_conversations_affects_no_other(
    kept: Memoranda, tmp_path: Path, shard: str, name: str
) -> None:
    path = foreign_files.chatgpt(tmp_path / "e.zip")
    with ZipFile(path, "a") as zip:
        zip.writestr(f"export/{name}", shard)
    report = import_foreign(kept, path)
    assert report.intake.observations == COUNTS["chats of ChatGPT"][0]
    odd = report.left_out["an entry that is not a conversation"]
    assert odd == (shard not in ("[]", "{", ""))


def test_sections_of_markdown_are_memories_of_their_folder(kept: Memoranda, tmp_path: Path) -> None:
    import_foreign(kept, foreign_files.notes(tmp_path / "notes"))
    found = {one.title: one for one in _all(kept)}
    assert set(found) == {
        "CLAUDE.md > Shop", "CLAUDE.md > Shop > Tests", "Tax",
    }  # fmt: skip
    assert "# no heading" in found["CLAUDE.md > Shop > Tests"].content
    assert "hidden" not in found["CLAUDE.md > Shop > Tests"].content
    assert found["Tax"].workspace is not None
    assert found["Tax"].tags == ("file:docs/tax.md",)
    assert found["Tax"].content == "The table is generated."


def test_secrets_of_other_systems_are_not_kept(kept: Memoranda, tmp_path: Path) -> None:
    key = "AKIA" + "Z7Q4M2N8K5P1R3T6"
    notes = tmp_path / "n"
    notes.mkdir()
    (notes / "a.md").write_text(f"aws_access_key_id = {key}", "utf-8")
    import_foreign(kept, notes)
    assert key not in " ".join(one.content for one in _all(kept))
    assert len(_all(kept)) == 1


CHILD = """
import os, signal, sys
from pathlib import Path
from typing import Any
from zipfile import ZipFile
from memoranda import Memoranda
from memoranda.integrations.imports import runner as running
from memoranda.store.sqlite.engine import SqliteDatabase
data, path, what, at = *sys.argv[1:4], int(sys.argv[4])
running.BATCH = 2
def end(count, total=0):
    if count == at:
        os.kill(os.getpid(), signal.SIGKILL)
class Counted(SqliteDatabase):
    written = 0
    def write(self, work):
        done = super().write(work)
        Counted.written += 1
        end(Counted.written)
        return done
with Memoranda.open(data) as memory:
    if what == "written":
        memory._database.__class__ = Counted
    running.import_foreign(memory, Path(path), progress=end if what == "read" else None)
"""


@pytest.mark.parametrize("form", MADE)
@pytest.mark.parametrize(("what", "at"), [("read", 2), ("written", 1)])
def test_killed_half_way_it_is_completed_by_doing_it_again(
    memory: Memoranda, data_dir: Path, tmp_path: Path, form: str, what: str, at: int
) -> None:
    path = _made(form, tmp_path)
    memory.close()
    words = [str(data_dir), str(path), what, str(at)]
    child = start(CHILD, *words)
    _, complaint = child.communicate(timeout=60)
    assert complaint == ""
    assert child.returncode == -9
    with Memoranda.open(data_dir) as opened:
        report = import_foreign(opened, path)
        there = report.intake.duplicates, *(report.there.get(one, 0) for one in _KINDS)
        came = _counts(report)
        assert tuple(map(sum, zip(there, came, strict=True))) == COUNTS[form]
        assert _counts(import_foreign(opened, path)) == (0, 0, 0)
        assert len(_all(opened)) == COUNTS[form][1]
        assert len(list(opened.observations.list(limit=500))) == COUNTS[form][0]


_KINDS = ("memories", "blocks")


@pytest.mark.parametrize("form", ["claude-mem", "mem0"])
@pytest.mark.parametrize("how", ["cut", "page", "schema"])
def test_a_damaged_database_is_refused_and_nothing_is_changed(
    memory: Memoranda, tmp_path: Path, form: str, how: str
) -> None:
    folder = tmp_path / "there"
    folder.mkdir()
    path = _made(form, folder)
    with path.open("r+b") as file:
        size = path.stat().st_size
        if how == "cut":
            file.truncate(size // 2)
        else:
            file.seek(size // 2 if how == "page" else 100)
            file.write(b"\xa5" * 4_096)
    before = _bytes(folder)
    with pytest.raises(CorruptData):
        import_foreign(memory, path, form=form)
    assert (list(memory.tasks.list()), _all(memory)) == ([], [])
    assert _bytes(folder) == before


def test_a_database_of_another_version_is_named_and_not_changed(
    memory: Memoranda, tmp_path: Path
) -> None:
    folder = tmp_path / "there"
    folder.mkdir()
    path = foreign_files.claude_mem(folder / "c.db")
    _altered(path, "alter table observations add column later text", "create table later (id)")
    before = _bytes(folder)
    newer = import_foreign(memory, path, dry_run=True)
    assert newer.intake.observations == 6  # newer, and readable
    assert _bytes(folder) == before
    _altered(path, "alter table observations rename column narrative to story")
    before = _bytes(folder)
    with pytest.raises(
        InvalidInput, match=r"no observations\.narrative; supported are claude-mem 5"
    ):
        import_foreign(memory, path)
    assert list(memory.tasks.list()) == []
    assert _bytes(folder) == before


def _altered(path: Path, *statements: str) -> None:
    with sqlite3.connect(path) as database:
        for statement in statements:
            database.execute(statement)
    database.close()


def test_a_database_that_is_being_written_gives_what_was_written(
    memory: Memoranda, tmp_path: Path
) -> None:
    path = foreign_files.claude_mem(tmp_path / "c.db")
    writer = sqlite3.connect(path)
    try:
        writer.execute("update observations set narrative = 'Said last.' where type = 'bugfix'")
        writer.commit()  # in the log, not yet in the file
        kept = hashlib.sha256(path.read_bytes()).hexdigest()
        import_foreign(memory, path)
        assert hashlib.sha256(path.read_bytes()).hexdigest() == kept
    finally:
        writer.close()
    assert memory.search("Said last").hits


@pytest.mark.parametrize("form", READERS)
@pytest.mark.parametrize("content", [b"", b"\x00\xff", b"{", b"[]", b"[1, {}]", b'{"results": 7}'])
def test_a_file_of_something_else_is_refused_or_gives_nothing(
    memory: Memoranda, tmp_path: Path, form: str, content: bytes
) -> None:
    path = tmp_path / "odd.json"
    path.write_bytes(content)
    try:
        report = import_foreign(memory, path, form=form)
    except (InvalidInput, CorruptData):
        pass
    else:
        assert _counts(report) == (0, 0, 0)
    assert (list(memory.tasks.list()), _all(memory)) == ([], [])


@pytest.mark.parametrize("line", [
    {"kind": "message", "origin": "human", "text": "Freight?", "id": "0", "session": "s"},
    {"type": "user", "uuid": "u", "sessionId": "s", "message": {"role": "user", "content": "Hi"}},
    {"type": "session_meta", "payload": {"id": "s", "cwd": "/w"}},
    {"role": "user", "message": {"content": [{"type": "text", "text": "Hi"}]}},
])  # fmt: skip
def test_a_transcript_is_taken_for_nothing_else(tmp_path: Path, line: dict[str, object]) -> None:
    path = tmp_path / "session.jsonl"
    path.write_text(json.dumps(line) + "\n", "utf-8")
    assert form_of(path) is None


def test_what_is_not_there_or_unknown_is_named(memory: Memoranda, tmp_path: Path) -> None:
    with pytest.raises(NotFound):
        import_foreign(memory, tmp_path / "none.db")
    with pytest.raises(NotFound):
        import_foreign(memory, tmp_path / "none.db", form="mem0")
    (tmp_path / "a.txt").write_text("words")
    with pytest.raises(InvalidInput, match="known: claude-mem"):
        import_foreign(memory, tmp_path / "a.txt")
    with pytest.raises(InvalidInput, match="neither Markdown"):
        form_of(tmp_path)


def test_a_proposal_of_an_import_is_as_old_as_the_import(kept: Memoranda, tmp_path: Path) -> None:
    began = kept.remember("Prices are net.").created_at
    import_foreign(kept, foreign_files.mem0_export(tmp_path / "e.json"), workspace="people")
    waiting = kept.proposals.list().items
    assert waiting
    assert all(one.created_at >= began for one in waiting)


def test_an_export_with_a_record_on_each_line_is_recognised(tmp_path: Path) -> None:
    from memoranda.integrations.imports.format_detection import form_of

    records = [{"id": "1", "memory": "Likes oolong tea"}, {"id": "2", "memory": ""}]
    path = tmp_path / "mem0.json"
    path.write_text('{"results":[\n' + ",\n".join(map(json.dumps, records)) + "\n]}\n")
    assert form_of(path) == "mem0"
