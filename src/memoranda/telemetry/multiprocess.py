"""Where several processes of a server keep their figures, so that whichever is asked has all."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

SHARED = "PROMETHEUS_MULTIPROC_DIR"
"""The variable of the environment by which Prometheus's library knows that there are several."""


@contextmanager
def shared_figures(below: Path) -> Iterator[None]:
    """Give the processes that are started within a directory of their own, empty at first and
    gone afterwards; those of servers that were killed go, too.

    It is named before any of them loads the library, which looks for it only then.
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
    """Say whether there is a process of a number."""
    try:
        os.kill(process, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except PermissionError:
        return True
    return True
