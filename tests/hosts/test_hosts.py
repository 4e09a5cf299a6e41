"""Real hosts with a scripted model: what person, model and memory get."""

from __future__ import annotations

import re
from collections import Counter

import pytest
import stories
from host_programs import Run
from recordings import CONTEXT, Observation, Recording

pytestmark = pytest.mark.timeout(900)  # the first test of a host installs it and runs its story

STEPS = {
    "first": stories.FIX, "resumed": stories.RULE, "second": stories.NEXT, "forked": stories.FORK,
    "helped": stories.HELP, "checked": stories.CHECK, "long": stories.LONG,
    "recalled": stories.RECALL, "bare": stories.HELLO, "with hooks": stories.HELLO,
}  # fmt: skip
NOTICE = "<subagent_notification>"
"""Beginning of Codex's message to an agent when its subagent has ended."""
FAILURE = re.compile(r"fail|block|error|not found|no such file", re.IGNORECASE)


def complaints(run: Run) -> list[str]:
    """Return the words for failures in what a host says, without its measures of its own start.

    Gemini CLI reports some starts that it could not measure.
    """
    lines = [line for line in run.err.split("\n") if not line.startswith("[STARTUP]")]
    return FAILURE.findall("\n".join(lines))


def contents(observations: list[Observation], origin: str) -> list[str]:
    """Return the contents of an origin, in order."""
    return [one["content"] for one in observations if one["origin"] == origin]


def test_each_prompt_gets_the_answer_of_the_model(sessions: Recording) -> None:
    for step, prompt in STEPS.items():
        if step in sessions.runs:
            run = sessions.runs[step]
            assert run.code == 0, (step, run.err)
            assert run.out.endswith(f"{stories.ANSWERS[prompt]}\n"), step


def test_uninstall_restores_the_settings_byte_for_byte(recording: Recording) -> None:
    assert recording.settings_after == recording.settings_before


def test_next_session_begins_with_the_last_statements(sessions: Recording) -> None:
    sent = sessions.first_request("second")
    assert CONTEXT.strip("<") in sent, "no context arrived"
    assert stories.RULE in sent


def test_next_session_begins_with_what_was_learnt(sessions: Recording) -> None:
    assert "AssertionError" in sessions.first_request("second")


@pytest.mark.parametrize("step", ["second", "helped", "checked"])
def test_context_arrives_once(recording: Recording, step: str) -> None:
    assert recording.first_request(step).count(f"{CONTEXT.strip('<')} id=") == 1


def test_resumed_session_gets_no_second_context(sessions: Recording) -> None:
    first, resumed = (sessions.first_request(step) for step in ("first", "resumed"))
    assert resumed.count("memoranda-context id=") == first.count("memoranda-context id=")


def test_events_are_stored_once_in_order_with_their_origin(sessions: Recording) -> None:
    events = [(one["origin"], one["type"]) for one in sessions.events_of(stories.FIX)]
    assert events == [
        ("human", "message"),
        ("tool", "tool_call"),
        ("tool", "error"),
        ("tool", "tool_call"),
        ("tool", "fix"),
        ("agent", "message"),
        ("human", "message"),
        ("agent", "message"),
    ]


def test_messages_are_stored_verbatim(sessions: Recording) -> None:
    events = sessions.events_of(stories.FIX)
    assert contents(events, "human") == [stories.FIX, stories.RULE]
    fixed, understood = contents(events, "agent")
    assert fixed.endswith(stories.FIXED)
    assert understood == stories.UNDERSTOOD


def test_each_session_is_one_task(recording: Recording) -> None:
    typed = [stories.FIX, stories.NEXT, stories.HELP, stories.CHECK, stories.LONG, stories.RECALL]
    tasks = [recording.task_of(prompt) for prompt in typed]
    assert len(set(tasks)) == len(typed)
    goals = {task["id"]: task["goal"] for task in recording.tasks}
    assert [goals[task] for task in tasks] == typed


def test_only_what_was_typed_is_a_persons(sessions: Recording) -> None:
    typed = Counter(contents(sessions.observations, "human"))
    assert set(typed) <= set(stories.PROMPTS)
    assert set(typed.values()) == {1}


def test_ended_sessions_are_completed_tasks(recording: Recording) -> None:
    killed = recording.task_of(stories.SLOW)
    assert {task["id"]: task["status"] for task in recording.tasks} == {
        task["id"]: "active" if task["id"] == killed else "completed" for task in recording.tasks
    }


def test_nothing_is_stored_empty(sessions: Recording) -> None:
    assert [one["ref"] for one in sessions.observations if not one["content"].strip()] == []


def test_edit_names_its_file_and_shows_its_lines(recording: Recording) -> None:
    edit = recording.events_of(stories.FIX)[3]
    assert edit["files"] == ["price.py"]
    assert stories.NEW in edit["summary"] or stories.NEW in edit["content"]
    assert "price.py" in edit["summary"]


def test_error_states_what_failed(recording: Recording) -> None:
    error = next(one for one in recording.events_of(stories.FIX) if one["type"] == "error")
    assert "AssertionError" in error["summary"]
    assert "llmContent" not in error["content"]


