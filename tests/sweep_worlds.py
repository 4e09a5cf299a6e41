"""Teams with something of everything, in which each text holds a word that nobody can guess."""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from http.client import HTTPConnection
from typing import Any

UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
STEPS: tuple[tuple[str, Mapping[str, Any]], ...] = (
    ("Let us plan: read {word} first, then decide.", {}),
    ("ImportError: No module named '{word}'", {"tool": "Bash", "failed": True}),
    ("Fixed the import by adding {word} to the path.", {"type": "fix"}),
    ("12 passed in 0.3s {word}", {"tool": "Bash", "input": {"command": "pytest {word}"}}),
)
HUES = ("amber", "coral", "ebony", "hazel", "ivory", "jade", "khaki", "lilac")
LEAST = 11
"""Characters of the shortest beginning of two ids: what is made a quarter of a second later, as
anything of a caller's own is, begins otherwise."""
Dump = Mapping[str, list[tuple[Any, ...]]]


class ModelCalled(Exception):
    """A call that was to go well did not."""


@dataclass(frozen=True, slots=True)
class Speaker:
    """Somebody who plants."""

    port: int
    token: str

    def __call__(self, method: str, **params: Any) -> Any:
        """Return the result of an operation."""
        line = HTTPConnection("127.0.0.1", self.port, timeout=60)
        head = {"Content-Type": "application/json", "Authorization": f"Bearer {self.token}"}
        body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
        try:
            line.request("POST", "/rpc", body, head)
            answer = json.loads(line.getresponse().read())
        finally:
            line.close()
        if "result" not in answer:
            raise ModelCalled(f"{method}: {answer}")
        return answer["result"]

    def key(self, role: str, **more: Any) -> str:
        """Make a key or a token of its own team for somebody."""
        made = self("tokens.create", role=role, **more)
        return str(made["secret"])


@dataclass(slots=True)
class Victim:
    """Things that somebody must not see, by kind, and what gives them away."""

    marker: str
    things: dict[str, list[str]] = field(default_factory=dict)
    ids: set[str] = field(default_factory=set)
    shared: dict[str, str] = field(default_factory=dict)
    """What two things of a kind begin with, and nothing else."""
    burned: set[tuple[str, str]] = field(default_factory=set)
    """Names that callers of one team have made their own, each with what it names since."""

    def leaked(self, text: str, sent: str) -> list[str]:
        """Return what an answer holds of these things, but for what the call itself said."""
        if sent:
            text = text.replace(sent, "@")
        found = [one for one in set(UUID.findall(text)) & self.ids if one != sent]
        return [*found, *([self.marker] if self.marker in text else [])]


def plant(ask: Callable[..., Any], word: str) -> None:
    """Have an admin make one thing of every kind."""
    place, name = f"{word}-shop", f"{word}-task"
    for content, more in STEPS:
        seen = ask("observe", content=content.format(word=word), task=name, workspace=place,
                   key=f"{word}-{len(content)}", **json.loads(json.dumps(more).replace(
                       "{word}", word)))  # fmt: skip
    task = seen["task"]
    ask("stages.set", task=task, name="planning")
    ask("observe", content=f"Planning {word}. " * 20, task=name, workspace=place)
    ask("stages.complete", task=task, reason=word)
    ask("remember", statement={"content": f"Prices {word} are always net.", "title": word,
              "tags": [word], "evidence": [seen["id"]]}, workspace=place)  # fmt: skip
    two = ask("remember", statement=f"Prices {word} are gross since May.", workspace=place)
    ask("memories.edit", id=two["id"], edit={"content": f"Prices {word} are gross since June."})
    ask("errors.record", description=f"made up {word}", type="hallucination", task=task)
    profile = ask("profile.add", content=f"Answers {word} are short.", category="learned_rule")
    ask("profile.edit", id=profile["id"], edit={"content": f"Answers {word} are long."})
    block = {"label": f"{word}-board", "value": f"first {word}"}
    ask("blocks.create", block=block, workspace=place)
    ask("blocks.rethink", label=f"{word}-board", text=f"second {word}", workspace=place)
    ask("blocks.create", block={"label": f"{word}-common", "value": word, "shared": True})
    ask("blocks.attach", label=f"{word}-common", agent=f"{word}-owl")
    ask("checkpoints.create", task=task, phase="coding", description=word)
    ask("checkpoints.create", task=task, phase="testing", state={"a": word})
    ask("working.put", task=task, key=f"{word}-key", value={"n": word})
    ask("documents.put", space=f"{word}-graph", documents=[{"key": f"{word}-key", "value": word}])
    ask("supervisor.context", task=task, metrics={"error_rate": 0.9})
    ask("feedback.add", text=f"No, never {word} lamps.", workspace=place, task=task)
    ask("rules.add", source="execution", confidence=0.7, workspace=place)
    ask("conversations.add", content=f"hello {word}", role="user", task=task)
    ask("say", text=f"Remember that {word} lamps are green.", workspace=place)
    ask("quarantine.hold", id=ask("observe", content=f"Odd {word}.", workspace=place)["id"])
    ask("supervisor.news", channel=f"{word}-here")


def wish(ask: Callable[..., Any], word: str, place: str, private: tuple[str, str]) -> None:
    """Have an agent wish for something, and keep memories and blocks of its own."""
    ask("remember", statement=f"Lamps {word} are sold on Mondays.", workspace=place)
    kept, noted = private
    for hue in HUES:
        own = {"content": f"My {kept} plan is {hue}.", "visibility": "agent", "title": kept}
        ask("remember", statement=own | {"tags": [kept]}, workspace=place)
    for label in labels(noted):
        block = {"label": label, "value": f"mine {noted}", "private": True}
        ask("blocks.create", block=block, workspace=place)


def labels(word: str) -> list[str]:
    """Return the labels of an agent's own blocks: others make some of them theirs as well."""
    return [f"{word}-{hue}" for hue in HUES]


def known(dump: Dump, team: Mapping[str, list[str]]) -> dict[str, list[str]]:
    """Return the ids in a dump by table, and the names that are given."""
    found = dict(team)
    for table, rows in dump.items():
        if rows and isinstance(rows[0][0], str) and UUID.fullmatch(rows[0][0]):
            found[table] = [row[0] for row in rows]
    return found


def beginnings(things: Mapping[str, list[str]], others: Collection[str]) -> dict[str, str]:
    """Return for each kind the longest text that two of its ids begin with, and none of others."""
    found = {}
    for kind, ids in things.items():
        ordered = sorted(one for one in ids if UUID.fullmatch(one))
        pairs = itertools.pairwise(ordered)
        begun = max((_common(one, two) for one, two in pairs), key=len, default="")
        if len(begun) >= LEAST and not any(one.startswith(begun) for one in others):
            found[kind] = begun
    return found


def _common(one: str, two: str) -> str:
    same = itertools.takewhile(lambda pair: pair[0] == pair[1], zip(one, two, strict=True))
    return "".join(first for first, _ in same)
