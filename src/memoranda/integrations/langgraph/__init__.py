"""LangGraph on Memoranda: a checkpointer, and a store.

    graph = builder.compile(checkpointer=MemorandaSaver(memory), store=MemorandaStore(memory))

Both are built on documents (`Memoranda.document_put`), so they work with every engine and with a
server. A state is returned exactly as it was stored; a state that contains a credential is refused.
"""

from __future__ import annotations

from memoranda.integrations.version_check import supported

with supported("langgraph-checkpoint", "4.3", "5", "memoranda[langgraph]"):
    from langgraph.checkpoint.base import writes_sort_key as _writes_sort_key  # noqa: F401 - since 4.3
    from langgraph.store.base import BaseStore as _BaseStore  # noqa: F401

from memoranda.integrations.langgraph.offline_index import offline_index as offline_index
from memoranda.integrations.langgraph.saver import MemorandaSaver as MemorandaSaver
from memoranda.integrations.langgraph.store import MemorandaStore as MemorandaStore
