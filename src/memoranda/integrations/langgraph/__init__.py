"""LangGraph on Memoranda: a checkpointer, and a store.

    graph = builder.compile(checkpointer=MemorandaSaver(memory), store=MemorandaStore(memory))

Both stand on documents (`Memoranda.document_put`), so they work on every engine and over a server,
and no secret is kept in a state.
"""

from __future__ import annotations

try:
    from langgraph.checkpoint.base import writes_sort_key as _writes_sort_key  # noqa: F401 - since 4.3
    from langgraph.store.base import BaseStore as _BaseStore  # noqa: F401
except ImportError as error:
    raise ImportError(
        "LangGraph's interfaces are needed, langgraph-checkpoint 4.3 or newer, below 5: "
        "pip install 'memoranda[langgraph]'"
    ) from error

from memoranda.integrations.langgraph.offline import offline_index as offline_index
from memoranda.integrations.langgraph.saver import MemorandaSaver as MemorandaSaver
from memoranda.integrations.langgraph.store import MemorandaStore as MemorandaStore
