"""CrewAI's memory, kept by Memoranda and found by meaning: no key, no network.

    pip install memoranda 'crewai>=1.15,<2'
    python taste.py keep /crew/tea "She drinks green tea every morning."
    python taste.py keep /crew/car "The car is repaired in May."
    python taste.py ask "What is her favourite hot beverage?"

Give `Memory` a model (`llm=`) instead, and it finds scopes, categories and importance by itself.
"""

from __future__ import annotations

import sys

from crewai.memory.unified_memory import Memory

from memoranda import Memoranda
from memoranda.integrations.crewai import MemorandaStorage
from memoranda.integrations.vectors import offline_embedder


def main(what: str, *words: str) -> None:
    """Keep a text in a scope, or ask."""
    with Memoranda.open() as store:
        storage = MemorandaStorage(store, workspace="crew")
        memory = Memory(storage=storage, embedder=offline_embedder(), llm=None)
        if what == "keep":
            scope, *text = words
            given = {"categories": ["taste"], "importance": 0.5, "metadata": {}}
            memory.remember(" ".join(text), scope=scope, **given)
            print(f"kept: {memory.list_scopes('/crew')}")
        else:
            (found,) = memory.recall(" ".join(words), depth="shallow", limit=1)
            print(f"{found.record.scope}: {found.record.content}")
        memory.close()


if __name__ == "__main__":
    main(*sys.argv[1:])
