"""Entity tags and preconditions: changes bound to a version of a resource."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping

from memoranda.api.rest.routes import RestRoute, shown_by
from memoranda.api.service import Service
from memoranda.calls.conversion import read
from memoranda.exceptions import InvalidInput, Stale
from memoranda.identity.principal import Principal
from memoranda.json_data import JsonValue, dump_json
from memoranda.operations import OPERATIONS
from memoranda.proposals.model import Proposal

_TAGS = re.compile(r'\s*(?:(W/)?"([^"]{0,200})"\s*(?:,|$)\s*)')
_MAXIMUM = 20
INSIDE = {"version": "version", "shown": "shown"}
"""Argument with the required state, by kind of entity tag.

Only operations that compare the state in their transaction have such an argument.
"""
WITHIN_CHANGE = frozenset(
    {"blocks.rethink", "blocks.replace", "blocks.insert", "blocks.patch", "proposals.approve"}
)


def tag_of(mark: str, shown: JsonValue) -> str:
    """Return the entity tag of a resource in the state that was returned."""
    if mark == "version" and isinstance(shown, dict):
        return str(shown["version"])
    if mark == "shown":
        proposal: Proposal = read(Proposal, shown)
        return proposal.hash
    return hashlib.sha256(dump_json(shown).encode()).hexdigest()[:32]


def tags(header: str, *, strong: bool = False) -> tuple[str, ...]:
    """Return the entity tags in a header; ``*`` matches any.

    With ``strong``, weak tags (``W/"3"``) are omitted, since they never match according to RFC
    9110.

    Raises:
        InvalidInput: the header is not a list of entity tags.
    """
    if header.strip() == "*":
        return ("*",)
    found: list[re.Match[str]] = []
    place = 0
    while place < len(header) and len(found) < _MAXIMUM:
        item = _TAGS.match(header, place)
        if not item:
            break
        found.append(item)
        place = item.end()
    if not found or place < len(header):
        raise InvalidInput('a condition must be a list of entity tags such as "3", or *')
    return tuple(item[2] for item in found if not (strong and item[1]))


def with_precondition(
    service: Service,
    principal: Principal,
    route: RestRoute,
    arguments: Mapping[str, JsonValue],
    header: str,
) -> dict[str, JsonValue]:
    """Return the arguments of a change that depends on a required state.

    The required states come from the header. If the operation itself compares the state, and there
    is only one, it is passed to the operation. Otherwise the state is compared here, before the
    call; a change in between is not noticed.

    Raises:
        InvalidInput: the route supports no comparison, or the header has no valid tags.
        Stale: the state has changed.
        NotFound: the resource does not exist.
    """
    named = tags(header, strong=True)
    shows = shown_by(route.path, route.mark) if route.mark else None
    if shows is None:
        raise InvalidInput("If-Match is not supported here")
    if named == ("*",):
        _shown(service, principal, shows, arguments)
        return dict(arguments)
    name = INSIDE.get(route.mark, "")
    if route.operation.name in WITHIN_CHANGE and len(named) == 1:
        return {**arguments, name: _handed_on(route.mark, named[0])}
    if tag_of(route.mark, _shown(service, principal, shows, arguments)) not in named:
        raise Stale("the resource has changed since the version in If-Match; read it again")
    return dict(arguments)


def _handed_on(mark: str, tag: str) -> JsonValue:
    if mark != "version":
        return tag
    if not (tag.isascii() and tag.isdecimal() and len(tag) < 19):
        raise Stale("the resource has changed since the version in If-Match; read it again")
    return int(tag)


def _shown(
    service: Service, principal: Principal, shows: RestRoute, arguments: Mapping[str, JsonValue]
) -> JsonValue:
    """Return the resource's current state, from the arguments of its route."""
    from memoranda.memory import Memoranda

    accepted = {
        argument.name
        for argument in OPERATIONS[shows.operation.name].signature(Memoranda).arguments
    }
    wanted = {name: value for name, value in arguments.items() if name in accepted}
    return service.call(principal, shows.operation.name, wanted)
