"""Lines of JSON that come in as somebody sends them."""

from __future__ import annotations

from collections.abc import AsyncIterator

from memoranda.exceptions import TooLarge

LINE_BYTES = 1_000_000
"""Of one line; more would have to be held whole."""
MOST_LINES = 10_000
"""Of one request, since an answer waits for each until the sender listens."""


async def batches(chunks: AsyncIterator[bytes]) -> AsyncIterator[list[tuple[int, bytes]]]:
    """Give the lines that came whole together, each with its number from 1; empty ones are left
    out.

    Raises:
        TooLarge: a line is too long, or there are too many; those before were given.
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
