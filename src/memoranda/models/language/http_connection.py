"""HTTP connection of provider clients, with filtered headers and limits.

The clients send data about this machine and its environment in headers, most of which are removed.
The key is added here, so that no client receives it.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping

import httpx2

from memoranda.exceptions import ModelAnswerUnusable
from memoranda.models.http_client import RetryPolicy
from memoranda.version import __version__

MAX_ANSWER_BYTES = 2_000_000
"""Maximum number of bytes read of a response."""
_KEPT = frozenset({"host", "content-length", "content-type", "anthropic-version", "connection"})

_EXTENSION = "memoranda"
"""Key under which a request stores the headers that its client reads later.

The headers are read when the response has arrived.
"""


def connection(
    name: str, headers: Mapping[str, str], patience: RetryPolicy, *, limit: int = MAX_ANSWER_BYTES
) -> httpx2.Client:
    """Return a client that sends only the passed headers and a few others.

    The client does not follow redirects.
    """
    own = {
        "Accept": "application/json",
        "Accept-Encoding": "identity",
        "User-Agent": f"memoranda/{__version__}",
        **headers,
    }

    def going_out(request: httpx2.Request) -> None:
        headers = {key: value for key, value in request.headers.items() if key in _KEPT}
        request.extensions[_EXTENSION] = request.headers
        request.headers = httpx2.Headers(headers | own)

    def coming_in(response: httpx2.Response) -> None:
        response.request.headers = response.request.extensions[_EXTENSION]
        if response.headers.get("content-encoding", "identity") != "identity":
            response.close()
            raise ModelAnswerUnusable(f"{name} sent a compressed answer, which was not requested")
        response.stream = _Capped(response.stream, name, limit, patience.timeout_seconds)

    return httpx2.Client(
        timeout=httpx2.Timeout(patience.timeout_seconds, connect=patience.connect_seconds),
        follow_redirects=False,
        event_hooks={"request": [going_out], "response": [coming_in]},
    )


class _Capped(httpx2.SyncByteStream):
    """Stream with limits on size and time."""

    def __init__(self, stream: object, name: str, limit: int, seconds: float) -> None:
        if not isinstance(stream, httpx2.SyncByteStream):
            raise TypeError("the response stream is not synchronous")
        self._stream = stream
        self._name = name
        self._longest = limit
        self._until = time.monotonic() + seconds

    def __iter__(self) -> Iterator[bytes]:
        size = 0
        for part in self._stream:
            size += len(part)
            if size > self._longest:
                raise ModelAnswerUnusable(
                    f"{self._name} answered more than {self._longest:,} bytes"
                )
            if time.monotonic() > self._until:
                raise httpx2.ReadTimeout("the answer takes too long")
            yield part

    def close(self) -> None:
        self._stream.close()
