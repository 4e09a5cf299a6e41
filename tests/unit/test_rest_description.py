"""The OpenAPI description is valid, complete, and matches the routes."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, make_dataclass
from typing import Any

import anyio
import pytest

from memoranda.api.rest import bulk_creation
from memoranda.api.rest.openapi import STATUSES, document, text
from memoranda.api.rest.routes import routes
from memoranda.calls.schema import Schemas
from memoranda.exceptions import MemorandaError, TooLarge
from memoranda.memory import Memoranda
from memoranda.operations import OPERATIONS

DESCRIBED = document("/api/v1")


def operations() -> Iterator[tuple[str, str, dict[str, Any]]]:
    for path, methods in DESCRIBED["paths"].items():
        for method, described in methods.items():
            yield path, method, described


def references(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        if isinstance(value.get("$ref"), str):
            yield value["$ref"]
        for one in value.values():
            yield from references(one)
    elif isinstance(value, list):
        for one in value:
            yield from references(one)


def test_every_route_is_described_with_its_operation() -> None:
    ids = {described["operationId"] for _, _, described in operations()}
    assert {route.id for route in routes()} <= ids
    assert len(ids) == len(list(operations()))


def test_every_reference_leads_somewhere() -> None:
    for reference in references(DESCRIBED):
        found: Any = DESCRIBED
        for part in reference.removeprefix("#/").split("/"):
            found = found[part]
        assert found, reference


def parameters(described: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the parameters of an operation, common ones too."""
    common = DESCRIBED["components"]["parameters"]
    return [
        common[one["$ref"].rpartition("/")[2]] if "$ref" in one else one
        for one in described.get("parameters", ())
    ]


def test_every_operation_takes_the_zone_of_the_reader() -> None:
    ids = {route.id for route in routes()}
    for path, _, described in operations():
        if described["operationId"] in ids:
            assert "Time-Zone" in {one["name"] for one in parameters(described)}, path


def resolved(schema: dict[str, Any]) -> dict[str, Any]:
    while "$ref" in schema:
        found: Any = DESCRIBED
        for part in schema["$ref"].removeprefix("#/").split("/"):
            found = found[part]
        schema = found
    return schema


