"""Links by which the machine's owner signs in to the web page: sealed, short-lived, good once.

Whoever can read the token file can make one, without the store; that it was used is known by the
session that it began, which has its id.
"""

from __future__ import annotations

import hmac
import re
from pathlib import Path

from memoranda.clock import MICROSECONDS, Clock
from memoranda.identity.key_texts import LINK, UUID
from memoranda.identity.local_token import FILE, LocalToken, keyed_hash, read
from memoranda.ids import IdSource

MINUTES = 15
"""How long a link is good."""
_TEXT = re.compile(rf"{LINK}{UUID}\.([0-9]{{10}})\.([A-Za-z0-9_-]{{43}})")


def new_link(data_dir: Path, clock: Clock) -> str:
    """Make what stands in a link, with the token of a data directory.

    Raises:
        StorageUnusable: there is no token yet, or others can read it.
    """
    until = clock.now() // MICROSECONDS + MINUTES * 60
    said = f"{IdSource(clock).new()}.{until}"
    return f"{LINK}{said}.{keyed_hash(read(data_dir / FILE), _labelled(said))}"


def parse_link(text: str, token: LocalToken, now: int) -> str | None:
    """Return the id of a link that is good at a time, used or not; None if it is none.

    Raises:
        StorageUnusable: the token was taken away.
    """
    found = _TEXT.fullmatch(text)
    if found is None:
        return None
    id, until, seal = found.groups()
    genuine = hmac.compare_digest(seal, token.seal(_labelled(f"{id}.{until}")))
    return id if genuine and now < int(until) * MICROSECONDS else None


def _labelled(said: str) -> str:
    return f"link to sign in: {said}"
