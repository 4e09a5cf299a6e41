"""The example shows each step, and nothing of the user's own data is read or changed."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import pytest
from commands import ask, forked

pytestmark = pytest.mark.e2e


def everything(folder: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes() if path.is_file() else b""
        for path in folder.rglob("*")
    }


def test_it_fits_a_terminal_and_shows_every_step_in_order(tmp_path: Path) -> None:
    result = forked(tmp_path / "data", "demo")
    assert (result.code, result.err) == (0, "")
    lines = result.out.rstrip("\n").split("\n")
    assert len(lines) <= 25
    assert max(map(len, lines)) <= 80
    steps = [result.out.index(name) for name in ("EVENTS", "OBSERVATIONS", "MEMORIES", "CONTEXT")]
    assert steps == sorted(steps)
    assert "Next: memoranda install claude-code" in result.out


def test_what_it_shows_is_what_a_memory_made_of_the_session(tmp_path: Path) -> None:
    data_dir = tmp_path / "example"
    result = forked(tmp_path / "data", "demo", "--into", str(data_dir), "--format", "json").json

    def look(*words: str) -> Any:
        return forked(data_dir, *words, "--format", "json").json

    stats = look("stats")
    assert result["observations"] == stats["observations"] == sum(result["by_type"].values()) == 45
    assert result["tokens"] == stats["raw_tokens"]
    assert result["context"]["tokens"] <= result["context"]["budget"]
    assert result["approved"] in result["context"]["text"]
    assert result["pending"] not in result["context"]["text"]
    for event in result["events"]:  # whose stage a job finds, maybe only behind the demo
        shown = look("observation", "show", event["ref"])["observation"]
        assert shown | {"stage": event["stage"]} == event
    assert [event["type"] for event in result["events"]] == ["message", "error", "fix", "message"]
    assert result["events"][2]["resolves"] == result["events"][1]["id"]
    listed = look("memory", "list", "--workspace", "parcel")["items"]
    (memory,) = [one for one in listed if one["content"] == result["approved"]]
    assert look("why", memory["id"])["observations"] == [result["events"][3]["id"]]
    (proposal,) = look("pending", "list")["items"]
    assert proposal["after"]["content"] == result["pending"]


def test_the_next_steps_are_commands(tmp_path: Path) -> None:
    data_dir = tmp_path / "example"
    for options in ([], ["--into", str(data_dir)]):
        result = forked(tmp_path / "data", "demo", *options, "--format", "json").json
        for line in result["next"]:
            words = line.split()
            assert words.pop(0) == "memoranda"
            if "demo" not in words and "install" not in words:
                assert forked(tmp_path / "data", *words).code == 0, line
    assert "line by line" in forked(tmp_path, "--data-dir", str(data_dir), "context").out


def test_nothing_of_the_user_is_touched(tmp_path: Path) -> None:
    data_dir = tmp_path / "data"
    ask(data_dir, "remember", "Amounts are in cents.", "--everywhere")
    before = everything(tmp_path)
    settings = {
        "MEMORANDA_DATABASE_URL": "postgresql://nobody@127.0.0.1:9/none",
        "MEMORANDA_URL": "http://127.0.0.1:9",
        "MEMORANDA_AGENT_ID": "bob",
        "MEMORANDA_TEAM": "others",
        "TMPDIR": str(tmp_path / "scratch"),
    }
    (tmp_path / "scratch").mkdir()
    result = forked(data_dir, "demo", **settings)
    assert (result.code, result.err) == (0, "")
    assert "cents" not in result.out
    (tmp_path / "scratch").rmdir()  # which fails unless it is empty
    assert everything(tmp_path) == before


def test_a_fresh_home_stays_empty(tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    result = forked(home / "data", "demo", TMPDIR=tempfile.gettempdir())
    assert result.code == 0
    assert everything(home) == {}


def test_a_folder_with_files_is_refused(tmp_path: Path) -> None:
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "letter.txt").write_text("mine")
    result = forked(tmp_path / "data", "demo", "--into", str(tmp_path / "full"))
    assert (result.code, "is not empty" in result.err) == (4, True)
    assert everything(tmp_path / "full") == {"letter.txt": b"mine"}
