"""A table of rows is one test, which names the rows that fail."""

from __future__ import annotations

import inspect

import pytest

from tables import each


def test_every_row_is_called_and_those_that_fail_are_named() -> None:
    called: list[int] = []

    @each("number", [1, 2, pytest.param(3, id="three"), 4])
    def odd(number: int) -> None:
        called.append(number)
        assert number not in {2, 3}

    with pytest.raises(ExceptionGroup, match="2 of 4 rows fail: 2, three") as raised:
        odd()
    assert called == [1, 2, 3, 4]
    assert all(isinstance(one, AssertionError) for one in raised.value.exceptions)


def test_an_exception_that_is_not_raised_is_a_failure_of_its_row() -> None:
    @each("text, error", [("x", ValueError), ("7", ValueError)])
    def refused(text: str, error: type[Exception]) -> None:
        with pytest.raises(error):
            int(text)

    with pytest.raises(ExceptionGroup, match="1 of 2 rows fail: '7'"):
        refused()


def test_a_row_that_is_skipped_skips_no_other() -> None:
    @each("number", [1, 2])
    def second(number: int) -> None:
        if number == 1:
            pytest.skip("not this one")
        raise KeyError

    with pytest.raises(ExceptionGroup, match="1 of 2 rows fail: 2"):
        second()

    @each("number", [1, 2])
    def none(number: int) -> None:
        pytest.skip("none")

    with pytest.raises(pytest.skip.Exception, match="none"):
        none()


@pytest.mark.parametrize(
    ("ids", "message"), [(str.upper, "rows fail: A, B"), (["one", "two"], "rows fail: one, two")]
)
def test_rows_are_named_as_requested(ids: object, message: str) -> None:
    @each(("text",), [("a",), ("b",)], ids)  # type: ignore[arg-type]
    def fails(text: str) -> None:
        raise KeyError(text)

    with pytest.raises(ExceptionGroup, match=message):
        fails()


def test_tables_multiply_and_fixtures_remain_arguments() -> None:
    seen: list[tuple[int, str, str]] = []

    @each("number", [1, 2])
    @each("letter", "ab")
    def taken(number: int, letter: str, fixture: str) -> None:
        seen.append((number, letter, fixture))

    assert list(inspect.signature(taken).parameters) == ["fixture"]
    taken(fixture="f")
    assert seen == [(1, "a", "f"), (1, "b", "f"), (2, "a", "f"), (2, "b", "f")]
