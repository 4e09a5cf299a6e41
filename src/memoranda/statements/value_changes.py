"""Detects that a later sentence changes or ends what an earlier one states."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from memoranda.language.lazy_patterns import lazy_pattern
from memoranda.language.months import MONTH, OTHER_MONTHS, OTHER_WEEKDAYS, WEEKDAYS
from memoranda.language.words import DENIALS, FUNCTION_WORDS, NUMBERS, STOP_WORDS, stems, words
from memoranda.statements.stated_attributes import replaces_attribute

READ = 2_048
"""Number of sentences whose subjects and values are cached."""
MAX_LENGTH = 400
"""Maximum number of characters of a sentence that is compared."""
MOST, MAX_WORDS = 3, 24
"""Maximum number of values of a sentence, and maximum number of words of the newer one, for a
changed value.
"""
MIN_SAME = 2
"""Minimum number of common content words of a sentence and its newer form."""
NEAR = 24
"""Maximum number of characters between the common subject and the new value."""

_OTHER = " ".join((*OTHER_WEEKDAYS.values(), *OTHER_MONTHS.values())).split()
_VALUE = lazy_pattern(
    rf"\d+(?:\.\d+)*|\b(?:{'|'.join((*WEEKDAYS, *_OTHER))}|{MONTH})s?\b", re.IGNORECASE
)
_MISTAKE = lazy_pattern(
    r"\b(?:my (?:mistake|bad|fault)|(?:gave|told|sent) you the wrong"
    r"|wrong (?:one|number|name|value)"
    r"|i (?:meant|misspoke)|mixed (?:\w+ )?up|i was wrong|verwechselt|vertan|mein fehler"
    r"|me (?:equivoqu\w+|confund\w+)|mi error|je me suis tromp\w+|mon erreur|me enganei"
    r"|mi sono sbagliat\w)\b",
    re.IGNORECASE,
)
"""Phrases with which a person calls an earlier statement wrong."""
_MOVED = lazy_pattern(
    r"\b(?:raised|lowered|moved|bumped|changed|increased|reduced|shifted|rescheduled|postponed"
    r"|went (?:up|down)|verschoben|erhöht|gesenkt|geändert|cambi(?:ó|amos|ado)|movi(?:ó|mos|do)"
    r"|subi(?:ó|mos|do)|baj(?:ó|amos|ado)|déplac\w+|chang(?:é|ée)|mudou|mudamos)\b",
    re.IGNORECASE,
)
"""Phrases for a changed value."""
_CHOSEN = lazy_pattern(
    r"\b(?:that|this|it)(?:['\u2019]?s| is) (?:now )?the one\b|\bis the one\b"
    r"|\b(?:was|is) (?:cut|out|live|current)\b",
    re.IGNORECASE,
)
"""Phrases that choose the newest of several values."""
_FORGET = lazy_pattern(
    r"\b(?:forget|ignore|scratch|drop) (?:what|that|everything|all)"
    r" (?:i|we) (?:said|told you|wrote) (?:about|on|regarding)"
    r" (?:the |our |my )?(?P<noun>[\w/-]*[\w-])"
    r"|\bvergiss,? was ich (?:\w+ )?(?:über|zu[mr]?)"
    r" (?:(?:den|die|das|dem|der) )?(?P<thing>[\w/-]+)",
    re.IGNORECASE,
)
"""Phrases that withdraw statements about a thing."""
_NAMED = lazy_pattern(
    r"(?P<noun>[^\W\d_]{3,})\s+(?:is|was|ist|war|es|era|est|\u00e9|\u00e8)\s+(?:called\s+)?"
    r"`?(?P<value>[\w./:-]*\d[\w./:-]*\w|\d)",
    re.IGNORECASE,
)
"""Thing and its identifier: "the loaner is KM-039"."""
_IDENTIFIER = lazy_pattern(r"[\w./:-]*\d[\w./:-]*")
_LETTERS = lazy_pattern(r"[^\W\d_]{3}")
_GONE = lazy_pattern(
    r"(?P<noun>[A-Z][\w-]+|[\w.-]+[/_][\w./-]+)\s+(?i:(?:got|was|were|is|has been|have been)\s+"
    r"(?:finally |now )?(?:switched off|shut ?down|turned off|decommissioned|retired|gone"
    r"|abgeschaltet)(?: for good| last \w+| yesterday| (?:on|in|since) \w+)?\s*(?:[.,;:!)]|$)"
    r"|(?:has |have )?(?:left|quit)(?: (?:the|our) (?:company|team|project)|[,.;]|$)"
    r"|no longer (?:exists?|works? here)|does(?:n['\u2019]t| not) exist any ?more)"
)
"""Phrases for a thing or person that no longer exists."""
_COUNTED = lazy_pattern(
    rf"\b(\d+|{'|'.join(NUMBERS)}) (?!(?:min|sec|hour|day|week|month|year|quarter)[a-z]*\b)"
    r"([^\W\d_]{3,})",
    re.IGNORECASE,
)
"""Number and counted thing, except durations, which are often unrelated."""
_ENOUGH = lazy_pattern(r"\b(?:is|are) enough\b", re.IGNORECASE)
_NOW = lazy_pattern(
    r"\b(?:now|from now on|these days|instead|no longer|any ?more|from here on)\b", re.IGNORECASE
)
_PUTS_RIGHT = lazy_pattern(
    r"^\W*(?:no\b|nein\b|non\b|actually|correction|sorry|in fact)|\b(?:now|jetzt|ahora|agora"
    r"|maintenant|from now on|these days|(?:since|as of) \w+|not any ?more|correction)\b",
    re.IGNORECASE,
)
"""Words of a sentence that repeats an earlier one with another word."""
_CHANGING = frozenset(stems(words(
    "no nein non actually correction correct sorry fact now jetzt ahora agora maintenant anymore"
    " any more since again it always please remember"
)))  # fmt: skip
_DAYS = frozenset(stems(f"{day}{ending}" for day in WEEKDAYS for ending in ("", "s")))
_NOT = lazy_pattern(
    rf"\b(?:{'|'.join(sorted(DENIALS))})\b(?![,.!:])|\b(?:no longer|any ?more)\b|n['\u2019]t\b",
    re.I,
)
_DENIED = frozenset(stems((*DENIALS, "longer", "with")))
_IS = lazy_pattern(
    r"\b(?:is|are|was|were|be|feels?|looks?|ist|sind|es|est\u00e1|est)\s+(?:now )?$", re.I
)
_PRECEDED = re.compile(r"([\w'\u2019:=/-]+)\s+(\d+(?:\.\d+)*)")
_PART = re.compile(r"[^a-z]+|\d+")
"""Characters between the parts of a name: release/24."""
_NUMBER = re.compile(r"\d+")
_EMPTY = STOP_WORDS | FUNCTION_WORDS


def value_changes(old: str, new: str, beside: str = "") -> bool:
    """Return whether a later sentence changes an earlier value or ends its subject.

    ``beside`` is the rest of the newer message, which may state that something was a mistake.

    Example:
        >>> value_changes("Coverage must not drop below 80.", "We raised the bar: 85 for coverage.")
        True
        >>> value_changes("Coverage must not drop below 80.", "We raised the salary to 85.")
        False
    """
    if len(old) > MAX_LENGTH or len(new) > MAX_LENGTH or "?" in old or "?" in new:
        return False
    return (
        _ends(old, new)
        or replaces_attribute(old, new)
        or _recounts(old, new)
        or _substitutes(old, new)
        or _reverses(old, new)
        or _renames(old, new, beside)
        or _moves(old, new, beside)
    )


def differ_in_value(old: str, new: str) -> bool:
    """Return whether differing numbers in two sentences are values, not names.

    A number after a function word is a value; after a noun it distinguishes one thing from another.

    Example:
        >>> differ_in_value("The limit is 3.", "The limit is 5.")
        True
        >>> differ_in_value("The valve leaks at pump 3.", "The valve leaks at pump 5.")
        False
    """
    before, after = (
        {number: word.lower() for word, number in _PRECEDED.findall(text)} for text in (old, new)
    )
    other = [item for one, two in ((before, after), (after, before)) for item in one.keys() - two]
    words_before = [(before | after)[number] for number in other]
    return bool(other) and all(word in _EMPTY or word[-1] in ":=" for word in words_before)


def states_choice(text: str) -> bool:
    """Return whether a sentence states which of several is the current one."""
    return _CHOSEN.search(text) is not None


@lru_cache(maxsize=READ)
def states_again(text: str) -> bool:
    """Return whether a text announces a correction or something new."""
    return any(
        cue.search(text) is not None for cue in (_PUTS_RIGHT, _MISTAKE, _MOVED, _CHOSEN, _NOW)
    )


@lru_cache(maxsize=READ)
def subjects(text: str) -> frozenset[str]:
    """Return the stems of the naming words of a text, without its values."""
    found = [word for name in words(text) for word in (name, *_PART.split(name))]
    return frozenset(
        stems(word for word in found if word not in _EMPTY and not _VALUE.fullmatch(word) and word)
    )


@lru_cache(maxsize=READ)
def values(text: str) -> frozenset[str]:
    """Return the numbers, weekdays and months in a text in lower case."""
    return frozenset(value.lower().removesuffix("s") for value in _VALUE.findall(text))


def _ends(old: str, new: str) -> bool:
    """Return whether the newer sentence states that a thing is gone."""
    name = _ended_name(new)
    return name is not None and _has_name(old, name)


@lru_cache(maxsize=READ)
def _ended_name(text: str) -> str | None:
    """Return the name of the thing that a sentence ends or withdraws, if any."""
    if match := _GONE.search(text):
        return match["noun"]
    if match := _FORGET.search(text):
        name: str = match["noun"] or match["thing"]
        return None if name.islower() else name  # "about tests" is too general
    return None


def _recounts(old: str, new: str) -> bool:
    """Return whether the newer sentence has another count. For example "one approval is enough"."""
    if not _says_now(new):
        return False
    before, after = _counts(old), _counts(new)
    enough = _ENOUGH.search(new) is not None
    return any(
        before[noun] != after[noun] and (enough or len((subjects(old) & subjects(new)) - noun) > 1)
        for noun in before.keys() & after.keys()
    )


@lru_cache(maxsize=READ)
def _says_now(text: str) -> bool:
    """Return whether a short text with a count states something new."""
    return _NOW.search(text) is not None and bool(_counts(text))


@lru_cache(maxsize=READ)
def _counts(text: str) -> dict[frozenset[str], float]:
    """Return the number before each counted noun of a short text, by stem."""
    if len(words(text)) > MAX_WORDS:
        return {}
    return {
        subjects(noun): NUMBERS[number.lower()] if number.isalpha() else float(number)
        for number, noun in _COUNTED.findall(text)
        if subjects(noun)
    }


def _substitutes(old: str, new: str) -> bool:
    """Return whether the newer sentence is the older one with another word.

    The newer sentence says that it corrects something or that it is new, and the older one does
    not. What a thing is like ("slow") may change with the day, and replaces nothing.
    """
    if not _puts_right(new) or _puts_right(old) or len(words(new)) > MAX_WORDS:
        return False
    before, after = _named(old), _named(new)
    gone, came = before - after, after - before
    least = 1 if _are_days(gone) and _are_days(came) else MIN_SAME
    if len(before) > MAX_WORDS or len(before & after) < least:
        return False
    return len(gone) == len(came) == 1 and not _is_quality(old, gone) and not _is_quality(new, came)


def _reverses(old: str, new: str) -> bool:
    """Return whether the newer one denies the older one, or states what it denied, from now on."""
    if not _puts_right(new) or _puts_right(old) or len(words(new)) > MAX_WORDS:
        return False
    before, after = _named(old) - _DENIED, _named(new) - _DENIED
    return len(before) >= MIN_SAME and before == after and _is_denied(old) != _is_denied(new)


@lru_cache(maxsize=READ)
def _is_denied(text: str) -> bool:
    return _NOT.search(text) is not None


def _are_days(found: frozenset[str]) -> bool:
    return bool(found) and found <= _DAYS


@lru_cache(maxsize=READ)
def _puts_right(text: str) -> bool:
    return _PUTS_RIGHT.search(text) is not None


@lru_cache(maxsize=READ)
def _named(text: str) -> frozenset[str]:
    """Return the stems of a text's content words and values."""
    return frozenset(stems(word for word in words(text) if word not in _EMPTY)) - _CHANGING


