"""Shared directory of metrics for several server processes.

Whichever process is queried returns the metrics of all.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

SHARED = "PROMETHEUS_MULTIPROC_DIR"
"""Environment variable for the multiprocess mode of Prometheus's library."""


@contextmanager
def shared_figures(below: Path) -> Iterator[None]:
    """Provide a metrics directory for the processes started within.

    It is empty at first and removed afterwards, as are those of servers that were killed. It is set
    before any of them loads the library, which looks for it only then.
    """
    for folder in below.glob("*/"):
        if folder.name.isdecimal() and not lives(int(folder.name)):
            shutil.rmtree(folder, ignore_errors=True)
    own = below / str(os.getpid())
    shutil.rmtree(own, ignore_errors=True)
    own.mkdir(mode=0o700, parents=True)
    before = os.environ.get(SHARED)
    os.environ[SHARED] = str(own)
    try:
        yield
    finally:
        if before is None:
            del os.environ[SHARED]
        else:
            os.environ[SHARED] = before
        shutil.rmtree(own, ignore_errors=True)


def lives(process: int) -> bool:
    """Return whether a process with this id exists."""
    try:
        os.kill(process, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except PermissionError:
        return True
    return True
