"""Rules that decide which memories are critical and so in every context."""

from __future__ import annotations

from collections.abc import Callable, Sequence

OFTEN = 3
"""Number of successful tasks that must have used a memory for it to become critical."""


def critical_reason(
    text: str,
    *,
    constraints: Callable[[str], Sequence[str]],
    fixes_error: bool = False,
    prevents_known_error: bool = False,
) -> str | None:
    """Return why a memory is critical; None if it is not.

    ``constraints`` lists the sentences of a text that state a requirement. ``fixes_error``: it
    describes a fix after which an error ended. ``prevents_known_error``: it describes how to avoid
    an error that is on record.
    """
    if constraints(text):
        return "states a requirement"
    if fixes_error:
        return "ended an error"
    if prevents_known_error:
        return "prevents a known error"
    return None
