"""Rendering of blocks for a prompt, as XML or Markdown.

Parsing the output yields exactly the rendered blocks, whatever their fields contain. Ordinary text
is unchanged. A character that a format does not allow (control characters, carriage returns in
Markdown) is written as ``␛`` (U+241B), its code point in hexadecimal digits and a semicolon. U+241B
itself is written in the same way.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

_CONTROLS = "\u241b\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff"
_NOT_IN_XML = re.compile(f"[{_CONTROLS}]")
_NOT_IN_MARKDOWN = re.compile(f"[{_CONTROLS}\r]")
_NOT_IN_A_LINE = re.compile(f"[{_CONTROLS}\r\n\x85\u2028\u2029]")
_TICKS = re.compile("`+")

_MARKUP = {"&": "&amp;", "<": "&lt;", ">": "&gt;", "\r": "&#13;"}
_ATTRIBUTE = _MARKUP | {'"': "&quot;", "\n": "&#10;", "\t": "&#9;"}


@dataclass(frozen=True, slots=True)
class BlockText:
    """Format of a block in a prompt; ``limit`` is in characters."""

    label: str
    description: str
    value: str
    limit: int
    read_only: bool = False


def as_xml(blocks: Iterable[BlockText]) -> str:
    """Return blocks as well-formed XML, without a line feed at the end."""
    parts = ["<memory_blocks>\n", *map(_xml_block, blocks), "</memory_blocks>"]
    return "".join(parts)


def as_markdown(blocks: Iterable[BlockText]) -> str:
    """Return blocks as Markdown, without a line feed at the end.

    Each block has a heading, its description as a quotation and its value in a code fence.
    """
    return "\n\n".join(["# Memory blocks", *map(_markdown_block, blocks)])


def _xml_block(block: BlockText) -> str:
    return (
        f'<block label="{_marked(block.label, _ATTRIBUTE)}"'
        f' read_only="{"true" if block.read_only else "false"}">\n'
        f"<description>{_marked(block.description, _MARKUP)}</description>\n"
        f"<metadata>\n- chars_current={len(block.value)}\n- chars_limit={block.limit}\n"
        f"</metadata>\n<value>\n{_marked(block.value, _MARKUP)}\n</value>\n</block>\n"
    )


def _markdown_block(block: BlockText) -> str:
    size = f"{len(block.value)} of {block.limit} characters"
    heading = f"## {_coded(block.label, _NOT_IN_A_LINE)} ({size}"
    heading += ", read-only)" if block.read_only else ")"
    quoted = [f"> {_coded(line, _NOT_IN_A_LINE)}" for line in block.description.split("\n")]
    fence = _fence(block.value)
    return "\n".join([heading, *quoted, "", fence, _coded(block.value, _NOT_IN_MARKDOWN), fence])


def _fence(value: str) -> str:
    """Return a fence longer than any run of backticks in a value."""
    return "`" * max(3, 1 + max(map(len, _TICKS.findall(value)), default=0))


def _marked(text: str, marks: dict[str, str]) -> str:
    for character, entity in marks.items():  # the ampersand must be escaped first
        text = text.replace(character, entity)
    return _coded(text, _NOT_IN_XML)


def _coded(text: str, characters: re.Pattern[str]) -> str:
    return characters.sub(lambda match: f"\u241b{ord(match[0]):x};", text)
