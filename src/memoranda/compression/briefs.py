"""Brief of a task: the most important lines within a token limit."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Sequence
from typing import TypeAlias

from memoranda.compression import table as compressions
from memoranda.compression.critical_facts import by_weight, critical_facts
from memoranda.compression.extract.formatter import METHOD, rendered
from memoranda.compression.model import (
    CompressedLine,
    CompressedText,
    Compression,
    Passage,
    PassageSpeaker,
)
from memoranda.exceptions import InvalidInput
from memoranda.ports import TokenCounter
from memoranda.quarantine import table as quarantine
from memoranda.scope import Scope
from memoranda.store.database import Database, Transaction

MAX_TOKENS = 1_000_000
"""Maximum number of tokens of a brief."""
_RANKS = {PassageSpeaker.USER: 0, PassageSpeaker.ASSISTANT: 1}

Ranked: TypeAlias = Callable[[Sequence[CompressedLine], str | None], Sequence[int]]
"""Function that ranks lines and returns their positions in order.

With a query, the lines that answer it come first.
"""


class Briefs:
    """Service that describes tasks with the summaries of their stages."""

    def __init__(self, database: Database, ranked: Ranked, counter: TokenCounter) -> None:
        self._database = database
        self._ranked = ranked
        self._counter = counter

    def brief(
        self, scope: Scope, task: str, tokens: int, query: str | None = None
    ) -> CompressedText:
        """Return a summary of a task within a token limit.

        The summary consists of the most important lines of all summaries of the task's stages, in
        chronological order.

        Raises:
            InvalidInput: the limit is out of range.
        """
        if not 1 <= tokens <= MAX_TOKENS:
            raise InvalidInput(f"a brief must have 1 to {MAX_TOKENS:,} tokens, not {tokens:,}")
        found, summaries = self._database.read(lambda tx: _summaries(tx, scope.team, task))
        parts = [compression for compression in found if compression.stage]
        lines = [line for item in parts for line in item.lines if line.ref not in summaries]
        order = self._ranked(lines, query) if query else _critical_first(lines, self._ranked)

        def text(count: int) -> str:
            return rendered([lines[place] for place in sorted(order[:count])], ())

        most = bisect_right(
            range(1, len(lines) + 1), tokens, key=lambda count: self._counter.count(text(count))
        )
        chosen = tuple(lines[place] for place in sorted(order[:most]))
        pinned = sum(line.pinned for line in lines)
        return CompressedText(
            text=text(most),
            tokens=self._counter.count(text(most)),
            source_tokens=sum(part.source_tokens for part in parts),
            lines=chosen,
            values=(),
            pinned=pinned,
            kept=sum(line.pinned for line in chosen),
            method=METHOD,
        )


def _critical_first(lines: Sequence[CompressedLine], ranked: Ranked) -> list[int]:
    """Return the positions of lines, starting with those with critical facts.

    Within each group, the lines with the highest rank come first.
    """
    passages = [Passage(str(at), line.speaker, line.text) for at, line in enumerate(lines)]
    critical = by_weight([fact for fact in critical_facts(passages) if fact.stated])
    places = sorted((int(item.ref) for item in critical), key=lambda at: _speaker_order(lines[at]))
    return list(dict.fromkeys([*places, *ranked(lines, None)]))


def _speaker_order(line: CompressedLine) -> int:
    """Return the rank of a line's speaker: people, then agents, then tools.

    Tool output comes last because no one stated that it applies to the task.
    """
    return _RANKS.get(line.speaker, len(_RANKS))


def _summaries(tx: Transaction, team: str, task: str) -> tuple[list[Compression], set[str]]:
    """Return a task's summaries, and their parts that were later quarantined."""
    found = compressions.listed(tx, team, task)
    if not quarantine.any_quarantined(tx, team):
        return found, set()
    return found, quarantine.quarantined_refs(
        tx, team, {line.ref for compression in found for line in compression.lines}
    )
