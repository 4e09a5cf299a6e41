"""Types imported only for type checkers are resolved as well."""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NoReturn

import pytest

from memoranda import Memoranda
from memoranda.calls import type_hints as hints

if TYPE_CHECKING:
    from decimal import Decimal

    from memoranda.memories.model import Memory

    Prices = list[Decimal]


@dataclass
class Sale:
    """Something with types that are not there at run time."""

    prices: Prices
    told: Memory | None = None


def test_lazy_modules_are_imported_on_request() -> None:
    from decimal import Decimal

    from memoranda.memories.model import Memory

    assert hints.fields(Sale) == {"prices": list[Decimal], "told": Memory | None}


def test_no_syntax_tree_is_made(monkeypatch: pytest.MonkeyPatch) -> None:
    """Before Python 3.13, two threads that build one at once sometimes fail."""

    def fail(*_: object) -> NoReturn:
        raise SystemError

    monkeypatch.setattr(ast, "parse", fail)
    described: Callable[..., Any] = Memoranda.remember
    for known in (hints.hints, hints.guarded_imports):
        known.cache_clear()
    assert hints.hints(described)["return"].__name__ == "Memory"
