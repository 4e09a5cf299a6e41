"""Conflict rule for states that a newer statement ends in its own wording.

Employers, roles, tastes and the tools of a thing have one value at a time, but their end and their
successor are rarely in the words of the older statement: "I left Acme", "we migrated the frontend".
"""

from __future__ import annotations

import re
from collections.abc import Callable

from memoranda.language.lazy_patterns import lazy_pattern
from memoranda.language.words import EMPTY, stem, words
from memoranda.statements.conflict_result import ConflictKind, ConflictReason, StatementConflict
from memoranda.statements.pair import StatementPair
from memoranda.statements.stated_attributes import replaces_attribute

_StateRule = Callable[[str, str], bool]

_SKIP = r"^\W*(?:(?:actually|btw|update|correction|so|well|ok|by the way|and|but)\W+){0,2}"
_WHO = r"(?P<who>i|we|(?-i:[A-Z])[\w'-]+)"
_NAME = r"(?-i:[A-Z0-9])[\w.&+#-]*(?: (?-i:[A-Z0-9])[\w.&+#-]*){0,2}"
_HAVE = r"(?:['\u2019](?:ve|s)| have| has)?(?: (?:just|recently|finally|now|already|since)){0,2}"
_END = r"(?: (?:now|again|today|these days|nowadays|any ?more|any longer|at all|too))*\W*$"
_NOT = r"(?:is|was|['\u2019]s)(?:n['\u2019]?t| not)"


def _form(text: str) -> re.Pattern[str]:
    return lazy_pattern(_SKIP + text, re.IGNORECASE)


_EMPLOYED = _form(
    rf"{_WHO}(?: (?:currently|still))? (?:works?|(?:am|is) (?:employed|working)) (?:at|for|with)"
    rf" (?P<what>{_NAME})"
)
_LEFT = _form(
    rf"{_WHO}{_HAVE} (?:left|quit|resigned from|was fired from|was laid off (?:from|by)"
    rf"|stopped working (?:at|for)|parted ways with) (?P<what>{_NAME})"
)
_JOINED = (
    _form(
        rf"{_WHO}{_HAVE} (?:joined|(?:started|began)(?: working| a (?:new )?job)? (?:at|for|with)"
        rf"|moved to a (?:new )?job at) (?P<what>{_NAME}){_END}"
    ),
    _form(
        rf"{_WHO} (?:now works?|currently works?|works? now|works? currently) (?:at|for)"
        rf" (?P<what>{_NAME})"
    ),
)
_ROLE = _form(
    r"(?P<who>(?-i:[A-Z])[\w'-]+)(?P<now> now| currently| is now(?= the))?"
    r" (?P<what>(?:leads?|owns?|maintains?|manages?|runs?|heads?|chairs?|coordinates?"
    r"|(?:is )?(?:the|our|in charge of|responsible for)) .{2,60}?)"
    r"(?P<then>,? (?:now|instead|from now on|since .{2,20}|these days))?\W*$"
)
_ROLE_NAME = r"(?:the|our|my) (?P<what>[\w -]{3,40}?)"
_DENIED = (
    _form(rf"it {_NOT} (?P<who>{_NAME}),? (?:who|that) (?P<what>.{{3,60}})"),
    _form(rf"{_ROLE_NAME} {_NOT} (?P<who>{_NAME})\b"),
    _form(rf"(?P<who>{_NAME}) {_NOT} {_ROLE_NAME}(?=[,;.]|$)"),
)
_DENIES = lazy_pattern(r"\bnot\b|n['\u2019]t\b", re.IGNORECASE)
_TASTE = _form(
    rf"{_WHO}(?: (?:really|absolutely|now|always|also|just))* (?:(?P<likes>loves?|likes?|enjoys?"
    r"|adores?|(?:am|is) (?:a (?:big )?fan|fond) of)|(?:hates?|dislikes?|detests?|loathes?"
    r"|(?:can['\u2019]?t|cannot) (?:stand|bear)|no longer (?:likes?|loves?|enjoys?)"
    r"|(?:do|does)(?:n['\u2019]?t| not) (?:like|enjoy)))"
    rf"(?: (?:now|again))? (?P<what>(?:\S+ ){{0,4}}?\S+?){_END}"
)
_THING = r"(?:our|the|my) (?P<what>[\w-]+(?: [\w-]+){0,2}?)"
_BUILT = _form(
    rf"{_THING} (?:is|uses|runs on|is (?:written|built|implemented|based|hosted) (?:in|with|on))"
    rf" (?P<value>{_NAME}){_END}"
)
_REBUILT = _form(
    rf"(?:we|i){_HAVE} (?:migrated|moved|switched|ported|rewrote|converted|rebuilt|changed"
    rf"|transitioned) {_THING}(?: over)? (?:to|in|into|onto|with) (?P<value>{_NAME})\b"
)
_KIND = r"(?:the |an? )?(?P<value>[\w-]+) (?P<what>[\w-]+)"
_ONE_KIND = _form(rf"{_WHO} (?:works?|is|has|uses?|takes?)(?: on| in)? {_KIND}{_END}")
_OTHER_KIND = _form(rf"{_WHO}{_HAVE} (?:switched|changed|moved|transferred) to {_KIND}{_END}")


