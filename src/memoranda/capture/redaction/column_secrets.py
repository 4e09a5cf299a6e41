"""Secrets in columns whose header names them: tables, CSV, INSERT and COPY.

The assignment of values to names depends on their positions, which a pattern cannot express.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from memoranda.capture.redaction.code_expressions import is_words
from memoranda.capture.redaction.secret_checks import block, cell
from memoranda.capture.redaction.secret_names import NameStrength, strength
from memoranda.capture.redaction.separate_value_rules import COLUMN_SIGN

_LINE_END = re.compile(r"\r?\n|(?<!\\)\\n")
_RULE = "\xe2\x94[\x82\x83]|\xe2\x95\x91|\\|"
"""A vertical line, a bar or a box-drawing character in UTF-8 that is decoded as Latin-1."""
_SEPARATORS = tuple(map(re.compile, (_RULE, "\t", ",", ";")))
_RULED = _SEPARATORS[0]
_BORDER = re.compile("[-+=:|\\s\x80-\xff]+")
"""A line between header and rows; box-drawing characters are not ASCII."""
_HEADING = re.compile(r"[A-Za-z_][\w .\-/]{0,39}")
_NAME = re.compile(r"[\"'`]?[A-Za-z_][\w.\-]{0,39}[\"'`]?")
_MARKS = " \t\"'`*"
_MAX_CELL = 512

_STATEMENT = re.compile(
    r"(?i)\b(?:(?:INSERT|REPLACE)\s+(?:\w+\s+){0,2}INTO|COPY)\s+[\w.\"'`\[\]]{1,120}\s*"
    r"\((?P<columns>[\w\s,.\"'`\[\]\\]{1,2000})\)\s*(?:VALUES?\s*(?=\()|FROM\s+stdin[^;\n]{0,80};\r?\n)"
)
_VALUE = re.compile(
    r"\s*(?:[NEnebB]?'(?P<text>(?:[^'\\]|''|\\.)*)'|\"(?P<quoted>[^\"\n]*)\""
    r"|(?P<other>[^,()'\"]*(?:\([^()]*\)[^,()'\"]*)*))\s*(?P<end>[,)])"
)
_NEXT_ROW = re.compile(r"\s*,\s*\(")


def column_secrets(data: bytes) -> Iterator[tuple[int, int]]:
    """Yield the byte ranges of secrets in columns and rows."""
    text = data.decode("latin-1")
    yield from _in_statements(text)
    yield from _in_tables(text)


@dataclass(frozen=True, slots=True)
class _Header:
    """Columns of a table that contain secrets, with the line's separator."""

    separator: re.Pattern[str]
    width: int
    names: dict[int, str]

    @property
    def check(self) -> Callable[[str, str], bool]:
        return _in_ruled if self.separator is _RULED else _in_plain


def _in_tables(text: str) -> Iterator[tuple[int, int]]:
    header: _Header | None = None
    start = 0
    while start < len(text):
        ended = _LINE_END.search(text, start)
        end = ended.start() if ended else len(text)
        line = text[start:end]
        if not (header and header.separator is _RULED and _BORDER.fullmatch(line)):
            cells = list(_cells(line, header.separator)) if header else []
            if header and len(cells) == header.width:
                for column, name in header.names.items():
                    if (found := _bare(line, cells[column])) and header.check(
                        line[slice(*found)], name
                    ):
                        yield start + found[0], start + found[1]
            else:
                header = _header(line)
        start = ended.end() if ended else len(text)


def _header(line: str) -> _Header | None:
    if len(line) > _MAX_CELL * 4 or not re.search(COLUMN_SIGN, line):
        return None
    for separator in _SEPARATORS:
        spans = list(_cells(line, separator))
        titles = [line[slice(*span)].strip(_MARKS) for span in spans]
        inner = titles[1 if not titles[0] else 0 : -1 if not titles[-1] else None]
        if len(inner) < 2:
            continue
        written = [line[slice(*span)] for span in spans]
        ruled = separator is _RULED
        if not all(map((_HEADING if ruled else _NAME).fullmatch, inner if ruled else written)):
            continue
        names = {index: title for index, title in enumerate(titles) if strength(title)}
        return _Header(separator, len(spans), names) if names else None
    return None


def _cells(line: str, separator: re.Pattern[str]) -> Iterator[tuple[int, int]]:
    """Yield each cell's span; quoted separators are part of a cell."""
    start = 0
    for match in separator.finditer(line):
        if separator.pattern in ",;" and line.count('"', start, match.start()) % 2:
            continue
        yield start, match.start()
        start = match.end()
    yield start, len(line)


def _bare(line: str, span: tuple[int, int]) -> tuple[int, int] | None:
    start, end = span
    while start < end and line[start] in _MARKS:
        start += 1
    while end > start and line[end - 1] in _MARKS:
        end -= 1
    return (start, end) if 0 < end - start <= _MAX_CELL else None


def _in_ruled(value: str, name: str) -> bool:
    if strength(name) is NameStrength.STRONG and " " not in value:
        return block(value, name, "")
    return cell(value, name, "")


def _in_plain(value: str, name: str) -> bool:
    return not is_words(value) and cell(value, name, "")


def _in_statements(text: str) -> Iterator[tuple[int, int]]:
    for statement in _STATEMENT.finditer(text):
        titles = [item.strip(" \t\r\n\"'`[]\\") for item in statement["columns"].split(",")]
        names = {index: title for index, title in enumerate(titles) if strength(title)}
        if not names:
            continue
        if statement[0].rstrip().endswith(";"):
            yield from _copied(text, statement.end(), names)
        else:
            yield from _inserted(text, statement.end() + 1, names)


def _inserted(text: str, at: int, names: dict[int, str]) -> Iterator[tuple[int, int]]:
    column = 0
    while (value := _VALUE.match(text, at)) is not None:
        kind = "text" if value["text"] is not None else "quoted"
        if value[kind] is not None and column in names and block(value[kind], names[column], ""):
            yield value.span(kind)
        at, column = value.end(), column + 1
        if value["end"] == ")":
            row = _NEXT_ROW.match(text, at)
            if row is None:
                return
            at, column = row.end(), 0


def _copied(text: str, at: int, names: dict[int, str]) -> Iterator[tuple[int, int]]:
    while at < len(text) and not text.startswith("\\.", at):
        end = text.find("\n", at)
        end = len(text) if end < 0 else end
        spans = list(_cells(text[at:end], _SEPARATORS[1]))
        for column, name in names.items():
            if column < len(spans):
                first, last = (at + place for place in spans[column])
                if block(text[first:last], name, "") and text[first:last] != "\\N":
                    yield first, last
        at = end + 1
