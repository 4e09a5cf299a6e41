"""Table of feedback and its effects, and the read position in each task."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass

from memoranda.feedback.model import (
    EffectTarget,
    Feedback,
    FeedbackEffect,
    FeedbackSource,
    FeedbackState,
    FeedbackType,
)
from memoranda.json_data import dump_json
from memoranda.store.database import RowType, Transaction, load_statements

SQL = load_statements(__file__)

FEEDBACK = RowType(
    Feedback, type=FeedbackType, source=FeedbackSource, state=FeedbackState, confirmed=bool
)

NEWEST = "~"
ASKED_IN_TASK, ASKED_IN_WORKSPACE = 5, 12
"""Maximum number of questions about uncertain feedback in messages; the newest ones are kept.

A person with too many questions answers none.
"""


@dataclass(frozen=True, slots=True)
class FeedbackFilter:
    """Filter of feedback to list; None means "any"."""

    workspace: str | None = None
    task: str | None = None
    agent: str | None = None
    """Only feedback about this agent's work, or not about a particular agent."""
    state: FeedbackState | None = None
    type: FeedbackType | None = None


def put(tx: Transaction, feedback: Feedback) -> bool:
    """Insert feedback; return False if its message already has feedback."""
    row = asdict(feedback) | {"confirmed": int(feedback.confirmed)}
    return tx.execute(SQL["put"], row) > 0


def settle(tx: Transaction, read: Feedback, now: Feedback) -> bool:
    """Update the type and state of feedback; False if changed in the meantime."""
    row = asdict(now) | {"confirmed": int(now.confirmed)}
    row |= {"was": read.state, "read": read.revision}
    return tx.execute(SQL["settle"], row) > 0


def by_id(tx: Transaction, team: str, id: str, agent: str | None = None) -> Feedback | None:
    """Return feedback by id, or None.

    If an agent is passed, the feedback is returned only if it is about that agent's work or no
    particular agent.
    """
    bindings = {"team": team, "id": id, "agent": agent}
    row = tx.first(SQL["columns"] + SQL["by_id"], bindings)
    return FEEDBACK(row) if row else None


def by_prefix(tx: Transaction, team: str, prefix: str, agent: str | None = None) -> list[str]:
    """Return at most six ids that start with the given prefix.

    If an agent is passed, only ids of feedback about that agent's work or no particular agent are
    returned.
    """
    bindings = {"team": team, "low": prefix, "high": prefix + "~", "agent": agent}
    return [row[0] for row in tx.fetch(SQL["by_prefix"], bindings)]


def listed(
    tx: Transaction, team: str, where: FeedbackFilter, *, before: str = NEWEST, limit: int
) -> list[Feedback]:
    """Return feedback with an id below ``before``, newest first."""
    bindings = asdict(where) | {"team": team, "before_id": before, "limit": limit}
    return [FEEDBACK(row) for row in tx.fetch(SQL["columns"] + SQL["listed"], bindings)]


def pending_about(tx: Transaction, team: str, observations: Sequence[str]) -> list[Feedback]:
    """Return feedback in the given messages that awaits a person's decision."""
    bindings = {"team": team, "observations": dump_json(list(observations))}
    return [FEEDBACK(row) for row in tx.fetch(SQL["columns"] + SQL["asking_about"], bindings)]


def waiting(tx: Transaction, team: str, *, after: str = "", limit: int) -> list[str]:
    """Return the ids of feedback to be processed, oldest first."""
    bindings = {"team": team, "after": after, "limit": limit}
    return [row[0] for row in tx.fetch(SQL["waiting"], bindings)]


def pending_count(tx: Transaction, team: str, workspace: str | None, agent: str | None) -> int:
    """Return the number of feedback items awaiting a person's decision."""
    bindings = {"team": team, "workspace": workspace, "agent": agent}
    row = tx.first(SQL["asking"], bindings)
    return int(row[0]) if row else 0


def limit_pending(tx: Transaction, team: str, workspace: str | None, task: str) -> None:
    """End the oldest questions in messages if a task or a workspace has too many.

    The feedback stays listed as uncertain.
    """
    place = {"team": team, "workspace": workspace or ""}
    tx.execute(SQL["limit_asking"], place | {"task": task, "most": ASKED_IN_TASK})
    tx.execute(SQL["limit_asking"], place | {"task": None, "most": ASKED_IN_WORKSPACE})


def add_effects(tx: Transaction, team: str, id: str, effects: Sequence[FeedbackEffect]) -> None:
    """Append effects to feedback."""
    rows = [asdict(effect) | {"team": team, "feedback": id} for effect in effects]
    tx.many(SQL["add_effect"], rows)


def effects(tx: Transaction, team: str, id: str) -> tuple[FeedbackEffect, ...]:
    """Return the effects of feedback, in order."""
    rows = tx.fetch(SQL["effects"], {"team": team, "feedback": id})
    return tuple(
        FeedbackEffect(revision, EffectTarget(touched), target, note)
        for revision, touched, target, note in rows
    )


def scanned_until(tx: Transaction, team: str, task: str) -> int:
    """Return the sequence number of a task's last processed observation, or 0."""
    row = tx.first(SQL["heard"], {"team": team, "task": task})
    return int(row[0]) if row else 0


def set_scanned(tx: Transaction, team: str, task: str, position: int) -> None:
    """Record the position up to which a task was processed; never decrease it."""
    tx.execute(SQL["hear"], {"team": team, "task": task, "position": position})
