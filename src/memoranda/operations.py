"""The table of operations, collected from the use cases that the nouns declare.

Interfaces that use names and JSON (REST, JSON-RPC, MCP, the client) are generated from this table;
the command line and the Python API are thin layers over the same methods and are checked against
it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from memoranda.calls.signature import Signature, signature, summary
from memoranda.exceptions import Forbidden, NotFound
from memoranda.identity.principal import Role
from memoranda.json_data import JsonValue
from memoranda.use_case import DECLARED, Access, UseCase


@dataclass(frozen=True, slots=True)
class Operation:
    """One use case: its name, noun, method and permitted roles.

    The name is the same in every interface; the method is that of the noun's resource, or of the
    memory object itself where there is no noun.
    """

    name: str
    noun: str
    method: str
    access: Access
    roles: frozenset[Role]
    aliases: tuple[str, ...] = ()
    """Further names that every interface accepts."""
    local: bool = False
    """Whether it concerns files of the machine on which it runs.

    No other machine may name them.
    """
    secret: bool = False
    """Whether its result contains what is shown once and stored nowhere."""
    searches: bool = False
    """Whether it keeps a processor busy for tens of milliseconds.

    All that search do.
    """
    former: Mapping[str, str] = field(default_factory=dict, hash=False)
    """Former names of its arguments, which every interface accepts, with the present ones."""

    @property
    def python(self) -> str:
        """The method from the memory object on, such as ``blocks.insert``."""
        return f"{self.noun}.{self.method}" if self.noun else self.method

    @property
    def command(self) -> str:
        """The words of its command: those of its first further name, if it has one."""
        return (self.aliases or (self.name,))[0].replace(".", " ")

    def owner(self, memory: Any) -> Any:
        """Return what has the method: a memory, its class, or a resource of either."""
        return getattr(memory, self.noun) if self.noun else memory

    def signature(self, facade: type) -> Signature:
        """Return the signature of the method of the memory object."""
        return signature(self.owner(facade), self.method)

    def summary(self, facade: type) -> str:
        """Return the first line of the method's docstring."""
        return summary(self.owner(facade), self.method)


class OperationTable(Mapping[str, Operation]):
    """Operations by their canonical names, collected when first needed.

    A look-up accepts every other name as well; the names that it lists are the canonical ones.
    """

    def __getitem__(self, name: str) -> Operation:
        return self._operations[self.canonical(name)]

    def __iter__(self) -> Iterator[str]:
        return iter(self._operations)

    def __len__(self) -> int:
        return len(self._operations)

    def canonical(self, name: str) -> str:
        """Return the one name of an operation; an unknown name is returned unchanged."""
        return self.aliases.get(name, name)

    @cached_property
    def aliases(self) -> Mapping[str, str]:
        """Every other name, with the canonical one."""
        return {alias: one.name for one in self._operations.values() for alias in one.aliases}

    @cached_property
    def _operations(self) -> Mapping[str, Operation]:
        # A resource is loaded here, so only for those who call operations by name.
        from memoranda.nouns import NOUNS
        from memoranda.root_verbs import RootVerbs

        found = list(_declared("", RootVerbs))
        for noun in NOUNS.values():
            found += _declared(noun.name, noun.resource)
        return {one.name: one for one in found}


OPERATIONS = OperationTable()


def canonical(name: str) -> str:
    """Return the one name of an operation; an unknown name is returned unchanged."""
    return OPERATIONS.canonical(name)


def operation(name: str, role: Role) -> Operation:
    """Return the operation of a name, if the role may call it.

    Raises:
        NotFound: there is no such operation.
        Forbidden: this role may not call it.
    """
    found = OPERATIONS.get(name)
    if found is None:
        raise NotFound(f"no operation {name[:80]!r}; the reference lists them")
    if role not in found.roles:
        allowed = ", ".join(one for one in Role if one in found.roles)
        raise Forbidden(f"{name} is not for the role {role}; it takes {allowed}")
    return found


def call(memory: object, name: str, arguments: Mapping[str, JsonValue], role: Role) -> Any:
    """Carry out an operation of an open memory by name.

    Return what its method returns.

    Raises:
        NotFound: there is no such operation.
        Forbidden: this role may not call it.
        InvalidInput: the arguments do not fit its parameters.
    """
    chosen = operation(name, role)
    bound = chosen.signature(type(memory)).bound(arguments)
    return getattr(chosen.owner(memory), chosen.method)(**bound)


def _declared(noun: str, resource: type) -> Iterator[Operation]:
    """Return the use cases that a class declares, in the order of its methods."""
    for method, function in vars(resource).items():
        declared: UseCase | None = getattr(function, DECLARED, None)
        if declared is not None:
            yield Operation(
                declared.name,
                noun,
                method,
                declared.access,
                declared.roles,
                declared.aliases,
                declared.local,
                declared.secret,
                declared.searches,
                declared.former,
            )
