"""Who is known to a server."""

from __future__ import annotations

from memoranda.api.service import Service
from memoranda.identity import table as credentials
from memoranda.ports import Authenticator
from memoranda.store.database import Transaction


def known_callers(service: Service) -> tuple[Authenticator, bool]:
    """Return what knows callers, and whether it knows others than the person at this machine.

    Raises:
        StorageUnusable: a file of secrets is open to others, or cannot be used.
        InvalidInput: the settings of an outside issuer are not whole.
    """
    home = service.home
    team, now = service.settings.team, home.clock.now()

    def work(tx: Transaction) -> bool:
        return credentials.holding(tx, team, now) > 0

    others = bool(service.settings.issuer_keys_file) or home.database.read(work)
    return home.authenticator, others
