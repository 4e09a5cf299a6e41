"""Who may come in: keys and tokens of a team."""

from __future__ import annotations

from memoranda.identity.model import Credential, NewCredential, RevokedCredential, SigningKeyInfo
from memoranda.identity.principal import Role
from memoranda.page import Page
from memoranda.resource import Resource, member, one_place
from memoranda.text import normalise


class IdentityResource(Resource):
    """Keys and tokens by which callers of a server are known; people make and revoke them."""

    def token_create(
        self,
        role: Role | str,
        *,
        subject: str | None = None,
        agent: str | None = None,
        workspace: str | None = None,
        days: int | None = None,
        jwt: bool = False,
        hours: float = 1.0,
    ) -> NewCredential:
        """Make a key of this team, or a signed token; its text is shown this once.

        Args:
            role: reader, agent, member, reviewer or admin.
            subject: the person it is for, as the journal names them; None for whoever makes it.
            agent: the id of the agent it is for; the role agent, and no other, needs one.
            workspace: the workspace that is meant where the holder names none.
            days: how long a key is good; None until it is revoked.
            jwt: make a signed token instead.
            hours: how long a token is good, up to 24.

        Raises:
            Forbidden: an agent asks for it.
            InvalidInput: nobody can be called so, a name reads like a secret, or it would be good
                for too long.
        """
        from memoranda.identity.issuer import CredentialHolder

        named = self._rooms.sanitiser.checked_name
        for what, name in (("a person", subject), ("an agent", agent), ("a workspace", workspace)):
            if name is not None:
                named(f"the name of {what}", name)
        place = one_place(normalise(workspace)) if workspace is not None else None
        holder = CredentialHolder(member(Role, role), subject, agent, place)
        issuing = self._rooms.issuing
        if jwt:
            return issuing.token(self._scope, holder, hours)
        return issuing.key(self._scope, holder, days)

    def tokens(
        self, *, past: bool = False, cursor: str | None = None, limit: int = 50
    ) -> Page[Credential]:
        """Return keys and tokens, newest first; ``past``: also those that are good no more."""
        return self._rooms.issuing.listed(self._scope, past=past, cursor=cursor, limit=limit)

    def token_revoke(self, id: str, *, outside: bool = False) -> RevokedCredential:
        """Revoke a key or a token by its id or a beginning of it, at once and for good.

        Args:
            outside: it is a token of the outside issuer, by its whole id (jti).

        Raises:
            Forbidden: an agent asks for it.
            NotFound: there is none in this team.
            InvalidInput: what is given as the id of a token outside is a token itself.
        """
        issuing = self._rooms.issuing
        id = normalise(id)
        if not outside:
            return issuing.revoke(self._scope, id)
        return issuing.deny(
            self._scope, self._rooms.sanitiser.checked_name("the id of a token", id)
        )

    def key_rotate(self) -> SigningKeyInfo:
        """Sign tokens with a new key; those before it verify until their tokens are over.

        Raises:
            Forbidden: an agent asks for it.
        """
        return self._rooms.issuing.rotate(self._scope)
