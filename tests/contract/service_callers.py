"""Who calls in the contract of services, and how a door is reached as each of them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol

import pytest

from memoranda import Memoranda
from memoranda.identity.principal import Principal, Role

ADA = Principal("local", "ada", Role.ADMIN)
BOT = Principal("local", "bot-1", Role.AGENT, "bot")
RIVAL = Principal("local", "bot-2", Role.AGENT, "rival")
MEMBER = Principal("local", "max", Role.MEMBER)
READER = Principal("local", "eye", Role.READER)
EVE = Principal("barn", "eve", Role.ADMIN)
PRINCIPALS = (ADA, BOT, RIVAL, MEMBER, READER, EVE)
SHOP = "shop"


class Callers(Protocol):
    """One open service, as anybody sees it."""

    def __call__(self, principal: Principal) -> Memoranda:
        """Return the memory as somebody sees it through the door; the service closes it."""
        ...


class ServiceCase:
    """What each part of the contract stands on."""

    @pytest.fixture
    def callers(self) -> Iterator[Callers]:
        """Give an empty service. Those who take the contract over say how."""
        raise NotImplementedError

    @pytest.fixture
    def ada(self, callers: Callers) -> Memoranda:
        """A person who runs it."""
        return callers(ADA)

    @pytest.fixture
    def bot(self, callers: Callers) -> Memoranda:
        """An agent."""
        return callers(BOT)
