"""Trust levels, which only a person's approval raises."""

from __future__ import annotations

from itertools import pairwise, product

import pytest

from contract.records import Records
from memoranda.json_data import as_json
from memoranda.memories.model import Evidence, MemoryStatus
from memoranda.observations.model import Origin
from memoranda.search.model import ContextItem
from memoranda.trust import BY_ORIGIN, OUTSIDE, Trust, approved_by_person, least_trusted, trust_of
from tables import each


def test_trust_is_ordered_from_the_web_to_what_a_person_approved() -> None:
    assert [trust.value for trust in sorted(Trust)] == [
        "web", "tool", "agent", "person", "approved",
    ]  # fmt: skip
    for low, high in pairwise(Trust):
        assert low < high
        assert high > low
        assert low <= high
        assert low <= Trust(low)
        assert high >= low
        assert not high < low
        assert not high <= low


def test_every_origin_has_its_trust() -> None:
    assert set(BY_ORIGIN) == set(Origin)
    assert BY_ORIGIN[Origin.WEB] < BY_ORIGIN[Origin.IMPORT] == BY_ORIGIN[Origin.TOOL]
    assert BY_ORIGIN[Origin.TOOL] < BY_ORIGIN[Origin.AGENT] < BY_ORIGIN[Origin.HUMAN]
    assert Trust.APPROVED not in BY_ORIGIN.values()
    assert frozenset(Origin) - {Origin.HUMAN, Origin.AGENT} == OUTSIDE


@each("origin", Origin, ids=str)
def test_a_persons_approval_raises_whatever_it_was(origin: Origin) -> None:
    made = Records().memory(None, origin=origin, approved_by="ann")
    assert trust_of(made) is Trust.APPROVED


@pytest.mark.parametrize("by", [None, "", "rule:third rejection"])
def test_nobody_and_no_rule_vouches_for_anything(by: str | None) -> None:
    made = Records().memory(None, origin=Origin.WEB, approved_by=by)
    assert not approved_by_person(made)
    assert trust_of(made) is Trust.WEB


@pytest.mark.parametrize("status", [one for one in MemoryStatus if one != "approved"])
def test_a_revoked_approval_raises_no_trust(status: MemoryStatus) -> None:
    made = Records().memory(None, origin=Origin.AGENT, approved_by="ann", status=status)
    assert trust_of(made) is Trust.AGENT


def test_what_is_derived_has_the_lowest_trust_of_what_it_comes_from() -> None:
    for one, other in product(Origin, repeat=2):
        found = BY_ORIGIN[least_trusted((one, other))]
        assert found == min(BY_ORIGIN[one], BY_ORIGIN[other])
    assert least_trusted([Origin.AGENT]) is Origin.AGENT
    assert least_trusted((Origin.IMPORT, Origin.TOOL)) is Origin.IMPORT


def test_trust_is_written_as_a_word_at_every_door() -> None:
    item = ContextItem("id", "1#1", "text", Origin.AGENT, 0, trust=Trust.APPROVED)
    assert as_json(item)["trust"] == "approved"  # type: ignore[index, call-overload]
    assert as_json(Evidence(Records().memory(None), ()))["trust"] == "web"  # type: ignore[index, call-overload]


def test_a_line_without_provenance_is_trusted_least() -> None:
    assert ContextItem("id", "1#1", "text", Origin.HUMAN, 0).trust is min(Trust)


def test_trust_compares_with_its_words_alone() -> None:
    assert Trust("tool") < Trust.AGENT
    with pytest.raises(ValueError, match="best"):
        _ = Trust.AGENT > "best"
