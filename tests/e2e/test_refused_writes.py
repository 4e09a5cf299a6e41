"""A write that is refused changes nothing, not even the list of workspaces."""

from __future__ import annotations

from pathlib import Path

import pytest
from commands import ask, invoke

pytestmark = pytest.mark.e2e

REFUSED = (
    ("remember", ""),
    ("profile", "add", " "),
    ("feedback", "add", ""),
    ("document", "put", "", "key", "{}"),
)


@pytest.mark.parametrize("words", REFUSED, ids=" ".join)
def test_a_refused_write_leaves_no_new_workspace(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...]
) -> None:
    folder = tmp_path / "project"
    (folder / ".git").mkdir(parents=True)
    monkeypatch.chdir(folder)
    data_dir = tmp_path / "data"
    ask(data_dir, "remember", "prices are net", "--workspace", "other")
    assert invoke(data_dir, *words).code == 2
    assert [one["name"] for one in ask(data_dir, "workspace", "list")["items"]] == ["other"]
    assert ask(data_dir, "memory", "list")["items"]


def test_undo_says_how_many_more_acts_there_are(tmp_path: Path) -> None:
    for rule in ("prices are net", "ports are even", "names are short"):
        ask(tmp_path, "remember", rule, "--workspace", "shop")
    assert invoke(tmp_path, "undo", "--limit", "2").out.endswith("1 more: --limit 3\n")
    assert "more" not in invoke(tmp_path, "undo").out
