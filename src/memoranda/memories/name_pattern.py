"""Matches a name in texts, and erases the lines that mention it."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Sequence

from memoranda.exceptions import InvalidInput
from memoranda.json_data import JsonValue, dump_json
from memoranda.text import clip, one_line

MIN_LENGTH = 2
"""Minimum characters of a name."""
ERASED = "[erased]"
"""Replacement for erased text."""
_BEFORE = r"(?:(?<![^\W_])|(?<=\\[nrtbf]))"
r"""Asserts that no letter or digit precedes, except in a JSON escape such as ``\n``."""
_AFTER = r"(?![^\W_])"
_HIDDEN = "[\u00ad\u200b-\u200f\u2060\ufeff]*"
"""Characters without a width, which may be inside of a name."""
_BETWEEN = (
    r"(?:[\s.\-_+*~`\u00ad\u200b-\u200f\u2010-\u2015\u2060\ufeff]|\\[nrt]|%20|</?[a-z]{1,9}>)+"
)
"""What separates the words of a name: spaces, hyphens, dots, underscores, marks of markup."""


class NamePattern:
    """Whole-word, case-insensitive matching of a name.

    "Anna" is in "Anna's", "ANNA" and "anna@example.com", and not in "Annapolis". "Anna Kowalski" is
    in "anna.kowalski@example.com", "**Anna** Kowalski" and "Kowalski, Anna". A name in a script
    without spaces between words is found inside longer runs too.
    """

    def __init__(self, name: str) -> None:
        """Compile a name.

        Raises:
            InvalidInput: it is shorter than two characters, or has no letter or digit.
        """
        parts = unicodedata.normalize("NFC", name).split()
        self.name = " ".join(parts)
        if len(self.name) < MIN_LENGTH or not any(one.isalnum() for one in self.name):
            raise InvalidInput("a name has at least two characters, letters or digits among them")
        if len(parts) > 1 and self.name.count(",") == 1 and not self.name.endswith(","):
            last, _, first = self.name.partition(",")
            parts = [*first.split(), *last.split()]
        words = [_HIDDEN.join(map(re.escape, part)) for part in parts]
        forms = [_alone(parts[0][0], _BETWEEN.join(words), parts[-1][-1])]
        if len(parts) > 1:
            reversed_name = rf"{words[-1]}{_HIDDEN}\s*,\s*{_BETWEEN.join(words[:-1])}"
            forms.append(_alone(parts[-1][0], reversed_name, parts[-2][-1]))
        self._pattern = re.compile("|".join(forms), re.IGNORECASE)
        self._similar = _similar_forms(parts)

    def mentioned_in(self, text: str) -> bool:
        """Return whether a text mentions the name."""
        return self._pattern.search(_composed(text)) is not None

    def similar_in(self, text: str) -> set[str]:
        """Return forms in a text that may mean the same person, as "a.kowalski" or "annakowalski".

        They are in lower case. A name of one word has none.
        """
        if self._similar is None:
            return set()
        return {one_line(found.lower()) for found in self._similar.findall(_composed(text))}

    def first_line(self, text: str, limit: int) -> str:
        """Return the first line that mentions the name, shortened around it."""
        text = _composed(text)
        found = self._pattern.search(text)
        if found is None:
            return ""
        start = text.rfind("\n", 0, found.start()) + 1
        end = text.find("\n", found.end())
        line, before = text[start : end if end >= 0 else None], found.start() - start
        if before > limit // 2:
            cut = before - limit // 2
            space = re.search(r"[\s/]", line[cut:before])
            line = f"…{line[cut + (space.end() if space else 0) :]}"
        return clip(one_line(line.strip()), max(limit, len(found.group()) + limit // 2 + 2))

    def without(self, text: str) -> str:
        """Return a text without the lines or JSON strings that mention the name."""
        text = _composed(text)
        if text[:1] in ("{", "[", '"'):
            try:
                return dump_json(self._erased(json.loads(text)))
            except ValueError:
                pass
        kept = self._pattern.sub(lambda found: found.group().replace("\n", " "), text)
        return "\n".join(ERASED if self.mentioned_in(line) else line for line in kept.split("\n"))

    def _erased(self, value: JsonValue) -> JsonValue:
        if isinstance(value, str):
            return ERASED if self.mentioned_in(value) else value
        if isinstance(value, list):
            return [self._erased(one) for one in value]
        if isinstance(value, dict):
            return {
                ERASED if self.mentioned_in(key) else key: self._erased(one)
                for key, one in value.items()
            }
        return value


def _alone(first: str, pattern: str, last: str) -> str:
    """Return a pattern that matches as a whole, in scripts that put spaces between words."""
    before = _BEFORE if _ends_words(first) else ""
    after = _AFTER if _ends_words(last) else ""
    return f"{before}{pattern}{after}"


def _similar_forms(parts: Sequence[str]) -> re.Pattern[str] | None:
    """Compile forms that may mean the person: joined, reversed, or with an initial."""
    if len(parts) < 2 or not (_ends_words(parts[0][0]) and _ends_words(parts[-1][-1])):
        return None
    first, last = re.escape(parts[0]), re.escape(parts[-1])
    initial, between = re.escape(parts[0][0]), r"[ ._\-]{0,2}"
    given = f"(?:{first}|{initial})"
    forms = rf"{given}{between}{last}|{last}(?:{between}|, ?){given}"
    return re.compile(rf"(?<![^\W_])(?:{forms})(?![^\W_])", re.IGNORECASE)


def _ends_words(character: str) -> bool:
    """Return whether a character's script puts spaces between words."""
    return character.isalnum() and unicodedata.east_asian_width(character) not in ("W", "F")


def _composed(text: str) -> str:
    return text if text.isascii() else unicodedata.normalize("NFC", text)
