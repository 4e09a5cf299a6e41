"""JSON is converted to typed arguments and back, types to schemas."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, strategies as st

from memoranda import Memoranda
from memoranda.calls.conversion import read
from memoranda.calls.schema import Schemas
from memoranda.calls.signature import signature
from memoranda.exceptions import InvalidInput
from memoranda.json_data import JsonValue, as_json
from memoranda.memories.model import Memory
from memoranda.operations import OPERATIONS
from memoranda.page import Page
from memoranda.search.filters import SearchFilter
from tables import each


class Colour(StrEnum):
    RED = "red"
    BLUE = "blue"


@dataclass(frozen=True, slots=True)
class Leaf:
    name: str
    made_at: int = 0


@dataclass(frozen=True, slots=True)
class Tree:
    leaves: tuple[Leaf, ...]
    colour: Colour | str = Colour.RED
    weights: Mapping[str, float] = field(default_factory=dict)
    kept: JsonValue = None
    inner: Leaf | None = None


class Facade:
    def plant(
        self,
        tree: Tree,
        *,
        until: int | None = None,
        path: str | Path = "",
        progress: Callable[[int], None] | None = None,
    ) -> Page[Leaf]:
        """Plant a tree.

        Args:
            until: when it may stand,
                at the longest.
            path: where.

        Raises:
            InvalidInput: no.
        """
        raise NotImplementedError


TREE = Tree((Leaf("a", 1_700_000_000_123_456), Leaf("b")), Colour.BLUE, {"a": 1.5}, {"b": [None]})


def test_what_is_written_reads_as_the_same() -> None:
    assert read(Tree, as_json(TREE)) == TREE
    page = Page((Leaf("x", 5),), "7")
    assert read(Page[Leaf], as_json(page)) == page


@given(st.integers(min_value=0, max_value=4_000_000_000_000_000))
def test_a_time_retains_every_microsecond(moment: int) -> None:
    assert read(Leaf, as_json(Leaf("x", moment))).made_at == moment


@each(
    ("message", "value", "expected"),
    [
        (int, 3.0, 3),
        (float, 3, 3.0),
        (str, "a\0b", "a\u2400b"),
        (Colour, "red", Colour.RED),
        (Colour | str, "green", "green"),
        (int | None, None, None),
        (tuple[int, str], [1, "a"], (1, "a")),
        (frozenset[str], ["a", "a"], frozenset("a")),
        (Sequence[int], [1], [1]),
        (Counter[str], {"a": 1}, {"a": 1}),
        (str | Leaf, "a", "a"),
        (str | Leaf, {"name": "a"}, Leaf("a")),
        (Any, {"a": [1]}, {"a": [1]}),
    ],
)
def test_a_value_is_converted_to_its_type(message: Any, value: JsonValue, expected: object) -> None:
    assert read(message, value) == expected


@each(
    ("message", "value", "expected"),
    [
        (int, True, "64-bit integer"),
        (int, 1.5, "64-bit integer"),
        (int, 2**63, "64-bit integer"),
        (int, "1", "64-bit integer"),
        (float, 10**400, "a number"),
        (bool, 1, "true or false"),
        (str, 1, "a text"),
        (str, None, "a text"),
        (Colour, "green", "red, blue"),
        (Colour, {}, "red, blue"),
        (Colour, [1], "red, blue"),
        (tuple[int, ...], {}, "a list"),
        (tuple[int, str], [1], "a list of 2"),
        (Tree, {"leaves": [{"name": "a"}, {"name": 1}]}, r"leaves\[1\].name"),
        (Tree, {"leaves": [], "kind": "oak"}, "no kind; known: leaves, colour"),
        (Tree, {}, "lacks leaves"),
        (Leaf, {"name": "a", "made_at": "tomorrow"}, "a time such as"),
        (Mapping[str, float], {"a": "b"}, "a number"),
        (None | Leaf, 3, "an object"),
    ],
)
def test_a_value_of_another_type_is_refused_with_its_place(
    message: Any, value: JsonValue, expected: str
) -> None:
    with pytest.raises(InvalidInput, match=expected):
        read(message, value)


def test_a_long_wrong_value_is_not_repeated_whole() -> None:
    with pytest.raises(InvalidInput) as refused:
        read(int, "x" * 10_000)
    assert len(str(refused.value)) < 200


class TestSignature:
    """The parameters of a method that callers can pass."""

    def test_code_is_omitted_and_the_rest_is_described(self) -> None:
        arguments = signature(Facade, "plant").arguments
        assert [(one.name, one.required) for one in arguments] == [
            ("tree", True),
            ("until", False),
            ("path", False),
        ]
        assert arguments[1].about == "when it may stand, at the longest."
        assert arguments[2].about == "where."

    def test_arguments_are_bound_to_types(self) -> None:
        bound = signature(Facade, "plant").bound(
            {"tree": as_json(TREE), "until": "2026-01-01T00:00:00Z"}
        )
        assert bound == {"tree": TREE, "until": 1_767_225_600_000_000}

    @pytest.mark.parametrize(
        ("arguments", "expected"),
        [
            ({}, "missing argument: tree"),
            ({"tree": {"leaves": []}, "progress": 1}, "no progress; known: tree"),
        ],
    )
    def test_what_does_not_fit_is_refused(
        self, arguments: dict[str, JsonValue], expected: str
    ) -> None:
        with pytest.raises(InvalidInput, match=expected):
            signature(Facade, "plant").bound(arguments)

    @each("name", OPERATIONS)
    def test_every_operation_can_be_described(self, name: str) -> None:
        schemas, message = Schemas(), OPERATIONS[name].signature(Memoranda)
        for argument in message.arguments:
            assert isinstance(schemas.of(argument.type, argument.name), dict)
        schemas.of(message.result)
        assert all(schemas.definitions.values())


class TestSchemas:
    """The schema of a type."""

    def test_a_dataclass_is_defined_once_with_what_it_needs(self) -> None:
        schemas = Schemas()
        assert schemas.of(Tree) == {"$ref": "#/$defs/Tree"}
        tree = schemas.definitions["Tree"]
        assert tree["required"] == ["leaves"]
        assert tree["additionalProperties"] is False
        assert tree["properties"]["leaves"]["items"] == {"$ref": "#/$defs/Leaf"}
        assert tree["properties"]["kept"] == {"default": None}
        assert tree["properties"]["colour"]["enum"] == ["red", "blue"]

    def test_times_are_dates(self) -> None:
        schemas = Schemas()
        schemas.of(Memory)
        made = schemas.definitions["Memory"]["properties"]["created_at"]
        assert made == {"type": "string", "format": "date-time"}
        assert schemas.of(int | None, "until")["anyOf"][0]["format"] == "date-time"
        assert "format" not in schemas.of(int, "limit")

    def test_a_page_names_its_item_type(self) -> None:
        schemas = Schemas("#/components/schemas/")
        assert schemas.of(Page[Leaf]) == {"$ref": "#/components/schemas/PageLeaf"}
        items = schemas.definitions["PageLeaf"]["properties"]["items"]
        assert items["items"] == {"$ref": "#/components/schemas/Leaf"}

    def test_defaults_are_as_they_are_sent(self) -> None:
        schemas = Schemas()
        schemas.of(SearchFilter)
        assert schemas.definitions["SearchFilter"]["properties"]["statuses"]["default"] == [
            "approved"
        ]
