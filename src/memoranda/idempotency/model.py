"""The stored first answer to a request, returned for the same key."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class IdempotencyRecord:
    """Request with an idempotency key; unfinished if it has no status."""

    team: str
    caller: str
    key: str
    request_hash: str
    """Hash of the request, so a key is not used for another request."""
    status: int | None
    body: str | None
    """Response body; None: no longer stored, or too large."""
    created_at: int
