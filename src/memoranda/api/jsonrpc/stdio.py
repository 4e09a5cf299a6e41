"""JSON-RPC over two streams, framed by lines or by ``Content-Length``.

The format is detected from the start of a message; the response has the same format.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import BinaryIO

from memoranda.api.jsonrpc.requests import MAX_BODY

LENGTH = b"content-length:"
HEADERS = 20
"""Maximum number of header lines before a framed message."""
MAX_HEADER_LENGTH = 1_000
_PIECE = 65_536


@dataclass(frozen=True, slots=True)
class InputMessage:
    """A received message, at most one byte longer than the limit."""

    body: bytes
    framed: bool
    last: bool = False
    """Whether the start of the next message cannot be found."""


def serve(answer: Callable[[bytes], bytes | None], source: BinaryIO, sink: BinaryIO) -> None:
    """Process messages in order until the input ends or the output is closed.

    A message that is too long gets an error response and is skipped.
    """
    while (message := read(source)) is not None:
        reply = answer(message.body)
        if reply is not None:
            try:
                _write(sink, reply, framed=message.framed)
            except BrokenPipeError:
                return
        if message.last:
            return


def read(source: BinaryIO) -> InputMessage | None:
    """Return the next message, or None at the end; skip blank lines."""
    while line := source.readline(MAX_BODY + 2):
        if line[: len(LENGTH)].lower() == LENGTH:
            return _framed(line, source)
        body = line.strip()
        if len(body) > MAX_BODY and not line.endswith(b"\n"):
            _read_past_line(source)
        if body:
            return InputMessage(body[: MAX_BODY + 1], framed=False)
    return None


def _framed(first: bytes, source: BinaryIO) -> InputMessage:
    digits = first[len(LENGTH) :].strip()
    for _ in range(HEADERS):
        line = source.readline(MAX_HEADER_LENGTH)
        if not line.strip():
            break
    else:
        digits = b""
    if not (digits.isdigit() and len(digits) < 16):
        return InputMessage(b"", framed=True, last=True)
    length = int(digits)
    body = source.read(min(length, MAX_BODY + 1))
    _read_past(source, length - len(body))
    return InputMessage(body, framed=True)


def _read_past(source: BinaryIO, count: int) -> None:
    while count > 0 and (piece := source.read(min(count, _PIECE))):
        count -= len(piece)


def _read_past_line(source: BinaryIO) -> None:
    while (piece := source.readline(_PIECE)) and not piece.endswith(b"\n"):
        pass


def _write(sink: BinaryIO, reply: bytes, *, framed: bool) -> None:
    if framed:
        sink.write(b"Content-Length: %d\r\n\r\n%b" % (len(reply), reply))
    else:
        sink.write(reply + b"\n")
    sink.flush()
