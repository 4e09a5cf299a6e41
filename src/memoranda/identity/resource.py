"""Methods that create, list and revoke a team's keys and tokens."""

from __future__ import annotations

from memoranda.identity.model import Credential, NewCredential, RevokedCredential, SigningKeyInfo
from memoranda.identity.principal import Role
from memoranda.operation_declaration import ADMINS, local, read, write
from memoranda.page import Page
from memoranda.resource import Resource, member, one_place
from memoranda.text import normalise


class TokensResource(Resource):
    """``memory.tokens``: keys and tokens of callers, created and revoked by people."""

    @write("tokens.create", roles=ADMINS, alias=("auth.token.create",), secret=True)
    def create(
        self,
        role: Role | str,
        *,
        subject: str | None = None,
        agent: str | None = None,
        workspace: str | None = None,
        days: int | None = None,
        jwt: bool = False,
        hours: float | None = None,
    ) -> NewCredential:
        """Create a key, or a signed token.

        The text of the key or token is shown only once.

        Args:
            role: reader, agent, member, reviewer or admin.
            subject: the person for whom the credential is created, as shown in the journal; None
                for the caller.
            agent: the id of the agent for which the credential is created, if and only if the role
                is agent.
            workspace: default workspace of the holder.
            days: number of days for which the credential is valid; by default, a key is valid until
                it is revoked.
            jwt: create a signed token instead of a key. The token is valid for an hour, or for up
                to 24 hours if ``hours`` is passed.
            hours: number of hours for which the credential is valid, instead of ``days``.

        Raises:
            Forbidden: an agent requested the credential.
            InvalidInput: a name is not acceptable or looks like a secret, the validity is too long,
                or both days and hours are specified.
        """
        from memoranda.identity.issuer import CredentialHolder, lifetime

        named = self._services.sanitiser.checked_name
        for what, name in (("a person", subject), ("an agent", agent), ("a workspace", workspace)):
            if name is not None:
                named(f"the name of {what}", name)
        place = one_place(normalise(workspace)) if workspace is not None else None
        holder = CredentialHolder(member(Role, role), subject, agent, place)
        issuing, valid = self._services.issuing, lifetime(days, hours)
        if jwt:
            return issuing.token(self._scope, holder, 1.0 if valid is None else valid)
        return issuing.key(self._scope, holder, valid)

    @read("tokens.list", roles=ADMINS, alias=("auth.token.list",))
    def list(
        self, *, past: bool = False, cursor: str | None = None, limit: int = 50
    ) -> Page[Credential]:
        """List keys and tokens, newest first.

        With ``past``, credentials that are no longer valid are included.
        """
        return self._services.issuing.listed(self._scope, past=past, cursor=cursor, limit=limit)

    @write("tokens.revoke", roles=ADMINS, alias=("auth.token.revoke",))
    def revoke(self, id: str, *, outside: bool = False) -> RevokedCredential:
        """Revoke a key or a token permanently.

        The key or token is specified by its id or a prefix of the id. The revocation takes effect
        immediately.

        Args:
            outside: whether the token is from the external issuer and specified by its full id
                (jti).

        Raises:
            Forbidden: an agent requested the revocation.
            NotFound: this team has no such key or token.
            InvalidInput: the token itself was passed instead of the id of an external token.
        """
        issuing = self._services.issuing
        id = normalise(id)
        if not outside:
            return issuing.revoke(self._scope, id)
        return issuing.deny(
            self._scope, self._services.sanitiser.checked_name("the id of a token", id)
        )

    @local("tokens.rotate-key", alias=("auth.key.rotate",))
    def rotate_key(self) -> SigningKeyInfo:
        """Sign tokens with a new key from now on.

        Earlier keys still verify until the tokens that they signed have expired.

        Raises:
            Forbidden: an agent requested the new key.
        """
        return self._services.issuing.rotate(self._scope)
