"""A memory on a server with the methods of one on this machine.

Every operation's method takes what the facade's own takes, sends it, and returns what that
returns. What a facade has beside operations needs the store itself, and says so.
"""

from __future__ import annotations

import inspect
import typing
import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache, wraps
from typing import TYPE_CHECKING, Any, TypeVar

from memoranda.api.client.address import credential, parsed
from memoranda.api.client.transport import Transport
from memoranda.calls.conversion import read
from memoranda.calls.hints import is_any
from memoranda.exceptions import Forbidden, InvalidInput, NotFound, ServerUnavailable
from memoranda.json_data import JsonValue, as_json, checked_json
from memoranda.operations import OPERATIONS, Operation
from memoranda.version import __version__

if TYPE_CHECKING:
    from memoranda.config import Settings
    from memoranda.tasks.model import Workspace

T = TypeVar("T")
NAMING = (("observation", "observation"), ("memory_show", "memory"), ("error", "record"))
"""The methods that know something by the beginning of its id, and where in the result it stands."""
PLACES = 1_000
"""Workspaces that are asked for at once."""


class RemoteMemory:
    """What stands in the place of an open store. It is also of the class that it stands for."""

    def __init__(
        self, transport: Transport, workspace: str | None = None, local: bool = False
    ) -> None:
        """``local`` says that the server is on this machine and knows its folders."""
        self._transport = transport
        self._place = workspace
        self._local = local

    def close(self) -> None:
        """Let go of the connections. Idempotent."""
        self._transport.close()

    @property
    def workspace(self) -> str | None:
        """The workspace that the memory was opened with; None where it covers the team."""
        return self._place

    def resolve(self, id: str) -> str:
        """Return the whole id of the observation, memory or told error that begins so.

        Raises:
            NotFound: there is none.
            InvalidInput: there is more than one.
        """
        found = {whole for name, part in NAMING if (whole := self._named(name, part, id))}
        if len(found) > 1:
            raise InvalidInput(f"more than one id begins with {id!r}; give more of it")
        if not found:
            raise NotFound(f"no observation or memory {id!r}")
        return found.pop()

    def workspace_of(self, folder: str) -> Workspace | None:
        """Return the workspace that a folder belongs to; None where the server is on another
        machine, whose folders are others."""
        if not self._local:
            return None
        from memoranda.workspaces.folders import here
        from memoranda.workspaces.identity import identify

        root, cursor = identify(here(folder)).root, None
        while True:
            page = self.workspaces(cursor=cursor, limit=PLACES)  # type: ignore[attr-defined]
            for place in page:
                if place.root == root:
                    return place  # type: ignore[no-any-return]
            if not (cursor := page.cursor):
                return None

    def _named(self, method: str, part: str, id: str) -> str | None:
        try:
            return getattr(getattr(self, method)(id), part).id  # type: ignore[no-any-return]
        except NotFound:
            return None

    @property
    def _rooms(self) -> Any:
        raise _not_here("this")

    _database = _scope = _rooms


@dataclass(frozen=True, slots=True)
class ClientOptions:
    """Who asks a server, and how."""

    token: str | None = None
    workspace: str | None = None
    """The one that is meant where a call names none."""
    agent: str | None = None
    timeout_seconds: float | None = None


def connect(facade: type[T], url: str, settings: Settings, asking: ClientOptions) -> T:
    """Return a memory on the server at an address. Nothing is sent before the first call.

    Raises:
        InvalidInput: the address is none, there is no token for it, or an agent is named, whom a
            server knows by its token alone.
    """
    from memoranda.api.client.http import TIMEOUT_SECONDS, HttpTransport
    from memoranda.models.endpoint import RetryPolicy

    if asking.agent not in (None, "auto"):
        raise InvalidInput(
            f"a server knows who acts from the token; use one of the agent {asking.agent!r} "
            "instead of naming it"
        )
    address = parsed(url)
    patience = RetryPolicy(timeout_seconds=asking.timeout_seconds or TIMEOUT_SECONDS)
    transport = HttpTransport(address, credential(address, asking.token, settings), patience)
    return connected(facade, transport, asking.workspace, local=address.local)


