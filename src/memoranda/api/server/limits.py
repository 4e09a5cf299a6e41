"""Limits of a server: host names, origins, sizes, rates and times."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

LOCAL_NAMES = ("127.0.0.1", "localhost", "[::1]")
"""Host names by which this machine refers to itself."""
MEGABYTE = 1_000_000
HEAD_BYTES = 32_768
"""Maximum size of the head of a request."""


@dataclass(frozen=True, slots=True)
class ServerOptions:
    """Limits of one server process; sizes in bytes, times in seconds."""

    hosts: frozenset[str]
    """Allowed Host headers, in lower case, with the port unless it is 80."""
    origins: frozenset[str] = frozenset()
    """Allowed Origin headers, for requests that have one."""
    streams: frozenset[str] = frozenset()
    """Paths that also accept JSON lines and archives, which may be larger.

    The media type of JSON lines is application/x-ndjson.
    """
    body_bytes: int = 80 * MEGABYTE
    stream_bytes: int = 100 * MEGABYTE
    buffered_bytes: int = 200 * MEGABYTE
    """Maximum total size of all request bodies that are being read or waiting."""
    body_seconds: float = 30.0
    """How long a body may take to arrive; for a stream, the maximum pause."""
    rate: float = 500.0
    """Sustained requests per second of one caller."""
    burst: float = 1_000.0
    """Number of requests that one caller may send at once before that rate applies."""
    failures: float = 20.0
    """Number of wrong keys or tokens that one address may send at once.

    After that, one wrong key or token in 6 seconds is allowed.
    """
    at_work: int = 24
    """Maximum number of requests that are processed at the same time."""
    waiting: int = 200
    """Maximum number of requests in the queue; further requests are refused."""
    wait_seconds: float = 10.0
    """How long a request waits in the queue before it is refused."""
    events: int = 200
    """Maximum number of event streams that are open at the same time."""
    write_seconds: float = 30.0
    """How long a caller may leave part of a response unread."""


def local_hosts(port: int) -> frozenset[str]:
    """Return the Host headers of requests from this machine to itself."""
    with_port = {f"{name}:{port}" for name in LOCAL_NAMES}
    return frozenset(with_port | (set(LOCAL_NAMES) if port == 80 else set()))


def local_origins(port: int) -> frozenset[str]:
    """Return the origins of this server's own pages on this machine."""
    return frozenset(f"http://{host}" for host in local_hosts(port))


def exact(names: Iterable[str]) -> frozenset[str]:
    """Return names in the form used for comparison."""
    return frozenset(name.strip().lower().rstrip("/") for name in names)
