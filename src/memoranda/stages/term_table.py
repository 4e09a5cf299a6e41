"""Helpers that build lookup tables from lines of terms."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeVar

_Meaning = TypeVar("_Meaning")


def meanings(rows: Mapping[_Meaning, str]) -> dict[str, _Meaning]:
    """Convert words by their meaning into meanings by their word."""
    return {word: meaning for meaning, words in rows.items() for word in words.split()}
