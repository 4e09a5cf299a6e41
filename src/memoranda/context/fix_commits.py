"""Commits of later tasks that mention the cause of an open error."""

from __future__ import annotations

import re
from collections.abc import Iterator

from memoranda.language.words import FUNCTION_WORDS, STOP_WORDS, word_set, words
from memoranda.observations import content as contents, table as observations
from memoranda.observations.model import Observation
from memoranda.observations.table import ObservationFilter
from memoranda.store.database import Transaction

READ = 40
"""Number of newest Git commands that are examined."""
MAX_LENGTH = 6_000
"""Maximum number of characters of an error and of an output that are read."""
MIN_COUNT, MIN_LENGTH = 2, 4
"""Minimum number of common words of a commit and an error, and minimum length of each."""

_COMMIT = re.compile(
    r"^[ \t*|]*(?:\[[^\]\n]{1,100} )?(?P<hash>[0-9a-f]{7,40})\]? (?:\([^)\n]*\) )?"
    r"(?P<subject>\S.{5,119})$",
    re.MULTILINE,
)
"""Line of a log, or the output of a commit."""
_UNFINISHED = re.compile(r"\b(?:wip|todo|try|trying|attempt|revert\w*|debug\w*)\b", re.IGNORECASE)
_LETTERS = re.compile(r"[a-z]+")
_GENERAL = (
    word_set(
        "build builds test tests error errors fail failed fails failing failure fix fixed fixes"
        " code file files class classes function method type line value task exit command"
        " missing with from into this that when main develop version update change remove keep make"
        " more"
    )
    | STOP_WORDS
    | FUNCTION_WORDS
)


def naming_commit(tx: Transaction, error: Observation) -> str | None:
    """Return a later task's commit that mentions an error's cause, if any.

    At least two distinctive words of the commit's subject are in the error. The short hash is
    returned, because a subject is worded like an instruction and is external text.
    """
    where = ObservationFilter(tags=("git",), since=error.created_at)
    found = observations.recent(tx, error.team, error.workspace, where=where, limit=READ)
    later = [item.id for item in found if item.task != error.task]
    if not later:
        return None
    texts = contents.texts(tx, error.team, [*later, error.id])
    cause = _distinctive(texts.get(error.id, error.summary)[:MAX_LENGTH])
    for id in reversed(later):
        for commit, subject in _commits(texts.get(id, "")):
            if len(_distinctive(subject) & cause) >= MIN_COUNT:
                return commit
    return None


def _commits(text: str) -> Iterator[tuple[str, str]]:
    """Yield the hash and subject of the commits in an output, newest first."""
    for match in _COMMIT.finditer(text[:MAX_LENGTH]):
        if not _UNFINISHED.search(match["subject"]):
            yield match["hash"][:7], match["subject"]


def _distinctive(text: str) -> frozenset[str]:
    found = (part for word in words(text) for part in _LETTERS.findall(word))
    return frozenset(part for part in found if len(part) >= MIN_LENGTH) - _GENERAL
