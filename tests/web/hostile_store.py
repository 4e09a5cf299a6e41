"""A memory whose every text is a hostile one: each payload in each field that a caller can set."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from memoranda import Memoranda
from memoranda.api.service import Service
from memoranda.blocks.block_writer import NewBlock
from memoranda.capture.event import Event, EventKind, EventSource
from memoranda.config import load_settings
from memoranda.exceptions import Conflict, InvalidInput, NotFound, ProfileFull
from memoranda.identity.principal import Principal, Role, owner
from memoranda.memories.link_model import Reference, ReferenceKind
from memoranda.memories.memory_service import NewMemory
from memoranda.observations.model import ObservationType, Origin
from memoranda.proposals.model import MemoryEdit
from memoranda.text import normalise

LIST = Path(__file__).parent / "payloads.txt"
YARD = "yard"
BOB = "bob"
REFUSALS = (InvalidInput, Conflict, NotFound, ProfileFull)
"""What may be said to a text that does not fit: too long, nothing visible in it, known already."""
FAMILY = re.compile(r"\[[a-z]+\]")
CODE = re.compile("⟦([0-9a-f]+)⟧")
MARK = re.compile(r"q\d{3}[a-z]{2}z")
"""What tells which payload of which field a text is: its number and two letters."""
ROOM = 9_000
"""Tokens of one profile that are filled."""
FIELDS = {
    "oc": "what a tool gave back", "oi": "a command", "of": "a file", "ot": "the name of a tool",
    "oa": "the agent of a step", "og": "a tag of a step", "od": "a decision", "oe": "a failure",
    "on": "words of a person", "tg": "a goal", "ts": "a session", "th": "a host",
    "wn": "the name of a workspace", "wm": "a memory there", "mc": "a memory",
    "mt": "its title", "mg": "its tag", "mr": "what it refers to", "me": "an edited memory",
    "mw": "why it was edited", "ma": "why it was archived", "pc": "an entry of a profile",
    "bl": "the label of a block", "bv": "its value", "bd": "its description", "bw": "a later value",
    "br": "why it was changed", "ba": "an agent that holds it", "bo": "as what",
    "cd": "what a checkpoint is for", "ck": "a name in a state", "cv": "a value in a state",
    "cg": "the goal of a fork", "ed": "an error", "ex": "what was being done", "er": "how it ended",
    "fb": "feedback", "fa": "what it is about", "pp": "a proposed memory", "pt": "its title",
    "pg": "its tag", "pa": "the agent that proposes", "pe": "a proposed change", "pr": "its reason",
    "pn": "why it was rejected", "sr": "why a stage began", "in": "what came of an intervention",
    "xp": "a file that is never kept", "mm": "a message",
    "qs": "the query of an address", "qp": "a name in an address",
}  # fmt: skip
NOWHERE = {"og", "ts", "fb"}
"""Those that no page shows: tags of events that are none, ids of sessions, words of feedback."""


def payloads() -> list[str]:
    """Return every hostile text, with ``@`` where its mark goes."""
    lines = LIST.read_text("utf-8").splitlines()
    found = [one for one in lines if one and not one.startswith("# ")]
    return [
        CODE.sub(lambda code: chr(int(code[1], 16)), one)
        for one in found
        if not FAMILY.fullmatch(one)
    ]


@dataclass
class Hostile:
    """Puts texts where they can be put, and counts those that were refused."""

    texts: Sequence[str]
    folder: Path = Path()
    ids: dict[str, list[str]] = field(default_factory=dict)
    """By kind, what was made."""
    refused: Counter[str] = field(default_factory=Counter)

    def text(self, code: str, number: int) -> str:
        """Return a payload as it is put into a field."""
        return self.texts[number].replace("@", f"q{number:03}{code}z")

    def named(self, mark: str) -> str:
        """Return the text that a mark stands in."""
        return self.text(mark[4:6], int(mark[1:4]))

    def tried(self, kind: str, work: Callable[[], Any]) -> Any:
        """Do something; count it where the text does not fit."""
        try:
            made = work()
        except REFUSALS:
            self.refused[kind] += 1
            return None
        if found := getattr(made, "id", None) or getattr(getattr(made, "memory", None), "id", None):
            self.ids.setdefault(kind, []).append(found)
        return made


def make(folder: Path, texts: Sequence[str], share: int = 1) -> Hostile:
    """Make it in a folder; each text goes into one in ``share`` kinds of things, in turn."""
    hostile, numbers = Hostile(texts, folder), range(len(texts))
    turns = [numbers[-turn % share :: share] for turn in range(8)]
    _settings(folder, hostile, numbers)
    settings = load_settings({"data_dir": folder, "embedder": "none"}, {})
    with Memoranda.open(settings=settings, workspace=YARD) as person:
        _happen(person, hostile, turns[0])
        _begin(person, hostile, turns[1])
        for turn, put in enumerate((_know, _hold, _fail), 2):
            for number in turns[turn]:
                put(person, hostile, number)
        _profiles(person, hostile, turns[5])
        _stages(person, hostile, turns[6])
    _propose(folder, hostile, turns[7])
    with Memoranda.open(settings=settings, workspace=YARD) as person:
        person.capture.drain()
        for number, one in enumerate(person.supervisor.interventions(limit=200).items):
            text = hostile.text("in", number % len(texts))
            hostile.tried("outcome", lambda one=one, text=text: person.supervisor.outcome(
                one.id, "helped", note=text))  # fmt: skip
    return hostile


def _settings(folder: Path, hostile: Hostile, numbers: Sequence[int]) -> None:
    """Have files of hostile names never kept."""
    folder.mkdir(parents=True, exist_ok=True)
    paths = [f"/nowhere/{hostile.text('xp', number)}" for number in numbers]
    plain = [one for one in paths if one.isprintable() and "\0" not in one]
    (folder / "config.toml").write_text(f"exclude_paths = {json.dumps(plain)}\n", "utf-8")


def _happen(person: Memoranda, hostile: Hostile, numbers: Sequence[int]) -> None:
    """Let a task happen in which everything is hostile."""
    step: dict[str, Any] = {"host": "api", "session": YARD, "source": EventSource.API}
    step |= {"origin": Origin.TOOL}
    text = hostile.text
    events = []
    for n in numbers:
        call = {"command": text("oi", n), "file_path": text("of", n)}
        events += [
            Event(kind=EventKind.TOOL_RESULT, key=f"c{n}", tool=text("ot", n), input=call,
                  output=text("oc", n), agent=text("oa", n), tags=(text("og", n),), **step),
            Event(kind=EventKind.TOOL_RESULT, key=f"e{n}", tool="Bash", input={"command": "make"},
                  output=f"ValueError: {text('oe', n)}", failed=True, **step),
            Event(kind=EventKind.MESSAGE, key=f"d{n}", text=text("od", n),
                  type=ObservationType.DECISION, **{**step, "origin": Origin.AGENT}),
            Event(kind=EventKind.MESSAGE, key=f"n{n}", text=f"Never {text('on', n)}",
                  **{**step, "origin": Origin.HUMAN}),
        ]  # fmt: skip
    person.capture.take(events, workspace=YARD)
    person.capture.drain()


def _begin(person: Memoranda, hostile: Hostile, numbers: Sequence[int]) -> None:
    """Let a task begin for each text, and fail as another did."""
    text = hostile.text
    for n in numbers:
        own: dict[str, Any] = {"host": text("th", n), "session": text("ts", n)}
        own |= {"source": EventSource.API}
        goal = Event(kind=EventKind.MESSAGE, key="g", origin=Origin.HUMAN,
                     text=text("tg", n), **own)  # fmt: skip
        again = Event(kind=EventKind.TOOL_RESULT, key="e", origin=Origin.TOOL, tool="Bash",
                      output=f"ValueError: {text('oe', n)}", failed=True, **own)  # fmt: skip
        hostile.tried("task", lambda goal=goal, again=again: person.capture.take([goal, again]))
        hostile.tried("message", lambda n=n: person.conversations.add(text("mm", n), task="1"))


def _know(person: Memoranda, hostile: Hostile, n: int) -> None:
    """Remember a text, by itself and in a workspace that is called so."""
    text, tried = hostile.text, hostile.tried
    stated = NewMemory(
        text("mc", n), title=text("mt", n), tags=(text("mg", n),),
        references=(Reference(ReferenceKind.URL, text("mr", n)),),
    )  # fmt: skip
    tried("place", lambda: person.remember(text("wm", n), workspace=text("wn", n)))
    known = tried("memory", lambda: person.remember(stated))
    if known and n // 3 % 3 == 0:
        edit = MemoryEdit(content=text("me", n))
        tried("edit", lambda: person.memories.edit(known.id, edit, reason=text("mw", n)))
    elif known and n // 3 % 3 == 1:
        tried("archive", lambda: person.memories.archive(known.id, reason=text("ma", n)))
    tried("feedback", lambda: person.feedback.add(text("fb", n), task="1", about=text("fa", n)))


def _hold(person: Memoranda, hostile: Hostile, n: int) -> None:
    """Keep a text in a block, with a history and holders, and in a checkpoint."""
    text, tried = hostile.text, hostile.tried
    new = NewBlock(text("bl", n), text("bv", n), text("bd", n), shared=n % 2 == 0)
    block = tried("block", lambda: person.blocks.create(new, workspace=YARD))
    if block:
        tried("value", lambda: person.blocks.rethink(
            block.id, text("bw", n), workspace="all", reason=text("br", n)))  # fmt: skip
        if new.shared:
            tried("holder", lambda: person.blocks.attach(
                block.id, text("ba", n), role=text("bo", n), workspace="all"))  # fmt: skip
        if n % 5 == 1:
            tried("away", lambda: person.blocks.delete(block.id, workspace="all"))
            hostile.ids["block"].remove(block.id)
            hostile.ids.setdefault("put away", []).append(block.id)
    state = {text("ck", n): text("cv", n)}
    point = tried("checkpoint", lambda: person.checkpoints.create(
        "2", "coding", text("cd", n), state=state))  # fmt: skip
    if point and n % 8 == 0:
        tried("fork", lambda: person.checkpoints.fork("2", str(point.sequence), text("cg", n)))


def _fail(person: Memoranda, hostile: Hostile, n: int) -> None:
    text = hostile.text
    hostile.tried("error", lambda: person.errors.record(
        text("ed", n), type="hallucination", workspace=YARD, context=text("ex", n),
        recovery=text("er", n) if n % 2 else ""))  # fmt: skip


def _profiles(person: Memoranda, hostile: Hostile, numbers: Sequence[int]) -> None:
    """Fill profiles of some workspaces, as one has no room for all."""
    for one in (1, 2):
        person.remember(f"Where yard {one} is", workspace=f"{YARD}-{one}")
    for n in numbers:
        place = YARD if n % 3 == 0 else f"{YARD}-{n % 3}"
        hostile.tried("entry", lambda n=n, place=place: person.profile.add(
            hostile.text("pc", n), workspace=place))  # fmt: skip


def _stages(person: Memoranda, hostile: Hostile, numbers: Sequence[int]) -> None:
    names = ("planning", "execution", "reflection", "verification")
    for n in numbers[:60]:
        person.observe(f"looked at shed {n}", task="sheds")
        task = next(iter(person.tasks.list(limit=1).items))
        hostile.tried("stage", lambda n=n, task=task: person.stages.set(
            task.id, names[n % 4], hostile.text("sr", n)))  # fmt: skip


def _propose(folder: Path, hostile: Hostile, numbers: Sequence[int]) -> None:
    """Have agents wish for memories and changes, and people decide about some of them."""
    service = Service(load_settings({"data_dir": folder, "embedder": "none"}, {}))
    text, tried = hostile.text, hostile.tried
    person = service.memory(owner())
    try:
        known = hostile.ids["memory"]
        for n in numbers:
            name = normalise(text("pa", n)) if n % 2 else BOB
            agent = tried("caller", lambda n=n, name=name: service.memory(
                Principal("local", f"bot{n}", Role.AGENT, name)))  # fmt: skip
            if agent is None:
                continue
            wish = NewMemory(text("pp", n), title=text("pt", n), tags=(text("pg", n),))
            tried("wish", lambda agent=agent, wish=wish: agent.remember(wish, workspace=YARD))
            edit = MemoryEdit(content=text("pe", n))
            id = known[n % len(known)]
            tried("change", lambda agent=agent, id=id, edit=edit, n=n: agent.memories.edit(
                id, edit, reason=text("pr", n)))  # fmt: skip
        waiting = person.proposals.list(workspace=YARD, limit=100).items
        for n, one in zip(range(len(hostile.texts)), waiting, strict=False):
            if n % 4 == 0:
                tried(
                    "rejected",
                    lambda one=one, n=n: person.proposals.reject(one.id, note=text("pn", n)),
                )
            elif n % 4 == 1:
                tried("approved", lambda one=one: person.proposals.approve(one.id, one.hash))
        hostile.ids["proposal"] = [one.id for one in person.proposals.list(limit=200).items]
    finally:
        service.close()
