"""Idempotency keys: a repeated request is carried out once.

A repeated request gets the stored response. The key is stored before the operation begins, and the
response after the operation has ended. If a crash leaves a key without a response, this is
reported: it is unknown whether the operation was carried out, and the operation is not repeated.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass

from memoranda.api.service import Service
from memoranda.clock import MICROSECONDS
from memoranda.exceptions import Conflict, InvalidInput
from memoranda.idempotency import table as kept_answers
from memoranda.idempotency.model import IdempotencyRecord
from memoranda.identity.principal import Principal
from memoranda.store.database import Database, Transaction

HEADER = "Idempotency-Key"
KEEP = 24 * 3_600 * MICROSECONDS
"""How long a key is stored."""
RUNNING = 60 * MICROSECONDS
"""How long a started request is assumed to be running."""
LARGEST = 1_000_000
"""Maximum number of characters of a response that is stored.

For a larger response, only the fact that it was sent is recorded.
"""
_KEY = re.compile(r"[!-~]{1,200}")


class RequestInProgress(Conflict):
    """The same request is being processed; retry in a moment."""

    retry_after = 1


@dataclass(frozen=True, slots=True)
class StoredAnswer:
    """A stored response."""

    status: int
    body: str


class IdempotentRequest:
    """Request with an idempotency key, sent by a caller."""

    def __init__(self, service: Service, principal: Principal, key: str, content: bytes) -> None:
        """Create the record of a request, which ``content`` identifies.

        Raises:
            InvalidInput: the key is invalid.
        """
        if not _KEY.fullmatch(key):
            raise InvalidInput(f"{HEADER} must have 1 to 200 visible ASCII characters")
        service.home.sanitiser.checked_name(HEADER, key)
        self._database: Database = service.home.database.of(principal.team)
        self._clock = service.home.clock
        self._team = principal.team
        self._caller = f"{principal.role} {principal.subject} {principal.agent or ''}"
        self._key = key
        self._hash = hashlib.sha256(content).hexdigest()

    def begin(self) -> StoredAnswer | None:
        """Reserve the key, or return the response stored for it.

        Raises:
            InvalidInput: the key belongs to another request.
            Conflict: the request is being processed, was interrupted, or its response is no longer
                stored.
        """
        now = self._clock.now()
        record = self._database.write(lambda tx: self._reserve(tx, now))
        if record is None:
            return None
        if record.request_hash != self._hash:
            raise InvalidInput(f"this {HEADER} was used for another request; choose a new one")
        if record.status is None:
            raise self._unfinished(now - record.created_at)
        if record.body is None:
            raise Conflict(
                "this request was carried out, but its response is no longer stored; check "
                "the state before you retry with another key"
            )
        return StoredAnswer(record.status, record.body)

    def finish(self, status: int, body: str, *, secret: bool = False) -> None:
        """Store the response; if it has a secret, store only that it was sent."""
        stored_body = None if secret or len(body) > LARGEST else body
        self._database.write(
            lambda tx: kept_answers.finish(
                tx, self._team, self._caller, self._key, status, stored_body
            )
        )

    def release(self) -> None:
        """Release the key of a request that changed nothing."""
        self._database.write(
            lambda tx: kept_answers.release(tx, self._team, self._caller, self._key)
        )

    def _reserve(self, tx: Transaction, now: int) -> IdempotencyRecord | None:
        kept_answers.drop_before(tx, self._team, now - KEEP)
        begun = IdempotencyRecord(self._team, self._caller, self._key, self._hash, None, None, now)
        if kept_answers.reserve(tx, begun):
            return None
        return kept_answers.of(tx, self._team, self._caller, self._key)

    def _unfinished(self, age: int) -> Conflict:
        if age < RUNNING:
            return RequestInProgress("the same request is in progress; try again in a moment")
        return Conflict(
            "the same request was interrupted, and its result is unknown. Check the current "
            "data before you send it with another key"
        )
