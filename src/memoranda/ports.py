"""What the rooms need from outside, as Protocols."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Protocol, TypeAlias, TypedDict, Unpack

from memoranda.calls.finished_call import FinishedCall
from memoranda.capture.redaction.state_policy import SecretPolicy
from memoranda.compression.model import CompressedLine, CompressedText, Passage
from memoranda.conversations.model import Message
from memoranda.identity.principal import Principal
from memoranda.json_data import JsonValue
from memoranda.prompt import ModelReply, ModelRequest, TokenUsage
from memoranda.working.model import WorkingEntry, WorkingKey

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Vectors: TypeAlias = NDArray[np.float32]
    """float32, whose last axis has as many numbers as the model has dimensions."""


class TokenCounter(Protocol):
    """Counts tokens the way the reader of a text will."""

    name: str

    def count(self, text: str) -> int:
        """Return how many tokens a text has."""
        ...

    def count_many(self, texts: Sequence[str]) -> list[int]:
        """Return how many tokens each text has, in order."""
        ...

    def truncate(self, text: str, limit: int) -> str:
        """Return the longest beginning of a text that has at most ``limit`` tokens."""
        ...


class Embedder(Protocol):
    """Turns texts into vectors whose cosine tells how near they are in meaning.

    Safe to share by threads.
    """

    name: str
    """What made a vector, kept with it; vectors of different names are never compared."""
    dimensions: int

    def embed(self, texts: Sequence[str], *, query: bool = False) -> Vectors:
        """Return one vector of length 1 for each text, in order: (n, dimensions) float32.

        ``query`` says that the texts are looked for rather than kept, for models that care. Long
        texts are read up to what the model takes.

        Raises:
            EmbedderUnavailable: it cannot be loaded or does not answer, or answers nonsense.
        """
        ...


class Reranker(Protocol):
    """Reads a question together with each text and says how well that answers it.

    Safe to share by threads; close it when done.
    """

    name: str
    """What gives the scores; those of different names cannot be compared."""

    def scores(self, query: str, texts: Sequence[str]) -> list[float]:
        """Return one score for each text, in order: finite, of any scale, the higher the better.

        Scores of two calls cannot be compared either. Long texts are read up to what is sent.

        Raises:
            InvalidInput: there are more than 100 texts.
            RerankerUnavailable: it does not answer, refuses, or answers nonsense.
        """
        ...

    def close(self) -> None:
        """Let go of what it holds. Idempotent."""
        ...


class LanguageModel(Protocol):
    """Does something with a text and answers with data of a given form.

    Safe to share by threads; close it when done.
    """

    name: str
    """Provider and model, such as ``openai:gpt-5-mini``."""

    def bound(self, question: ModelRequest) -> TokenUsage:
        """Return tokens that one answer to a question surely does not exceed."""
        ...

    def answer(self, question: ModelRequest) -> ModelReply:
        """Return a whole answer that fits the schema of the question.

        Raises:
            ModelUnavailable: it does not answer, or refuses.
            ModelAnswerUnusable: it answers something else, or not to the end.
        """
        ...

    def close(self) -> None:
        """Let go of what it holds. Idempotent."""
        ...


class Price(Protocol):
    """What a model's tokens cost."""

    @property
    def source(self) -> str:
        """Where it is from: ``given`` by a setting, ``listed``, ``free`` or ``login``."""
        ...

    def cost(self, usage: TokenUsage) -> int:
        """Return millionths of a dollar, rounded up."""
        ...


class Sanitiser(Protocol):
    """Takes secrets and private spans out of what is to be stored."""

    def clean(self, text: str) -> str:
        """Return a text without them."""
        ...

    def value(self, value: JsonValue) -> JsonValue:
        """Return a JSON value without them, those that only a name beside them tells as well."""
        ...

    def state(
        self, what: str, value: JsonValue, secrets: SecretPolicy | None, *, encrypted: bool = False
    ) -> JsonValue:
        """Return the state of a program as it is stored, or refuse it."""
        ...


class Summariser(Protocol):
    """Puts the older part of a conversation into fewer words. Safe to share by threads."""

    def summarise(self, earlier: str, messages: Sequence[Message], limit_tokens: int) -> str:
        """Return what to know of an earlier summary and of the messages after it.

        It has at most ``limit_tokens`` tokens. Messages may be clipped, which an ellipsis at
        their end tells.
        """
        ...


