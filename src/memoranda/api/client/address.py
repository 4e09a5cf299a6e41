"""Address of a server, and the token that authenticates the caller."""

from __future__ import annotations

import re
from dataclasses import dataclass
from ipaddress import ip_address
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from memoranda.exceptions import InvalidInput

if TYPE_CHECKING:
    from memoranda.config import Settings

TOKEN_FILE = "token"
"""File in the data directory with the owner's token of a local server."""
MAX_TOKEN_LENGTH = 16_384
_TOKEN = re.compile(r"[!-~]{1,16384}")


@dataclass(frozen=True, slots=True)
class ServerAddress:
    """Address of a server."""

    url: str
    """Base URL of the requests; for a socket file, http://localhost."""
    socket: str | None = None
    local: bool = False
    """Whether the server is on this machine, so that nobody else can read the traffic."""

    def __str__(self) -> str:
        return f"unix:{self.socket}" if self.socket else self.url


def parsed(text: str) -> ServerAddress:
    """Parse a string as a server address.

    Raises:
        InvalidInput: the string is not an address, or has parts that an address does not have.
    """
    if text.lower().startswith("unix:"):
        path = "/" + text[5:].lstrip("/")
        if path == "/":
            raise InvalidInput(
                f"{text!r} is not a socket address; use one such as unix:/run/memoranda.sock"
            )
        return ServerAddress("http://localhost", path, local=True)
    try:
        parts = urlsplit(text)
        host, _ = parts.hostname, parts.port
    except ValueError:
        host, parts = None, urlsplit("")
    if not host or parts.scheme not in ("http", "https") or "@" in parts.netloc:
        raise InvalidInput("the URL of a server must look like http://127.0.0.1:7077")
    if parts.query or parts.fragment:
        raise InvalidInput("the URL of a server must not contain ? or #")
    url = f"{parts.scheme}://{parts.netloc}{parts.path.rstrip('/')}"
    return ServerAddress(url, local=is_local(host))


def credential(address: ServerAddress, explicit: str | None, settings: Settings) -> str:
    """Return the token for a server.

    This is ``explicit``, or else the token in the settings, or else, only for a server on this
    machine, the token in the data directory.

    Raises:
        InvalidInput: there is no token, it is malformed, or others could read it in transit.
    """
    token = (
        explicit or settings.token or (_stored_token(settings.data_dir) if address.local else "")
    )
    if not token:
        hint = (
            f"; none could be read from {settings.data_dir / TOKEN_FILE}, where a server on this "
            "machine writes it: is `memoranda serve` running with this data directory?"
            if address.local
            else ""
        )
        raise InvalidInput(
            f"no token for requests to {address}: set MEMORANDA_TOKEN, or pass token{hint}"
        )
    if not _TOKEN.fullmatch(token):
        raise InvalidInput("a token must consist of visible ASCII characters without spaces")
    if not address.local and address.url.startswith("http://"):
        raise InvalidInput(
            f"a token would be sent to {address} without encryption; use https, "
            "or a tunnel that ends on this machine, such as ssh -L 7077:127.0.0.1:7077"
        )
    return token


def _stored_token(data_dir: Path) -> str:
    try:
        with (data_dir / TOKEN_FILE).open("rb") as file:
            return file.read(MAX_TOKEN_LENGTH).decode("ascii", "replace").strip()
    except OSError:
        return ""


def is_local(host: str) -> bool:
    """Return whether an address can be reached only from this machine."""
    if host == "localhost":
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False
