"""Rewriting of an extract by a model, which must keep the meaning."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, cast

from memoranda.compression.critical_facts import critical_facts
from memoranda.compression.extract.formatter import rendered
from memoranda.compression.extract.sample import sample_limit, sampled
from memoranda.compression.model import CompressedLine, CompressedText, Passage, Quality
from memoranda.compression.model_facts import FactFinder
from memoranda.compression.quality import quality
from memoranda.compression.verification import Rewrite, RewriteEvidence
from memoranda.exceptions import BudgetExhausted, ModelAnswerUnusable, ModelUnavailable
from memoranda.json_data import JsonValue
from memoranda.model_request import ModelReply, ModelRequest
from memoranda.ports import Compressor, LanguageModel, TokenCounter
from memoranda.text import normalise, one_line, visible

OPERATION = "compress"
SMALL = 120
"""Minimum number of tokens in an extract; rephrasing fewer tokens is not worth a call."""
SYSTEM = """You put notes about a piece of work into fewer words, for somebody who will go on with \
it. Each line of the text opens with a name such as 3#12 and with who said it; a line that opens \
with a space goes on from the one before.

Write short plain lines. Keep every number with its unit, name, path, identifier, version, error \
and quotation exactly as it is written. What is denied or forbidden stays denied, in the same \
words; what holds only under a condition keeps the condition (if, unless, until, only, before). \
Never put what different speakers said into one line. Add nothing: no advice, no conclusion, no \
comment. Leave out greetings, repetitions and filler. With each line give the names of the lines \
that it stands for, in their order."""
SCHEMA: dict[str, JsonValue] = {
    "type": "object",
    "properties": {
        "lines": {
            "type": "array",
            "minItems": 1,
            "maxItems": 500,
            "items": {
                "type": "object",
                "properties": {
                    "text": {"type": "string", "minLength": 1, "maxLength": 2_000},
                    "refs": {
                        "type": "array",
                        "minItems": 1,
                        "maxItems": 20,
                        "items": {"type": "string", "maxLength": 80},
                    },
                },
                "required": ["text", "refs"],
                "additionalProperties": False,
            },
        }
    },
    "required": ["lines"],
    "additionalProperties": False,
}


class RewritingCompressor:
    """Compressor that lets a model rephrase another's result. Thread-safe.

    The lines of a result are always the selected ones, and only its text has the model's wording,
    so that no rewrite is based on another. If the model's wording is rejected, the text is that of
    the other compressor, and ``declined`` contains the reason.
    """

    def __init__(
        self,
        extract: Compressor,
        model: LanguageModel,
        counter: TokenCounter,
        facts: FactFinder | None = None,
    ) -> None:
        """Create the compressor.

        With a fact finder, facts are searched for first, and kept verbatim.
        """
        self._extract = extract
        self._model = model
        self._counter = counter
        self._facts = facts

    def compress(
        self,
        passages: Sequence[Passage],
        budget: int,
        *,
        earlier: Sequence[CompressedLine] = (),
        query: str | None = None,
        critical: int = 0,
    ) -> CompressedText:
        """Return compressed passages, in a model's wording if it is equivalent."""
        cost, trouble = 0, ""
        if self._facts is not None:
            passages, cost, trouble = self._facts.pinned(passages, budget)
        chosen = self._extract.compress(
            passages, budget, earlier=earlier, query=query, critical=critical
        )
        chosen = replace(chosen, cost=cost, declined=trouble)
        current = [line for line in chosen.lines if not line.outdated]
        if chosen.tokens < SMALL or not current:
            return replace(chosen, declined=trouble or "too short to be rephrased")
        try:
            reply = self._model.answer(self._question(chosen, current))
        except BudgetExhausted as error:
            return replace(chosen, declined=f"{error.code}: {error}")
        except (ModelUnavailable, ModelAnswerUnusable) as error:
            return replace(chosen, cost=cost + error.cost, declined=f"{error.code}: {error}")
        chosen = replace(chosen, cost=cost + reply.cost)
        return self._checked(chosen, current, passages, reply)

    def _question(self, chosen: CompressedText, current: Sequence[CompressedLine]) -> ModelRequest:
        # The names and braces of the JSON take about as many tokens as the words.
        room = 3 * chosen.tokens + 200
        return ModelRequest(OPERATION, SYSTEM, rendered(current, ()), SCHEMA, room)

    def _checked(
        self,
        chosen: CompressedText,
        current: Sequence[CompressedLine],
        passages: Sequence[Passage],
        reply: ModelReply,
    ) -> CompressedText:
        evidence = RewriteEvidence(current, _sources(passages, current))
        rewrites = _rewrites(reply)
        if fault := evidence.fault(rewrites):
            return replace(chosen, declined=f"{self._model.name}: {fault}")
        pinned = [part for passage in passages for part in passage.pinned]
        verbatim = evidence.missing(rewrites, pinned)
        places = {line.ref: place for place, line in reversed(list(enumerate(chosen.lines)))}
        placed = [
            (
                places[rewrite.refs[0]],
                CompressedLine(" ".join(rewrite.refs), evidence.speaker(rewrite), rewrite.text),
            )
            for rewrite in rewrites
        ]
        facts = critical_facts(passages)
        before = quality(passages, chosen, facts)
        other = self._printed(chosen, placed, verbatim)
        if lost := _lost(before, quality(passages, other, facts)):
            verbatim += [
                line for line in current if line not in verbatim and _states_any(line, lost)
            ]
            other = self._printed(chosen, placed, verbatim)
        after = quality(passages, other, facts)
        if after.kept < before.kept or after.contradictions > before.contradictions:
            return replace(
                chosen, declined=f"{self._model.name}: the rewritten summary keeps fewer facts"
            )
        if other.tokens >= chosen.tokens:
            return replace(
                chosen, declined=f"{self._model.name}: the rewritten summary is not shorter"
            )
        return replace(other, lines=chosen.lines, kept=_count_retained(chosen, pinned, other.text))

    def _printed(
        self,
        chosen: CompressedText,
        placed: Sequence[tuple[int, CompressedLine]],
        verbatim: Sequence[CompressedLine],
    ) -> CompressedText:
        """Return new lines, each with its position, and the unchanged ones."""
        stay = [
            (place, line)
            for place, line in enumerate(chosen.lines)
            if line.outdated or line in verbatim
        ]
        ordered = sorted([*stay, *placed], key=lambda one: one[0])
        lines = tuple(line for _, line in ordered)
        text = rendered(lines, chosen.values)
        tokens = self._counter.count(text)
        return replace(chosen, text=text, tokens=tokens, lines=lines, method=self._model.name)


