"""Conflict rules for replacement: a move, an antonym or another value."""

from __future__ import annotations

import re

from memoranda.language.words import word_set
from memoranda.statements.antonyms import exclude
from memoranda.statements.claim import Claim, ClaimedMove
from memoranda.statements.conflict_result import ConflictKind, ConflictReason, StatementConflict
from memoranda.statements.pair import StatementPair
from memoranda.statements.statement import Statement

_MOVED_FROM = word_set("use be run prefer work live have cost")
"""Relations that an announced move can end."""

_QUALITIES = word_set("be live have")
"""Relations of a person that a switch to something else leaves as they are."""
_CHANGES_PLACE = word_set("moved relocated transferred")
"""Verbs of moves between places, plans and tools, which do not change the mover's qualities."""

_PLACE = word_set("in on at")
_SINGLE = {
    "live": _PLACE, "start": _PLACE, "end": _PLACE, "expire": _PLACE, "work": word_set("at for"),
    "report": word_set("to"), "belong": word_set("to"),
    "cost": frozenset({""}), "drive": frozenset({""}), "return": frozenset({""}),
}  # fmt: skip
"""Single-valued relations, by the prepositions before the value."""

_ONE_VALUE = re.compile(r"(?:is|are|was|were) (?:now |currently )?(\S+?)[.!]?$")
_IDENTIFIER = re.compile(r"^[#@]|[\w/][/_.:@][\w/]|\w\d")
_QUALITY = re.compile(
    r"^(?:slow|fast|big|huge|small|large|new|old|stale|broken|good|bad|done|down|up|late|live|long"
    r"|wrong|right|clean|green|red|flaky|safe|short|full|private|public|free|fine|gone|here|stuck)$"
    r"|(?:ed|ing|able|ible|ful|less|ous|ive|ary|al|ant|ent|ly|ty)$|^\w+-[a-z]+$"
)
"""A word that usually describes a thing rather than naming it."""

_NEAR, _PREFERRED = 0.6, 0.7
"""Minimum cosines of two values of one kind; a person prefers one thing of each kind."""
_FEW = 2
"""Maximum number of differing stems of a statement and its announced change."""
_KINDS = word_set("a an one two three some someone there stuck close")
"""Words after "is" that introduce a class; several classes can be true."""


def announced_move(pair: StatementPair) -> StatementConflict | None:
    """Return the conflict between a statement and a newer move of its subject.

    Cues are "switched to", "renamed to" and "moved to". Moving house ends "lives in" without a
    common word; any other move requires one. The conflict is certain only if all but one word of
    the older value are common: a service that runs on Linux and has moved to Kubernetes may still
    run on Linux.
    """
    move, claim = pair.new.move, pair.old.claim
    if move is None or claim is None or pair.old.tone.denied:
        return None
    if claim.subject.isdisjoint(move.subject) or not _can_move(pair, claim, move):
        return None
    score = 0.6 + 0.3 * max(0.0, pair.cosine)
    certain = pair.same_subject and _covers_all(pair, claim, move)
    return StatementConflict(ConflictKind.UPDATE, ConflictReason.ANNOUNCED_MOVE, score, certain)


def _can_move(pair: StatementPair, claim: Claim, move: ClaimedMove) -> bool:
    """Return whether the move can end the older claim, unlike one to the same place."""
    if move.named and move.target in claim.value:
        return False
    if _moves_date(pair, claim, move):
        return True
    if _moves_house(claim, move):
        return pair.same_subject
    if move.verb == "renamed":
        return pair.same_subject and (_is_called(pair) or _value_of(pair.old, claim) != "")
    if move.verb in _CHANGES_PLACE and not _is_place_or_tool(claim):
        return False
    if pair.old.doer and claim.relation in _QUALITIES and pair.shared <= claim.subject:
        return False
    return bool(pair.shared) and pair.cosine >= 0.35 and claim.relation in _MOVED_FROM


def _is_place_or_tool(claim: Claim) -> bool:
    """Return whether a claim states what "moved to" can end.

    A person who moves to another office keeps allergies, languages and dogs.
    """
    if claim.relation == "be":
        return claim.named or claim.way in _PLACE
    return claim.relation not in ("have", "prefer")


def _covers_all(pair: StatementPair, claim: Claim, move: ClaimedMove) -> bool:
    """Return whether the move covers all of the older value.

    For example, "for storage" must occur in both.
    """
    if move.verb == "renamed":
        return _is_called(pair) or _is_identifier(_value_of(pair.old, claim))
    if _moves_date(pair, claim, move):
        return not claim.value
    if _moves_house(claim, move):
        return pair.cosine >= 0.35
    left = claim.value - pair.new.words
    return pair.cosine >= 0.5 and not pair.shared <= claim.subject and len(left) <= 1


def _moves_date(pair: StatementPair, claim: Claim, move: ClaimedMove) -> bool:
    """Return whether a date moves: "is on 3 May", "has moved to 10 May"."""
    if claim.relation != "be" or not pair.same_subject or move.target not in ("", "next"):
        return False
    return pair.other_dates or pair.other_times


def _is_called(pair: StatementPair) -> bool:
    return not pair.old.words.isdisjoint(("call", "nam"))


def _value_of(statement: Statement, claim: Claim) -> str:
    """Return the value of "is" if it is a single word other than a quality."""
    match = _ONE_VALUE.match(statement.text[claim.start :])
    return match[1] if match and not _QUALITY.search(match[1]) else ""


