"""Rules for which memories are critical and so belong in every context."""

from __future__ import annotations

from collections.abc import Callable, Sequence

OFTEN = 3
"""Number of successful tasks from which a memory counts as critical.

It must have been used in each of them.
"""


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
