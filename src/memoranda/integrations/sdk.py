"""The package that an adapter fits into, where it is missing, too old, or another of its name."""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from typing import Any


@dataclass(frozen=True, slots=True)
class Sdk:
    """A package, and the versions of it that will do."""

    package: str
    module: str
    oldest: str
    below: str
    extra: str
    """The extra of Memoranda that installs it."""

    def refusal(self) -> ImportError:
        """Return what to raise where it cannot be used: what is needed, and what is here."""
        return ImportError(
            f"this needs {self.package} {self.oldest} or newer, below {self.below}: "
            f"pip install 'memoranda[{self.extra}]' ({self._found()})"
        )

    def check(self) -> None:
        """Refuse a version that is too old. A newer one than is known may do.

        Raises:
            ImportError: it is too old; the message says what is needed, and what is here.
        """
        here = self._version()
        if here and _numbers(here) < _numbers(self.oldest):
            raise self.refusal()

    def _version(self) -> str | None:
        try:
            return version(self.package)
        except PackageNotFoundError:
            return None

    def _found(self) -> str:
        here = self._version()
        if here and _numbers(here) < _numbers(self.oldest):
            return f"version {here} is installed"
        loaded: Any = sys.modules.get(self.module)
        places = [getattr(loaded, "__file__", None), *getattr(loaded, "__path__", ())]
        place = next(filter(None, places), None)
        # Many a program has a folder called agents.
        if place:
            return f"what is imported as {self.module!r} here is {place}"
        return f"version {here} is installed, but not whole" if here else "it is not installed"


def _numbers(version: str) -> list[int]:
    return [int(digits) for digits in re.findall(r"\d+", version)[:3]]
