"""All JSON-RPC methods by name: operations and the 21 `memory.*` methods.

Operations such as ``memory.list`` and ``memory.edit`` share the ``memory.`` prefix; none of the 21
methods has the same name as an operation.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from memoranda.api.jsonrpc.faults import no_method
from memoranda.api.jsonrpc.memory.compression import CompressionMethods
from memoranda.api.jsonrpc.memory.core import CoreMethods
from memoranda.api.jsonrpc.memory.errors import ErrorMethods
from memoranda.api.jsonrpc.memory.method_group import MethodGroup
from memoranda.api.jsonrpc.memory.stages import StageMethods
from memoranda.api.jsonrpc.memory.supervision import SupervisionMethods
from memoranda.api.jsonrpc.requests import Params
from memoranda.api.service import Service, wire
from memoranda.calls.signature import Argument, Signature, signature, summary
from memoranda.exceptions import InvalidInput
from memoranda.identity.principal import Principal, Role
from memoranda.json_data import JsonValue
from memoranda.memory import Memoranda
from memoranda.operation_declaration import Access, require_role
from memoranda.operations import OPERATIONS

GROUPS: Sequence[type[MethodGroup]] = (
    CoreMethods,
    StageMethods,
    ErrorMethods,
    CompressionMethods,
    SupervisionMethods,
)
PREFIX = "memory."
RESERVED = "rpc."
"""Prefix of method names that JSON-RPC reserves."""
DISCOVER = "rpc.discover"
AGENT = Argument(
    "agent_id", str | None, None, "the agent id of the caller; any other id is refused"
)
"""Argument that each of the 21 methods accepts besides its own arguments.

The argument is also part of a call's context.
"""


@dataclass(frozen=True, slots=True)
class Method:
    """One callable method."""

    name: str
    signature: Signature
    summary: str
    access: Access
    roles: frozenset[Role]
    uses: tuple[str, ...]
    """Operations that the method may call."""
    group: type[MethodGroup] | None = None
    """For an adapter, the class that has the method."""

    @property
    def arguments(self) -> tuple[Argument, ...]:
        """Arguments of the method, by position."""
        return (*self.signature.arguments, AGENT) if self.group else self.signature.arguments

    def named(self, params: Params) -> Mapping[str, JsonValue]:
        """Convert positional arguments to named ones.

        Raises:
            InvalidInput: there are more positional arguments than parameters.
        """
        if isinstance(params, Mapping):
            return params
        names = [argument.name for argument in self.signature.arguments]
        if len(params) > len(names):
            raise InvalidInput(f"{self.name} accepts at most {len(names)}: {', '.join(names)}")
        return dict(zip(names, params, strict=False))

    def call(
        self, service: Service, principal: Principal, arguments: Mapping[str, JsonValue]
    ) -> JsonValue:
        """Call the method for a caller."""
        if self.group is None:
            return service.call(principal, self.name, arguments)
        require_role(self.name, self.roles, principal.role)
        bound = self.signature.bound(arguments)
        group = self.group(lambda name, argument: service.call(principal, name, argument))
        return wire(getattr(group, self.name.removeprefix(PREFIX))(**bound))


def method(name: str) -> Method:
    """Return the method with the given name.

    Raises:
        Refused: there is no such method.
    """
    result = methods().get(OPERATIONS.canonical(name))
    if result is None:
        raise no_method(name)
    return result


@cache
def methods() -> Mapping[str, Method]:
    """Return every method by its name.

    Methods that use files of this machine are included; calling them is refused.
    """
    return {item.name: item for item in (*_operations(), *_adapters())}


def public() -> Sequence[Method]:
    """Return the methods that remote callers may call, sorted by name."""
    local = {name for name, operation in OPERATIONS.items() if operation.local}
    return [item for name, item in sorted(methods().items()) if name not in local]


def _operations() -> Iterator[Method]:
    for operation in OPERATIONS.values():
        shape, described = operation.signature(Memoranda), operation.summary(Memoranda)
        yield Method(
            operation.name, shape, described, operation.access, operation.roles, (operation.name,)
        )


def _adapters() -> Iterator[Method]:
    for group in GROUPS:
        for function, uses in group.USES.items():
            used = [OPERATIONS[name] for name in uses]
            writes = any(item.access is Access.WRITE for item in used)
            yield Method(
                name=f"{PREFIX}{function}",
                signature=signature(group, function),  # type: ignore[arg-type]
                summary=summary(group, function),
                access=Access.WRITE if writes else Access.READ,
                roles=frozenset.intersection(*(operation.roles for operation in used)),
                uses=uses,
                group=group,
            )
