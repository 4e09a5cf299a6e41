"""The first answer to a request, kept for those who ask again under the same key."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class IdempotencyRecord:
    """One request that is known by its key. Without a status it was begun and not finished."""

    team: str
    caller: str
    key: str
    request_hash: str
    """Of what was asked for, so that a key is not taken for another request."""
    status: int | None
    body: str | None
    """None: the answer is kept no longer, or was too large."""
    created_at: int
