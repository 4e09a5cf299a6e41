"""Detects that a person's later statement replaces an earlier one, or a value in it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from memoranda.context.outdated_sentences import topics
from memoranda.language.lazy_patterns import lazy_pattern
from memoranda.language.months import MONTH, OTHER_MONTHS, WEEKDAYS
from memoranda.language.rule_preference import stance
from memoranda.language.sentences import sentence_spans
from memoranda.statements.value_changes import states_again, value_changes
from memoranda.utterances.sentence_checks import is_from_now_on, is_momentary

MIN_COMMON = 2
"""Minimum common topics of a line and a statement with a short number, or one if it has no more."""
READ = 2_048
"""Number of sentences with cached values."""

_CUE = lazy_pattern(
    r"\b(?:not|nicht|no|non|pas|n\u00e3o|instead|rather|(?:an)?statt|lieu|vez|lugar|invece|from|del?"
    r"|vo[nm]|du|wrong|outdated|falsch|incorrecto|faux|replac\w+|swap\w*)\b|n['\u2019]t\b",
    re.IGNORECASE,
)
"""Words for a fast pre-check; every contrast contains one of them."""
_MONTH = rf"(?:{MONTH}|{'|'.join(' '.join(OTHER_MONTHS.values()).split())})"
_DATE = rf"{_MONTH}\.? \d{{1,2}}(?:st|nd|rd|th)?\b|\d{{1,2}}\.? (?:de )?{_MONTH}\b"
_VALUE = rf"`[^`\n]{{1,60}}`|{_DATE}|\w(?:[\w./:@+-]*\w)?"
_DETERMINER = r"(?:(?:the|an?|el|la|los|las|der|die|das|den|dem|le|les|il|o|on|at|in|en|auf)\s+)?"
_OLD, _NEW = rf"{_DETERMINER}(?P<old>{_VALUE})", rf"{_DETERMINER}(?P<new>{_VALUE})"
_UNIT = r"(?:(?<=\d) (?P<unit>[^\W\d_]{1,15})(?: [^\W\d_]{1,15})?)?"
_IT_IS = r"(?:it['\u2019]?s|it is|that['\u2019]?s|es ist|es|c['\u2019]est|\u00e8|\u00e9)"
_CONTRASTS = tuple(
    lazy_pattern(pattern, re.IGNORECASE)
    for pattern in (
        # 9090, not 8080; 9090 instead of 8080
        rf"(?P<new>{_VALUE}){_UNIT}(?: (?:now|jetzt|ahora|agora|maintenant))?"
        r"[,;:(\u2014\u2013-]*\s+(?:(?:and|und|y|et|e)\s+)?"
        r"(?:not|nicht|no|non|pas|n\u00e3o|instead of|rather than|(?:an)?statt|au lieu d[eu']"
        rf"|en (?:vez|lugar) de|em vez d[eoa]|invece d[ie]l?)\s*{_OLD}",
        # not 8080 but 9090; isn't 8080, it's 9090; 8080 is wrong, it is 9090
        r"(?:\bnot|n['\u2019]t|\bnicht|\bno|\bnon|\bpas|\bn\u00e3o)\s+(?:es\s+|\u00e9\s+)?"
        rf"{_OLD}[,;:.\u2014\u2013-]*\s+(?:but|sondern|sino|mais|mas|ma|{_IT_IS})\s+{_NEW}",
        rf"(?P<old>{_VALUE}) (?:is|was|ist|es|est) (?:wrong|outdated|falsch|incorrecto|faux)"
        rf"[,;:.\u2014\u2013-]*\s+(?:{_IT_IS}|use)\s+{_NEW}",
        # moved from May 12 to May 19
        r"\b(?:chang|mov|rais|lower|renam|bump|switch|push|extend|upgrad|migrat|went|goes|cambi"
        r"|pas|subi|baj)\w*\b(?P<about>[^.]{0,40}?)\b(?:from|del?|vo[nm]|du)\s+"
        rf"{_OLD}\s+(?:to|al?|auf|nach|zum|\u00e0|au)\s+{_NEW}",
        rf"\b(?:replac\w+|swap\w*)\s+{_OLD}\s+(?:with|by|for)\s+{_NEW}",
    )
)
"""Contrasts between a right value and a wrong one."""
_NOW = lazy_pattern(
    r"(?<!for )(?<!right )(?<!until )(?<!as of )\b(?:now|jetzt|ahora|maintenant)\b"
    r"(?!,? not (?:later|tomorrow|then|after|next|when)\b)",
    re.IGNORECASE,
)
"""A "now" that states a change rather than a moment."""
_NAMED = lazy_pattern(
    r"\b(?:is|are|called|named|ist|sind|hei(?:\u00df|ss)t|es|son|llama|est|sont|appelle)"
    rf"\s+(?:(?:now|jetzt|ahora|maintenant)\s+)?{_DETERMINER}$",
    re.IGNORECASE,
)
"""Words before a name that may be in lower case."""
_ATTRIBUTE = lazy_pattern(r"(?P<noun>\w+)\s+(?:is|are|was|were)\b", re.IGNORECASE)
_FREQUENT = re.compile(r"\d{1,3}")
"""Common values, for which a line must share more with the statement."""
_VALUED = lazy_pattern(r"\d|[\w`][/_@.]\w|[a-z][A-Z]|^`|^[^\W\d_]\w*-\w")
_DISTINCT = lazy_pattern(r"^\d{4,}$|[\w`][/_@]\w|[A-Za-z]\w*\.[A-Za-z]|[A-Za-z]\w*[-.]?\d+\.\d")
"""Rare values, for which a line needs no other common word."""


@dataclass(frozen=True, slots=True)
class ReplacedValue:
    """Value that a person replaced with another one."""

    old: str
    new: str
    topic: frozenset[str]
    """Topics of the statement other than both values."""
    unit: str = ""
    """Unit of the new value, such as "min"."""
    statement: str = ""
    """Statement that replaces it."""

    def concerns(self, text: str) -> bool:
        """Return whether a text states the old value for the same subject."""
        if not _states(self.old, text) or _states(self.new, text):
            return False
        if self.statement and self._is_of_another(text):
            return False
        if _FREQUENT.fullmatch(self.old):
            return self._is_of_number(text)
        return self._is_distinct() or not self.topic.isdisjoint(topics(text))

    def _is_of_another(self, text: str) -> bool:
        """Return whether the sentences that state the old value are about other things.

        A rare value is of the same thing if the text names more of it than its attribute, as the
        dashboard of "the dashboard port" but not the port of "the staging port".
        """
        attribute = _ATTRIBUTE.search(self.statement)
        named = self.topic - topics(attribute["noun"]) if attribute else self.topic
        if self._is_distinct() and named & topics(text):
            return False
        sentences = (text[start:end] for start, end in sentence_spans(text))
        stating = [one for one in sentences if _states(self.old, one)] or [text]
        return all(_of_different_things(one, self.statement) for one in stating)

    def _is_of_number(self, text: str) -> bool:
        """Return whether a text states the old number for the same subject.

        If both values have a unit, it is the same. Without a unit, the text has two of the
        statement's topics, or its only one.
        """
        number = rf"(?<![\w.]){self.old}"
        if self.unit and re.search(rf"{number}[ -]?{self.unit}", text, re.IGNORECASE):
            return True
        if self.unit and not re.search(rf"{number}(?!\s*[\w%])", text):
            return False
        return len(self.topic & topics(text)) >= min(MIN_COMMON, max(1, len(self.topic)))

    def _is_distinct(self) -> bool:
        """Return whether the old value is rare enough to identify the subject."""
        named = self.old[:1].isupper() and self.old.lower() not in WEEKDAYS
        return bool(_DISTINCT.search(self.old)) or (named and self.old.isalpha() and not self.topic)


def without_now(text: str) -> str:
    """Return a text without a "now" that states a change."""
    return _NOW.sub("", text)


@lru_cache(maxsize=READ)
def puts_right(text: str) -> bool:
    """Return whether a text states that something has changed permanently."""
    return states_again(text) and "?" not in text and not is_momentary(without_now(text))


@lru_cache(maxsize=READ)
def ends_rules(text: str) -> bool:
    """Return whether a sentence may end a rule without being one.

    The "now" of a permission is not the moment: "you can edit the generated files now".
    """
    found = stance(text)
    contrasts = found.rejected and found.preferred
    changes = found.revokes or found.restates or contrasts or is_from_now_on(text)
    return bool(changes) and not is_momentary(without_now(text) if found.revokes else text)


def changes_statement(old: str, new: str) -> bool:
    """Return whether a later statement gives an earlier one another value.

    Example:
        >>> changes_statement("The server is called heron.", "The server is called osprey now.")
        True
    """
    if puts_right(new) and value_changes(old, new):
        return True
    if ends_rules(new) and stance(new).replaces(stance(old)):
        return True
    return any(value.concerns(old) for value in replaced_values(new))


@lru_cache(maxsize=READ)
def replaced_values(text: str) -> tuple[ReplacedValue, ...]:
    """Return the values that a person's statement replaces.

    Example:
        >>> [(one.old, one.new) for one in replaced_values("The port is 9090, not 8080.")]
        [('8080', '9090')]
    """
    if not _CUE.search(text) or "?" in text or is_momentary(text):
        return ()
    matches = (match for contrast in _CONTRASTS for match in contrast.finditer(text))
    values = (_value(item["old"], item["new"], text, item) for item in matches)
    return tuple(dict.fromkeys(value for value in values if value))


def _value(old: str, new: str, text: str, found: re.Match[str]) -> ReplacedValue | None:
    """Return a replaced value if both are values, or both capitalised names."""
    named = _NAMED.search(text, 0, found.start("new")) is not None and found.end("new") < len(text)
    if not named and not all(_VALUED.search(one) or one[:1].isupper() for one in (old, new)):
        return None
    old, new = old.strip("`"), new.strip("`")
    if old.lower() == new.lower() or not topics(old) or not topics(new):
        return None
    about = found.groupdict().get("about") or ""
    rest = f"{text[: found.start()]} {about} {text[found.end() :]}"
    return ReplacedValue(old, new, topics(rest), found.groupdict().get("unit") or "", text)


@lru_cache(maxsize=READ)
def _of_different_things(one: str, other: str) -> bool:
    from memoranda.statements.conflicts import of_different_things  # loads slowly
    from memoranda.statements.statement import Statement

    old, new = Statement.of(one), Statement.of(other)
    return bool(old.stems and new.stems) and of_different_things(old, new)


def _states(value: str, text: str) -> bool:
    if value.lower() not in text.lower():
        return False
    pattern = rf"(?<![\w.]){re.escape(value)}(?!\w|[.-]\w)"
    return re.search(pattern, text, re.IGNORECASE) is not None
