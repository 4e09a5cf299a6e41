"""Extractive summary of a conversation: its most informative sentences.

A sentence is weighted by the facts that the summary does not contain yet. The result is
deterministic: equal messages give equal summaries. A line contains text of one message, after its
role and short name; an ellipsis marks omitted text between two sentences.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from memoranda.conversations.model import Message, MessageRole
from memoranda.conversations.sentence_weights import facts, pieces, weight
from memoranda.language.text_overlap import BestFirst
from memoranda.ports import TokenCounter
from memoranda.statements.assertions import Rank, assertions, narrates, rank, rows, thinks_aloud
from memoranda.text import text_lines

GAP = " \u2026 "
_LINE = re.compile(rf"(\[(?:{'|'.join(MessageRole)}) [^\]\s]+\]) (.*)")
_UNSPACED = "\u3002\uff01\uff1f"
"""Sentence-ending characters that are not followed by a space."""

CARRIED = 1.5
"""Factor for a sentence of the previous summary.

Such a sentence was selected from more text than the new sentences.
"""
PERSON = 1.4
"""Factor for a person's sentence relative to an agent's sentence."""
FEW_ALIKE = 12
"""Maximum number of pieces differing only in digits that count as statements."""
SCRAP, IDLE = 0.1, 0.3
"""Weight of a fragment or a repetition, and maximum weight of thinking aloud."""
ASSERTED = {Rank.REQUIREMENT: 1.1, Rank.DECISION: 1.1, Rank.VALUE: 1.0, Rank.REMARK: 0.25}
"""Weight of a sentence by its rank."""
TELLING = 0.15
"""Increase of a piece's weight per unit of weight of its new facts."""
REPEATED = 0.2
"""Share of its weight that a piece keeps if it adds only ordinary terms."""
_DIGITS = re.compile(r"\d+")
JOINT = 2
"""Maximum number of tokens between two pieces on a line."""


@dataclass(frozen=True, slots=True)
class _SummaryLine:
    """A line that the summary may contain: the pieces of one message."""

    label: str
    """Author and short name of the message; empty if unknown."""
    pieces: tuple[str, ...]
    places: tuple[int, ...]
    """Position of each piece; adjacent pieces have consecutive numbers."""
    clipped: bool
    weight: float


class FactSummariser:
    """Summariser that selects sentences by facts per token. Thread-safe."""

    def __init__(self, counter: TokenCounter) -> None:
        self._counter = counter

    def summarise(self, earlier: str, messages: Sequence[Message], limit_tokens: int) -> str:
        """Return a summary of an earlier summary and the messages after it.

        The summary has at most ``limit_tokens`` tokens. Every line is taken from the input, in the
        order of the conversation.
        """
        lines = [*map(_carried, text_lines(earlier)), *map(_summary_line, messages)]
        choice = _Choice(lines, self._counter)
        room, text = limit_tokens, ""
        # a complete text has fewer tokens than its parts together, so some budget is left
        while choice.fill(room):
            text = choice.text()
            room = limit_tokens - self._counter.count(text)
        while room < 0:
            choice.drop_last()
            text = choice.text()
            room = limit_tokens - self._counter.count(text)
        return text


