"""Constructs the services for keys, tokens and sessions."""

from __future__ import annotations

from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from memoranda.assembly.store_context import StoreContext
from memoranda.exceptions import InvalidInput

if TYPE_CHECKING:
    from memoranda.identity.issuer import CredentialIssuer, CredentialSecrets
    from memoranda.identity.sessions import StoredSessions
    from memoranda.identity.signed_tokens import ExternalIssuer
    from memoranda.ports import Authenticator


class IdentityServices(StoreContext):
    """Services for keys and tokens.

    All teams of an installation share its secrets.
    """

    @cached_property
    def secrets(self) -> CredentialSecrets:
        """Secrets for issuing and verifying credentials, from the data directory.

        Raises:
            StorageUnusable: a file of secrets is readable by others, or cannot be used.
            InvalidInput: the settings of an external issuer are incomplete.
        """
        if isinstance(self.home, IdentityServices) and self.home is not self:
            return self.home.secrets
        from memoranda.identity.caller_cache import CallerCache
        from memoranda.identity.issuer import CredentialSecrets
        from memoranda.identity.key_format import Digests
        from memoranda.identity.signed_tokens import Tokens
        from memoranda.identity.signing_keys import SigningKeys

        data_dir = self.settings.data_dir
        signing = SigningKeys(data_dir, self.clock)
        tokens = Tokens(signing, self._outside_issuer(), self.clock)
        return CredentialSecrets(Digests(self._key), signing, tokens, CallerCache(), data_dir)

    @cached_property
    def issuing(self) -> CredentialIssuer:
        """Service that issues, lists and revokes keys and tokens of this team."""
        from memoranda.identity.issuer import CredentialIssuer

        return CredentialIssuer(self.database, self.secrets, self.clock, self.ids)

    @cached_property
    def authenticator(self) -> Authenticator:
        """Authenticator of callers of every team.

        The authenticator creates the owner's token on first use.

        Raises:
            StorageUnusable: a file of secrets is readable by others, or cannot be used.
            InvalidInput: the settings of an external issuer are incomplete.
        """
        from memoranda.identity.authenticator import StoreAuthenticator

        team, newest = self.settings.team, bool(self.settings.read_url)
        return StoreAuthenticator(self.database, self.secrets, self.clock, team, newest=newest)

    @cached_property
    def sessions(self) -> StoredSessions:
        """Service that signs people of any team in to the web interface.

        Raises:
            StorageUnusable: a file of secrets is readable by others, or cannot be used.
            InvalidInput: the settings of an external issuer are incomplete.
        """
        from memoranda.identity.sessions import StoredSessions

        team, newest = self.settings.team, bool(self.settings.read_url)
        return StoredSessions(
            self.database, self.secrets, self.authenticator, self.clock, team, newest=newest
        )

    def _outside_issuer(self) -> ExternalIssuer | None:
        settings = self.settings
        if not settings.issuer_keys_file:
            return None
        if not settings.issuer:
            raise InvalidInput("issuer_keys_file needs the setting issuer: the login service")
        from memoranda.identity.external_keys import ExternalKeys
        from memoranda.identity.signed_tokens import OURS, ExternalIssuer

        if settings.issuer == OURS:
            raise InvalidInput(
                f"issuer: {OURS!r} is the issuer of Memoranda's own tokens; use another name"
            )
        keys = ExternalKeys(Path(settings.issuer_keys_file))
        return ExternalIssuer(keys, settings.issuer, settings.issuer_audience)
