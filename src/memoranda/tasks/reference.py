"""Resolves task references: a name, a number, ``#number`` or an id.

Every interface resolves references here, so that all accept the same forms.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Annotated
from urllib.parse import quote

from memoranda.exceptions import InvalidInput, NotFound
from memoranda.ids import ambiguous, is_uuid
from memoranda.store.database import Transaction
from memoranda.tasks import table as tasks
from memoranda.tasks.model import UNNAMED, Task
from memoranda.text import is_blank, normalise
from memoranda.workspaces import table as workspaces

TaskReference = Annotated[
    str,
    "A task: the name that a caller chose for it, its number (`#3`, or `3` if no task has this"
    " name), its id or the beginning of its id, or the id of its host's session.",
]
"""Type of arguments that identify a task."""

MAX_LENGTH = 200
"""Maximum length of a name in characters."""
_MIN_PREFIX_LENGTH = 4
"""Minimum number of characters of an id prefix."""
_SHORT_ID = re.compile(r"[0-9a-f]{8}-[0-9a-f-]{0,26}")
_DIGITS = 8
_SHOWN = 5


def find(tx: Transaction, team: str, reference: str, place: str | None) -> Task:
    """Return the task for a reference.

    Args:
        place: a workspace; its task is preferred if several tasks have the name.

    Raises:
        InvalidInput: the reference is empty, too long or ambiguous.
        NotFound: there is no such task.
    """
    text = checked(reference)
    named = _nearest(_named(tx, team, text), text, place)
    if place and (named is None or named.workspace != place):  # its number precedes names elsewhere
        numbered = _numbered(tx, team, text)
        named = numbered if numbered and numbered.workspace == place else named
    return _exact(tx, team, text, named) or _abbreviated(tx, team, text)


def find_to_write(tx: Transaction, team: str, reference: str, place: str | None) -> Task | None:
    """Return the task to write to; None if the name is new.

    Args:
        place: the workspace to write to; a name that is used only in other workspaces is new there.

    Raises:
        InvalidInput: the reference is empty, too long or ambiguous.
        NotFound: there is no task with the given ``#number``.
    """
    text = checked(reference)
    named = _named(tx, team, text)
    if place is None and text != UNNAMED:
        near = _nearest(named, text, None)
    else:
        near = _newest(item for item in named if _is_in(item, text, place))
    if (task := _exact(tx, team, text, near)) is None:
        short = tasks.by_prefix(tx, team, text) if _SHORT_ID.fullmatch(text) else []
        return short[0] if len(short) == 1 else None
    if text == task.id or place in (None, task.workspace):
        return task
    if text.startswith("#"):
        raise NotFound(f"no task {text!r} in this workspace; `memoranda task list` lists the tasks")
    return None  # the number of a task in another workspace is a name in this workspace


def find_named(tx: Transaction, team: str, name: str, place: str | None) -> Task | None:
    """Return the task with a caller's name or id, but not by number."""
    return tasks.by_id(tx, team, name) or _newest(
        task for task in _named(tx, team, name) if _is_in(task, name, place)
    )


def find_session(tx: Transaction, team: str, name: str, place: str | None) -> Task | None:
    """Return the task with a caller's name or id, or of a recorded session.

    The session must be in the workspace; it was imported, or recorded by a coding agent's hooks.
    """
    return find_named(tx, team, name, place) or _newest(
        task for task in _of_session(tx, team, name) if place and task.workspace == place
    )


def checked(reference: str) -> str:
    """Return a reference without outer white space; a UUID in lower case.

    Raises:
        InvalidInput: the reference is empty, invisible or too long.
    """
    text = normalise(reference).strip()
    if is_blank(text):
        raise InvalidInput(
            "the name of a task is empty; pass its name, number or id; `memoranda task list` "
            "lists the tasks"
        )
    if len(text) > MAX_LENGTH:
        raise InvalidInput(
            f"the name of a task has {MAX_LENGTH} characters at most, and this name"
            f" has {len(text):,}"
        )
    return text.lower() if is_uuid(text) else text


def checked_name(name: str) -> str:
    """Return the name of a new task.

    Raises:
        InvalidInput: the name is empty, too long, or consists of ``#`` and a number.
    """
    text = checked(name)
    if text.startswith("#") and _number(text[1:]) is not None:
        raise InvalidInput(f"{text!r} denotes the task with that number; choose another name")
    return text


