"""Sign bit blocks: one bit per vector dimension, scanned first.

The sign bits of a vector, computed after subtracting the mean of its model, suffice to select the
few hundred of a hundred thousand vectors that must be compared. For 384 dimensions the sign bits
take 48 bytes, and the vector takes 768.
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
"""Id and checksum, since an id alone could be reused after a restore."""

FULL = 4_096
"""Number of passages in a sealed block."""
CACHED_BYTES = 256 << 20
WORD = 64
AT_ONCE = 32_768
"""Number of passages that a scan processes at a time, chosen to fit the CPU cache."""


@dataclass(frozen=True, slots=True, eq=False)
class VectorBlock:
    """Passages and their sign bits.

    The sign bits are stored word by word so that a scan reads memory sequentially.
    """

    docids: Docids
    """(n,) int64"""
    codes: Codes
    """(words, n) uint64"""

    @property
    def nbytes(self) -> int:
        """Return the memory size of the block in bytes."""
        return self.docids.nbytes + self.codes.nbytes

    def without(self, docids: Docids) -> VectorBlock:
        """Return the block without some passages."""
        remaining = ~np.isin(self.docids, docids)
        return VectorBlock(self.docids[remaining], np.ascontiguousarray(self.codes[:, remaining]))

    def checksum(self) -> int:
        """Return a CRC-32 of the block's content."""
        return zlib.crc32(self.codes.tobytes(), zlib.crc32(self.docids.tobytes()))


def joined(blocks: Sequence[VectorBlock]) -> VectorBlock:
    """Return one block merged from at least one block, in order."""
    if len(blocks) == 1:
        return blocks[0]
    return VectorBlock(
        np.concatenate([block.docids for block in blocks]),
        np.concatenate([block.codes for block in blocks], axis=1),
    )


def read_block(docids: bytes, codes: bytes) -> VectorBlock:
    """Parse a stored block; raise ValueError if the sizes do not match."""
    numbers = np.frombuffer(docids, np.int64)
    if not len(numbers):
        return VectorBlock(numbers, np.zeros((0, 0), np.uint64))
    return VectorBlock(numbers, np.frombuffer(codes, np.uint64).reshape(-1, len(numbers)))


def signs(vectors: Vectors, centre: Vectors) -> Codes:
    """Return the sign bit of each dimension, 64 per word: (words, n) uint64."""
    bits = vectors > centre
    if missing := -bits.shape[1] % WORD:
        bits = np.pad(bits, ((0, 0), (0, missing)))
    return np.ascontiguousarray(np.packbits(bits, axis=1).view(np.uint64).T)


def distances(block: VectorBlock, code: Codes) -> NDArray[np.uint16]:
    """Return the Hamming distance between a code and each passage's sign bits.

    The array is (n,) uint16.
    """
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
    """Cache of blocks, merged by scope. The content under a name never changes."""

    def __init__(self, limit: int = CACHED_BYTES) -> None:
        self._limit = limit
        self._cached: OrderedDict[tuple[BlockName, ...], VectorBlock] = OrderedDict()
        self._lock = threading.Lock()

    def get(
        self, wanted: Sequence[BlockName], load: Callable[[BlockName], VectorBlock]
    ) -> VectorBlock:
        """Return the blocks merged into one.

        Only the blocks after the longest cached prefix are loaded.
        """
        names = tuple(wanted)
        with self._lock:
            prefix = self._longest_prefix(names)
            blocks = [self._cached[prefix]] if prefix else []
        blocks += [load(name) for name in names[len(prefix) :]]
        block = joined(blocks)
        with self._lock:
            if prefix != names:
                self._cached.pop(prefix, None)
            self._cached[names] = block
            self._cached.move_to_end(names)
            while len(self._cached) > 1 and self._size() > self._limit:
                self._cached.popitem(last=False)
        return block

    def _longest_prefix(self, names: tuple[BlockName, ...]) -> tuple[BlockName, ...]:
        if names in self._cached:
            return names
        begun = [cached for cached in self._cached if names[: len(cached)] == cached]
        return max(begun, key=len, default=())

    def _size(self) -> int:
        return sum(block.nbytes for block in self._cached.values())
