"""The journal names each action, and the title of its object."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from click.testing import CliRunner

from memoranda import Memoranda
from memoranda.blocks.block_writer import NewBlock
from memoranda.cli import cli
from memoranda.config import load_settings
from memoranda.journal.model import JournalEntry
from memoranda.memories.memory_service import NewMemory
from memoranda.memories.removal import RemovalSelection
from memoranda.proposals.model import MemoryEdit

pytestmark = pytest.mark.integration


@pytest.fixture
def data_dir(tmp_path: Path) -> Path:
    return tmp_path / "data"


@pytest.fixture
def memory(data_dir: Path) -> Iterator[Memoranda]:
    with closing(Memoranda.open(settings=load_settings({"data_dir": data_dir}))) as opened:
        yield opened


def changes(memory: Memoranda) -> list[JournalEntry]:
    """Return journal entries of changed memories, oldest first."""
    return list(reversed(memory.journal.list(operation="memory change").items))


def acts(memory: Memoranda) -> list[object]:
    """Return the actions on memories, in order."""
    return [one.detail["act"] for one in changes(memory)]


def test_changes_of_one_memory_are_distinguishable(memory: Memoranda) -> None:
    id = memory.remember("Prices are net.", workspace="shop").id
    memory.memories.edit(id, MemoryEdit(content="Prices are gross."))
    memory.memories.promote(id)
    memory.memories.demote(id, "shop")
    memory.memories.archive(id)
    memory.memories.restore(id, 4)
    assert acts(memory) == ["edit", "promote", "demote", "archive", "restore"]
    assert {one.title for one in changes(memory)} == {"Prices are gross."}
    (entry,) = memory.journal.list(operation="remember").items
    assert entry.title == "Prices are net."


def test_an_entry_has_the_title_of_its_time(memory: Memoranda) -> None:
    id = memory.remember("The port is 80.", workspace="shop").id
    for port in (81, 82):
        memory.memories.edit(id, MemoryEdit(content=f"The port is {port}."))
    memory.memories.restore(id, 1)
    titles = [f"The port is {port}." for port in (81, 82, 80)]
    assert [one.title for one in changes(memory)] == titles
    assert acts(memory) == ["edit", "edit", "restore"]


def test_the_table_names_the_commands(data_dir: Path, memory: Memoranda) -> None:
    id = memory.remember("The port is 80.", workspace="shop").id
    memory.memories.edit(id, MemoryEdit(content="The port is 81."))
    memory.memories.restore(id, 1)
    words = ["--data-dir", str(data_dir), "journal", "list"]
    lines = CliRunner().invoke(cli, words).output.split("\n")[1:4]
    shown = [re.split(r"\s{2,}", line)[3:5] for line in lines]
    assert shown == [
        ["memory restore", "The port is 80."],
        ["memory edit", "The port is 81."],
        ["remember", "The port is 80."],
    ]


def test_a_superseded_memory_and_its_restoration_are_distinguishable(memory: Memoranda) -> None:
    old = memory.remember("Prices are net.", workspace="shop").id
    new = memory.remember("Prices are gross since May.", workspace="shop").id
    memory.memories.supersede(old, new)
    newest = memory.memories.history(old, limit=1).items[0].version
    memory.memories.restore(old, newest)
    assert acts(memory)[-2:] == ["supersede", "restore"]


@pytest.mark.parametrize(("decision", "act"), [("approve", "approve"), ("reject", "reject")])
def test_decisions_on_what_agents_propose_are_acts(
    data_dir: Path, memory: Memoranda, decision: str, act: str
) -> None:
    settings = load_settings({"data_dir": data_dir})
    with closing(Memoranda.open(settings=settings, agent="bot", workspace="shop")) as bot:
        bot.remember("Lamps are sold on Mondays.")
    waiting = memory.proposals.list().items[0]
    shown = memory.proposals.show(waiting.id)
    if decision == "approve":
        memory.proposals.approve(waiting.id, shown.hash)
    else:
        memory.proposals.reject(waiting.id)
    assert acts(memory) == [act]
    decided = memory.journal.list(subject=waiting.id).items
    assert {one.title for one in decided} == {"Lamps are sold on Mondays."}


def test_tasks_are_named_by_their_names_and_goals(memory: Memoranda) -> None:
    made = memory.tasks.create("issue-42", "Refunds reach the ledger", workspace="shop")
    plain = memory.tasks.create("a sentence that is a name", workspace="shop")
    result = {one.subject: one.title for one in memory.journal.list(operation="task create").items}
    assert result == {made.id: "issue-42: Refunds reach the ledger", plain.id: "no goal stated"}


def test_blocks_are_named_by_their_labels(memory: Memoranda) -> None:
    made = memory.blocks.create(NewBlock("runbook", "Restart the queue first."), workspace="shop")
    memory.blocks.delete("runbook", workspace="shop")
    entries = [one.title for one in memory.journal.list(subject=made.id).items]
    assert entries == ["runbook", "runbook"]


def test_what_is_forgotten_has_no_title_in_the_journal(memory: Memoranda) -> None:
    kept = memory.remember(NewMemory("The vault is below the stairs."), workspace="shop")
    assert "vault" in memory.journal.list(subject=kept.id).items[0].title
    memory.forget(RemovalSelection(ids=[kept.id]), confirm=True)
    entries = memory.journal.list().items
    assert entries
    assert not any("vault" in repr(one) for one in entries)
    assert memory.journal.verify().intact


def test_another_team_sees_neither_entry_nor_title(data_dir: Path, memory: Memoranda) -> None:
    made = memory.remember("Prices are net.", workspace="shop")
    settings = load_settings({"data_dir": data_dir, "team": "barn"})
    with closing(Memoranda.open(settings=settings)) as stranger:
        assert not stranger.journal.list(subject=made.id).items


@pytest.mark.parametrize(
    ("names", "act"),
    [
        (("memory edit", "memories.edit", "memory.edit", "Memory Edit", "memories/edit"), "edit"),
        (("memory archive", "memories.archive"), "archive"),
        (("promote", "memories.promote", "memory promote"), "promote"),
        (("memory change",), None),
    ],
)
def test_the_journal_is_filtered_by_the_names_that_it_shows(
    data_dir: Path, memory: Memoranda, names: tuple[str, ...], act: str | None
) -> None:
    id = memory.remember("Prices are net.", workspace="shop").id
    memory.memories.edit(id, MemoryEdit(content="Prices are gross."))
    memory.memories.promote(id)
    memory.memories.archive(id)
    for name in names:
        found = memory.journal.list(operation=name).items
        assert [one.detail["act"] for one in found] == ([act] if act else [
            "archive", "promote", "edit"
        ])  # fmt: skip
    for name in ("memory editor", "edit", "memory", "memory %", ""):
        assert not memory.journal.list(operation=name).items


@pytest.mark.parametrize("name", ["block create", "blocks.create", "Blocks/Create"])
def test_operations_of_other_nouns_are_found_as_methods_too(memory: Memoranda, name: str) -> None:
    made = memory.blocks.create(NewBlock("runbook", "Restart."), workspace="shop")
    assert [one.subject for one in memory.journal.list(operation=name).items] == [made.id]


def test_the_journal_is_filtered_by_actor_and_time(data_dir: Path, memory: Memoranda) -> None:
    memory.remember("Prices are net.", workspace="shop")
    settings = load_settings({"data_dir": data_dir})
    with closing(Memoranda.open(settings=settings, agent="bot", workspace="shop")) as bot:
        bot.remember("Lamps are sold on Mondays.")
    entries = memory.journal.list(limit=100).items
    bots = [one for one in entries if one.actor == "bot"]
    assert bots
    assert list(memory.journal.list(actor="bot").items) == bots
    at = bots[-1].at
    assert list(memory.journal.list(since=at).items) == [one for one in entries if one.at >= at]
    assert list(memory.journal.list(until=at).items) == [one for one in entries if one.at < at]
    assert not memory.journal.list(actor="bot", until=at).items
    page = memory.journal.list(actor="bot", limit=1)
    rest = memory.journal.list(actor="bot", cursor=page.cursor) if page.cursor else ()
    assert [*page.items, *rest] == bots
    words = ["--data-dir", str(data_dir), "journal", "list", "--actor", "bot", "--since", "1h"]
    assert "bot" in CliRunner().invoke(cli, words).output


def test_backups_and_exports_are_in_the_journal(memory: Memoranda, tmp_path: Path) -> None:
    place = memory.remember("Prices are net.", workspace="shop").workspace
    memory.store.backup(tmp_path / "copy.db")
    report = memory.archive.export(tmp_path / "shop.zip", workspace="shop")
    export, backup = memory.journal.list(limit=2).items
    assert (backup.operation, backup.actor) == ("backup", "human")
    assert (export.operation, export.subject) == ("export", place)
    assert export.detail["digest"] == report.digest
    assert memory.journal.verify().intact
