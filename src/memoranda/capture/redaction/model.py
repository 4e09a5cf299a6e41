"""What is kept of a text, and what never is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class RedactionPreview:
    """What capture would keep of a text."""

    text: str
    """With a mark in the place of each secret; empty where nothing of it is kept."""
    removed: Mapping[str, int]
    """What was taken out, by rule: kinds of secrets, ``private``, ``recalled``, ``excluded``."""
    excluded: bool
    """Whether the file or the command that it came from is never captured."""


@dataclass(frozen=True, slots=True)
class PrivacyRules:
    """What capture takes out and leaves alone."""

    exclude_paths: tuple[str, ...]
    """Files whose content is never kept, as globs."""
    exclude_commands: tuple[str, ...]
    """Commands whose input and output are never kept, as RE2 patterns."""
    redact_patterns: tuple[str, ...]
    """Secrets of this installation, as RE2 patterns."""
    rules: tuple[str, ...]
    """Kinds of secrets that are known anyway."""
