"""Pages of lists."""

from __future__ import annotations

import pytest

from memoranda.page import Page, page_of


def number(item: int) -> int:
    return item * 10


@pytest.mark.parametrize("found", [[], [1], [1, 2]], ids=["none", "fewer", "as many"])
def test_a_page_with_all_results_is_the_last(found: list[int]) -> None:
    assert page_of(found, 2, number) == Page(tuple(found), None)


def test_a_page_goes_on_after_its_own_last_item_not_after_what_was_found_beyond() -> None:
    assert page_of([1, 2, 3, 4], 2, number) == Page((1, 2), "20")
