"""The table of REST routes: the operation for each method and path.

The rest of this package is generated from it. ``routes.tsv`` lists the exceptions; the route of any
other operation is derived from its domain package and verb.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from memoranda.memory import Memoranda
from memoranda.operation_declaration import Access
from memoranda.operations import OPERATIONS, Operation
from memoranda.text import text_lines

_PARAMETER = re.compile(r"\{(\w{1,40})(?::path)?\}")
WITHOUT_BODY = frozenset({"GET", "DELETE"})
"""Methods whose arguments are in the query."""


@dataclass(frozen=True, slots=True)
class RestRoute:
    """HTTP route of an operation."""

    operation: Operation
    method: str
    path: str
    """Path below the mount point, in the framework's notation."""
    status: int
    mark: str = ""
    """Source of the entity tag: ``version``, ``shown``, or else a hash."""

    @property
    def template(self) -> str:
        """The path in OpenAPI notation."""
        return _PARAMETER.sub(r"{\1}", self.path)

    @property
    def in_path(self) -> tuple[str, ...]:
        """The names of the arguments in the path."""
        return tuple(_PARAMETER.findall(self.path))

    @property
    def in_query(self) -> bool:
        """Whether the other arguments are in the query and not in a JSON body."""
        return self.method in WITHOUT_BODY

    @property
    def changes(self) -> bool:
        """Whether the route changes the store."""
        return self.operation.access is Access.WRITE

    @property
    def repeatable(self) -> bool:
        """Whether the route accepts an idempotency key."""
        return self.method == "POST" and self.changes

    @property
    def id(self) -> str:
        """Operation id of the route in the OpenAPI document.

        The id is the name of the operation, followed by the method if this is a second route.
        """
        twin = self.operation.name == "search" and self.method == "POST"
        return f"{self.operation.name}.by-{self.method.lower()}" if twin else self.operation.name


@cache
def routes() -> tuple[RestRoute, ...]:
    """Return every route, longer paths first.

    A name may contain a slash, so a shorter path could match a longer one.
    """
    text = files("memoranda.api.rest").joinpath("routes.tsv").read_text("utf-8")
    rest_routes = [
        _route(*line.split("\t")) for line in text_lines(text) if line[:1] not in ("", "#")
    ]
    listed = {route.operation.name: route for route in rest_routes}
    rest_routes += [
        _default_route(operation, listed.get(f"{operation.noun}.show"))
        for name, operation in OPERATIONS.items()
        if name not in listed and not operation.local
    ]
    return tuple(
        sorted(
            rest_routes,
            key=lambda rest_route: (
                -rest_route.path.count("/"),
                rest_route.path,
                rest_route.method,
            ),
        )
    )


@cache
def shown_by(path: str, mark: str) -> RestRoute | None:
    """Return the route that returns the resource at a path.

    None if there is no such route, or the resource's state is determined in another way.
    """
    shows = [
        route
        for route in routes()
        if route.method == "GET"
        and route.mark == mark
        and (path == route.path or path.startswith(route.path + "/"))
    ]
    return max(shows, key=lambda rest_route: len(rest_route.path), default=None)


def _default_route(operation: Operation, shows: RestRoute | None) -> RestRoute:
    """Return the route of an operation that the table does not list.

    The verb is appended to the path of the resource, or else to that of the domain package.
    """
    verb = operation.name.rpartition(".")[2]
    method = "GET" if operation.access is Access.READ else "POST"
    needed = {
        argument.name for argument in operation.signature(Memoranda).arguments if argument.required
    }
    if shows and needed.issuperset(shows.in_path):
        return RestRoute(operation, method, f"{shows.path}/{verb}", 200)
    return RestRoute(operation, method, f"/{operation.noun}:{verb}", 200)


def _route(name: str, method: str, path: str, status: str, mark: str = "") -> RestRoute:
    return RestRoute(OPERATIONS[name], method, path, int(status), mark)
