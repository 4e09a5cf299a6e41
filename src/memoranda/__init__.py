"""Memoranda: a memory system for AI agents.

    from memoranda import Memoranda

    with Memoranda.open() as memory:
        print(memory.context(budget=2000).text)

Importing this package is cheap: public names are loaded when first used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from memoranda.lazy_exports import lazy_exports
from memoranda.version import __version__

if TYPE_CHECKING:
    from memoranda.asynchronous import AsyncMemoranda as AsyncMemoranda
    from memoranda.blocks.changes import NewBlock as NewBlock
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

__getattr__ = lazy_exports(
    __name__,
    {
        "AsyncMemoranda": "memoranda.asynchronous",
        "Memoranda": "memoranda.memory",
        "MemorandaError": "memoranda.exceptions",
        "NewBlock": "memoranda.blocks.changes",
        "NewDocument": "memoranda.documents.model",
        "Scope": "memoranda.scope",
    },
)
