"""What becomes of a program's state in which a credential is found."""

from __future__ import annotations

from enum import StrEnum


class SecretPolicy(StrEnum):
    """A program's state is stored as it is or not at all, unless the program says otherwise."""

    REFUSE = "refuse"
    """Nothing is stored and an error names the place."""
    ENCRYPT = "encrypt"
    """It is stored as it is if the store is encrypted, else refused."""
    REDACT = "redact"
    """All that reads like a secret is replaced, as in what is captured; the state is altered."""
