"""Readable contents of observations, for search."""

from __future__ import annotations

import json
from collections.abc import Sequence

from memoranda.json_data import dump_json
from memoranda.observations import blob_table as blobs
from memoranda.observations.content import readable
from memoranda.observations.model import ContentFormat
from memoranda.store.database import Transaction, load_statements

SQL = load_statements(__file__)

RECALLED = "recalled"
"""Tag of calls to Memoranda's own tools and commands; not searchable."""
RECALLED_OUTPUT = "[recalled from Memoranda; not captured again]"
"""Text that replaces the output of such calls."""
HIDDEN = frozenset({"excluded", RECALLED})
"""Tags of observations whose content is not searchable.

It was excluded from capture, or was returned by Memoranda itself.
"""


def texts(tx: Transaction, team: str, ids: Sequence[str]) -> dict[str, str]:
    """Return the searchable text of observations, by id.

    It is the content, or the summary if the content is hidden.

    Raises:
        CorruptData: a content is not what was stored.
    """
    if not ids:
        return {}
    rows = tx.fetch(SQL["of_observations"], {"team": team, "ids": dump_json(list(ids))})
    found: dict[str, str] = {}
    for id, form, tags, summary, digest, codec, data in rows:
        hidden = HIDDEN & set(json.loads(tags))
        content = "" if hidden else blobs.checked(digest, codec, data)
        found[id] = summary if hidden else readable(content, ContentFormat(form))
    return found
