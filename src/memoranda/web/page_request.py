"""A page's request: caller, fields, and access to operations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote, urlencode

from memoranda.api.service import Service
from memoranda.exceptions import InvalidInput
from memoranda.identity.principal import Principal
from memoranda.instrumentation import recording_calls
from memoranda.json_data import JsonValue
from memoranda.operations import OPERATIONS

DOOR = "web"
"""Name of the web interface in the call statistics."""
LIMIT = 25
"""Number of rows of a list on one page."""
ALL = "all"
"""Value for all workspaces, as in operations."""
_DIGITS = 18

Fields = Mapping[str, Sequence[str]]


def encoded_path(path: str) -> str:
    """Encode a request's path for a URL, whatever names it contains."""
    return quote(path, safe="/")


@dataclass(frozen=True, slots=True)
class PageRequest:
    """A request of a signed-in person.

    The texts of the request are unvalidated user input; the operations validate them.
    """

    service: Service
    principal: Principal
    path: str
    """The path, encoded as in URLs."""
    named: Mapping[str, str] = field(default_factory=dict)
    """Values of the path parameters."""
    query: Fields = field(default_factory=dict)
    form: Fields = field(default_factory=dict)

    def call(self, operation: str, /, **call_arguments: Any) -> Any:
        """Run an operation; return its result as JSON, with ISO 8601 times.

        None values are omitted, so that the operation's own default is used.

        Raises:
            MemorandaError: the operation failed; the caller sees an error page.
        """
        arguments: dict[str, JsonValue] = {k: v for k, v in call_arguments.items() if v is not None}
        with recording_calls(self.service.calls, DOOR, operation):
            return self.service.call(self.principal, operation, arguments)

    def may(self, operation: str) -> bool:
        """Return whether the role may call an operation, which its button needs."""
        return self.principal.role in OPERATIONS[operation].roles

    @property
    def workspace(self) -> str | None:
        """The selected workspace for operations; None for the caller's default."""
        return self.text("workspace") or None

    @property
    def task(self) -> str:
        """The task in the path, for operations.

        A number is always a task's number, even if a task has that name.
        """
        named = self.named["id"]
        return f"#{named}" if named.isdecimal() else named

    @property
    def cursor(self) -> str | None:
        """Cursor of the current page of a list."""
        return self.text("cursor") or None

    @property
    def now(self) -> int:
        """The current time in microseconds."""
        return self.service.home.clock.now()

    def text(self, name: str, default: str = "") -> str:
        """Return the text of a field from the form, or else from the URL."""
        found = self.form.get(name) or self.query.get(name) or (default,)
        return found[-1]

    def texts(self, name: str) -> tuple[str, ...]:
        """Return all values of a field."""
        return tuple(item for item in self.form.get(name) or self.query.get(name, ()) if item)

    def number(self, name: str, default: int | None = None) -> int | None:
        """Return the integer in a field, or the default if it is empty.

        Raises:
            InvalidInput: the field is not an integer.
        """
        text = self.text(name).strip().replace(",", "")
        if not text:
            return default
        if not (text.removeprefix("-").isdecimal() and text.isascii() and len(text) <= _DIGITS):
            raise InvalidInput(f"{name} must be an integer, not {text[:40]!r}")
        return int(text)

    def ticked(self, name: str) -> bool:
        """Return whether a checkbox was ticked."""
        return bool(self.text(name))

    def link(self, path: str, **query: str | int | Sequence[str] | None) -> str:
        """Return a URL of the web interface in the selected workspace.

        The path may end in a short name such as ``1#5``, which is not part of a page.
        """
        path = path.replace("#", "%23")
        chosen = {"workspace": self.workspace, **query}
        pairs = {name: value for name, value in chosen.items() if value not in (None, "", ())}
        return f"{path}?{urlencode(pairs, doseq=True)}" if pairs else path
