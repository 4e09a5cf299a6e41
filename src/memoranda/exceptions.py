"""Every error that Memoranda raises on purpose.

    MemorandaError
    ├── UserError                 the caller can correct the request
    │   ├── InvalidInput          invalid
    │   ├── NotFound              not_found
    │   ├── Conflict              conflict
    │   ├── Stale                 stale
    │   ├── Unauthenticated       unauthenticated
    │   ├── Forbidden             forbidden
    │   ├── TooLarge              too_large
    │   ├── RateLimited           rate_limited
    │   ├── BudgetTooSmall        budget_too_small
    │   ├── ProfileFull           profile_full
    │   └── BudgetExhausted       budget_exhausted
    └── SystemFault               the machine or the data is at fault
        ├── StorageError          storage
        │   ├── StorageBusy       storage_busy
        │   ├── StorageFull       storage_full
        │   └── StorageUnusable   storage_unusable
        ├── SchemaTooNew          schema_too_new
        ├── CorruptData           corrupt
        ├── Overloaded            overloaded
        ├── ServerUnavailable     server_unavailable
        ├── EmbedderUnavailable   embedder_unavailable
        ├── RerankerUnavailable   reranker_unavailable
        ├── ModelUnavailable      model_unavailable
        └── ModelAnswerUnusable   model_answer_unusable

Each class has a stable code and its HTTP, JSON-RPC and exit status, so that an interface only looks
them up. A message states what failed, which object is concerned, and what to do.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

if TYPE_CHECKING:
    from memoranda.model_request import TokenUsage


class MemorandaError(Exception):
    """A Memoranda operation failed."""

    code: ClassVar[str] = "error"
    http_status: ClassVar[int] = 500
    rpc_code: ClassVar[int] = -32603
    exit_code: ClassVar[int] = 1

    def __init__(self, message: str = "") -> None:
        meaning = type(self).__doc__ or MemorandaError.__doc__ or self.code
        super().__init__(message or meaning.partition("\n")[0])

    @property
    def figures(self) -> dict[str, bool | int | float]:
        """Return the numeric details of the error, which interfaces pass on."""
        attributes = vars(self).items()
        return {name: item for name, item in attributes if isinstance(item, bool | int | float)}


class UserError(MemorandaError):
    """The request cannot be carried out in its present form."""

    code = "user_error"
    http_status = 400
    rpc_code = -32000
    exit_code = 2


class InvalidInput(UserError):
    """A value in the request is not acceptable."""

    code = "invalid"
    http_status = 422
    rpc_code = -32602
    exit_code = 2


def empty_text(what: str) -> InvalidInput:
    """Return the error about a record whose text is empty."""
    return InvalidInput(f"{what} must contain text; pass the text to store")


class NotFound(UserError):
    """There is no object with that name in this scope."""

    code = "not_found"
    http_status = 404
    rpc_code = -32010
    exit_code = 3


class Conflict(UserError):
    """Another caller changed the object first, or the target is in use."""

    code = "conflict"
    http_status = 409
    rpc_code = -32011
    exit_code = 4


class Stale(Conflict):
    """The version is not the current one; read the object again."""

    code = "stale"
    http_status = 412
    rpc_code = -32016
    exit_code = 24


class Unauthenticated(UserError):
    """The key or token is missing, or does not identify a caller."""

    code = "unauthenticated"
    http_status = 401
    rpc_code = -32017
    exit_code = 9


class TooLarge(UserError):
    """The request is larger than the limit."""

    code = "too_large"
    http_status = 413
    rpc_code = -32018
    exit_code = 23


class RateLimited(UserError):
    """The caller has exceeded its rate limit; nothing was done."""

    code = "rate_limited"
    http_status = 429
    rpc_code = -32019
    exit_code = 20

    def __init__(self, message: str = "", *, retry_after: float = 1.0) -> None:
        super().__init__(message)
        self.retry_after = retry_after
        """Seconds after which another attempt may succeed."""


class Forbidden(UserError):
    """This caller may not perform that action."""

    code = "forbidden"
    http_status = 403
    rpc_code = -32012
    exit_code = 5


class BudgetTooSmall(UserError):
    """The critical facts alone exceed the token budget."""

    code = "budget_too_small"
    http_status = 422
    rpc_code = -32013
    exit_code = 6

    def __init__(self, message: str = "", *, needed: int = 0) -> None:
        super().__init__(message)
        self.needed = needed
        """Number of tokens that the critical facts need."""


class BudgetExhausted(UserError):
    """The monthly budget for language models does not cover another call."""

    code = "budget_exhausted"
    http_status = 402
    rpc_code = -32014
    exit_code = 7


class ProfileFull(UserError):
    """The profile has no room left for this memory; nothing was changed."""

    code = "profile_full"
    http_status = 409
    rpc_code = -32015
    exit_code = 8

    def __init__(
        self, message: str = "", *, used: int = 0, limit: int = 0, needed: int = 0
    ) -> None:
        super().__init__(message)
        self.used = used
        """Number of tokens that the profile uses."""
        self.limit = limit
        self.needed = needed
        """Number of additional tokens that the memory needs."""


class SystemFault(MemorandaError):
    """The failure of something other than the request."""

    code = "system"
    exit_code = 10


class StorageError(SystemFault):
    """The store could not perform the operation."""

    code = "storage"
    rpc_code = -32020


class StorageBusy(StorageError):
    """Another process kept the store locked for too long."""

    code = "storage_busy"
    http_status = 503
    rpc_code = -32021
    exit_code = 11


class StorageFull(StorageError):
    """The disk has no free space; nothing was changed."""

    code = "storage_full"
    http_status = 507
    rpc_code = -32022
    exit_code = 12


class StorageUnusable(StorageError):
    """The data directory or the database file cannot be opened or written."""

    code = "storage_unusable"
    rpc_code = -32023
    exit_code = 13


class SchemaTooNew(SystemFault):
    """The database was written by a newer version; nothing was touched."""

    code = "schema_too_new"
    rpc_code = -32024
    exit_code = 14


class CorruptData(SystemFault):
    """Stored data fails its integrity check."""

    code = "corrupt"
    rpc_code = -32025
    exit_code = 15


class Overloaded(SystemFault):
    """The server has more work than it can handle; nothing was done."""

    code = "overloaded"
    http_status = 503
    rpc_code = -32030
    exit_code = 21

    def __init__(self, message: str = "", *, retry_after: float = 1.0) -> None:
        super().__init__(message)
        self.retry_after = retry_after
        """Seconds after which another attempt may succeed."""


class ServerUnavailable(SystemFault):
    """The Memoranda server does not answer, or its answer is invalid."""

    code = "server_unavailable"
    http_status = 503
    rpc_code = -32031
    exit_code = 22


class EmbedderUnavailable(SystemFault):
    """The embedder cannot be loaded, or its answer is invalid."""

    code = "embedder_unavailable"
    http_status = 503
    rpc_code = -32026
    exit_code = 16


class RerankerUnavailable(SystemFault):
    """The reranker does not answer, or its answer is invalid."""

    code = "reranker_unavailable"
    http_status = 503
    rpc_code = -32027
    exit_code = 17


class ModelUnavailable(SystemFault):
    """A language model does not answer, or refuses to answer."""

    code = "model_unavailable"
    http_status = 503
    rpc_code = -32028
    exit_code = 18

    def __init__(
        self,
        message: str = "",
        *,
        may_pass: bool = False,
        pause: float | None = None,
        charged: bool = False,
    ) -> None:
        super().__init__(message)
        self.may_pass = may_pass
        """Whether another attempt may succeed."""
        self.pause = pause
        """Seconds to wait before another attempt, as requested by the provider."""
        self.charged = charged
        """Whether the provider may have charged for the request although no answer arrived."""
        self.cost = 0
        """Cost incurred despite the failure, in millionths of a dollar."""


class ModelAnswerUnusable(SystemFault):
    """The language model's answer does not have the requested form."""

    code = "model_answer_unusable"
    http_status = 502
    rpc_code = -32029
    exit_code = 19

    def __init__(self, message: str = "", *, usage: TokenUsage | None = None) -> None:
        super().__init__(message)
        self.usage = usage
        """Number of tokens of the answer, if the provider reports it."""
        self.cost = 0
        """Cost of the answer in millionths of a dollar."""


def public_text(error: MemorandaError, status: int) -> str:
    """Return the text of an error that a server may send to its caller.

    A failure with the status 500 contains names of files and addresses of the machine, which are
    intended only for the machine's log.
    """
    return str(type(error)()) if isinstance(error, SystemFault) and status == 500 else str(error)
