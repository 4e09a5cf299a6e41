"""Themes of the dashboard, and the colours of each kind of record."""

from __future__ import annotations

from textual.content import Content
from textual.theme import Theme

PAPER = Theme(
    name="paper",
    dark=False,
    primary="#2f5d50",
    secondary="#2f5d50",
    accent="#2f5d50",
    foreground="#22262b",
    background="#faf8f3",
    surface="#fffdf9",
    panel="#f1ece1",
    success="#2c6e3f",
    warning="#9a5b12",
    error="#9b2c2c",
    variables={
        "soft": "#6b7077",
        "rule": "#e6e0d4",
        "accent-soft": "#e3ede8",
        "added": "#e2efe2",
        "taken": "#f7e3e1",
        "planning": "#5b6fb5",
        "execution": "#2f7d62",
        "reflection": "#a0722a",
        "verification": "#7a5195",
        "on-stage": "#ffffff",
        "decision": "#4a4fa0",
    },
)
INK = Theme(
    name="ink",
    primary="#7fb8a4",
    secondary="#7fb8a4",
    accent="#7fb8a4",
    foreground="#e6e3dc",
    background="#16181b",
    surface="#1d2024",
    panel="#24282d",
    success="#8fcf9f",
    warning="#e0b070",
    error="#e49a94",
    variables={
        "soft": "#9aa0a6",
        "rule": "#2d3136",
        "accent-soft": "#22332d",
        "added": "#1f3326",
        "taken": "#3b2423",
        "planning": "#5b6fb5",
        "execution": "#2f7d62",
        "reflection": "#a0722a",
        "verification": "#7a5195",
        "on-stage": "#ffffff",
        "decision": "#a9aef0",
    },
)

_KINDS = {
    "error": "$error",
    "fix": "$success",
    "decision": "$decision",
    "learning": "$success",
    "checkpoint": "$warning",
    "memory": "$primary",
}


def kind(name: str, width: int = 11) -> Content:
    """Return the label of a kind of record, in its colour."""
    word = name.replace("_", " ")
    style = f"bold {_KINDS[name]}" if name in _KINDS else "$soft"
    return Content.styled(word.ljust(width), style)
