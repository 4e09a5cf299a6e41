"""Types of page responses: view, redirect, confirmation or text."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

HEADERS: Mapping[str, str] = {
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; "
    "img-src 'self' data:; font-src 'self'; connect-src 'self'; form-action 'self'; "
    "base-uri 'none'; frame-ancestors 'none'",
    "Cache-Control": "no-store",
    # With no-referrer, browsers send the origin of a form as "null".
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
}
"""Headers of every page, in addition to those of every server response."""


@dataclass(frozen=True, slots=True)
class View:
    """A template with its values."""

    template: str
    values: Mapping[str, Any] = field(default_factory=dict)
    status: int = 200


@dataclass(frozen=True, slots=True)
class Undo:
    """How to undo an action: a form with one button."""

    action: str
    fields: Mapping[str, str] = field(default_factory=dict)
    label: str = "Undo"


@dataclass(frozen=True, slots=True)
class Done:
    """A completed action: the redirect target, and the message shown there."""

    to: str
    message: str
    undo: Undo | None = None
    warn: bool = False
    """Whether the result differs from the request."""
    see: str = ""
    """Where the changed record appears in the context of the next session."""


@dataclass(frozen=True, slots=True)
class Redirect:
    """Redirect without a message."""

    to: str


@dataclass(frozen=True, slots=True)
class Confirm:
    """Confirmation page before an action.

    Destructive actions need two steps. ``facts`` are lines about the effects of the action;
    ``fields`` are sent with the form.
    """

    title: str
    question: str
    action: str
    label: str
    fields: Mapping[str, str] = field(default_factory=dict)
    facts: tuple[str, ...] = ()
    back: str = "/"
    bad: bool = True
    """Whether the action is destructive."""

    @property
    def view(self) -> View:
        """The confirmation page."""
        return View("confirm.html", {"confirm": self})


@dataclass(frozen=True, slots=True)
class Download:
    """Plain text for download; a browser never renders it as a page."""

    content: str
    name: str
    """Name of the file, with letters, digits, dots and hyphens."""


Answer = View | Done | Redirect | Confirm | Download
