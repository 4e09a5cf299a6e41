"""Regular expressions that are compiled at their first use.

Compiling the patterns of all languages takes longer than most commands that need a few of them.
"""

from __future__ import annotations

import re
from typing import Any, cast


class LazyPattern:
    """Stands for a compiled pattern, which it compiles when a method is first used."""

    def __init__(self, text: str, flags: int) -> None:
        """Create it from a pattern's text; an error in it is raised at the first use."""
        self._source = text, flags

    def __getattr__(self, name: str) -> Any:
        """Return an attribute of the compiled pattern, and keep it."""
        value = getattr(re.compile(*self._source), name)  # cached by re
        setattr(self, name, value)
        return value


def lazy_pattern(text: str, flags: int = 0) -> re.Pattern[str]:
    """Return a pattern that is compiled at its first use.

    Example:
        >>> lazy_pattern("[a-z]+").findall("ab cd")
        ['ab', 'cd']
    """
    return cast("re.Pattern[str]", LazyPattern(text, flags))
