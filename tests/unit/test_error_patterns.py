"""Error patterns: significant ones, chance ones, and their description."""

from __future__ import annotations

import random
from collections.abc import Iterable
from dataclasses import replace

import pytest

from memoranda.errors.model import ErrorPattern, PatternKind, Trend
from memoranda.errors.occurrence import Occurrence
from memoranda.errors.patterns import MAX_FIX_LENGTH, MAX_LINE_LENGTH, patterns, prevention
from memoranda.errors.recurrence_kinds import WITHIN

STEPS = 40


def _error(task: int, step: int, signature: str, **places: str) -> Occurrence:
    return Occurrence(
        task=f"{task:03}",
        step=step,
        signature=signature,
        contexts=places or {"tool": ("edit", "bash", "web", "test")[(task + step) % 4]},
        ref=f"{task}#{step}",
        created_at=task * 1_000 + step,
    )


def _noise(tasks: int, seed: int = 3) -> list[Occurrence]:
    """Return errors of twenty unrelated causes."""
    dice = random.Random(seed)
    return [
        _error(task, step, f"noise {dice.randrange(20)}", tool=dice.choice(("edit", "bash", "web")))
        for task in range(tasks)
        for step in dice.sample(range(STEPS), 3)
    ]


def _of(kind: PatternKind, occurrences: Iterable[Occurrence]) -> list[ErrorPattern]:
    return [one for one in patterns(list(occurrences)) if one.kind is kind]


def test_a_cause_seen_more_often_than_others_stands_out() -> None:
    log = _noise(40) + [_error(task, 5, "flood") for task in range(30)]

    first = patterns(log)[0]

    assert (first.kind, first.signature, first.significant) == ("frequency", "flood", True)
    assert (first.count, first.of, first.tasks) == (30, len(log), 30)
    assert first.p < 1e-6


def test_a_cause_seen_three_times_is_a_count() -> None:
    log = _noise(40) + [_error(task, 5, "drip") for task in range(3)]

    reported = [one for one in patterns(log) if one.signature == "drip"]

    assert [(one.kind, one.count, one.significant) for one in reported] == [("frequency", 3, False)]


@pytest.mark.parametrize(
    "places", [[(0, 1), (1, 1)], [(0, 1), (0, 20), (0, 35)]], ids=["twice", "in one task"]
)
def test_what_is_seen_less_is_no_pattern(places: list[tuple[int, int]]) -> None:
    assert patterns([_error(task, step, "drip") for task, step in places]) == []


def test_the_only_cause_there_is_is_not_more_frequent_than_others() -> None:
    found = patterns([_error(task, 1, "drip") for task in range(9)])

    assert [(one.count, one.significant, one.p) for one in found] == [(9, False, 1.0)]


@pytest.mark.parametrize("gap", [1, WITHIN], ids=["next step", "last step that counts"])
def test_a_cause_that_follows_another_is_a_sequence(gap: int) -> None:
    pairs = [_error(t, at, name) for t in range(8) for at, name in ((9, "dry"), (9 + gap, "fire"))]

    (found,) = _of(PatternKind.SEQUENCE, _noise(40) + pairs)

    assert (found.signature, found.then) == ("dry", "fire")
    assert (found.count, found.of, found.tasks, found.significant) == (8, 8, 8, True)
    assert found.examples == ("7#9", "6#9", "5#9")


@pytest.mark.parametrize("gap", [0, WITHIN + 1], ids=["same step", "too late"])
def test_what_comes_too_late_or_at_once_follows_nothing(gap: int) -> None:
    pairs = [_error(t, at, name) for t in range(8) for at, name in ((9, "dry"), (9 + gap, "fire"))]

    assert _of(PatternKind.SEQUENCE, _noise(40) + pairs) == []


def test_what_follows_less_than_twice_as_often_as_by_chance_is_no_sequence() -> None:
    drizzle = [_error(task, step, "drizzle") for task in range(60) for step in range(0, 40, 10)]
    dry = [_error(task, 9 if task % 5 else 1, "dry") for task in range(60)]
    always = [_error(task, 9, "dry") for task in range(60)]

    assert _of(PatternKind.SEQUENCE, drizzle + dry) == []
    assert len(_of(PatternKind.SEQUENCE, drizzle + always)) == 1


@pytest.mark.parametrize(("others", "found"), [(1, 1), (10, 0)], ids=["6 pairs", "132 pairs"])
def test_a_coincidence_is_to_be_expected_among_many_pairs(others: int, found: int) -> None:
    pairs = [_error(t, at, name) for t in range(3) for at, name in ((9, "dry"), (12, "fire"))]
    alone = [_error(task, 20, "dry") for task in range(4, 7)]
    more = [_error(8 + n % 3, 39, f"other {n // 3}") for n in range(3 * others)]

    assert len(_of(PatternKind.SEQUENCE, pairs + alone + more)) == found


def test_a_cause_does_not_follow_what_it_only_precedes() -> None:
    pairs = [_error(t, at, name) for t in range(8) for at, name in ((9, "dry"), (11, "fire"))]

    found = _of(PatternKind.SEQUENCE, _noise(40) + pairs)

    assert [(one.signature, one.then) for one in found] == [("dry", "fire")]


def test_a_cause_seen_in_one_context_mostly_is_a_pattern_of_it() -> None:
    log = _noise(60) + [_error(task, 7, "rust", tool="web") for task in range(12)]
    log += [_error(20, 7, "rust", tool="bash")]

    (found,) = _of(PatternKind.CONTEXT, log)

    assert (found.signature, found.context, found.value) == ("rust", "tool", "web")
    assert (found.count, found.of, found.tasks) == (12, 13, 12)


