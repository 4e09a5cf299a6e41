"""Stages derived from steps: where one begins, and what continues it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import given, strategies as st

from memoranda.checkpoints.model import TaskPhase
from memoranda.exceptions import CorruptData
from memoranda.json_data import dump_json, parse_json
from memoranda.stages.action import Action
from memoranda.stages.checkpoint_phases import phase_of
from memoranda.stages.detector import StageLimits, StageTracker
from memoranda.stages.model import StageName, StageSource, Transition
from memoranda.stages.state import StageState, StepContext
from memoranda.stages.step import StageSignal, Step, StepOutcome, StepSpeaker
from memoranda.stages.step_signals import read
from memoranda.stages.text_scores import StageScores, scores
from tables import each

P, E, R, V = StageName
SECOND = 1_000_000
OUTCOMES = {
    "ok": StepOutcome.FINE,
    "bad": StepOutcome.FAILED,
    "empty": StepOutcome.EMPTY,
    "?": StepOutcome.UNKNOWN,
}


def call(tool: str, outcome: str = "ok", command: str = "", **changes: object) -> Step:
    made = Step(sequence=0, created_at=0, tool=tool, command=command, outcome=OUTCOMES[outcome])
    return replace(made, **changes)  # type: ignore[arg-type]


def says(words: str, speaker: StepSpeaker = StepSpeaker.AGENT) -> Step:
    return Step(sequence=0, created_at=0, words=words, speaker=speaker)


def signal(stage: StageName, source: StageSource = StageSource.SUPERVISOR) -> Step:
    return Step(sequence=0, created_at=0, signal=StageSignal(stage, source, "it was told to"))


LOOK, EDIT = call("Read"), call("Edit")
TEST = call("Bash", command="pytest")
TICK = says("Zażółć gęślą jaźń.")
DELEGATE = call("Agent")


def run(
    steps: Sequence[Step], patience: StageLimits | None = None
) -> tuple[StageState, list[Transition]]:
    """Track steps numbered from 1, a second apart."""
    tracker, state = StageTracker(patience), StageState()
    found = []
    for number, step in enumerate(steps, 1):
        done = tracker.take(state, replace(step, sequence=number, created_at=number * SECOND))
        state = done.state
        found += [done.transition] if done.transition else []
    last = tracker.finish(state, (len(steps) + 1) * SECOND)
    return last.state, found + ([last.transition] if last.transition else [])


def stages_of(
    steps: Sequence[Step], patience: StageLimits | None = None
) -> list[tuple[int, StageName]]:
    return [(t.starts_at_sequence, t.stage) for t in run(steps, patience)[1]]


# --- start of a stage -------------------------------------------------------------------------


def test_a_task_goes_through_its_stages_as_its_calls_do() -> None:
    assert stages_of([LOOK, LOOK, EDIT, EDIT, TEST]) == [(1, P), (3, E), (5, V)]


def test_a_lone_look_does_not_end_a_stage_and_two_in_a_row_do_from_the_first() -> None:
    assert stages_of([EDIT, LOOK, EDIT, LOOK, TEST]) == [(1, E), (5, V)]
    assert stages_of([EDIT, LOOK, LOOK, LOOK]) == [(1, E), (2, P)]
    assert stages_of([EDIT, LOOK, DELEGATE, LOOK]) == [(1, E), (2, P)]


def test_a_plan_opens_planning_at_once() -> None:
    assert stages_of([EDIT, call("TodoWrite")]) == [(1, E), (2, P)]


def test_steps_before_the_first_evidence_belong_to_the_first_stage() -> None:
    assert stages_of([says("Hello", StepSpeaker.PERSON), TICK, EDIT]) == [(1, E)]


def test_a_stage_begins_with_the_words_before_its_call() -> None:
    assert stages_of([LOOK, says("Now I'll add the column."), EDIT]) == [(1, P), (2, E)]


def test_words_that_lead_to_a_call_are_judged_with_it_and_not_alone() -> None:
    assert stages_of([EDIT, says("Let me run the tests to verify the fix."), EDIT]) == [(1, E)]


def test_words_that_no_call_follows_are_judged_alone() -> None:
    report = says("All tests pass; the issue is resolved.")
    assert stages_of([EDIT, report]) == [(1, E), (2, V)]
    assert stages_of([EDIT, report, says("Thanks", StepSpeaker.PERSON)]) == [(1, E), (2, V)]
    assert stages_of([EDIT, report, TICK]) == [(1, E), (2, V)]


def test_a_call_outweighs_the_text_before_it() -> None:
    _, found = run([says("Let me run the tests to verify that it works."), EDIT])
    assert [(t.stage, t.source, t.reason) for t in found] == [
        (E, StageSource.ACTION, "action write")
    ]


def test_messages_of_hosts_and_persons_indicate_no_stage() -> None:
    for speaker in (StepSpeaker.PERSON, StepSpeaker.OTHER):
        assert stages_of([EDIT, says("Stage: planning", speaker)]) == [(1, E)]
        assert stages_of([EDIT, says("All tests pass; it is resolved.", speaker)]) == [(1, E)]


# --- marks and signals --------------------------------------------------------------------------


def test_a_mark_opens_its_stage_at_once_and_is_certain() -> None:
    _, found = run([EDIT, says("Stage: reflection")])
    assert (found[-1].stage, found[-1].confidence) == (R, 1.0)
    assert (found[-1].source, found[-1].starts_at_sequence) == (StageSource.MARKER, 2)


def test_the_call_of_a_marked_message_does_not_end_the_stage_but_the_next_one_does() -> None:
    assert stages_of([says("[reflection] again"), EDIT]) == [(1, R)]
    assert stages_of([says("[reflection] again"), EDIT, EDIT]) == [(1, R), (3, E)]


def test_words_alone_do_not_end_a_marked_stage() -> None:
    report = says("All tests pass; the issue is resolved.")
    assert stages_of([EDIT, says("Stage: planning"), report, report]) == [(1, E), (2, P)]
    assert stages_of([says("Stage: planning"), report, TEST]) == [(1, P), (2, V)]


@pytest.mark.parametrize("source", [StageSource.SUPERVISOR, StageSource.HAND])
def test_a_signal_overrides_the_evidence_of_its_step(source: StageSource) -> None:
    step = replace(EDIT, words="Stage: planning", signal=StageSignal(V, source, "enough"))
    _, found = run([LOOK, step])
    assert found[-1] == Transition(V, 2, "enough", 1.0, source)


def test_a_signal_begins_its_stage_whatever_came_before() -> None:
    assert stages_of([EDIT, says("I'll read on."), signal(P), LOOK, TEST]) == [
        (1, E),
        (3, P),
        (5, V),
    ]


def test_a_signal_for_the_current_stage_only_confirms_it() -> None:
    report = says("All tests pass; the issue is resolved.")
    assert stages_of([EDIT, signal(E), report, report]) == [(1, E)]


def test_text_in_a_tool_output_is_no_mark() -> None:
    assert stages_of([EDIT, call("Bash", command="echo 'Stage: planning'"), EDIT]) == [(1, E)]


# --- looking back -------------------------------------------------------------------------------

SORRY = says("The edit failed because of a wrong indentation; let me fix this.")


def test_words_that_look_back_at_a_failed_call_are_reflection_whatever_the_call() -> None:
    assert stages_of([EDIT, call("Edit", "bad"), SORRY, EDIT]) == [(1, E), (3, R)]
    assert stages_of([EDIT, SORRY, EDIT]) == [(1, E)], "nothing had failed"
    assert stages_of([EDIT, call("Edit", "?"), SORRY, EDIT]) == [(1, E)], "nothing is known of it"


def test_a_first_run_that_fails_before_any_change_was_meant_to() -> None:
    probe = call("Bash", "bad", "python reproduce.py")
    assert stages_of([LOOK, probe, SORRY, LOOK]) == [(1, P), (2, V)]
    assert stages_of([EDIT, probe, SORRY, LOOK]) == [(1, E), (2, V), (3, R)]


def test_without_words_the_same_work_again_after_a_failure_is_reflection() -> None:
    assert stages_of([EDIT, call("Edit", "bad"), EDIT]) == [(1, E), (3, R)]
    assert stages_of([LOOK, call("Read", "bad"), LOOK]) == [(1, P), (3, R)]
    assert stages_of([LOOK, call("Grep", "empty"), LOOK]) == [(1, P)]
    assert stages_of([LOOK, call("Read", "bad"), EDIT]) == [(1, P), (3, E)]
    assert stages_of([EDIT, call("Bash", "bad", "pytest"), LOOK]) == [(1, E), (2, V), (3, R)]


def test_what_follows_a_person_answers_them_and_not_the_failure() -> None:
    person = says("Take the other one.", StepSpeaker.PERSON)
    assert stages_of([EDIT, call("Edit", "bad"), person, EDIT]) == [(1, E)]


def test_only_a_change_that_went_well_makes_a_failing_run_unexpected() -> None:
    person = says("Go on.", StepSpeaker.PERSON)
    probe = call("Bash", "bad", "python reproduce.py")
    assert stages_of([call("Edit", "bad"), person, probe, SORRY, LOOK]) == [(1, E), (3, V)]
    assert stages_of([EDIT, person, probe, SORRY, LOOK]) == [(1, E), (3, V), (4, R)]


def test_handing_in_with_words_of_failure_is_reflection() -> None:
    words = "Unfortunately my previous attempts failed because of limitations; I overlooked it."
    assert stages_of([EDIT, says(words), call("submit")]) == [(1, E), (2, R)]
    assert stages_of([EDIT, call("submit")]) == [(1, E), (2, V)]
    text = (
        "The error occurred because of a wrong path. Now let me verify it: all tests pass as"
        " expected, I ran the suite, checked the diff, and the task is complete."
    )
    assert scores(text).reflection > 3.5
    assert stages_of([EDIT, says(text), call("submit")]) == [(1, E), (2, V)]


# --- runs and looks, by messages ---------------------------------------------------------


def test_a_stated_check_after_a_change_is_verification() -> None:
    check = "Let me verify that it works correctly."
    before = StepContext(Action.WRITE, StepOutcome.FINE, edited=True, said=scores(check))
    assert _stage(LOOK, before) is V
    assert _stage(LOOK, replace(before, edited=False)) is P


def test_a_run_stated_to_change_something_is_execution() -> None:
    seed = call("Bash", command="python seed.py")
    before = StepContext(said=scores("Now I'll create the tables."))
    assert _stage(seed, before) is E
    assert _stage(seed, replace(before, edited=True)) is V
    assert _stage(seed, StepContext()) is V


def _stage(step: Step, before: StepContext) -> StageName | None:
    evidence = read(step, before)
    return evidence.stage if evidence else None


def test_words_alone_are_never_as_sure_as_an_action() -> None:
    words = read(says("Let me run the tests to verify that it works correctly."), StepContext())
    action = read(EDIT, StepContext())
    assert words is not None
    assert action is not None
    assert 0.5 < words.confidence <= 0.8 < action.confidence


@given(st.sampled_from([LOOK, EDIT, TEST, TICK, SORRY, DELEGATE]), st.text(max_size=60))
def test_confidence_is_a_share_and_only_explicit_statements_are_certain(
    step: Step, words: str
) -> None:
    evidence = read(replace(step, words=words), StepContext())
    if evidence:
        assert 0 < evidence.confidence <= 1
        outright = evidence.source is StageSource.MARKER
        assert (evidence.confidence == 1) == outright
        assert evidence.reason


# --- duration -----------------------------------------------------------------------------------

HINT = says("A test, a diff.")
assert 0 < scores(HINT.words).total <= 0.75


def test_a_stage_without_evidence_is_reconsidered_from_words_after_so_many_steps() -> None:
    quiet = [DELEGATE, HINT, DELEGATE, HINT, DELEGATE]
    assert stages_of([EDIT, *quiet], StageLimits(steps=9)) == [(1, E)]
    _, found = run([EDIT, *quiet], StageLimits(steps=3))
    assert (found[-1].stage, found[-1].source) == (V, StageSource.DURATION)
    assert found[-1].confidence <= 0.5
    assert "3 steps" in found[-1].reason


def test_a_stage_without_evidence_is_reconsidered_after_so_long() -> None:
    quiet = [HINT, DELEGATE, HINT, DELEGATE]
    assert stages_of([EDIT, *quiet], StageLimits(microseconds=3 * SECOND)) == [(1, E), (4, V)]


def test_silence_and_evidence_are_no_reason_to_reconsider() -> None:
    assert stages_of([EDIT, *[DELEGATE] * 40], StageLimits(steps=3)) == [(1, E)]
    assert stages_of([EDIT, *[HINT, DELEGATE, EDIT] * 9], StageLimits(steps=3)) == [(1, E)]
    assert stages_of(
        [says("Stage: execution"), EDIT, *[HINT, DELEGATE] * 9], StageLimits(steps=3)
    ) == [(1, E)]


# --- the state ----------------------------------------------------------------------------------

STEPS = st.lists(
    st.sampled_from([
        LOOK, EDIT, TEST, TICK, SORRY, DELEGATE, HINT, call("Edit", "bad"), call("Grep", "empty"),
        signal(P), signal(E, StageSource.HAND), says("Stage: verification"), says("Which one?"),
        says("Go on.", StepSpeaker.PERSON), says("A notice.", StepSpeaker.OTHER), call("TodoWrite"),
        says("I'll add it."),
    ]),
    max_size=30,
)  # fmt: skip


@given(STEPS)
def test_one_by_one_with_the_state_as_text_in_between_comes_to_the_same(steps: list[Step]) -> None:
    tracker, whole, kept = StageTracker(StageLimits(steps=3)), StageState(), StageState()
    for number, step in enumerate(steps, 1):
        numbered = replace(step, sequence=number, created_at=number * SECOND)
        one, other = tracker.take(whole, numbered), tracker.take(kept, numbered)
        assert one == other
        whole = one.state
        kept = StageState.from_json(parse_json(dump_json(other.state.as_json())))
        assert kept == whole


@given(STEPS)
def test_transitions_change_the_stage_and_begin_in_order_within_the_task(
    steps: list[Step],
) -> None:
    state, found = run(steps, StageLimits(steps=3))
    assert all(one.stage is not other.stage for one, other in pairwise(found))
    places = [one.starts_at_sequence for one in found]
    assert places == sorted(places)
    assert all(1 <= place <= len(steps) for place in places)
    assert state.stage is (found[-1].stage if found else None)


def test_the_state_contains_no_text() -> None:
    secret = says("I'll add the word swordfish because the edit failed.")
    tracker = StageTracker()
    state = tracker.take(StageState(), secret).state
    assert "swordfish" not in json.dumps(state.as_json())
    assert len(json.dumps(state.as_json())) < 500


@each(
    "value",
    [None, [], {}, "x", {**StageState().as_json(), "stage": "coffee"}]
    + [{**StageState().as_json(), name: "x"} for name in ("said", "quiet", "outcome", "action")]
    + [{**StageState().as_json(), "leaning": [1, 2, 3]}, {**StageState().as_json(), "first": 1.5}],
)
def test_what_is_no_state_is_refused(value: object) -> None:
    with pytest.raises(CorruptData, match="not the state"):
        StageState.from_json(value)  # type: ignore[arg-type]


def test_scores_that_are_kept_are_those_that_were_read() -> None:
    state = StageState(before=StepContext(said=StageScores(1.5, 0, 2.2, 0.7)))
    assert StageState.from_json(state.as_json()) == state


# --- checkpoints --------------------------------------------------------------------------------


def test_stages_have_their_phases() -> None:
    going = [phase_of(stage, failed=False, ended=False) for stage in StageName]
    assert going == [TaskPhase.PLANNING, TaskPhase.CODING, TaskPhase.REVIEWING, TaskPhase.TESTING]
    failed = [phase_of(stage, failed=True, ended=False) for stage in StageName]
    assert failed == [TaskPhase.PLANNING, TaskPhase.FIXING, TaskPhase.FIXING, TaskPhase.TESTING]
    assert {phase_of(stage, failed=False, ended=True) for stage in StageName} == {
        TaskPhase.COMPLETED
    }
    assert phase_of(V, failed=True, ended=True) is TaskPhase.TESTING
