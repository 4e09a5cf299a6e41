"""Agents: stable identities that act in a workspace."""

from __future__ import annotations

from dataclasses import dataclass

from memoranda.exceptions import InvalidInput
from memoranda.text import normalise

MAX_LENGTH = 200
"""Maximum length of an agent's id in characters."""


@dataclass(frozen=True, slots=True)
class Agent:
    """One agent; times are microseconds since the epoch."""

    id: str
    name: str
    created_at: int
    last_seen_at: int


@dataclass(frozen=True, slots=True)
class AttachedBlock:
    """A shared block that is attached to an agent."""

    block: str
    label: str
    role: str


def checked_id(id: str) -> str:
    """Validate an agent's id and return it in its stored form.

    Raises:
        InvalidInput: the id does not have 1 to 200 characters.
    """
    id = normalise(id).strip()
    if not 1 <= len(id) <= MAX_LENGTH:
        raise InvalidInput(
            f"the id of an agent must have 1 to {MAX_LENGTH} characters, not {len(id)}"
        )
    return id
