"""Parts of a pattern: reason, alternative, applicability and examples.

They are lines at the end of the memory's content, so that search, contexts and exports include
them.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from memoranda.text import one_line, text_lines

_LABELS = {
    "reason": "Reason",
    "alternative": "Instead",
    "applies_to": "Applies to",
    "examples": "Example",
}
_LINE = re.compile(rf"({'|'.join(_LABELS.values())}): (\S.*)")


@dataclass(frozen=True, slots=True)
class PatternParts:
    """Details of a pattern: reason, alternative and scope."""

    reason: str = ""
    """Reason of the pattern."""
    alternative: str = ""
    """What to do instead."""
    applies_to: tuple[str, ...] = ()
    """Where it applies, such as a language, a workspace or a folder."""
    examples: tuple[str, ...] = ()


def content_with(content: str, parts: PatternParts) -> str:
    """Return a content with the parts appended as lines."""
    fields: Sequence[tuple[str, str]] = [
        ("reason", parts.reason),
        ("alternative", parts.alternative),
        ("applies_to", ", ".join(one for one in map(one_line, parts.applies_to) if one)),
        *(("examples", one) for one in parts.examples),
    ]
    lines = [f"{_LABELS[name]}: {one_line(text)}" for name, text in fields if one_line(text)]
    return "\n".join([content.rstrip(), *lines]) if lines else content


def parts_of(content: str) -> PatternParts:
    """Parse the parts at the end of a content; empty if there are none."""
    found: dict[str, list[str]] = {name: [] for name in _LABELS}
    names = {label: name for name, label in _LABELS.items()}
    for line in reversed(text_lines(content)[1:]):
        part = _LINE.fullmatch(line)
        if part is None:
            break
        found[names[part[1]]].insert(0, part[2].strip())
    return PatternParts(
        reason=" ".join(found["reason"]),
        alternative=" ".join(found["alternative"]),
        applies_to=tuple(
            one.strip() for line in found["applies_to"] for one in line.split(",") if one.strip()
        ),
        examples=tuple(found["examples"]),
    )
