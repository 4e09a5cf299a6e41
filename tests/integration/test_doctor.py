"""The results of doctor and stats are correct."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import uuid
from pathlib import Path

import apsw
import pytest
from happenings import message_event, ran
from hooking import hook

from memoranda import Memoranda
from memoranda.config import load_settings
from memoranda.hooks.hosts import CLAUDE_CODE
from memoranda.hooks.installation import Installation
from memoranda.upkeep.doctor import CheckStatus, Finding
from transcript_files import user_line, write

pytestmark = pytest.mark.integration


@pytest.fixture(autouse=True)
def nobody(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Return a home folder without coding agents, for any machine."""
    monkeypatch.setenv("HOME", str(tmp_path))
    for name in ("CLAUDE_CONFIG_DIR", "CODEX_HOME"):
        monkeypatch.delenv(name, raising=False)


def verdicts(memory: Memoranda) -> dict[str, Finding]:
    return {finding.check: finding for finding in memory.store.doctor()}


def damage(data_dir: Path, *statements: str) -> None:
    connection = apsw.Connection(str(data_dir / "memoranda.db"))
    for statement in statements:
        connection.execute(statement)
    connection.close()


def test_all_is_well_in_a_store_that_was_used(memory: Memoranda) -> None:
    memory.capture.take(
        [message_event("1", "Fix the total"), ran("2", "pytest"), ran("3", "pytest")]
    )
    assert {finding.verdict for finding in memory.store.doctor()} == {CheckStatus.OK}


@pytest.mark.parametrize(
    ("statement", "check"),
    [
        ("delete from observation_words where rowid = 1", "full text"),
        ("insert into observation_words (rowid, scope, body) values (99, 'x', 'y')", "full text"),
        ("delete from blob", "integrity"),
        ("update task set observations = 0", "integrity"),
        ("drop trigger journal_keeps_its_words", "journal"),
    ],
)
def test_each_kind_of_damage_is_found_with_a_repair(
    memory: Memoranda, data_dir: Path, statement: str, check: str
) -> None:
    memory.capture.take([message_event("1", "Fix the total"), ran("2", "pytest")])
    damage(data_dir, statement, *["update journal set actor = 'me'"] * (check == "journal"))
    finding = verdicts(memory)[check]
    assert finding.verdict is CheckStatus.FAILURE
    assert finding.fix


def test_an_old_spool_and_rejected_lines_are_warned_of(memory: Memoranda, data_dir: Path) -> None:
    spool = data_dir / "spool"
    spool.mkdir(mode=0o700, exist_ok=True)
    (spool / "s.jsonl").write_text("{}\n", "utf-8")
    os.utime(spool / "s.jsonl", (1_000_000, 1_000_000))
    (spool / "rejected.txt").write_text("what is this", "utf-8")
    found = verdicts(memory)
    assert found["spool"].verdict is CheckStatus.WARNING
    assert found["spool"].fix == "memoranda drain"
    assert found["rejected lines"].verdict is CheckStatus.WARNING


def test_a_file_that_others_may_read_is_warned_of(memory: Memoranda, data_dir: Path) -> None:
    (data_dir / "key").chmod(0o644)
    assert "key" in verdicts(memory)["permissions"].detail


def test_stats_count_what_was_kept_and_what_summaries_save(memory: Memoranda) -> None:
    long = "\n".join(f"step {number} of the build is done" for number in range(400))
    memory.capture.take(
        [message_event("1", "Fix it"), ran("2", "make", long), ran("3", "make", long)]
    )
    memory.remember("Builds are slow")
    found = memory.store.stats()
    assert (found.tasks, found.observations, found.folded) == (1, 3, 1)
    assert found.memories == {"approved": 1}
    assert found.raw_tokens > 10 * found.summary_tokens > 0
    assert found.stored_bytes < found.text_bytes


