"""Leading sections by metrics, valid metrics, and fixes for open errors."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from contract.clock import START
from contract.records import Records
from memoranda.errors.model import ErrorContext
from memoranda.errors.past_fixes import names_in
from memoranda.exceptions import InvalidInput
from memoranda.memories.model import Category
from memoranda.observations.model import ObservationType
from memoranda.search.model import Ratings, TaskContext
from memoranda.search.score_factors import ScoringContext, factors, frequency
from memoranda.supervision.metrics import KNOWN, checked_metrics
from memoranda.supervision.section_priorities import WELL, diagnose
from tables import each

FINE = {"error_rate": 0.05, "stalled_steps": 2, "coherence": 1.0, "tokens_per_step": 900}
ERRORS = ("errors-to-avoid", "prevention")
CRITICAL = ("critical-facts", "standing-instructions")
WORKED = ("what-worked", "memories")
PROGRESS = ("task-progress", "task-brief")


@each(
    ("changes", "state", "sections"),
    [
        ({}, WELL, PROGRESS),
        ({"error_rate": 0.29}, WELL, PROGRESS),
        ({"error_rate": 0.3}, "errors", ERRORS),
        ({"repeated_errors": 3}, "errors", ERRORS),
        ({"stalled_steps": 15}, "slow", WORKED),
        ({"stalled_steps": 14}, WELL, PROGRESS),
        ({"repeated_actions": 0.5}, "slow", WORKED),
        ({"tokens_per_step": 1e6}, "slow", WORKED),
        ({"coherence": 0.8}, "incoherent", CRITICAL),
        ({"coherence": 0.81}, WELL, PROGRESS),
        ({"coherence": 0.0}, "incoherent", CRITICAL),
        ({"error_rate": 0.9, "stalled_steps": 20}, "errors", ERRORS + WORKED),
        ({"error_rate": 0.35, "stalled_steps": 60}, "slow", WORKED + ERRORS),
        ({"coherence": 0.1, "error_rate": 0.4}, "incoherent", CRITICAL + ERRORS),
        ({"coherence": 0.5, "error_rate": 0.9, "stalled_steps": 16}, "errors", ERRORS + CRITICAL),
        ({"error_rate": 1.0, "coherence": 0.0, "stalled_steps": 60}, "errors", ERRORS + CRITICAL),
    ],
)
def test_the_worst_figures_determine_the_leading_section(
    changes: dict[str, float], state: str, sections: tuple[str, ...]
) -> None:
    found = diagnose(FINE | changes)
    assert (found.state, found.sections) == (state, sections)
    assert found.order[: len(sections)] == sections


def test_no_section_is_lost_whichever_leads() -> None:
    every = sorted(diagnose(FINE).order)
    assert len(every) > len(ERRORS + CRITICAL)
    for changes in ({"error_rate": 1.0}, {"coherence": 0.2}, {"stalled_steps": 99}):
        order = diagnose(FINE | changes).order
        assert sorted(order) == every


def test_of_figures_that_are_missing_nothing_is_concluded() -> None:
    assert diagnose({}).state == WELL


@each(
    "arguments",
    [
        {"mood": 0.5},
        {"error_rate": "high"},
        {"error_rate": None},
        {"error_rate": True},
        {"error_rate": float("nan")},
        {"error_rate": 1.1},
        {"coherence": -0.1},
        {"stalled_steps": float("inf")},
        {"tokens_per_step": [1]},
    ],
)
def test_a_figure_that_is_none_is_refused(arguments: dict[str, Any]) -> None:
    with pytest.raises(InvalidInput):
        checked_metrics(arguments)


def test_figures_come_back_as_numbers() -> None:
    assert checked_metrics({"error_rate": 1, "stalled_steps": 40}) == {
        "error_rate": 1.0,
        "stalled_steps": 40.0,
    }
    with pytest.raises(InvalidInput, match="there are error_rate"):
        checked_metrics(dict.fromkeys((*KNOWN, "mood"), 0))


@each(
    ("text", "names"),
    [
        ("ModuleNotFoundError: No module named 'wick'", ["wick"]),
        ("src/lamp/wick.toml: No such file", ["src/lamp/wick.toml", "wick.toml"]),
        ("KeyError: 'oil_level'", ["oil_level"]),
        ("it failed", []),
        ("'x' is not defined", []),
        ("could not reach \u201clamp-db\u201d", ["lamp-db"]),
    ],
)
def test_an_error_names_what_is_quoted_or_looks_like_a_name(text: str, names: list[str]) -> None:
    assert names_in(text) == names


@pytest.mark.parametrize("text", ["a." * 50_000, "'" * 100_000, "/_" * 50_000])
def test_names_of_hostile_texts_are_few(text: str) -> None:
    assert len(names_in(text)) < 400


def _error_fit(record: Any, work: TaskContext) -> float:
    return factors(record, ScoringContext(START, work))["error_correction"]


TROUBLE = ErrorContext(frozenset({"import_error"}), frozenset({"wick"}), frozenset())


@each(
    ("category", "content", "tags", "worth"),
    [
        (Category.TROUBLESHOOTING, "install Wick first", (), 0.8),
        (Category.TROUBLESHOOTING, "install Wick first", ("import_error",), 1.0),
        (Category.TROUBLESHOOTING, "reinstall all", ("import_error",), 0.4),
        (Category.TROUBLESHOOTING, "reinstall all", ("timeout",), 0.0),
        (Category.ANTI_PATTERN, "never import wick lazily", (), 0.8),
        (Category.DECISION, "install wick first", ("import_error",), 0.0),
    ],
)
def test_a_record_about_the_error_fits_better_than_one_of_its_kind(
    category: Category, content: str, tags: tuple[str, ...], worth: float
) -> None:
    memory = Records().memory(None, content, category=category, tags=tags)
    assert _error_fit(memory, TaskContext(trouble=TROUBLE)) == pytest.approx(worth)
    assert _error_fit(memory, TaskContext()) == 0.0


def test_a_recorded_fix_fits_whatever_its_text() -> None:
    memory = Records().memory(None, "as usual", category=Category.DECISION)
    trouble = replace(TROUBLE, fix_ids=frozenset({memory.id}))
    assert _error_fit(memory, TaskContext(trouble=trouble)) == 1.0


def test_tags_that_a_caller_names_count_in_full() -> None:
    records = Records()
    task = records.task("shop")
    fix = records.observation(task, 1, type=ObservationType.FIX, tags=("test",)).observation
    assert _error_fit(fix, TaskContext(errors=("test",))) == 1.0
    assert _error_fit(fix, TaskContext(errors=("build",))) == 0.0


def test_opinions_move_the_worth_of_a_record_one_way_only() -> None:
    better = [frequency(Ratings(useful, 1)) for useful in range(12)]
    worse = [frequency(Ratings(1, useless)) for useless in range(12)]
    assert better == sorted(better)
    assert worse == sorted(worse, reverse=True)
    assert frequency(Ratings()) == 0
    assert -1 <= worse[-1] < 0 < better[-1] <= 1
