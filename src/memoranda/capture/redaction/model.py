"""Privacy rules, the result of applying them, and the policy for secrets in a state."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum


@dataclass(frozen=True, slots=True)
class RedactionPreview:
    """Preview of the text that capture would store."""

    text: str
    """The text with a mark for each secret; empty if nothing is stored."""
    removed: Mapping[str, int]
    """Number of removed items by rule.

    The rules are the kinds of secrets, and ``private``, ``recalled`` and ``excluded``.
    """
    excluded: bool
    """Whether the source file or command of the text is never captured."""


@dataclass(frozen=True, slots=True)
class PrivacyRules:
    """Rules for the content that capture removes or excludes."""

    exclude_paths: tuple[str, ...]
    """Files whose content is never stored, as globs."""
    exclude_commands: tuple[str, ...]
    """Commands whose input and output are never stored, as RE2 patterns."""
    redact_patterns: tuple[str, ...]
    """Secrets of this installation, as RE2 patterns."""
    rules: tuple[str, ...]
    """Built-in kinds of secrets."""


class SecretPolicy(StrEnum):
    """Policy for secrets in a program's state.

    Unless the program chooses otherwise, a state is stored unaltered or not at all.
    """

    REFUSE = "refuse"
    """The state is not stored; the error names the credential's position."""
    ENCRYPT = "encrypt"
    """The state is stored unchanged if the store is encrypted, otherwise it is refused."""
    REDACT = "redact"
    """The state is stored with all apparent secrets replaced, as in capture."""
