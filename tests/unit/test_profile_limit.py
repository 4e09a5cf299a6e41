"""The largest profile of a reader, and changes that make one larger."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

from hypothesis import given, strategies as st

from contract.clock import START
from contract.records import Records
from memoranda.memories.model import Category, MemoryStatus, Visibility
from memoranda.profile.limit import fullest_profile, grows, used_by
from memoranda.profile.table import ProfileShare
from tables import each

PLACES, AGENTS = (None, "shop", "yard"), (None, "bob", "eve")
MEMORY = Records().memory("shop", tokens=30)


@each(
    ("before", "after", "larger"),
    [
        ({}, {}, False),
        ({}, {"tokens": 31}, True),
        ({}, {"tokens": 29}, False),
        ({}, {"protected": True}, False),
        ({}, {"category": Category.LEARNED_RULE}, False),
        ({}, {"status": MemoryStatus.ARCHIVED}, False),
        ({"status": MemoryStatus.PENDING}, {}, True),
        ({"category": Category.DECISION}, {}, True),
        ({"valid_until": START}, {}, True),
        ({}, {"workspace": None, "visibility": Visibility.TEAM}, True),
        ({"workspace": None, "visibility": Visibility.TEAM}, {}, False),
        ({"visibility": Visibility.AGENT, "agent": "bob"}, {}, True),
        ({}, {"workspace": "yard"}, True),
    ],
    ids=range(13),
)
def test_a_change_makes_a_profile_larger_or_not(
    before: dict[str, object], after: dict[str, object], larger: bool
) -> None:
    assert grows(replace(MEMORY, **before), replace(MEMORY, **after)) == larger  # type: ignore[arg-type]


def test_what_is_new_makes_it_larger_if_it_is_in_it() -> None:
    assert grows(None, MEMORY)
    assert not grows(None, replace(MEMORY, status=MemoryStatus.PENDING))


SHARES = st.lists(
    st.builds(
        ProfileShare,
        st.sampled_from(PLACES),
        st.sampled_from(AGENTS),
        st.just("learned_rule"),
        st.just(1),
        st.integers(1, 5_000),
    ),
    max_size=8,
)


@given(SHARES, st.sampled_from(PLACES), st.sampled_from(AGENTS))
def test_the_fullest_is_the_one_that_every_reader_looked_at_would_find(
    shares: list[ProfileShare], place: str | None, agent: str | None
) -> None:
    private = {"visibility": Visibility.AGENT, "agent": agent} if agent else {}
    stored = replace(MEMORY, workspace=place, **private)  # type: ignore[arg-type]
    readers = [
        (where, who)
        for where, who in product(PLACES, AGENTS)
        if place in (None, where) and agent in (None, who)
    ]
    most = max(used_by(shares, where, who) for where, who in readers)
    found = fullest_profile(shares, [stored])
    assert found.used == most
    assert used_by(shares, found.workspace, found.agent) == most


def test_of_several_memories_the_fullest_of_all_counts() -> None:
    shares = [ProfileShare("shop", None, "x", 1, 10), ProfileShare("yard", None, "x", 1, 90)]
    yard = replace(MEMORY, workspace="yard")
    assert fullest_profile(shares, [MEMORY]).used == 10
    assert fullest_profile(shares, [MEMORY, yard]).used == 90
    assert fullest_profile(shares, []).used == 0
