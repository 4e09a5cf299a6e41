"""Addresses and sockets that a server listens on.

A server listens only on this machine unless ``--public`` is set and keys or tokens exist.
"""

from __future__ import annotations

import errno
import os
import socket
import stat
import time
from dataclasses import dataclass
from ipaddress import ip_address
from pathlib import Path

from memoranda.api.client.address import is_local
from memoranda.api.server.limits import ServerOptions, exact, local_hosts, local_origins
from memoranda.exceptions import Conflict, Forbidden, InvalidInput

PORT = 7077
PATIENCE = 1.5
"""Seconds for which binding to a port in use is retried.

The workers of a server that was killed end soon.
"""


@dataclass(frozen=True, slots=True)
class ListenAddress:
    """Address of a server and the names under which it can be reached."""

    host: str = "127.0.0.1"
    port: int = PORT
    """Port number; 0 for any free port."""
    unix: Path | None = None
    """Path of a socket file, used instead of host and port."""
    public: bool = False
    """Whether other machines may reach the server."""
    hosts: tuple[str, ...] = ()
    """Further host names, each with its port unless that is the default port."""
    origins: tuple[str, ...] = ()
    """Further origins whose pages may send requests."""

    @property
    def local(self) -> bool:
        """Whether the server can be reached only from this machine."""
        return self.unix is not None or is_local(self.host)


def check_exposure(listening: ListenAddress, *, authenticated: bool) -> None:
    """Ensure that a server is not accidentally exposed to other machines.

    ``authenticated``: keys or tokens for people other than the one at this machine were set up.

    Raises:
        Forbidden: other machines would reach the server, and that was not requested or not
            prepared.
    """
    if listening.local:
        return
    if not listening.public:
        raise Forbidden(
            f"{listening.host} can be reached from other machines; "
            "add --public if that is intended, or use --host 127.0.0.1"
        )
    if not authenticated:
        raise Forbidden(
            "a server that other machines can reach first needs keys or tokens: "
            "memoranda auth token create"
        )
    if not listening.hosts and ip_address_or_none(listening.host) in ("0.0.0.0", "::"):
        raise InvalidInput(
            "no host name is configured; add --allow-host, such as memory.example:7077"
        )


def ip_address_or_none(host: str) -> str | None:
    """Return an IP address in its canonical form; None for a name."""
    try:
        return str(ip_address(host))
    except ValueError:
        return None


def options_for(listening: ListenAddress, port: int) -> ServerOptions:
    """Return the limits and the host names of a server at an address."""
    if listening.unix is not None:
        return ServerOptions(exact(["localhost", *listening.hosts]), exact(listening.origins))
    hosts, origins = local_hosts(port), local_origins(port)
    if not listening.local:
        hosts |= {f"{_bracketed(listening.host).lower()}:{port}"}
    return ServerOptions(hosts | exact(listening.hosts), origins | exact(listening.origins))


def bound_socket(listening: ListenAddress) -> socket.socket:
    """Return a socket bound to the address; nothing is served on it yet.

    Raises:
        Conflict: another process listens at the address.
        InvalidInput: this machine has no such address.
    """
    if listening.unix is not None:
        return _bound_file(listening.unix)
    host = "127.0.0.1" if listening.host == "localhost" else listening.host
    give_up = time.monotonic() + PATIENCE
    while True:
        try:
            return _bound_port(host, listening.port)
        except OSError as error:
            if error.errno != errno.EADDRINUSE:
                message = (
                    f"cannot listen at {host} port {listening.port}: {error.strerror or error}"
                )
                raise InvalidInput(message) from error
            if time.monotonic() > give_up:
                raise Conflict(
                    f"port {listening.port} of {host} is taken, perhaps by another of your "
                    "servers; stop it, or use --port 0 for any free port"
                ) from error
        time.sleep(0.1)


def _bound_port(host: str, port: int) -> socket.socket:
    family, kind, protocol, _, address = socket.getaddrinfo(
        host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
    )[0]
    result = socket.socket(family, kind, protocol)
    try:
        result.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if family == socket.AF_INET6:
            result.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
        result.bind(address)
    except OSError:
        result.close()
        raise
    return result


def _bound_file(path: Path) -> socket.socket:
    """Return a socket file that only its owner may connect to."""
    _remove_left_over(path)
    result = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        result.bind(str(path))
        path.chmod(0o600)
    except OSError as error:
        result.close()
        raise InvalidInput(f"cannot listen at {path}: {error.strerror or error}") from error
    return result


def _remove_left_over(path: Path) -> None:
    """Remove the socket file of a server that is no longer running.

    Raises:
        Conflict: a server listens there, or the file is not a socket.
    """
    try:
        found = path.lstat()
    except OSError:
        return
    if not stat.S_ISSOCK(found.st_mode):
        raise Conflict(f"{path} exists and is not a socket")
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as probe:
        try:
            probe.connect(str(path))
        except OSError:
            path.unlink(missing_ok=True)
            return
    raise Conflict(f"another server is listening at {path}")


def url_of(listening: ListenAddress, made: socket.socket) -> str:
    """Return the address as a URL for clients."""
    if listening.unix is not None:
        return f"unix:{os.path.abspath(listening.unix)}"  # noqa: PTH100 - links stay as they are
    host, port = made.getsockname()[:2]
    if host in ("0.0.0.0", "::"):
        host = "127.0.0.1" if host == "0.0.0.0" else "::1"
    return f"http://{_bracketed(host)}:{port}"


def _bracketed(host: str) -> str:
    return f"[{host}]" if ":" in host else host
