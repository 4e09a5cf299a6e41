"""Compression strength of a stage: each reason moves it, within bounds."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from memoranda.compression.adaptive_ratio import (
    DEFAULT,
    GENTLEST,
    STRONGEST,
    CompressionTarget,
    adaptive_target,
    requested_target,
    richness,
)
from memoranda.compression.model import Passage, PassageSpeaker

PLAIN = [
    Passage(f"1#{n}", PassageSpeaker.ASSISTANT, "we went on as planned and ate") for n in range(10)
]
RICH = [Passage(f"1#{n}", PassageSpeaker.TOOL, f"src/a{n}.py {n}7 ms id_{n}") for n in range(10)]


def target(**changes: object) -> CompressionTarget:
    usual: dict[str, object] = {"errors": 0, "retained": ()}
    return adaptive_target(PLAIN, **(usual | changes))  # type: ignore[arg-type]


def test_a_plain_stage_shrinks_ten_to_one() -> None:
    assert target() == CompressionTarget(DEFAULT, "as usual")


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"errors": 5}, "errors"),
        ({"retained": [0.8, 0.9]}, "facts lost lately"),
    ],
)
def test_each_reason_moves_the_target_and_is_reported(
    changes: dict[str, object], reason: str
) -> None:
    found = target(**changes)
    assert found.target < DEFAULT
    assert reason in found.reason


def test_many_different_values_are_pressed_less() -> None:
    assert richness(RICH) > 0.5 > richness(PLAIN)
    found = adaptive_target(RICH, errors=0, retained=())
    assert found.target < DEFAULT
    assert "many different values" in found.reason


def test_good_recent_retention_changes_nothing() -> None:
    assert target(retained=[0.95, 1.0, 0.97]) == target()


@given(
    errors=st.integers(0, 50),
    retained=st.lists(st.floats(0, 1), max_size=10),
    rich=st.booleans(),
)
def test_a_target_stays_within_bounds(errors: int, retained: list[float], rich: bool) -> None:
    passages = RICH if rich else PLAIN
    found = adaptive_target(passages, errors=errors, retained=retained)
    assert GENTLEST <= found.target <= STRONGEST
    assert found.reason


@given(st.floats(0.001, 1e9))
def test_by_hand_is_heeded_within_bounds(asked: float) -> None:
    found = requested_target(asked).target
    assert GENTLEST <= found <= STRONGEST
    if GENTLEST <= asked <= STRONGEST:
        assert found == asked


def test_a_very_long_text_is_looked_at_in_part_and_in_linear_time() -> None:
    assert richness([Passage("1#1", PassageSpeaker.TOOL, "x" * 5_000_000)]) == 0
    assert richness([]) == 0
