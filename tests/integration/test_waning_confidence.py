"""Unused and contradicted memories are suggested as stale over time."""

from __future__ import annotations

from pathlib import Path

import pytest
from happenings import message_event

from contract.clock import START, FixedClock
from memoranda import Memoranda
from memoranda.assembly.services import Services
from memoranda.config import load_settings
from memoranda.memories.memory_service import NewMemory
from memoranda.memories.model import Category
from memoranda.profile.model import DAY, ProfileSuggestionKind
from memoranda.scope import Scope

pytestmark = pytest.mark.integration

OLD, NEW = "The nightly report runs at 06:00.", "The nightly report runs at 07:30."
BESIDE = "The staging server stands in Bergen."
OF_AGENT = "The cache of thumbnails lies in var/thumbs."


def on_day(data_dir: Path, day: int, agent: str | None = None) -> Memoranda:
    settings = load_settings({"data_dir": data_dir, "embedder": "none"}, {})
    services = Services(settings, FixedClock(START + day * DAY, step=1_000))
    return Memoranda(services, Scope(services.settings.team, agent=agent))


def remember(memory: Memoranda, text: str) -> None:
    statement = NewMemory(text, category=Category.DOMAIN_KNOWLEDGE)
    memory.remember(statement, workspace="shop")


def stale(data_dir: Path, day: int) -> set[str]:
    """Return the texts suggested as stale on a day."""
    with on_day(data_dir, day) as memory:
        memory.capture.drain(wait=True)
        offered = memory.profile.optimize(workspace="shop").suggestions
        ids = {
            step.memory
            for one in offered
            if one.kind is ProfileSuggestionKind.STALE
            for step in one.steps
        }
        return {memory.memories.evidence(id).memory.content for id in ids}


def test_confidence_wanes_without_use_and_by_contradiction(data_dir: Path) -> None:
    with on_day(data_dir, 0) as memory:
        memory.capture.take([message_event("goal", "Look at the report", cwd="/srv/shop")])
        remember(memory, OLD)
        remember(memory, BESIDE)
    with on_day(data_dir, 0, "bob") as bob:
        remember(bob, OF_AGENT)
    with on_day(data_dir, 1) as memory:
        (waits,) = memory.proposals.list().items
        memory.proposals.approve(waits.id, waits.hash)
        remember(memory, NEW)
        memory.capture.drain(wait=True)
    assert stale(data_dir, 40) == set()
    assert stale(data_dir, 130) == {OF_AGENT}
    assert stale(data_dir, 300) == {OF_AGENT, OLD}
    assert stale(data_dir, 800) == {OF_AGENT, OLD, BESIDE, NEW}