def connected(
    facade: type[T], transport: Transport, workspace: str | None = None, *, local: bool = False
) -> T:
    """Return a memory whose calls are carried by a transport."""
    made: T = remote_class(facade)(transport, workspace, local)  # type: ignore[arg-type]
    return made


@cache
def remote_class(facade: type) -> Any:
    """Return the class of memories elsewhere with the methods of a facade."""
    methods = {one.method: _calling(facade, one) for one in OPERATIONS.values()}
    apart = {
        name: _telling(facade, name)
        for name in dir(facade)
        if not name.startswith("_") and name not in methods and name not in vars(RemoteMemory)
    }
    opening = {"open": staticmethod(facade.open)} if hasattr(facade, "open") else {}
    names = {"__doc__": facade.__doc__, "__module__": __name__}
    return type(
        f"Remote{facade.__name__}", (RemoteMemory, facade), names | apart | opening | methods
    )


def _calling(facade: type, operation: Operation) -> Callable[..., Any]:
    """Return the method of an operation that asks the server for it."""
    described = getattr(facade, operation.method)

    @wraps(described)
    def method(self: RemoteMemory, *given: Any, **named: Any) -> Any:
        if operation.local:
            raise Forbidden(
                f"{operation.name} is about files of the machine that the memory is on; "
                f"run `memoranda {operation.name.replace('.', ' ')}` there"
            )
        bound = inspect.signature(described).bind(self, *given, **named).arguments
        arguments = _sendable(facade, operation, dict(list(bound.items())[1:]))
        if self._place and "workspace" in _types(facade, operation):
            arguments["workspace"] = arguments.get("workspace") or self._place
        if operation.method == "observe" and not arguments.get("key"):
            arguments["key"] = str(uuid.uuid4())  # so that it can be sent twice
        answer = self._transport.call(operation, arguments)
        return _received(facade, operation, answer)

    return method


def _sendable(facade: type, operation: Operation, bound: Mapping[str, Any]) -> dict[str, JsonValue]:
    """Return arguments as JSON.

    Raises:
        InvalidInput: one is code, or something else that JSON has not.
    """
    types = _types(facade, operation)
    code = [name for name, value in bound.items() if name not in types and value is not None]
    if code:
        raise InvalidInput(
            f"{', '.join(code)} of {operation.name} is code, which cannot be sent to a server; "
            "leave it out"
        )
    sent: dict[str, JsonValue] = {}
    for name, value in bound.items():
        if name in types:
            plain = as_json({name: value})
            assert isinstance(plain, dict)
            sent[name] = checked_json(value) if _is_free(types[name]) else plain[name]
    return sent


def _received(facade: type, operation: Operation, answer: JsonValue) -> Any:
    """Return a result as the method's own type."""
    try:
        return read(operation.signature(facade).result, answer)
    except (InvalidInput, ValueError, TypeError) as error:
        raise ServerUnavailable(
            f"the server's answer to {operation.name} is not what version {__version__} expects "
            f"({error}); use the same version at both ends"
        ) from error


def _types(facade: type, operation: Operation) -> Mapping[str, Any]:
    return {one.name: one.type for one in operation.signature(facade).arguments}


def _is_free(said: Any) -> bool:
    """Say whether a type takes JSON of somebody else, whose names mean nothing here."""
    return is_any(said) or any(map(_maps_to_any, (said, *typing.get_args(said))))


def _maps_to_any(said: Any) -> bool:
    return typing.get_origin(said) in (dict, Mapping) and is_any(typing.get_args(said)[1])


def _telling(facade: type, name: str) -> Any:
    """Return what says of a public name that it needs the store itself."""
    described = inspect.getattr_static(facade, name)

    def refuse(*_: Any, **__: Any) -> Any:
        raise _not_here(name)

    return property(refuse) if isinstance(described, property) else refuse


def _not_here(name: str) -> Forbidden:
    return Forbidden(
        f"{name} needs the store itself, which is on a server; open its data directory there"
    )
