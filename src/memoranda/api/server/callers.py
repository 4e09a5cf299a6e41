"""The authenticator of a server, and whether remote callers are set up."""

from __future__ import annotations

from memoranda.api.service import Service
from memoranda.identity import table as credentials
from memoranda.ports import Authenticator
from memoranda.store.database import Transaction


def known_callers(service: Service) -> tuple[Authenticator, bool]:
    """Return the authenticator, and whether it knows more than the owner.

    The owner is the person at this machine.

    Raises:
        StorageUnusable: a file of secrets is readable by others, or cannot be used.
        InvalidInput: the settings of an outside issuer are not complete.
    """
    home = service.home
    team, now = service.settings.team, home.clock.now()

    def work(tx: Transaction) -> bool:
        return credentials.holding(tx, team, now) > 0

    others = bool(service.settings.issuer_keys_file) or home.database.read(work)
    return home.authenticator, others
