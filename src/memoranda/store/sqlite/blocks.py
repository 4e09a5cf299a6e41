"""Blocks of signs: one bit for each dimension of each vector, scanned before the vectors are.

A vector's signs, after the mean of its model was subtracted, tell well enough which few hundred of
a hundred thousand vectors to look at: 48 bytes a passage of 384 dimensions in place of 768.
"""

from __future__ import annotations

import threading
import zlib
from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from memoranda.ports import Vectors

    Docids: TypeAlias = NDArray[np.int64]
    Codes: TypeAlias = NDArray[np.uint64]

BlockName: TypeAlias = tuple[int, int]
"""Id and checksum: an id alone could be given again after a restore."""

FULL = 4_096
"""Passages of a sealed block."""
CACHED_BYTES = 256 << 20
WORD = 64
AT_ONCE = 32_768
"""Passages that a scan counts at a time, so that its sums stay in the processor's cache."""


@dataclass(frozen=True, slots=True, eq=False)
class VectorBlock:
    """Passages and their signs, word by word so that a scan runs along memory."""

    docids: Docids
    """(n,) int64"""
    codes: Codes
    """(words, n) uint64"""

    @property
    def nbytes(self) -> int:
        """How much memory it takes."""
        return self.docids.nbytes + self.codes.nbytes

    def without(self, docids: Docids) -> VectorBlock:
        """Return the block without some passages."""
        kept = ~np.isin(self.docids, docids)
        return VectorBlock(self.docids[kept], np.ascontiguousarray(self.codes[:, kept]))

    def checksum(self) -> int:
        """Return a CRC-32 of what it holds."""
        return zlib.crc32(self.codes.tobytes(), zlib.crc32(self.docids.tobytes()))


def joined(blocks: Sequence[VectorBlock]) -> VectorBlock:
    """Return the blocks as one, in order; at least one must be given."""
    if len(blocks) == 1:
        return blocks[0]
    return VectorBlock(
        np.concatenate([block.docids for block in blocks]),
        np.concatenate([block.codes for block in blocks], axis=1),
    )


def read_block(docids: bytes, codes: bytes) -> VectorBlock:
    """Read a block as it is stored; ValueError when the sizes do not fit together."""
    numbers = np.frombuffer(docids, np.int64)
    if not len(numbers):
        return VectorBlock(numbers, np.zeros((0, 0), np.uint64))
    return VectorBlock(numbers, np.frombuffer(codes, np.uint64).reshape(-1, len(numbers)))


def signs(vectors: Vectors, centre: Vectors) -> Codes:
    """Return one bit for each dimension, 64 to a word: (words, n) uint64."""
    bits = vectors > centre
    if missing := -bits.shape[1] % WORD:
        bits = np.pad(bits, ((0, 0), (0, missing)))
    return np.ascontiguousarray(np.packbits(bits, axis=1).view(np.uint64).T)


def distances(block: VectorBlock, code: Codes) -> NDArray[np.uint16]:
    """Return in how many signs each passage differs from one code: (n,) uint16."""
    total = np.zeros(len(block.docids), np.uint16)
    differing, counted = np.empty(AT_ONCE, np.uint64), np.empty(AT_ONCE, np.uint8)
    for start in range(0, len(total), AT_ONCE):
        part = total[start : start + AT_ONCE]
        bits, count = differing[: len(part)], counted[: len(part)]
        for row, word in zip(block.codes[:, start : start + AT_ONCE], code[:, 0], strict=True):
            np.bitwise_count(np.bitwise_xor(row, word, out=bits), out=count)
            part += count
    return total


class VectorBlockCache:
    """Blocks that were read before, joined by scope. What a name stands for never changes."""

    def __init__(self, limit: int = CACHED_BYTES) -> None:
        self._limit = limit
        self._held: OrderedDict[tuple[BlockName, ...], VectorBlock] = OrderedDict()
        self._lock = threading.Lock()

    def get(
        self, wanted: Sequence[BlockName], load: Callable[[BlockName], VectorBlock]
    ) -> VectorBlock:
        """Return blocks as one; only those after the longest beginning that is held are loaded."""
        names = tuple(wanted)
        with self._lock:
            known = self._longest_beginning(names)
            found = [self._held[known]] if known else []
        found += [load(name) for name in names[len(known) :]]
        block = joined(found)
        with self._lock:
            if known != names:
                self._held.pop(known, None)
            self._held[names] = block
            self._held.move_to_end(names)
            while len(self._held) > 1 and self._size() > self._limit:
                self._held.popitem(last=False)
        return block

    def _longest_beginning(self, names: tuple[BlockName, ...]) -> tuple[BlockName, ...]:
        if names in self._held:
            return names
        begun = [held for held in self._held if names[: len(held)] == held]
        return max(begun, key=len, default=())

    def _size(self) -> int:
        return sum(block.nbytes for block in self._held.values())
