"""Ids of imported rows: kept, or derived from the archive and the old id.

A second import of the same archive derives the same ids, so that existing rows are recognised.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Set
from enum import StrEnum

_KEPT_BITS = 64
"""Number of leading bits that determine the order of ids: time and count."""
_TAIL = (1 << 62) - 1
_COUNT = (1 << 12) - 1
"""Mask of the bits for the count within a millisecond, the last of the kept bits."""
_MAX_ADDED = 2_048


class IdPolicy(StrEnum):
    """Handling of ids in an import."""

    KEEP = "keep"
    RENEW = "renew"


class IdRenewal:
    """Returns the id under which a row is stored.

    A new id has the time of the old id, so that the order is preserved, and a different count, so
    that the two ids differ in the part that is displayed. The same archive yields the same new ids,
    so that a second import recognises the rows that the first import stored.
    """

    def __init__(self, ids: IdPolicy, digest: str, existing: Mapping[str, Set[bytes]]) -> None:
        """Prepare the ids; ``existing`` contains the archive's packed ids by kind."""
        self.renews = ids is IdPolicy.RENEW
        self._seed = bytes.fromhex(digest)
        self._added = 1 + int.from_bytes(self._seed[:8], "big") % _MAX_ADDED
        self._known = existing

    def id(self, old: str) -> str:
        """Return the id under which a row of the archive is stored."""
        if not self.renews:
            return old
        head = int(old.replace("-", ""), 16) >> _KEPT_BITS
        head = head & ~_COUNT | (head + self._added) & _COUNT
        drawn = hashlib.sha256(self._seed + old.encode()).digest()[:8]
        tail = 0b10 << 62 | int.from_bytes(drawn, "big") & _TAIL
        digits = f"{head << _KEPT_BITS | tail:032x}"
        return f"{digits[:8]}-{digits[8:12]}-{digits[12:16]}-{digits[16:20]}-{digits[20:]}"

    def reference(self, kind: str, old: str) -> str:
        """Return the id of a row that may not be in the archive.

        If the row is not in the archive, its id is unchanged.
        """
        return self.id(old) if packed(old) in self._known.get(kind, ()) else old

    def name(self, old: str, id: str) -> str:
        """Return a name, unique in the team, for the row with the new ``id``."""
        return f"{old}@{id}" if self.renews else old

    def event_key(self, old: str, id: str) -> str:
        """Return the event key of the observation with the new ``id``."""
        return hashlib.sha256(f"{old}\0{id}".encode()).hexdigest()[:32] if self.renews else old


def packed(id: str) -> bytes:
    """Return an id as 16 bytes."""
    return bytes.fromhex(id.replace("-", ""))
