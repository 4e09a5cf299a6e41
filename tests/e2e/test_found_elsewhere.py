"""Where a workspace has no hit, a search counts those of the others that the caller may read."""

from __future__ import annotations

from pathlib import Path

import pytest
from commands import ask, invoke

from memoranda.api.service import Service
from memoranda.config import load_settings
from memoranda.memories.memory_service import NewMemory
from memoranda.memories.model import Visibility
from rest_apps import TOKENS

pytestmark = pytest.mark.e2e


def test_a_search_names_the_number_of_hits_in_other_workspaces(tmp_path: Path) -> None:
    data = tmp_path / "data"
    ask(data, "remember", "The ferry leaves at noon.", "--workspace", "harbour")
    ask(data, "remember", "Prices are net.", "--workspace", "shop")
    found = invoke(data, "search", "ferry", "--workspace", "shop")
    assert (found.code, found.out) == (0, "nothing found\n")
    assert "1 more in other workspaces; to include them: --workspace all" in found.err
    assert len(ask(data, "search", "ferry", "--workspace", "all")["hits"]) == 1
    for words in (("prices", "--workspace", "shop"), ("tram", "--workspace", "shop"), ("tram",)):
        assert "other workspaces" not in invoke(data, "search", *words).err


@pytest.mark.parametrize("option", ["--workspace", "--portal"])
@pytest.mark.parametrize("empty", ["", "  ", "\u200b"])
def test_a_search_refuses_an_empty_workspace(tmp_path: Path, option: str, empty: str) -> None:
    data = tmp_path / "data"
    ask(data, "remember", "Prices are net.", "--workspace", "shop")
    for more in ((), ("--scope", "all")):
        found = invoke(data, "search", "prices", option, empty, *more)
        assert (found.code, found.out) == (2, "")
        assert "the workspace name is empty" in found.err


def test_neither_another_team_nor_a_private_memory_is_counted(tmp_path: Path) -> None:
    service = Service(load_settings({"data_dir": tmp_path / "data", "embedder": "none"}))
    try:
        ada, bot, rival, eve = (
            service.memory(TOKENS[one]) for one in ("ada", "bot", "rival", "eve")
        )
        for one in (ada, eve):
            one.remember("Prices are net.", workspace="shop")
        statement = NewMemory("The ferry leaves at noon.", visibility=Visibility.AGENT)
        bot.remember(statement, workspace="harbour")
        (proposal,) = ada.proposals.list()
        ada.proposals.approve(proposal.id, proposal.hash)
        eve.remember("The tram leaves at noon.", workspace="harbour")
        assert bot.search("ferry", workspace="shop").elsewhere == 1
        assert eve.search("tram", workspace="shop").elsewhere == 1
        assert rival.search("ferry", workspace="shop").elsewhere == 0
        assert rival.search("tram", workspace="shop").elsewhere == 0
    finally:
        service.close()
