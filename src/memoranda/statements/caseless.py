"""Regular expressions that ignore case, at the speed of those that do not.

`re.IGNORECASE` tries every alternative of a pattern at every place; without it, alternatives whose
first letter differs are skipped. So a pattern in lower case is searched in the text in lower case.
"""

from __future__ import annotations

import re

_OTHER_FORMS = re.compile("[\u0130\u0131\u017f]")
"""Letters that equal an i or an s for `re.IGNORECASE`, but not in lower case."""


class CaselessPattern:
    """Pattern written in lower case that finds what `re.IGNORECASE` would find."""

    def __init__(self, pattern: str) -> None:
        self._pattern = pattern
        self._compiled = re.compile(pattern)

    def search(self, text: str) -> re.Match[str] | None:
        """Return the first match, in any case.

        Its positions are those of the text; its groups may be in lower case.
        """
        if not text.isascii() and _OTHER_FORMS.search(text):
            return re.compile(self._pattern, re.IGNORECASE).search(text)
        return self._compiled.search(text.lower())

    def count(self, text: str) -> int:
        """Return the number of matches."""
        if not text.isascii() and _OTHER_FORMS.search(text):
            return len(re.findall(self._pattern, text, re.IGNORECASE))
        return len(self._compiled.findall(text.lower()))
