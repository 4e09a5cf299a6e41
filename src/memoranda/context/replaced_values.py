"""Marks earlier lines that still contain a value that a person replaced."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from memoranda.context.brief import OUTDATED
from memoranda.context.changed_statements import (
    ReplacedValue,
    changes_statement,
    ends_rules,
    puts_right,
    replaced_values,
)
from memoranda.language.lazy_patterns import lazy_pattern
from memoranda.language.rule_preference import Stance, stance
from memoranda.language.sentences import sentence_spans
from memoranda.observations.model import Origin
from memoranda.search.model import ContextItem
from memoranda.utterances.sentence_checks import is_momentary

_RETURNS = lazy_pattern(
    r"\b(?:back (?:to|on|at)|again|wieder|de nuevo|otra vez|de nouveau|di nuovo)\b", re.IGNORECASE
)
"""Statement that a value is valid again."""


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
        self._endings = [one for one in reversed(people) if stance(one.text).revokes]
        """Statements that end rules of people, newest first."""
        returns: list[str] = []
        for item in reversed(items):
            for value in replaced_values(item.text):
                if not self._is_restored(value, returns):
                    self._newest_first.append(self._latest(value, item))
            if _RETURNS.search(item.text):
                returns.append(item.text)

    def marked(self, items: Iterable[ContextItem], at: int = 0) -> Iterator[ContextItem]:
        """Yield lines, marked if a later statement replaces one of their values.

        ``at`` is the time of lines that have no time.
        """
        if not (self._newest_first or self._rules or self._endings):
            return iter(items)
        return (self._marked(item, at) for item in items)

    def marked_memories(self, items: Iterable[ContextItem]) -> Iterator[ContextItem]:
        """Yield memories, marked if a later statement replaces (part of) them.

        No other line is compared with each statement as a whole.
        """
        changing = [one for one in self._statements if puts_right(one.text) or ends_rules(one.text)]
        for item in self.marked(items):
            is_marked = item.text.startswith(("(corrected in ", "(replaced by "))
            later = () if is_marked else (one for one in changing if _is_after(one, item, 0))
            mark = next((one.ref for one in later if changes_statement(item.text, one.text)), "")
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
            rule
            for rule in (*self._rules, *(self._endings if item.origin is Origin.HUMAN else ()))
            if _is_after(rule, item, at) and rule.ref not in noted
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
