"""Compare checkpoint sizes of a long LangGraph thread for two savers.

The other is LangGraph's own saver on SQLite: pip install langgraph-checkpoint-sqlite
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Annotated, Any, TypedDict

from langchain_core.messages import AIMessage, HumanMessage
from langgraph.graph import END, START, StateGraph
from langgraph.graph.message import add_messages

from measuring.report import Report, parser, progress
from memoranda import Memoranda
from memoranda.integrations.langgraph import MemorandaSaver

THREAD: Any = {"configurable": {"thread_id": "long"}}
WORDS = (Path(__file__).parents[1] / "docs" / "search.md").read_text("utf-8").split()
SHARE = 0.25
"""Maximum size as a share of the other saver's."""
AT_EACH_END = 20
CHECKPOINTS_OF_A_TURN = 3
"""Checkpoints per turn: of the input, before the node, and after it."""


class Chat(TypedDict):
    """A conversation."""

    messages: Annotated[list[Any], add_messages]


@dataclass(frozen=True, slots=True)
class Made:
    """Measurements of a thread."""

    checkpoints: int
    bytes: int
    first: float
    """Median seconds of the first turns."""
    last: float
    values: Any


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure both savers, and the size after pruning Memoranda's."""
    options = _options(arguments)
    report = Report("graph_threads", vars(options))
    with tempfile.TemporaryDirectory() as folder:
        ours = _ours(Path(folder) / "ours")
        made = _measured(report, "Memoranda", ours, Path(folder) / "ours", options.steps)
        other = _measured(
            report, "SqliteSaver", _theirs(Path(folder) / "theirs"), Path(folder) / "theirs",
            options.steps,
        )  # fmt: skip
        report.claim("both have the same messages", made.values == other.values)
        report.claim(
            f"bytes are below {SHARE:.0%} of the other's", made.bytes < SHARE * other.bytes
        )
        _prune(report, ours, made)
    return report.finish(as_json=options.json)


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    options = parser(__doc__)
    options.add_argument("--steps", type=int, default=1_000, help="Checkpoints of the thread.")
    return options.parse_args(arguments)


def _ours(folder: Path) -> Callable[[], AbstractContextManager[Any]]:
    @contextmanager
    def opened() -> Iterator[MemorandaSaver]:
        with Memoranda.open(folder) as memory:
            yield MemorandaSaver(memory)

    return opened


def _theirs(folder: Path) -> Callable[[], AbstractContextManager[Any]]:
    try:
        from langgraph.checkpoint.sqlite import SqliteSaver
    except ImportError:
        sys.exit("pip install langgraph-checkpoint-sqlite: it is measured beside ours")
    folder.mkdir()
    return lambda: SqliteSaver.from_conn_string(str(folder / "states.db"))


def _measured(
    report: Report,
    name: str,
    opened: Callable[[], AbstractContextManager[Any]],
    folder: Path,
    steps: int,
) -> Made:
    with opened() as saver:
        list(saver.list(THREAD))  # creates its tables
    before = _bytes(folder)
    words, taken = random.Random(7), list[float]()
    with opened() as saver:
        graph = _chat(saver, words)
        turns = -(-steps // CHECKPOINTS_OF_A_TURN)
        for turn in range(turns):
            progress(f"{name}: turn {turn + 1} of {turns}")
            began = time.monotonic()
            message = HumanMessage(_text(words), id=f"h{turn}")
            graph.invoke({"messages": [message]}, THREAD)
            taken.append(time.monotonic() - began)
        values = graph.get_state(THREAD).values["messages"]
        count = sum(1 for _ in saver.list(THREAD))
    made = Made(
        count,
        _bytes(folder) - before,
        median(taken[:AT_EACH_END]),
        median(taken[-AT_EACH_END:]),
        values,
    )
    report.add(name, "checkpoints", f"{count:,}", note=f"{len(values):,} messages at the end")
    report.add(name, "size", f"{made.bytes / 1e6:,.1f}", "MB")
    report.add(name, "of a checkpoint", f"{made.bytes / count:,.0f}", "bytes")
    report.add(name, "first turns", f"{1e3 * made.first:,.0f}", "ms p50")
    report.add(name, "last turns", f"{1e3 * made.last:,.0f}", "ms p50")
    return made


def _prune(report: Report, opened: Callable[[], AbstractContextManager[Any]], made: Made) -> None:
    with opened() as saver:
        began = time.monotonic()
        saver.prune(["long"])
        report.add("Memoranda", "pruning", f"{time.monotonic() - began:,.1f}", "s")
        graph = _chat(saver, random.Random(7))
        left = sum(1 for _ in saver.list(THREAD))
        same = graph.get_state(THREAD).values["messages"] == made.values
        report.claim("pruning leaves one checkpoint with the same messages", same and left == 1)


def _chat(saver: Any, words: random.Random) -> Any:
    def answer(state: Chat) -> dict[str, Any]:
        return {"messages": [AIMessage(_text(words), id=f"a{len(state['messages'])}")]}

    graph = StateGraph(Chat)
    graph.add_node("answer", answer)
    graph.add_edge(START, "answer")
    graph.add_edge("answer", END)
    return graph.compile(checkpointer=saver)


def _text(words: random.Random) -> str:
    return " ".join(words.choices(WORDS, k=60))


def _bytes(folder: Path) -> int:
    return sum(one.stat().st_size for one in folder.rglob("*") if one.is_file())


if __name__ == "__main__":
    raise SystemExit(main())
