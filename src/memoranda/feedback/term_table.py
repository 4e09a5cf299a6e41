"""Reader of the tab-separated tables of terms and patterns in this folder."""

from __future__ import annotations

from importlib.resources import files


def rows(name: str) -> list[list[str]]:
    """Read a tab-separated table without its header; fields are verbatim."""
    text = files("memoranda.feedback").joinpath(name).read_text("utf-8")
    return [line.split("\t") for line in text.split("\n")[1:] if line]
