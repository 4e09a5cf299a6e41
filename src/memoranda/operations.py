"""The table of operations, collected from the resources' declarations.

Interfaces that use names and JSON (REST, JSON-RPC, MCP, the client) are generated from this table;
the command line and the Python API are thin layers over the same methods and are checked against
it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any

from memoranda.calls.signature import Signature, signature, summary
from memoranda.exceptions import NotFound
from memoranda.identity.principal import Role
from memoranda.json_data import JsonValue
from memoranda.operation_declaration import DECLARED, OperationDeclaration, require_role


@dataclass(frozen=True, slots=True, kw_only=True)
class Operation(OperationDeclaration):
    """One use case: its name, resource, method and permitted roles.

    The name is the same in every interface. The method belongs to the resource, or to the memory
    object itself if there is no resource.
    """

    noun: str
    method: str

    @property
    def python(self) -> str:
        """The attribute path from the memory object, such as ``blocks.insert``."""
        return f"{self.noun}.{self.method}" if self.noun else self.method

    @property
    def command(self) -> str:
        """Name of the CLI command: the first alias or the name, without dots."""
        return (self.aliases or (self.name,))[0].replace(".", " ")

    def owner(self, memory: Any) -> Any:
        """Return the object with the method: a memory, its class or a resource."""
        return getattr(memory, self.noun) if self.noun else memory

    def signature(self, facade: type) -> Signature:
        """Return the signature of the memory object's method."""
        return signature(self.owner(facade), self.method)

    def summary(self, facade: type) -> str:
        """Return the first line of the method's docstring."""
        return summary(self.owner(facade), self.method)


class OperationTable(Mapping[str, Operation]):
    """Operations by canonical name, collected on first use.

    A lookup also accepts aliases; iteration yields canonical names only.
    """

    def __getitem__(self, name: str) -> Operation:
        return self._operations[self.canonical(name)]

    def __iter__(self) -> Iterator[str]:
        return iter(self._operations)

    def __len__(self) -> int:
        return len(self._operations)

    def canonical(self, name: str) -> str:
        """Return the canonical name of an operation.

        An unknown name is returned unchanged.
        """
        return self.aliases.get(name, name)

    @cached_property
    def aliases(self) -> Mapping[str, str]:
        """Canonical names by alias."""
        return {alias: item.name for item in self._operations.values() for alias in item.aliases}

    @cached_property
    def _operations(self) -> Mapping[str, Operation]:
        # Resources are imported here, so that only calls by name load them.
        from memoranda.resource_attributes import NOUNS
        from memoranda.root_verbs import RootVerbs

        operations = list(_declared("", RootVerbs))
        for noun in NOUNS.values():
            operations += _declared(noun.name, noun.resource)
        return {item.name: item for item in operations}


OPERATIONS = OperationTable()


def operation(name: str, role: Role) -> Operation:
    """Return the operation with the given name if the role may call it.

    Raises:
        NotFound: there is no such operation.
        Forbidden: the role may not call it.
    """
    result = OPERATIONS.get(name)
    if result is None:
        raise NotFound(f"no operation {name[:80]!r}; see the list of operations in the reference")
    require_role(name, result.roles, role)
    return result


def call(memory: object, name: str, arguments: Mapping[str, JsonValue], role: Role) -> Any:
    """Call an operation of an open memory by name; return its result.

    Raises:
        NotFound: there is no such operation.
        Forbidden: the role may not call it.
        InvalidInput: the arguments do not match its parameters.
    """
    chosen = operation(name, role)
    bound = chosen.signature(type(memory)).bound(arguments)
    return getattr(chosen.owner(memory), chosen.method)(**bound)


def _declared(noun: str, resource: type) -> Iterator[Operation]:
    """Yield the operations that a class declares, in method order."""
    for method, function in vars(resource).items():
        declared: OperationDeclaration | None = getattr(function, DECLARED, None)
        if declared is not None:
            values = {field.name: getattr(declared, field.name) for field in fields(declared)}
            yield Operation(**values, noun=noun, method=method)
