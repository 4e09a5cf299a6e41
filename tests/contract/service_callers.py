"""Callers in the service contract, and how each reaches a door."""

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
    """One open service, as any caller sees it."""

    def __call__(self, principal: Principal) -> Memoranda:
        """Return the memory of a caller through the door; the service closes it."""
        ...


class ServiceCase:
    """Common base of the parts of the contract."""

    @pytest.fixture
    def callers(self) -> Iterator[Callers]:
        """Return the callers of an empty service; subclasses define it."""
        raise NotImplementedError

    @pytest.fixture
    def ada(self, callers: Callers) -> Memoranda:
        """Return a person who owns the service."""
        return callers(ADA)

    @pytest.fixture
    def bot(self, callers: Callers) -> Memoranda:
        """Return an agent."""
        return callers(BOT)
