"""Sessions of the web interface, stored as credentials.

A session begins with a credential or a sign-in link.
"""

from __future__ import annotations

import hmac
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

from memoranda.clock import MICROSECONDS, Clock
from memoranda.exceptions import StorageUnusable, Unauthenticated
from memoranda.identity import table as credentials
from memoranda.identity.authenticator import DAY, LOCAL_ID, MESSAGE
from memoranda.identity.issuer import CredentialSecrets
from memoranda.identity.key_format import LINK, SESSION, UUID, new_text, parse_key_text
from memoranda.identity.local_token import FILE, LocalToken, keyed_hash, read
from memoranda.identity.model import Credential, CredentialKind
from memoranda.identity.principal import Principal, owner
from memoranda.ids import IdSource
from memoranda.journal import table as journal
from memoranda.json_data import JsonValue
from memoranda.ports import Authenticator
from memoranda.store.database import Database, Transaction

MINUTES = 15
"""Number of minutes for which a link is valid."""
_TEXT = re.compile(rf"{LINK}{UUID}\.([0-9]{{10}})\.([A-Za-z0-9_-]{{43}})")


def new_link(data_dir: Path, clock: Clock) -> str:
    """Create the secret of a sign-in link, using a data directory's token.

    Raises:
        StorageUnusable: there is no token yet, or others can read it.
    """
    until = clock.now() // MICROSECONDS + MINUTES * 60
    content = f"{IdSource(clock).new()}.{until}"
    return f"{LINK}{content}.{keyed_hash(read(data_dir / FILE), _labelled(content))}"


def parse_link(text: str, token: LocalToken, now: int) -> str | None:
    """Return the id of a sign-in link that is valid at a time, or None.

    Whether the link has already been used is not checked.

    Raises:
        StorageUnusable: the token was removed.
    """
    match = _TEXT.fullmatch(text)
    if match is None:
        return None
    id, until, seal = match.groups()
    genuine = hmac.compare_digest(seal, token.seal(_labelled(f"{id}.{until}")))
    return id if genuine and now < int(until) * MICROSECONDS else None


def _labelled(content: str) -> str:
    return f"link to sign in: {content}"


T = TypeVar("T")

HOURS = 12
"""Number of hours for which a session is valid, regardless of its use."""
MAXIMUM = 1_000
"""Maximum number of valid sessions of a team."""
OVER = "this link was already used or has expired; `memoranda web link` creates a new link"
_OWN, _OUTSIDE = "own:", "outside:"


