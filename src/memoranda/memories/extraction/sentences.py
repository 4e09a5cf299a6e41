"""The prose of a text and its sentences, up to a limit."""

from __future__ import annotations

from memoranda.language.prose import unfenced, without_marks
from memoranda.language.sentences import sentences
from memoranda.text import text_lines

MAX_READ = 20_000
"""Maximum number of characters that are read; a memory is far shorter."""
MAX_SENTENCES = 200
MAX_LENGTH = 300
"""Maximum characters of a sentence; longer ones are cut."""


def prose(text: str) -> str:
    """Return the start of a text without fenced code and bullets.

    Its apostrophes become plain ones.
    """
    lines = unfenced(text_lines(text[:MAX_READ].replace("\u2019", "'")))
    return "\n".join(without_marks(line) for line in lines if line)


def prose_sentences(prose: str) -> tuple[str, ...]:
    """Return the first 200 sentences of prose in order, each cut to 300 characters."""
    return tuple(one[:MAX_LENGTH].rstrip() for one in sentences(prose)[:MAX_SENTENCES])


def lowered(text: str) -> str:
    """Return a text in lower case with unchanged character positions."""
    low = text.lower()
    return low if len(low) == len(text) else text
