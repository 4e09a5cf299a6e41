"""Alternative forms of a person's name: initials, inflections, addresses."""

from __future__ import annotations

import re
from collections.abc import Sequence

from memoranda.memories.name_spellings import any_spelling

_NEAR = r"[ ._\-]{0,2}"
"""Characters that may occur between the parts of a user name."""
_HOST = r"@[a-z\d][a-z\d.\-]*[a-z\d]"
_VOWELS = "aeiouyаеёиоуыэюяйі"  # noqa: RUF001
"""Letters at the end of a name that an inflected form replaces."""
_LONG = 7
"""Minimum length of a name in which an inflected form may replace the last two letters."""
_STEM = 3
"""Minimum length of the part of a name that an inflected form keeps."""


def similar_forms(words: Sequence[str]) -> re.Pattern[str]:
    """Compile the forms of a name that may refer to the same person.

    For "Anna Kowalski", the forms include "annakowalski", "a. kowalski", "Kowalski Anna", "Annas
    Kowalskis" and "kowalski@example.com".
    """
    other = [r"[\s\-]+".join(map(form, words)) for form in (_inflected, _loose)]
    forms = [_address(words), *_joined(words), *other]
    return re.compile(rf"(?<![^\W_])(?:{'|'.join(forms)})(?![^\W_])", re.IGNORECASE)


def _joined(words: Sequence[str]) -> list[str]:
    """Return the patterns of the words joined, reversed, and with an initial."""
    if len(words) < 2:
        return []
    first, last = _loose(words[0]), _loose(words[-1])
    first = f"(?:{first}|{any_spelling(words[0][0])})"
    middle = "".join(f"(?:{_loose(word)}{_NEAR})?" for word in words[1:-1])
    return [f"{first}{_NEAR}{middle}{last}", f"{middle}{last}(?:{_NEAR}|, ?){first}"]


def _address(words: Sequence[str]) -> str:
    """Return the pattern of a mail address with the first or last name."""
    first, last = _loose(words[0]), _loose(words[-1])
    names = [first, last, f"{first}{_NEAR}{any_spelling(words[-1][0])}"]
    return rf"(?<![\w.+\-])(?:{'|'.join(names[: len(words) + 1])}){_HOST}"


def _inflected(word: str) -> str:
    """Return the pattern of a word with another ending."""
    cut = 2 if len(word) >= _LONG else 1
    stem = word[:-cut] + word[-cut:].rstrip(_VOWELS)
    stem = stem if len(stem) >= _STEM else word
    letters = 4 if len(stem) > _STEM + 1 else 2
    return rf"{any_spelling(stem)}[^\W\d_]{{0,{letters}}}"


def _loose(word: str) -> str:
    return any_spelling(word, loose=True)
