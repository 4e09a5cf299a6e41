"""Signs Memoranda's own tokens; verifies them and an external issuer's.

The operator configures the external issuer.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from memoranda.clock import MICROSECONDS, Clock
from memoranda.exceptions import InvalidInput
from memoranda.identity.external_keys import ExternalKeys, library
from memoranda.identity.model import Credential, refuse_reserved
from memoranda.identity.principal import Principal, Role
from memoranda.identity.signing_keys import LEEWAY, MAX_LIFETIME, SigningKey, SigningKeys
from memoranda.identity.token_parser import TokenText, parse_token

OURS = "memoranda"
"""Issuer and audience of Memoranda's own tokens."""
ALGORITHM = "HS256"
_REQUIRED = ("exp", "iat", "sub", "aud", "iss", "team", "role")
_MAX_NAME_LENGTH = 200
_LATEST = 1e11


@dataclass(frozen=True, slots=True)
class ExternalIssuer:
    """External issuer that may identify callers."""

    keys: ExternalKeys
    issuer: str
    audience: str


@dataclass(frozen=True, slots=True)
class VerifiedToken:
    """Claims of a verified token."""

    principal: Principal
    ours: bool
    """Whether Memoranda issued the token; if so, the store has a record of the token."""


@dataclass(frozen=True, slots=True)
class _Trusted:
    """Trusted key with its fixed parameters."""

    algorithm: str
    key: Any = field(repr=False)
    issuer: str
    audience: str
    ours: SigningKey | None


class Tokens:
    """Signer and verifier of tokens. Thread-safe."""

    def __init__(self, signing: SigningKeys, outside: ExternalIssuer | None, clock: Clock) -> None:
        self._signing = signing
        self._outside = outside
        self._clock = clock

    def sign(self, credential: Credential) -> str:
        """Create and sign a token.

        Raises:
            InvalidInput: the token would never expire, or PyJWT is not installed.
        """
        if credential.expires_at is None:
            raise InvalidInput("a token must expire; create a key for permanent access")
        claims = {
            "iss": OURS,
            "aud": OURS,
            "sub": credential.subject,
            "jti": credential.id,
            "iat": credential.created_at // MICROSECONDS,
            "exp": credential.expires_at // MICROSECONDS,
            "team": credential.team,
            "role": credential.role.value,
            "agent": credential.agent,
            "workspace": credential.workspace,
        }
        stated = {name: value for name, value in claims.items() if value is not None}
        key = self._signing.newest()
        text: str = library().encode(stated, key.secret, ALGORITHM, headers={"kid": key.kid})
        return text

    def verified(self, text: str) -> VerifiedToken | None:
        """Return the claims of a token if the token is currently valid."""
        token = parse_token(text)
        trusted = self._trusted(token.kid) if token else None
        if token is None or trusted is None or token.algorithm != trusted.algorithm:
            return None
        if not _signed(text, trusted) or not self._in_time(token.claims, trusted.ours):
            return None
        try:
            return VerifiedToken(
                _principal(token, ours=trusted.ours is not None), trusted.ours is not None
            )
        except (InvalidInput, ValueError):
            return None

    def _trusted(self, kid: str) -> _Trusted | None:
        if own := self._signing.by_kid().get(kid):
            return _Trusted(ALGORITHM, own.secret, OURS, OURS, own)
        issuer = self._outside
        key = issuer.keys.by_kid().get(kid) if issuer else None
        if issuer is None or key is None:
            return None
        return _Trusted(key.algorithm, key.key, issuer.issuer, issuer.audience, None)

    def _in_time(self, claims: dict[str, Any], ours: SigningKey | None) -> bool:
        issued, expires, begins = (claims.get(name) for name in ("iat", "exp", "nbf"))
        begins = issued if "nbf" not in claims else begins
        if not (_is_time(issued) and _is_time(expires) and _is_time(begins)):
            return False
        now = self._clock.now()
        first, last = _moment(issued), _moment(expires)
        early = now + LEEWAY < max(first, _moment(begins))
        if early or now >= last + LEEWAY or not 0 < last - first <= MAX_LIFETIME:
            return False
        return ours is None or ours.verifies(first, now)


def _signed(text: str, trusted: _Trusted) -> bool:
    """Return whether signature, issuer and audience match the key.

    All claims are required. `_in_time` checks the times with the injected clock.
    """
    jwt = library()
    options = {
        "require": list(_REQUIRED) + (["jti"] if trusted.ours else []),
        "verify_exp": False,
        "verify_nbf": False,
        "verify_iat": False,
        "strict_aud": trusted.ours is not None,
    }
    try:
        jwt.decode(
            text,
            trusted.key,
            algorithms=[trusted.algorithm],
            audience=trusted.audience,
            issuer=trusted.issuer,
            options=options,
        )
    except (jwt.PyJWTError, ValueError, TypeError):
        return False
    return True


def _principal(token: TokenText, *, ours: bool) -> Principal:
    claims = token.claims
    principal = Principal(
        _name(claims, "team"),
        _name(claims, "sub"),
        Role(_name(claims, "role")),
        _name(claims, "agent") if "agent" in claims else None,
        _name(claims, "workspace") if "workspace" in claims else None,
        _name(claims, "jti") if "jti" in claims else "",
        _moment(claims["exp"]) + LEEWAY,
    )
    return principal if ours else refuse_reserved(principal)


def _name(claims: dict[str, Any], claim: str) -> str:
    value = claims.get(claim)
    if (
        not isinstance(value, str)
        or not value.isprintable()
        or not 0 < len(value) <= _MAX_NAME_LENGTH
    ):
        raise InvalidInput(f"the claim {claim} is not a name")
    return value


def _is_time(value: object) -> bool:
    whole = isinstance(value, int | float) and not isinstance(value, bool)
    return whole and 0 <= value < _LATEST  # type: ignore[operator]


def _moment(seconds: Any) -> int:
    return int(seconds * MICROSECONDS)
