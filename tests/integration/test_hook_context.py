"""A new session gets exactly the context prepared for its folder."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import hooking
import pytest
from happenings import environment, message_event
from hooking import HOOK, hook, without_drain

from memoranda import Memoranda
from memoranda.journal.model import CONTEXT_GIVEN, JournalEntry
from memoranda.memories.memory_service import NewMemory

pytestmark = pytest.mark.integration


def git(folder: Path, *words: str) -> None:
    """Run git without a user's settings."""
    settings = ["-c", "user.name=Ada", "-c", "user.email=ada@example.org"]
    lone = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}
    subprocess.run(
        ["git", *settings, *words],
        cwd=folder,
        env=environment(**lone),
        check=True,
        text=True,
        capture_output=True,
    )


@pytest.fixture(scope="module")
def places(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a repository, a worktree, a submodule, and plain folders."""
    home = tmp_path_factory.mktemp("places").resolve()
    for name in ("shop", "barn"):
        (home / name / "src" / "deep").mkdir(parents=True)
        git(home / name, "init", "--quiet")
        git(home / name, "commit", "--quiet", "--allow-empty", "-m", "begin")
    git(home / "shop", "worktree", "add", "--quiet", str(home / "shop-fix"))
    (home / "plain" / "sub").mkdir(parents=True)
    (home / "link").symlink_to(home / "shop", target_is_directory=True)
    return home


@pytest.fixture(scope="module")
def data(places: Path) -> Iterator[Path]:
    """Return a memory with records of each place."""
    folder = places / "data"
    with Memoranda.open(folder) as memory:
        for name in ("shop", "barn", "plain"):
            cwd = str(places / name)
            memory.capture.take(
                [message_event(f"goal-{name}", f"Work in {name} ü 名", session=name, cwd=cwd)]
            )
            rule = NewMemory(f"the {name} rule", critical=True)
            memory.remember(rule, workspace=name)
        memory.capture.drain()
    without_drain(folder)
    yield folder


def run_hook(data: Path, cwd: Path | None, **more: str) -> bytes:
    event = {"session_id": "new", "hook_event_name": "SessionStart", "source": "startup"} | more
    if cwd is not None:
        event["cwd"] = str(cwd)
    ended = hook(data, event, "context")
    assert (ended.code, ended.err) == (0, b"")
    return ended.out


@pytest.mark.parametrize(
    ("folder", "workspace"),
    [
        ("shop", "shop"),
        ("shop/src/deep", "shop"),
        ("shop-fix", "shop"),
        ("link", "shop"),
        ("link/src", "shop"),
        ("barn", "barn"),
        ("plain", "plain"),
        ("plain/.", "plain"),
    ],
)
def test_a_session_gets_the_prepared_context_of_its_workspace(
    places: Path, data: Path, folder: str, workspace: str
) -> None:
    out = run_hook(data, places / folder)
    files = {path.read_bytes() for path in (data / "context").glob("*.json")}
    assert out in files
    answer = json.loads(out)["hookSpecificOutput"]
    assert answer["hookEventName"] == "SessionStart"
    with Memoranda.open(data) as memory:
        assert answer["additionalContext"] == memory.context(workspace=workspace).text
    assert f"the {workspace} rule" in answer["additionalContext"]


def test_a_session_gets_its_context_although_its_event_was_slow_to_write(
    places: Path, data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    writing = "    flags = os.O_APPEND"
    for part in ("hook.py", "hook_event.py", "hook_session.py"):
        text = HOOK.with_name(part).read_text("utf-8")
        slow = text.replace(writing, f"    import time\n    time.sleep(0.6)\n{writing}")
        assert (slow != text) == (part == "hook_event.py")
        (tmp_path / part).write_text(slow, "utf-8")
    monkeypatch.setattr(hooking, "HOOK", tmp_path / "hook.py")
    assert b"the shop rule" in run_hook(data, places / "shop")


@pytest.mark.parametrize("source", ["startup", "clear", "compact", "fork", ""])
def test_every_start_but_a_resumption_prints_the_context(
    places: Path, data: Path, source: str
) -> None:
    assert b"the shop rule" in run_hook(data, places / "shop", source=source)


@pytest.mark.parametrize(
    "address", ["git@host.example:ada/mill.git", "https://ada:x@host.example:8443/Ada/mill/"]
)
def test_a_new_clone_gets_the_context_of_its_repository(tmp_path: Path, address: str) -> None:
    folder, first, second = (tmp_path / name for name in ("data", "first", "second"))
    for clone, url in ((first, "https://host.example/ada/mill.git"), (second, address)):
        clone.mkdir()
        git(clone, "init", "--quiet")
        git(clone, "remote", "add", "origin", url)
    with Memoranda.open(folder) as memory:
        memory.capture.take([message_event("one", "Always sign tags.", cwd=str(first))])
        memory.capture.drain()
    without_drain(folder)
    assert b"sign tags" in run_hook(folder, second)
    moved = first.rename(tmp_path / "renamed")
    assert b"sign tags" in run_hook(folder, moved)
    git(moved, "remote", "set-url", "origin", "https://host.example/ada/other.git")
    assert run_hook(folder, moved) == b""


def test_a_merge_renews_the_context_of_both_folders(tmp_path: Path) -> None:
    folder, one, other = (tmp_path / name for name in ("data", "one", "other"))
    with Memoranda.open(folder) as memory:
        for place in (one, other):
            place.mkdir()
            rule = f"Always sign tags of {place.name}."
            event = message_event(place.name, rule, session=place.name, cwd=str(place))
            memory.capture.take([event])
        memory.capture.drain()
        without_drain(folder)
        memory.workspaces.merge("one", "other")
        for place in (one, other):
            printed = run_hook(folder, place)
            assert b"tags of one" in printed
            assert b"tags of other" in printed


@pytest.mark.skipif(sys.platform == "win32", reason="uses a limit of the shell")
def test_a_context_is_printed_although_the_disk_takes_no_event(places: Path, data: Path) -> None:
    event = {"session_id": "full", "hook_event_name": "SessionStart", "cwd": str(places / "shop")}
    started = [sys.executable, "-I", "-S", str(HOOK), "context"]
    done = subprocess.run(
        ["/bin/sh", "-c", 'ulimit -f 0; exec "$@"', "sh", *started],
        input=json.dumps(event).encode(),
        env=environment(MEMORANDA_DATA_DIR=str(data)),
        capture_output=True,
        timeout=30,
    )
    assert (done.returncode, done.stderr) == (0, b"")
    assert b"the shop rule" in done.stdout
    assert (data / "spool" / "full.jsonl").read_bytes() == b""
    (data / "spool" / "full.jsonl").unlink()


def test_a_resumed_session_knows_already(places: Path, data: Path) -> None:
    assert run_hook(data, places / "shop", source="resume") == b""


@pytest.mark.parametrize("folder", ["", "plain/sub", "nowhere", "plain/../elsewhere"])
def test_an_unknown_folder_gets_no_context(places: Path, data: Path, folder: str) -> None:
    assert run_hook(data, places / folder) == b""


def test_without_a_folder_in_the_event_that_of_the_process_counts(places: Path, data: Path) -> None:
    event = {"session_id": "new", "hook_event_name": "SessionStart"}
    tries = (hook(data, event, "context", cwd=places / "shop").out for _ in range(3))
    assert any(b"the shop rule" in out for out in tries)


def test_the_event_is_kept_as_well(places: Path, data: Path) -> None:
    run_hook(data, places / "shop", session_id="kept")
    assert '"SessionStart"' in (data / "spool" / "kept.jsonl").read_text("utf-8")


@pytest.mark.parametrize(
    "pointer", ["", "gitdir: ", "gitdir: ../nowhere", "nonsense", "gitdir: \0", "\xff"]
)
def test_hook_and_store_agree_on_a_folder_with_a_broken_git_file(
    tmp_path: Path, pointer: str
) -> None:
    folder = tmp_path / "odd"
    folder.mkdir()
    (folder / ".git").write_text(pointer, "latin-1")
    data = tmp_path / "data"
    with Memoranda.open(data) as memory:
        memory.capture.take([message_event("goal", "Work in odd places", cwd=str(folder))])
        memory.capture.drain()
    without_drain(data)
    out = run_hook(data, folder)
    assert b"Work in odd places" in out or "\0" in pointer


def test_a_closed_pipe_causes_no_error(places: Path, data: Path) -> None:
    event = {"session_id": "new", "hook_event_name": "SessionStart", "cwd": str(places / "shop")}
    reading, writing = os.pipe()
    os.close(reading)
    environ = environment(MEMORANDA_DATA_DIR=str(data))
    done = subprocess.run(
        [sys.executable, "-I", "-S", str(HOOK), "context"],
        input=json.dumps(event).encode(),
        stdout=writing,
        stderr=subprocess.PIPE,
        env=environ,
        check=False,
    )
    os.close(writing)
    assert (done.returncode, done.stderr) == (0, b"")


def deliveries(data: Path) -> list[JournalEntry]:
    """Return journal entries of delivered contexts, newest first."""
    with Memoranda.open(data) as memory:
        memory.capture.drain(wait=True)
        return list(memory.journal.list(operation=CONTEXT_GIVEN, limit=1_000).items)


def test_the_journal_records_the_context_of_a_session(places: Path, data: Path) -> None:
    text = json.loads(run_hook(data, places / "shop", session_id="noted", source="clear"))
    entry = next(one for one in deliveries(data) if one.detail["session"] == "noted")
    with Memoranda.open(data) as memory:
        brief = memory.context(workspace="shop", at_start=True)
        shop = memory.workspace_of(places / "shop")
    assert text["hookSpecificOutput"]["additionalContext"] == brief.text
    assert shop is not None
    assert (entry.actor, entry.subject) == ("hook", shop.id)
    assert entry.detail["context"] == brief.id
    assert f'<memoranda-context id="{brief.id}"' in brief.text
    assert entry.detail["tokens"] == brief.tokens
    assert entry.detail["source"] == "clear"
    sections = {one.name: [item.ref for item in one.items] for one in brief.sections}
    assert entry.detail["sections"] == sections
    assert "the shop rule" not in json.dumps(dict(entry.detail))


def test_a_delivered_context_is_recorded_once(places: Path, data: Path) -> None:
    assert run_hook(data, places / "shop", session_id="twice")
    spool = data / "spool" / "twice.jsonl"
    lines = spool.read_bytes()
    first = deliveries(data)
    spool.write_bytes(lines)  # as after an interrupted drain
    assert deliveries(data) == first
    assert sum(one.detail["session"] == "twice" for one in first) >= 1


def test_nothing_is_recorded_without_a_context(places: Path, data: Path) -> None:
    run_hook(data, places / "nowhere", session_id="untold")
    run_hook(data, places / "shop", session_id="untold", source="resume")
    assert not any(one.detail["session"] == "untold" for one in deliveries(data))


@pytest.mark.parametrize(
    "odd",
    [
        "null", "[]", '{"context":7}', '{"context":{"workspace":7}}',
        '{"context":{"workspace":"gone"},"session_id":"odd"}',
    ],
)  # fmt: skip
def test_an_odd_line_about_a_context_changes_nothing(data: Path, odd: str) -> None:
    before = deliveries(data)
    line = f'\n{{"v":1,"t":1,"h":"claude-code","given":{odd}}}\n'
    (data / "spool" / "odd.jsonl").write_text(line, "ascii")
    assert deliveries(data) == before
    assert not (data / "spool" / "odd.jsonl").exists()
