"""Compare a graph's state from this saver and from LangGraph's own.

One state contains a credential.
"""

import dataclasses
import datetime
import json
import logging
import math
import uuid
from pathlib import Path
from typing import Any, TypedDict

from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import END, START, StateGraph

from memoranda import Memoranda
from memoranda.integrations.langgraph import MemorandaSaver

logging.disable(logging.WARNING)


class State(TypedDict):
    x: Any


@dataclasses.dataclass
class Seat:
    row: int
    name: str


def back(saver: Any, x: Any, thread: str) -> Any:
    graph = StateGraph(State)
    graph.add_node("n", lambda _: {"x": x})
    graph.add_edge(START, "n")
    graph.add_edge("n", END)
    app = graph.compile(checkpointer=saver)
    config = {"configurable": {"thread_id": thread}}
    app.invoke({"x": None}, config)
    return app.get_state(config).values["x"]


STATES = [
    *({"session_id": id} for id in ("chat-42", "conv_8f3a21", "room12_table7", "ada-2")),
    {"sessionId": "2026-10-01#3", "sid": "S1234567", "page_token": "abc123def"},
    {"token": "BTC2024x", "otp": "none-needed1", "password": "hunter2"},
    {"nested": [{"password": "p4ssw0rd", "api_key": "Zq8fLw2Xv9"}] * 40},
    {(1, 2): "grid", ((1, 2), (3,)): {"x": (1,)}},
    {1: "a", "b": 2, None: 3, 2.5: 4},
    {"nul": "a\0b", "k\0": "\0"},
    ["a\0"] * 40,
    b"\x00\xff",
    {b"k": b"v"},
    {1, 2, 3},
    [math.nan, math.inf, -0.0, -(2**63)],
    Seat(1, "x\0"),
    datetime.datetime(2026, 10, 31, tzinfo=datetime.UTC),
    uuid.UUID(int=7),
    {"text": "<private>seen by the program</private>", "b": 1, "a": 2},
    {"$bytes": "x", "$pairs": [1], "$ext": 3, "$names": []},
]
SECRET = "ghp_" + "Ab3dE9fG" * 5

with Memoranda.open(workspace="w") as memory:
    differs = []
    for number, state in enumerate(STATES):
        ours = back(MemorandaSaver(memory), state, f"t{number}")
        theirs = back(InMemorySaver(), state, f"t{number}")
        if repr(ours) != repr(theirs):
            differs.append(repr(state))
    refused = []
    try:
        back(MemorandaSaver(memory), {"text": f"use {SECRET}"}, "s")
    except Exception as error:
        refused.append(type(error).__name__)
stored = any(SECRET.encode() in f.read_bytes() for f in Path().rglob("*") if f.is_file())
print(json.dumps({"differs": differs, "refused": refused, "stored": stored}))
