"""A person looks after the profile on the command line: fills it, shrinks it, undoes that."""

from __future__ import annotations

from pathlib import Path

import pytest
from commands import ask, invoke

pytestmark = pytest.mark.e2e

PNPM = "We use pnpm for packages."


@pytest.fixture(autouse=True)
def _nobody_set_anything(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("MEMORANDA_EMBEDDER", "none")


def test_a_profile_is_kept_made_smaller_and_had_back(tmp_path: Path) -> None:
    data_dir = tmp_path / "data"
    one = ask(data_dir, "profile", "add", PNPM, "--workspace", "shop")["id"]
    two = ask(data_dir, "profile", "add", f"{PNPM} Lock files stay.", "--workspace", "shop")["id"]
    shown = invoke(data_dir, "profile", "show", "--workspace", "shop").out
    assert "of 10,000 tokens, 1%" in shown
    assert PNPM in shown
    assert f"- {PNPM}" in invoke(data_dir, "profile", "agent-file", "--workspace", "shop").out
    output = invoke(data_dir, "optimize", "--workspace", "shop").out
    assert f"{PNPM}" in output
    preview = ask(data_dir, "optimize", "--workspace", "shop")
    digest = preview["change"]["hash"][:12]
    assert f"--apply all --shown {digest}" in output
    unasked = invoke(data_dir, "optimize", "--apply", "all", "--workspace", "shop")
    assert unasked.code == 2
    assert "add --shown HASH" in unasked.err
    words = ("optimize", "--apply", "1", "--shown", digest, "--workspace", "shop")
    done = ask(data_dir, *words)
    assert (done["status"], done["applied_by"]) == ("applied", "human")
    left = ask(data_dir, "profile", "show", "--workspace", "shop")
    assert [memory["id"] for memory in left["memories"]["items"]] == [two]
    assert invoke(data_dir, *words).code == 4
    (kept,) = ask(data_dir, "profile", "history", "--workspace", "shop")["items"]
    assert kept["id"] == done["id"]
    back = invoke(data_dir, "optimize", "--undo", done["id"])
    assert "1 memories restored" in back.out
    again = ask(data_dir, "profile", "show", "--workspace", "shop")["memories"]["items"]
    assert {memory["id"] for memory in again} == {one, two}
    ask(data_dir, "profile", "edit", one, "--content", "Use pnpm.", "--protected")
    refused = invoke(data_dir, "profile", "merge", two, one)
    assert refused.code == 4
    assert "is protected and remains unchanged" in refused.err
    removed = ask(data_dir, "profile", "remove", two)
    assert removed["memory"]["status"] == "archived"


def test_a_full_profile_explains_what_to_do(tmp_path: Path) -> None:
    data_dir = tmp_path / "data"
    for name in "xy":
        text = f"{name}:" + " a" * 4_500
        ask(data_dir, "profile", "add", text, "--workspace", "shop")
    output = invoke(data_dir, "profile", "add", "z" + " a" * 2_000, "--workspace", "shop")
    assert output.code == 8
    assert output.err.startswith("error (profile_full): the profile of shop has 9,0")
    assert "of 10,000 tokens" in output.err
    assert "`memoranda optimize --workspace shop`" in output.err
    printed = invoke(data_dir, "profile", "show", "--workspace", "shop")
    assert "memoranda optimize shows what could be freed" in printed.out


def test_the_command_line_reports_a_crowded_profile_once(tmp_path: Path) -> None:
    data_dir = tmp_path / "data"
    for number in range(9):
        text = f"Lamp {number} hangs." + f" {'abcdefghi'[number]}" * 950
        invoke(data_dir, "profile", "add", text, "--workspace", "shop")
    from memoranda import Memoranda

    with Memoranda.open(data_dir) as memory:
        memory.capture.drain()
    output = invoke(data_dir, "workspace", "list").err
    assert "profile at 88%, `memoranda optimize --workspace shop` would free " in output
    assert "profile at" not in invoke(data_dir, "workspace", "list").err
    (news,) = ask(data_dir, "profile", "news", "--channel", "mail")
    assert news["limit"] == 10_000


def test_an_agent_proposes_and_does_not_apply(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data_dir = tmp_path / "data"
    for text in (PNPM, f"{PNPM} Lock files stay."):
        ask(data_dir, "profile", "add", text, "--workspace", "shop")
    monkeypatch.setenv("MEMORANDA_AGENT_ID", "bob")
    seen = ask(data_dir, "optimize", "preview", "--workspace", "shop")
    assert seen["freed"] > 0
    words = ("optimize", "apply", "all", "--shown", seen["change"]["hash"])
    refused = invoke(data_dir, *words, "--workspace", "shop")
    assert refused.code == 5
    waits = ask(data_dir, "profile", "add", "Bob likes tea", "--workspace", "shop")
    assert waits["status"] == "pending"