class Compressor(Protocol):
    """Puts passages into fewer words, none of them its own. Safe to share by threads."""

    def compress(
        self,
        passages: Sequence[Passage],
        budget: int,
        *,
        earlier: Sequence[CompressedLine] = (),
        query: str | None = None,
        critical: int = 0,
    ) -> CompressedText:
        """Return passages, and lines of an earlier result that go before them, within a budget.

        Equal input gives equal output. Pinned parts stay, even where they alone need more than
        the budget, in tokens, and so do critical facts that fit into ``critical`` tokens; nothing
        else exceeds it. With a query, what answers it comes first.
        """
        ...


class WorkingMemory(Protocol):
    """Entries of tasks, each gone after its time. Safe to use from several threads."""

    def put(self, team: str, task: str, key: str, value: object, ttl_seconds: int) -> WorkingEntry:
        """Write an entry over whatever stands under its key; return it as it is kept.

        Raises:
            InvalidInput: key, value or time are not acceptable; nothing was changed.
            NotFound: there is no such task.
        """
        ...

    def get(self, team: str, task: str, key: str) -> WorkingEntry | None:
        """Return an entry that has not expired, or None."""
        ...

    def delete(self, team: str, task: str, key: str) -> bool:
        """Delete an entry; say whether there was one, as far as could be seen."""
        ...

    def keys(self, team: str, task: str, *, after: str = "", limit: int) -> list[WorkingKey]:
        """Return what has not expired in the order of the keys, those above ``after``."""
        ...

    def forget(self, team: str, tasks: Sequence[str]) -> None:
        """Delete everything of some tasks, which may be gone already.

        Raises:
            StorageUnusable: a place that may hold something of it does not answer.
        """
        ...


class Cache(Protocol):
    """Results that can be had again. Whatever goes wrong, it only holds nothing."""

    def get(self, team: str, key: str) -> bytes | None:
        """Return what was put, unless it expired, was cleared or fell out."""
        ...

    def put(self, team: str, key: str, data: bytes, ttl_seconds: int) -> None:
        """Keep some bytes for a while."""
        ...

    def clear(self, team: str) -> bool:
        """Drop everything of a team; False when that cannot be said for certain."""
        ...


class Authenticator(Protocol):
    """Knows people and agents by their keys and tokens. Safe to share by threads."""

    def principal(self, credential: str) -> Principal:
        """Return whom a key or a token stands for.

        Raises:
            Unauthenticated: nobody; which of its many faults it has is not told.
        """
        ...


class Sessions(Protocol):
    """Whoever signed in to the web page, by what their browser shows."""

    def begin(self, shown: str) -> str:
        """Sign somebody in who shows a key, a token or what stands in a link; return what their
        browser is to show from now on.

        Raises:
            Unauthenticated: nobody is known by it, or the link is used or over.
        """
        ...

    def principal(self, text: str) -> Principal:
        """Return whom a browser shows to be.

        Raises:
            Unauthenticated: nobody, or no longer.
        """
        ...

    def end(self, text: str) -> None:
        """Sign out; what the browser shows is good for nothing any more."""
        ...


class Figures(TypedDict, total=False):
    """What an operation may tell of itself: numbers, and nothing else."""

    records: int
    """Stored, found, changed or removed."""
    source_tokens: int
    """Tokens that were compressed."""
    result_tokens: int
    """Tokens that came of it."""
    retention: float
    """The share of the facts that was kept, 0 to 1."""
    input_tokens: int
    """Tokens that a language model read."""
    output_tokens: int
    """Tokens that it wrote."""
    dollars: float
    """What it cost, as accounted."""


class Span(Protocol):
    """One operation under way."""

    def tell(self, **figures: Unpack[Figures]) -> None:
        """Keep figures for the end of the operation; one that is told again replaces the first."""
        ...


class Telemetry(Protocol):
    """Learns how long operations take and how they end. Safe to share by threads.

    It is given names of this program and numbers, never a text, an id or a name of anybody, and
    never breaks what it measures.
    """

    def span(self, operation: str, backend: str = "") -> AbstractContextManager[Span]:
        """Return what measures an operation from entering to leaving it.

        ``backend`` is what carries it out, if that is not the store.
        """
        ...


class Calls(Protocol):
    """Learns of every call that came to a door of a server. Safe to share by threads.

    It never breaks what it is told of.
    """

    def ended(self, call: FinishedCall) -> None:
        """Learn that a call is over."""
        ...

    def slow(self, operation: str, seconds: float) -> None:
        """Learn that an operation took longer than the settings allow."""
        ...
