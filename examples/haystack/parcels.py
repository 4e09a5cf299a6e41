"""A pipeline of Haystack that answers from documents which Memoranda keeps.

    pip install memoranda 'haystack-ai>=3.4,<4'
    python parcels.py add "Parcels for Portugal go by ship." "Invoices are sent on Fridays."
    python parcels.py ask "How do parcels get to Lisbon?"

The vectors are made here, without a key; the answer is the model's.
"""

from __future__ import annotations

import os
import sys

from haystack import Document, Pipeline
from haystack.components.builders import ChatPromptBuilder
from haystack.components.generators.chat import OpenAIChatGenerator
from haystack.dataclasses import ChatMessage

from memoranda.integrations.haystack import MemorandaDocumentStore, MemorandaEmbeddingRetriever
from memoranda.integrations.vectors import offline_embedder

MODEL = os.environ.get("MODEL", "gpt-5-mini")
PROMPT = """Answer from these documents:
{% for one in documents %}{{ one.content }}
{% endfor %}
Question: {{ question }}"""


def main(what: str, *texts: str) -> None:
    """Keep texts, or ask what they say."""
    store, embed = MemorandaDocumentStore(workspace="parcels"), offline_embedder()
    if what == "add":
        vectors = embed(list(texts))
        pairs = zip(texts, vectors, strict=True)
        print(
            f"kept: {store.write_documents([Document(content=t, embedding=v) for t, v in pairs])}"
        )
        return
    question = " ".join(texts)
    pipeline = Pipeline()
    pipeline.add_component("retriever", MemorandaEmbeddingRetriever(store, top_k=1))
    template = [ChatMessage.from_user(PROMPT)]
    pipeline.add_component("prompt", ChatPromptBuilder(template, required_variables="*"))
    pipeline.add_component("model", OpenAIChatGenerator(model=MODEL))
    pipeline.connect("retriever.documents", "prompt.documents")
    pipeline.connect("prompt.prompt", "model.messages")
    given = {"retriever": {"query_embedding": embed([question])[0]}}
    found = pipeline.run({**given, "prompt": {"question": question}})
    print(found["model"]["replies"][0].text)


if __name__ == "__main__":
    main(*sys.argv[1:])
