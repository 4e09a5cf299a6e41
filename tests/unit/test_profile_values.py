"""Members of the profile, their cost, and their order."""

from __future__ import annotations

from dataclasses import replace

import pytest

from contract.clock import START
from contract.records import Records
from memoranda.memories.model import Category, Memory, MemoryStatus
from memoranda.page import Page
from memoranda.profile.agent_file import HEADINGS
from memoranda.profile.model import (
    CATEGORIES,
    DAY,
    Profile,
    cost,
    impact,
    in_profile,
    ranked,
    touched,
)
from memoranda.proposals.model import MemoryState
from tables import each

records = Records()
MEMORY = records.memory(None, tokens=30)


def test_the_file_of_agents_has_the_categories_of_the_profile() -> None:
    assert tuple(HEADINGS) == CATEGORIES


def test_a_memory_costs_its_text_and_twenty() -> None:
    assert cost(MEMORY) == 50


@each("category", Category)
def test_five_of_ten_categories_are_in_the_profile(category: Category) -> None:
    found = in_profile(replace(MEMORY, category=category))
    assert found == (list(Category).index(category) < 5)


@pytest.mark.parametrize("status", MemoryStatus)
def test_only_what_is_approved_is_in_the_profile(status: MemoryStatus) -> None:
    one = replace(MEMORY, status=status)
    assert in_profile(one) == (status is MemoryStatus.APPROVED)
    assert in_profile(MemoryState.of(one)) == in_profile(one)


def test_an_expired_memory_is_not_in_the_profile() -> None:
    assert not in_profile(replace(MEMORY, valid_until=START))


def test_a_memory_is_touched_by_use_and_by_change() -> None:
    assert touched(MEMORY) == START
    assert touched(replace(MEMORY, last_used=START + 5)) == START + 5
    assert touched(replace(MEMORY, last_used=START + 5, updated_at=START + 9)) == START + 9


@pytest.mark.parametrize(
    "more",
    [
        {"critical": True},
        {"protected": True},
        {"uses": 1},
        {"last_used": START + DAY},
    ],
    ids=["critical", "protected", "used", "fresh"],
)
def test_importance_order(more: dict[str, object]) -> None:
    now = START + 10 * DAY
    assert impact(replace(MEMORY, **more), now) > impact(MEMORY, now)  # type: ignore[arg-type]
    assert impact(MEMORY, now) > impact(replace(MEMORY, confidence=0.9), now)


def test_marks_count_more_than_all_else_together() -> None:
    best = replace(MEMORY, uses=10_000, last_used=START + DAY)
    protected = replace(MEMORY, confidence=0.0, protected=True)
    critical = replace(protected, critical=True, protected=False)
    now = START + DAY
    assert impact(best, now) <= 1.0 < impact(critical, now)
    assert impact(best, now) <= impact(protected, now) + 1e-9 + 0.3
    assert impact(critical, now) > impact(replace(best, protected=True), now) - 1.0


def test_equal_memories_are_ranked_by_their_ids_whatever_order_they_come_in() -> None:
    made: list[Memory] = [records.memory(None, f"fact {n}") for n in range(5)]
    assert ranked(reversed(made)) == tuple(made)
    used = replace(made[3], uses=4)
    assert ranked([*made[:3], used, made[4]])[0] == used
    assert ranked([]) == ()


@pytest.mark.parametrize(("used", "crowded"), [(7_999, False), (8_000, True), (12_000, True)])
def test_a_profile_is_crowded_from_four_fifths_on(used: int, crowded: bool) -> None:
    assert Profile(None, used, 10_000, 0, {}, Page(())).crowded == crowded
