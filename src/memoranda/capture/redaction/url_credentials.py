"""Limits a secret that reaches over a URL to the credential in it.

In ``https://x-access-token:KEY@host/path``, a rule for ``token: VALUE`` finds the rest of the URL,
but host and path are no secret.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass

# The scheme is bounded, and the part before "/" of two URLs is disjoint: linear time.
_URL = re.compile(rb"[A-Za-z][A-Za-z0-9+.-]{0,20}://([^\s/\"'<>\\\x1b]*)@[\w\[.$%{-]")
_LONG = 20
"""Bytes from which a user without a password may be a token."""
_SPACE = re.compile(rb"\s")


@dataclass(frozen=True, slots=True)
class UrlCredentials:
    """Credentials of the URLs in a text, in order."""

    data: bytes
    starts: tuple[int, ...]
    """Starts of the URLs."""
    secrets: tuple[tuple[int, int], ...]
    """Start and end of each URL's password, or of its user if there is none."""

    @classmethod
    def of(cls, data: bytes) -> UrlCredentials:
        """Find the URLs with credentials in a text."""
        urls = _URL.finditer(data) if b"://" in data else ()
        found = [match for match in urls if b":" in match[1] or len(match[1]) >= _LONG]
        secrets = [(match.start(1) + match[1].find(b":") + 1, match.end(1)) for match in found]
        return cls(data, tuple(match.start() for match in found), tuple(secrets))

    def limited(self, start: int, end: int) -> tuple[int, int]:
        """Return the part of a secret that is a credential.

        A secret that begins outside of URLs, or that is more than a URL, is returned unchanged.
        """
        index = bisect_right(self.starts, start) - 1
        if index < 0:
            return start, end
        first, last = self.secrets[index]
        if not start < last < end or _SPACE.search(self.data, last, end):
            return start, end
        return max(start, first), last
