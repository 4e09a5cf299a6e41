"""Contract of the store for agents."""

from __future__ import annotations

from functools import partial

from hypothesis import given, strategies as st

from contract.clock import START
from contract.contract_listing import _few, new_team
from contract.records import Records
from memoranda.agents import table as agents
from memoranda.agents.model import Agent
from memoranda.store.database import Database, Transaction
from memoranda.text import normalise

ids = st.text(min_size=1, max_size=30).map(normalise)
TEAM = Records().team


class AgentContract:
    """An agent is known from its first event."""

    def test_an_agent_is_known_since_it_was_first_seen(self, database: Database) -> None:
        def work(tx: Transaction) -> None:
            assert agents.by_id(tx, TEAM, "critic") is None
            agents.record_seen(tx, TEAM, "critic", START, "The critic")
            agents.record_seen(tx, TEAM, "critic", START + 9)
            agents.record_seen(tx, TEAM, "critic", START + 5, "Another name")
            seen = Agent("critic", "The critic", START, START + 9)
            assert agents.by_id(tx, TEAM, "critic") == seen
            assert agents.listed(tx, TEAM, limit=9) == [seen]
            assert agents.attached_blocks(tx, TEAM, "critic") == []

        database.write(work)

    @given(names=st.lists(ids, max_size=9, unique=True), size=st.integers(1, 4))
    @_few
    def test_pages_give_every_agent_once_in_the_order_of_code_points(
        self, database: Database, names: list[str], size: int
    ) -> None:
        team = new_team().team
        database = database.of(team)

        def fill(tx: Transaction) -> None:
            for name in names:
                agents.record_seen(tx, team, name, START)

        database.write(fill)
        page = partial(agents.listed, team=team, limit=size)
        seen: list[str] = []
        while found := database.read(partial(page, after=seen[-1] if seen else "")):
            assert len(found) <= size
            seen += [one.id for one in found]
        assert seen == sorted(names)
