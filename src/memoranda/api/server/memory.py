"""What a process that serves asks of the memory allocator."""

from __future__ import annotations

import ctypes
import sys
from contextlib import suppress

ARENAS = 2
"""Pools of memory that threads share. With glibc's eight for each processor, each of a server's
threads keeps what its largest request took: 460 MB in place of 330 at 100,000 memories, and a
quarter of a megabyte more with every second of a load; requests take the same time."""
M_ARENA_MAX = -8
"""mallopt(3)."""


def share_arenas() -> None:
    """Have the threads of this process share few pools, where it can be said (glibc). To be called
    before there are threads."""
    if sys.platform.startswith("linux"):
        with suppress(OSError, AttributeError):  # another C library
            ctypes.CDLL(None).mallopt(M_ARENA_MAX, ARENAS)
