"""Critical facts found by a model, accepted only if they quote a passage."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import cast

from memoranda.compression.model import Passage
from memoranda.exceptions import BudgetExhausted, ModelAnswerUnusable, ModelUnavailable
from memoranda.json_data import JsonValue
from memoranda.model_request import ModelReply, ModelRequest
from memoranda.ports import LanguageModel, TokenCounter

OPERATION = "extract"
READ = 100_000
"""Number of characters read of passages, from their start."""
SHARE = 0.25
"""Fraction of the budget for the facts that were found.

Otherwise a text could fill the budget by declaring all of its content a fact.
"""
MAXIMUM = 60
_ANSWER = 4_000
SYSTEM = """You look for facts in notes about a piece of work: decisions, constraints, causes of \
errors and their fixes, values that were agreed on, outcomes. Each passage opens with its name \
such as 3#12. Quote the most important facts word for word, the shortest part of a sentence that \
says it whole, with its condition or denial, and name the passage of each. Leave out what is \
guessed, planned only, or said again later."""
SCHEMA: dict[str, JsonValue] = {
    "type": "object",
    "properties": {
        "facts": {
            "type": "array",
            "maxItems": MAXIMUM,
            "items": {
                "type": "object",
                "properties": {
                    "quote": {"type": "string", "minLength": 8, "maxLength": 300},
                    "ref": {"type": "string", "maxLength": 80},
                },
                "required": ["quote", "ref"],
                "additionalProperties": False,
            },
        }
    },
    "required": ["facts"],
    "additionalProperties": False,
}


class FactFinder:
    """Lets a model find the facts in passages that must be kept. Thread-safe."""

    def __init__(self, model: LanguageModel, counter: TokenCounter) -> None:
        self._model = model
        self._counter = counter

    def pinned(
        self, passages: Sequence[Passage], budget: int
    ) -> tuple[Sequence[Passage], int, str]:
        """Return passages with the found facts pinned, the cost, and any failure.

        The cost is in millionths of a dollar. On failure the passages are unchanged. Pinned facts
        take at most a quarter of the budget, in tokens.
        """
        if not passages:
            return passages, 0, ""
        question = ModelRequest(OPERATION, SYSTEM, _shown(passages), SCHEMA, _ANSWER)
        try:
            reply = self._model.answer(question)
        except BudgetExhausted as error:
            return passages, 0, f"{error.code}: {error}"
        except (ModelUnavailable, ModelAnswerUnusable) as error:
            return passages, error.cost, f"{error.code}: {error}"
        return self._with(passages, _quotes(reply), budget * SHARE), reply.cost, ""

    def _with(
        self, passages: Sequence[Passage], quotes: Sequence[tuple[str, str]], room: float
    ) -> list[Passage]:
        found: dict[str, list[str]] = {}
        texts = {passage.ref: passage.text for passage in passages}
        for ref, quote in quotes:
            room -= self._counter.count(quote)
            if room < 0:
                break
            if quote in texts.get(ref, ""):
                found.setdefault(ref, []).append(quote)
        return [
            replace(passage, pinned=(*passage.pinned, *found.get(passage.ref, ())))
            for passage in passages
        ]


def _shown(passages: Sequence[Passage]) -> str:
    shown, room = [], READ
    for passage in passages:
        part = f"{passage.ref} {passage.speaker}: {passage.text[:room]}"
        shown.append(part)
        room -= len(part)
        if room <= 0:
            break
    return "\n".join(shown)


def _quotes(reply: ModelReply) -> list[tuple[str, str]]:
    """Return the quotations in a valid answer, with their passages."""
    facts = cast("list[dict[str, str]]", reply.data["facts"])
    return [(fact["ref"], fact["quote"]) for fact in facts]
