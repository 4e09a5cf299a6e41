"""A reading command on a directory without a store says so and creates nothing."""

from __future__ import annotations

from pathlib import Path

import pytest
from commands import ask, forked, invoke

pytestmark = pytest.mark.e2e

READS = (
    "search prices", "status", "context", "memory list", "observation list", "why 1#1", "undo",
    "doctor", "pending list", "project list", "journal list", "export copy.zip",
)  # fmt: skip


@pytest.mark.parametrize("words", READS)
def test_nothing_is_created_where_there_is_no_store(tmp_path: Path, words: str) -> None:
    missing, empty = tmp_path / "mistyped", tmp_path / "empty"
    empty.mkdir()
    for folder, what in ((missing, "does not exist"), (empty, "has no store")):
        refused = invoke(folder, *words.split(), "--format", "json")
        assert (refused.code, refused.error["code"]) == (3, "not_found")
        assert f"{folder} {what}; check --data-dir" in refused.error["message"]
    assert [one.name for one in tmp_path.rglob("*")] == ["empty"]


def test_the_command_of_the_message_creates_a_store(tmp_path: Path) -> None:
    folder = tmp_path / "new"
    message = invoke(folder, "search", "prices", "--format", "json").error["message"]
    assert f"memoranda --data-dir {folder} remember" in message
    assert invoke(folder, "remember", "Prices are net.", "--everywhere").code == 0
    assert len(ask(folder, "search", "prices")["hits"]) == 1


def test_the_default_directory_answers_before_anything_is_stored(tmp_path: Path) -> None:
    where = {"MEMORANDA_DATA_DIR": "", "XDG_DATA_HOME": "", "HOME": str(tmp_path)}
    for words in ("status", "context", "search prices"):
        assert forked(tmp_path / "data", *words.split(), **where).code == 0


def test_events_that_hooks_left_are_read(tmp_path: Path) -> None:
    (tmp_path / "data" / "spool").mkdir(parents=True)
    assert invoke(tmp_path / "data", "search", "prices").code == 0
