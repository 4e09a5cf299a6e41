"""Cues: kinds of words that speak for one label or another, the same kinds in nine languages.

They stand in ``cues.tsv``, and in ``answers.tsv`` those for what the agent said: a name, and a
pattern for a folded text; rows of the same name are wordings of one cue. Every repeat is bounded or
of a class of one character. What a cue is worth is fitted, not written down.
"""

from __future__ import annotations

import re
from functools import cache
from importlib.resources import files


def cues(text: str) -> list[str]:
    """Return the names of the cues in a folded text of a person, in the order of the table."""
    return [name for name, pattern in _table("cues.tsv") if pattern.search(text)]


def answered(before: str) -> list[str]:
    """Return what the folded text of the agent does that a person answers: asks, offers, reports.

    It is "nothing" where there is no text, and "other" where none of this is seen.
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
