"""Parser of patches, which change several passages or blocks, or nothing.

A patch of one block is a list of hunks, as in a unified diff. A patch of several blocks names
them::

    *** Begin Patch
    *** Add Block: decisions
    +Prices are net.
    *** Update Block: progress
    *** Move to: plan
    @@
     what stays
    -what goes
    +what comes
    *** Delete Block: scratch
    *** End Patch

The first and the last line may be left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from memoranda.blocks.hunks import applied, patch_lines, quoted, without_empty
from memoranda.exceptions import Conflict, InvalidInput, NotFound
from memoranda.text import clip

_SECTION = re.compile(r"\*\*\* (Add|Delete|Update) Block:(.*)", re.DOTALL)
_MOVE = "*** Move to:"


@dataclass(frozen=True, slots=True)
class AddedBlock:
    """A new block."""

    label: str
    value: str


@dataclass(frozen=True, slots=True)
class DeletedBlock:
    """A block to be deleted."""

    label: str


@dataclass(frozen=True, slots=True)
class UpdatedBlock:
    """A block with its new value."""

    label: str
    value: str


@dataclass(frozen=True, slots=True)
class RenamedBlock:
    """A block with its new label."""

    label: str
    new_label: str


BlockChange = AddedBlock | DeletedBlock | UpdatedBlock | RenamedBlock


@dataclass(frozen=True, slots=True)
class Patch:
    """Changes of a patch, in order."""

    changes: tuple[BlockChange, ...]


@dataclass(frozen=True, slots=True)
class _PatchSection:
    """Section of a patch for one block; ``body`` excludes the header."""

    kind: str
    label: str
    body: Sequence[str]


def patched(values: Mapping[str, str], patch: str) -> Patch:
    """Return the changes of a patch that names its blocks.

    Each section applies to the result of the sections before it.

    Raises:
        InvalidInput: the patch cannot be parsed, or a hunk does not match its block exactly once.
        NotFound: a block that the patch deletes or updates does not exist.
        Conflict: a label that the patch adds or renames a block to is taken.
    """
    new_values = dict(values)
    changes: list[BlockChange] = []
    for section in _sections(patch_lines(patch)):
        for change in _changes(section, new_values):
            _take(change, new_values)
            changes.append(change)
    return Patch(tuple(changes))


def _sections(lines: Sequence[str]) -> Iterator[_PatchSection]:
    heads = [(at, match) for at, line in enumerate(lines) if (match := _SECTION.match(line))]
    if not heads or heads[0][0] > 0:
        raise InvalidInput(
            "the patch does not name a block; pass the label, or begin with "
            "'*** Update Block: label', '*** Add Block: label' or '*** Delete Block: label'"
        )
    ends = [at for at, _ in heads[1:]] + [len(lines)]
    for (at, match), end in zip(heads, ends, strict=True):
        label = _label(match[2], lines[at])
        yield _PatchSection(match[1], label, without_empty(lines[at + 1 : end]))


def _label(text: str, line: str) -> str:
    if not text.strip():
        raise InvalidInput(f"{quoted(line)} has no block label; write the label after the colon")
    return text.strip()


def _changes(section: _PatchSection, values: Mapping[str, str]) -> Iterator[BlockChange]:
    label, body = section.label, section.body
    if section.kind == "Add":
        yield AddedBlock(label, _new_value(section))
    elif section.kind == "Delete":
        if body:
            raise InvalidInput(f"nothing may follow the deletion of block {label!r}")
        yield DeletedBlock(label)
    else:
        yield from _update(label, body, values)


def _new_value(section: _PatchSection) -> str:
    for line in section.body:
        if not line.startswith("+"):
            raise InvalidInput(
                f"every line of the new block {section.label!r} must begin with '+', but one of"
                f" them is "
                f"{quoted(line)}"
            )
    return "\n".join(line[1:] for line in section.body)


def _update(label: str, body: Sequence[str], values: Mapping[str, str]) -> Iterator[BlockChange]:
    moved = bool(body) and body[0].startswith(_MOVE)
    hunks = body[1:] if moved else body
    if hunks or not moved:
        yield UpdatedBlock(label, applied(_value_of(values, label), hunks, f"block {label!r}"))
    if moved:
        yield RenamedBlock(label, _label(body[0].removeprefix(_MOVE), body[0]))


def _value_of(values: Mapping[str, str], label: str) -> str:
    if label not in values:
        labels = ", ".join(map(repr, sorted(values))) or "none"
        raise NotFound(f"no block {label!r} to change; existing blocks: {clip(labels, 500)}")
    return values[label]


def _take(change: BlockChange, values: dict[str, str]) -> None:
    """Apply a change to the values that later sections use."""
    taken = change.new_label if isinstance(change, RenamedBlock) else change.label
    if isinstance(change, AddedBlock | RenamedBlock) and taken in values:
        raise Conflict(f"a block {taken!r} already exists; update it, or choose another label")
    if isinstance(change, AddedBlock | UpdatedBlock):
        values[change.label] = change.value
        return
    value = _value_of(values, change.label)
    del values[change.label]
    if isinstance(change, RenamedBlock):
        values[taken] = value
