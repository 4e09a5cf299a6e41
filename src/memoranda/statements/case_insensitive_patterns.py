"""Case-insensitive matching at the speed of case-sensitive matching.

`re.IGNORECASE` tries every alternative of a pattern at every position; without it, alternatives
with another first letter are skipped. Therefore a lower-case pattern is searched in the lower-case
text.
"""

from __future__ import annotations

import re

_OTHER_FORMS = re.compile("[\u0130\u0131\u017f]")
"""Letters that `re.IGNORECASE` treats as i or s, unlike lower-casing."""


class CaselessPattern:
    """Lower-case pattern that matches like a pattern with `re.IGNORECASE`."""

    def __init__(self, pattern: str) -> None:
        self._pattern = pattern
        self._compiled = re.compile(pattern)

    def search(self, text: str) -> re.Match[str] | None:
        """Return the first match, ignoring case.

        Positions are those in the text; groups may be in lower case.
        """
        if not text.isascii() and _OTHER_FORMS.search(text):
            return re.compile(self._pattern, re.IGNORECASE).search(text)
        return self._compiled.search(text.lower())

    def count(self, text: str) -> int:
        """Return the number of matches."""
        if not text.isascii() and _OTHER_FORMS.search(text):
            return len(re.findall(self._pattern, text, re.IGNORECASE))
        return len(self._compiled.findall(text.lower()))
