"""Results of MCP tools as text and data, limited to a number of tokens.

Text from memory is rendered as data, without markup and invisible characters.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from memoranda.api.mcp.schemas import Tree, tree_of
from memoranda.api.mcp.tools import ToolOperation
from memoranda.json_data import JsonValue, dump_json
from memoranda.ports import TokenCounter
from memoranda.text import NOTICE, clip, escape, fenced, markup_free, visible

CELL = 300
"""Maximum number of characters of one text in a row."""
TIGHT = 40
"""Maximum number of characters of a text if otherwise not even one row would fit."""
_FIELD = re.compile(r"\{([a-z_.]{1,60})(?::(\d{1,3}))?\}")


@dataclass(frozen=True, slots=True)
class ToolAnswer:
    """Result of a tool, as text for a model and as structured data."""

    text: str
    structured: Mapping[str, JsonValue]
    shown: int = 0
    """Number of the rows that are shown."""
    notes: tuple[str, ...] = ()
    """Notes added to a text in a fixed format."""


class ToolAnswers:
    """Formats results as tool responses."""

    def __init__(self, counter: TokenCounter) -> None:
        self._counter = counter

    def answer(self, call: ToolOperation, result: JsonValue, limit: int) -> ToolAnswer:
        """Return the response for a result, within a limit.

        Neither the text nor the data of the response has more tokens than the limit.
        """
        fields = projected(result, tree_of(call.gives))
        if call.whole:
            return ToolAnswer(str(value_at(fields, call.whole)), {"result": fields})
        if call.rows:
            return self._rows(call, fields, limit)
        if call.body:
            return self._body(call, fields, limit)
        return _tool_answer(call, _clipped(fields, CELL), "")

    def fits(self, answer: ToolAnswer, limit: int) -> bool:
        """Return whether both forms of a response are within a limit."""
        both = (answer.text, dump_json(dict(answer.structured)))
        return max(self._counter.count_many(both)) <= limit

    def _rows(self, call: ToolOperation, fields: JsonValue, limit: int) -> ToolAnswer:
        listed = value_at(fields, call.rows)
        rows = [_clipped(row, CELL) for row in listed] if isinstance(listed, list) else []
        rest = _without(fields, call.rows)

        def make(count: int, cell: int = CELL) -> ToolAnswer:
            clipped: list[JsonValue] = [_clipped(row, cell) for row in rows[:count]]
            value = _put(_clipped(rest, cell), call.rows, clipped)
            return _tool_answer(
                call, value, continuation_hint(call, value, len(rows) - count), count
            )

        count = _largest(len(rows), lambda count: self.fits(make(count), limit))
        if count == 0 and rows:
            return make(1, TIGHT)
        return make(count)

    def _body(self, call: ToolOperation, fields: JsonValue, limit: int) -> ToolAnswer:
        text = str(value_at(fields, call.body) or "")

        def make(length: int) -> ToolAnswer:
            more = ""
            if length < len(text):
                more = f"{length:,} of {len(text):,} characters; a higher max_tokens shows more"
            return _tool_answer(call, _put(fields, call.body, text[:length]), more)

        return make(_largest(len(text), lambda length: self.fits(make(length), limit)))


def projected(value: JsonValue, wanted: Tree) -> JsonValue:
    """Return the selected parts of a value, without empty ones."""
    if isinstance(value, list):
        return [projected(one, wanted) for one in value]
    if not isinstance(value, dict) or not wanted:
        return _seen(value)
    parts = {name: projected(value.get(name), deeper) for name, deeper in wanted.items()}
    return {name: item for name, item in parts.items() if item not in (None, "", [], {})}


def value_at(value: JsonValue, path: str) -> JsonValue:
    """Return the value at a dotted path; ``.`` is the value itself."""
    for step in path.split(".") if path != "." else ():
        value = value.get(step) if isinstance(value, dict) else None
    return value


def fill_template(template: str, value: JsonValue) -> str:
    """Fill a template with fields of a value.

    ``{name}`` is the value of a field, ``{name:10}`` the beginning of it.
    """

    def field(found: re.Match[str]) -> str:
        part = value_at(value, found[1])
        joined = ", ".join(map(str, part)) if isinstance(part, list) else part
        text = "" if joined is None else str(joined)
        return escape(text[: int(found[2])] if found[2] else text)

    return " ".join(_FIELD.sub(field, template).split())


def continuation_hint(call: ToolOperation, value: JsonValue, cut: int) -> str:
    """Return how to get the rest of a list; empty if the list is complete."""
    home, _, _ = call.rows.rpartition(".")
    cursor = value_at(value, f"{home}.cursor" if home else "cursor")
    if cut:
        return f"{cut} more; a higher max_tokens or a narrower query shows them"
    return f"more with cursor={cursor}" if cursor else ""


def _tool_answer(call: ToolOperation, value: JsonValue, more: str, shown: int = 0) -> ToolAnswer:
    lines = [fill_template(call.head, value)] if call.head else []
    if call.body:
        lines.append(markup_free(str(value_at(value, call.body) or "")))
    rows = value_at(value, call.rows) if call.rows else None
    if isinstance(rows, list):
        lines += [f"- {fill_template(call.line, row)}" for row in rows]
        if not rows and not call.head:
            lines.append("nothing found")
    lines += [line for line in (fill_template(call.end, value), escape(more)) if line]
    structured: dict[str, JsonValue] = {"result": _escaped(value), "notice": NOTICE}
    if more:
        structured["more"] = escape(more)
    return ToolAnswer(fenced("\n".join(lines)), structured, shown)


def _largest(highest: int, accepted: Callable[[int], bool]) -> int:
    """Return the largest number that fits, up to a maximum; 0 if none does."""
    if accepted(highest):
        return highest
    low, high = 0, highest
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if accepted(middle) else (low, middle)
    return low


def _clipped(value: JsonValue, limit: int) -> JsonValue:
    if isinstance(value, str):
        return clip(value, limit)
    if isinstance(value, list):
        return [_clipped(item, limit) for item in value[:limit]]
    if isinstance(value, dict):
        return {name: _clipped(one, limit) for name, one in value.items()}
    return value


def _seen(value: Any) -> JsonValue:
    """Return a value without invisible characters."""
    if isinstance(value, str):
        return visible(value)
    if isinstance(value, list):
        return [_seen(one) for one in value]
    if isinstance(value, dict):
        return {str(name): _seen(item) for name, item in value.items()}
    return value  # type: ignore[no-any-return]


def _escaped(value: JsonValue) -> JsonValue:
    """Return a value with markup in its texts escaped, as in the text form.

    Hosts show a model either the text or the data.
    """
    if isinstance(value, str):
        return markup_free(value)
    if isinstance(value, list):
        return [_escaped(one) for one in value]
    if isinstance(value, dict):
        return {markup_free(name): _escaped(item) for name, item in value.items()}
    return value


def _without(value: JsonValue, path: str) -> JsonValue:
    return _put(value, path, [])


def _put(value: JsonValue, path: str, part: JsonValue) -> JsonValue:
    """Return a value with the part at a path replaced."""
    if path in ("", "."):
        return part
    step, _, rest = path.partition(".")
    nested = value if isinstance(value, dict) else {}
    return nested | {step: _put(nested.get(step), rest, part)}
