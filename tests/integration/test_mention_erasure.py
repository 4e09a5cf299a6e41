"""Erasure of a name covers every kind of record of the team, and only it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from happenings import message_event

from memoranda import Memoranda
from memoranda.blocks.block_writer import NewBlock
from memoranda.config import Settings
from memoranda.documents.model import NewDocument
from memoranda.exceptions import Conflict, InvalidInput
from memoranda.memories.memory_service import NewMemory
from memoranda.memories.removal import RemovalSelection

pytestmark = pytest.mark.integration

ANNA = RemovalSelection(mentions="Anna")


@pytest.fixture
def both(engine: Settings) -> Iterator[Memoranda]:
    """Return an open, empty memory on each engine."""
    with Memoranda.open(settings=engine) as opened:
        yield opened


def left(memory: Memoranda, name: str = "Anna") -> dict[str, int]:
    """Return the number of records with the name, by kind."""
    return memory.forget(RemovalSelection(mentions=name), dry_run=True).mention_counts


def written(memory: Memoranda) -> None:
    """Store records of several kinds with the name, or a name containing it."""
    memory.tasks.create("visit", "call Anna\nbuy flowers")
    memory.observe("Anna moved to the harbour", task="visit")
    memory.observe("Annabel moved to the castle", task="visit")
    memory.remember("Anna likes green tea")
    memory.remember("Annabel likes black coffee")
    memory.blocks.create(NewBlock("people", "Anna: harbour\nAnnabel: castle"), task="visit")
    memory.conversations.add("my name is Anna", task="visit")
    memory.feedback.add("never write to Anna again", task="visit")
    memory.documents.put("cards", [NewDocument("a", {"n": "Anna"}), NewDocument("b", {"n": "Bo"})])


def test_every_kind_is_counted_and_removed(both: Memoranda) -> None:
    written(both)
    assert {"observation", "memory", "block", "task", "document", "feedback"} <= set(left(both))
    receipt = both.forget(ANNA, confirm=True)
    assert [one for one in receipt.not_reached if "still mentions" in one] == []
    assert left(both) == {}


def test_a_longer_name_and_other_lines_stay(both: Memoranda) -> None:
    written(both)
    before = left(both, "Annabel")
    both.forget(ANNA, confirm=True)
    assert left(both, "Annabel") == before
    assert both.blocks.show("people", task="visit").value == "[erased]\nAnnabel: castle"
    assert left(both, "Bo") == {"document": 1}


def test_a_dry_run_changes_nothing(both: Memoranda) -> None:
    written(both)
    before = left(both)
    assert both.forget(ANNA, dry_run=True).dry_run
    assert left(both) == before
    with pytest.raises(InvalidInput, match="mentions the name"):
        both.forget(ANNA)
    assert left(both) == before


def test_a_second_run_finds_nothing(both: Memoranda) -> None:
    written(both)
    both.forget(ANNA, confirm=True)
    again = both.forget(ANNA, confirm=True)
    assert (again.observations, again.memories, again.mention_counts) == (0, 0, {})


def test_search_and_context_show_it_no_more(both: Memoranda) -> None:
    written(both)
    assert any("Anna " in str(one) for one in both.search("green tea harbour").hits)
    both.forget(ANNA, confirm=True)
    for query in ("green tea", "moved to the harbour", "Anna"):
        assert not any("Anna " in str(one) for one in both.search(query).hits)
    assert "Anna " not in str(both.context(task="visit"))


def test_the_former_name_of_a_workspace_is_removed(both: Memoranda) -> None:
    both.remember("The desk is open", workspace="anna-shop")
    both.workspaces.rename("anna-shop", "shop")
    assert left(both) == {"workspace_alias": 1}
    receipt = both.forget(ANNA, confirm=True)
    assert [one for one in receipt.not_reached if "still mentions" in one] == []
    assert both.workspaces.show("shop").aliases == ()
    assert left(both) == {}


def test_the_folder_of_a_workspace_is_still_recognised(both: Memoranda, tmp_path: Path) -> None:
    folder = tmp_path / "Anna"
    folder.mkdir()
    both.capture.take([message_event("first", "the desk is open", cwd=str(folder))])
    [place] = both.workspaces.list()
    both.workspaces.rename(place.name, "shop")
    both.forget(ANNA, confirm=True)
    assert left(both) == {"workspace": 1, "workspace_alias": 1}
    both.capture.take([message_event("second", "the desk is closed", cwd=str(folder))])
    assert [one.name for one in both.workspaces.list()] == ["shop"]


def test_a_protected_memory_stops_it(both: Memoranda) -> None:
    written(both)
    both.remember(NewMemory("Anna has signed the contract", protected=True))
    before = left(both)
    with pytest.raises(Conflict, match="protected"):
        both.forget(ANNA, confirm=True)
    assert left(both) == before


@pytest.mark.parametrize("text", ["ANNA called", "anna@example.com wrote", "Anna's car", "(Anna)"])
def test_case_and_signs_around_it_do_not_hide_it(memory: Memoranda, text: str) -> None:
    memory.observe(text)
    assert left(memory) == {"observation": 1}


@pytest.mark.parametrize("text", ["Annabel called", "Hanna called", "Anna2 called", "Ann called"])
def test_another_name_is_not_a_mention(memory: Memoranda, text: str) -> None:
    memory.observe(text)
    assert left(memory) == {}


@pytest.mark.parametrize("text", ["Jos\u00e9 called", "Jose\u0301 called", "JOS\u00c9 called"])
@pytest.mark.parametrize("name", ["jos\u00e9", "jose\u0301"])
def test_both_forms_of_an_accent_are_one(memory: Memoranda, text: str, name: str) -> None:
    memory.observe(text)
    assert left(memory, name) == {"observation": 1}
    assert left(memory, "Jos") == {}


@pytest.mark.parametrize("name", ["A", " ", "--", "\u00e9"])
def test_too_short_a_name_is_refused(memory: Memoranda, name: str) -> None:
    with pytest.raises(InvalidInput):
        left(memory, name)


def test_lines_of_hooks_that_were_no_events_are_counted_and_removed(data_dir: Path) -> None:
    spool = data_dir / "spool"
    spool.mkdir(mode=0o700, parents=True)
    broken = [r'{"p": "call Anna" ', r'{"p": "call \u0041nna" ', r'{"p": "call Bo" ']
    (spool / "s.jsonl").write_text("\n".join(broken), "utf-8")
    with Memoranda.open(data_dir) as memory:
        assert left(memory) == {"rejected_line": 2}
        receipt = memory.forget(ANNA, confirm=True)
        assert receipt.mention_counts == {"rejected_line": 2}
        assert [(one.kind, one.id) for one in receipt.mentions] == [
            ("rejected_line", "1"),
            ("rejected_line", "2"),
        ]
        assert left(memory) == {}
    assert (spool / "rejected.txt").read_text("utf-8") == broken[2].rstrip() + "\n"


def test_forgetting_a_session_removes_its_lines_that_were_no_events(data_dir: Path) -> None:
    spool = data_dir / "spool"
    spool.mkdir(mode=0o700, parents=True)
    broken = [f'{{"p":{{"session_id": "{session}" broken' for session in ("s1", "s1x", "s2")]
    (spool / "s.jsonl").write_text("\n".join(broken), "utf-8")
    prompt = {"session_id": "s1", "hook_event_name": "UserPromptSubmit", "prompt": "Fix it."}
    line = {"v": 1, "t": 10**18, "h": "claude-code", "p": prompt}
    (spool / "t.jsonl").write_text(json.dumps(line), "utf-8")
    with Memoranda.open(data_dir) as memory:
        memory.capture.drain()
        (task,) = memory.tasks.list()
        memory.forget(RemovalSelection(task=task.id), confirm=True)
        kept = (spool / "rejected.txt").read_text("utf-8").split("\n")
        assert kept == [*broken[1:], ""]
