"""What the rooms need from outside, as Protocols."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol


class TokenCounter(Protocol):
    """Counts tokens the way the reader of a text will."""

    name: str

    def count(self, text: str) -> int:
        """Return how many tokens a text has."""
        ...

    def count_many(self, texts: Sequence[str]) -> list[int]:
        """Return how many tokens each text has, in order."""
        ...

    def truncate(self, text: str, limit: int) -> str:
        """Return the longest beginning of a text that has at most ``limit`` tokens."""
        ...


class Sanitiser(Protocol):
    """Takes secrets and private spans out of a text."""

    def clean(self, text: str) -> str:
        """Return the text without them."""
        ...
