"""Credentials (keys, tokens, sessions) as the store records them."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from enum import StrEnum

from memoranda.exceptions import InvalidInput
from memoranda.identity.principal import Principal, Role
from memoranda.scope import PERSON
from memoranda.text import clip

_AGENT = re.compile(r"[A-Za-z0-9][A-Za-z0-9@._+/-]{0,199}")


class CredentialKind(StrEnum):
    """Kind of a credential."""

    KEY = "key"
    """Random string that is looked up in the store; valid until it is revoked or expires."""
    TOKEN = "token"
    """Signed statement (JWT) that expires within a day."""
    SESSION = "session"
    """A person's browser session in the web interface; expires within a day."""


@dataclass(frozen=True, slots=True)
class Credential:
    """Stored key or token, without its secret. Times are microseconds since the epoch."""

    team: str
    id: str
    kind: CredentialKind
    subject: str
    role: Role
    agent: str | None
    workspace: str | None
    created_by: str
    created_at: int
    expires_at: int | None
    """Time of expiry; None for never."""
    revoked_at: int | None = None
    revoked_by: str | None = None
    last_used: int | None = None
    """Start of the last UTC day on which the credential was used."""
    parent: str | None = None
    """Credential that started the session; the session ends when that credential is no longer
    valid.
    """

    @property
    def principal(self) -> Principal:
        """Return the principal that the credential identifies."""
        return Principal(
            self.team, self.subject, self.role, self.agent, self.workspace, self.id, self.expires_at
        )

    def holds(self, now: int) -> bool:
        """Return whether the credential is neither revoked nor expired."""
        return self.revoked_at is None and (self.expires_at is None or now < self.expires_at)


@dataclass(frozen=True, slots=True)
class NewCredential:
    """New credential with its secret, which is shown only this once."""

    credential: Credential
    secret: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class RevokedCredential:
    """Credential that is no longer valid."""

    id: str
    revoked_at: int
    revoked_by: str


@dataclass(frozen=True, slots=True)
class SigningKeyInfo:
    """Key that signs tokens, without its secret."""

    kid: str
    created_at: int
    retired_at: int | None
    """Time since which the key is no longer used for signing.

    It still verifies the tokens that it has signed until they expire.
    """


def refuse_reserved(principal: Principal, *, owner: bool = False) -> Principal:
    """Return a principal; refuse a reserved or invalid name.

    Args:
        owner: whether the principal is the machine's owner.

    Raises:
        InvalidInput: a name is reserved for the owner, or is not a valid agent name.
    """
    if PERSON in (None if owner else principal.subject, principal.agent):
        raise InvalidInput(f"{PERSON!r} is the local user; choose another name")
    if principal.agent is not None and not _AGENT.fullmatch(principal.agent):
        raise InvalidInput(
            f"{clip(principal.agent, 40)!r} cannot be an agent with a key: use up to 200 of A-Z, "
            "a-z, 0-9, @, ., _, +, / and -, beginning with a letter or a digit"
        )
    return principal
