"""The stored first response to a request, returned for the same key."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class IdempotencyRecord:
    """Request with an idempotency key; unfinished if it has no status."""

    team: str
    caller: str
    key: str
    request_hash: str
    """Hash of the request, which prevents the key from being reused for another request."""
    status: int | None
    body: str | None
    """Response body; None if the body was too large or is no longer stored."""
    created_at: int
