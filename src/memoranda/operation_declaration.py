"""Decorators that declare a method as an operation: name, access and roles.

The operations of every interface (REST, JSON-RPC, MCP, the client) are collected from these
declarations.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from functools import wraps
from inspect import unwrap
from typing import Any, TypeVar, cast

from memoranda.calls.argument_check import accepting_former_names, check_arguments
from memoranda.exceptions import Forbidden
from memoranda.identity.principal import Role

F = TypeVar("F", bound=Callable[..., Any])


class Access(StrEnum):
    """Effect of an operation on the store."""

    READ = "read"
    WRITE = "write"


EVERYONE = frozenset(Role)
WRITERS = EVERYONE - {Role.READER}
MEMBERS = WRITERS - {Role.AGENT}
REVIEWERS = MEMBERS - {Role.MEMBER}
ADMINS = frozenset({Role.ADMIN})
SHOWN_PROPOSALS = REVIEWERS | {Role.AGENT}
"""Roles that can see proposals: reviewers, and agents, which see their own.

Reviewers also decide on proposals that concern an agent's private memories.
"""
DECLARED = "operation"
"""Name of the attribute that marks a method as an operation."""


@dataclass(frozen=True, slots=True)
class OperationDeclaration:
    """Declaration of an operation: name, access, roles and aliases."""

    name: str
    access: Access
    roles: frozenset[Role]
    aliases: tuple[str, ...] = ()
    """Other names that every interface accepts."""
    local: bool = False
    """Whether the operation reads or writes local files; remote calls are then refused."""
    secret: bool = False
    """Whether the result contains a secret that is shown once and not stored."""
    searches: bool = False
    """Whether the operation takes tens of milliseconds of CPU time, like a search."""
    former: Mapping[str, str] = field(default_factory=dict, hash=False)
    """Former argument names that interfaces still accept, by current name."""


def read(
    name: str,
    *,
    roles: frozenset[Role] = EVERYONE,
    alias: tuple[str, ...] = (),
    searches: bool = False,
) -> Callable[[F], F]:
    """Declare an operation that changes nothing.

    Args:
        searches: whether the operation takes tens of milliseconds of CPU time.
    """
    return _declared(OperationDeclaration(name, Access.READ, roles, alias, searches=searches))


def write(
    name: str,
    *,
    roles: frozenset[Role] = WRITERS,
    alias: tuple[str, ...] = (),
    secret: bool = False,
    former: Mapping[str, str] | None = None,
) -> Callable[[F], F]:
    """Declare an operation that changes the store.

    Args:
        secret: whether the result contains a secret that is shown once and not stored.
        former: former names of the arguments, by current name.
    """
    return _declared(
        OperationDeclaration(name, Access.WRITE, roles, alias, secret=secret, former=former or {})
    )


def local(name: str, *, alias: tuple[str, ...] = ()) -> Callable[[F], F]:
    """Declare an operation on local files, which remote callers may not call."""
    return _declared(OperationDeclaration(name, Access.WRITE, ADMINS, alias, local=True))


def require_role(name: str, roles: frozenset[Role], role: Role) -> None:
    """Refuse an operation that a role may not call.

    Raises:
        Forbidden: the role is not among the roles declared for the operation.
    """
    if role not in roles:
        allowed = ", ".join(item for item in Role if item in roles)
        raise Forbidden(f"{name} is not allowed for the role {role}; it requires {allowed}")


def _declared(declaration: OperationDeclaration) -> Callable[[F], F]:
    def declare(method: F) -> F:
        described = unwrap(method)

        @wraps(method)
        def call(self: Any, /, *args: Any, **kwargs: Any) -> Any:
            if self.acting is not None:
                require_role(declaration.name, declaration.roles, Role.AGENT)
            positional, named = check_arguments(described, args, kwargs)
            return method(self, *positional, **named)

        accepting = accepting_former_names(call, declaration.former) if declaration.former else call
        setattr(accepting, DECLARED, declaration)
        return cast(F, accepting)

    return declare
