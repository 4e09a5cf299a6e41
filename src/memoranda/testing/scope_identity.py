"""Keys and revocations, stored for a team, and every function about them called for another."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from memoranda.store.database import Transaction
from memoranda.store.tables import credentials
from memoranda.store.tables.credentials import Denial
from memoranda.testing.clock import START
from memoranda.testing.records import Records
from memoranda.values.credential import Credential, CredentialKind
from memoranda.values.principal import Role

KEY = "01977000-0000-7000-8000-00000000000a"
TOKEN = "01977000-0000-7000-8000-00000000000b"
FOREIGN = "of-another-issuer"

READS: Mapping[str, Callable[[Transaction, str, Any], Any]] = {
    "credentials.by_id": lambda tx, team, h: credentials.by_id(tx, team, KEY),
    "credentials.by_prefix": lambda tx, team, h: credentials.by_prefix(tx, team, KEY[:9]),
    "credentials.denied": lambda tx, team, h: credentials.denied(tx, team, FOREIGN),
    "credentials.holding": lambda tx, team, h: credentials.holding(tx, team, START),
    "credentials.listed": lambda tx, team, h: credentials.listed(tx, team, limit=9),
}

WRITES: Mapping[str, Callable[[Transaction, str, Any], Any]] = {
    "credentials.drop_denied": lambda tx, team, h: credentials.drop_denied(tx, team, START + 99),
    "credentials.drop_over": lambda tx, team, h: credentials.drop_over(tx, team, START + 99),
    "credentials.revoke": lambda tx, team, h: credentials.revoke(tx, team, KEY, START, "eve"),
    "credentials.use": lambda tx, team, h: credentials.use(tx, team, KEY, START),
}

ADDS = frozenset({"credentials.deny", "credentials.put"})


def credential(team: str, **changes: Any) -> Credential:
    """Make a key of a person."""
    made = Credential(
        team,
        KEY,
        CredentialKind.KEY,
        f"ada@{team}",
        Role.MEMBER,
        None,
        "shop",
        "human",
        START,
        None,
    )
    return replace(made, **changes)


def denial(team: str, id: str = FOREIGN) -> Denial:
    """Make a revocation of another issuer's token."""
    return Denial(team, id, START + 9, START, f"human of {team}")


def hold_credentials(tx: Transaction, records: Records) -> None:
    """Store a key, a token and a revocation."""
    team = records.team
    credentials.put(tx, credential(team), f"digest of {team}")
    token = credential(team, id=TOKEN, kind=CredentialKind.TOKEN, expires_at=START + 9)
    credentials.put(tx, token, "")
    credentials.deny(tx, denial(team))
