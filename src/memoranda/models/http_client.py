"""HTTP client for model providers, with retries."""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Any, Protocol
from urllib.parse import urlsplit

from memoranda.exceptions import SystemFault
from memoranda.version import __version__

if TYPE_CHECKING:
    import httpx

    from memoranda.ports import TokenCounter

FIRST_PAUSE_SECONDS = 0.5
"""First pause in seconds, doubled after each attempt.

The actual pause is a random value between half of it and all of it.
"""
MAX_COMPLAINT_LENGTH = 300
"""Maximum length in characters of a provider's error message."""
NO_TEXT = "-"
"""Text sent instead of an empty one, which providers refuse."""


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """Timeouts and pauses of a call with retries."""

    timeout_seconds: float = 30.0
    connect_seconds: float = 5.0
    tries: int = 4
    longest_wait_seconds: float = 30.0
    """Limit for the sum of all pauses of a call."""
    again_when_slow: bool = True
    """Whether an attempt that timed out is retried."""
    sleep: Callable[[float], None] = time.sleep
    chance: Callable[[], float] = field(default=random.random)
    """Returns a random number from 0 to 1, to spread concurrent retries."""

    def pause_after(self, tries: int, requested: float | None) -> float:
        """Return the seconds to wait after the given number of attempts.

        The wait is the pause that the provider requested, otherwise an exponential backoff.
        """
        if requested is not None:
            return requested
        longest: float = FIRST_PAUSE_SECONDS * 2 ** (tries - 1)
        return longest * (0.5 + 0.5 * self.chance())


class HttpResponse(Protocol):
    """HTTP response, from any client."""

    @property
    def text(self) -> str:
        """Return the body as text."""
        ...

    @property
    def reason_phrase(self) -> str:
        """Return the meaning of the status."""
        ...

    def json(self) -> Any:
        """Return the body decoded as JSON.

        Raises:
            ValueError, RecursionError: the body is not JSON.
        """
        ...


class _Refusal(Exception):
    """Attempt without a usable response."""

    def __init__(
        self, trouble: str, may_pass: bool = False, retry_after: float | None = None
    ) -> None:
        super().__init__(trouble)
        self.trouble = trouble
        self.may_pass = may_pass
        self.retry_after = retry_after
        """Seconds to wait, as requested by the provider."""


class ModelEndpoint:
    """Client of one URL that accepts and returns JSON.

    Thread-safe; close it when done.
    """

    def __init__(
        self,
        provider: str,
        url: str,
        key: str,
        patience: RetryPolicy | None = None,
        *,
        unavailable: type[SystemFault],
    ) -> None:
        """Create the client; it connects at the first call.

        The key, if any, is sent as a bearer token. ``unavailable`` is the error class that is
        raised without a response.
        """
        self._unavailable = unavailable
        self._url = url.rstrip("/")
        self._place = f"{provider} at {urlsplit(url).hostname}"
        self._key = key
        self._patience = patience or RetryPolicy()
        self._client: httpx.Client | None = None
        self._lock = threading.Lock()

    def post(self, path: str, body: Mapping[str, Any]) -> Any:
        """Return the response to a request.

        Raises:
            SystemFault: an error of the class ``unavailable``: the provider refuses, is busy or
                unreachable for too long, or does not return JSON.
        """
        patience = self._patience
        waited, tries = 0.0, 0
        while True:
            tries += 1
            try:
                return self._try(path, body)
            except _Refusal as refusal:
                pause = patience.pause_after(tries, refusal.retry_after)
                too_long = waited + pause > patience.longest_wait_seconds
                if not refusal.may_pass or tries >= patience.tries or too_long:
                    again = f" ({tries} tries)" if tries > 1 else ""
                    raise self._unavailable(refusal.trouble + again) from None
            patience.sleep(pause)
            waited += pause

    def close(self) -> None:
        """Close the connections; the next call creates new ones. Idempotent."""
        with self._lock:
            client, self._client = self._client, None
        if client is not None:
            client.close()

    def _try(self, path: str, body: Mapping[str, Any]) -> Any:
        client = self._connected()
        import httpx

        try:
            response = client.post(self._url + path, json=body)
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            # The error's text may quote the headers, which contain the key.
            may_pass = isinstance(error, httpx.NetworkError | httpx.RemoteProtocolError)
            if isinstance(error, httpx.TimeoutException):
                may_pass = self._patience.again_when_slow
            trouble = f"{self._place} does not answer: {type(error).__name__}"
            raise _Refusal(trouble, may_pass) from None
        if response.is_success:
            return self._read(response)
        status = response.status_code
        trouble = f"{self._place} answered {status}: {complaint(response, self._key)}"
        raise _Refusal(trouble, status == 429 or status >= 500, retry_after(response.headers))

    def _connected(self) -> httpx.Client:
        try:
            import httpx
        except ImportError as error:
            raise self._unavailable(
                f"{self._place} needs httpx: pip install 'memoranda[remote]'"
            ) from error
        with self._lock:
            if self._client is None:
                try:
                    self._client = httpx.Client(headers=self._headers(), timeout=self._timeout())
                except (ImportError, ValueError, OSError) as error:  # invalid proxy or certificates
                    raise self._unavailable(f"cannot call {self._place}: {error}") from error
            return self._client

    def _headers(self) -> dict[bytes, bytes]:
        headers = {b"User-Agent": f"memoranda/{__version__}".encode()}
        if self._key:
            headers[b"Authorization"] = f"Bearer {self._key}".encode()
        return headers

    def _timeout(self) -> httpx.Timeout:
        import httpx

        return httpx.Timeout(self._patience.timeout_seconds, connect=self._patience.connect_seconds)

    def _read(self, response: httpx.Response) -> Any:
        try:
            return response.json()
        except (ValueError, RecursionError):
            raise _Refusal(f"{self._place} did not answer with JSON") from None


def complaint(response: HttpResponse, key: str) -> str:
    """Return a provider's error message on one short line without the key."""
    try:
        message = response.json()
    except (ValueError, RecursionError):
        message = response.text
    for name in ("error", "message", "detail"):
        if isinstance(message, dict) and name in message:
            message = message[name]
    words = " ".join(str(message).split())
    if key:
        words = words.replace(key, "***")
    return words[:MAX_COMPLAINT_LENGTH] or response.reason_phrase


def sendable(text: str, limit: int, counter: TokenCounter) -> str:
    """Return a text as providers accept it: valid, not empty, not too long.

    ``limit`` is in tokens; the rest is cut off.
    """
    encoded = text.encode("utf-8", "replace")
    valid = encoded.decode("utf-8")
    if len(encoded) > limit:  # a token has at least one byte
        valid = counter.truncate(valid, limit)
    return valid if valid.strip() else NO_TEXT


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Return the seconds in a Retry-After header.

    The header contains seconds, or a date by the server's clock.
    """
    value = headers.get("retry-after", "")
    try:
        seconds = float(value)
    except ValueError:
        seconds = _seconds_until(value, headers.get("date", ""))
    return seconds if seconds >= 0 else None


def _seconds_until(date: str, now: str) -> float:
    """Return the seconds between two dates; below 0 if one is invalid."""
    try:
        return (parsedate_to_datetime(date) - parsedate_to_datetime(now)).total_seconds()
    except (ValueError, TypeError):
        return -1.0
