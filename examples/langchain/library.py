"""Texts found by meaning, and what an agent did, with LangChain: no key, no network.

pip install 'memoranda[langchain]'
python library.py add "She drinks green tea every morning." "The car is repaired in May."
python library.py ask "What is her favourite hot beverage?"
"""

from __future__ import annotations

import sys

from memoranda import Memoranda
from memoranda.integrations.langchain import MemorandaRetriever, MemorandaVectorStore


def main(what: str, *texts: str) -> None:
    """Keep texts, or ask: of the texts, and of what happened in the workspace library."""
    with Memoranda.open() as memory:
        store = MemorandaVectorStore(memory, workspace="library")
        if what == "add":
            store.add_texts(texts)
            memory.observe(f"{len(texts)} texts were added.", workspace="library")
            print(f"kept: {len(texts)}")
            return
        question = " ".join(texts)
        (best,) = store.similarity_search(question, k=1)
        print(best.page_content)
        for one in MemorandaRetriever(memory=memory, workspace="library").invoke("texts added"):
            print(f"known: {one.page_content}")


if __name__ == "__main__":
    main(*sys.argv[1:])
