"""Matches a name in texts, and erases the lines that mention it."""

from __future__ import annotations

import json
import re
import unicodedata

from memoranda.exceptions import InvalidInput
from memoranda.json_data import JsonValue, dump_json

SHORTEST = 2
"""Minimum characters of a name."""
ERASED = "[erased]"
"""Replacement for erased text."""
_BEFORE = r"(?:(?<![^\W_])|(?<=\\[nrtbf]))"
r"""Asserts that no letter or digit precedes, except in a JSON escape such as ``\n``."""
_AFTER = r"(?![^\W_])"


class NamePattern:
    """Whole-word, case-insensitive matching of a name.

    "Anna" is in "Anna's", "ANNA" and "anna@example.com", and not in "Annapolis". A name in a script
    without spaces between words is found inside longer runs too.
    """

    def __init__(self, name: str) -> None:
        """Compile a name.

        Raises:
            InvalidInput: it is shorter than two characters, or has no letter or digit.
        """
        parts = unicodedata.normalize("NFC", name).split()
        self.name = " ".join(parts)
        if len(self.name) < SHORTEST or not any(one.isalnum() for one in self.name):
            raise InvalidInput("a name has at least two characters, letters or digits among them")
        pattern = r"(?:\s|\\[nrt])+".join(map(re.escape, parts))
        before = _BEFORE if _ends_words(self.name[0]) else ""
        after = _AFTER if _ends_words(self.name[-1]) else ""
        self._pattern = re.compile(f"{before}{pattern}{after}", re.IGNORECASE)

    def mentioned_in(self, text: str) -> bool:
        """Return whether a text mentions the name."""
        return self._pattern.search(_composed(text)) is not None

    def first_line(self, text: str, longest: int) -> str:
        """Return the first line that mentions the name, shortened around it."""
        text = _composed(text)
        found = self._pattern.search(text)
        if found is None:
            return ""
        start = text.rfind("\n", 0, found.start()) + 1
        start = max(start, found.start() - longest // 2)
        line = text[start : start + longest].strip()
        return line if "\n" in found.group() else line.partition("\n")[0]

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


def _ends_words(character: str) -> bool:
    """Return whether a character's script puts spaces between words."""
    return character.isalnum() and unicodedata.east_asian_width(character) not in ("W", "F")


def _composed(text: str) -> str:
    return text if text.isascii() else unicodedata.normalize("NFC", text)
