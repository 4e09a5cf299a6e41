"""Parser of rendered blocks: exactly what was rendered can be read back."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from itertools import zip_longest

from memoranda.blocks.prompt import BlockText, as_markdown, as_xml
from memoranda.exceptions import InvalidInput
from memoranda.text import clip

_CHARACTERS = {
    "&amp;": "&",
    "&lt;": "<", "&gt;": ">", "&quot;": '"', "&#13;": "\r", "&#10;": "\n", "&#9;": "\t",
}  # fmt: skip
_ENTITY = re.compile("&(?:amp|lt|gt|quot|#13|#10|#9);")
_CODE = re.compile("\u241b([0-9a-f]{1,4});")
_TAG = re.compile('<block label="([^"<>]*)" read_only="(true|false)">\n')
_DESCRIPTION = re.compile("<description>([^<>]*)</description>\n")
_METADATA = re.compile(
    "<metadata>\n- chars_current=[0-9]+\n- chars_limit=([0-9]{1,18})\n</metadata>\n"
)
_VALUE = re.compile("<value>\n([^<>]*)\n</value>\n</block>\n")
_HEADING = re.compile(r"## (.*) \([0-9]+ of ([0-9]{1,18}) characters(, read-only)?\)\n")
_QUOTE = re.compile(r"(?:> .*\n)+")
_FENCE = re.compile(r"(`{3,})\n")


def parse_xml(text: str) -> list[BlockText]:
    """Parse blocks that ``as_xml`` has rendered; outer white space is ignored.

    Raises:
        InvalidInput: the text differs from the rendered form.
    """
    text = text.strip()
    reader = _PromptReader(text + "\n")
    reader.take(re.compile("<memory_blocks>\n"), "<memory_blocks>")
    blocks = []
    while not reader.at_end("</memory_blocks>\n"):
        blocks.append(_read_xml_block(reader))
    return _checked(blocks, text, as_xml)


def parse_markdown(text: str) -> list[BlockText]:
    """Parse blocks that ``as_markdown`` has rendered.

    Outer white space is ignored.

    Raises:
        InvalidInput: the text differs from the rendered form.
    """
    text = text.strip()
    reader = _PromptReader(text + "\n")
    reader.take(re.compile("# Memory blocks\n"), "# Memory blocks")
    blocks = []
    while not reader.at_end(""):
        reader.take(re.compile("\n"), "an empty line")
        blocks.append(_read_markdown_block(reader))
    return _checked(blocks, text, as_markdown)


def _read_xml_block(reader: _PromptReader) -> BlockText:
    tag = reader.take(_TAG, '<block label="..." read_only="..."> or </memory_blocks>')
    description = reader.take(_DESCRIPTION, "<description>, a text without < and >, and its end")
    metadata = reader.take(_METADATA, "<metadata> with chars_current and chars_limit")
    value = reader.take(_VALUE, "<value>, lines without < and >, and the end of the block")
    label, about, text = map(_unmarked, (tag[1], description[1], value[1]))
    return BlockText(label, about, text, int(metadata[1]), tag[2] == "true")


def _read_markdown_block(reader: _PromptReader) -> BlockText:
    heading = reader.take(_HEADING, "a heading like '## label (12 of 5000 characters)'")
    quoted = reader.take(_QUOTE, "a description after '> '")[0]
    reader.take(re.compile("\n"), "an empty line")
    fence = reader.take(_FENCE, "a fence of three backticks or more")[1]
    value = reader.take_until(f"\n{fence}\n", "the fence that ends the value")
    description = "\n".join(line[2:] for line in quoted.removesuffix("\n").split("\n"))
    label, description, value = map(_decoded, (heading[1], description, value))
    return BlockText(label, description, value, int(heading[2]), heading[3] is not None)


class _PromptReader:
    """Parser that reads a text piece by piece and reports errors."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0

    def at_end(self, end: str) -> bool:
        """Return whether only the end remains."""
        return len(self._text) - self._at == len(end) and self._text.endswith(end)

    def take(self, pattern: re.Pattern[str], expected: str) -> re.Match[str]:
        """Consume a pattern."""
        found = pattern.match(self._text, self._at)
        if found is None:
            raise self._unexpected(expected)
        self._at = found.end()
        return found

    def take_until(self, end: str, expected: str) -> str:
        """Consume the text up to an end mark, and the end mark."""
        at = self._text.find(end, self._at)
        if at < 0:
            raise self._unexpected(expected)
        found, self._at = self._text[self._at : at], at + len(end)
        return found

    def _unexpected(self, expected: str) -> InvalidInput:
        line = self._text.count("\n", 0, self._at) + 1
        there = self._text[self._at : self._at + 60].partition("\n")[0]
        return InvalidInput(f"line {line} of the blocks: expected {expected}, found {there!r}")


def _checked(
    blocks: list[BlockText], text: str, render: Callable[[Iterable[BlockText]], str]
) -> list[BlockText]:
    """Return blocks after checking that they render to the same text.

    So sizes, escapes and fences are correct.
    """
    lines, sent = render(blocks).split("\n"), text.split("\n")
    for number, (line, found) in enumerate(zip_longest(lines, sent, fillvalue=""), 1):
        if line != found:
            raise InvalidInput(
                f"line {number} of the blocks: expected {clip(line, 60)!r} for what is read "
                f"there, found {clip(found, 60)!r}; a part is missing, or was edited"
            )
    return blocks


def _unmarked(text: str) -> str:
    return _ENTITY.sub(lambda found: _CHARACTERS[found[0]], _decoded(text))


def _decoded(text: str) -> str:
    return _CODE.sub(lambda found: chr(int(found[1], 16)), text)