class StoredSessions:
    """Sessions stored as credentials. Thread-safe.

    All processes share the sessions. A session ends when it expires, is signed out or revoked, and
    when its original credential ends: the key is revoked, the token expires, or the token file
    changes.
    """

    def __init__(
        self,
        database: Database,
        secrets: CredentialSecrets,
        authenticator: Authenticator,
        clock: Clock,
        team: str,
        *,
        newest: bool = False,
    ) -> None:
        """Create the service.

        ``team`` is the owner's team; ``newest`` queries the primary store if a replica may not have
        the latest revocations.
        """
        self._database = database
        self._secrets = secrets
        self._authenticator = authenticator
        self._clock = clock
        self._ids = IdSource(clock)
        self._team = team
        self._newest = newest

    def begin(self, shown: str) -> str:
        """Sign a person in; return the token of the browser session.

        Raises:
            Unauthenticated: the credential does not identify a caller, or the link was already used
                or has expired.
            StorageError: the store cannot be read.
        """
        if shown.startswith(LINK):
            who, id = replace(owner(self._team), credential=LOCAL_ID), self._of_link(shown)
        else:
            who, id = self._authenticator.principal(shown), self._ids.new()
        now = self._clock.now()
        until = now + HOURS * 3_600 * MICROSECONDS
        credential = Credential(
            who.team, id, CredentialKind.SESSION, who.subject, who.role, who.agent, who.workspace,
            who.scope.actor, now, min(until, who.expires_at or until), parent=self._parent(who),
        )  # fmt: skip
        text = new_text(credential.team, credential.id, SESSION)
        self._keep(credential, self._digest(text, credential))
        return text

    def principal(self, text: str) -> Principal:
        """Return the principal of a browser session.

        Raises:
            Unauthenticated: there is no such session, or it has ended.
            StorageError: the store cannot be read.
        """
        cache, name = self._secrets.known, f"\n{text}"
        generation = cache.generation
        principal = cache.get(name)
        if principal is None or self._clock.now() >= (principal.expires_at or 0):
            principal = self._stored(text).principal
            cache.put(name, principal, generation)
        return principal

    def end(self, text: str) -> None:
        """Sign out; ignore a token without a valid session."""
        try:
            stored = self._stored(text)
        except Unauthenticated:
            return
        now = self._clock.now()

        def work(tx: Transaction) -> None:
            if credentials.revoke(tx, stored.team, stored.id, now, stored.principal.scope.actor):
                _note(tx, stored, "session end", now)

        self._database.of(stored.team).write(work)
        self._secrets.known.forget()

    def _of_link(self, shown: str) -> str:
        try:
            id = parse_link(shown, self._secrets.local, self._clock.now())
        except StorageUnusable:
            id = None
        if id is None:
            raise Unauthenticated(OVER)
        return id

    def _keep(self, made: Credential, digest: str) -> None:
        def work(tx: Transaction) -> None:
            credentials.drop_over(tx, made.team, made.created_at - DAY)
            kinds = (CredentialKind.SESSION,)
            if credentials.holding(tx, made.team, made.created_at, kinds) >= MAXIMUM:
                raise Unauthenticated(
                    f"{MAXIMUM:,} sessions are active; sign out of one of them first"
                )
            if not credentials.put(tx, made, digest):
                raise Unauthenticated(OVER)
            _note(tx, made, "session begin", made.created_at)

        self._database.of(made.team).write(work)

    def _stored(self, text: str) -> Credential:
        key = parse_key_text(text) if text.startswith(SESSION) else None
        stored = self._credential_of(key.team, key.id) if key else None
        if stored is None or not self._is_valid(text, *stored):
            raise Unauthenticated(MESSAGE)
        return stored[0]

    def _is_valid(self, text: str, made: Credential, digest: str) -> bool:
        session = made.kind is CredentialKind.SESSION and made.parent is not None
        if not session or not hmac.compare_digest(self._digest(text, made), digest):
            return False
        return made.holds(self._clock.now()) and self._is_parent_valid(made)

    def _parent(self, who: Principal) -> str:
        if who.credential == LOCAL_ID:
            return LOCAL_ID
        ours = self._credential_of(who.team, who.credential) is not None
        return f"{_OWN if ours else _OUTSIDE}{who.credential}"

    def _is_parent_valid(self, made: Credential) -> bool:
        parent = made.parent or ""
        if parent == LOCAL_ID:
            return True  # for the owner's session, the token is the key of the hash
        if parent.startswith(_OWN):
            found = self._credential_of(made.team, parent.removeprefix(_OWN))
            return found is not None and found[0].holds(self._clock.now())
        denied = parent.removeprefix(_OUTSIDE)
        return not self._run(made.team, lambda tx: credentials.denied(tx, made.team, denied))

    def _digest(self, text: str, made: Credential) -> str:
        """Return the keyed hash of a session token.

        For the owner's session, the key is the current token.
        """
        if made.parent != LOCAL_ID:
            return self._secrets.digests.of(text)
        try:
            return self._secrets.digests.of(text + self._secrets.local.seal("session"))
        except StorageUnusable:
            raise Unauthenticated(MESSAGE) from None

    def _credential_of(self, team: str, id: str) -> tuple[Credential, str] | None:
        return self._run(team, lambda tx: credentials.by_id(tx, team, id))

    def _run(self, team: str, work: Callable[[Transaction], T]) -> T:
        database = self._database.of(team)
        return (database.write if self._newest else database.read)(work)


def _note(tx: Transaction, made: Credential, operation: str, now: int) -> None:
    detail: dict[str, JsonValue] = {"role": made.role.value}
    note = journal.NewJournalEntry(now, made.principal.scope.actor, operation, made.id, detail)
    journal.append(tx, made.team, note)
