"""What a server lets in, and how much of it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

LOCAL_NAMES = ("127.0.0.1", "localhost", "[::1]")
"""Under which names this machine knows itself."""
MEGABYTE = 1_000_000
HEAD_BYTES = 32_768
"""How long the head of a request may be."""


@dataclass(frozen=True, slots=True)
class ServerOptions:
    """The limits of one server process. Sizes are bytes, times are seconds."""

    hosts: frozenset[str]
    """What a Host header may be, in lower case, with the port where it is not 80."""
    origins: frozenset[str] = frozenset()
    """What an Origin header may be, if there is one."""
    streams: frozenset[str] = frozenset()
    """Paths that also take lines of JSON (application/x-ndjson) and archives, and more of them."""
    body_bytes: int = 80 * MEGABYTE
    stream_bytes: int = 100 * MEGABYTE
    held_bytes: int = 200 * MEGABYTE
    """Bodies of all requests that are being read or wait, together."""
    body_seconds: float = 30.0
    """How long a body may take to arrive; that of a stream, how long it may pause."""
    rate: float = 500.0
    """Requests a second that one caller may go on making."""
    burst: float = 1_000.0
    """How many it may make at once before that."""
    failures: float = 20.0
    """How many wrong keys or tokens one address may show at once; one in 6 seconds after that."""
    at_work: int = 24
    """Requests that are carried out at the same time."""
    waiting: int = 200
    """Requests that wait for their turn; further ones are turned away."""
    wait_seconds: float = 10.0
    """How long one waits before it is turned away."""
    events: int = 200
    """Streams of events that are open at the same time."""
    write_seconds: float = 30.0
    """How long a caller may leave a part of an answer unread."""


def local_hosts(port: int) -> frozenset[str]:
    """Return what the Host header of a request to this machine itself is."""
    with_port = {f"{name}:{port}" for name in LOCAL_NAMES}
    return frozenset(with_port | (set(LOCAL_NAMES) if port == 80 else set()))


def local_origins(port: int) -> frozenset[str]:
    """Return the origins of pages that this server itself hands out on this machine."""
    return frozenset(f"http://{host}" for host in local_hosts(port))


def exact(names: Iterable[str]) -> frozenset[str]:
    """Return names as they are compared."""
    return frozenset(name.strip().lower().rstrip("/") for name in names)
