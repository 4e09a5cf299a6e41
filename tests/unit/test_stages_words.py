"""Stage markers and cues in words, and misleading words."""

from __future__ import annotations

import time

from hypothesis import given, strategies as st

from memoranda.stages.model import StageName
from memoranda.stages.step_signals import marked_stage
from memoranda.stages.text_scores import SILENCE, StageScores, scores
from tables import each

P, E, R, V = StageName

MARKED = [
    (P, "Stage: planning"),
    (V, "## Verification\nRunning the suite."),
    (E, "[execution] adding the route"),
    (R, "Entering reflection phase"),
    (P, "Phase: plan"),
    (E, "Starting implementation"),
    (V, "stage = verification"),
    (R, "**Stage:** Reflection"),
    (P, "<stage>planning</stage>"),
    (V, "Current stage: testing"),
    (E, "### Execution phase"),
    (R, "Mode: reflection"),
    (V, "Stage: planning\nIt is done.\nStage: verification"),
    (E, "The route is named.\n\nStage: EXECUTION\n\nThe handler comes first."),
]

UNMARKED = [
    "The planning committee met.",
    "Verification of the address failed.",
    "I am testing the stage lights.",
    "execution time was 3 s",
    "Review the plan for the stage design.",
    "It reflects the current stage of development.",
    "Plan B is to use the cache.",
    "Testing shows a 3% gain.",
    "Starting testing the lights",
    "```\nStage: planning\n```",
    "~~~\n[execution]\n~~~\n",
    "```\nStage: planning",
    "## Planning\nRead.\n## Implementation\nWrite.\n## Testing\nRun.",
    "Backstage: planning",
    "",
]

SPOKEN = [
    (P, "Let me look at the cart module to understand how totals are made."),
    (P, "Which of the two carts do you mean?"),
    (P, "Shall the new handler be blue?"),
    (P, "The handler is changed. Please let me know the colour."),
    (P, "First I search for the rounding rule, then read the handler."),
    (E, "Now I'll add the missing column and update the handler."),
    (E, "Let's replace the old rule."),
    (R, "The edit failed because the indentation was wrong. My previous approach missed the tab."),
    (R, "Oops, I assumed the cart was empty. In hindsight a different approach is due."),
    (V, "Let me run the tests to confirm that the fix works."),
    (V, "All tests pass; the issue is resolved."),
]


@each(("stage", "words"), MARKED)
def test_a_mark_names_its_stage(stage: StageName, words: str) -> None:
    assert marked_stage(words) is stage


@each("words", UNMARKED)
def test_what_only_looks_like_a_mark_is_none(words: str) -> None:
    assert marked_stage(words) is None


@each(("stage", "words"), SPOKEN)
def test_words_speak_for_the_stage_they_belong_to(stage: StageName, words: str) -> None:
    assert scores(words).top is stage
    assert scores(words).total > 0.75
    assert scores(words.replace("'", "\u2019")) == scores(words)


def test_an_announced_step_counts_more_than_a_completed_one() -> None:
    done, next_ = "I updated the handler.", "I'll read the tests."
    assert (
        scores(f"{done} {next_}").planning > scores(f"{done} Reading the tests is over.").planning
    )
    assert scores(f"{done} {next_}").top is P
    assert scores("I read the code. I'll do so.").planning < scores("I'll read the code.").planning


def test_silence_and_words_without_a_cue_speak_for_nothing() -> None:
    assert scores("") == scores(" \n\t ") == SILENCE
    assert scores("Zażółć gęślą jaźń. 東京は晴れ。").total == 0
    assert SILENCE.share == 0


def test_of_a_long_message_the_beginning_and_the_end_are_read() -> None:
    filler = " and so on" * 1_000
    assert scores(f"Let me run the tests.{filler}").top is V
    assert scores(f"Well{filler}. I'll run the tests to verify it.").top is V
    assert scores(f"Well{filler} run the tests {filler}").total == 0


@given(st.text(max_size=300))
def test_every_text_has_scores_that_are_not_below_zero(words: str) -> None:
    assert min(scores(words).parts) >= 0
    assert isinstance(scores(words) + scores(words), StageScores)


@each(
    "piece",
    ["error ", "because error ", "let me ", "run ", "it seems that it seems ", "now let's i'll ",
     "```\n", "Stage: ", "stage : :: ", "#", "[", "<stage>", "\n", "**", "next,", "?"],
)  # fmt: skip
def test_a_hostile_message_costs_little(piece: str) -> None:
    words = (piece * (1_000_000 // len(piece)))[:1_000_000]
    started = time.process_time()
    for _ in range(3):
        scores(words)
        marked_stage(words)
    assert time.process_time() - started < 1.0
