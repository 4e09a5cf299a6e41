"""Binary format of a record's features, decoded for hundreds at once.

Layout, little-endian: a header of 24 bytes, 12 bytes for each passage, then 4 bytes for each term:
the number of its stem, in the order of the text, passage by passage.
"""

from __future__ import annotations

import struct
from array import array
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from memoranda.search.passage_splitter import SHORT, TextPassage
from memoranda.search.text_cues import TextCues

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

VERSION = 4
"""Version of the analysis and the layout.

Entries of another version are recreated.
"""

_HEAD = struct.Struct("<bBBBBxxxIIII")
_PASSAGE = struct.Struct("<III")
_ROLE, _CHARS, _CHARS_AT = struct.Struct("<b"), struct.Struct("<I"), 12
HEAD_FIELDS = [
    ("role", "i1"), ("time", "u1"), ("number", "u1"), ("first_person", "u1"), ("capitals", "u1"),
    ("spare", "V3"), ("speaker", "<u4"), ("chars", "<u4"), ("distinct", "<u4"), ("passages", "<u4"),
]  # fmt: skip
PASSAGE_FIELDS = [("start", "<u4"), ("length", "<u4"), ("words", "<u4")]


@dataclass(frozen=True, slots=True)
class Features:
    """Result of the analysis of one record."""

    role: int
    """Role of the speaker.

    1: the user of an assistant, -1: an assistant or tool, 0: one of several people.
    """
    speaker: int
    """Number that represents the first word of a person's name; 0 for roles."""
    chars: int
    cues: TextCues
    passages: Sequence[TextPassage]
    words: Sequence[Sequence[int]]
    """Numbers of the stems in each passage."""

    def packed(self) -> bytes:
        """Return the record as it is stored."""
        cues = self.cues
        distinct = len(set().union(*self.words))
        head = _HEAD.pack(
            self.role,
            cues.time,
            cues.number,
            cues.first_person,
            cues.capitals,
            self.speaker,
            self.chars,
            distinct,
            len(self.passages),
        )
        parts = [head]
        parts += [
            _PASSAGE.pack(passage.start, passage.length, len(words))
            for passage, words in zip(self.passages, self.words, strict=True)
        ]
        parts += [array("I", words).tobytes() for words in self.words]
        return b"".join(parts)


@dataclass(frozen=True, slots=True, eq=False)
class FeatureTable:
    """Features of many records in columns."""

    heads: NDArray[np.void]
    """Array (n,) of `HEAD_FIELDS`."""
    passages: NDArray[np.void]
    """Array (m,) of `PASSAGE_FIELDS`, in record order."""
    words: NDArray[np.uint32]
    """Numbers of all stems, in passage order."""


def read_features(packed: Sequence[bytes]) -> FeatureTable:
    """Unpack the features of at least one record."""
    import numpy as np

    heads = np.frombuffer(b"".join([data[: _HEAD.size] for data in packed]), HEAD_FIELDS)
    ends = (_HEAD.size + _PASSAGE.size * heads["passages"].astype(np.int64)).tolist()
    tables = b"".join([data[_HEAD.size : end] for data, end in zip(packed, ends, strict=True)])
    words = b"".join([data[end:] for data, end in zip(packed, ends, strict=True)])
    return FeatureTable(
        heads, np.frombuffer(tables, PASSAGE_FIELDS), np.frombuffer(words, np.uint32)
    )


def read_passages(packed: bytes) -> list[TextPassage]:
    """Return the positions of one record's passages."""
    count = _HEAD.unpack_from(packed)[-1]
    end = _HEAD.size + _PASSAGE.size * count
    found = _PASSAGE.iter_unpack(packed[_HEAD.size : end])
    return [TextPassage(start, length) for start, length, _ in found]


def is_short(packed: bytes) -> bool:
    """Return whether a record is so short that adjacent turns are used."""
    return bool(_CHARS.unpack_from(packed, _CHARS_AT)[0] <= SHORT)


def role_of(packed: bytes) -> int:
    """Return the role of a record's speaker."""
    return int(_ROLE.unpack_from(packed)[0])
