"""What somebody names by the beginning of its id."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from memoranda.exceptions import InvalidInput
from memoranda.store.database import Transaction

LENGTH = 36
"""Characters of a whole id."""


def whole_id(
    tx: Transaction,
    team: str,
    id: str,
    beginning: Callable[[Transaction, str, str], Sequence[str]],
    what: str,
) -> str | None:
    """Return the id that begins so, a whole one as it is; None if there is none.

    Args:
        beginning: returns at most two ids that begin with a text, of things the caller may see;
            what it may not see has to make no beginning doubtful.
        what: how a person calls the thing.

    Raises:
        InvalidInput: several begin so.
    """
    ids = [id] if len(id) == LENGTH else beginning(tx, team, id) if id else []
    if len(ids) > 1:
        raise InvalidInput(f"more than one {what} begins with {id!r}; give more of the id")
    return ids[0] if ids else None
