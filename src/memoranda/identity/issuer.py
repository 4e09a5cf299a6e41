"""Creates, lists and revokes keys and tokens; journals every change."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from memoranda.clock import MICROSECONDS, Clock
from memoranda.exceptions import Conflict, Forbidden, InvalidInput, NotFound
from memoranda.identity import table as credentials
from memoranda.identity.caller_cache import CallerCache
from memoranda.identity.key_format import Digests, new_text
from memoranda.identity.local_token import LocalToken
from memoranda.identity.model import (
    Credential,
    CredentialKind,
    NewCredential,
    RevokedCredential,
    SigningKeyInfo,
    refuse_reserved,
)
from memoranda.identity.principal import Principal, Role
from memoranda.identity.signed_tokens import Tokens
from memoranda.identity.signing_keys import LEEWAY, MAX_LIFETIME, SigningKeys
from memoranda.identity.table import DeniedToken
from memoranda.ids import IdSource, ambiguous
from memoranda.journal import table as journal
from memoranda.json_data import JsonValue
from memoranda.page import Page, checked_limit, page_of, place_of
from memoranda.scope import PERSON, Scope
from memoranda.store.database import Database, Transaction
from memoranda.text import clip, normalise

MAXIMUM = 1_000
"""Maximum number of valid credentials of a team."""
MAX_DAYS = 3_650
MIN_HOURS = 0.01
MAX_HOURS = MAX_LIFETIME // (3_600 * MICROSECONDS)
_HOUR = 3_600 * MICROSECONDS
_DAY = 24 * _HOUR
_MAX_NAME_LENGTH = 200


@dataclass(frozen=True, slots=True)
class CredentialHolder:
    """Recipient of a new credential."""

    role: Role
    subject: str | None = None
    """Subject; None for the caller who creates the credential."""
    agent: str | None = None
    workspace: str | None = None


@dataclass(frozen=True)
class CredentialSecrets:
    """Secrets with which credentials are created and verified."""

    digests: Digests
    signing: SigningKeys
    tokens: Tokens
    known: CallerCache
    data_dir: Path

    @cached_property
    def local(self) -> LocalToken:
        """Token of the machine's owner, created at first use.

        Raises:
            StorageUnusable: the token file cannot be written, is readable by others, or is invalid.
        """
        return LocalToken(self.data_dir)


class CredentialIssuer:
    """Service that issues credentials; agents may not use it."""

    def __init__(
        self, database: Database, secrets: CredentialSecrets, clock: Clock, ids: IdSource
    ) -> None:
        self._database = database
        self._secrets = secrets
        self._clock = clock
        self._ids = ids

    def key(self, scope: Scope, holder: CredentialHolder, hours: float | None) -> NewCredential:
        """Create a key that is valid for the given hours or until it is revoked.

        Raises:
            Forbidden: an agent requested the key.
            InvalidInput: the name is not acceptable or too long, or there are too many credentials.
        """
        now = self._clock.now()
        until = None if hours is None else now + round(hours * _HOUR)
        credential = self._made(scope, holder, CredentialKind.KEY, (now, until))
        text = new_text(credential.team, credential.id)
        self._keep(scope, credential, self._secrets.digests.of(text))
        return NewCredential(credential, text)

    def token(self, scope: Scope, holder: CredentialHolder, hours: float) -> NewCredential:
        """Create a signed token that is valid for the given hours.

        Raises:
            Forbidden: an agent requested the token.
            InvalidInput: the name is not acceptable, the validity is too long, or PyJWT is not
                installed.
        """
        if not MIN_HOURS <= hours <= MAX_HOURS:
            raise InvalidInput(
                f"a token must be valid for {MIN_HOURS} to {MAX_HOURS} hours, not {hours:g}; for a"
                f" longer validity, create a key"
            )
        now = self._clock.now() // MICROSECONDS
        span = (now * MICROSECONDS, (now + round(hours * 3_600)) * MICROSECONDS)
        credential = self._made(scope, holder, CredentialKind.TOKEN, span)
        text = self._secrets.tokens.sign(credential)
        self._keep(scope, credential, "")
        return NewCredential(credential, text)

    def listed(
        self, scope: Scope, *, past: bool = False, cursor: str | None = None, limit: int = 50
    ) -> Page[Credential]:
        """Return credentials, newest first; ``past`` includes invalid ones."""
        checked_limit(limit)
        team, before = scope.team, place_of(cursor, first=credentials.NEWEST)
        now = None if past else self._clock.now()
        found = self._database.read(
            lambda tx: credentials.listed(tx, team, now=now, before=before, limit=limit + 1)
        )
        return page_of(found, limit, lambda credential: credential.id)

    def revoke(self, scope: Scope, id: str) -> RevokedCredential:
        """Revoke a credential by its id or an id prefix. Idempotent.

        Raises:
            Forbidden: an agent requested the revocation.
            NotFound: there is no such credential.
            InvalidInput: several ids have this prefix.
        """
        _require_person(scope)

        def work(tx: Transaction) -> RevokedCredential:
            credential = self._named(tx, scope.team, id)
            at, actor = self._clock.now(), scope.actor
            if credential.revoked_at is not None and credential.revoked_by is not None:
                return RevokedCredential(
                    credential.id, credential.revoked_at, credential.revoked_by
                )
            credentials.revoke(tx, scope.team, credential.id, at, actor)
            self._journal(tx, scope, "token revoke", credential.id, {"kind": credential.kind.value})
            return RevokedCredential(credential.id, at, actor)

        revoked = self._database.write(work)
        self._secrets.known.forget()
        return revoked

    def deny(self, scope: Scope, id: str) -> RevokedCredential:
        """Permanently reject a token of the external issuer, by its full id (jti).

        Raises:
            Forbidden: an agent requested the rejection.
            InvalidInput: the id is not acceptable.
        """
        _require_person(scope)
        if not id.isprintable() or not 0 < len(id) <= _MAX_NAME_LENGTH:
            raise InvalidInput(f"a token id must have 1 to {_MAX_NAME_LENGTH} visible characters")
        now = self._clock.now()
        denial = DeniedToken(scope.team, id, now + MAX_LIFETIME + LEEWAY, now, scope.actor)

        def work(tx: Transaction) -> None:
            credentials.drop_denied(tx, scope.team, now - LEEWAY)
            if credentials.deny(tx, denial):
                self._journal(tx, scope, "token revoke", id, {"kind": "outside"})

        self._database.write(work)
        self._secrets.known.forget()
        return RevokedCredential(id, now, scope.actor)

    def rotate(self, scope: Scope) -> SigningKeyInfo:
        """Sign with a new key from now on.

        Raises:
            Forbidden: an agent requested the new key.
        """
        _require_person(scope)
        info = self._secrets.signing.rotate().info

        def work(tx: Transaction) -> None:
            self._journal(tx, scope, "key rotate", info.kid, {})

        self._database.write(work)
        return info

    def _made(
        self,
        scope: Scope,
        holder: CredentialHolder,
        kind: CredentialKind,
        span: tuple[int, int | None],
    ) -> Credential:
        _require_person(scope)
        subject = scope.person if holder.subject is None else holder.subject
        by_owner = scope.person == PERSON == subject
        principal = Principal(scope.team, subject, holder.role, holder.agent)
        refuse_reserved(principal, owner=by_owner)
        return Credential(
            scope.team,
            self._ids.new(),
            kind,
            principal.subject,
            principal.role,
            principal.agent,
            _place(holder.workspace),
            scope.actor,
            *span,
        )

    def _keep(self, scope: Scope, made: Credential, digest: str) -> None:
        def work(tx: Transaction) -> None:
            now = self._clock.now()
            credentials.drop_over(tx, scope.team, now - _DAY)
            if credentials.holding(tx, scope.team, now) >= MAXIMUM:
                raise InvalidInput(
                    f"there are already {MAXIMUM:,}; revoke one with `memoranda auth token revoke`"
                )
            if not credentials.put(tx, made, digest):
                raise Conflict("another credential has this id; create the credential again")
            detail: dict[str, JsonValue] = {"kind": made.kind.value, "role": made.role.value}
            detail |= {"for": made.agent or made.subject}
            self._journal(tx, scope, "token create", made.id, detail)

        self._database.write(work)

    def _named(self, tx: Transaction, team: str, id: str) -> Credential:
        ids = credentials.by_prefix(tx, team, id) if id else []
        if len(ids) > 1 and id not in ids:
            raise InvalidInput(ambiguous("key or token", id, ids))
        found = credentials.by_id(tx, team, ids[0]) if ids else None
        if found is None:
            short_id = clip(id, 40)
            raise NotFound(
                f"no key or token {short_id!r}; `memoranda auth token list` lists the credentials"
            )
        return found[0]

    def _journal(
        self, tx: Transaction, scope: Scope, operation: str, id: str, detail: dict[str, JsonValue]
    ) -> None:
        note = journal.NewJournalEntry(self._clock.now(), scope.actor, operation, id, detail)
        journal.append(tx, scope.team, note)


def lifetime(days: int | None, hours: float | None) -> float | None:
    """Return the requested validity in hours; None if it is not specified.

    Raises:
        InvalidInput: both values are specified, or one is out of range.
    """
    if days is not None and hours is not None:
        raise InvalidInput("pass days or hours, not both")
    if days is not None and not 1 <= days <= MAX_DAYS:
        raise InvalidInput(f"the credential must be valid for 1 to {MAX_DAYS:,} days, not {days}")
    if hours is not None and not MIN_HOURS <= hours <= MAX_DAYS * 24:
        raise InvalidInput(
            f"the credential must be valid for {MIN_HOURS} to {MAX_DAYS * 24:,} hours"
        )
    return hours if days is None else days * 24.0


def _place(workspace: str | None) -> str | None:
    if workspace is None:
        return None
    name = normalise(workspace).strip()
    if not name.isprintable() or not 0 < len(name) <= _MAX_NAME_LENGTH:
        raise InvalidInput(
            f"the name of a workspace must have 1 to {_MAX_NAME_LENGTH} visible characters"
        )
    return name


def _require_person(scope: Scope) -> None:
    if scope.agent is not None:
        raise Forbidden("only a user may manage keys and tokens, not an agent")
