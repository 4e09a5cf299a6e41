"""Sign-in links for the machine's owner: signed, short-lived, single use.

Whoever can read the token file can create one without the store. Use is detected by the session
that a link began, which has the link's id.
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
"""Minutes that a link is valid."""
_TEXT = re.compile(rf"{LINK}{UUID}\.([0-9]{{10}})\.([A-Za-z0-9_-]{{43}})")


def new_link(data_dir: Path, clock: Clock) -> str:
    """Create the secret of a link, with the token of a data directory.

    Raises:
        StorageUnusable: there is no token yet, or others can read it.
    """
    until = clock.now() // MICROSECONDS + MINUTES * 60
    content = f"{IdSource(clock).new()}.{until}"
    return f"{LINK}{content}.{keyed_hash(read(data_dir / FILE), _labelled(content))}"


def parse_link(text: str, token: LocalToken, now: int) -> str | None:
    """Return the id of a link that is valid at a time; None if it is none.

    It may have been used or not.

    Raises:
        StorageUnusable: the token was removed.
    """
    found = _TEXT.fullmatch(text)
    if found is None:
        return None
    id, until, seal = found.groups()
    genuine = hmac.compare_digest(seal, token.seal(_labelled(f"{id}.{until}")))
    return id if genuine and now < int(until) * MICROSECONDS else None


def _labelled(content: str) -> str:
    return f"link to sign in: {content}"
