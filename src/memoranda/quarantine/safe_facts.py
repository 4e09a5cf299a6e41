"""Removes lines that may be instructions from external text.

Other lines are kept, unless the complete text would be quarantined. Unlike `suspicion`, which must
be precise, this filter may remove too much: a search still finds a line that was removed by
mistake.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from functools import cache, lru_cache
from importlib.resources import files

from memoranda.quarantine.normalization import fold
from memoranda.quarantine.order_detection import suspicion

_GAPS = re.compile(r"(\n| · | → | ⇒ | … )")
_SENTENCES = re.compile(r"(?<=[.!?;])[ \t]{1,4}(?=\S)")
_WORD = re.compile(r"(?<![\w/.@:=-])[a-z']{2,20}(?![\w/=-]|\.\w)")
"""A prose word that is not part of a path, name or option."""
_IMITATES = re.compile(
    r"</?(?:memoranda[\w-]*|errors?-to-avoid|standing-instructions|critical-facts|user-statements"
    r"|blocks|profile|memories|system(?:[_-](?:reminder|prompt|message))?|assistant|human"
    r"|tool[_-](?:result|use|response|call)|function[_-](?:results?|calls?)|(?:im|start)_(?:start|end))"
    r"(?:\s[^<>]{0,80})?>"
    r"|<\|im_(?:start|end)\|>|\[/?inst\]"
    r"|[>\])]\s{0,4}(?:system|human|assistant|user|developer):\s"
)
"""Imitation of the markup of a context, or of another speaker, in a folded line."""
_START = re.compile(
    r"[\W_\d]{0,12}(?:[a-z ]{1,24}[:>] ?[\W_]{0,4})?(?:(?:now|then|just|next|first|also|important"
    r"|important:)[ ,]{1,3}){0,2}([a-z]{2,20})[ ](?=[\w\"'`~./<@(*-])"
)
"""First word of a sentence, after bullets, numbers and a label."""


@lru_cache(4_096)  # most lines of a context were already in the previous context
def facts(text: str, *, titled: bool = False) -> str:
    """Return a text without the lines that could contain an instruction.

    Args:
        titled: whether the text begins with a title of the action, such as "Read notes.md", which
            an arrow or a line break separates from the result of the action.
    """
    first, *rest = _lines(text)
    title, lines = ([first], rest) if titled else ([], [first, *rest])
    safe = [(gap, part) for gap, line in lines if (part := _safe_part(line))]
    if safe and suspicion("".join(map("".join, lines))):
        safe = []
    safe = [one for one in title if not _could_order(one[1], begins=True)] + safe
    return "".join(
        f"{gap if place else ''}{line}" for place, (gap, line) in enumerate(safe)
    ).strip()


def _safe_part(line: str) -> str:
    """Return a line up to the first sentence that may be an instruction.

    An error often ends with advice: "failed to find libmagic. Check your installation".
    """
    if not _could_order(line, begins=False):
        return line
    at = 0
    for end in _SENTENCES.finditer(line):
        if _could_order(line[at : end.start()], begins=False):
            break
        at = end.end()
    safe = line[:at].rstrip()
    return safe if any(map(str.isalpha, safe)) else ""


def _lines(text: str) -> Iterator[tuple[str, str]]:
    """Yield the lines or parts of a text, each with the preceding separator."""
    pieces = _GAPS.split(text)
    yield "", pieces[0]
    yield from zip(pieces[1::2], pieces[2::2], strict=True)


def _could_order(line: str, *, begins: bool) -> bool:
    """Return whether a line may be an instruction or is blank."""
    if not line.strip():
        return True
    folded = fold(line).text
    if _IMITATES.search(folded):
        return True
    cues = _cues()
    prose = _WORD.findall(folded)
    if not (cues["speaks"].isdisjoint(prose) and cues["claims"].isdisjoint(prose)):
        return True
    if any(phrase in folded for phrase in cues["phrases"]):
        return True
    starts = () if begins else map(_START.match, _SENTENCES.split(folded))
    return any(first and first[1] in cues["starts"] for first in starts)


@cache
def _cues() -> Mapping[str, frozenset[str]]:
    groups = json.loads(files(__package__).joinpath("orders.json").read_text("utf-8"))
    return {
        name: frozenset(patterns.split() if isinstance(patterns, str) else patterns)
        for name, patterns in groups.items()
    }
