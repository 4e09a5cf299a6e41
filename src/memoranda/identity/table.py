"""Rows of keys, tokens and sessions of a team.

Only a keyed hash of a key or session token is stored.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass

from memoranda.identity.model import Credential, CredentialKind
from memoranda.identity.principal import Role
from memoranda.json_data import dump_json
from memoranda.store.database import RowType, Transaction, load_statements

SQL = load_statements(__file__)

CREDENTIAL = RowType(Credential, kind=CredentialKind, role=Role)

NEWEST = "~"
"""String that sorts after every id."""


@dataclass(frozen=True, slots=True)
class DeniedToken:
    """Rejected token of an external issuer."""

    team: str
    id: str
    expires_at: int
    """Time at which the token expires."""
    revoked_at: int
    revoked_by: str


CALLERS = (CredentialKind.KEY, CredentialKind.TOKEN)
"""Kinds of credentials that identify programs; a session identifies a person in the web interface.
"""


def put(tx: Transaction, credential: Credential, digest: str) -> bool:
    """Insert a key or session with its keyed hash.

    A token is inserted with an empty hash. Return False if the id exists already; then nothing is
    inserted.
    """
    return tx.execute(SQL["put"], asdict(credential) | {"digest": digest}) > 0


def by_id(tx: Transaction, team: str, id: str) -> tuple[Credential, str] | None:
    """Return a credential and its keyed hash."""
    row = tx.first(SQL["by_id"], {"team": team, "id": id})
    return (CREDENTIAL(row[:-1]), row[-1]) if row else None


def by_prefix(tx: Transaction, team: str, prefix: str) -> list[str]:
    """Return at most six ids that start with a prefix."""
    bindings = {"team": team, "low": prefix, "high": prefix + "~"}
    return [row[0] for row in tx.fetch(SQL["by_prefix"], bindings)]


def listed(
    tx: Transaction, team: str, *, now: int | None = None, before: str = NEWEST, limit: int
) -> list[Credential]:
    """Return credentials, newest first; with a time, only those valid then."""
    bindings = {"team": team, "now": now, "before": before, "limit": limit}
    return [CREDENTIAL(row) for row in tx.fetch(SQL["listed"], bindings)]


def holding(tx: Transaction, team: str, now: int, kinds: Sequence[CredentialKind] = CALLERS) -> int:
    """Return how many credentials of the given kinds are valid at a time."""
    names = dump_json([kind.value for kind in kinds])
    row = tx.first(SQL["holding"], {"team": team, "now": now, "kinds": names})
    return int(row[0]) if row else 0


def revoke(tx: Transaction, team: str, id: str, at: int, actor: str) -> bool:
    """Revoke a credential; False if it is missing or already revoked."""
    return tx.execute(SQL["revoke"], {"team": team, "id": id, "at": at, "actor": actor}) > 0


def use(tx: Transaction, team: str, id: str, day: int) -> bool:
    """Record the day of a use; return False if it is already recorded."""
    return tx.execute(SQL["use"], {"team": team, "id": id, "day": day}) > 0


def drop_over(tx: Transaction, team: str, before: int) -> int:
    """Delete tokens and sessions that expired by a time; return how many."""
    return tx.execute(SQL["drop_over"], {"team": team, "before": before})


def deny(tx: Transaction, denial: DeniedToken) -> bool:
    """Reject an external issuer's token; return False if already rejected."""
    return tx.execute(SQL["deny"], asdict(denial)) > 0


def denied(tx: Transaction, team: str, id: str) -> bool:
    """Return whether an external issuer's token was revoked."""
    return tx.first(SQL["denied"], {"team": team, "id": id}) is not None


def drop_denied(tx: Transaction, team: str, before: int) -> int:
    """Delete revocations of tokens that expired by a time; return how many."""
    return tx.execute(SQL["drop_denied"], {"team": team, "before": before})