def _is_quality(text: str, stem: frozenset[str]) -> bool:
    """Return whether a word with the stem follows a verb such as "is"."""
    return any(
        frozenset(stems([match[0].lower()])) == stem
        and not _VALUE.fullmatch(match[0])
        and _IS.search(text, 0, match.start()) is not None
        for match in re.finditer(r"\w+", text)
    )


def _has_name(text: str, name: str) -> bool:
    return re.search(rf"(?<![\w-]){re.escape(name)}(?![\w-])", text) is not None


def _renames(old: str, new: str, beside: str) -> bool:
    """Return whether the newer sentence's identifier replaces the older one's."""
    before = _identifiers(old)
    if not before:
        return False
    if _says_mistake(new) or _says_mistake(beside):
        for match in _NAMED.finditer(new):
            right = match["value"].rstrip(".:")
            noun = subjects(match["noun"])
            if noun and noun <= subjects(old) and _is_another(right, before):
                return True
    if not _CHOSEN.search(new):
        return False
    after = _identifiers(new)
    return any(_LETTERS.search(item) and _is_another(item, before) for item in after)


@lru_cache(maxsize=READ)
def _identifiers(text: str) -> tuple[str, ...]:
    return tuple(item.rstrip(".:") for item in _IDENTIFIER.findall(text))


