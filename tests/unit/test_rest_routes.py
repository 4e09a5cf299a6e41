"""The route table has every operation once, with its arguments."""

from __future__ import annotations

import re
from collections import Counter

import pytest

from memoranda.api.rest.arguments import in_body, parameters, request_arguments
from memoranda.api.rest.preconditions import WITHIN_CHANGE, tags
from memoranda.api.rest.routes import RestRoute, routes, shown_by
from memoranda.exceptions import InvalidInput
from memoranda.memory import Memoranda
from memoranda.operation_declaration import Access
from memoranda.operations import OPERATIONS
from tables import each

BY_ID = {route.id: route for route in routes()}


def shape(path: str) -> str:
    return re.sub(r"\{[^}]*\}", "{}", path)


def query(name: str, *pairs: tuple[str, str], **path: str) -> dict[str, object]:
    """Return the arguments of a route from a query."""
    return dict(request_arguments(BY_ID[name], path, pairs, b""))


def test_each_operation_that_is_not_local_has_one_route() -> None:
    found = Counter(route.operation.name for route in routes())
    wanted = {name: 1 for name, one in OPERATIONS.items() if not one.local}
    assert found == Counter(wanted | {"search": 2})  # a filter may be too long for a URL


def test_no_two_routes_answer_to_one_address() -> None:
    shapes = Counter((route.method, shape(route.path)) for route in routes())
    assert max(shapes.values()) == 1
    for route in routes():
        for other in routes():
            one, two = route.path.split("/"), other.path.split("/")
            alike = len(one) == len(two) and all(
                a == b or "{" in a or "{" in b for a, b in zip(one, two, strict=True)
            )
            same = shape(route.path) == shape(other.path)
            assert same or not (alike and route.method == other.method), (route.id, other.id)


def test_ids_of_routes_are_unique() -> None:
    assert len(BY_ID) == len(routes())


def test_reading_is_done_by_get_and_changes_by_anything_else() -> None:
    for route in routes():
        if route.method == "GET":
            assert route.operation.access is Access.READ, route.id
        elif route.id not in (
            "search.by-post",
            "documents.get",
            "compression.compress",
            "capture.privacy-test",
        ):
            assert route.operation.access is Access.WRITE, route.id


def test_names_in_a_path_are_parameters_of_the_operation() -> None:
    for route in routes():
        known = {one.name for one in route.operation.signature(Memoranda).arguments}
        assert set(route.in_path) <= known, route.id
        assert len(set(route.in_path)) == len(route.in_path)


def test_every_argument_can_be_passed() -> None:
    """The arguments of a search by URL can also be sent in a body."""
    for route in routes():
        arguments = {one.name for one in route.operation.signature(Memoranda).arguments}
        names = {one.argument for one in parameters(route)} | {one.name for one in in_body(route)}
        assert names == arguments, route.id


def test_longer_paths_go_before_those_that_a_name_with_slashes_would_reach() -> None:
    order = [route.path for route in routes() if route.method == "GET"]
    assert order.index("/blocks/{label:path}/history") < order.index("/blocks/{label:path}")
    assert order.index("/projects/{name:path}/memories") < order.index("/projects/{name:path}")


def test_what_is_marked_is_shown_somewhere() -> None:
    for route in routes():
        if route.mark:
            shows = shown_by(route.path, route.mark)
            assert shows is not None, route.id
            assert shows.method == "GET"
            assert set(shows.in_path) <= set(route.in_path)


def test_operations_that_compare_in_their_transaction_take_what_they_compare() -> None:
    for name in WITHIN_CHANGE:
        route = BY_ID[name]
        names = {one.name for one in route.operation.signature(Memoranda).arguments}
        assert {"version": "version", "shown": "shown"}[route.mark] in names


def test_only_changes_by_post_take_a_key() -> None:
    assert BY_ID["remember"].repeatable
    assert not BY_ID["search.by-post"].repeatable
    assert not BY_ID["memories.edit"].repeatable
    assert not BY_ID["memories.list"].repeatable


