"""Tone of a statement: negation, change, question, wish or event."""

from __future__ import annotations

import re
from dataclasses import dataclass

from memoranda.language.words import word_set

_DENYING = word_set(
    "no not never nobody none nothing neither nor cannot hardly lack lacks stopped quit anymore"
)
_HEDGE = re.compile(
    r"\b(?:not (?:entirely |quite |really |100% |too |so )?(?:sure|certain|clear|confident)"
    r"|(?:don't|do not) (?:know|understand|think|want to)|(?:do(?:es)?n't|not) seem"
    r"|isn't gonna|can't (?:figure|seem)|not working|no (?:idea|doubt|problem|matter)"
    r"|couldn't find|won't be able|haven't decided|not (?:only|just|yet decided)|nothing but"
    r"|whether or not|why not)\b",
    re.IGNORECASE,
)
"""Expressions of uncertainty, which are not negations."""

_DENIAL = re.compile(rf"\b(?:{'|'.join(sorted(_DENYING))}|any more)\b|n't\b", re.IGNORECASE)

_CHANGING = word_set(
    "now instead switch switched switching moved moving changed changing update updated updating"
    " increase increased decrease decreased reduce reduced recently raise raised lower lowered"
    " extend extended postpone postponed reschedule rescheduled replace replaced migrate migrated"
    " renamed promote promoted adjust adjusted improve improved improving grown dropped"
    " actually correction new newly quit became turned expanded revised bumped downgraded upgraded"
    " again anymore reached grew"
)
_CHANGING_PHRASES = ("no longer", "any more", "as of ", "used to ", "these days", "from now on")
_SINCE = re.compile(r"\bsince (?:then|last|\w{1,12}day)\b")
_REPLACING = word_set("now instead since switched changed anymore")
_REPLACING_PHRASES = ("from now on", "these days", "any more")
_ENDING = word_set("stopped quit anymore")
_ENDING_PHRASES = ("no longer", "any more")
_WISH = re.compile(
    r"(?:i'?m (?:also |just |currently )?(?:hoping|looking|planning)"
    r"|i(?:'d| would)? (?:also |just |really )?(?:want|like|need|hope)"
    r"|i was (?:thinking|wondering)|we need|let)\b"
)
_TRY = re.compile(
    r"i(?:'?m| am) (?:also |just |currently |still )?(?:trying|having (?:some )?trouble)\b"
)
_WAS = word_set("was were been")
_DONE = re.compile(r"\b(?:was|were|ha[sd] been|have been) \w{1,20}(?:ed|en|t)\b")
_INDEFINITE = word_set("a an some someone somebody several many few two three four five six there")
_GOING_ON = re.compile(r"\b(?:is|are|was|were) (?:not |\w{1,20}ly )?\w{1,20}ing\b")


@dataclass(frozen=True, slots=True)
class Tone:
    """Tone of a statement."""

    denied: bool
    changes: bool
    """Whether the statement has words of change.

    For example "now", "since last week", "increased", "postponed".
    """
    replaces: bool
    """Whether the statement has words of replacement: now, instead."""
    ends: bool
    """Whether the statement says that something has ended: no longer, stopped."""
    asks: bool
    wishes: bool
    """Whether the statement says what someone wants."""
    tries: bool
    """Whether the statement says what someone tries to do.

    Several wishes or attempts do not exclude each other.
    """
    event: bool
    """Whether the statement says that something was done ("was restarted").

    Two events do not exclude each other.
    """
    scene: bool
    """Whether the statement describes something indefinite: "A dog is running"."""

    @classmethod
    def of(cls, text: str, words: frozenset[str], opening: str) -> Tone:
        """Determine the tone of a text.

        ``words`` are the lower-case words of the text, ``opening`` the first of them.
        """
        low = text.lower()
        return cls(
            denied=_denies(low, words),
            changes=_contains(low, words, _CHANGING, _CHANGING_PHRASES)
            or _states_start(low, words),
            replaces=_contains(low, words, _REPLACING, _REPLACING_PHRASES),
            ends=_contains(low, words, _ENDING, _ENDING_PHRASES),
            asks=low.endswith(("?", "\uff1f")),
            wishes=_WISH.match(low) is not None,
            tries=_TRY.match(low) is not None,
            event=not words.isdisjoint(_WAS) and _DONE.search(low) is not None,
            scene=opening in _INDEFINITE and _GOING_ON.search(low) is not None,
        )


def _contains(
    low: str, words: frozenset[str], single: frozenset[str], phrases: tuple[str, ...]
) -> bool:
    return not words.isdisjoint(single) or any(phrase in low for phrase in phrases)


def _states_start(low: str, words: frozenset[str]) -> bool:
    return "since" in words and _SINCE.search(low) is not None


def _denies(text: str, words: frozenset[str]) -> bool:
    """Return whether something is denied, unlike in "not sure" or "no doubt"."""
    if words.isdisjoint(_DENYING) and "any more" not in text:
        return False
    return _DENIAL.search(_HEDGE.sub(" ", text)) is not None
