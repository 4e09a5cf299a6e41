"""Callers, and the identities they act as."""

from __future__ import annotations

import pytest

from memoranda.exceptions import InvalidInput
from memoranda.identity.principal import Principal, Role, owner
from memoranda.scope import Scope
from tables import each


def test_an_agent_acts_as_itself_and_a_person_by_name() -> None:
    agent = Principal("shop", "bot-key", Role.AGENT, "bot")
    own_blocks = Scope("shop", agent="bot", person="bot-key", sees_private_blocks=False)
    assert agent.scope == own_blocks
    assert agent.scope.actor == "bot"
    assert Principal("shop", "ada@example.org", Role.MEMBER).scope.actor == "ada@example.org"
    assert owner().scope.actor == "human"


@each("team", ["", "A", "a/b", "..", "a" * 64, "-a", "a-", "a b", "a\n", "é"])
def test_a_team_is_a_safe_part_of_a_path(team: str) -> None:
    with pytest.raises(InvalidInput, match="not a team name"):
        Principal(team, "ada", Role.MEMBER)


@each("subject", ["", "rule:7", "a b", "a\n", "x" * 201, "@a", "ada\0"])
def test_nobody_is_named_like_a_rule_or_oddly(subject: str) -> None:
    with pytest.raises(InvalidInput, match="not a user"):
        Principal("shop", subject, Role.MEMBER)


@pytest.mark.parametrize(("role", "agent"), [(Role.AGENT, None), (Role.ADMIN, "bot")])
def test_the_role_of_agents_goes_with_an_agent(role: Role, agent: str | None) -> None:
    with pytest.raises(InvalidInput, match="the role agent"):
        Principal("shop", "ada", role, agent)
