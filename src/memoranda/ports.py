"""Protocols of injected dependencies: models, cache, telemetry and others."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Protocol, TypeAlias, TypedDict, Unpack

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from memoranda.capture.redaction.model import SecretPolicy
    from memoranda.compression.model import CompressedLine, CompressedText, Passage
    from memoranda.conversations.model import Message
    from memoranda.identity.principal import Principal
    from memoranda.instrumentation import FinishedCall
    from memoranda.json_data import JsonValue
    from memoranda.model_request import ModelReply, ModelRequest, TokenUsage
    from memoranda.working.model import WorkingEntry, WorkingKey

    Vectors: TypeAlias = NDArray[np.float32]
    """float32 array whose last axis has the model's number of dimensions."""


class TokenCounter(Protocol):
    """Counts tokens as the model that reads the text does."""

    name: str

    def count(self, text: str) -> int:
        """Return the number of tokens of a text."""
        ...

    def count_many(self, texts: Sequence[str]) -> list[int]:
        """Return the number of tokens of each text, in order."""
        ...

    def truncate(self, text: str, limit: int) -> str:
        """Return the longest prefix of a text with at most ``limit`` tokens."""
        ...


class Embedder(Protocol):
    """Model that converts texts to vectors.

    The cosine of two vectors measures similarity in meaning. Thread-safe.
    """

    name: str
    """Name of the model, stored with each vector.

    Vectors with different names are never compared.
    """
    dimensions: int

    def embed(self, texts: Sequence[str], *, query: bool = False) -> Vectors:
        """Return one unit vector (L2 norm 1) for each text, in order.

        The shape is (n, dimensions), float32. ``query`` marks the texts as queries rather than
        stored texts, for models that distinguish the two. A long text is read up to the limit of
        the model.

        Raises:
            EmbedderUnavailable: the model cannot be loaded, does not respond, or returns an invalid
                response.
        """
        ...


class LanguageModel(Protocol):
    """Model that processes a text and returns data in a required form.

    Thread-safe; close it when done.
    """

    name: str
    """Provider and model, such as ``openai:gpt-5-mini``."""

    def bound(self, question: ModelRequest) -> TokenUsage:
        """Return an upper bound of the tokens of one answer to a request."""
        ...

    def answer(self, question: ModelRequest) -> ModelReply:
        """Return a complete answer that matches the schema of the request.

        Raises:
            ModelUnavailable: the model does not respond, or refuses to answer.
            ModelAnswerUnusable: the answer does not match the schema or is incomplete.
        """
        ...

    def close(self) -> None:
        """Release the model's resources. Idempotent."""
        ...


class Price(Protocol):
    """Price of a model's tokens."""

    @property
    def source(self) -> str:
        """Return the source of the price.

        The source is ``given`` (a setting), ``listed``, ``free`` or ``login``.
        """
        ...

    def cost(self, usage: TokenUsage) -> int:
        """Return the cost in millionths of a dollar, rounded up."""
        ...


class Sanitiser(Protocol):
    """Removes secrets and private spans from data before it is stored."""

    def clean(self, text: str) -> str:
        """Return a text without secrets and private spans."""
        ...

    def value(self, value: JsonValue) -> JsonValue:
        """Return a JSON value without secrets and private spans.

        Secrets that can only be recognised by an adjacent name are removed as well.
        """
        ...

    def state(
        self, what: str, value: JsonValue, secrets: SecretPolicy | None, *, encrypted: bool = False
    ) -> JsonValue:
        """Return a program's state in the form to be stored, or refuse it."""
        ...


class Summariser(Protocol):
    """Summariser of the older part of a conversation.

    Thread-safe.
    """

    def summarise(self, earlier: str, messages: Sequence[Message], limit_tokens: int) -> str:
        """Return a summary of an earlier summary and the messages after it.

        The summary has at most ``limit_tokens`` tokens. Messages may be clipped, with an ellipsis
        at their end.
        """
        ...


class Compressor(Protocol):
    """Compressor that shortens passages without adding words of its own.

    Thread-safe.
    """

    def compress(
        self,
        passages: Sequence[Passage],
        budget: int,
        *,
        earlier: Sequence[CompressedLine] = (),
        query: str | None = None,
        critical: int = 0,
    ) -> CompressedText:
        """Return passages and earlier lines compressed to a budget.

        The lines come from an earlier result and precede the passages.

        Equal input gives equal output. Pinned parts are kept even if they exceed the token budget,
        and so are critical facts of at most ``critical`` tokens; nothing else exceeds the budget.
        With a query, matching text is preferred.
        """
        ...


class WorkingMemory(Protocol):
    """Temporary entries of tasks, each with an expiry. Thread-safe."""

    def put(self, team: str, task: str, key: str, value: object, ttl_seconds: int) -> WorkingEntry:
        """Store an entry, replacing any entry with the same key; return it.

        Raises:
            InvalidInput: the key, value or time is not acceptable; nothing was changed.
            NotFound: there is no such task.
        """
        ...

    def get(self, team: str, task: str, key: str) -> WorkingEntry | None:
        """Return an entry that has not expired, or None."""
        ...

    def delete(self, team: str, task: str, key: str) -> bool:
        """Delete an entry; return whether it existed, if that is known."""
        ...

    def keys(self, team: str, task: str, *, after: str = "", limit: int) -> list[WorkingKey]:
        """Return the entries that have not expired, ordered by key.

        Only entries with keys above ``after`` are returned.
        """
        ...

    def forget(self, team: str, tasks: Sequence[str]) -> None:
        """Delete all entries of some tasks, which may already be deleted.

        Raises:
            StorageUnusable: a store that may contain entries does not respond.
        """
        ...


class Authenticator(Protocol):
    """Authenticator of people and agents by their keys and tokens.

    Thread-safe.
    """

    def principal(self, credential: str) -> Principal:
        """Return the principal for a key or token.

        Raises:
            Unauthenticated: there is no such key or token; the reason is not reported.
        """
        ...


class Figures(TypedDict, total=False):
    """Numeric figures about an operation."""

    records: int
    """Number of records stored, found, changed or removed."""
    source_tokens: int
    """Number of tokens that were compressed."""
    result_tokens: int
    """Number of tokens in the result."""
    retention: float
    """Fraction of the facts that was preserved, 0 to 1."""
    input_tokens: int
    """Number of input tokens of language models."""
    output_tokens: int
    """Number of output tokens of language models."""
    dollars: float
    """Its accounted cost."""


class Span(Protocol):
    """Operation in progress."""

    def add_figures(self, **figures: Unpack[Figures]) -> None:
        """Record figures to be reported at the end of the operation.

        If a figure is recorded again, the new value replaces the earlier one.
        """
        ...


class Telemetry(Protocol):
    """Recorder of durations and outcomes of operations.

    Thread-safe. It receives only numbers and names defined by this program, never a text, an id or
    a person's name, and its failure never affects the measured operation.
    """

    def span(self, operation: str, backend: str = "") -> AbstractContextManager[Span]:
        """Return a context manager that measures an operation.

        ``backend`` is the system that performs the operation, if it is not the store.
        """
        ...


class Calls(Protocol):
    """Observer of every call to an interface of a server.

    Thread-safe. A failure of the observer never affects the calls.
    """

    def ended(self, call: FinishedCall) -> None:
        """Record that a call has ended."""
        ...

    def slow(self, operation: str, seconds: float) -> None:
        """Record that an operation took longer than the settings allow."""
        ...
