"""One request, as the module of a page sees it: who asks, for what, and the way to operations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote, urlencode

from memoranda.api.service import Service
from memoranda.exceptions import InvalidInput
from memoranda.identity.principal import Principal
from memoranda.json_data import JsonValue
from memoranda.measurement import recording_calls
from memoranda.operations import OPERATIONS

DOOR = "web"
"""What this door is called where calls are counted."""
LIMIT = 25
"""Rows of a list on one page."""
ALL = "all"
"""What stands for every workspace, as it does for operations."""
_DIGITS = 18

Fields = Mapping[str, Sequence[str]]


def encoded_path(path: str) -> str:
    """Write the path of a request as addresses have it, whatever names stand in it."""
    return quote(path, safe="/")


@dataclass(frozen=True, slots=True)
class PageRequest:
    """A request of somebody who signed in. Its texts are as they were typed: operations judge."""

    service: Service
    principal: Principal
    path: str
    """As addresses have it."""
    named: Mapping[str, str] = field(default_factory=dict)
    """What stands in the path."""
    query: Fields = field(default_factory=dict)
    form: Fields = field(default_factory=dict)

    def call(self, operation: str, /, **given: Any) -> Any:
        """Carry an operation out; return its result as JSON, times as ISO 8601.

        What is None is left out, so that the operation's own default holds.

        Raises:
            MemorandaError: those of the operation; they become pages that say so.
        """
        arguments: dict[str, JsonValue] = {k: v for k, v in given.items() if v is not None}
        with recording_calls(self.service.calls, DOOR, operation):
            return self.service.call(self.principal, operation, arguments)

    def may(self, operation: str) -> bool:
        """Say whether the role may ask for an operation; who may not sees no button for it."""
        return self.principal.role in OPERATIONS[operation].roles

    @property
    def workspace(self) -> str | None:
        """The workspace that was chosen, for operations; None: what the caller means anyway."""
        return self.text("workspace") or None

    @property
    def cursor(self) -> str | None:
        """Where the page of a list begins."""
        return self.text("cursor") or None

    @property
    def now(self) -> int:
        """The time, in microseconds."""
        return self.service.home.clock.now()

    def text(self, name: str, default: str = "") -> str:
        """Return what was typed under a name, in the form or else in the address."""
        found = self.form.get(name) or self.query.get(name) or (default,)
        return found[-1]

    def texts(self, name: str) -> tuple[str, ...]:
        """Return everything that was chosen under a name."""
        return tuple(one for one in self.form.get(name) or self.query.get(name, ()) if one)

    def number(self, name: str, default: int | None = None) -> int | None:
        """Return a whole number that was typed; the default where nothing was.

        Raises:
            InvalidInput: it is no whole number.
        """
        said = self.text(name).strip().replace(",", "")
        if not said:
            return default
        if not (said.removeprefix("-").isdecimal() and said.isascii() and len(said) <= _DIGITS):
            raise InvalidInput(f"{name} must be a whole number, not {said[:40]!r}")
        return int(said)

    def ticked(self, name: str) -> bool:
        """Say whether a box was ticked."""
        return bool(self.text(name))

    def link(self, path: str, **query: str | int | Sequence[str] | None) -> str:
        """Return an address of the web page in the workspace that was chosen."""
        chosen = {"workspace": self.workspace, **query}
        pairs = {name: value for name, value in chosen.items() if value not in (None, "", ())}
        return f"{path}?{urlencode(pairs, doseq=True)}" if pairs else path
