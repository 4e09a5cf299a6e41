"""A team lead fills and reads the memory of a project, on the command line."""

from __future__ import annotations

from pathlib import Path

import pytest
from commands import ask, invoke

pytestmark = pytest.mark.e2e


@pytest.fixture(autouse=True)
def _nobody_set_anything(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))


def test_the_memories_of_a_project_are_shown_and_exported(tmp_path: Path) -> None:
    data_dir = tmp_path / "data"
    for words in (
        ("project", "add-pattern", "shop", "Errors are values\n\nA function returns them."),
        ("project", "add-pattern", "shop", "Prices as floats", "--avoid", "--tag", "money"),
        ("project", "add-decision", "shop", "SQLite, not files: one writer is enough"),
        ("global", "add-learning", "Pin what is fast-moving", "--title", "Pin"),
    ):
        assert invoke(data_dir, *words).code == 0
    listed = invoke(data_dir, "list").out.splitlines()
    assert [line.split()[:3] for line in listed[1:]] == [["global", "1", "0"], ["shop", "3", "0"]]
    assert [line.split()[0] for line in invoke(data_dir, "project", "list").out.splitlines()] == [
        "workspace",
        "shop",
    ]
    shown = invoke(data_dir, "project", "show", "shop").out
    assert shown.startswith("shop: 3 memories, 0 tasks, last change ")
    assert "\nanti_pattern (1)\n" in shown
    output = invoke(data_dir, "project", "export", "shop").out
    assert output.startswith("# shop\n\n## Pattern\n\n### Errors are values\n\nErrors are values\n")
    assert (
        output.index("## Pattern") < output.index("## Anti pattern") < output.index("## Decision")
    )
    only = ask(data_dir, "project", "export", "shop", "--category", "decision")
    assert [one["title"] for one in only] == ["SQLite, not files: one writer is enough"]
    assert "Pin" not in output
    assert "Pin" in invoke(data_dir, "global", "show").out
    (kept,) = ask(data_dir, "global", "list-learnings")["items"]
    assert (kept["category"], kept["visibility"]) == ("insight", "team")
    assert ask(data_dir, "search", "fast-moving")["hits"][0]["id"] == kept["id"]


def test_a_long_project_is_exported_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    data_dir = tmp_path / "data"
    monkeypatch.setattr("memoranda.cli.memory_overviews.MAXIMUM", 2)
    for number in range(5):
        ask(data_dir, "project", "add-pattern", "shop", f"pattern {number}")
    result = ask(data_dir, "project", "export", "shop")
    assert [one["title"] for one in result] == [f"pattern {n}" for n in (4, 3, 2, 1, 0)]
