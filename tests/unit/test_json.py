"""Parsing of untrusted JSON, and values as JSON."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

import pytest
from hypothesis import given, strategies as st

from memoranda.clock import LATEST
from memoranda.exceptions import InvalidInput
from memoranda.json_data import (
    MAX_DEPTH,
    JsonValue,
    as_json,
    dump_json,
    iso_time,
    parse_iso_time,
    parse_json,
)
from memoranda.observations.model import Origin
from tables import each

trees = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**70), 2**70) | st.floats(allow_nan=False,
    allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=20,
)  # fmt: skip


@given(trees)
def test_what_was_written_is_read_back(tree: JsonValue) -> None:
    assert parse_json(dump_json(tree)) == tree
    assert parse_json(dump_json(tree).encode("utf-8", "surrogatepass")) == tree


@given(st.dictionaries(st.text(), st.integers()))
def test_equal_values_give_equal_bytes(members: dict[str, int]) -> None:
    turned = dict(reversed(members.items()))
    assert dump_json({**members}) == dump_json({**turned})


@given(st.text() | st.binary())
def test_any_input_is_read_or_refused(data: str | bytes) -> None:
    try:
        parse_json(data)
    except InvalidInput as error:
        assert "JSON" in str(error)


@pytest.mark.parametrize("opening", ["[", '{"a":'])
def test_nesting_ends_at_64_levels(opening: str) -> None:
    closing = "]" if opening == "[" else "}"

    def nested(levels: int) -> str:
        return opening * levels + "0" + closing * levels

    assert parse_json(nested(MAX_DEPTH)) is not None
    for levels in (MAX_DEPTH + 1, 500, 100_000):
        with pytest.raises(InvalidInput, match="nested"):
            parse_json(nested(levels))


def test_depth_is_counted_along_the_deepest_branch() -> None:
    wide = "[" + ",".join(["[]"] * 10_000) + "]"
    assert len(parse_json(wide)) == 10_000  # type: ignore[arg-type]
    with pytest.raises(InvalidInput):
        parse_json("[0," + "[" * 70 + "]" * 70 + "]")


@pytest.mark.parametrize("text", ["NaN", "Infinity", "-Infinity"])
def test_what_json_has_no_number_for_becomes_null(text: str) -> None:
    assert parse_json(f'{{"a": {text}}}') == {"a": None}


@pytest.mark.parametrize("text", ["1e999", "-1e999", "1" + "0" * 400 + ".0"])
def test_a_float_out_of_range_becomes_null(text: str) -> None:
    value = parse_json(f'{{"a": {text}}}')
    assert isinstance(value, dict)
    assert value["a"] is None
    assert "Infinity" not in dump_json(value)


def test_a_number_of_5_000_digits_is_refused_in_words() -> None:
    with pytest.raises(InvalidInput, match="not valid JSON"):
        parse_json('{"a": ' + "9" * 5_000 + "}")
    assert parse_json("9" * 4_000) == int("9" * 4_000)


def test_of_duplicate_members_the_last_counts() -> None:
    assert parse_json('{"a": 1, "a": 2}') == {"a": 2}


def test_lone_surrogates_come_through_to_be_normalised_later() -> None:
    assert parse_json(r'"\ud800"') == "\ud800"
    assert parse_json(r'"\ud83e\udd8a"') == "🦊"


@each(
    "data",
    [
        "",
        " ",
        "{",
        '{"a"',
        "{'a': 1}",
        "[1,]",
        "nul",
        "\0",
        '"\n"',
        b"\xff\xfe",
        b'"\xc3\x28"',
        "1 2",
    ],
)
def test_what_is_no_json_is_invalid_input(data: str | bytes) -> None:
    with pytest.raises(InvalidInput):
        parse_json(data)


@given(st.integers(0, LATEST))
def test_times_come_back_to_the_microsecond(moment: int) -> None:
    text = iso_time(moment)
    assert text.endswith("Z")
    assert parse_iso_time(text) == moment


def test_a_time_after_the_calendar_becomes_the_last_one() -> None:
    assert iso_time(LATEST + 1) == iso_time(LATEST) == "9999-12-31T23:59:59.999999Z"


@each(
    ("text", "expected"),
    [
        ("1970-01-01T00:00:00Z", 0),
        ("1970-01-01T01:00:00+01:00", 0),
        ("1970-01-01T00:00:00", 0),
        ("1970-01-01T00:00:00.000001Z", 1),
        ("1970-01-01", 0),
        ("1969-12-31T23:59:59Z", -1_000_000),
        ("9999-12-31T23:59:59.999999Z", LATEST),
        ("9999-12-31T23:59:59.999999-01:00", LATEST + 3_600_000_000),
        ("yesterday", None),
        ("", None),
        ("2026-13-01", None),
    ],
)
def test_iso_times_are_read_as_utc(text: str, expected: int | None) -> None:
    assert parse_iso_time(text) == expected


@dataclass(frozen=True, slots=True)
class Thing:
    """A value with one field of each kind."""

    name: str
    created_at: int
    lease_until: int | None
    origin: Origin
    tags: tuple[str, ...]
    counts: Mapping[str, int]
    path: Path


def test_values_become_json_with_times_as_iso() -> None:
    counts = MappingProxyType({"seen_at": 1_000_000, "n": 2})
    thing = Thing("x", 0, None, Origin.HUMAN, ("a", "b"), counts, Path("a/b"))
    assert as_json([thing]) == [
        {
            "name": "x",
            "created_at": "1970-01-01T00:00:00.000Z",
            "lease_until": None,
            "origin": "human",
            "tags": ["a", "b"],
            "counts": {"seen_at": "1970-01-01T00:00:01.000Z", "n": 2},
            "path": "a/b",
        }
    ]
    assert json.loads(dump_json(as_json(thing), indent=2)) == as_json(thing)


def test_numbers_and_truth_values_stay_what_they_are() -> None:
    assert as_json({"ok_at": True, "ratio": 0.5}) == {"ok_at": True, "ratio": 0.5}
    assert math.isclose(parse_json("0.1"), 0.1)  # type: ignore[arg-type]