def numbers(schema: dict[str, Any], name: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the number schemas within one, with the path of names to each."""
    schema = resolved(schema)
    if schema.get("type") in ("integer", "number"):
        yield name, schema
    for one in schema.get("anyOf", ()):
        yield from numbers(one, name)
    for inner, one in schema.get("properties", {}).items():
        yield from numbers(one, f"{name}.{inner}")
    if isinstance(schema.get("items"), dict):
        yield from numbers(schema["items"], f"{name}[]")


def test_every_number_of_a_request_has_a_range() -> None:
    found = 0
    for path, _, described in operations():
        bodies = resolved(described.get("requestBody", {})).get("content", {}).values()
        schemas = {one["name"]: one["schema"] for one in parameters(described)}
        requests = [
            *schemas.items(),
            *(("body", one["schema"]) for one in bodies if "schema" in one),
        ]
        for name, schema in requests:
            for where, number in numbers(schema, name):
                assert number["minimum"] <= number["maximum"], (path, where)
                found += 1
    assert found > 60


def test_every_path_parameter_is_described() -> None:
    for path, _, described in operations():
        named = {one["name"] for one in parameters(described) if one["in"] == "path"}
        assert named == {part[1:-1] for part in path.split("/") if part.startswith("{")}, path


def test_every_operation_lists_every_error_status() -> None:
    for _, _, described in operations():
        assert {str(one) for one in STATUSES} <= described["responses"].keys()


def _all(kind: type[MemorandaError]) -> Iterator[type[MemorandaError]]:
    yield kind
    for below in kind.__subclasses__():
        yield from _all(below)


def test_every_error_documents_its_status() -> None:
    assert {one.http_status for one in _all(MemorandaError)} <= STATUSES.keys()


def test_every_operation_has_words_and_a_result() -> None:
    for _, _, described in operations():
        assert described["summary"]
        assert [status for status in described["responses"] if status.startswith("2")]


def test_parameters_have_the_descriptions_of_the_methods() -> None:
    reported = {
        one["description"]
        for _, _, described in operations()
        for one in parameters(described)
        if one["in"] == "query" and "description" in one
    }
    messages = [
        one.about for one in OPERATIONS["search"].signature(Memoranda).arguments if one.about
    ]
    assert set(messages) & reported or not messages


def test_links_lead_to_operations_by_parameters_that_they_have() -> None:
    by_id = {described["operationId"]: described for _, _, described in operations()}
    links = [
        link
        for _, _, described in operations()
        for answer in described["responses"].values()
        for link in answer.get("links", {}).values()
    ]
    assert len(links) > 50
    for link in links:
        names = {one["name"] for one in parameters(by_id[link["operationId"]])}
        assert link["parameters"].keys() <= names


def test_conditions_and_keys_are_headers_where_they_are_taken() -> None:
    def headers(id: str) -> set[str]:
        found = next(one for _, _, one in operations() if one["operationId"] == id)
        return {one["name"] for one in parameters(found) if one["in"] == "header"} - {"Time-Zone"}

    assert headers("blocks.show") == {"If-None-Match"}
    assert headers("blocks.rethink") == {"If-Match"}
    assert headers("proposals.approve") == {"If-Match", "Idempotency-Key"}
    assert headers("remember") == {"Idempotency-Key"}
    assert headers("store.stats") == set()


def test_everything_needs_a_token() -> None:
    assert DESCRIBED["security"] == [{"bearer": []}, {"key": []}]
    assert not [described for _, _, described in operations() if "security" in described]


def test_it_is_json_and_nothing_loads_from_elsewhere() -> None:
    written = text("/api/v1")
    assert json.loads(written) == json.loads(json.dumps(DESCRIBED))
    assert "http://" not in written.replace("http://127.0.0.1", "")


def test_two_dataclasses_of_one_name_keep_their_own_schemas() -> None:
    schemas = Schemas()
    costs, checkpoints = (
        make_dataclass("Total", [(field, int)], namespace={"__module__": f"memoranda.{noun}.model"})
        for noun, field in (("costs", "calls"), ("checkpoints", "effort"))
    )
    first, second = schemas.of(costs), schemas.of(checkpoints)
    assert first != second
    assert schemas.of(costs) == first
    assert schemas.of(checkpoints) == second
    assert set(schemas.definitions) == {"Total", "CheckpointsTotal"}
    assert "effort" in schemas.definitions["CheckpointsTotal"]["properties"]
    assert "calls" in schemas.definitions["Total"]["properties"]


@dataclass
class Chunks:
    """A body in pieces."""

    pieces: tuple[bytes, ...]

    async def stream(self) -> Any:
        for one in self.pieces:
            yield one


def read(*pieces: bytes) -> list[tuple[int, bytes]]:
    async def work() -> list[tuple[int, bytes]]:
        return [
            one async for batch in bulk_creation.batches(Chunks(pieces).stream()) for one in batch
        ]

    return anyio.run(work)


class TestLines:
    """Lines are numbered as in an editor, however the body was split."""

    def test_lines_are_put_together(self) -> None:
        assert read(b"a\nb", b"c", b"", b"\n\n", b"d") == [(1, b"a"), (2, b"bc"), (4, b"d")]

    def test_nothing_is_no_line(self) -> None:
        assert read() == []
        assert read(b"\n \n\r\n") == []

    def test_every_cut_gives_the_same_lines(self) -> None:
        body = b'{"a":1}\n\n{"b":2}\r\n{"c":3}'
        for place in range(len(body)):
            assert read(body[:place], body[place:]) == read(body)

    def test_a_line_that_never_ends_is_refused_before_it_is_all_here(self) -> None:
        with pytest.raises(TooLarge, match="line 2"):
            read(b"a\n", *[b"x" * 100_000] * 11, b"never looked at")

    def test_too_many_lines_are_refused(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(bulk_creation, "MAX_LINES", 3)
        assert len(read(b"a\nb\nc\n")) == 3
        with pytest.raises(TooLarge, match="3 lines"):
            read(b"a\nb\n", b"c\nd\ne")


def test_no_time_of_the_description_has_the_unit_of_python() -> None:
    described = json.dumps(DESCRIBED)
    assert described.count("microseconds") == 2, "two numbers that are no ISO times"