def _is_identifier(value: str) -> bool:
    """Return whether a word identifies one thing, such as a path or a name."""
    return value[:1].isupper() or _IDENTIFIER.search(value) is not None


def _moves_house(claim: Claim, move: ClaimedMove) -> bool:
    return claim.relation == "live" and move.named and move.verb in ("moved", "relocated")


def antonym(pair: StatementPair) -> StatementConflict | None:
    """Return the conflict of antonyms in otherwise similar statements.

    Descriptions of indefinite things are no conflict: of two dogs one may sit while the other
    stands.
    """
    if not pair.same_polarity or pair.scenes or pair.cover < 0.5:
        return None
    frame = pair.same_claim and pair.differing <= 2
    most = 4 if pair.new.tone.changes else 2
    near = pair.cosine >= 0.7 and pair.differing <= most
    if not frame and not (near and (pair.same_claim or pair.overlap >= 0.4)):
        return None
    if not _turned(pair):
        return None
    score = 0.4 + 0.4 * pair.overlap + 0.2 * max(0.0, pair.cosine)
    return StatementConflict(pair.kind, ConflictReason.ANTONYM, score, certain=False)


def _turned(pair: StatementPair) -> bool:
    gone, come = pair.old.words - pair.new.words, pair.new.words - pair.old.words
    return any(exclude(old, new) for old in gone for new in come)


def value(pair: StatementPair) -> StatementConflict | None:
    """Return the conflict of different values for a single-valued relation.

    "Mia speaks French" and "Mia speaks Italian" can both be true, and so can "Mia is tall" and "Mia
    is clever". With a word of change, most such values replace each other, except for "has".
    """
    old, new = pair.old.claim, pair.new.claim
    if old is None or new is None or not pair.same_claim or not pair.same_polarity:
        return None
    if pair.two_events or pair.scenes or pair.two_doers or _other_preposition(pair):
        return None
    if not _other_value(old, new) or not _one_at_a_time(pair, old, new):
        return None
    tone = pair.new.tone
    score = 0.5 + 0.3 * max(0.0, pair.cosine) + 0.15 * tone.changes
    certain = tone.replaces and pair.same_subject and _takes_place(pair, old, new)
    return StatementConflict(pair.kind, ConflictReason.VALUE, score, certain)


def _other_value(old: Claim, new: Claim) -> bool:
    gone, come = len(old.value - new.value), len(new.value - old.value)
    return 1 <= gone <= 3 and 1 <= come <= 4


def _one_at_a_time(pair: StatementPair, old: Claim, new: Claim) -> bool:
    if old.way in _SINGLE.get(old.relation, ()):
        return old.named == new.named  # works at Acme, at night
    if old.relation == "have":
        return False
    if old.relation == "be":
        return _is_exclusive(pair, old, new)
    near = _PREFERRED if old.relation == "prefer" else _NEAR
    return pair.new.tone.changes and (pair.cosine >= near or not old.value.isdisjoint(new.value))


def _is_exclusive(pair: StatementPair, old: Claim, new: Claim) -> bool:
    """Return whether a value of "is" excludes other values.

    Names and places do so. Ana may be French and Head of Sales.
    """
    named = old.named and new.named
    if _other_identifier(pair, old, new):
        return True
    if old.way:
        return old.way in _PLACE and pair.new.tone.changes and (named or pair.cosine >= 0.75)
    if named:
        return not pair.old.doer or pair.cosine >= 0.75
    if new.introduced in _KINDS or new.introduced.endswith(("ing", "ed")):
        return False
    return pair.cosine >= 0.75


def _other_identifier(pair: StatementPair, old: Claim, new: Claim) -> bool:
    """Return whether both values are lower-case identifiers, such as paths."""
    values = _value_of(pair.old, old), _value_of(pair.new, new)
    return pair.same_subject and all(_IDENTIFIER.search(value) is not None for value in values)


def _takes_place(pair: StatementPair, old: Claim, new: Claim) -> bool:
    """Return whether the newer value, stated as current, replaces the older.

    Names must occur in both: a person who works at Acme may now work at night. A person can be
    several things. Otherwise only the value may differ, without a qualifier: a person who reports
    chess results may now report tennis results, too.
    """
    if old.way in _SINGLE.get(old.relation, ()):
        return old.named and new.named
    if old.relation == "be":
        if _other_identifier(pair, old, new):
            return True
        return old.named and new.named and old.way != "on" and not pair.old.doer
    if not old.head or not new.head or len(old.value) < 2:
        return False
    return old.value - new.value == {old.head} and new.value - old.value == {new.head}


def announced_change(pair: StatementPair) -> StatementConflict | None:
    """Return the conflict of similar statements with "now" or "instead".

    Some words of the older one must be missing in the newer. If both say "now", each may be about a
    thing of its own.
    """
    if pair.differing > _FEW or pair.old.tone.changes:
        return None
    tone = pair.new.tone
    if not tone.changes or not tone.replaces or not pair.same_polarity or _other_preposition(pair):
        return None
    if pair.overlap < 0.5 or pair.cosine < 0.6 or pair.old.stems <= pair.new.stems:
        return None
    score = 0.4 + 0.3 * pair.cosine + 0.2 * pair.overlap
    return StatementConflict(
        ConflictKind.UPDATE, ConflictReason.ANNOUNCED_CHANGE, score, certain=False
    )


def _other_preposition(pair: StatementPair) -> bool:
    """Return whether the values follow different prepositions.

    For example "works at" and "works from".
    """
    old, new = pair.old.claim, pair.new.claim
    return old is not None and new is not None and old.way != new.way
