"""Steps derived from observations and their content."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, strategies as st

from contract.records import Records
from memoranda.observations.content import call_text
from memoranda.observations.model import Observation, ObservationType, Origin
from memoranda.stages.model import StageName
from memoranda.stages.observed_steps import step_of
from memoranda.stages.state import StepContext
from memoranda.stages.step import Step, StepOutcome, StepSpeaker
from memoranda.stages.step_signals import read
from tables import each

RECORDS = Records()
OBSERVATION = RECORDS.observation(RECORDS.task("w"), 7).observation


def seen(**changes: Any) -> Observation:
    return replace(OBSERVATION, tool=None, tags=(), **changes)


def called(tool: str, value: Any, output: Any, **changes: Any) -> Step:
    observation = replace(
        OBSERVATION, **{"type": ObservationType.TOOL_CALL, "tool": tool, "tags": (), **changes}
    )
    return step_of(observation, call_text(tool, value, output))


def test_a_message_of_the_agent_is_its_words() -> None:
    made = step_of(seen(type=ObservationType.MESSAGE, origin=Origin.AGENT), "I'll read on.")
    assert (made.words, made.tool, made.speaker) == ("I'll read on.", None, StepSpeaker.AGENT)
    assert (made.sequence, made.created_at) == (7, OBSERVATION.created_at)


@pytest.mark.parametrize(
    ("origin", "speaker"),
    [
        (Origin.HUMAN, StepSpeaker.PERSON),
        (Origin.GENERATED, StepSpeaker.OTHER),
        (Origin.IMPORT, StepSpeaker.OTHER),
        (Origin.TOOL, StepSpeaker.OTHER),
    ],
)
def test_only_the_agent_marks_a_stage(origin: Origin, speaker: StepSpeaker) -> None:
    made = step_of(seen(type=ObservationType.MESSAGE, origin=origin), "Stage: reflection")
    assert made.speaker is speaker
    assert read(made, StepContext()) is None


def test_an_error_outside_a_tool_has_no_author() -> None:
    made = step_of(seen(type=ObservationType.ERROR, origin=Origin.AGENT), "I'll verify it.")
    assert made.speaker is StepSpeaker.OTHER


@pytest.mark.parametrize(
    "command",
    ["pytest -q", "cat > a.py <<'EOF'\nprint(1)\nEOF", "python -c 'print(1)\nprint(2)'",
     'git commit -m "one\n\ntwo"', "echo a \\\n  b"],
)  # fmt: skip
def test_the_command_is_parted_from_its_output(command: str) -> None:
    made = called("Bash", {"command": command}, "1 passed\nand more")
    assert made.command == command
    assert made.outcome is StepOutcome.FINE


def test_the_output_is_not_read_as_a_command_or_a_mark() -> None:
    made = called("Bash", {"command": "ls"}, "pytest\nStage: reflection\nnpm test")
    assert made.command == "ls"
    evidence = read(made, StepContext())
    assert evidence is not None
    assert evidence.stage is StageName.PLANNING


def test_a_call_without_a_command_has_none() -> None:
    made = called("Read", {"file_path": "a.py"}, "x = 1")
    assert (made.command, made.words, made.outcome) == ("", "", StepOutcome.FINE)
    assert called("Read", {}, "$ pytest").command == ""


def test_the_words_of_a_thinking_tool_are_the_agents() -> None:
    assert called("think", {"thought": "I overlooked it."}, "").words == "I overlooked it."
    assert called("think", {"thought": 3}, "").words == ""
    assert called("Read", {"file_path": "thought"}, '{"thought": "x"}').words == ""


def test_a_content_without_its_call_is_all_output() -> None:
    made = step_of(replace(OBSERVATION, tool="Grep", tags=()), "No matches found")
    assert made.outcome is StepOutcome.EMPTY


def test_only_the_beginning_of_a_content_is_looked_at() -> None:
    assert len(called("Bash", {"command": "x" * 50_000}, "").command) < 20_000


@each(
    ("output", "outcome"),
    [
        ("No matches found for total", StepOutcome.EMPTY),
        ("Found 0 files", StepOutcome.EMPTY),
        ("cart.py not found", StepOutcome.EMPTY),
        ("[]", StepOutcome.EMPTY),
        ("Error: the cart is locked", StepOutcome.FAILED),
        ("Could not apply the change", StepOutcome.FAILED),
        ("\x1b[31mInvalid argument\x1b[0m", StepOutcome.FAILED),
        ("The change contains syntax errors", StepOutcome.FAILED),
        ("Found 3 matches\nnot found elsewhere", StepOutcome.FINE),
        ("errors = []", StepOutcome.FINE),
        ("", StepOutcome.FINE),
    ],
)
def test_the_outcome_is_read_where_the_output_begins(output: str, outcome: StepOutcome) -> None:
    assert called("change", {"a": 1}, output).outcome is outcome


def test_the_observation_takes_precedence() -> None:
    assert called("Edit", {}, "fine", type=ObservationType.ERROR).outcome is StepOutcome.FAILED
    assert called("Edit", {}, "", tags=("edit", "pending")).outcome is StepOutcome.UNKNOWN


@given(st.text(max_size=200), st.sampled_from(["Bash", "Read", "think", None]))
def test_every_content_makes_a_step(text: str, tool: str | None) -> None:
    made = step_of(replace(OBSERVATION, tool=tool), text)
    read(made, StepContext())


@each("piece", ["$ ", "'", '"', "\\", "<<A\n", "think {", '{"thought": "', "not found ", "\x1b["])
@each("tool", ["Bash", "think", None])
def test_a_hostile_content_costs_little(piece: str, tool: str | None) -> None:
    observation = replace(OBSERVATION, tool=tool, origin=Origin.AGENT, type=ObservationType.MESSAGE)
    for start in ("", "$ ", 'think {"thought":'):
        text = start + piece * (1_000_000 // len(piece))
        started = time.process_time()
        read(step_of(observation, text), StepContext())
        assert time.process_time() - started < 1.0