@lru_cache(maxsize=READ)
def _says_mistake(text: str) -> bool:
    return _MISTAKE.search(text) is not None


def _is_another(value: str, before: Sequence[str]) -> bool:
    """Return whether a value has the form of several others but equals none."""
    form = _NUMBER.sub("0", value).lower()
    return value not in before and any(_NUMBER.sub("0", item).lower() == form for item in before)


def _moves(old: str, new: str, beside: str) -> bool:
    """Return whether the newer sentence states a change of the value."""
    before, after = values(old), values(new)
    if not before or not after or before & after or _is_number(before) != _is_number(after):
        return False
    if max(len(before), len(after)) > MOST or len(words(new)) > MAX_WORDS:
        return False
    common = subjects(old) & subjects(new)
    if _says_mistake(new) or (len(beside) <= 2 * len(new) and _says_mistake(beside)):
        return len(common) >= 2
    return _MOVED.search(new) is not None and bool(common) and _is_near(common, new)


def _is_number(found: frozenset[str]) -> bool:
    return all(value[:1].isdigit() for value in found)


def _is_near(common: frozenset[str], text: str) -> bool:
    """Return whether only function words separate a value and a subject."""
    places = [match.span() for match in re.finditer(r"\w+", text) if subjects(match[0]) & common]
    for match in _VALUE.finditer(text):
        for start, end in places:
            between = (
                text[end : match.start()] if end <= match.start() else text[match.end() : start]
            )
            rest = _MOVED.sub(" ", between)
            if len(between) <= NEAR and all(word in _EMPTY for word in words(rest)):
                return True
    return False
