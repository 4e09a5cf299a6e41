"""Memoranda: a memory system for AI agents.

    from memoranda import Memoranda

    with Memoranda.open() as memory:
        print(memory.context(budget=2000).text)

Importing this package is cheap: public names are loaded when first used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from memoranda.version import __version__

if TYPE_CHECKING:
    from memoranda.asynchronous import AsyncMemoranda as AsyncMemoranda
    from memoranda.blocks.block_writer import NewBlock as NewBlock
    from memoranda.documents.model import NewDocument as NewDocument
    from memoranda.exceptions import MemorandaError as MemorandaError
    from memoranda.memory import Memoranda as Memoranda
    from memoranda.scope import Scope as Scope

__all__ = [
    "AsyncMemoranda",
    "Memoranda",
    "MemorandaError",
    "NewBlock",
    "NewDocument",
    "Scope",
    "__version__",
]

_MODULES = {
    "AsyncMemoranda": "memoranda.asynchronous",
    "Memoranda": "memoranda.memory",
    "MemorandaError": "memoranda.exceptions",
    "NewBlock": "memoranda.blocks.block_writer",
    "NewDocument": "memoranda.documents.model",
    "Scope": "memoranda.scope",
}


def __getattr__(name: str) -> Any:
    """Load a public name from its module when it is first used (PEP 562)."""
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(_MODULES[name]), name)
