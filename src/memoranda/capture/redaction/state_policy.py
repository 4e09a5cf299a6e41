"""Policy for a program's state in which a credential is found."""

from __future__ import annotations

from enum import StrEnum


class SecretPolicy(StrEnum):
    """Policy for secrets in a program's state.

    Unless the program chooses otherwise, a state is stored unaltered or not at all.
    """

    REFUSE = "refuse"
    """The state is not stored; the error names the credential's position."""
    ENCRYPT = "encrypt"
    """The state is stored unaltered if the store is encrypted, else refused."""
    REDACT = "redact"
    """The state is stored with all apparent secrets replaced, as in capture."""
