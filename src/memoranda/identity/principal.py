"""Principals: the authenticated caller and its role.

A principal is derived from a key or a token, never from the content of a request.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum

from memoranda.agents.model import checked_id
from memoranda.exceptions import InvalidInput
from memoranda.scope import LOCAL_TEAM, PERSON, Scope
from memoranda.text import clip

_NAME = re.compile(r"[a-z0-9](?:[a-z0-9_-]{0,61}[a-z0-9])?")
_SUBJECT = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9@._+-]{0,199})")


class Role(StrEnum):
    """Permissions of a caller.

    Each role for people includes the permissions of the preceding roles.
    """

    READER = "reader"
    """May read."""
    AGENT = "agent"
    """May read, and may write in the agent's own name.

    The agent's changes to memories are pending until a person decides on them.
    """
    MEMBER = "member"
    """A person who uses the memory."""
    REVIEWER = "reviewer"
    """A person who also decides which proposals become memories."""
    ADMIN = "admin"
    """A person who also administers the installation."""


@dataclass(frozen=True, slots=True)
class Principal:
    """Member of a team, with a role."""

    team: str
    subject: str
    role: Role
    agent: str | None = None
    """Id of the agent; None for people."""
    workspace: str | None = None
    """Default workspace of the principal's calls."""
    credential: str = ""
    """Id of the key or token that identified the principal."""
    expires_at: int | None = None

    def __post_init__(self) -> None:
        checked_team(self.team)
        if not _SUBJECT.fullmatch(self.subject):
            raise InvalidInput(
                f"{clip(self.subject, 40)!r} is not a user or program name: use up to 200 of "
                "A-Z, a-z, 0-9, @, ., _, + and -, beginning with a letter or a digit"
            )
        if (self.role is Role.AGENT) is not (self.agent is not None):
            raise InvalidInput("the role agent requires an agent id; other roles cannot have one")
        if self.agent is not None:
            checked_id(self.agent)

    @property
    def scope(self) -> Scope:
        """Return the scope in which the principal acts, without a workspace."""
        decides = self.role in (Role.REVIEWER, Role.ADMIN)
        return Scope(self.team, agent=self.agent, person=self.subject, sees_private_blocks=decides)


def owner(team: str = LOCAL_TEAM) -> Principal:
    """Return the principal of the machine's owner."""
    return Principal(team, PERSON, Role.ADMIN)


def checked_team(team: str) -> str:
    """Return the validated name of a team, which can be used in a path.

    Raises:
        InvalidInput: the name has characters other than a-z, 0-9, - and _, or more than 63
            characters.
    """
    if not _NAME.fullmatch(team):
        raise InvalidInput(
            f"{team!r} is not a team name: use up to 63 of a-z and 0-9, and, except at the ends,"
            f" also - and _"
        )
    return team