def test_a_moved_repository_is_named_with_the_command_that_merges_it(
    memory: Memoranda, tmp_path: Path
) -> None:
    """`mv` leaves the first entry of git's log as it was; a copy beside it is no move."""
    old, new, plain = (tmp_path / name for name in ("old shop", "new", "plain"))
    plain.mkdir()
    old.mkdir()
    commands = (
        ("init", "--quiet"),
        ("-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "1", "--allow-empty"),
    )
    for command in commands:
        subprocess.run(["git", *command], cwd=old, check=True)
    memory.capture.take([message_event("1", "Always sign tags.", cwd=str(old))])
    memory.capture.take([message_event("2", "Plain.", cwd=str(plain), session="two")])
    shutil.copytree(old, tmp_path / "copy")
    copied = message_event("3", "Copied.", cwd=str(tmp_path / "copy"), session="three")
    memory.capture.take([copied])
    assert not {"moved", "folders"} & verdicts(memory).keys()
    shutil.rmtree(tmp_path / "copy")
    plain.rmdir()
    old.rename(new)
    gone = verdicts(memory)["folders"]
    assert all(name in gone.detail for name in ("old shop", "plain", "copy"))
    memory.capture.take([message_event("4", "Fix it.", cwd=str(new), session="four")])
    moved = verdicts(memory)["moved"]
    assert moved.verdict is CheckStatus.WARNING
    assert str(old) in moved.detail
    assert moved.fix == "memoranda workspace merge 'old shop' new"
    assert [one.workspace for one in memory.store.status(workspace="new").moved] == ["old shop"]
    assert not memory.store.status(workspace="plain").moved
    memory.workspaces.merge("old shop", "new")
    assert "moved" not in verdicts(memory)


def test_a_language_model_without_its_key_or_package_is_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    arguments = {"data_dir": tmp_path / "data", "language_model": "openai:gpt-5-mini"}
    with Memoranda.open(settings=load_settings(arguments, {})) as memory:
        finding = verdicts(memory)["language model"]
        assert finding.verdict is CheckStatus.WARNING
        assert "language_api_key (or the variable OPENAI_API_KEY)" in finding.detail
    monkeypatch.setitem(sys.modules, "openai", None)
    with Memoranda.open(settings=load_settings(arguments, {"OPENAI_API_KEY": "sk-x"})) as memory:
        finding = verdicts(memory)["language model"]
        assert finding.verdict is CheckStatus.WARNING
        assert "pip install 'memoranda[openai]'" in finding.detail
        assert "memoranda[openai]" in memory.store.status().language_trouble


def test_recent_sessions_that_no_hook_could_record_are_named(
    memory: Memoranda, data_dir: Path, tmp_path: Path
) -> None:
    host, stored, lost = CLAUDE_CODE, str(uuid.UUID(int=1)), str(uuid.UUID(int=2))
    settings = tmp_path / ".claude" / "settings.json"
    settings.parent.mkdir()
    installation = Installation(host, settings, data_dir, custom_data_dir=True)
    installation.apply(installation.installing())
    folder = tmp_path / ".claude" / "projects" / "-srv-shop"
    folder.mkdir(parents=True)

    def hooks() -> tuple[tuple[str, ...], str]:
        (found,) = (one for one in memory.store.hooks(trial=False) if one.host == host.name)
        return found.problems, found.fix

    for session in (stored, lost):
        line = user_line(session, None, "Fix the total.") | {"sessionId": session, "cwd": "/srv"}
        write(folder / f"{session}.jsonl", [line | {"timestamp": "2026-11-20T10:00:00Z"}])
    assert hooks() == ((), "")  # none was stored yet, so none is expected

    memory.capture.import_transcript(folder / f"{stored}.jsonl")
    problem, fix = hooks()
    assert problem == ("1 recent session is not stored",)
    assert fix == f"memoranda import {folder.parent}"
    assert verdicts(memory)["hooks of Claude Code"].verdict is CheckStatus.WARNING
    os.utime(folder / f"{lost}.jsonl", (0, 0))
    assert hooks() == ((), "")
    os.utime(folder / f"{lost}.jsonl")

    memory.capture.import_transcript(folder / f"{lost}.jsonl")
    assert hooks() == ((), "")


@pytest.mark.parametrize("by_file", [True, False])
def test_sessions_that_ran_while_capture_was_off_are_neither_missing_nor_imported(
    memory: Memoranda, data_dir: Path, tmp_path: Path, by_file: bool
) -> None:
    stored, off, other = (str(uuid.UUID(int=number)) for number in (1, 2, 3))
    settings, shop = tmp_path / ".claude" / "settings.json", tmp_path / "shop"
    settings.parent.mkdir()
    shop.mkdir()
    installation = Installation(CLAUDE_CODE, settings, data_dir, custom_data_dir=True)
    installation.apply(installation.installing())
    folder = tmp_path / ".claude" / "projects" / "-srv-shop"
    folder.mkdir(parents=True)
    for session in (stored, off, other):
        place = str(shop if session == off else "/srv")
        line = user_line(session, None, f"Fix {session}.") | {"sessionId": session, "cwd": place}
        write(folder / f"{session}.jsonl", [line | {"timestamp": "2026-11-20T10:00:00Z"}])
    memory.capture.import_transcript(folder / f"{stored}.jsonl")
    memory.capture.import_transcript(folder / f"{other}.jsonl")
    event = {"session_id": off, "cwd": str(shop), "hook_event_name": "UserPromptSubmit"}
    if by_file:
        (shop / ".memoranda-off").touch()
        hook(data_dir, event)
    else:
        hook(data_dir, event, MEMORANDA_DISABLED="1")

    assert [one.problems for one in memory.store.hooks(trial=False)] == [()]
    transcript = folder / f"{off}.jsonl"
    for dry_run in (True, False):
        report = memory.capture.import_transcript(transcript, dry_run=dry_run)
        assert (report.unrecorded, report.intake.observations) == ({off}, 0)
    assert [one.problems for one in memory.store.hooks(trial=False)] == [()]
    report = memory.capture.import_transcript(transcript, unrecorded=True)
    assert (report.unrecorded, report.intake.observations) == (set(), 1)


def test_the_hooks_of_a_folder_in_which_capture_is_off_are_reported_as_off(
    memory: Memoranda, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / ".claude").mkdir()
    (tmp_path / "shop" / "src").mkdir(parents=True)
    (tmp_path / "shop" / ".memoranda-off").touch()
    details = []
    for place in (tmp_path / "shop" / "src", tmp_path):
        monkeypatch.chdir(place)
        details += [one.detail for one in memory.store.hooks(trial=False)]
    assert f"off in {tmp_path / 'shop'} by .memoranda-off" in details[0]
    assert "off" not in details[1]
