"""A memory object whose operations run on a server.

The method of each operation has the arguments and the result of the local one. Methods that are not
operations need a local store, and raise an error that states this.
"""

from __future__ import annotations

import inspect
import typing
import uuid
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from functools import cache, wraps
from typing import TYPE_CHECKING, Any, TypeVar

from memoranda.api.client.address import credential, parsed
from memoranda.api.client.transport import Transport
from memoranda.calls.argument_check import with_present_names
from memoranda.calls.conversion import read
from memoranda.calls.type_hints import is_any
from memoranda.exceptions import Forbidden, InvalidInput, NotFound, ServerUnavailable
from memoranda.ids import ambiguous
from memoranda.json_data import JsonValue, as_json, checked_json
from memoranda.operations import OPERATIONS, Operation
from memoranda.page import every
from memoranda.resource_attributes import NOUNS, Noun
from memoranda.version import __version__

if TYPE_CHECKING:
    from memoranda.config import Settings
    from memoranda.tasks.model import Workspace

T = TypeVar("T")
NAMING = (("observations", "observation"), ("memories", "memory"), ("errors", "record"))
"""Domain packages that show a record by id prefix, and the record's result field."""
PLACES = 1_000
"""Workspaces requested per page."""


class RemoteMemory:
    """Memory on a server, used in place of an open store.

    An instance also counts as an instance of the class that it replaces.
    """

    is_remote = True

    def __init__(
        self, transport: Transport, workspace: str | None = None, local: bool = False
    ) -> None:
        """Create the memory for a transport.

        ``local`` means that the server is on this machine and can read its folders.
        """
        self._transport = transport
        self._place = workspace
        self._local = local

    def close(self) -> None:
        """Close the connections. Idempotent."""
        self._transport.close()

    @property
    def workspace(self) -> str | None:
        """Workspace with which the memory was opened; None if it covers the team."""
        return self._place

    def resolve(self, id: str) -> str:
        """Return the full id of the record that has this prefix.

        The record may be an observation, a memory or a recorded error.

        Raises:
            NotFound: there is no such record.
            InvalidInput: there is more than one.
        """
        named = (self._named(noun, part, id) for noun, part in NAMING)
        found = {whole for whole in named if whole and "#" not in whole}  # else an observation's
        if len(found) > 1:
            raise InvalidInput(ambiguous("record", id, sorted(found)))
        if not found:
            raise NotFound(f"no observation or memory {id!r}")
        return found.pop()

    def workspace_of(self, folder: str, *, new: bool = False) -> Workspace | None:
        """Return the workspace that a folder belongs to.

        None if the server is on another machine, whose folders differ. ``new`` has no effect:
        a server creates a workspace by its name, or with the first event of a folder.
        """
        if not self._local:
            return None
        from memoranda.workspaces.host_paths import here
        from memoranda.workspaces.recognition import identify

        root, listed = identify(here(folder)).root, self.workspaces.list  # type: ignore[attr-defined]
        return next((place for place in every(listed, limit=PLACES) if place.root == root), None)

    def _named(self, noun: str, part: str, id: str) -> str | None:
        try:
            return getattr(getattr(self, noun).show(id), part).id  # type: ignore[no-any-return]
        except NotFound:
            return None

    @property
    def _services(self) -> Any:
        raise _not_here("this")

    _database = _scope = _services


@dataclass(frozen=True, slots=True)
class ClientOptions:
    """The caller of a server, and the scope of its calls."""

    token: str | None = None
    workspace: str | None = None
    """Default workspace for calls."""
    agent: str | None = None
    timeout_seconds: float | None = None


def connect(facade: type[T], url: str, settings: Settings, options: ClientOptions) -> T:
    """Return a memory on the server at an address; nothing is sent yet.

    The first call sends the first request.

    Raises:
        InvalidInput: the address is invalid, there is no token for it, or an agent is named, which
            a server identifies only by its token.
    """
    from memoranda.api.client.http_transport import TIMEOUT_SECONDS, HttpTransport
    from memoranda.models.http_client import RetryPolicy

    if options.agent not in (None, "auto"):
        raise InvalidInput(
            f"a server identifies the caller by the token; use a token for {options.agent!r} "
            "instead of agent=..."
        )
    address = parsed(url)
    patience = RetryPolicy(timeout_seconds=options.timeout_seconds or TIMEOUT_SECONDS)
    transport = HttpTransport(address, credential(address, options.token, settings), patience)
    return connected(facade, transport, options.workspace, local=address.local)


def connected(
    facade: type[T], transport: Transport, workspace: str | None = None, *, local: bool = False
) -> T:
    """Return a memory that sends its calls through a transport."""
    result: T = remote_class(facade)(transport, workspace, local)  # type: ignore[arg-type]
    return result


