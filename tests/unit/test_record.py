"""A record's fields define its columns, statements, rows and archives."""

from __future__ import annotations

from dataclasses import MISSING, dataclass, replace
from enum import StrEnum

import pytest

from memoranda.archive.fields import defaults_of, of_columns
from memoranda.store.record import Record


class Colour(StrEnum):
    RED = "red"
    BLUE = "blue"


@dataclass(frozen=True)
class Size:
    width: int = 0
    height: int = 0


@dataclass(frozen=True)
class Box:
    team: str
    id: str
    colour: Colour
    size: Size
    label: str | None
    sealed: bool = False
    lid: Colour | None = None


BOXES = Record(Box, beside=("digest",))
BOX = Box("t", "b1", Colour.RED, Size(2, 3), None, sealed=True, lid=Colour.BLUE)


def test_columns_are_the_fields_in_order_and_those_beside_them() -> None:
    assert BOXES.columns == (
        "team", "id", "colour", "width", "height", "label", "sealed", "lid", "digest",
    )  # fmt: skip


def test_a_statement_names_the_columns_and_computes_what_is_not_passed() -> None:
    sql = BOXES.statement("insert into box ({columns}) select {values}", height="max(height) + 1")
    assert sql == (
        "insert into box (team, id, colour, width, height, label, sealed, lid, digest) "
        "select :team, :id, :colour, :width, max(height) + 1, :label, :sealed, :lid, :digest"
    )


@pytest.mark.parametrize(
    "box", [BOX, replace(BOX, sealed=False, lid=None, label="x")], ids=["full", "bare"]
)
def test_a_value_comes_back_from_its_row(box: Box) -> None:
    row = BOXES.row(box, digest="d")
    assert type(row["sealed"]) is int
    stored = tuple(
        value if value is None or isinstance(value, int) else str(value)
        for value in map(row.get, BOXES.columns)
    )
    found = BOXES.value(stored)
    assert found == box
    assert type(found.sealed) is bool
    assert type(found.colour) is Colour


def test_the_fields_of_an_archive_accept_what_the_columns_accept() -> None:
    fields = of_columns(BOXES.declared)
    assert set(fields) == set(BOXES.columns) - {"team", "digest"}
    row = {"colour": "red", "width": 1, "label": None, "sealed": True, "lid": None, "id": "x"}
    assert all(fields[name].fits(value) for name, value in row.items())
    wrong = {"colour": "grey", "width": -1, "label": 1, "sealed": 1, "lid": "grey", "id": None}
    assert not any(fields[name].fits(value) for name, value in wrong.items())


def test_only_a_later_field_of_the_record_itself_may_be_missing_in_an_archive() -> None:
    assert defaults_of(BOXES.declared) == {"sealed": False, "lid": None}
    assert {one.name for one in BOXES.declared if one.default is MISSING} >= {"width", "height"}
