"""Trace id of the request or command on whose behalf code runs.

It is the caller's own id if there is one, so that the journal, the log and telemetry agree.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_CURRENT: ContextVar[str] = ContextVar("trace_id", default="")


def trace_id() -> str:
    """Return the current trace id; empty outside of requests and commands."""
    return _CURRENT.get()


@contextmanager
def traced(id: str | None = None) -> Iterator[str]:
    """Run the block under a trace id: ``id``, the current one, or a new one."""
    chosen = id or _CURRENT.get() or secrets.token_hex(16)
    token = _CURRENT.set(chosen)
    try:
        yield chosen
    finally:
        _CURRENT.reset(token)
