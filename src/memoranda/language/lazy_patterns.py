"""Regular expressions that are compiled on first use.

Compiling the patterns of all languages takes longer than most commands that need a few of them.
"""

from __future__ import annotations

import re
from typing import Any, cast


class LazyPattern:
    """Placeholder for a pattern, which is compiled on first use."""

    def __init__(self, text: str, flags: int) -> None:
        """Create a placeholder for a pattern; an error is raised on first use."""
        self._source = text, flags

    def __getattr__(self, name: str) -> Any:
        """Return an attribute of the compiled pattern, and cache it."""
        value = getattr(re.compile(*self._source), name)  # cached by re
        setattr(self, name, value)
        return value


def lazy_pattern(text: str, flags: int = 0) -> re.Pattern[str]:
    """Return a pattern that is compiled on first use.

    Example:
        >>> lazy_pattern("[a-z]+").findall("ab cd")
        ['ab', 'cd']
    """
    return cast("re.Pattern[str]", LazyPattern(text, flags))
