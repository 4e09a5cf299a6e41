"""Two people changed one text at once: what both wanted, in one text that loses no line."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

MOST_LINES = 2_000
LONGEST = 200_000
"""Characters of a text; longer ones are put together by hand."""


@dataclass(frozen=True, slots=True)
class MergedText:
    """A text with the changes of both."""

    text: str
    clashes: tuple[int, ...]
    """Lines of it, from 1, at which both changed the same passage: theirs stands there, then ours.
    Somebody has to look."""


@dataclass(frozen=True, slots=True)
class _Change:
    """Lines of the base from ``start`` up to ``end``, and what one of the two put there."""

    start: int
    end: int
    lines: tuple[str, ...]
    ours: bool


def merged(base: str, theirs: str, ours: str) -> MergedText | None:
    """Return a text with what both changed of the base; None where the texts are too long for it.

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
    """Return changes that touch the same lines together."""
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
    """Return the lines of a passage as one of the two has them; None where they left it alone."""
    changes = [one for one in group if one.ours is ours]
    if not changes:
        return None
    made: list[str] = []
    at = start
    for one in changes:
        made += [*old[at : one.start], *one.lines]
        at = one.end
    return [*made, *old[at:end]]
