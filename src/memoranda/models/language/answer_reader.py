"""Strict parser of a model's answer: all of it is accepted or rejected."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from memoranda.exceptions import InvalidInput, ModelAnswerUnusable
from memoranda.json_data import JsonValue, parse_json
from memoranda.model_request import ModelRequest, TokenUsage
from memoranda.models.language.schema import schema_errors

MAX_TOKENS = 1 << 40
"""Maximum plausible usage; a larger value is invalid."""
_THOUGHT = re.compile(r"\A\s*<think>.*?</think>", re.DOTALL)
_BLOCK = re.compile(r"```(?:json)?\s*\n(.*?)\n\s*```", re.DOTALL)


def envelope(body: bytes, name: str) -> dict[str, JsonValue]:
    """Parse the response of a provider as an object.

    Raises:
        ModelAnswerUnusable: the response is not a JSON object.
    """
    try:
        result = parse_json(body)
    except InvalidInput:
        raise ModelAnswerUnusable(f"{name} did not answer with JSON") from None
    if not isinstance(result, dict):
        raise ModelAnswerUnusable(f"{name} did not answer with an object")
    return result


def data(
    text: object, question: ModelRequest, name: str, usage: TokenUsage | None
) -> dict[str, JsonValue]:
    """Return the data of an answer in the format its query requires.

    Text around a single JSON object, which models without schema support write, is ignored.

    Raises:
        ModelAnswerUnusable: the answer is empty, is not JSON, or does not match the schema.
    """
    if not isinstance(text, str) or not text.strip():
        raise ModelAnswerUnusable(f"{name} returned an empty answer", usage=usage)
    try:
        found = parse_json(_object_in(text))
    except InvalidInput as error:
        raise ModelAnswerUnusable(f"{name} answered what is {error}", usage=usage) from None
    return validated(found, question, name, usage)


def validated(
    found: Any, question: ModelRequest, name: str, usage: TokenUsage | None
) -> dict[str, JsonValue]:
    """Return data after validation against a query's schema.

    Raises:
        ModelAnswerUnusable: the data violate the schema.
    """
    if wrong := next(schema_errors(found, question.schema), None):
        raise ModelAnswerUnusable(f"{name} returned no valid answer: {wrong}", usage=usage)
    checked: dict[str, JsonValue] = found
    return checked


def tokens(usage: object, *names: str) -> int | None:
    """Return the sum of usage members; None if one is not a number.

    A nested member is named ``one.two``. Missing or null members count as 0, except the first.
    """
    found = [_member(usage, name) for name in names]
    if found[0] is None or not all(
        number is None or (type(number) is int and 0 <= number <= MAX_TOKENS) for number in found
    ):
        return None
    return sum(number or 0 for number in found)


def usage_of(read: int | None, written: int | None, cached: int | None) -> TokenUsage | None:
    """Return a usage; None if part of it is unknown."""
    if read is None or written is None:
        return None
    return TokenUsage(read, written, min(cached or 0, read))


def _member(value: object, name: str) -> Any:
    for part in name.split("."):
        value = value.get(part) if isinstance(value, Mapping) else None
    return value


def _object_in(text: str) -> str:
    answer = _THOUGHT.sub("", text).strip()
    if answer.startswith("{"):
        return answer
    blocks = _BLOCK.findall(answer)
    if len(blocks) == 1:
        return str(blocks[0])
    start, end = answer.find("{"), answer.rfind("}")
    return answer[start : end + 1] if 0 <= start < end else answer
