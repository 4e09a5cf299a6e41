"""Reading and validation of the rows of an archive."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol, TypeAlias

from memoranda.archive.format import Manifest
from memoranda.archive.kinds import (
    BLOCK_VERSIONS,
    BLOCKS,
    CHECKPOINTS,
    KINDS,
    MEMORIES,
    OBSERVATIONS,
    TASK_STATES,
    TASKS,
    RowKind,
)
from memoranda.archive.new_ids import packed
from memoranda.archive.rows import Row
from memoranda.archive.writer import STEP, Progress
from memoranda.archive.zip_archive import naming_archive
from memoranda.checkpoints.model import checked_state
from memoranda.exceptions import InvalidInput
from memoranda.json_data import map_texts, parse_json
from memoranda.memories.model import Visibility
from memoranda.observations.model import ContentFormat
from memoranda.text import normalise

_REFERRED = frozenset(
    kind for row_kind in KINDS for kind in {**row_kind.inside, **row_kind.around}.values()
)


class RowSource(Protocol):
    """Source of the rows of every kind, one row per line.

    A row source is an open archive, or a substitute for an archive.
    """

    @property
    def path(self) -> Path:
        """File that the rows come from."""
        ...

    @property
    def manifest(self) -> Manifest:
        """Manifest of the rows."""
        ...

    def lines(self, name: str) -> Iterator[bytes]:
        """Yield the lines of a member, without line ends."""
        ...


@dataclass(slots=True)
class ArchiveContents:
    """Ids and counts that are kept from an archive after its validation."""

    ids: dict[str, set[bytes]] = field(default_factory=dict)
    """Packed ids by kind."""
    lengths: dict[bytes, int] = field(default_factory=dict)
    """Number of observations by task."""
    versions: dict[bytes, int] = field(default_factory=dict)
    """Newest version by block."""
    unread: set[bytes] = field(default_factory=set)
    """Blocks whose newest version has not been read yet."""


def read(archive: RowSource, kind: RowKind) -> Iterator[Row]:
    """Yield the rows of a kind in the order of their key, with all fields.

    Raises:
        CorruptData: the member is damaged.
        InvalidInput: a row does not match the kind, or is out of order.
    """
    if kind.member not in archive.manifest.members:
        return
    before: tuple[Any, ...] | None = None
    for number, line in enumerate(archive.lines(kind.member), 1):
        with naming_archive(archive.path):
            place = f"{kind.member}, line {number}"
            row = _row(kind, line, place)
            key = tuple(row[name] for name in kind.key)
            if before is not None and key <= before:
                raise InvalidInput(f"{place}: not in the order of {', '.join(kind.key)}")
            before = key
        yield row


def check(archive: RowSource, progress: Progress = lambda *_: None) -> ArchiveContents:
    """Read an archive once, and validate everything that an import relies on.

    Raises:
        CorruptData: a member is damaged, or does not match the manifest.
        InvalidInput: a row is not acceptable, or refers to a row that does not exist.
    """
    contents = ArchiveContents()
    for kind in KINDS:
        ids = contents.ids.setdefault(kind.name, set())
        for number, row in enumerate(read(archive, kind), 1):
            with naming_archive(archive.path):
                _require_consistent(kind, row, contents, f"{kind.member}, line {number}")
            if kind.name in _REFERRED:
                ids.add(packed(row["id"]))
            if number % STEP == 0:
                progress(f"checking {kind.name}", number)
    if contents.unread:
        with naming_archive(archive.path):
            raise InvalidInput(f"{BLOCK_VERSIONS.member}: the newest version of a block is missing")
    return contents


def _row(kind: RowKind, line: bytes, place: str) -> Row:
    try:
        value = parse_json(line)
    except InvalidInput as error:
        raise InvalidInput(f"{place}: {error}") from error
    if not isinstance(value, dict) or value.keys() != kind.fields.keys():
        raise InvalidInput(f"{place}: not an object with exactly the fields of {kind.name}")
    row = {name: map_texts(item, normalise) for name, item in value.items()}
    for name, wanted in kind.fields.items():
        if not wanted.fits(row[name]):
            raise InvalidInput(f"{place}: {name} is not {wanted.says}")
    return row


def _require_consistent(kind: RowKind, row: Row, contents: ArchiveContents, place: str) -> None:
    for name, of in kind.inside.items():
        if row[name] is not None and packed(row[name]) not in contents.ids[of]:
            raise InvalidInput(f"{place}: {name} is not one of the {of} in the archive")
    further = _FURTHER.get(kind.name)
    if further is not None:
        try:
            further(row, contents)
        except InvalidInput as error:
            raise InvalidInput(f"{place}: {error}") from error


def _task(row: Row, contents: ArchiveContents) -> None:
    contents.lengths[packed(row["id"])] = row["observations"]


def _observation(row: Row, contents: ArchiveContents) -> None:
    if row["sequence"] > contents.lengths[packed(row["task"])]:
        raise InvalidInput("sequence is greater than the number of observations of its task")
    if row["format"] == ContentFormat.TOOL:
        parse_json(row["content"])


def _memory(row: Row, _: ArchiveContents) -> None:
    if row["visibility"] == Visibility.AGENT and row["agent"] is None:
        raise InvalidInput("a private memory must have an agent")


def _block(row: Row, contents: ArchiveContents) -> None:
    contents.versions[packed(row["id"])] = row["version"]
    contents.unread.add(packed(row["id"]))


def _block_version(row: Row, contents: ArchiveContents) -> None:
    block = packed(row["block"])
    if row["version"] > contents.versions[block]:
        raise InvalidInput("version is greater than the newest version of its block")
    if row["version"] == contents.versions[block]:
        contents.unread.discard(block)


def _checkpoint(row: Row, contents: ArchiveContents) -> None:
    for entry in row["blocks"]:
        if entry["version"] > contents.versions.get(packed(entry["block"]), 0):
            raise InvalidInput("blocks contains a version that is not in the archive")
    if len({entry["block"] for entry in row["blocks"]}) < len(row["blocks"]):
        raise InvalidInput("a checkpoint contains a block twice")
    _state(row, contents)


def _state(row: Row, _: ArchiveContents) -> None:
    checked_state(parse_json(row["state"]))


_Further: TypeAlias = Callable[[Row, ArchiveContents], None]
_FURTHER: Mapping[str, _Further] = {
    TASKS.name: _task,
    OBSERVATIONS.name: _observation,
    MEMORIES.name: _memory,
    BLOCKS.name: _block,
    BLOCK_VERSIONS.name: _block_version,
    CHECKPOINTS.name: _checkpoint,
    TASK_STATES.name: _state,
}
