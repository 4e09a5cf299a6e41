"""A memory in which something else happens right before a call: races that are always the same."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

from memoranda import Memoranda
from memoranda.nouns import NOUNS


class _Meddled:
    def __init__(
        self, memory: Any, before: dict[str, list[Callable[[], object]]], noun: str = ""
    ) -> None:
        self._memory = memory
        self._before = before
        self._noun = noun

    def __getattr__(self, name: str) -> Any:
        method = getattr(self._memory, name)
        if name in NOUNS:
            return _Meddled(method, self._before, f"{name}_")
        key = f"{self._noun}{name}"

        def called(*value: Any, **named: Any) -> Any:
            if self._before.get(key):
                self._before[key].pop(0)()
            return method(*value, **named)

        return called


def meddled(memory: Memoranda, *, call: int = 1, **before: Callable[[], object]) -> Memoranda:
    """Return a memory that does something before a call of a method, the first one or a later.

    A method is named with its noun: ``documents_put``.
    """
    steps = {name: [*([_nothing] * (call - 1)), work] for name, work in before.items()}
    return cast(Memoranda, _Meddled(memory, steps))


def _nothing() -> None:
    pass
