"""Detects conflicts between two statements by their text and cosine."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace

from memoranda.statements.conflict_result import StatementConflict
from memoranda.statements.ended_states import ended_state
from memoranda.statements.negation_rules import negation, never, no_longer
from memoranda.statements.pair import StatementPair
from memoranda.statements.quantity_rules import date, number
from memoranda.statements.replacement_rules import (
    announced_change,
    announced_move,
    antonym,
    value,
)
from memoranda.statements.stated_replacements import stated_replacement
from memoranda.statements.statement import Statement
from memoranda.statements.switched_states import switched

Rule = Callable[[StatementPair], StatementConflict | None]

_NUMBER = re.compile(r"\d+")
_RECORD = re.compile(
    r"\b([A-Z][A-Z0-9]+-\d+)\b|(?<!\w)(#\d+)\b"
    r"|\b((?i:pr|mr|ticket|issue|incident|build|run|order|invoice|job|case|request|bug|task)"
    r" (?:#|no\.? )?(?:\d+|[A-Z])\b)"
)
"""Names of numbered records: INC-207, #12, ticket 207, run A."""
_CODE = re.compile(
    r"^\W{0,3}(?:const|let|var|val|def|fn|func|return|import|from|public|private)"
    r" [\w.]+\W{0,3}[=(:{]"
    r"|^\W{0,3}[\w.\[\]]+ ?:?= ?\S*\w\(|[;{]\W{0,3}$"
)
_COUNT = re.compile(
    r"^\W{0,3}(?:\w+ )?\d+(?: ?(?:/|of) ?\d+)? (?:\w+ ){0,3}?"
    r"(?:pass(?:ed|ing)?|fail(?:ed|ing|ures?)?|skipped|done|errors?|warnings?|collected|changed|completed|finished)\b",
    re.IGNORECASE,
)
"""Counts of tests or builds, which the next run changes."""

_BESIDE = re.compile(
    r"[,;.]\s+(?:(?:and|but) )?(?=(?:i|we|he|she|they|now|instead)\b)|,?\s+but\s+", re.IGNORECASE
)
"""Boundary between what ended and the new state: "no longer X, we use Y now"."""

_ANYWAY: tuple[Rule, ...] = (no_longer, negation, never, announced_move, number)
"""Rules that themselves check whether both statements have the same subject."""

_ON_ONE_TOPIC: tuple[Rule, ...] = (date, number, antonym, value, announced_change)


def conflict(old: Statement, new: Statement, cosine: float) -> StatementConflict | None:
    """Return how a newer statement conflicts with an older one, or None.

    The result is None if both can be true. ``cosine`` is the cosine of their vectors, 0 if unknown,
    in which case only rules that need no vectors apply. Only a certain conflict may replace the
    older one unreviewed: an end ("no longer"), a move of the same subject ("switched to"), or
    another value or number of the same subject and relation with a word of change.
    """
    if not _comparable(old, new):
        return None
    pair = StatementPair.of(old, new, cosine)
    ended = ended_state(pair)
    if ended and ended.certain:
        return ended
    if pair.different_things or pair.two_intentions or _other_records(pair):
        return ended
    found = _by_rules(pair)
    return found if found and found.certain else ended or found


def _by_rules(pair: StatementPair) -> StatementConflict | None:
    """Return the conflict of two statements about one thing, or None."""
    if replacement := stated_replacement(pair) or switched(pair):
        return replacement
    found = _first(_ANYWAY, pair) or (_ended(pair) if pair.new.tone.ends else None)
    if found is None and pair.same_topic:
        found = _first(_ON_ONE_TOPIC, pair)
    if found and found.certain and _identified(pair.old) != _identified(pair.new):
        return replace(found, certain=False)
    return found


def of_different_things(old: Statement, new: Statement) -> bool:
    """Return whether two statements are about two things of one kind."""
    return StatementPair.of(old, new, 0.0).different_things


def _ended(pair: StatementPair) -> StatementConflict | None:
    """Return the conflict with a clause that states both an end and a start."""
    clauses = _BESIDE.split(pair.new.text)
    ends = [
        statement
        for statement in map(Statement.of, clauses)
        if statement.tone.ends and statement.stems
    ]
    pairs = (StatementPair.of(pair.old, end, pair.cosine) for end in ends)
    return next(filter(None, map(no_longer, pairs)), None) if len(clauses) > 1 else None


def _other_records(pair: StatementPair) -> bool:
    """Return whether both are about numbered records, such as tickets, without a common one."""
    old, new = (
        {"".join(found).lower() for found in _RECORD.findall(side.text)}
        for side in (pair.old, pair.new)
    )
    return bool(old and new) and old.isdisjoint(new)


def _identified(statement: Statement) -> list[str]:
    """Return the numbers that identify a thing: 7 in "lamp 7 is new"."""
    end = statement.claim.start if statement.claim else len(statement.text) // 2
    return _NUMBER.findall(statement.text[:end])


def _first(rules: tuple[Rule, ...], pair: StatementPair) -> StatementConflict | None:
    return next((statement_conflict for rule in rules if (statement_conflict := rule(pair))), None)


def _comparable(old: Statement, new: Statement) -> bool:
    """Return whether a comparison can find anything. A fast pre-check."""
    if not old.stems or not new.stems or old.tone.asks or new.tone.asks:
        return False
    if old.stems.isdisjoint(new.stems) and not _one_subject(old, new):
        return False
    if _of_the_moment(old) or _of_the_moment(new):
        return False
    return old.text.lower() != new.text.lower()


def _of_the_moment(statement: Statement) -> bool:
    """Return whether a text states nothing lasting, such as code or counts."""
    return _CODE.search(statement.text) is not None or _COUNT.match(statement.text) is not None


def _one_subject(old: Statement, new: Statement) -> bool:
    """Return whether both have the same subject, such as "I" or "Tom"."""
    return not old.subject.isdisjoint(new.subject)
