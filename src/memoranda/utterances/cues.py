"""Cues: classes of terms that indicate a label, in nine languages.

They are in ``cues.tsv``, and in ``answers.tsv`` those for the agent's message: a name, and a
pattern for a folded text; rows of the same name are patterns of one cue. Every repetition is
bounded or of a single character class. The weight of a cue is fitted, not written by hand.
"""

from __future__ import annotations

import re
from functools import cache
from importlib.resources import files


def cues(text: str) -> list[str]:
    """Return the names of the cues in a person's folded text, in table order."""
    return [name for name, pattern in _table("cues.tsv") if pattern.search(text)]


def answered(before: str) -> list[str]:
    """Return what the agent's folded text does: asks, offers, reports.

    A person answers that. It is "nothing" where there is no text, and "other" where none of this is
    found.
    """
    if not before:
        return ["nothing"]
    return [name for name, pattern in _table("answers.tsv") if pattern.search(before)] or ["other"]


@cache
def _table(name: str) -> tuple[tuple[str, re.Pattern[str]], ...]:
    lines = files("memoranda.utterances").joinpath(name).read_text("utf-8").split("\n")[1:]
    wordings: dict[str, list[str]] = {}
    for line in filter(None, lines):
        cue, _, pattern = line.partition("\t")
        wordings.setdefault(cue, []).append(pattern)
    return tuple((cue, re.compile("|".join(rows))) for cue, rows in wordings.items())