def ended_state(pair: StatementPair) -> StatementConflict | None:
    """Return the conflict of a state with a statement of its end or successor.

    It is certain only if the newer statement names what ended: "I left Acme". In other cases a
    person decides: a team may have two leads.
    """
    tone = pair.new.tone
    if tone.asks or tone.wishes or tone.tries:
        return None
    rule = next((rule for rule in _RULES if rule(pair.old.text, pair.new.text)), None)
    if rule is None:
        return None
    score = 0.6 + 0.3 * max(0.0, pair.cosine)
    return StatementConflict(ConflictKind.UPDATE, _RULES[rule], score, certain=rule is _left)


def _left(old: str, new: str) -> bool:
    """Return whether somebody left the employer of the older statement."""
    before, after = _EMPLOYED.match(old), _LEFT.match(new)
    return _same(before, after, "who") and _same(before, after, "what")


def _joined(old: str, new: str) -> bool:
    """Return whether somebody has another employer than before."""
    before, after = _EMPLOYED.match(old), _first(_JOINED, new)
    return _same(before, after, "who") and not _same(before, after, "what")


def _hands_over(old: str, new: str) -> bool:
    """Return whether another person now has the role of the older statement."""
    before, after = _ROLE.match(old), _ROLE.match(new)
    if not before or not after or _same(before, after, "who"):
        return False
    changed = after["now"] or after["then"]
    return bool(changed) and _stems(before["what"]) == _stems(after["what"])


def _denies_role(old: str, new: str) -> bool:
    """Return whether a person is denied the role of the older statement."""
    denied = _first(_DENIED, new)
    if denied is None or _DENIES.search(old):
        return False
    stated, who = _stems(old), _stems(denied["who"])
    return who <= stated and not (_stems(denied["what"]) - who).isdisjoint(stated - who)


def _changes_taste(old: str, new: str) -> bool:
    """Return whether somebody likes what the same person disliked, or the reverse."""
    before, after = _TASTE.match(old), _TASTE.match(new)
    if not before or not after or not _same(before, after, "who"):
        return False
    same = _stems(before["what"]) == _stems(after["what"])
    return same and bool(before["likes"]) != bool(after["likes"])


def _changes_tool(old: str, new: str) -> bool:
    """Return whether a thing was moved from its technology to another one."""
    before, after = _BUILT.match(old), _REBUILT.match(new)
    if not before or not after or _same(before, after, "value"):
        return False
    return _stems(before["what"]) == _stems(after["what"])


def _changes_kind(old: str, new: str) -> bool:
    """Return whether somebody switched to another one of a kind, such as a shift."""
    before, after = _ONE_KIND.match(old), _OTHER_KIND.match(new)
    same = _same(before, after, "who") and _same(before, after, "what")
    return same and not _same(before, after, "value")


def _first(forms: tuple[re.Pattern[str], ...], text: str) -> re.Match[str] | None:
    return next(filter(None, (form.match(text) for form in forms)), None)


def _same(one: re.Match[str] | None, other: re.Match[str] | None, name: str) -> bool:
    if one is None or other is None:
        return False
    return one[name].casefold().rstrip(".") == other[name].casefold().rstrip(".")


def _stems(text: str) -> frozenset[str]:
    return frozenset(stem(word) for word in words(text) if word not in EMPTY)


_RULES: dict[_StateRule, ConflictReason] = {
    _left: ConflictReason.NO_LONGER,
    _joined: ConflictReason.VALUE,
    _hands_over: ConflictReason.VALUE,
    _denies_role: ConflictReason.NEGATION,
    _changes_taste: ConflictReason.ANTONYM,
    _changes_tool: ConflictReason.ANNOUNCED_MOVE,
    _changes_kind: ConflictReason.ANNOUNCED_MOVE,
    replaces_attribute: ConflictReason.VALUE,
}
"""Reason of the conflict that each rule finds."""
