"""Tasks watched step by step: when a signal is raised and cleared."""

from __future__ import annotations

import json
from collections.abc import Iterable

import pytest
from hypothesis import given, strategies as st

from memoranda.supervision.detector import (
    CAUSES,
    Alarm,
    SupervisionLimits,
    WatchedStep,
    WatchState,
    cause_of,
    watch_step,
)
from memoranda.supervision.model import SupervisionSignal

LIMITS = SupervisionLimits(window=6, failing=0.5, repeats=3, severity=2.0)
PATIENT = SupervisionLimits(window=50, failing=1.0, repeats=3, severity=99)
"""Thresholds at which only a repeated error raises a signal."""


def well(sequence: int, resolves: str | None = None) -> WatchedStep:
    return WatchedStep(sequence, f"id-{sequence}", f"1#{sequence}", resolves=resolves)


def bad(sequence: int, cause: str = "", severity: float = 0.1) -> WatchedStep:
    name = cause or f"cause {sequence}"
    return WatchedStep(sequence, f"id-{sequence}", f"1#{sequence}", name, severity)


def follow(
    steps: Iterable[WatchedStep],
    state: WatchState | None = None,
    limits: SupervisionLimits = LIMITS,
) -> tuple[WatchState, list[Alarm]]:
    state, raised = state or WatchState(), list[Alarm]()
    for step in steps:
        state, alarms = watch_step(state, step, limits)
        raised += alarms
    return state, raised


def signals(
    steps: Iterable[WatchedStep], limits: SupervisionLimits = LIMITS
) -> list[tuple[SupervisionSignal, int]]:
    return [(one.signal, one.position) for one in follow(steps, limits=limits)[1]]


def test_the_same_error_is_raised_at_its_third_time_and_not_again() -> None:
    steps = [bad(1, "x"), well(2), well(3), bad(4, "x"), well(5), well(6), well(7), well(8)]
    steps += [bad(9, "x"), well(10), well(11), well(12), bad(13, "x")]
    (alarm,) = follow(steps, limits=PATIENT)[1]
    assert (alarm.signal, alarm.position) == (SupervisionSignal.SAME_ERROR, 9)
    assert alarm.reason == "the same error 3 times without resolution: 1#1, 1#4, 1#9"
    assert alarm.cause == cause_of("x")


def test_after_a_fix_the_same_error_is_counted_from_zero() -> None:
    steps = [bad(1, "x"), well(2), well(3), bad(4, "x"), well(5, "id-4"), well(6), well(7)]
    assert signals([*steps, bad(8, "x")], PATIENT) == []
    more = [well(9), well(10), bad(11, "x"), well(12), well(13), bad(14, "x")]
    assert signals([*steps, bad(8, "x"), *more], PATIENT) == [(SupervisionSignal.SAME_ERROR, 14)]


def test_a_fix_of_another_error_changes_nothing() -> None:
    steps = [bad(1, "x"), well(2), well(3), bad(4, "x"), well(5, "id-2"), well(6), well(7)]
    assert signals([*steps, bad(8, "x")], PATIENT) == [(SupervisionSignal.SAME_ERROR, 8)]


def test_a_share_of_failing_steps_is_raised_once_until_it_has_calmed_down() -> None:
    start = [well(1), bad(2), bad(3), bad(4), bad(5)]
    state, raised = follow(start)
    assert [(one.signal, one.position) for one in raised] == [(SupervisionSignal.FAILING, 3)]
    assert raised[0].reason == "2 of the last 3 steps failed"
    state, raised = follow([bad(6), bad(7)], state)
    assert raised == []
    state, raised = follow([well(n) for n in range(8, 14)], state)
    assert raised == []
    assert state.raised == frozenset()
    _, raised = follow([bad(14), bad(15), bad(16)], state)
    assert [(one.signal, one.cause) for one in raised] == [(SupervisionSignal.FAILING, "16")]


def test_two_steps_are_too_few_for_a_share() -> None:
    assert signals([bad(1), bad(2)]) == []
    assert signals([well(1), well(2), well(3)]) == []


def test_bad_errors_are_raised_by_their_weight_together() -> None:
    steps = [bad(1, severity=0.9), well(2), well(3), well(4), bad(5, severity=0.9)]
    assert signals(steps) == []
    assert signals([*steps, bad(6, severity=0.3)]) == [
        (SupervisionSignal.FAILING, 6),
        (SupervisionSignal.SEVERITY, 6),
    ]
    assert signals([*steps, well(6), bad(7, severity=0.3)]) == []  # the first has left the window


def test_a_step_that_goes_well_raises_nothing() -> None:
    _, raised = follow([bad(1, severity=1.0), bad(2, severity=0.9), well(3)])
    assert raised == []


def test_an_error_of_no_severity_still_counts_as_one() -> None:
    assert signals([bad(n, severity=0.0) for n in (1, 2, 3)]) == [(SupervisionSignal.FAILING, 3)]


def test_only_the_newest_causes_are_counted() -> None:
    state, _ = follow(bad(n) for n in range(CAUSES + 50))
    assert len(state.standing) == CAUSES
    assert cause_of("cause 0") not in state.standing
    assert cause_of(f"cause {CAUSES + 49}") in state.standing


def test_nothing_of_an_error_is_readable_in_the_state() -> None:
    state, raised = follow(bad(n, "the password of Ada") for n in range(4))
    result = json.dumps(state.as_json()) + "".join(f"{one.reason} {one.cause}" for one in raised)
    assert raised
    assert "Ada" not in result
    assert "password" not in result


STEPS = st.lists(
    st.tuples(st.sampled_from(["", "x", "y", "z"]), st.floats(0, 1), st.integers(0, 20)),
    max_size=40,
)


@given(STEPS, st.integers(0, 40))
def test_watching_in_parts_comes_to_the_same_as_watching_at_once(
    made: list[tuple[str, float, int]], cut: int
) -> None:
    steps = [
        WatchedStep(n, f"id-{n}", f"1#{n}", cause, severity, None if cause else f"id-{resolves}")
        for n, (cause, severity, resolves) in enumerate(made)
    ]
    whole, raised = follow(steps)
    state, first = follow(steps[:cut])
    kept = WatchState.read(json.loads(json.dumps(state.as_json())))
    assert kept == state
    last, second = follow(steps[cut:], kept)
    assert last == whole
    assert first + second == raised
    assert all(steps[one.position].signature for one in raised)


def test_an_empty_state_is_the_beginning() -> None:
    assert WatchState.read(None) == WatchState()


@pytest.mark.parametrize("repeats", [2, 5])
def test_how_often_is_a_setting(repeats: int) -> None:
    limits = SupervisionLimits(window=50, failing=1.0, repeats=repeats, severity=99)
    steps = [step for n in range(0, 30, 3) for step in (bad(n, "x"), well(n + 1), well(n + 2))]
    _, raised = follow(steps, limits=limits)
    assert [one.position for one in raised] == [3 * (repeats - 1)]
