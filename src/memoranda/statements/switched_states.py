"""Conflict rule for an on or off state that a newer statement switches."""

from __future__ import annotations

import re

from memoranda.statements.conflict_result import ConflictKind, ConflictReason, StatementConflict
from memoranda.statements.pair import StatementPair

_ON, _OFF = "on|enabled|re-?enabled|activated|active", "off|disabled|deactivated|inactive"
_STATE = rf"(?P<state>{_ON}|{_OFF})"
_IN_STATE = re.compile(
    rf"^(?P<what>.{{2,60}}?) (?:is|are) (?:now |currently |still )?{_STATE}\W*$", re.IGNORECASE
)
_ACT = r"^(?:i|we) (?:have )?(?:just |now )?"
_SWITCHED = tuple(
    re.compile(form + r"(?: again| now| today| yesterday| (?:last|this) \w+)?\W*$", re.IGNORECASE)
    for form in (
        r"^(?P<what>.{2,60}?) (?:was|were|has been|have been|got) (?:just |finally )?"
        rf"(?:turned |switched |flipped )?{_STATE}",
        rf"^(?P<what>.{{2,60}}?) (?:is|are) now {_STATE}",
        rf"{_ACT}(?:turned|switched|flipped) {_STATE} (?P<what>.{{2,60}}?)",
        rf"{_ACT}(?:turned|switched|flipped) (?P<what>.{{2,60}}?) {_STATE}",
        rf"{_ACT}(?P<state>(?:re-?)?enabled|disabled|(?:de)?activated) (?P<what>.{{2,60}}?)",
    )
)


def switched(pair: StatementPair) -> StatementConflict | None:
    """Return the conflict of an on or off state with an act that ended it."""
    old = _IN_STATE.match(pair.old.text)
    new = next(filter(None, (form.match(pair.new.text) for form in _SWITCHED)), None)
    if old is None or new is None or _things(old["what"]) != _things(new["what"]):
        return None
    if _is_on(old["state"]) == _is_on(new["state"]):
        return None
    return StatementConflict(ConflictKind.UPDATE, ConflictReason.ANTONYM, 0.9, certain=True)


def _is_on(state: str) -> bool:
    return re.fullmatch(_ON, state, re.IGNORECASE) is not None


def _things(text: str) -> list[str]:
    return [word for word in text.lower().split() if word not in ("the", "our", "my", "a")]