def _rewrites(reply: ModelReply) -> list[Rewrite]:
    """Return the lines in a valid answer."""
    lines = cast("list[dict[str, Any]]", reply.data["lines"])
    return [
        Rewrite(one_line(visible(normalise(line["text"]))), tuple(dict.fromkeys(line["refs"])))
        for line in lines
    ]


def _sources(passages: Sequence[Passage], current: Sequence[CompressedLine]) -> dict[str, str]:
    """Return the sources of lines, with the counts shown to the model.

    A count is how often a line occurred.
    """
    times: dict[str, str] = {}
    for line in current:
        times[line.ref] = f"{times.get(line.ref, '')}\n{line.times}"
    most = sample_limit(len(passages))
    return {
        passage.ref: sampled(normalise(passage.text), most) + times[passage.ref]
        for passage in passages
        if passage.ref in times
    }


def _lost(before: Quality, after: Quality) -> set[str]:
    """Return the facts that only the second text has lost."""
    return set(after.lost) - set(before.lost)


def _states_any(line: CompressedLine, facts: set[str]) -> bool:
    return any(line.text in fact or fact in line.text for fact in facts)


def _count_retained(chosen: CompressedText, pinned: Sequence[str], text: str) -> int:
    return min(chosen.kept, sum(part in text for part in pinned)) if pinned else chosen.kept
