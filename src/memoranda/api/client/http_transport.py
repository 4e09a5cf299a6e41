"""Calls over HTTP: JSON-RPC 2.0 at one address, over one connection pool.

A read is retried when its connection breaks. A write is retried only if it certainly was not
carried out: the connection was not accepted, or the server reports that it refused the request
because of overload or a rate limit. If the response to a write was lost, it is unknown whether the
write took effect; the error states that.
"""

from __future__ import annotations

import itertools
import json
import threading
from collections.abc import Mapping
from contextlib import suppress
from typing import TYPE_CHECKING

from memoranda.api.client import faults
from memoranda.api.client.address import ServerAddress
from memoranda.exceptions import (
    InvalidInput,
    MemorandaError,
    Overloaded,
    RateLimited,
    ServerUnavailable,
)
from memoranda.json_data import JsonValue, parse_json
from memoranda.models.http_client import RetryPolicy, retry_after
from memoranda.operation_declaration import Access
from memoranda.operations import Operation
from memoranda.time_zone_names import HEADER, own_zone
from memoranda.version import __version__

if TYPE_CHECKING:
    import httpx

PATH = "/rpc"
TIMEOUT_SECONDS = 60.0
"""Timeout for a response, and for each part of a response."""
LARGEST_ANSWER = 160_000_000
"""Maximum size of a response in bytes."""
CONNECTIONS = 20
IDLE_SECONDS = 5.0
"""How long an idle connection is kept.

Shorter than the time that servers keep it open, so that no request is written to a connection that
the server is just closing.
"""
_NOTHING_DONE = (Overloaded, RateLimited)


class _AttemptFailed(Exception):
    """An attempt that returned no result."""

    def __init__(self, error: MemorandaError, again: bool, pause: float | None = None) -> None:
        super().__init__(str(error))
        self.error = error
        self.again = again
        self.pause = pause


