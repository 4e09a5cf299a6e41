"""Parser for the output of coding agents run without a terminal."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from memoranda.costs.model import DOLLAR
from memoranda.exceptions import InvalidInput
from memoranda.json_data import parse_json
from memoranda.model_request import TokenUsage
from memoranda.models.language import answer_reader as reading
from memoranda.text import text_lines


class ProgramOutcome:
    """Result of a program: a text or an error, and its usage."""

    __slots__ = ("complaint", "cut", "model", "session", "text", "usage")

    def __init__(
        self,
        text: str | None = None,
        *,
        complaint: str = "",
        usage: TokenUsage | None = None,
        model: str = "",
        cut: bool = False,
        session: str = "",
    ) -> None:
        self.text = text
        self.complaint = complaint
        self.usage = usage
        self.model = model
        self.cut = cut
        """Whether the answer is truncated."""
        self.session = session


def printed_object(body: bytes) -> dict[str, Any]:
    """Return the JSON object in printed output; empty if there is none."""
    at = body.find(b"{")
    try:
        found = parse_json(body[at : body.rfind(b"}") + 1]) if at >= 0 else None
    except InvalidInput:
        return {}
    return found if isinstance(found, dict) else {}


def printed_events(out: bytes) -> Iterator[dict[str, Any]]:
    """Yield the JSON objects of printed output, one per line."""
    for line in out.split(b"\n"):
        if result := printed_object(line):
            yield result


def member(value: object, *names: str) -> Any:
    """Return a nested member of a JSON value; None if there is none."""
    for name in names:
        value = value.get(name) if isinstance(value, dict) else None
    return value


def error_message(error: object) -> str:
    """Return the message of an error, which may itself be JSON."""
    message = str(member(error, "message") or "")
    inner = printed_object(message.encode())
    return str(member(inner, "error", "message") or inner.get("detail") or message)


def last_line(err: bytes) -> str:
    """Return the last line with content."""
    lines = [line.strip() for line in text_lines(err.decode("utf-8", "replace")) if line.strip()]
    return lines[-1] if lines else ""


def model_names(models: object) -> str:
    """Return the names of the models that answered, if they are reported."""
    return "+".join(sorted(map(str, models))) if isinstance(models, dict) else ""


def micro_dollars(cost: object) -> int | None:
    """Return millionths of a dollar, rounded up; None for an invalid cost."""
    if isinstance(cost, bool) or not isinstance(cost, int | float) or not 0 <= cost < 1e6:
        return None
    return -int(-cost * DOLLAR // 1)


def total_usage(
    used: list[Any], read: tuple[str, ...], written: tuple[str, ...], cached: str, cost: int | None
) -> TokenUsage | None:
    """Return the total usage of a program's models.

    The result is None if no usage can be parsed.
    """
    sums = [0, 0, 0]
    for item in used:
        taken, counts = reading.tokens(item, *read), reading.tokens(item, *written)
        if taken is None or counts is None:
            return None
        sums[0] += taken
        sums[1] += counts
        sums[2] += reading.tokens(item, cached) or 0
    if not used:
        return TokenUsage(0, 0, 0, cost) if cost == 0 else None
    return TokenUsage(sums[0], sums[1], min(sums[2], sums[0]), cost)
