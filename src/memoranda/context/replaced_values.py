"""Marks earlier lines that still contain a value that a person replaced."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from memoranda.context.brief import OUTDATED
from memoranda.context.outdated_sentences import topics
from memoranda.language.lazy_patterns import lazy_pattern
from memoranda.language.months import MONTH, OTHER_MONTHS, WEEKDAYS
from memoranda.language.rule_preference import Stance, stance
from memoranda.language.sentences import sentence_spans
from memoranda.observations.model import Origin
from memoranda.search.model import ContextItem
from memoranda.statements.value_changes import states_again, value_changes
from memoranda.utterances.sentence_checks import is_momentary

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
_RETURNS = lazy_pattern(
    r"\b(?:back (?:to|on|at)|again|wieder|de nuevo|otra vez|de nouveau|di nuovo)\b", re.IGNORECASE
)
"""Statement that a value is valid again."""
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
    r"(?<!for )(?<!right )(?<!until )(?<!as of )\b(?:now|jetzt|ahora|maintenant)\b", re.IGNORECASE
)
"""A "now" that states a change rather than a moment."""
_NAMED = lazy_pattern(
    r"\b(?:is|are|called|named|ist|sind|hei(?:\u00df|ss)t|es|son|llama|est|sont|appelle)"
    rf"\s+(?:(?:now|jetzt|ahora|maintenant)\s+)?{_DETERMINER}$",
    re.IGNORECASE,
)
"""Words before a name that may be in lower case."""
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

    def concerns(self, text: str) -> bool:
        """Return whether a text states the old value for the same subject."""
        if not _states(self.old, text) or _states(self.new, text):
            return False
        if _FREQUENT.fullmatch(self.old):
            return self._is_of_number(text)
        return self._is_distinct() or not self.topic.isdisjoint(topics(text))

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


@dataclass(frozen=True, slots=True)
class ValueChange:
    """Replacement of a value, with the statement that replaces it."""

    value: ReplacedValue
    item: ContextItem

    @property
    def note(self) -> str:
        """Return the note to add before a line with the old value."""
        return f"(corrected in {self.item.ref}: {self.value.new}, not {self.value.old}) "


class ReplacedValues:
    """Values that people replaced, with the replacing statements."""

    def __init__(self, statements: Iterable[ContextItem], lasting: Iterable[ContextItem]) -> None:
        """Read the statements; later ones may replace or restore a value again.

        Only ``lasting`` ones replace a rule.
        """
        items = sorted(
            (statement for statement in statements if statement.origin is Origin.HUMAN), key=_time
        )
        self._statements = tuple(reversed(items))
        """People's statements, newest first."""
        self._newest_first: list[ValueChange] = []
        people = sorted(
            (context_item for context_item in lasting if context_item.origin is Origin.HUMAN),
            key=_time,
        )
        self._rules = [
            one
            for one in reversed(people)
            if stance(one.text).rejected and not is_momentary(one.text)
        ]
        """Rules that reject something, newest first."""
        returns: list[str] = []
        for item in reversed(items):
            for value in replaced_values(item.text):
                if not self._is_restored(value, returns):
                    self._newest_first.append(self._latest(value, item))
            if _RETURNS.search(item.text):
                returns.append(item.text)

    def marked(self, items: Iterable[ContextItem], at: int = 0) -> Iterator[ContextItem]:
        """Yield lines, marked if a later statement replaces one of their values.

        ``at`` is the time of lines without one.
        """
        if not self._newest_first and not self._rules:
            return iter(items)
        return (self._marked(item, at) for item in items)

    def marked_memories(self, items: Iterable[ContextItem]) -> Iterator[ContextItem]:
        """Yield memories, marked if a later statement replaces (part of) them.

        No other line is compared with each statement as a whole.
        """
        changing = [one for one in self._statements if puts_right(one.text)]
        for item in self.marked(items):
            is_marked = item.text.startswith(("(corrected in ", "(replaced by "))
            later = () if is_marked else (one for one in changing if _is_after(one, item, 0))
            mark = next((one.ref for one in later if value_changes(item.text, one.text)), "")
            yield replace(item, text=f"(replaced by {mark}) {item.text}") if mark else item

    def _marked(self, item: ContextItem, at: int) -> ContextItem:
        changes = (
            value_change
            for value_change in self._newest_first
            if value_change.value.concerns(item.text)
        )
        later = [change for change in changes if _is_after(change.item, item, at)]
        notes, noted = dict.fromkeys(one.note for one in later), {one.item.ref for one in later}
        rules = [
            rule for rule in self._rules if _is_after(rule, item, at) and rule.ref not in noted
        ]
        text = _with_rules(item.text, rules) if rules else item.text
        if notes:
            text = "".join(notes) + text.removeprefix(OUTDATED)
        return item if text == item.text else replace(item, text=text)

    def _is_restored(self, value: ReplacedValue, returns: Sequence[str]) -> bool:
        if any(value.concerns(text) for text in returns):
            return True
        pair = (value.new, value.old)
        return any((change.value.old, change.value.new) == pair for change in self._newest_first)

    def _latest(self, value: ReplacedValue, item: ContextItem) -> ValueChange:
        """Return the change of a value to its newest replacement."""
        later = next(
            (change for change in self._newest_first if change.value.concerns(item.text)), None
        )
        if later is None:
            return ValueChange(value, item)
        return ValueChange(replace(value, new=later.value.new), later.item)


def without_now(text: str) -> str:
    """Return a text without a "now" that states a change."""
    return _NOW.sub("", text)


@lru_cache(maxsize=READ)
def puts_right(text: str) -> bool:
    """Return whether a text states that something has changed permanently."""
    return states_again(text) and "?" not in text and not is_momentary(without_now(text))


def changes_statement(old: str, new: str) -> bool:
    """Return whether a later statement gives an earlier one another value.

    Example:
        >>> changes_statement("The server is called heron.", "The server is called osprey now.")
        True
    """
    if puts_right(new) and value_changes(old, new):
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
    return ReplacedValue(old, new, topics(rest), found.groupdict().get("unit") or "")


def _with_rules(text: str, rules: Sequence[ContextItem]) -> str:
    """Return a text with the newest rule before each sentence that it replaces."""
    for start, end in reversed(list(sentence_spans(text))):
        sentence = text[start:end]
        rule = next((item for item in rules if _replaces(stance(item.text), sentence)), None)
        if rule:
            text = f"{text[:start]}(replaced by {rule.ref}) {text[start:]}"
    return text


def _replaces(rule: Stance, sentence: str) -> bool:
    return rule.replaces(stance(sentence)) or rule.rejects_words_of(sentence)


def _time(item: ContextItem) -> tuple[int, int]:
    return item.at, _number(item.ref)


def _number(ref: str) -> int:
    """Return an observation's number in its task; 0 for other sources."""
    number = ref.rpartition("#")[2]
    return int(number) if "#" in ref and number.isdecimal() else 0


def _is_after(statement: ContextItem, item: ContextItem, at: int) -> bool:
    """Return whether a statement follows a line, in their task or in time."""
    if statement.ref.partition("#")[0] == item.ref.partition("#")[0] and _number(item.ref):
        return _number(statement.ref) > _number(item.ref)
    return statement.at > (item.at or at)


def _states(value: str, text: str) -> bool:
    if value.lower() not in text.lower():
        return False
    pattern = rf"(?<![\w.]){re.escape(value)}(?!\w|[.-]\w)"
    return re.search(pattern, text, re.IGNORECASE) is not None
