"""A graph that goes on where it was, and knows in one thread what was said in another.

    pip install 'memoranda[langgraph,anthropic]' langgraph
    python companion.py monday "I like oolong tea"
    python companion.py tuesday "What shall I drink?"

The state of each thread is kept by the checkpointer, what is known of the person by the store.
"""

from __future__ import annotations

import os
import sys
from typing import Annotated, Any, TypedDict

from anthropic import Anthropic
from langchain_core.messages import AIMessage, HumanMessage
from langgraph.graph import END, START, StateGraph
from langgraph.graph.message import add_messages
from langgraph.store.base import BaseStore

from memoranda import Memoranda
from memoranda.integrations.langgraph import MemorandaSaver, MemorandaStore, offline_index

MODEL = os.environ.get("MODEL", "claude-sonnet-5-5")
ADA = ("people", "ada")


class Talk(TypedDict):
    messages: Annotated[list[Any], add_messages]


def answer(state: Talk, *, store: BaseStore) -> dict[str, Any]:
    """Ask the model, with what fits of what is known."""
    said = str(state["messages"][-1].content)
    known = store.search(ADA, query=said, limit=5)
    told = Anthropic().messages.create(
        model=MODEL,
        max_tokens=1_024,
        system="Known of this person:\n" + "\n".join(one.value["text"] for one in known),
        messages=[
            {"role": "user" if isinstance(one, HumanMessage) else "assistant", "content": one.text}
            for one in state["messages"]
        ],
    )
    store.put(ADA, said, {"text": said})
    text = "".join(part.text for part in told.content if part.type == "text")
    return {"messages": [AIMessage(text)]}


def main(thread: str, said: str) -> None:
    """Say one thing in a thread and print what is answered."""
    builder = StateGraph(Talk)
    builder.add_node("answer", answer)
    builder.add_edge(START, "answer")
    builder.add_edge("answer", END)
    with Memoranda.open() as memory:
        graph = builder.compile(
            checkpointer=MemorandaSaver(memory),
            store=MemorandaStore(memory, index=offline_index(["text"])),
        )
        config: Any = {"configurable": {"thread_id": thread}}
        done = graph.invoke({"messages": [HumanMessage(said)]}, config)
        print(done["messages"][-1].text)


if __name__ == "__main__":
    main(sys.argv[1], " ".join(sys.argv[2:]))
