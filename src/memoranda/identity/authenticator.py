"""Resolves a credential (key, token or owner's token) to a principal."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace

from memoranda.clock import MICROSECONDS, Clock
from memoranda.exceptions import StorageError, Unauthenticated
from memoranda.identity import table as credentials
from memoranda.identity.issuer import CredentialSecrets
from memoranda.identity.key_format import KEY, LINK, LOCAL, SESSION, parse_key_text as key_text
from memoranda.identity.model import Credential, CredentialKind
from memoranda.identity.principal import Principal, owner
from memoranda.identity.token_parser import MAX_LENGTH
from memoranda.store.database import Database, Transaction

MESSAGE = "this key or token is unknown; use a valid one"
"""Error message for any invalid credential."""
DAY = 24 * 60 * 60 * MICROSECONDS
LOCAL_ID = "local"
"""Id recorded for the machine owner's token, which has no credential id."""


class StoreAuthenticator:
    """Authenticator based on the store and the data directory. Thread-safe.

    A caller is cached for three seconds, but no longer than the credential is valid.
    """

    def __init__(
        self,
        database: Database,
        secrets: CredentialSecrets,
        clock: Clock,
        team: str,
        *,
        newest: bool = False,
    ) -> None:
        """Create the authenticator.

        ``team`` is the owner's team; ``newest`` queries the primary store if a replica may not have
        the latest revocations.

        Raises:
            StorageUnusable: the owner's token cannot be used.
        """
        self._database = database
        self._secrets = secrets
        self._local = secrets.local
        self._clock = clock
        self._owner = replace(owner(team), credential=LOCAL_ID)
        self._newest = newest

    def principal(self, credential: str) -> Principal:
        """Return the principal for a credential.

        Raises:
            Unauthenticated: the credential does not identify a caller; the reason is not disclosed.
            StorageError: the store or a file of secrets cannot be read.
        """
        plain = credential.isascii() and credential.isprintable()
        if not credential or len(credential) > MAX_LENGTH or not plain:
            raise Unauthenticated(MESSAGE)
        cache = self._secrets.known
        generation = cache.generation
        principal = cache.get(credential)
        if principal is None or self._over(principal):
            principal = self._found(credential)
            if principal is None:
                raise Unauthenticated(MESSAGE)
            cache.put(credential, principal, generation)
        return principal

    def _over(self, principal: Principal) -> bool:
        return principal.expires_at is not None and self._clock.now() >= principal.expires_at

    def _found(self, text: str) -> Principal | None:
        if text.startswith((SESSION, LINK)):
            return None  # sessions are accepted only by the web page
        if text.startswith(LOCAL):
            return self._owner if self._local.fits(text) else None
        return self._of_key(text) if text.startswith(KEY) else self._of_token(text)

    def _of_key(self, text: str) -> Principal | None:
        key = key_text(text)
        stored = self._stored(key.team, key.id) if key else None
        if not self._secrets.digests.fits(text, stored[1] if stored else None) or stored is None:
            return None
        credential = stored[0]
        if credential.kind is not CredentialKind.KEY or not credential.holds(self._clock.now()):
            return None
        self._note_use(credential)
        return credential.principal

    def _of_token(self, text: str) -> Principal | None:
        token = self._secrets.tokens.verified(text)
        if token is None:
            return None
        principal = token.principal
        if not token.ours:
            return None if self._denied(principal) else principal
        stored = self._stored(principal.team, principal.credential)
        return principal if stored and self._is_issued_to(stored[0], principal) else None

    def _is_issued_to(self, made: Credential, principal: Principal) -> bool:
        """Return whether a token was issued to its principal and is not revoked."""
        if made.kind is not CredentialKind.TOKEN or made.revoked_at is not None:
            return False
        if replace(made.principal, expires_at=principal.expires_at) != principal:
            return False
        self._note_use(made)
        return True

    def _stored(self, team: str, id: str) -> tuple[Credential, str] | None:
        database = self._database.of(team)
        ask = database.write if self._newest else database.read
        return ask(lambda tx: credentials.by_id(tx, team, id))

    def _denied(self, principal: Principal) -> bool:
        def work(tx: Transaction) -> bool:
            return credentials.denied(tx, principal.team, principal.credential)

        database = self._database.of(principal.team)
        return (database.write if self._newest else database.read)(work)

    def _note_use(self, credential: Credential) -> None:
        """Record the day of use; grant access even if recording fails."""
        team, id = credential.team, credential.id
        day = self._clock.now() // DAY * DAY
        if credential.last_used is None or credential.last_used < day:
            with suppress(StorageError):
                self._database.of(team).write(lambda tx: credentials.use(tx, team, id, day))
