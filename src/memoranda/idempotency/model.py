"""The stored first answer to a request, returned for the same key."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class IdempotencyRecord:
    """Request with an idempotency key. Without a status it is unfinished."""

    team: str
    caller: str
    key: str
    request_hash: str
    """Hash of the request, so a key is not used for another request."""
    status: int | None
    body: str | None
    """Body; None: the answer is no longer stored, or was too large."""
    created_at: int
