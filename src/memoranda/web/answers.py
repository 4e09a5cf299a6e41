"""What a page answers with: something to see, or where to go on after something was done."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

HEADERS: Mapping[str, str] = {
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; "
    "img-src 'self' data:; font-src 'self'; connect-src 'self'; form-action 'self'; "
    "base-uri 'none'; frame-ancestors 'none'",
    "Cache-Control": "no-store",
    # With no-referrer, browsers say of a form only that it comes from "null".
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
}
"""What every page says beside what every answer of the server says."""


@dataclass(frozen=True, slots=True)
class View:
    """A template with what it shows."""

    template: str
    values: Mapping[str, Any] = field(default_factory=dict)
    status: int = 200


@dataclass(frozen=True, slots=True)
class Undo:
    """How to take back what was done: a form with one button."""

    action: str
    fields: Mapping[str, str] = field(default_factory=dict)
    label: str = "Undo"


@dataclass(frozen=True, slots=True)
class Done:
    """Something was done: where to go on, and what to say there, once."""

    to: str
    told: str
    undo: Undo | None = None
    warn: bool = False
    """Whether it did not go as was wished."""
    see: str = ""
    """Where it shows in what the next session is told."""


@dataclass(frozen=True, slots=True)
class Redirect:
    """Where to go on, without a word."""

    to: str


@dataclass(frozen=True, slots=True)
class Confirm:
    """Something to be looked at before it is done, as nothing that destroys is done at one press.

    ``facts`` are lines that say what will be and what will not; ``fields`` go with the form.
    """

    title: str
    question: str
    action: str
    label: str
    fields: Mapping[str, str] = field(default_factory=dict)
    facts: tuple[str, ...] = ()
    back: str = "/"
    bad: bool = True
    """Whether it takes something away."""

    @property
    def view(self) -> View:
        """The page that asks."""
        return View("confirm.html", {"confirm": self})


@dataclass(frozen=True, slots=True)
class Download:
    """A text as it is, for the browser to keep as a file and never to read as a page."""

    content: str
    name: str
    """Of the file: letters, digits, dots and hyphens."""


Answer = View | Done | Redirect | Confirm | Download
