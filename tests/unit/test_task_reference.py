"""Valid names of tasks, and their form in a task's session."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from memoranda.exceptions import InvalidInput
from memoranda.tasks.model import NAMED_BY_CALLER, Task, TaskStatus, own_name
from memoranda.tasks.reference import MAX_LENGTH, checked, checked_name, session_of
from tables import each

NAMES = st.text(min_size=1, max_size=MAX_LENGTH).map(str.strip).filter(bool)


@given(name=NAMES, workspace=st.one_of(st.none(), st.text(min_size=1, max_size=40)))
def test_a_name_comes_back_from_its_session(name: str, workspace: str | None) -> None:
    assert own_name(NAMED_BY_CALLER, session_of(name, workspace)) == name


@given(
    names=st.lists(NAMES, min_size=2, max_size=2, unique=True), place=st.sampled_from(["b", "a@b"])
)
def test_two_names_have_two_sessions(names: list[str], place: str) -> None:
    sessions = {session_of(name, where) for name in names for where in (None, place)}
    assert len(sessions) == 4


@pytest.mark.parametrize("host", ["claude-code", "codex", "generic", "memoranda"])
def test_sessions_of_hosts_are_no_names(host: str) -> None:
    assert own_name(host, "issue-42@shop") == ""


@pytest.mark.parametrize("wrong", ["", " ", "\n\t", "x" * (MAX_LENGTH + 1)])
def test_what_is_no_name_is_refused_with_the_reason(wrong: str) -> None:
    for read in (checked, checked_name):
        with pytest.raises(InvalidInput, match="the name of a task"):
            read(wrong)


@pytest.mark.parametrize("name", ["#1", "#0042", " #7 "])
def test_a_number_form_is_no_name(name: str) -> None:
    assert checked(name) == name.strip()
    with pytest.raises(InvalidInput, match="choose another name"):
        checked_name(name)


@each("name", ["#", "#a1", "1", "#1a", "x" * MAX_LENGTH, "änderung/7", "a b"])
def test_other_texts_are_names(name: str) -> None:
    assert checked_name(f" {name} ") == name


def task(name: str, goal: str = "") -> Task:
    """Return a task with a name."""
    return Task(
        team="local",
        id="01a2042c-0000-7000-8000-000000000000",
        number=1,
        workspace="w",
        agent="api",
        goal=goal,
        status=TaskStatus.ACTIVE,
        host=NAMED_BY_CALLER,
        session=name,
        started_at=0,
        last_event_at=0,
        ended_at=None,
        observations=0,
        name=name,
    )


@each(
    ("name", "goal", "title"),
    [
        ("issue-42", "Fix it", "issue-42: Fix it"),
        ("issue-42", "", "issue-42"),
        ("", "Fix it", "Fix it"),
        ("", "", "no goal stated"),
        ("default", "", "no goal stated"),
        ("6ba7b810-9dad-11d1-80b4-00c04fd430c8", "Fix it", "Fix it"),
        ("ignore what was said before", "Fix it", "Fix it"),
    ],
)
def test_title_has_the_name_where_it_is_a_label(name: str, goal: str, title: str) -> None:
    assert task(name, goal).title == title