@cache
def remote_class(facade: type) -> Any:
    """Return a remote memory class with the interface of a local class."""
    nouns = {name: RemoteNoun(facade, noun) for name, noun in NOUNS.items()}
    opening = {"open": staticmethod(facade.open)} if hasattr(facade, "open") else {}
    names = {"__doc__": facade.__doc__, "__module__": __name__}
    methods = _methods(facade, facade, "", frozenset(vars(RemoteMemory)) | nouns.keys())
    return type(
        f"Remote{facade.__name__}", (RemoteMemory, facade), names | methods | opening | nouns
    )


class RemoteNoun:
    """Attribute of a remote memory: its resource calls the server."""

    def __init__(self, facade: type, noun: Noun[Any]) -> None:
        self._facade = facade
        self._noun = noun

    def __get__(self, memory: RemoteMemory | None, owner: type) -> Any:
        made = _remote_resource(self._facade, self._noun)
        return made if memory is None else made(memory)


class RemoteResource:
    """Resource of a remote memory, which calls the server."""

    def __init__(self, memory: RemoteMemory) -> None:
        self.memory = memory

    @property
    def _services(self) -> Any:
        raise _not_here("this")

    _database = _scope = _services


@cache
def _remote_resource(facade: type, noun: Noun[Any]) -> Any:
    local = noun.resource
    names = {"__doc__": local.__doc__, "__module__": __name__}
    methods = _methods(facade, local, noun.name, frozenset(vars(RemoteResource)))
    return type(f"Remote{local.__name__}", (RemoteResource, local), names | methods)


def _methods(facade: type, local: type, noun: str, own: Collection[str]) -> dict[str, Any]:
    """Return replacements for the public names of a class.

    An operation becomes a call to the server; any other name raises an error.
    """
    operations = {
        operation.method: operation for operation in OPERATIONS.values() if operation.noun == noun
    }
    return {
        name: _calling(facade, operations[name]) if name in operations else _local_only(local, name)
        for name in dir(local)
        if not name.startswith("_") and name not in own
    }


def _calling(facade: type, operation: Operation) -> Callable[..., Any]:
    """Return the method that calls an operation on the server."""
    described = getattr(operation.owner(facade), operation.method)

    @wraps(described)
    def method(self: RemoteMemory | RemoteResource, *args: Any, **named: Any) -> Any:
        memory = self.memory if isinstance(self, RemoteResource) else self
        if operation.local:
            raise Forbidden(
                f"{operation.name} uses files of the server's machine; "
                f"run `memoranda {operation.command}` there"
            )
        present = with_present_names(named, described)
        bound = inspect.signature(described).bind(self, *args, **present).arguments
        arguments = _sendable(facade, operation, dict(list(bound.items())[1:]))
        placed = memory._place and "workspace" in _types(facade, operation)
        if placed and arguments.get("workspace") is None:
            arguments["workspace"] = memory._place
        if operation.name == "observe" and not arguments.get("key"):
            arguments["key"] = str(uuid.uuid4())  # so that the call can be sent twice
        answer = memory._transport.call(operation, arguments)
        return _received(facade, operation, answer)

    return method


def _sendable(facade: type, operation: Operation, bound: Mapping[str, Any]) -> dict[str, JsonValue]:
    """Convert arguments to JSON.

    Raises:
        InvalidInput: an argument is code, or another value that JSON cannot represent.
    """
    types = _types(facade, operation)
    code = [name for name, value in bound.items() if name not in types and value is not None]
    if code:
        raise InvalidInput(
            f"{', '.join(code)} of {operation.name} is a function, which a server cannot receive; "
            "omit it"
        )
    sent: dict[str, JsonValue] = {}
    for name, value in bound.items():
        if name in types:
            plain = as_json({name: value})
            assert isinstance(plain, dict)
            sent[name] = checked_json(value) if _is_free(types[name]) else plain[name]
    return sent


def _received(facade: type, operation: Operation, answer: JsonValue) -> Any:
    """Convert a result to the method's return type."""
    try:
        return read(operation.signature(facade).result, answer)
    except (InvalidInput, ValueError, TypeError) as error:
        raise ServerUnavailable(
            f"the server's answer to {operation.name} is not what version {__version__} expects "
            f"({error}); use the same version on both sides"
        ) from error


def _types(facade: type, operation: Operation) -> Mapping[str, Any]:
    return {argument.name: argument.type for argument in operation.signature(facade).arguments}


def _is_free(hint: Any) -> bool:
    """Return whether a type accepts arbitrary JSON from callers.

    Field names in such JSON are not interpreted here.
    """
    return is_any(hint) or any(map(_maps_to_any, (hint, *typing.get_args(hint))))


def _maps_to_any(hint: Any) -> bool:
    return typing.get_origin(hint) in (dict, Mapping) and is_any(typing.get_args(hint)[1])


def _local_only(facade: type, name: str) -> Any:
    """Return a stub that raises an error: the name requires a local store."""
    described = inspect.getattr_static(facade, name)

    def refuse(*_: Any, **__: Any) -> Any:
        raise _not_here(name)

    return property(refuse) if isinstance(described, property) else refuse


def _not_here(name: str) -> Forbidden:
    return Forbidden(
        f"{name} needs the store itself, which is on a server; open its data directory there"
    )
