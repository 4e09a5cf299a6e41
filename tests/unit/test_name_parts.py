"""Names of code in a query are also searched by their parts."""

from __future__ import annotations

import pytest

from memoranda.language.lexemes import MAX_NAME, name_parts
from memoranda.search.query import parse_query
from tables import each


@each(
    ("text", "words"),
    [
        ("splitTicketFee", ("splitticketfee", "split", "ticket", "fee")),
        ("SeatRowReader", ("seatrowreader", "seat", "row", "reader")),
        ("SourceForge", ("sourceforge",)),
        ("iPhone", ("iphone",)),
        ("HTTP", ("http",)),
        ("Ticket", ("ticket",)),
    ],
)
def test_a_query_has_the_parts_of_code_and_not_of_products(
    text: str, words: tuple[str, ...]
) -> None:
    assert parse_query(text).words == words


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("parseHTTPReply of splitTicketFee", ["parse", "http", "reply", "split", "ticket", "fee"]),
        ("HTTP2Reader, sha256Hash", ["http2", "reader", "sha256", "hash"]),
        ("UPPER lower Title snake_case aB", []),
        ("kB" * MAX_NAME, []),
    ],
)
def test_the_parts_of_names_are_found_once_each(text: str, parts: list[str]) -> None:
    assert name_parts(text) == parts