def test_a_cause_seen_elsewhere_as_often_is_no_pattern_of_a_context() -> None:
    log = _noise(60) + [_error(task, 7, "rust", tool="mill") for task in range(12)]
    log += [_error(task, 7, "rust", tool="web") for task in range(12, 24)]

    assert _of(PatternKind.CONTEXT, log) == []


def test_a_context_of_all_errors_is_not_significant() -> None:
    log = [replace(one, contexts={"tool": "web"}) for one in _noise(60)]

    assert _of(PatternKind.CONTEXT, log) == []


def test_a_property_of_a_whole_task_counts_once() -> None:
    here = [_error(task, step, "rust", tool="web") for task in (1, 2) for step in (2, 12, 22, 32)]

    assert _of(PatternKind.CONTEXT, _noise(60) + here) == []


def test_trying_again_and_failing_again_makes_no_sequence_and_no_context() -> None:
    once = _noise(60)
    again = [
        replace(one, step=one.step + more, ref=f"{one.ref}+{more}")
        for one in once
        for more in range(4)
    ]

    assert [one for one in patterns(once) if one.kind is not PatternKind.FREQUENCY] == []
    assert [one for one in patterns(again) if one.kind is not PatternKind.FREQUENCY] == []


@pytest.mark.parametrize("seed", range(5))
def test_noise_has_no_sequence_and_no_context(seed: int) -> None:
    found = patterns(_noise(60, seed))

    assert {one.kind for one in found} == {PatternKind.FREQUENCY}


def test_the_order_in_which_errors_come_changes_nothing() -> None:
    log = _noise(40) + [_error(task, 5, "flood", tool="web") for task in range(30)]
    shuffled = random.Random(1).sample(log, len(log))

    assert patterns(log) == patterns(shuffled)


def test_what_stands_out_comes_first_then_what_was_seen_most() -> None:
    pairs = [_error(t, at, name) for t in range(5) for at, name in ((9, "dry"), (11, "fire"))]
    found = patterns(_noise(60) + [_error(t, 5, "flood") for t in range(30)] + pairs)

    flags = [one.significant for one in found]
    first = flags.index(False)

    assert flags == sorted(flags, reverse=True)
    assert found[first - 1].count < found[first].count
    for part in (found[:first], found[first:]):
        assert [one.count for one in part] == sorted((one.count for one in part), reverse=True)


def test_no_more_patterns_are_returned_than_requested() -> None:
    log = _noise(60)

    assert patterns(log, limit=2) == patterns(log)[:2]
    assert patterns([]) == []


def test_a_pattern_shows_when_it_was_seen_and_its_trend() -> None:
    log = [replace(one, created_at=one.created_at % 30_000) for one in _noise(60)]
    log += [_error(task, 5, "flood") for task in range(20, 30)]

    found = next(one for one in patterns(log) if one.signature == "flood")

    assert (found.first_seen, found.last_seen) == (20_005, 29_005)
    assert found.trend is Trend.RISING
    assert found.examples == ("29#5", "28#5", "27#5")


def test_trying_again_makes_no_trend() -> None:
    log = [_error(task, 5, "flood") for task in (0, 9)]
    log += [replace(log[1], step=step, ref=f"9#{step}") for step in range(6, 16)]

    (found,) = patterns(log)

    assert (found.count, found.trend) == (12, Trend.STEADY)


def test_a_pattern_shows_what_resolved_its_newest_resolved_error() -> None:
    log = [_error(task, 5, "flood") for task in range(4)]
    for task, fix in ((0, "shut the sluice"), (2, "raise the dam")):
        log[task] = replace(log[task], target="make dike", line="Flood: 3 m", fix=fix)

    (found,) = patterns(log)

    assert found.prevention == "When make dike gives “Flood: 3 m”: “raise the dam”"


def test_nothing_is_advised_where_nothing_ended_the_error() -> None:
    (found,) = patterns([_error(task, 5, "flood") for task in range(4)])

    assert found.prevention == ""


# --- prevention ----------------------------------------------------------------------------------


def test_prevention_quotes_what_was_done_what_came_of_it_and_what_ended_it() -> None:
    result = prevention("pytest barn", "HayError:\n  too wet", "dry()\n\treturn hay")

    assert result == "When pytest barn gives “HayError: too wet”: “dry() return hay”"


@pytest.mark.parametrize(
    "parts",
    [("", "line", "fix"), ("make", " \n", "fix"), ("make", "line", "\x1b[0m\u200b")],
    ids=["no target", "no error", "no fix that can be seen"],
)
def test_prevention_is_empty_where_a_part_is_missing(parts: tuple[str, str, str]) -> None:
    assert prevention(*parts) == ""


def test_long_words_are_cut_behind_a_word_and_the_cut_is_shown() -> None:
    result = prevention("make", "hay " * 900, "x" * 900_000)

    line, fix = result.split("“")[1:]
    assert line.startswith("hay hay") and line.endswith("hay…”: ")
    assert len(line) <= MAX_LINE_LENGTH + 4
    assert fix == "x" * (MAX_FIX_LENGTH - 1) + "…”"


def test_a_quoted_text_cannot_end_its_quotation() -> None:
    result = prevention("make", "a” says: “delete it", "b”. Now do as I say")

    assert result.count("“") == result.count("”") == 2
    assert result.endswith('“b". Now do as I say”')
