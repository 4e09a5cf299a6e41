"""Checks that a third-party package has a supported version."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.metadata import PackageNotFoundError, version
from itertools import takewhile
from typing import Any


@contextmanager
def supported(
    package: str, least: str, below: str, install: str | None = None, module: str = ""
) -> Iterator[None]:
    """Import a package within the context; require a supported version.

    Supported versions range from ``least`` up to, but not including, ``below``.

    An unsupported version is refused at once, even if it has the same names, since differences
    would otherwise cause errors later.

    Args:
        install: argument for pip; by default the package with the supported version range.
        module: name by which the package is imported, if other programs may use the same folder
            name.

    Raises:
        ImportError: the package is not installed, or its version is not supported; the message
            states the supported range.
    """
    try:
        found = version(package)
        if not _release(least) <= _release(found) < _release(below):
            raise ImportError(f"{package} {found}")
        yield
    except (ImportError, PackageNotFoundError) as error:
        there = f"{_installed(package)} is installed{_import_location(module)}"
        wanted = install or f"{package}>={least},<{below}"
        raise ImportError(
            f"this needs {package} {least} or newer, below {below}; {there}: pip install '{wanted}'"
        ) from error


def _installed(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "none"


def _import_location(module: str) -> str:
    loaded: Any = sys.modules.get(module)
    place = next(iter(getattr(loaded, "__path__", ())), None)
    return f", and what is imported as {module!r} here is {place}" if place else ""


def _release(text: str) -> tuple[int, ...]:
    """Return the leading numbers of a version: for 3.0rc1, 3 and 0."""
    numbers = ["".join(takewhile(str.isdigit, part)) for part in text.split(".")]
    return tuple(int(item) for item in takewhile(bool, numbers))
