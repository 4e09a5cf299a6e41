"""Base class of provider models: one request, one answer or one error."""

from __future__ import annotations

import threading
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar, TypeAlias
from urllib.parse import urlsplit

from memoranda.exceptions import ModelAnswerUnusable, ModelUnavailable
from memoranda.model_request import ModelReply, ModelRequest, TokenUsage
from memoranda.models.http_client import RetryPolicy, complaint, retry_after
from memoranda.models.language.prompt import most_tokens

Form: TypeAlias = Callable[[ModelRequest], dict[str, Any]]
"""Function that returns the additions to a request that make the model answer with data."""
_NOT_UNDERSTOOD = (400, 422, 501)
"""HTTP statuses with which servers refuse an unknown format."""
_NOT_REACHED = ("ConnectError", "ConnectTimeout", "PoolTimeout", "UnsupportedProtocol")


@dataclass(frozen=True, slots=True)
class ModelAccess:
    """Address of a model, and the timeout of its answers."""

    provider: str
    model: str
    url: str
    key: str
    patience: RetryPolicy

    @property
    def name(self) -> str:
        """Provider and model."""
        return f"{self.provider}:{self.model}"

    @property
    def place(self) -> str:
        """Return the provider and its address, for messages."""
        return f"{self.provider} at {urlsplit(self.url).hostname}"


class ProviderModel(ABC):
    """Model that uses a provider's client, which is loaded at the first query.

    Servers differ in the answer formats that they support. The first format that is not refused is
    used from then on. A query causes at most one charged request.
    """

    forms: ClassVar[tuple[Form, ...]]
    """Formats in which data can be requested, strictest first."""

    def __init__(self, access: ModelAccess) -> None:
        """Create the model; it connects at the first query."""
        self.name = access.name
        self._access = access
        self._forms = self.forms
        self._client: Any = None
        self._lock = threading.Lock()

    def bound(self, question: ModelRequest) -> TokenUsage:
        """Return an upper bound of the tokens of one answer."""
        return most_tokens(question)

    def answer(self, question: ModelRequest) -> ModelReply:
        """Return a complete answer that matches the query's schema.

        Raises:
            ModelUnavailable: the provider does not respond, or refuses.
            ModelAnswerUnusable: the provider returns something else, or an incomplete answer.
        """
        client = self._connected()
        try:
            return self._ask(client, question)
        except (ModelUnavailable, ModelAnswerUnusable):
            raise
        except self._library().APIError as error:
            raise self._meaning(error) from None

    def close(self) -> None:
        """Close the connections; the next query creates new ones. Idempotent."""
        with self._lock:
            client, self._client = self._client, None
        if client is not None:
            client.close()

    @abstractmethod
    def _library(self) -> Any:
        """Import the provider's client library."""

    @abstractmethod
    def _connect(self, library: Any) -> Any:
        """Create a client."""

    @abstractmethod
    def _send(self, client: Any, question: ModelRequest, form: dict[str, Any]) -> bytes:
        """Send a query; return the response."""

    @abstractmethod
    def _read(self, body: bytes, question: ModelRequest) -> ModelReply:
        """Parse the response."""

    def _ask(self, client: Any, question: ModelRequest) -> ModelReply:
        forms = self._forms
        for number, form in enumerate(forms, 1):
            try:
                body = self._send(client, question, form(question))
            except self._library().APIStatusError as error:
                if number == len(forms) or error.status_code not in _NOT_UNDERSTOOD:
                    raise
                continue
            self._forms = forms[number - 1 :]
            return self._read(body, question)
        raise AssertionError("the model accepts no known request format")

    def _connected(self) -> Any:
        try:
            library = self._library()
        except ImportError as error:
            package = type(self).__module__.rpartition(".")[2]
            raise ModelUnavailable(
                f"{self.name} needs {package}: pip install 'memoranda[{package}]'"
            ) from error
        with self._lock:
            if self._client is None:
                try:
                    self._client = self._connect(library)
                except (ImportError, ValueError, OSError) as error:  # a proxy, or certificates
                    raise ModelUnavailable(f"cannot call {self._access.place}: {error}") from error
            return self._client

    def _meaning(self, error: Any) -> ModelUnavailable | ModelAnswerUnusable:
        """Return the error that corresponds to an error of a client library."""
        library, access, cause = self._library(), self._access, error.__cause__
        if isinstance(cause, ModelAnswerUnusable):  # the answer exceeded the size limit
            return cause
        if isinstance(error, library.APIStatusError):
            status = error.status_code
            return ModelUnavailable(
                f"{access.place} answered {status}: {complaint(error.response, access.key)}",
                may_pass=status == 429 or status >= 500,
                pause=retry_after(error.response.headers),
            )
        # The error message may quote the headers, which contain the key.
        kind = type(cause or error).__name__
        slow = isinstance(error, library.APITimeoutError)
        return ModelUnavailable(
            f"{access.place} does not answer: {kind}",
            may_pass=not slow or access.patience.again_when_slow,
            charged=kind not in _NOT_REACHED,
        )
