"""A memory with an action injected before a call, for reproducible races."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

from memoranda import Memoranda
from memoranda.resource_attributes import NOUNS


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
    """Return a memory that runs an action before the n-th call of a method.

    A method is named with its noun: ``documents_put``.
    """
    steps = {name: [*([_nothing] * (call - 1)), work] for name, work in before.items()}
    return cast(Memoranda, _Meddled(memory, steps))


def _nothing() -> None:
    pass
