"""Which questions a sweep asks: every operation, and every text in it that may name something.

They come from the table of operations and the types of their parameters. A new operation, or a new
parameter of an old one, is swept without a word here; only prose is told apart by its name.
"""

from __future__ import annotations

import dataclasses
import itertools
import random
import typing
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Any

from memoranda.api.jsonrpc.methods import methods
from memoranda.calls.type_hints import fields, is_any
from memoranda.operations import OPERATIONS
from usual_arguments import OWN, USUAL

PROSE = {
    "content", "text", "description", "reason", "note", "context", "recovery", "title", "summary",
    "value", "goal", "patch", "criticality_reason",
    "error_description", "context_when_occurred", "month", "by", "rename", "tool", "form", "mode",
    "outcome", "phase", "role", "stage", "dialect", "cursor",
    "decision_type", "focus_areas", "recovery_action",
}  # fmt: skip
"""Texts that name nothing that is stored: what somebody says, and words of a fixed set."""
PROSE_OF = {"blocks.replace": {"old", "new"}, "blocks.insert": {"after"}}
"""Further such texts of one operation."""
ASKING = {"query"}
"""Texts by which something is looked for."""
ENDING = {"store.retention", "memory.prune", "index.reembed", "index.rebuild"}
"""Swept without a caller's leave to end their own world, or to work on it for minutes."""
MADE = ("label", "place", "agent", "key", "channel", "space", "workspace", "task")
"""Kinds that somebody makes by naming them."""
_KINDS: Mapping[str, tuple[str, ...]] = {
    "observations": ("observation",), "observations.rate": ("observation", "memory"),
    "memories": ("memory",), "errors": ("error_note",),
    "supervisor": ("intervention",), "quarantine": ("observation",),
    "proposals": ("proposal",), "profile": ("memory",), "profile.undo": ("profile_change",),
    "profile.apply": ("profile_change",), "profile.optimize": ("profile_change",),
    "feedback": ("feedback",), "forget": ("observation", "memory"),
    "tokens": ("credential",), "agents": ("agent",), "remember": ("observation",),
}  # fmt: skip
_BY_FIELD: Mapping[str, tuple[str, ...]] = {
    "task": ("task",), "task_id": ("task",), "session": ("task",), "tasks": ("task",),
    "workspace": ("workspace", "place"), "name": ("place",),
    "agent": ("agent",), "holder": ("agent",), "agent_id": ("agent",), "label": ("label",),
    "checkpoint": ("checkpoint",), "intervention_id": ("intervention",),
    "evidence": ("observation",), "subject": ("memory",), "memory_id": ("memory",),
    "about": ("memory", "observation"), "key": ("key",), "keys": ("key",),
    "channel": ("channel",), "space": ("space",),
}  # fmt: skip


OF_TIME = 13
"""Characters of an id that tell when it was made."""


@dataclass(frozen=True, slots=True)
class Field:
    """One text of an operation's arguments that may name something."""

    operation: str
    path: tuple[str, ...]
    many: bool = False

    @property
    def names_for(self) -> str:
        """The kind of thing that comes to be where it names none; nothing where none does."""
        made = next((one for one in self.right if one in MADE), "")
        return "workspace" if made == "place" else made

    @property
    def right(self) -> tuple[str, ...]:
        """The kinds of things that it names."""
        own = _BY_FIELD.get(self.path[-1])
        if own and not (self.path == ("name",) and self.operation == "tools.call"):
            return own
        if self.operation in ("tasks.show", "rules.remove"):
            return ("task",) if self.operation == "tasks.show" else ("approval_rule",)
        noun = self.operation.partition(".")[0]
        return _KINDS.get(self.operation) or _KINDS.get(noun, ("memory",))

    def given(self, base: Mapping[str, Any], value: str) -> dict[str, Any]:
        """Return arguments with a value in this place."""
        return _put(base, self.path, [value] if self.many else value)


def names() -> list[str]:
    """Return every operation that can be asked for from elsewhere, and the other methods."""
    found = [name for name in methods() if not (name in OPERATIONS and OPERATIONS[name].local)]
    return sorted(found)


def usual(name: str, fresh: Iterator[int]) -> dict[str, Any]:
    """Return the least that an operation takes."""
    needed = (one for one in methods()[name].arguments if one.required)
    values = {one.name: USUAL.get(one.name, "1") for one in needed} | dict(OWN.get(name, {}))
    if name == "blocks.create":
        values["block"] = {"label": f"fresh-{next(fresh)}"}
    if name == "store.retention":
        values["until"] = "1970-01-01"
    return {key: _plain(value) for key, value in values.items()}


def asked_fields(name: str, wanted: bool = True) -> list[Field]:
    """Return the texts of an operation that may name something; else those that look for it."""
    found = itertools.chain.from_iterable(
        _fields(name, (one.name,), one.type) for one in methods()[name].arguments
    )
    if wanted:
        stray = PROSE | ASKING | PROSE_OF.get(name, set())
        return [one for one in found if not {*one.path} & stray and one.path != ("statement",)]
    return [one for one in found if one.path[-1] in ASKING]


def absent(like: str, dice: random.Random) -> str:
    """Return a name of the same form that nothing has."""
    # The first figures of an id are its time: whoever changes only some of a short beginning may
    # name something of another minute.
    tail = len(like) if _is_id(like) and len(like) <= OF_TIME else min(8, len(like) // 2)
    letters = "0123456789abcdef" if _is_id(like) else "bcdfghjkmnpqrstvwx"
    made = like[:-tail] + "".join("-" if c == "-" else dice.choice(letters) for c in like[-tail:])
    return made if made != like else absent(like, dice)


def _is_id(text: str) -> bool:
    return set(text) <= set("0123456789abcdef-")


def _fields(name: str, path: tuple[str, ...], value: Any) -> Iterator[Field]:
    parts = [one for one in typing.get_args(value) if one not in (type(None), ...)]
    if is_any(value) or len(path) > 3:
        return
    if dataclasses.is_dataclass(value):
        for field, of in fields(typing.cast("type", value)).items():
            yield from _fields(name, (*path, field), of)
    elif value is str:
        yield Field(name, path)
    elif any(one is str for one in parts):
        closed = any(isinstance(one, type) and issubclass(one, Enum) for one in parts)
        many = typing.get_origin(value) is not None and len(parts) == 1 and "[" in str(value)
        if not closed and typing.get_origin(value) not in (dict, Mapping):
            yield Field(name, path, many)
        for one in parts:
            if dataclasses.is_dataclass(one):
                yield from _fields(name, path, one)
    else:
        for one in parts:
            if dataclasses.is_dataclass(one) and "Sequence" not in str(value):
                yield from _fields(name, path, one)


def _put(base: Mapping[str, Any], path: tuple[str, ...], value: Any) -> dict[str, Any]:
    first, *rest = path
    if not rest:
        return {**base, first: value}
    inner = base.get(first)
    if not isinstance(inner, Mapping):
        inner = {"content": str(inner)} if first == "statement" else {}
    return {**base, first: _put(inner, tuple(rest), value)}


def _plain(value: Any) -> Any:
    if isinstance(value, str) and value.startswith("@"):
        return "nonesuch"
    if isinstance(value, list | tuple):
        return [_plain(one) for one in value]
    return {k: _plain(v) for k, v in value.items()} if isinstance(value, Mapping) else value
