"""Conflict rule for statements that name what ended and its successor.

Examples are "moved from A to B", "B took over the tests from A", "dropped A in favour of B".
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from memoranda.language.lazy_patterns import lazy_pattern
from memoranda.language.months import MONTH, WEEKDAY
from memoranda.language.words import carries_content, stem, word_set
from memoranda.statements.conflict_result import ConflictKind, ConflictReason, StatementConflict
from memoranda.statements.pair import StatementPair
from memoranda.statements.statement import Statement

READ = 2_048
"""Number of texts whose replacements are cached."""

_GONE, _COME = r"(?:the |an? )?(?P<gone>\S.{0,40}?)", r"(?:the |an? )?(?P<come>\S.{0,40}?)"
_END = (
    r"(?=[.,;:!)]*$|[.,;:!)] | (?:for|in|on|at|as|by|from|with|because|since|so|after|before|when"
    r"|during|last|this|next|yesterday|today|recently|now|too|and|which)\b)"
)
_WHOM = r"(?P<{}>[A-Z][\w'-]+(?: [A-Z][\w'-]+)?)"
_MOVED = (
    r"moved|migrated|switched|changed|upgraded|downgraded|converted|transferred|renamed|relocated"
    r"|shifted|ported|transitioned|went|passed|raised|lowered|increased|decreased|reduced|bumped"
    r"|postponed|rescheduled|pushed(?: back)?|brought forward"
)
_FORMS = tuple(
    lazy_pattern(form + _END)
    for form in (
        rf"\b(?:{_MOVED})\b(?: over| away)?(?P<what>.{{0,60}}?) (?:away )?from {_GONE}"
        rf" (?:over )?to {_COME}",
        rf"^{_WHOM.format('come')} (?:has )?(?:took over|taken over|inherited)"
        rf" (?P<what>.{{1,60}}?) from {_GONE}",
        rf"^{_WHOM.format('gone')} (?:has )?(?:handed|passed)(?: over| on)?"
        rf" (?P<what>.{{1,60}}?)(?: over| on)? to {_COME}",
        rf"\b(?:replaced|swapped) {_GONE} (?:with|by|for) {_COME}",
        rf"^{_GONE} (?:was|were|has been|have been) (?:replaced|superseded|succeeded)"
        rf" (?:by|with) {_COME}",
        rf"^{_COME} (?:has |have )?(?:replaced|superseded|succeeded) {_GONE}",
        rf"\b(?:dropped|abandoned|ditched|retired|removed|scrapped|left|gave up) {_GONE}"
        rf" in favou?r of {_COME}",
        rf"\b(?:abandoned|ditched) {_GONE} for {_COME}",
    )
)
_UNSETTLED = lazy_pattern(
    r"\b(?:will|would|could|should|might|(?-i:may)|can|plan\w*|if|unless|until|wants?|wanted"
    r"|going to|about to|consider\w*|propos\w+|suggest\w*|discuss\w*|thinking|almost|nearly"
    r"|tried|try|trying|temporarily|briefly|back to|revert\w*|rolled|partly|partially|half|some"
    r"|most|mostly|only|part|parts|few|many|one of|another|reports?|says?|said|once|example)\b",
    re.IGNORECASE,
)
"""Terms for a plan, a trial, a reversal or a partial change."""
_REASON = lazy_pattern(r",? (?:because|since|so that|due to|which|to (?:save|avoid|get|reduce))\b")
_WORD = lazy_pattern(r"\w(?:[\w.+#/@:'-]*[\w+#/])?")
_PASSING = frozenset(
    map(
        stem,
        word_set(
            "use using rely depend run live host own owner owned maintain maintainer responsible"
            " lead manage manager handle charge deploy store keep last next week"
            " month year quarter sprint spring summer autumn winter today yesterday recently"
            " finally already now just also completely entirely fully ownership morning afternoon"
            " evening tonight"
        ),
    )
)
"""Stems about how a value is used or when it changed, not about what it belongs to."""
_SPEAKERS = frozenset(("i", "we"))
_TIME = lazy_pattern(rf"(?:{MONTH}|{WEEKDAY})s?", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class _NamedSuccessor:
    """What ended according to a statement, and what replaces it."""

    gone: tuple[str, ...]
    """Words in lower case."""
    come: tuple[str, ...]
    context: frozenset[str]
    """Stems of the other content words, which show what the values belong to."""


def stated_replacement(pair: StatementPair) -> StatementConflict | None:
    """Return the conflict of a value with a statement of its successor.

    The newer statement must be about nothing else. The conflict is certain if the newer statement
    names all that the older one is about, or if the older one only states that "we" use what "we"
    stopped using.
    """
    successor = _replacement(pair.new.text) if _settled(pair.new) else None
    if successor is None or pair.old.tone.denied:
        return None
    words = _words(pair.old.text)
    if _position(words, successor.gone) < 0 or _position(words, successor.come) >= 0:
        return None
    rest = _rest(pair.old, successor)
    if not successor.context <= rest:
        return None
    certain = rest <= successor.context or (not successor.context and _uses(pair, successor))
    if not certain and (successor.context or not _held(pair.old)):
        return None
    score = 0.7 + 0.3 * max(0.0, pair.cosine)
    return StatementConflict(ConflictKind.UPDATE, ConflictReason.ANNOUNCED_MOVE, score, certain)


def _settled(new: Statement) -> bool:
    tone = new.tone
    unsure = tone.denied or tone.asks or tone.wishes or tone.tries
    return not unsure and _UNSETTLED.search(new.text) is None


@lru_cache(maxsize=READ)
def _replacement(text: str) -> _NamedSuccessor | None:
    plain = _REASON.split(text, maxsplit=1)[0]
    match = next(filter(None, (form.search(plain) for form in _FORMS)), None)
    if match is None:
        return None
    gone, come = _words(match["gone"]), _words(match["come"])
    if not gone or not come or gone == come or not _SPEAKERS.isdisjoint((*gone, *come)):
        return None
    what = match.groupdict().get("what") or ""
    others = f"{plain[: match.start()]} {what} {plain[match.end() :]}"
    return _NamedSuccessor(gone, come, _contents(_words(others)))


def _rest(old: Statement, found: _NamedSuccessor) -> frozenset[str]:
    """Return what the older statement is about, apart from the ended value.

    If this value itself replaced an earlier value, the earlier value is left out, too.
    """
    before = _replacement(old.text)
    if before is not None and before.come == found.gone:
        return before.context
    words = _words(old.text)
    at = _position(words, found.gone)
    return _contents(words[:at] + words[at + len(found.gone) :]) - _contents(found.come)


def _uses(pair: StatementPair, found: _NamedSuccessor) -> bool:
    """Return whether the older statement says only that a value is in use.

    Such a statement is "We use A", perhaps with a purpose, if "we" stopped using A, or "our queue
    is A". A place limits the statement: "in the mobile app".
    """
    claim, words = pair.old.claim, _words(pair.old.text)
    if (
        claim is None
        or _position(words, found.gone) != len(_words(pair.old.text[: claim.start])) + 1
    ):
        return False
    after = words[_position(words, found.gone) + len(found.gone) :]
    if claim.relation == "be":
        return not after
    speaks = words[0] in _SPEAKERS and words[0] == _words(pair.new.text)[0]
    return claim.relation == "use" and speaks and after[:1] in ((), ("for",))


def _held(old: Statement) -> bool:
    return old.claim is not None and old.claim.relation in ("use", "run")


def _words(text: str) -> tuple[str, ...]:
    return tuple(found.lower() for found in _WORD.findall(text))


def _contents(words: tuple[str, ...]) -> frozenset[str]:
    stems = (stem(word) for word in words if carries_content(word) and not _TIME.fullmatch(word))
    return frozenset(stems) - _PASSING


def _position(words: tuple[str, ...], part: tuple[str, ...]) -> int:
    places = (at for at in range(len(words)) if words[at : at + len(part)] == part)
    return next(places, -1)
