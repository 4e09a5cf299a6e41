"""Maps SQLite's errors to ours."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import apsw

from memoranda.exceptions import (
    CorruptData,
    StorageBusy,
    StorageError,
    StorageFull,
    StorageUnusable,
)


def damaged(path: Path, error: apsw.Error) -> CorruptData:
    """Return the error that a database file is damaged, with what to do."""
    return CorruptData(
        f"{path} is damaged ({error}); run `memoranda doctor`, "
        "restore the newest backup: memoranda restore FILE"
    )


@contextmanager
def storage_faults(path: Path) -> Iterator[None]:
    """Map exceptions of the driver and file system to error classes.

    They name the file.
    """
    try:
        yield
    except apsw.BusyError as error:
        raise StorageBusy(f"{path} stayed locked by another process; try again") from error
    except apsw.FullError as error:
        raise StorageFull(f"the disk of {path} is full; nothing was changed") from error
    except (apsw.CantOpenError, apsw.ReadOnlyError, apsw.PermissionsError) as error:
        raise StorageUnusable(f"cannot open or write {path}: {error}") from error
    except (apsw.CorruptError, apsw.NotADBError) as error:
        raise damaged(path, error) from error
    except apsw.IOError as error:
        raise StorageError(f"reading or writing {path} failed: {error}") from error
    except apsw.Error as error:
        raise StorageError(f"{path} refused the operation: {error}") from error
    except OSError as error:
        raise StorageUnusable(f"cannot open or write {path}: {error.strerror}") from error
