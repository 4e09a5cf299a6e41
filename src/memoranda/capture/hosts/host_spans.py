"""Detection of the spans of a message that a host wrote.

An element is attributed to the host if its name is known, or if the element is a block with a name
in the style of hosts (``<some_new_tag>``, ``<new-note x="…">``): an unknown element must not be
trusted as a person's text. Elements in pasted code are attributed to the person: in a code fence or
backticks, within a sentence, as HTML, XML or JSX, or after a line that ends with a colon.
"""

from __future__ import annotations

import re
from bisect import bisect
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import IntEnum

from memoranda.capture.hosts.host_markup import (
    HTML,
    KNOWN,
    KNOWN_FAMILIES,
    NOTICES,
    PASSAGES,
    TYPED,
)

_TAG = r"<(?P<close>/)?(?P<name>[^\W\d_][\w.:-]*)(?P<attributes>(?:\s[^<>]*)?/?)>"
_TAGS = re.compile(_TAG)
_MARKS = re.compile(rf"(?P<fence>^[ \t]*(?:```+|~~~+))|(?P<tick>`+)|{_TAG}", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class HostSpan:
    """A span written by a host; ``typed`` is the part marked as a person's."""

    start: int
    end: int
    typed: tuple[int, int] | None = None


def blocks(text: str) -> Iterator[HostSpan]:
    """Yield a text's host spans, in order and not overlapping."""
    notices = sorted(_notices(text), key=lambda block: block.start)
    end = 0
    for block in sorted([*notices, *_Scan(text).blocks()], key=lambda block: block.start):
        if block.start >= end:
            yield block
            end = block.end


def _notices(text: str) -> Iterator[HostSpan]:
    for notice in NOTICES.finditer(text):
        yield HostSpan(notice.start(), notice.end())
    for opening, closing in PASSAGES:
        start = text.find(opening)
        if start < 0 or (start and text[start - 1] != "\n"):
            continue
        end = text.find(closing, start)
        yield HostSpan(start, len(text) if end < 0 else end + len(closing))


class _NameKind(IntEnum):
    """Style of an element's name, ordered by likelihood of a host's use."""

    MARKUP = 0
    """HTML, a component of a program, or a type."""
    SINGLE = 1
    """One lower-case word; XML uses such names as well."""
    HYPHENATED = 2
    """Several words, as in custom elements of HTML."""
    UNDERSCORED = 3


def _naming(name: str) -> _NameKind:
    if name.lower() in HTML or len(name) == 1:
        return _NameKind.MARKUP
    if "_" in name or name.replace("-", "").isupper():
        return _NameKind.UNDERSCORED
    if name[0].isupper():
        return _NameKind.MARKUP
    return _NameKind.SINGLE if name.isalnum() and name.islower() else _NameKind.HYPHENATED


def _is_known(name: str) -> bool:
    name = _plain(name)
    return name in KNOWN or name.startswith(KNOWN_FAMILIES)


def _plain(name: str) -> str:
    """Return an all-caps name in lower case, since hosts accept both.

    Names in mixed case are different names, such as those of a program's components.
    """
    return name.lower() if name.isupper() and name not in KNOWN else name


@dataclass(frozen=True, slots=True)
class _Element:
    """An element, from its opening to its closing tag."""

    name: str
    attributes: str
    start: int
    body: tuple[int, int]
    end: int
    closed: bool


class _Scan:
    """Single pass over the tags and code marks of a text."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._closings = _closings(text)
        self._last = 0
        """End offset of the last host block."""
        self._first = _skip(text, 0)
        """Offset of the first text after the last host block."""
        self._spoken = False
        """Whether a person's text precedes the last host block."""

    def blocks(self) -> Iterator[HostSpan]:
        """Yield the elements that a host wrote."""
        position = 0
        while mark := _MARKS.search(self._text, position):
            if mark["name"] is None:
                position = self._behind_code(mark)
                continue
            element = self._element(mark)
            if element is None:
                position = mark.end()
                continue
            is_typed = element.name in TYPED and element.closed and self._begins_line(element)
            if is_typed or self._is_wrapper(element):
                yield HostSpan(element.start, element.end, element.body if is_typed else None)
                self._advance(element, is_typed=is_typed)
            position = element.end if element.closed else mark.end()

    def _advance(self, element: _Element, *, is_typed: bool) -> None:
        self._spoken = self._spoken or is_typed or self._first < element.start
        self._last = element.end
        self._first = _skip(self._text, element.end)

    def _element(self, mark: re.Match[str]) -> _Element | None:
        name, start, end = mark["name"], mark.start(), mark.end()
        closing = self._closings.get(start)
        if mark["close"]:
            return _Element(name, "", start, (end, end), end, True) if _is_known(name) else None
        if closing is not None:
            body = (end, closing[0])
            return _Element(name, mark["attributes"], start, body, closing[1], True)
        if mark["attributes"].endswith("/"):
            return _Element(name, mark["attributes"], start, (end, end), end, True)
        if not _is_known(name):
            return None
        whole = len(self._text)
        return _Element(name, mark["attributes"], start, (end, whole), whole, False)

    def _is_wrapper(self, element: _Element) -> bool:
        """Return whether a host wrote an element."""
        leads = not self._spoken and self._first >= element.start
        begins = self._begins_line(element)
        if _is_known(element.name):
            if begins:
                return element.closed or leads or self._is_alone(element)
            return self._follows_words(element)
        naming = _naming(element.name)
        if naming is _NameKind.MARKUP or not begins or "xmlns" in element.attributes:
            return False
        if naming is _NameKind.UNDERSCORED and leads:
            return True
        if not self._ends_line(element) or (not leads and self._introduced(element)):
            return False
        if naming is _NameKind.UNDERSCORED or (naming is _NameKind.HYPHENATED and leads):
            return True
        return _TAGS.search(self._text, *element.body) is None

    def _is_alone(self, element: _Element) -> bool:
        """Return whether an unclosed element's opening tag is alone on its line."""
        end = self._text.find("\n", element.body[0])
        return end >= 0 and not self._text[element.body[0] : end].strip()

    def _follows_words(self, element: _Element) -> bool:
        """Return whether a host appended an element to an unquoted line."""
        if not element.closed or not self._ends_line(element) or self._mentions(element):
            return False
        begin = self._text.rfind("\n", 0, element.start) + 1
        return not self._text[begin : element.start].lstrip().startswith(">")

    def _mentions(self, element: _Element) -> bool:
        """Return whether an element contains its own opening tag."""
        return self._text.find(f"<{element.name}", *element.body) >= 0

    def _begins_line(self, element: _Element) -> bool:
        position = element.start
        while position > self._last and self._text[position - 1] in " \t":
            position -= 1
        return position <= self._last or self._text[position - 1] == "\n"

    def _ends_line(self, element: _Element) -> bool:
        position = element.end
        while position < len(self._text) and self._text[position] in " \t\r":
            position += 1
        if position == len(self._text) or self._text[position] == "\n":
            return True
        # Another block of a host may follow on the same line.
        following = _TAGS.match(self._text, position)
        return following is not None and _is_known(following["name"])

    def _introduced(self, element: _Element) -> bool:
        """Return whether the preceding line is markup or ends with a colon."""
        end = element.start
        while end > self._last and self._text[end - 1].isspace():
            end -= 1
        start = max(self._text.rfind("\n", self._last, end) + 1, self._last)
        line = self._text[start:end].lstrip()
        return line.endswith((":", "\uff1a")) or line.startswith("<")

    def _behind_code(self, mark: re.Match[str]) -> int:
        """Return the end of the code that a mark starts.

        If the code is not closed, the end of the mark is returned.
        """
        if mark["fence"]:
            fence = re.compile(rf"^[ \t]*{re.escape(mark['fence'].strip())}[^\n]*$", re.MULTILINE)
            match = fence.search(self._text, mark.end())
            return match.end() if match else mark.end()
        line_end = self._text.find("\n", mark.end())
        limit = len(self._text) if line_end < 0 else line_end
        end = self._text.find(mark["tick"], mark.end(), limit)
        return mark.end() if end < 0 else end + len(mark["tick"])


def _skip(text: str, position: int) -> int:
    """Return the offset of the next non-blank character."""
    while position < len(text) and text[position].isspace():
        position += 1
    return position


def _closings(text: str) -> Mapping[int, tuple[int, int]]:
    """Return the span of the closing tag by the offset of each opening tag."""
    opened: dict[str, list[int]] = {}
    closed: dict[str, list[tuple[int, int]]] = {}
    pairs: dict[int, tuple[int, int]] = {}
    for tag in _TAGS.finditer(text):
        name = _plain(tag["name"])
        if not tag["close"]:
            if not tag["attributes"].endswith("/"):
                opened.setdefault(name, []).append(tag.start())
            continue
        closed.setdefault(name, []).append(tag.span())
        if opened.get(name):
            pairs[opened[name].pop()] = tag.span()
    for name in filter(_is_known, opened):
        # The text of an element may mention its own opening tag, which then seems to be unclosed.
        spans = closed.get(name, [])
        for start in opened[name]:
            following = bisect(spans, (start, 0))
            if following < len(spans):
                pairs[start] = spans[following]
    return pairs