def test_command_that_fails_without_a_traceback_is_no_fix(recording: Recording) -> None:
    checks = [one for one in recording.events_of(stories.CHECK) if one["origin"] == "tool"]
    assert len(checks) == 2
    assert [one["type"] for one in checks] == ["error", "error"]


def test_long_output_is_kept_whole_or_marked(recording: Recording) -> None:
    (log,) = (one for one in recording.events_of(stories.LONG) if one["origin"] == "tool")
    text = recording.requests["long"][-1].text
    whole = stories.LOG_ERROR in log["content"]
    assert whole or "truncated" in log["content"]
    assert whole or stories.LOG_ERROR not in text, "the model saw more than was kept"


def test_events_of_a_subagent_are_its_own(recording: Recording) -> None:
    events = recording.events_of(stories.HELP)
    (search,) = (one for one in events if "grep -rln total" in one["content"])
    assert (search["agent"] != "main") == recording.host.names_agents
    assert contents(events, "human") == [stories.HELP]
    assert events[-1]["content"] == stories.HELPED
    answers = [one for one in events if one["content"] == stories.HELPER_ANSWER]
    assert [one["agent"] for one in answers] in ([], [search["agent"]])


def test_forked_session_has_its_own_events_alone(forked: Recording) -> None:
    events = forked.events_of(stories.FORK)
    assert [one["content"] for one in events] == [stories.FORK, stories.FORKED]
    assert forked.task_of(stories.FORK) != forked.task_of(stories.FIX)


def test_killed_host_loses_nothing_up_to_the_kill(recording: Recording) -> None:
    events = recording.events_of(stories.SLOW)
    assert [one["origin"] for one in events] == ["human", "tool"]
    assert stories.BEFORE_THE_KILL in events[1]["content"]


@pytest.mark.parametrize("gone", ["package removed", "environment removed"])
def test_host_does_not_notice_that_memoranda_is_gone(recording: Recording, gone: str) -> None:
    bare, removed = recording.runs["bare"], recording.runs[gone]
    assert (removed.code, removed.out) == (bare.code, bare.out), removed.err
    assert len(complaints(removed)) == len(complaints(bare)), removed.err


def test_hooks_print_nothing_of_their_own(recording: Recording) -> None:
    bare, hooked = recording.runs["bare"], recording.runs["with hooks"]
    assert hooked.out == bare.out
    assert len(complaints(hooked)) == len(complaints(bare)), hooked.err


def test_model_reaches_the_memory_as_a_tool(sessions: Recording) -> None:
    before, after = (sessions.requests["recalled"][at].text for at in (-2, -1))
    assert after.count(stories.FIX) > before.count(stories.FIX)
    (call,) = (one for one in sessions.events_of(stories.RECALL) if "search" in str(one["tool"]))
    assert stories.FIX not in call["content"], "what was recalled is captured again"


def test_import_keeps_what_hooks_stored_in_its_place(imported: Recording) -> None:
    before = [(one["id"], one["ref"], one["origin"]) for one in imported.observations]
    after = {one["id"]: (one["id"], one["ref"], one["origin"]) for one in
             imported.observations_imported}  # fmt: skip
    assert [after.get(id) for id, _, _ in before] == before


def test_import_doubles_no_event(imported: Recording) -> None:
    for origin in ("human", "tool"):
        before, after = (
            Counter(contents(found, origin))
            for found in (imported.observations, imported.observations_imported)
        )
        assert sum(after.values()) == sum(before.values()), after - before


def test_import_adds_what_hooks_cannot_see_and_nothing_else(imported: Recording) -> None:
    known = {one["id"] for one in imported.observations}
    added = [
        one["content"]
        for one in imported.observations_imported
        if one["id"] not in known and not one["content"].startswith(NOTICE)
    ]
    assert set(added) <= {stories.INTERIM, stories.HELPER, stories.HELPER_ANSWER}
    assert added.count(stories.INTERIM) == (0 if imported.host.joins_answers else 1)


def test_import_gives_subagents_no_second_name(imported: Recording) -> None:
    before, after = (
        {one["agent"] for one in found}
        for found in (imported.observations, imported.observations_imported)
    )
    if imported.host.names_agents:
        assert after == before
    else:  # its hooks report a subagent's actions as the main agent's
        assert len(after - before) == 1


def test_import_moves_no_task(imported: Recording) -> None:
    before, after = (
        [(task["id"], task["goal"], task["status"]) for task in tasks]
        for tasks in (imported.tasks, imported.tasks_imported)
    )
    assert after == before


def test_import_changes_nothing_in_where_work_stands(imported: Recording) -> None:
    before, after = (
        re.sub(r' id="\w+"|\d+ observations', "", context)
        for context in (imported.context_before_import, imported.context_after_import)
    )
    assert after == before


def test_import_corrects_what_hooks_cannot_know(imported: Recording) -> None:
    checks = [
        one["type"]
        for one in imported.observations_imported
        if one["task"] == imported.task_of(stories.CHECK) and one["origin"] == "tool"
    ]
    assert checks == ["error", "error"]


def test_import_done_again_stores_nothing(imported: Recording) -> None:
    assert imported.imported_again["observations"] == 0
    assert imported.imported_again["duplicates"] == imported.imported_again["events"]
