"""Blocks and checkpoints from the command line, as people and agents use them."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from commands import ask, forked, invoke

pytestmark = pytest.mark.e2e

EDITOR = """#!/bin/sh
printf '%s' "$TEXT" > "$1"
"""


@pytest.fixture
def data_dir(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A data directory with a task, seen from a folder of nobody's."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("MEMORANDA_AGENT_ID", raising=False)
    folder = tmp_path / "data"
    ask(folder, "observe", "begin", "--task", "one", "--workspace", "shop")
    return folder


def test_a_group_of_agents_shares_a_board(data_dir: Path) -> None:
    ask(data_dir, "block", "create", "board", "to do", "--shared", "--agent", "critic")
    assert invoke(data_dir, "block", "show", "board", "--agent", "scribe").code == 3
    ask(data_dir, "block", "attach", "board", "scribe", "--role", "writes")
    ask(data_dir, "block", "insert", "board", "done", "--agent", "scribe")
    assert ask(data_dir, "block", "show", "board", "--agent", "critic")["value"] == "to do\ndone"
    assert [one["agent"] for one in ask(data_dir, "block", "holders", "board")] == [
        "critic", "scribe",
    ]  # fmt: skip
    left = ask(data_dir, "block", "detach", "board", "critic")
    assert [one["agent"] for one in left] == ["scribe"]
    assert [one["id"] for one in ask(data_dir, "agent", "list")["items"]] == ["critic", "scribe"]
    assert ask(data_dir, "agent", "show", "scribe")["blocks"][0]["role"] == "writes"
    last = invoke(data_dir, "block", "detach", "board", "scribe")
    assert "board is detached from scribe" in last.out


def test_an_agent_may_not_edit_a_read_only_block(data_dir: Path) -> None:
    output = invoke(data_dir, "block", "rethink", "persona", "bold", "--task", "1", "--agent", "a")
    assert output.code == 5
    assert "read-only" in output.err
    ask(data_dir, "block", "rethink", "persona", "careful", "--task", "1")
    assert "careful" in invoke(data_dir, "block", "prompt", "--task", "1").out
    outcome = forked(data_dir, "block", "rethink", "persona", "bold", "--task", "1",
                  MEMORANDA_AGENT_ID="a")  # fmt: skip
    assert outcome.code == 5


def test_a_block_is_edited_in_an_editor_and_by_a_patch(data_dir: Path, tmp_path: Path) -> None:
    ask(data_dir, "block", "create", "style", "short\nanswers")
    editor = tmp_path / "editor"
    editor.write_text(EDITOR)
    editor.chmod(0o700)
    output = forked(data_dir, "block", "edit", "style", EDITOR=str(editor), TEXT="long")
    assert output.code == 0, output.err
    assert ask(data_dir, "block", "show", "style")["value"] == "long"
    patch = "@@\n-long\n+short\n"
    assert invoke(data_dir, "block", "patch", "style", "-", given=patch).code == 0
    assert ask(data_dir, "block", "show", "style")["value"] == "short"
    output = forked(data_dir, "block", "edit", "style", EDITOR="true")
    assert "unchanged" in output.out
    output = forked(data_dir, "block", "edit", "style", EDITOR="sed -i s/short/brief/")
    assert ask(data_dir, "block", "show", "style")["value"] == "brief"


def test_what_others_did_while_the_editor_was_open_is_not_overwritten(
    data_dir: Path, tmp_path: Path
) -> None:
    ask(data_dir, "block", "create", "style", "short")
    editor = tmp_path / "editor"
    other = f'"{tmp_path}/other"'
    editor.write_text(f'#!/bin/sh\n{other} && printf mine > "$1"\n')
    (tmp_path / "other").write_text(
        "#!/bin/sh\nexec python -m memoranda block rethink style theirs\n"
    )
    for script in (editor, tmp_path / "other"):
        script.chmod(0o700)
    import sys

    path = f"{Path(sys.executable).parent}:/usr/bin:/bin"
    output = forked(data_dir, "block", "edit", "style", EDITOR=str(editor), PATH=path)
    assert output.code == 4
    assert "+theirs" in output.err
    assert "Your text:\nmine" in output.err
    assert ask(data_dir, "block", "show", "style")["value"] == "theirs"


def test_a_task_goes_back_and_forth(data_dir: Path) -> None:
    ask(data_dir, "block", "rethink", "task", "plan A", "--task", "1")
    ask(data_dir, "checkpoint", "create", "1", "planning", "--state", '{"tries": 1}',
        "--tokens", "1200", "--dollars", "0.02", "--seconds", "3.5")  # fmt: skip
    ask(data_dir, "block", "rethink", "task", "plan B", "--task", "1")
    ask(data_dir, "task", "note", "1", '{"tries": 2}')
    output = invoke(data_dir, "checkpoint", "rollback", "1", "1")
    assert "memoranda checkpoint rollback 1 2 reverts it" in output.out
    assert ask(data_dir, "block", "show", "task", "--task", "1")["value"] == "plan A"
    assert ask(data_dir, "task", "state", "1")["state"] == {"tries": 1}
    ask(data_dir, "checkpoint", "rollback", "1", "2")
    assert ask(data_dir, "task", "resume", "1")["state"] == {"tries": 2}
    assert "plan B" in invoke(data_dir, "task", "resume", "1").out
    fork = ask(data_dir, "checkpoint", "fork", "1", "1", "another way")
    where = ("--task", str(fork["number"]))
    assert ask(data_dir, "block", "show", "task", *where)["value"] == "plan A"
    csv = invoke(data_dir, "task", "effort", "1", "--csv").out
    assert csv.splitlines()[0] == "phase,checkpoints,tokens,dollars,seconds"
    assert "planning,3,1200,0.0200,3.5" in csv
    listed = invoke(data_dir, "checkpoint", "list", "1").out.splitlines()
    assert [line.split()[:3] for line in listed[1:4]] == [
        ["3", "left", "1"], ["2", "head", "1"], ["1", "main", "-"],
    ]  # fmt: skip
    ask(data_dir, "observe", "went on", "--task", "one", "--workspace", "shop")
    replayed = ask(data_dir, "checkpoint", "replay", "1", "1")["items"]
    assert [one["summary"] for one in replayed] == ["went on"]


def test_a_checkpoint_names_the_files_of_the_work_tree_beside_the_state(
    data_dir: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    subprocess.run(["git", "init", "--quiet"], cwd=tmp_path, check=True)
    (tmp_path / "kept.py").write_text("two")
    monkeypatch.chdir(tmp_path)
    ask(data_dir, "observe", "a step", "--task", "one", "--workspace", "shop")
    ask(data_dir, "task", "note", "1", '{"tries": 2}')
    ask(data_dir, "checkpoint", "create", "1", "coding", "--work-tree")
    state = ask(data_dir, "checkpoint", "show", "1", "1")["state"]
    assert state["tries"] == 2
    shown = ["git", "show", f"{state['work_tree']['commit']}:kept.py"]
    assert subprocess.run(shown, capture_output=True, check=True).stdout == b"two"
    pointers = invoke(data_dir, "task", "resume", "1", "--pointers").out
    assert "State has tries, work_tree (memoranda task state 1)" in pointers