def session_of(name: str, workspace: str | None) -> str:
    """Return the session of a named task: the task's and workspace's names.

    `memoranda.tasks.model.own_name` is the inverse.
    """
    if workspace:
        return f"{name}@{quote(workspace)}"
    return f"{name}@" if "@" in name else name


def chosen_id(tx: Transaction, team: str, name: str) -> str | None:
    """Return a new task's name as its id, if the name is an unused UUID.

    Callers who name their tasks by their own ids therefore find these ids in every answer.
    """
    is_free = is_uuid(name) and name == name.lower() and tasks.by_id(tx, team, name) is None
    return name if is_free else None


def _exact(tx: Transaction, team: str, text: str, named: Task | None) -> Task | None:
    """Return the task by id, name, number or host session, in this order."""
    if text.startswith("#") and (number := _number(text[1:])) is not None:
        task = tasks.by_number(tx, team, number)
        if task is None:
            raise NotFound(
                f"no task has the number {number}; `memoranda task list` lists the tasks"
            )
        return task
    if task := tasks.by_id(tx, team, text) or named:
        return task
    return _numbered(tx, team, text) or _newest(_of_session(tx, team, text))


def _numbered(tx: Transaction, team: str, text: str) -> Task | None:
    number = _number(text)
    return None if number is None else tasks.by_number(tx, team, number)


def _abbreviated(tx: Transaction, team: str, text: str) -> Task:
    found = tasks.by_prefix(tx, team, text) if len(text) >= _MIN_PREFIX_LENGTH else []
    if len(found) > 1:
        raise InvalidInput(ambiguous("task", text, [task.id for task in found]))
    if not found:
        raise NotFound(f"no task {text!r}; `memoranda task list` lists the tasks")
    return found[0]


def _named(tx: Transaction, team: str, name: str) -> list[Task]:
    """Return the tasks with a name, or else the task of ``name@workspace``."""
    names = _forms(name)
    found = [task for form in names for task in tasks.named(tx, team, form)]
    return (
        [item for item in found if item.name in names]
        or [task for task in found if task.session in names]
        or list(_of_workspace(tx, team, name))
    )


def _of_workspace(tx: Transaction, team: str, text: str) -> Iterator[Task]:
    """Yield the tasks of ``name@workspace``; both may contain ``@``."""
    for at in (position for position, letter in enumerate(text) if letter == "@"):
        name, place = text[:at], workspaces.by_label(tx, team, text[at + 1 :])
        if place:
            found = tasks.named(tx, team, name)
            yield from (task for task in found if (task.name, task.workspace) == (name, place.id))


def _of_session(tx: Transaction, team: str, name: str) -> list[Task]:
    return [task for form in _forms(name) for task in tasks.of_session(tx, team, form)]


def _forms(name: str) -> tuple[str, ...]:
    """Return the forms in which a name may be stored, such as UUID capitals."""
    return (name, name.upper()) if is_uuid(name) else (name,)


def _nearest(found: Sequence[Task], name: str, place: str | None) -> Task | None:
    """Return the task in a workspace, without a workspace, or the only one.

    Raises:
        InvalidInput: several tasks have the name, all of them in other workspaces.
    """
    near = [task for task in found if place and task.workspace == place]
    near = near or [one for one in found if _is_in(one, name, None)]
    if near or len(found) < 2:
        return _newest(near or found)
    numbers = ", ".join(f"#{item.number}" for item in found[:_SHOWN])
    raise InvalidInput(
        f"{len(found)} workspaces have a task {name!r}; specify the workspace, or use one of "
        f"{numbers}"
    )


def _is_in(task: Task, name: str, place: str | None) -> bool:
    """Return whether a task was named in a workspace or without one."""
    if place:
        return task.workspace == place
    return any(task.session in (form, session_of(form, None)) for form in _forms(name))


def _newest(found: Iterable[Task]) -> Task | None:
    return max(found, key=lambda task: task.last_event_at, default=None)


def _number(text: str) -> int | None:
    return int(text) if text.isdecimal() and len(text) < _DIGITS else None
