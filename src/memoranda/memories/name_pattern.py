"""Finds a name in texts, and erases the lines that mention it."""

from __future__ import annotations

import json
import re
import unicodedata

from memoranda.exceptions import InvalidInput
from memoranda.json_data import JsonValue, dump_json
from memoranda.memories.name_spellings import BETWEEN_LETTERS, any_spelling
from memoranda.memories.similar_names import similar_forms
from memoranda.text import clip, one_line

MIN_LENGTH = 2
"""Minimum number of characters of a name."""
ERASED = "[erased]"
"""Replacement for erased text."""
_BEFORE = r"(?:(?<![^\W_])|(?<=\\[nrtbf]))"
r"""Asserts that no letter or digit precedes, except in a JSON escape such as ``\n``."""
_AFTER = r"(?![^\W_])"
_BETWEEN = (
    r"(?:[\s.\-_+*~`\u00ad\u200b-\u200f\u2010-\u2015\u2060\ufeff]|\\[nrt]|%20|</?[a-z]{1,9}>)+"
)
"""Separators between the words of a name: spaces, hyphens, dots, underscores and markup."""


class NamePattern:
    """Whole-word, case-insensitive matching of a name.

    "Anna" matches in "Anna's", "ANNA" and "anna@example.com", but not in "Annapolis". "Anna
    Kowalski" matches in "anna.kowalski@example.com", "**Anna** Kowalski" and "Kowalski, Anna".
    Apostrophes, accents and pairs such as "ue" for "ü" make no difference. A name in a script
    without spaces between words is also found within longer runs of characters.
    """

    def __init__(self, name: str) -> None:
        """Compile a name.

        Raises:
            InvalidInput: the name is shorter than two characters, or contains no letter or digit.
        """
        parts = unicodedata.normalize("NFC", name).split()
        self.name = " ".join(parts)
        if len(self.name) < MIN_LENGTH or not any(item.isalnum() for item in self.name):
            raise InvalidInput("a name needs at least two characters and a letter or digit")
        if len(parts) > 1 and self.name.count(",") == 1 and not self.name.endswith(","):
            last, _, first = self.name.partition(",")
            parts = [*first.split(), *last.split()]
        words = [any_spelling(part) for part in parts]
        forms = [_alone(parts[0][0], _BETWEEN.join(words), parts[-1][-1])]
        for at in range(1, len(parts)):  # "van der Berg, Jan" as well as "Berg, Jan van der"
            last, first = _BETWEEN.join(words[at:]), _BETWEEN.join(words[:at])
            reversed_name = rf"{last}{BETWEEN_LETTERS}\s*,\s*{first}"
            forms.append(_alone(parts[at][0], reversed_name, parts[at - 1][-1]))
        self._pattern = re.compile("|".join(forms), re.IGNORECASE)
        self._similar = similar_forms(parts) if _ends_words(parts[0][0]) else None

    def mentioned_in(self, text: str) -> bool:
        """Return whether a text mentions the name."""
        return self._pattern.search(_composed(text)) is not None

    def similar_in(self, text: str) -> set[str]:
        """Return forms in a text that may refer to the same person.

        The forms are in lower case. Forms of a one-word name must be capitalised in the text or be
        part of an address.
        """
        if self._similar is None:
            return set()
        forms = self._similar.findall(_composed(text))
        several = " " in self.name
        return {
            one_line(form.lower())
            for form in forms
            if (several or "@" in form or not form[0].islower()) and not self._pattern.search(form)
        }

    def first_line(self, text: str, limit: int) -> str:
        """Return the first line that mentions the name, shortened around it."""
        text = _composed(text)
        match = self._pattern.search(text)
        if match is None:
            return ""
        start = text.rfind("\n", 0, match.start()) + 1
        end = text.find("\n", match.end())
        line, before = text[start : end if end >= 0 else None], match.start() - start
        if before > limit // 2:
            cut = before - limit // 2
            space = re.search(r"[\s/]", line[cut:before])
            line = f"…{line[cut + (space.end() if space else 0) :]}"
        return clip(one_line(line.strip()), max(limit, len(match.group()) + limit // 2 + 2))

    def without(self, text: str) -> str:
        """Return a text without the lines or JSON strings that mention the name."""
        text = _composed(text)
        if text[:1] in ("{", "[", '"'):
            try:
                return dump_json(self._erased(json.loads(text)))
            except ValueError:
                pass
        kept = self._pattern.sub(lambda match: match.group().replace("\n", " "), text)
        return "\n".join(ERASED if self.mentioned_in(line) else line for line in kept.split("\n"))

    def _erased(self, value: JsonValue) -> JsonValue:
        if isinstance(value, str):
            return ERASED if self.mentioned_in(value) else value
        if isinstance(value, list):
            return [self._erased(one) for one in value]
        if isinstance(value, dict):
            return {
                ERASED if self.mentioned_in(key) else key: self._erased(item)
                for key, item in value.items()
            }
        return value


def _alone(first: str, pattern: str, last: str) -> str:
    """Return a pattern that matches whole words if the script has spaces."""
    before = _BEFORE if _ends_words(first) else ""
    after = _AFTER if _ends_words(last) else ""
    return f"{before}{pattern}{after}"


def _ends_words(character: str) -> bool:
    """Return whether a character's script puts spaces between words."""
    return character.isalnum() and unicodedata.east_asian_width(character) not in ("W", "F")


def _composed(text: str) -> str:
    return text if text.isascii() else unicodedata.normalize("NFC", text)
