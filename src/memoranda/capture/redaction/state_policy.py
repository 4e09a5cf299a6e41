"""Policy for a program's state in which a credential is found."""

from __future__ import annotations

from enum import StrEnum


class SecretPolicy(StrEnum):
    """Policy for secrets in a program's state.

    It is stored unaltered or not at all, unless the program chooses otherwise.
    """

    REFUSE = "refuse"
    """Nothing is stored and the error names the place."""
    ENCRYPT = "encrypt"
    """It is stored unaltered if the store is encrypted, else refused."""
    REDACT = "redact"
    """All apparent secrets are replaced, as in capture; the state is altered."""
