"""Parsing of streamed JSON lines from a request body."""

from __future__ import annotations

from collections.abc import AsyncIterator

from memoranda.exceptions import TooLarge

LINE_BYTES = 1_000_000
"""Maximum bytes of one line, since it is in memory as a whole."""
MOST_LINES = 10_000
"""Maximum lines of one request.

Responses to all lines wait until the sender reads them.
"""


async def batches(chunks: AsyncIterator[bytes]) -> AsyncIterator[list[tuple[int, bytes]]]:
    """Yield the complete lines of each chunk, each with its number from 1.

    Empty lines are skipped.

    Raises:
        TooLarge: a line is too long, or there are too many; earlier lines were yielded.
    """
    rest, number = b"", 0
    async for chunk in chunks:
        *whole, rest = (rest + chunk).split(b"\n")
        if any(len(one) > LINE_BYTES for one in (*whole, rest)):
            raise TooLarge(
                f"a line may have {LINE_BYTES:,} bytes; line {number + 1} or so has more"
            )
        if found := _numbered(whole, number):
            yield found
        number += len(whole)
    if last := _numbered([rest], number):
        yield last


def _numbered(lines: list[bytes], before: int) -> list[tuple[int, bytes]]:
    if before + len(lines) > MOST_LINES + 1:
        raise TooLarge(f"a request may have {MOST_LINES:,} lines; send the rest in another")
    return [(n, one) for n, one in enumerate(lines, before + 1) if one.strip()]
