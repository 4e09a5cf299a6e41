"""Converts PostgreSQL's errors to Memoranda's, without the password."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from psycopg import DataError, Error, IntegrityError, OperationalError, conninfo, errors
from psycopg_pool import PoolTimeout

from memoranda.exceptions import (
    InvalidInput,
    StorageBusy,
    StorageError,
    StorageFull,
    StorageUnusable,
)
from memoranda.text import text_lines

_BUSY = (errors.QueryCanceled, errors.LockNotAvailable, errors.TooManyConnections,
         errors.DeadlockDetected, errors.SerializationFailure)  # fmt: skip
_REFUSED = (errors.InvalidPassword, errors.InvalidAuthorizationSpecification)
_TOO_LARGE = (errors.ProgramLimitExceeded, errors.StringDataRightTruncation)


_EXAMPLE = "postgresql://login@host:5432/database"


class ConnectionLost(Exception):
    """The connection broke; a query must find out if a commit succeeded."""

    def unusable(self, place: str) -> StorageError:
        """Return the error for a caller that will not retry."""
        return StorageUnusable(f"{place} does not answer: {self}")


def redacted_address(url: str) -> str:
    """Return an address without user and password: host:port/database.

    Raises:
        InvalidInput: the text is not an address of a PostgreSQL database.
    """
    try:
        parts = conninfo.conninfo_to_dict(url)
    except Error:  # the driver's message would contain the address with its password
        raise InvalidInput(f"not a URL such as {_EXAMPLE}") from None
    place = f"{parts.get('host', 'localhost')}:{parts.get('port', 5432)}"
    return f"{place}/{parts.get('dbname', parts.get('user', ''))}"


class PoolExhausted(ConnectionLost):
    """No connection became available in time; nothing was started."""

    def unusable(self, place: str) -> StorageBusy:
        """Return the error for a caller that will not retry."""
        return StorageBusy(f"no connection to {place}: {self}; try again")


@contextmanager
def storage_faults(place: str) -> Iterator[None]:
    """Map the driver's exceptions to error classes.

    A broken connection becomes `ConnectionLost`.
    """
    try:
        yield
    except Error as error:
        raise _fault(error, place) from error


def _fault(error: Error, place: str) -> Exception:
    message = text_lines(str(error))[0] if str(error) else type(error).__name__
    if isinstance(error, PoolTimeout):
        return PoolExhausted("the server is unavailable, or every connection is in use")
    if isinstance(error, _BUSY):
        return StorageBusy(f"{place} was too busy: {message}; try again")
    if isinstance(error, errors.DiskFull):
        return StorageFull(f"the disk of {place} is full; nothing was changed")
    if isinstance(error, errors.InsufficientPrivilege) and "row-level security" in message:
        return StorageError(f"{place} refused a row of another team: {message}")
    if isinstance(error, errors.InsufficientPrivilege):
        remedy = "to see which rights the application needs, run `memoranda db roles`"
        return StorageUnusable(f"{place} refused: {message}; {remedy}")
    if isinstance(error, (errors.UndefinedTable, errors.InvalidSchemaName)):
        return StorageUnusable(f"{place} has no Memoranda tables; run `memoranda db migrate`")
    if isinstance(error, _REFUSED):
        return StorageUnusable(f"{place} refused the login: {message}")
    if isinstance(error, (*_TOO_LARGE, DataError)):
        return InvalidInput(f"{place} cannot hold this value: {message}")
    if isinstance(error, IntegrityError):
        return StorageError(f"{place} refused the row: {message}")
    if isinstance(error, OperationalError):
        return ConnectionLost(message)
    return StorageError(f"{place} refused the operation: {message}")
