"""Table of suggestions that people answered, with their answers."""

from __future__ import annotations

from dataclasses import dataclass

from memoranda.feedback.model import SuggestionStatus
from memoranda.store.database import Row, Transaction, load_statements, row_of

SQL = load_statements(__file__)

NEWEST = "~"


@dataclass(frozen=True, slots=True)
class SuggestionAnswer:
    """Answer of one feedback item to a suggestion."""

    suggestion: str
    feedback: str
    accepted: bool
    about: str
    """Wording of the suggestion at that time."""
    said: str
    """Text of the feedback."""
    model: str | None
    vector: bytes | None
    """Vector of ``about``: float16, little-endian."""


def put(tx: Transaction, team: str, id: str, workspace: str | None, now: int) -> None:
    """Add a suggestion."""
    row = {"team": team, "id": id, "workspace": workspace, "created_at": now}
    tx.execute(SQL["put"], row)


def answer(tx: Transaction, team: str, new_answer: SuggestionAnswer, now: int) -> bool:
    """Store a feedback item's answer to a suggestion; False if already stored."""
    row = row_of(new_answer, team=team, accepted=int(new_answer.accepted), answered_at=now)
    return tx.execute(SQL["answer"], row) > 0


def answers(
    tx: Transaction, team: str, workspace: str | None, *, limit: int
) -> list[SuggestionAnswer]:
    """Return the answers to suggestions of one workspace, newest first."""
    bindings = {"team": team, "workspace": workspace, "limit": limit}
    return [_answer(row) for row in tx.fetch(SQL["answers"], bindings)]


def of_suggestion(
    tx: Transaction, team: str, suggestion: str, *, limit: int
) -> list[SuggestionAnswer]:
    """Return the answers to one suggestion, newest first."""
    bindings = {"team": team, "suggestion": suggestion, "limit": limit}
    return [_answer(row) for row in tx.fetch(SQL["of_suggestion"], bindings)]


def rule(tx: Transaction, team: str, suggestion: str) -> str | None:
    """Return the id of the rule against a suggestion; it may not exist."""
    row = tx.first(SQL["rule"], {"team": team, "suggestion": suggestion})
    return row[0] if row else None


def set_rule(tx: Transaction, team: str, suggestion: str, memory: str | None) -> None:
    """Set the id of the rule against a suggestion."""
    tx.execute(SQL["set_rule"], {"team": team, "suggestion": suggestion, "rule": memory})


def retract(tx: Transaction, team: str, feedback: str) -> int:
    """Remove a feedback item's answers to suggestions; return their number."""
    return tx.execute(SQL["retract"], {"team": team, "feedback": feedback})


def drop_unanswered(tx: Transaction, team: str) -> int:
    """Delete suggestions without any remaining answer; return their number."""
    return tx.execute(SQL["drop_unanswered"], {"team": team})


def listed(
    tx: Transaction, team: str, workspace: str | None, *, before: str = NEWEST, limit: int
) -> list[SuggestionStatus]:
    """Return suggestions with an id below ``before``, newest first."""
    bindings = {"team": team, "workspace": workspace, "before_id": before, "limit": limit}
    return [
        SuggestionStatus(id, text or "", int(rejected), int(accepted), rule, last or 0)
        for id, rule, text, rejected, accepted, last in tx.fetch(SQL["listed"], bindings)
    ]


def _answer(row: Row) -> SuggestionAnswer:
    suggestion, feedback, accepted, about, text, model, vector = row
    embedding = bytes(vector) if vector is not None else None
    return SuggestionAnswer(suggestion, feedback, bool(accepted), about, text, model, embedding)
