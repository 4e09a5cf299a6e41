"""Values computed for memory pages: turns, changes, sections, effects."""

from __future__ import annotations

from typing import Any

from memoranda.json_data import as_json
from memoranda.memories.model import Category, Memory, MemoryKind, MemoryStatus, Visibility
from memoranda.observations.model import Origin
from memoranda.web.memory_views import differing, place, state_fingerprint, trust
from memoranda.web.pages.learnings import ValidityChange, split_tags, turns
from memoranda.web.pages.memory import changes
from memoranda.web.pages.optimiser import effect
from memoranda.web.pages.profile import sections

NAMES = {"w1": "parcel"}


def memory(**arguments: Any) -> dict[str, Any]:
    """Return a memory as operations do."""
    made = Memory(
        "local", "m1", "w1", None, Visibility.WORKSPACE, "A title", "Some text",
        MemoryKind.SEMANTIC, Category.INSIGHT, ("one",), Origin.HUMAN, 1.0, False, None, False,
        MemoryStatus.APPROVED, 5, 1_000_000, 1_000_000,
    )  # fmt: skip
    found = as_json(made)
    assert isinstance(found, dict)
    return {**found, **arguments}


def test_turns_are_in_order_and_none_is_to_come() -> None:
    found = turns(
        [
            memory(valid_from="2025-03-01T00:00:00Z"),
            memory(valid_from="2024-01-01T00:00:00Z", valid_until="2025-03-01T00:00:00Z"),
            memory(valid_from="2030-01-01T00:00:00Z"),
            memory(),
        ],
        "2026-11-23T00:00:00Z",
    )
    assert found == [
        ValidityChange("2024-01-01T00:00:00Z", 1, 0),
        ValidityChange("2025-03-01T00:00:00Z", 1, 1),
    ]


def test_changes_show_their_effect_on_a_memory() -> None:
    first = memory(content="a", tags=[], critical=False)
    second = memory(content="b", tags=[], critical=False)
    now = memory(content="b", tags=["x", "y"], critical=True)
    found = changes([{"version": 2, "state": second}, {"version": 1, "state": first}], now, NAMES)
    assert [(one["version"], one["before"], one["after"]) for one in found] == [
        (2, "b", "b"),
        (1, "a", "b"),
    ]
    assert found[0]["marks"] == [("tags", "none", "x, y"), ("critical", "no", "yes")]
    assert found[1]["marks"] == []


def test_a_promotion_differs_in_place_and_in_who_sees_it() -> None:
    found = differing(memory(), memory(workspace=None, visibility="team"), NAMES)
    assert found == [
        ("visibility", "workspace", "team"),
        ("workspace", "parcel", "the whole team"),
    ]


def test_the_scope_of_a_memory() -> None:
    assert place(memory(), NAMES) == "parcel"
    assert place(memory(workspace="w2"), NAMES) == "a workspace"
    assert place(memory(workspace=None, visibility="team"), NAMES) == "the whole team"
    assert place(memory(agent="bob", visibility="agent"), NAMES) == "bob alone"


def test_trust_is_that_of_the_memory() -> None:
    assert trust(memory()) == "person"
    assert trust(memory(origin="agent")) == "agent"
    assert trust(memory(origin="agent", approved_by="ann")) == "approved"
    assert trust(memory(origin="agent", approved_by="rule:r1")) == "agent"


def test_another_state_is_another_mark_and_use_is_none() -> None:
    assert state_fingerprint(memory()) == state_fingerprint(
        memory(uses=9, updated_at="2026-01-01T00:00:00Z")
    )
    assert state_fingerprint(memory()) != state_fingerprint(memory(content="Other text"))
    assert state_fingerprint(memory()) != state_fingerprint(memory(protected=True))


def test_tags_are_typed_with_commas() -> None:
    assert split_tags(" a, b c ,,") == ["a", "b c"]
    assert split_tags("") == []


def test_a_profile_is_in_five_sections_with_the_overhead_of_each_entry() -> None:
    found = sections([memory(category="learned_rule")], {"learned_rule": 25}, NAMES)
    assert [len(one["entries"]) for one in found] == [0, 0, 1, 0, 0]
    assert [one["tokens"] for one in found] == [0, 0, 25, 0, 0]
    assert found[2]["entries"][0]["cost"] == 25


def test_the_effect_of_a_step_is_shown_in_both_texts() -> None:
    after = memory(content="shorter")
    kept = effect({"memory": "m1", "freed": 7, "after": after}, {"m1": "rather longer"})
    assert (kept.before, kept.after, kept.archived) == ("rather longer", "shorter", False)
    gone = memory(content="rather longer", status="archived")
    left = effect({"memory": "m1", "freed": 25, "after": gone}, {"m1": "rather longer"})
    assert (left.before, left.after, left.archived) == ("rather longer", "", True)
