"""Sortable identifiers (UUID version 7, RFC 9562, section 5.7), and trace ids."""

from __future__ import annotations

import os
import secrets
import threading
import uuid
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar

from memoranda.clock import Clock

_SHOWN = 5
"""Maximum number of ids in a message; prefix searches return one id more."""
DRAWN = 19
"""Offset of the random part of an identifier.

The random part distinguishes identifiers created at the same time.
"""
_TRACE: ContextVar[str] = ContextVar("trace_id", default="")


class IdSource:
    """Generator of UUIDv7 strings that sort in order of creation.

    The order also applies across threads. The 12 bits after the millisecond count the identifiers
    created within that millisecond (RFC 9562, 6.2, method 1); a burst that exhausts them uses the
    next millisecond.
    """

    def __init__(self, clock: Clock, randomness: Callable[[int], bytes] = os.urandom) -> None:
        self._clock = clock
        self._randomness = randomness
        self._lock = threading.Lock()
        self._tick = 0

    def new(self) -> str:
        """Return the next identifier: 36 characters, lower case."""
        with self._lock:
            self._tick = max(self._tick + 1, (self._clock.now() // 1000) << 12)
            tick = self._tick
        millisecond, counter = tick >> 12, tick & 0xFFF
        tail = int.from_bytes(self._randomness(8), "big") & 0x3FFFFFFFFFFFFFFF
        value = (millisecond & 0xFFFFFFFFFFFF) << 80 | 0x7 << 76 | counter << 64 | 0b10 << 62 | tail
        digits = f"{value:032x}"
        return f"{digits[:8]}-{digits[8:12]}-{digits[12:16]}-{digits[16:20]}-{digits[20:]}"


def is_uuid(text: str) -> bool:
    """Return whether a string is a UUID in its canonical form."""
    try:
        return str(uuid.UUID(text)) == text.lower()
    except ValueError:
        return False


def ambiguous(kind: str, prefix: str, ids: Sequence[str]) -> str:
    """Return the error message for an ambiguous prefix, with some matches."""
    shown = ", ".join(ids[:_SHOWN]) + (" and others" if len(ids) > _SHOWN else "")
    return f"more than one {kind} begins with {prefix!r}: {shown}; use a longer prefix of the id"


def short(id: str) -> str:
    """Return the prefix of a UUIDv7 that is unique within its process."""
    return id[:18]  # the millisecond and the counter within the millisecond


def trace_id() -> str:
    """Return the trace id of the current request or command.

    It is the caller's own id if there is one, so that the journal, the log and telemetry agree. The
    result is empty outside of requests and commands.
    """
    return _TRACE.get()


@contextmanager
def traced(id: str | None = None) -> Iterator[str]:
    """Run the block with a trace id: ``id``, the current one, or a new one."""
    chosen = id or _TRACE.get() or secrets.token_hex(16)
    token = _TRACE.set(chosen)
    try:
        yield chosen
    finally:
        _TRACE.reset(token)
