"""Statements that a later message of a person ends, on pairs not written for the rules."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from ended_statements import ENDED
from mentioned_statements import MENTIONED

from memoranda.context.labelled_sentences import sentences
from memoranda.context.user_sentences import LaterMessages
from tables import each


def ended(earlier: tuple[str, ...], message: str) -> list[int]:
    """Return the positions of the statements that a later message ends or cuts."""
    later = LaterMessages([*earlier, message], latest=2)
    source: Any = SimpleNamespace(id="later", task="second", counted_at=2)
    later.add(sentences(message), source)
    return [
        place
        for place, text in enumerate(earlier)
        if any(
            later.current(one, "first", ()) != one or later.ends(one.text)
            for one in sentences(text)
        )
    ]


@each(("earlier", "message", "places"), ENDED)
def test_a_message_ends_what_it_withdraws_and_nothing_else(
    earlier: tuple[str, ...], message: str, places: tuple[int, ...]
) -> None:
    assert ended(earlier, message) == [*places]


@each(("earlier", "message"), MENTIONED)
def test_a_message_that_mentions_statements_ends_none(
    earlier: tuple[str, ...], message: str
) -> None:
    assert ended(earlier, message) == []
