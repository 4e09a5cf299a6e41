"""Copies of an embedded store, left in its folder by other operations.

The copies contain what was in the store when they were created, and removals do not change them.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from pathlib import Path

BESIDE = ("-wal", "-shm", "-journal")
"""Suffixes of the files that SQLite creates next to a database."""
DAMAGED = "damaged-"
"""Prefix of the name of a damaged store that was replaced by a backup."""
BEFORE_RESTORE = "before-restore-"
"""Prefix of the name of a backup that is made before a restore."""
DRAFTS = (".restoring", ".converting")
"""Suffixes of files left by an interrupted restore or conversion."""


@dataclass(frozen=True, slots=True)
class StoreCopy:
    """A copy next to the store, with the copy's log files."""

    path: str
    bytes: int


def copies(path: Path) -> tuple[StoreCopy, ...]:
    """Return the copies of a store in its folder, by name."""
    patterns = (
        f"{DAMAGED}{path.stem}*",
        f"{BEFORE_RESTORE}*",
        *(f"{path.name}{ending}*" for ending in DRAFTS),
    )
    sizes = Counter[str]()
    for pattern in patterns:
        for file in path.parent.glob(pattern):
            name = str(file)
            ending = next((item for item in BESIDE if name.endswith(item)), "")
            sizes[name.removesuffix(ending)] += file.stat().st_size
    return tuple(StoreCopy(name, size) for name, size in sorted(sizes.items()))
