"""Feedback comparisons and readings are symmetric, bounded and stable."""

from __future__ import annotations

from itertools import combinations, permutations

import pytest

from memoranda.feedback.command_parser import MAX_ARGUMENT_LENGTH, MAX_TURN_LENGTH, command
from memoranda.feedback.cue_classifier import read_feedback
from memoranda.feedback.detector import SPOKEN
from memoranda.feedback.model import (
    CommandKind,
    CommandOutcome,
    EffectTarget,
    Feedback,
    FeedbackSource,
    FeedbackState,
    FeedbackType,
)
from memoranda.feedback.suggestion_comparison import MAX_LENGTH, differ, same_suggestion, suggestion
from memoranda.language.words import table_rows
from tables import each

OPPOSITES = [
    (one.split()[0], other.split()[0])
    for one, other in table_rows("memoranda.feedback", "opposites.tsv")[1:]
]

FENCES = (
    "Paint the fence in green",
    "paint the fence green",
    "Could we paint the fence in green?",
    "Don't paint the fence",
    "Paint the gate in green",
    "Paint the fence on Monday",
    "Paint 3 fences in green",
    "Remove the fence",
)


@each(("one", "other"), OPPOSITES, ids=[f"{a} {b}" for a, b in OPPOSITES])
def test_verbs_that_exclude_each_other_make_two_suggestions(one: str, other: str) -> None:
    left, right = f"Please {one} the porch lamp", f"Please {other} the porch lamp"
    assert not same_suggestion(left, right, 0.99)
    assert same_suggestion(left, left, 0.99)


@pytest.mark.parametrize("cosine", [None, 0.2, 0.6, 0.95])
def test_sameness_is_symmetric_and_of_every_text_with_itself(cosine: float | None) -> None:
    for one in FENCES:
        assert same_suggestion(one, one, cosine)
    for one, other in permutations(FENCES, 2):
        assert same_suggestion(one, other, cosine) == same_suggestion(other, one, cosine)
        assert differ(suggestion(one), suggestion(other)) == differ(
            suggestion(other), suggestion(one)
        )


def test_a_nearer_pair_is_never_less_the_same() -> None:
    for one, other in combinations(FENCES, 2):
        verdicts = [same_suggestion(one, other, at / 10) for at in range(11)]
        assert verdicts == sorted(verdicts)


def test_only_the_beginning_of_a_long_suggestion_is_read() -> None:
    long = "Paint the fence in green " + "and again " * 100
    assert len(suggestion(long).text) <= MAX_LENGTH
    assert same_suggestion(long, long + "but remove the gate")


def test_typographic_apostrophes_deny_as_plain_ones_do() -> None:
    assert suggestion("Don\u2019t paint it").denies
    assert suggestion("Don't paint it").denies
    assert not suggestion("Don't not paint it").denies


# ---------------------------------------------------------------------- commands


@each("courtesy", ["", "please ", "hey, ", "ok, could you please ", "Now "])
@each(
    ("kind", "form"),
    [
        (CommandKind.REMEMBER, "remember that the tea is green"),
        (CommandKind.FORGET, "forget about the tea in the cupboard"),
        (CommandKind.RULE, "add this rule: tea is green"),
        (CommandKind.OPTIMIZE, "optimize your memory"),
    ],
)
def test_courtesy_before_a_command_changes_nothing(
    courtesy: str, kind: CommandKind, form: str
) -> None:
    plain = command(form)
    assert plain is not None
    assert plain.kind is kind
    assert command(courtesy + form) == plain
    assert command((courtesy + form).upper()) is not None


def test_an_argument_is_as_long_as_one_thing_may_be() -> None:
    assert command("remember that " + "x" * MAX_ARGUMENT_LENGTH) is not None
    assert command("remember that " + "x" * (MAX_ARGUMENT_LENGTH + 1)) is None
    padded = "remember that x\n\n" + "y" * MAX_TURN_LENGTH
    assert command(padded) is None, "a text that was pasted"


@pytest.mark.parametrize("kind", list(CommandKind))
def test_a_command_in_a_chat_names_itself(kind: CommandKind) -> None:
    assert SPOKEN + kind == f"spoken command: {kind.value}"


# ---------------------------------------------------------------------- readings


@each(
    "turn",
    ["That's wrong", "No thanks", "Perfect", "print it", "Never ring", "hello", "", "?", "👍"],
)
@each("before", [None, "", "I painted it.", "Shall I paint it?", "Who rang?"])
def test_a_reading_is_within_its_bounds_and_the_same_again(turn: str, before: str | None) -> None:
    reading = read_feedback(turn, before)
    assert 0 <= reading.confidence <= 1
    assert 0 <= reading.margin <= 1
    assert reading == read_feedback(turn, before)
    if reading.sure:
        assert reading.type is not None
        assert reading.reason
    if reading.type is None:
        assert reading.reason == ""


@pytest.mark.parametrize("turn", ["👍", "✅", "LGTM", "+ looks good", "ship it 🎉"])
def test_signs_of_consent_are_consent(turn: str) -> None:
    assert read_feedback(turn, "I painted the gate.").type is FeedbackType.APPROVAL


@pytest.mark.parametrize("turn", ["да, хорошо", "いいえ", "nein, das ist falsch", "non"])
def test_another_language_is_never_sure(turn: str) -> None:
    assert not read_feedback(turn, "I painted the gate.").sure


# ---------------------------------------------------------------------- values


@pytest.mark.parametrize(
    ("kind", "names"),
    [
        (FeedbackType, "correction rejection approval instruction pattern"),
        (FeedbackSource, "chat review api"),
        (FeedbackState, "waiting processed asking uncertain dismissed"),
        (EffectTarget, "block memory proposal rule reinforced suggestion nothing"),
        (CommandOutcome, "remembered archived waits asking lifted told optimized"),
    ],
    ids=["type", "source", "state", "touched", "outcome"],
)
def test_a_stored_name_is_unchanged(kind: type, names: str) -> None:
    assert [str(one) for one in kind] == names.split()  # type: ignore[attr-defined]


def test_feedback_has_a_field_for_every_column() -> None:
    from memoranda.store.table_catalogue import TABLES

    (table,) = [one for one in TABLES if one.name == "feedback"]
    assert set(table.columns) == set(Feedback.__slots__)
