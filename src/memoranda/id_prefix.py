"""Resolves an id from a prefix."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from memoranda.exceptions import InvalidInput
from memoranda.ids import ambiguous
from memoranda.store.database import Transaction

LENGTH = 36
"""Length of a full id in characters."""


def full_id(
    tx: Transaction,
    team: str,
    id: str,
    beginning: Callable[[Transaction, str, str], Sequence[str]],
    what: str,
) -> str | None:
    """Return the id that starts with a prefix, or a full id unchanged.

    Return None if there is no such id.

    Args:
        beginning: function that returns the first ids with a prefix, limited to what the caller may
            see, so that other ids cannot make a prefix ambiguous.
        what: name of the kind of thing, used in messages.

    Raises:
        InvalidInput: several ids have the prefix.
    """
    ids = [id] if len(id) == LENGTH else beginning(tx, team, id) if id else []
    if len(ids) > 1:
        raise InvalidInput(ambiguous(what, id, ids))
    return ids[0] if ids else None
