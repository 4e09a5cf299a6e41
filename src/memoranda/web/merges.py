"""Three-way merge of a text that two people edited; no line is lost.

A passage that both changed gets the lines of both, the other person's first.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

MOST_LINES = 2_000
LONGEST = 200_000
"""Maximum characters of a text; longer ones are merged by hand."""


@dataclass(frozen=True, slots=True)
class MergedText:
    """A text with the changes of both sides."""

    text: str
    clashes: tuple[int, ...]
    """Lines, from 1, at which both changed the same passage.

    Theirs is there, then ours. A person has to look at them.
    """


@dataclass(frozen=True, slots=True)
class _Change:
    """Lines of the base from ``start`` up to ``end``, and their replacement."""

    start: int
    end: int
    lines: tuple[str, ...]
    ours: bool


def merged(base: str, theirs: str, ours: str) -> MergedText | None:
    """Merge the changes of both sides to the base; None for too long texts.

    A passage that both changed has the lines of both, theirs first.
    """
    texts = (base, theirs, ours)
    if any(len(one) > LONGEST or one.count("\n") >= MOST_LINES for one in texts):
        return None
    old = base.split("\n")
    changes = [*_changes(old, theirs, ours=False), *_changes(old, ours, ours=True)]
    changes.sort(key=lambda one: (one.start, one.end))
    made: list[str] = []
    clashes: list[int] = []
    at = 0
    for group in _groups(changes):
        start, end = group[0].start, max(one.end for one in group)
        made += old[at:start]
        left, right = (_side(old, group, start, end, ours=side) for side in (False, True))
        if left is not None and right is not None and left != right:
            clashes.append(len(made) + 1)
            made += [*left, *right]
        else:
            made += (left if right is None else right) or []
        at = end
    return MergedText("\n".join([*made, *old[at:]]), tuple(clashes))


def _changes(old: Sequence[str], text: str, *, ours: bool) -> list[_Change]:
    new = text.split("\n")
    codes = SequenceMatcher(None, old, new, autojunk=False).get_opcodes()
    return [_Change(a, b, tuple(new[c:d]), ours) for tag, a, b, c, d in codes if tag != "equal"]


def _groups(changes: Sequence[_Change]) -> list[list[_Change]]:
    """Group changes that affect the same lines."""
    groups: list[list[_Change]] = []
    end = -1
    for one in changes:
        if groups and (one.start < end or one.start == groups[-1][0].start):
            groups[-1].append(one)
        else:
            groups.append([one])
            end = one.end
        end = max(end, one.end)
    return groups


def _side(
    old: Sequence[str], group: Sequence[_Change], start: int, end: int, *, ours: bool
) -> list[str] | None:
    """Return the lines of a passage on one side; None if unchanged there."""
    changes = [one for one in group if one.ours is ours]
    if not changes:
        return None
    made: list[str] = []
    at = start
    for one in changes:
        made += [*old[at : one.start], *one.lines]
        at = one.end
    return [*made, *old[at:end]]