class TestQueries:
    """Query texts are converted to the types of the operation's signature."""

    def test_plain_values_are_converted_by_their_parameter_type(self) -> None:
        found = query("search", ("query", "7"), ("limit", "7"), ("explain", "true"))
        assert found == {"query": "7", "limit": 7, "explain": True}

    def test_fields_of_a_filter_are_names_of_their_own(self) -> None:
        found = query("search", ("query", "x"), ("kinds", "memory"), ("kinds", "observation"),
                      ("least_confidence", "0.5"), ("as_of", "2026-01-31"))  # fmt: skip
        assert found["where"] == {
            "kinds": ["memory", "observation"],
            "least_confidence": 0.5,
            "as_of": "2026-01-31",
        }

    def test_a_field_whose_name_is_taken_gets_that_of_its_filter_before_it(self) -> None:
        found = query("search", ("query", "x"), ("task", "1"), ("work_task", "2"), ("stage", "p"))
        assert found["task"] == "1"
        assert found["work"] == {"task": "2", "stage": "p"}

    def test_one_value_of_a_list_is_a_list(self) -> None:
        assert query("observations.list", ("tags", "a"))["where"] == {"tags": ["a"]}

    def test_nothing_can_be_meant_where_silence_means_something(self) -> None:
        assert query("proposals.list", ("status", "null")) == {"status": None}
        assert query("tasks.list", ("status", "null")) == {"status": "null"}  # refused later

    def test_path_values_are_converted_by_their_type(self) -> None:
        assert query("observations.show", ("full", "false"), id="1#2") == {
            "id": "1#2",
            "full": False,
        }

    @pytest.mark.parametrize(
        ("name", "pairs"),
        [
            ("search", [("query", "x"), ("nonesuch", "1")]),
            ("search", [("query", "x"), ("query", "y")]),
            ("search", [("where", "{}")]),
            ("observations.show", [("id", "1")]),
            ("store.stats", [("workspace", "a"), ("workspace", "a")]),
        ],
    )
    def test_unknown_and_doubled_names_are_refused(
        self, name: str, pairs: list[tuple[str, str]]
    ) -> None:
        with pytest.raises(InvalidInput):
            query(name, *pairs)

    @each(
        ("name", "parameter", "text"),
        [
            ("search", "limit", "seven"),
            ("search", "limit", "9" * 5_000),
            ("search", "limit", "\u0667"),
            ("search", "limit", "1.5"),
            ("search", "explain", "True"),
            ("search", "least_confidence", "NaN"),
            ("search", "least_confidence", "[1]"),
            ("search", "least_confidence", "1" * 500),
            ("search", "since", "soon"),
            ("search", "kinds", "nonesuch"),
        ],
    )
    def test_what_is_not_of_its_type_is_refused_by_the_signature(
        self, name: str, parameter: str, text: str
    ) -> None:
        found = request_arguments(BY_ID[name], {}, [("query", "x"), (parameter, text)], b"")
        with pytest.raises(InvalidInput):
            OPERATIONS[name].signature(Memoranda).bound(found)


class TestBodies:
    """A body is one object with the arguments that are not in the path."""

    ROUTE: RestRoute = BY_ID["blocks.rethink"]

    def test_path_and_body_become_one_call(self) -> None:
        found = request_arguments(self.ROUTE, {"label": "plan"}, [], b'{"text": "x", "version": 2}')
        assert found == {"label": "plan", "text": "x", "version": 2}

    def test_no_body_is_an_empty_one(self) -> None:
        assert request_arguments(BY_ID["capture.drain"], {}, [], b"") == {}
        assert request_arguments(BY_ID["capture.drain"], {}, [], b" \n") == {}

    @each(
        "body",
        [b"[]", b"null", b"1", b"{", b"\xff", b'{"label": "other"}', b"[" * 100_000],
    )
    def test_bad_bodies_are_refused(self, body: bytes) -> None:
        with pytest.raises(InvalidInput):
            request_arguments(self.ROUTE, {"label": "plan"}, [], body)

    def test_arguments_are_in_one_place_only(self) -> None:
        with pytest.raises(InvalidInput, match="body"):
            request_arguments(self.ROUTE, {"label": "plan"}, [("reason", "x")], b"{}")
        with pytest.raises(InvalidInput, match="query"):
            request_arguments(BY_ID["store.stats"], {}, [], b"{}")


class TestTags:
    """Conditions are lists of entity tags."""

    @each(
        ("header", "found"),
        [
            ('"3"', ("3",)),
            ('W/"3"', ("3",)),
            ('"a", "b" ,W/"c"', ("a", "b", "c")),
            ("*", ("*",)),
            (" * ", ("*",)),
            ('""', ("",)),
        ],
    )
    def test_they_are_read(self, header: str, found: tuple[str, ...]) -> None:
        assert tags(header) == found

    @each("header", ["", "3", '"3', '"a" "b"', "'3'", '"a",,"b"', '"a",' * 50])
    def test_what_is_none_is_refused(self, header: str) -> None:
        with pytest.raises(InvalidInput):
            tags(header)
