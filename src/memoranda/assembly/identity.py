"""Who may come in, put together."""

from __future__ import annotations

from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from memoranda.assembly.open_store import Opened
from memoranda.exceptions import InvalidInput

if TYPE_CHECKING:
    from memoranda.identity.authenticator import Means
    from memoranda.identity.issuer import Issuing, Secrets
    from memoranda.identity.tokens import OutsideIssuer
    from memoranda.ports import Authenticator, Sessions


class IdentityRooms(Opened):
    """Keys and tokens. All teams of an installation share its secrets."""

    @cached_property
    def secrets(self) -> Secrets:
        """What credentials are made with and known by, read from the data directory.

        Raises:
            StorageUnusable: a file of secrets is open to others, or cannot be used.
            InvalidInput: the settings of an outside issuer are not whole.
        """
        if isinstance(self.home, IdentityRooms) and self.home is not self:
            return self.home.secrets
        from memoranda.identity.caller_cache import Known
        from memoranda.identity.issuer import Secrets
        from memoranda.identity.key_texts import Digests
        from memoranda.identity.signing_keys import SigningKeys
        from memoranda.identity.tokens import Tokens

        signing = SigningKeys(self.settings.data_dir, self.clock)
        tokens = Tokens(signing, self._outside_issuer(), self.clock)
        return Secrets(Digests(self._key), signing, tokens, Known())

    @cached_property
    def issuing(self) -> Issuing:
        """What makes, lists and revokes keys and tokens of this team."""
        from memoranda.identity.issuer import Issuing

        return Issuing(self.database, self.secrets, self.clock, self.ids)

    @cached_property
    def authenticator(self) -> Authenticator:
        """What knows callers of every team; it makes the owner's token at first use.

        Raises:
            StorageUnusable: a file of secrets is open to others, or cannot be used.
            InvalidInput: the settings of an outside issuer are not whole.
        """
        from memoranda.identity.authenticator import authenticator

        team, newest = self.settings.team, bool(self.settings.read_url)
        return authenticator(self.database, self._means, self.clock, team, newest=newest)

    @cached_property
    def sessions(self) -> Sessions:
        """What signs people in to the web page, whatever their team.

        Raises:
            StorageUnusable: a file of secrets is open to others, or cannot be used.
            InvalidInput: the settings of an outside issuer are not whole.
        """
        from memoranda.identity.sessions import StoredSessions

        team, newest = self.settings.team, bool(self.settings.read_url)
        return StoredSessions(
            self.database, self._means, self.authenticator, self.clock, team, newest=newest
        )

    @cached_property
    def _means(self) -> Means:
        from memoranda.identity.authenticator import Means
        from memoranda.identity.local_token import LocalToken

        held = self.secrets
        return Means(LocalToken(self.settings.data_dir), held.digests, held.tokens, held.known)

    def _outside_issuer(self) -> OutsideIssuer | None:
        settings = self.settings
        if not settings.issuer_keys_file:
            return None
        if not settings.issuer:
            raise InvalidInput("issuer_keys_file needs the setting issuer: who signs with them")
        from memoranda.identity.external_issuer import OutsideKeys
        from memoranda.identity.tokens import OURS, OutsideIssuer

        if settings.issuer == OURS:
            raise InvalidInput(f"issuer: {OURS!r} is what our own tokens say; the other has a name")
        keys = OutsideKeys(Path(settings.issuer_keys_file))
        return OutsideIssuer(keys, settings.issuer, settings.issuer_audience)
