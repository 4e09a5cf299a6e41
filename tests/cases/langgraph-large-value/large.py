"""Run a graph whose state has large values; print whether they come back."""

import json
from typing import Any, TypedDict

from langgraph.graph import END, START, StateGraph

from memoranda import Memoranda, NewDocument
from memoranda.exceptions import MemorandaError
from memoranda.integrations.langgraph import MemorandaSaver

SIZES = [5_000_000, 30_000_000, 30_000_000]


class State(TypedDict):
    first: Any
    second: Any
    third: Any


values = [chr(97 + at) * size for at, size in enumerate(SIZES)]
with Memoranda.open(workspace="w") as memory:
    graph = StateGraph(State)
    graph.add_node("fill", lambda state: dict(zip(State.__annotations__, values, strict=True)))
    graph.add_edge(START, "fill")
    graph.add_edge("fill", END)
    app = graph.compile(checkpointer=MemorandaSaver(memory))
    config = {"configurable": {"thread_id": "t"}}
    app.invoke({"first": None}, config)
    found = app.get_state(config).values
    report = {"same": list(found.values()) == values, "sizes": [len(one) for one in found.values()]}
    try:
        memory.documents.put("s", [NewDocument("k", "x" * 64_000_001)])
        refused = ""
    except MemorandaError as error:
        refused = error.code
print(json.dumps([report, refused]))
