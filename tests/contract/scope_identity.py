"""Keys and revocations of a team, and their functions called for another."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from contract.clock import START
from contract.records import Records
from memoranda.identity import table as credentials
from memoranda.identity.model import Credential, CredentialKind
from memoranda.identity.principal import Role
from memoranda.identity.table import DeniedToken
from memoranda.store.database import Transaction

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


def denial(team: str, id: str = FOREIGN) -> DeniedToken:
    """Make a revocation of another issuer's token."""
    return DeniedToken(team, id, START + 9, START, f"human of {team}")


def hold_credentials(tx: Transaction, records: Records) -> None:
    """Store a key, a token and a revocation."""
    team = records.team
    credentials.put(tx, credential(team), f"digest of {team}")
    token = credential(team, id=TOKEN, kind=CredentialKind.TOKEN, expires_at=START + 9)
    credentials.put(tx, token, "")
    credentials.deny(tx, denial(team))