class _Choice:
    """Current selection of pieces.

    A piece is identified by the number of its line and its own number within the line.
    """

    def __init__(self, lines: Sequence[_SummaryLine], counter: TokenCounter) -> None:
        self._lines = lines
        self._pieces = [(n, p) for n, line in enumerate(lines) for p in range(len(line.pieces))]
        texts = [lines[n].pieces[p] for n, p in self._pieces]
        self._facts = [facts(text) for text in texts]
        self._costs = [count + JOINT for count in counter.count_many(texts)]
        self._labels = counter.count_many([f"{line.label} \n" for line in lines])
        patterns = [_DIGITS.sub("#", text) for text in texts]
        counts = Counter(patterns)
        self._weights = [
            _weight(lines[n], text, counts[pattern] > FEW_ALIKE)
            for (n, _), text, pattern in zip(self._pieces, texts, patterns, strict=True)
        ]
        self._whole = [weight(fact.values()) for fact in self._facts]
        self._covered: set[str] = set()
        self._taken: Counter[int] = Counter()
        self._order: list[int] = []

    def fill(self, room: int) -> bool:
        """Select pieces by gain while any fits; return whether any was selected.

        Further pieces of an already selected line cost less; their cost is updated when they are
        examined.
        """
        before = len(self._order)
        densities = ((at, self._density(at)) for at in range(len(self._pieces)))
        for at, density in BestFirst(self._density, densities):
            cost = self._cost(at)
            if density > 0 and cost <= room:
                room -= cost
                self._take(at)
        return len(self._order) > before

    def _density(self, at: int) -> float:
        """Return the current gain of a piece per token."""
        new = weight(kind for fact, kind in self._facts[at].items() if fact not in self._covered)
        if not new:
            return 0.0
        share = REPEATED + (1 - REPEATED) * new / self._whole[at]
        return self._weights[at] * share * (1 + TELLING * new) / self._cost(at)

    def _cost(self, at: int) -> int:
        line = self._pieces[at][0]
        return self._costs[at] + (0 if self._taken[line] else self._labels[line] + JOINT)

    def _take(self, at: int) -> None:
        self._covered.update(self._facts[at])
        self._taken[self._pieces[at][0]] += 1
        self._order.append(at)

    def drop_last(self) -> None:
        """Remove the last selected piece."""
        self._order.pop()

    def text(self) -> str:
        """Render the selection."""
        chosen: dict[int, list[int]] = {}
        for at in sorted(self._order):
            number, piece = self._pieces[at]
            chosen.setdefault(number, []).append(piece)
        return "\n".join(
            _rendered(self._lines[n], chosen_pieces) for n, chosen_pieces in chosen.items()
        )


def _weight(line: _SummaryLine, text: str, repeated: bool) -> float:
    """Return the weight of a piece by its statement and its author."""
    assertion = None if repeated else _asserted(text)
    if assertion is None:
        return line.weight * SCRAP
    score = ASSERTED[rank(assertion)]
    if thinks_aloud(assertion) or (
        line.label.startswith(f"[{MessageRole.ASSISTANT} ") and narrates(assertion)
    ):
        score = min(score, IDLE)
    return line.weight * score


def _asserted(text: str) -> str | None:
    """Return the statement that a piece contains, or None.

    The piece may be prose, a comment, a log line or a table row.
    """
    for printed in (False, True):
        if assertion := next(assertions(text, printed=printed), None):
            return assertion
    return next(rows(text), None)


def _summary_line(message: Message) -> _SummaryLine:
    texts = tuple(pieces(message.content))
    weight = 1.0 if message.role is MessageRole.ASSISTANT else PERSON
    label = f"[{message.role} {message.ref}]"
    clipped = message.content.endswith(GAP.strip())
    return _SummaryLine(label, texts, tuple(range(len(texts))), clipped, weight)


def _carried(line: str) -> _SummaryLine:
    """Parse a line of a summary into its parts."""
    mark = _LINE.fullmatch(line)
    label, text = (mark[1], mark[2]) if mark else ("", line)
    placed = list(_placed(text.removesuffix(GAP.rstrip())))
    weight = CARRIED * (1.0 if label.startswith(f"[{MessageRole.ASSISTANT} ") else PERSON)
    return _SummaryLine(
        label,
        tuple(piece for _, piece in placed),
        tuple(place for place, _ in placed),
        text.endswith(GAP.strip()),
        weight,
    )


def _placed(text: str) -> Iterator[tuple[int, str]]:
    """Yield pieces with their positions.

    Positions on both sides of a gap are not consecutive.
    """
    place = 0
    for part in text.split(GAP):
        for piece in pieces(part):
            yield place, piece
            place += 1
        place += 1


def _rendered(line: _SummaryLine, numbers: Sequence[int]) -> str:
    """Render a line so that parsing returns the same pieces."""
    runs: list[list[str]] = []
    before = -2
    for at in numbers:
        piece, follows = line.pieces[at], line.places[at] == before + 1
        if follows and _parted_again([*runs[-1], piece]):
            runs[-1].append(piece)
        else:
            runs.append([piece])
        before = line.places[at]
    text = GAP.join(" ".join(run) for run in runs)
    if line.clipped and not text.endswith(GAP.strip()):
        text += GAP.rstrip()
    return f"{line.label} {text}" if line.label else text


def _parted_again(run: Sequence[str]) -> bool:
    spaced = all(piece[-1] not in _UNSPACED for piece in run[:-1])
    return spaced and pieces(" ".join(run)) == list(run)