class HttpTransport:
    """Return all error classes by their codes.

    Thread-safe; no connection is made before the first call.
    """

    def __init__(
        self,
        address: ServerAddress,
        token: str,
        patience: RetryPolicy | None = None,
        largest_answer: int = LARGEST_ANSWER,
    ) -> None:
        self._address = address
        self._token = token
        self._patience = patience or RetryPolicy(timeout_seconds=TIMEOUT_SECONDS)
        self._largest = largest_answer
        self._numbers = itertools.count(1)
        self._client: httpx.Client | None = None
        self._closed = False
        self._lock = threading.Lock()

    def call(self, operation: Operation, arguments: Mapping[str, JsonValue]) -> JsonValue:
        """Return the result of an operation; retry if that is safe."""
        number = next(self._numbers)
        body = _request_body(number, operation.name, arguments)
        twice = operation.access is Access.READ or _is_keyed(operation, arguments)
        waited = 0.0
        for tries in itertools.count(1):
            try:
                return self._try(number, body, twice)
            except _AttemptFailed as failed:
                pause = self._patience.pause_after(tries, failed.pause)
                too_long = waited + pause > self._patience.longest_wait_seconds
                if not failed.again or tries >= self._patience.tries or too_long:
                    raise failed.error from None
            self._patience.sleep(pause)
            waited += pause
        raise AssertionError("the number of attempts is limited")

    def close(self) -> None:
        """Close the connections. Idempotent."""
        with self._lock:
            client, self._client, self._closed = self._client, None, True
        if client is not None:
            client.close()

    def _try(self, number: int, body: bytes, twice: bool) -> JsonValue:
        client = self._open_client()
        import httpx

        try:
            with client.stream("POST", self._address.url + PATH, content=body) as response:
                status, headers = response.status_code, response.headers
                content = self._read(response)
        except (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout) as error:
            raise _AttemptFailed(self._unreachable(error), again=True) from None
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            broken = isinstance(error, httpx.NetworkError | httpx.RemoteProtocolError)
            raise _AttemptFailed(self._no_response(error, twice), again=twice and broken) from None
        if status == 200:
            return self._result(number, content)
        fault = faults.of_status(status, _parsed(content), str(self._address))
        surely = status == 429 or (isinstance(fault, _NOTHING_DONE) and bool(_code(content)))
        pause = retry_after(headers)
        raise _AttemptFailed(fault, surely or (twice and status == 503), pause)

    def _read(self, response: httpx.Response) -> bytes:
        """Read a response up to the maximum size."""
        taken = bytearray()
        for part in response.iter_bytes():
            taken += part
            if len(taken) > self._largest:
                message = (
                    f"{self._address} answers with more than {self._largest:,} bytes; ask for a "
                )
                raise _AttemptFailed(ServerUnavailable(message + "smaller page"), again=False)
        return bytes(taken)

    def _result(self, number: int, content: bytes) -> JsonValue:
        answer = _parsed(content)
        if not isinstance(answer, dict) or answer.get("jsonrpc") != "2.0":
            raise _AttemptFailed(self._invalid_response(), again=False)
        fault = answer.get("error")
        if isinstance(fault, dict):
            error = faults.of_rpc(fault)
            again = isinstance(error, _NOTHING_DONE)
            raise _AttemptFailed(error, again, error.retry_after if again else None)  # type: ignore[attr-defined]
        if answer.get("id") != number or "result" not in answer:
            raise _AttemptFailed(self._invalid_response(), again=False)
        return answer["result"]

    def _open_client(self) -> httpx.Client:
        with self._lock:
            if self._closed:
                raise InvalidInput("this memory object is closed; open it again")
            if self._client is None:
                self._client = self._new_client()
            return self._client

    def _new_client(self) -> httpx.Client:
        try:
            import httpx
        except ImportError:
            message = "a memory on a server needs httpx: pip install 'memoranda[remote]'"
            raise InvalidInput(message) from None
        patience, address = self._patience, self._address
        # Loading the certificates takes 45 ms and is not needed for local plain HTTP.
        verify = not address.local or address.url.startswith("https:")
        try:
            return httpx.Client(
                headers=self._headers(),
                timeout=httpx.Timeout(patience.timeout_seconds, connect=patience.connect_seconds),
                limits=httpx.Limits(
                    max_connections=CONNECTIONS,
                    max_keepalive_connections=CONNECTIONS,
                    keepalive_expiry=IDLE_SECONDS,
                ),
                transport=_over_socket(address),
                verify=verify,
                trust_env=not address.local,  # local traffic must not pass through a proxy
            )
        except (ImportError, ValueError, OSError) as error:  # invalid proxy or certificate settings
            raise ServerUnavailable(f"cannot call {address}: {error}") from None

    def _headers(self) -> dict[str, str]:
        return {
            "Authorization": f"Bearer {self._token}",
            "Content-Type": "application/json",
            "Accept": "application/json",
            "Accept-Encoding": "identity",  # no decompression bombs
            "User-Agent": f"memoranda/{__version__}",
            HEADER: own_zone(),
        }

    # A connection error may quote headers, including the token, so only its kind is reported.

    def _unreachable(self, error: Exception) -> ServerUnavailable:
        if failed := _tls_error(error):
            return ServerUnavailable(
                f"no encrypted connection to {self._address} ({failed}); "
                "check the certificate, or use http:// if the server has none"
            )
        start = "start one with `memoranda serve`, or " if self._address.local else ""
        return ServerUnavailable(
            f"no server answers at {self._address} ({type(error).__name__}); {start}check the URL"
        )

    def _no_response(self, error: Exception, twice: bool) -> ServerUnavailable:
        message = f"no response from {self._address} ({type(error).__name__})"
        if twice:
            return ServerUnavailable(f"{message}; try again")
        return ServerUnavailable(
            f"{message}; it is unknown whether this was carried out: check before you retry"
        )

    def _invalid_response(self) -> ServerUnavailable:
        return ServerUnavailable(
            f"{self._address} does not answer like a Memoranda server; check the URL"
        )


def _tls_error(error: BaseException | None) -> str | None:
    """Return the TLS failure among the causes of an error, if there is one."""
    from ssl import SSLError

    while error is not None and not isinstance(error, SSLError):
        error = error.__cause__ or error.__context__
    return None if error is None else error.reason or type(error).__name__


def _over_socket(address: ServerAddress) -> httpx.HTTPTransport | None:
    import httpx

    return httpx.HTTPTransport(verify=False, uds=address.socket) if address.socket else None


def _request_body(number: int, name: str, arguments: Mapping[str, JsonValue]) -> bytes:
    message = {"jsonrpc": "2.0", "id": number, "method": name, "params": dict(arguments)}
    try:
        # Escapes would be up to three times as long, and servers limit the body size.
        text = json.dumps(message, allow_nan=False, separators=(",", ":"), ensure_ascii=False)
        with suppress(UnicodeEncodeError):  # a lone surrogate
            return text.encode()
        return json.dumps(message, allow_nan=False, separators=(",", ":")).encode()
    except (TypeError, ValueError, RecursionError) as error:
        raise InvalidInput(f"this cannot be sent as JSON: {error}") from None


def _is_keyed(operation: Operation, arguments: Mapping[str, JsonValue]) -> bool:
    """Return whether a write has a key that identifies repeated requests."""
    return operation.name == "observe" and bool(arguments.get("key"))


def _parsed(content: bytes) -> JsonValue:
    try:
        return parse_json(content)
    except InvalidInput:
        return None


def _code(content: bytes) -> JsonValue:
    body = _parsed(content)
    return body.get("code") if isinstance(body, dict) else None
