"""The state a decision is bound to, and a memory after a change."""

from __future__ import annotations

from dataclasses import fields, replace

from hypothesis import given, strategies as st

from contract.records import Records
from memoranda.memories.model import Category, MemoryStatus, Visibility
from memoranda.proposals.model import (
    MemoryEdit,
    MemoryState,
    Proposal,
    ProposalKind,
    ProposalStatus,
)
from tables import each

texts = st.text(st.characters(exclude_categories=("Cs",)), max_size=60)
states = st.builds(
    MemoryState,
    title=texts,
    content=texts,
    category=st.sampled_from(Category),
    tags=st.lists(texts, max_size=4).map(tuple),
    workspace=st.none() | st.uuids().map(str),
    visibility=st.sampled_from(Visibility),
    critical=st.booleans(),
    protected=st.booleans(),
    status=st.sampled_from(MemoryStatus),
)
STATE = MemoryState.of(Records().memory(None, "prices are net"))
PROPOSAL = Proposal(
    team="north",
    id="1",
    kind=ProposalKind.UPDATE,
    memory="2",
    workspace=None,
    agent="bob",
    task=None,
    reason="",
    before=STATE,
    after=replace(STATE, content="prices are gross"),
    status=ProposalStatus.PENDING,
    created_at=1,
    decided_at=None,
    decided_by=None,
    note="",
)


@given(states)
def test_a_state_comes_back_from_its_text(state: MemoryState) -> None:
    assert MemoryState.read(state.text()) == state


@given(states, states)
def test_equal_texts_are_of_equal_states(one: MemoryState, other: MemoryState) -> None:
    assert (one.text() == other.text()) == (one == other)


def test_a_state_is_what_can_change_of_a_memory() -> None:
    memory = Records().memory(None, "prices are net", tags=("vat",), critical=True)
    state = MemoryState.of(memory)
    assert all(getattr(state, f.name) == getattr(memory, f.name) for f in fields(state))


@given(states, states)
def test_the_hash_covers_all_of_the_change(one: MemoryState, other: MemoryState) -> None:
    first, second = (replace(PROPOSAL, before=one, after=state) for state in (one, other))
    assert (first.hash == second.hash) == (one == other)
    turned = replace(PROPOSAL, before=other, after=one)
    assert (turned.hash == second.hash) == (one == other)


@each(
    ("changes", "same"),
    [
        ({"kind": ProposalKind.ARCHIVE}, False),
        ({"memory": "3"}, False),
        ({"after": STATE}, False),
        ({"before": replace(STATE, protected=True)}, False),
        ({"reason": "because"}, True),
        ({"status": ProposalStatus.REJECTED, "decided_by": "human"}, True),
        ({"id": "9", "created_at": 7}, True),
    ],
    ids=["kind", "memory", "after", "before", "reason", "status", "id"],
)
def test_a_decision_is_bound_to_the_change_alone(changes: dict[str, object], same: bool) -> None:
    other = replace(PROPOSAL, **changes)  # type: ignore[arg-type]
    assert (other.hash == PROPOSAL.hash) is same


@given(states, states)
def test_an_edit_changes_what_it_names(state: MemoryState, wanted: MemoryState) -> None:
    assert MemoryEdit().applied(state) == state
    for name in ("valid_from", "valid_until"):
        assert MemoryEdit(unset=(name,)).applied(state) == replace(state, **{name: None})
    assert MemoryEdit(confidence=0.5).applied(state) == state  # of the memory itself, not its state
    for field in (one for one in fields(MemoryEdit) if one.name not in ("unset", "confidence")):
        value = getattr(wanted, field.name)
        after = MemoryEdit(**{field.name: value}).applied(state)
        assert after == replace(state, **{field.name: value})
