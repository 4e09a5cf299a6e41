"""Rephrasing of a conversation's summary by a model, with verification.

A model rephrases the selected lines, each with the names of its messages. A result that loses or
adds a fact is rejected.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence

from memoranda.compression.extract.formatter import rendered
from memoranda.compression.model import CompressedLine, CompressedText, Passage, PassageSpeaker
from memoranda.compression.rewriter import RewritingCompressor
from memoranda.conversations.model import MessageRole
from memoranda.ports import LanguageModel, TokenCounter
from memoranda.scope import Scope
from memoranda.text import text_lines

_LINE = re.compile(rf"\[({'|'.join(MessageRole)}) ([^\]\s]+)\] (.*)")
_LABELLED = re.compile(rf"(\S+(?: \S+)*?) ({'|'.join(MessageRole)}): (.*)")


class SummaryRewriter:
    """Rephrases summaries with a model, if one is configured. Thread-safe."""

    def __init__(
        self, models: Callable[[Scope], LanguageModel | None], counter: TokenCounter
    ) -> None:
        self._models = models
        self._counter = counter

    def rewrite(self, scope: Scope, summary: str) -> str:
        """Return a summary rephrased by a model, never longer than the original."""
        model, lines = self._models(scope), list(_lines(summary))
        if model is None or not lines:
            return summary
        passages = [Passage(line.ref, line.speaker, line.text) for line in lines]
        selected = _Selected(lines, self._counter)
        compressed_text = RewritingCompressor(selected, model, self._counter).compress(passages, 0)
        text = (
            summary
            if compressed_text.method == selected.METHOD
            else "\n".join(_written(compressed_text.text))
        )
        return text if self._counter.count(text) <= self._counter.count(summary) else summary


class _Selected:
    """Compressor that returns lines that have already been selected."""

    METHOD = "selected"

    def __init__(self, lines: Sequence[CompressedLine], counter: TokenCounter) -> None:
        text = rendered(lines, ())
        tokens = counter.count(text)
        self._text = CompressedText(text, tokens, tokens, tuple(lines), (), 0, 0, self.METHOD)

    def compress(
        self,
        passages: Sequence[Passage],
        budget: int,
        *,
        earlier: Sequence[CompressedLine] = (),
        query: str | None = None,
        critical: int = 0,
    ) -> CompressedText:
        """Return the selected lines."""
        return self._text


def _lines(summary: str) -> Iterator[CompressedLine]:
    for line in text_lines(summary):
        if match := _LINE.fullmatch(line):
            yield CompressedLine(match[2], PassageSpeaker(match[1]), match[3])


def _written(text: str) -> Iterator[str]:
    """Yield the lines of a model's answer in the format of a summary."""
    before = ""
    for line in text_lines(text):
        match = _LABELLED.fullmatch(line)
        if match:
            before = f"[{match[2]} {','.join(match[1].split())}]"
        yield f"{before} {match[3] if match else line.strip()}".strip()
