"""Keys and tokens: what somebody shows to be known, and what is kept of it."""

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
    """What a credential is."""

    KEY = "key"
    """A text that is looked up in the store; good until it is revoked or expires."""
    TOKEN = "token"
    """A signed statement (JWT) that is over within a day."""
    SESSION = "session"
    """What a person's browser shows after they signed in to the web page; over within a day."""


@dataclass(frozen=True, slots=True)
class Credential:
    """A key or a token as the store knows it, which is without its text. Times are microseconds."""

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
    """None: never."""
    revoked_at: int | None = None
    revoked_by: str | None = None
    last_used: int | None = None
    """The beginning of the last day, UTC, on which it was used."""
    parent: str | None = None
    """What a session was made with, and holds no longer than."""

    @property
    def principal(self) -> Principal:
        """Whom it stands for."""
        return Principal(
            self.team,
            self.subject,
            self.role,
            self.agent,
            self.workspace,
            self.id,
            self.expires_at,
        )

    def holds(self, now: int) -> bool:
        """Say whether it is neither revoked nor expired."""
        return self.revoked_at is None and (self.expires_at is None or now < self.expires_at)


@dataclass(frozen=True, slots=True)
class NewCredential:
    """A credential that was just made, with its text, which is shown this once."""

    credential: Credential
    secret: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class RevokedCredential:
    """A credential that is good for nothing any more."""

    id: str
    revoked_at: int
    revoked_by: str


@dataclass(frozen=True, slots=True)
class SigningKeyInfo:
    """A key that signs tokens, without its secret."""

    kid: str
    created_at: int
    retired_at: int | None
    """Since when it signs no more; it goes on to verify until its tokens are over."""


def refuse_reserved(principal: Principal, *, owner: bool = False) -> Principal:
    """Return a principal whose names are not taken for the machine's owner or a rule.

    Args:
        owner: whether it is the machine's owner who is meant.

    Raises:
        InvalidInput: they would be.
    """
    if PERSON in (None if owner else principal.subject, principal.agent):
        raise InvalidInput(f"{PERSON!r} is the person at the machine itself; take another name")
    if principal.agent is not None and not _AGENT.fullmatch(principal.agent):
        raise InvalidInput(
            f"{clip(principal.agent, 40)!r} cannot be an agent that has a key: up to 200 of A-Z, "
            "a-z, 0-9, @, ., _, +, / and -, beginning with a letter or a digit"
        )
    return principal
