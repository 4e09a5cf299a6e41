"""Why a memory is critical, so that no context leaves it out."""

from __future__ import annotations

from collections.abc import Callable, Sequence

OFTEN = 3
"""Successes of tasks that a memory served in before it counts as critical."""


def critical_reason(
    text: str,
    *,
    constraints: Callable[[str], Sequence[str]],
    fixes_error: bool = False,
    prevents_known_error: bool = False,
) -> str | None:
    """Say why a memory is critical; None where it is not.

    ``constraints`` lists the sentences of a text that state a requirement. ``fixes_error``: it
    tells a fix after which an error ended. ``prevents_known_error``: it tells how to avoid an error
    that is on record.
    """
    if constraints(text):
        return "states a requirement"
    if fixes_error:
        return "ended an error"
    if prevents_known_error:
        return "prevents a known error"
    return None
