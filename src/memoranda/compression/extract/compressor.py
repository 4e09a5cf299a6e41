"""Extractive compressor: selects sentences, clauses and lines verbatim.

Deterministic: equal passages give equal text. No model is used.
"""

from __future__ import annotations

from collections.abc import Sequence

from memoranda.compression.critical_facts import Fact, by_weight, critical_facts
from memoranda.compression.extract.draft import SummaryDraft
from memoranda.compression.extract.formatter import METHOD
from memoranda.compression.extract.passage_statistics import Corpus
from memoranda.compression.extract.reference_frequencies import table
from memoranda.compression.extract.sample import sample_limit
from memoranda.compression.extract.unit_splitter import clean, split_units
from memoranda.compression.model import CompressedLine, CompressedText, Passage
from memoranda.ports import TokenCounter
from memoranda.text import normalise


class ExtractCompressor:
    """Compressor that selects sentences, clauses and lines. Thread-safe."""

    def __init__(self, counter: TokenCounter) -> None:
        self._counter = counter

    def compress(
        self,
        passages: Sequence[Passage],
        budget: int,
        *,
        earlier: Sequence[CompressedLine] = (),
        query: str | None = None,
        critical: int = 0,
        facts: Sequence[Fact] | None = None,
    ) -> CompressedText:
        """Compress an earlier result and new passages to a token budget.

        Critical facts may take ``critical`` tokens if that is more than the budget.

        A line consists of words of one passage in their order, with an ellipsis where words were
        left out. Of a passage of more than 200,000 characters, only the ends, lines about problems
        and one line of each pattern are read, and its tokens are estimated from its ends; pinned
        parts are always kept. Takes about 0.3 seconds for 25,000 tokens. ``facts`` are the critical
        facts of the passages and the result, if the caller already has them.
        """
        stage = Corpus.of(split_units(passages, earlier), table())
        if facts is None:
            facts = critical_facts([*passages, *map(_passage, earlier)])
        draft = SummaryDraft(stage, self._counter, query, by_weight(facts))
        lines, values, text = draft.fit(budget, critical)
        wanted = _required_texts(passages, earlier)
        retained = [
            any(ref == line.ref and part in line.text for line in lines) for ref, part in wanted
        ]
        return CompressedText(
            text=text,
            tokens=self._counter.count(text),
            source_tokens=self._source_tokens(passages, earlier),
            lines=tuple(lines),
            values=tuple(values),
            pinned=len(wanted),
            kept=sum(retained),
            method=METHOD,
        )

    def _source_tokens(self, passages: Sequence[Passage], earlier: Sequence[CompressedLine]) -> int:
        most = sample_limit(len(passages))
        texts = [normalise(passage.text) for passage in passages]
        read = [_ends(text, most) for text in texts]
        counts = self._counter.count_many(read)
        token_counts = self._counter.count_many([normalise(line.text) for line in earlier])
        return sum(token_counts) + sum(
            count if text is part else count * len(text) // max(1, len(part))
            for count, text, part in zip(counts, texts, read, strict=True)
        )


def _passage(line: CompressedLine) -> Passage:
    return Passage(line.ref, line.speaker, line.text)


def _ends(text: str, most: int) -> str:
    """Return a text, or the ends of a long one, to estimate its tokens."""
    return text if len(text) <= most else text[: most // 2] + text[-(most // 2) :]


def _required_texts(
    passages: Sequence[Passage], earlier: Sequence[CompressedLine]
) -> set[tuple[str, str]]:
    """Return the texts that must be kept, with their source's name."""
    parts = {(passage.ref, clean(part)) for passage in passages for part in passage.pinned}
    lines = {(line.ref, clean(line.text)) for line in earlier if line.pinned}
    return {(ref, part) for ref, part in parts | lines if part}
