"""Records that only repeat a query: calls of Memoranda's own tools, and the question itself."""

from __future__ import annotations

from collections.abc import Mapping

from memoranda.memories.model import Memory
from memoranda.observations.content_table import RECALLED, RECALLED_OUTPUT
from memoranda.observations.model import Observation, ObservationType, Origin
from memoranda.search.filters import SearchFilter
from memoranda.search.words import words
from memoranda.text import slash_command


def without_echoes(
    records: Mapping[str, Observation | Memory], query: str, where: SearchFilter
) -> dict[str, Observation | Memory]:
    """Return the records without those that only repeat the query.

    These are calls of Memoranda's own tools and commands, unless their tag is requested, and
    questions of a person that have the words of the query and no others. A question is kept if
    nothing else is found: it may be what the caller looks for.
    """
    with_recalled = RECALLED in where.tags
    query_words = words(query)
    others = {id: one for id, one in records.items() if with_recalled or not _is_own(one)}
    answers = {id: one for id, one in others.items() if not _asks(one, query_words)}
    return answers or others


def _is_own(one: Observation | Memory) -> bool:
    """Return whether a record is a call of Memoranda itself.

    Those that an earlier version stored have no tag.
    """
    if not isinstance(one, Observation):
        return False
    named = "memoranda" in (one.tool or "").lower() or RECALLED_OUTPUT in one.summary
    return RECALLED in one.tags or named


def _asks(one: Observation | Memory, query_words: list[str]) -> bool:
    if not isinstance(one, Observation):
        return False
    if one.type is not ObservationType.MESSAGE or one.origin is not Origin.HUMAN:
        return False
    first, _, rest = one.summary.partition("\n")
    name, text = slash_command(rest or first)
    return (bool(name) or text.rstrip().endswith("?")) and words(text) == query_words
