"""Main line and abandoned branches of a Claude Code transcript.

Every entry names its parent. When a person goes back to an earlier prompt, a second child is
created, and the former branch is abandoned. The last entry of the conversation and its ancestors
form the main line. A compaction creates a new root; the walk then continues with the compacted
entries. If a parent is missing because its line is damaged, the walk continues with the preceding
entry.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Literal

from memoranda.capture.hosts.claude_code.entry_fields import (
    absorbed_prompt,
    answered_call,
    copied_from,
    gives_event,
    is_command,
    is_prompt,
    is_sidechain,
    message_blocks,
    message_id,
    queued_prompts,
    tokens_of,
)
from memoranda.capture.hosts.claude_code.prompt_queue import PromptQueue
from memoranda.capture.hosts.json_fields import Payload, string
from memoranda.capture.hosts.transcript_lines import LineCounts, TranscriptLine, line_entries

Branch = Literal["main", "rewound"]

_SPEAKERS = ("user", "assistant")
_CHAINED = (*_SPEAKERS, "progress", "system", "attachment")


@dataclass(frozen=True, slots=True)
class _Node:
    position: int
    parent: str | None
    is_root: bool
    """Whether the entry starts a conversation, unlike an entry whose link is missing."""
    compacted: str | None
    """Last entry before a compaction, set on the first entry after it.

    Empty if unknown.
    """
    message: str | None
    """Id of the model's response that contains this entry."""
    talks: bool
    """Whether the session can be continued from this entry."""
    forks: bool
    """Whether the entry is a prompt or a response.

    A second child of the same parent is then a new attempt.
    """


@dataclass(slots=True)
class Chain:
    """Structure of one transcript, from a first pass over it."""

    rewound: frozenset[str] = frozenset()
    """Entries of abandoned attempts."""
    origins: dict[str, str] = field(default_factory=dict)
    """Source session of entries that were copied from another session."""
    attached: set[str] = field(default_factory=set)
    """Texts of messages to a working agent, which are recorded as attachments."""
    queue: PromptQueue = field(default_factory=PromptQueue)
    """Messages that were typed while the agent was working."""
    queued: dict[int, int] = field(default_factory=dict)
    """Number of earlier queue lines with the same message, by line offset."""
    _prompts: dict[str, list[str]] = field(default_factory=dict)
    _commands: dict[str, list[str]] = field(default_factory=dict)
    _answers: list[tuple[str, bool]] = field(default_factory=list)
    """Entries in order, and whether each is a response."""
    _speakers: dict[str, str | None] = field(default_factory=dict)
    _tokens: dict[str, int] = field(default_factory=dict)

    @classmethod
    def read(cls, lines: Iterable[TranscriptLine]) -> Chain:
        """Read all lines of a transcript, from its beginning."""
        chain, nodes, unused = cls(), dict[str, _Node](), LineCounts()
        absorbed = Counter[str]()
        for line, entry in line_entries(lines, unused):
            chain.attached.update(text.strip() for _, text, _ in queued_prompts(entry))
            chain.queue.note(line.offset, entry)
            if text := absorbed_prompt(entry):
                chain.queued[line.offset] = absorbed[text]
                absorbed[text] += 1
            uuid = string(entry, "uuid")
            if uuid is None:
                continue
            chain._note(entry, uuid)
            if entry.get("type") in _CHAINED and not is_sidechain(entry):
                nodes.setdefault(uuid, _node(entry, len(nodes)))
        chain._attribute()
        chain.rewound = frozenset(nodes) - _main_line(nodes)
        return chain

    def branch(self, uuid: str | None) -> Branch:
        """Return the branch of an entry; unknown entries are on the main line."""
        return "rewound" if uuid in self.rewound else "main"

    def opens(self, prompt: str, uuid: str | None) -> bool:
        """Return whether an entry is the first in the turn of a prompt."""
        found = self._prompts.get(prompt, self._commands.get(prompt, []))
        # A fork gives the id of its prompt to all copied entries.
        own = [item for item in found if item not in self.origins] or found
        return bool(own) and uuid == own[0]

    def tokens(self, entry: Payload) -> int | None:
        """Return the tokens to count for this entry, or None.

        Each response is counted once, on its first entry. The lines of one response repeat its
        usage, which grows while it is streamed; the largest value is used.
        """
        answer = message_id(entry)
        if answer is None or answer not in self._speakers:
            return tokens_of(entry) or None
        if self._speakers[answer] != string(entry, "uuid"):
            return None
        return self._tokens[answer] or None

    def _attribute(self) -> None:
        """Determine the source session of copied entries that do not contain it.

        Some entries name only the session of the copy. Responses name the session that called the
        model, however often they were copied; entries that precede a response in a copy belong to
        its session.
        """
        origin: str | None = None
        for uuid, is_answer in reversed(self._answers):
            if is_answer:
                origin = self.origins.get(uuid)
            elif origin is not None:
                self.origins[uuid] = origin

    def _note(self, entry: Payload, uuid: str) -> None:
        prompt = string(entry, "promptId")
        if prompt and is_prompt(entry):
            self._prompts.setdefault(prompt, []).append(uuid)
        elif prompt and is_command(entry):
            self._commands.setdefault(prompt, []).append(uuid)
        # A branch may contain an entry twice, and only one of the two names its source.
        if origin := copied_from(entry):
            self.origins.setdefault(uuid, origin)
        self._answers.append((uuid, entry.get("type") == "assistant"))
        answer = message_id(entry)
        if answer is None or entry.get("type") != "assistant":
            return
        if self._speakers.get(answer) is None:
            self._speakers[answer] = uuid if gives_event(entry) else None
        self._tokens[answer] = max(self._tokens.get(answer, 0), tokens_of(entry))


def _node(entry: Payload, position: int) -> _Node:
    kind = entry.get("type")
    is_boundary = kind == "system" and entry.get("subtype") == "compact_boundary"
    after_compaction = is_boundary or entry.get("isCompactSummary") is True
    return _Node(
        position=position,
        parent=string(entry, "parentUuid"),
        is_root=_is_root(entry),
        compacted=(string(entry, "logicalParentUuid") or "") if after_compaction else None,
        message=message_id(entry) if kind == "assistant" else None,
        talks=kind in _SPEAKERS and bool(message_blocks(entry)) and not _is_aside(entry),
        forks=kind == "assistant" or is_prompt(entry),
    )


def _is_root(entry: Payload) -> bool:
    """Return whether an entry may be the first; responses never are."""
    if "parentUuid" not in entry or entry["parentUuid"] is not None:
        return False
    return entry.get("type") != "assistant" and not any(
        map(answered_call, message_blocks(entry) or [])
    )


def _is_aside(entry: Payload) -> bool:
    return entry.get("isMeta") is True or string(entry, "teamName") is not None


def _main_line(nodes: dict[str, _Node]) -> set[str]:
    order = list(nodes)
    walked: set[str] = set()
    start = next((uuid for uuid in reversed(order) if nodes[uuid].talks), None)
    if start is None:
        return set(order)
    step: str | None = start
    while step is not None and step not in walked:
        walked.add(step)
        step = _before(nodes, order, step)
    return _with_attached(nodes, walked)


def _before(nodes: dict[str, _Node], order: list[str], uuid: str) -> str | None:
    node = nodes[uuid]
    if node.parent in nodes:
        return node.parent
    if node.is_root and node.compacted is None:
        return None
    if node.compacted and node.compacted in nodes:
        return node.compacted
    return order[node.position - 1] if node.position else None


def _with_attached(nodes: dict[str, _Node], walked: set[str]) -> set[str]:
    """Add entries of the main line that are not ancestors of its last entry.

    These are the other lines of a response, results of tools that ran in parallel, notices, and
    entries without links, as early versions and other programs write them.
    """
    main = set(walked)
    answers = {nodes[uuid].message for uuid in walked} - {None}
    parents = {node.parent for node in nodes.values()}
    for uuid, node in nodes.items():
        unlinked = node.parent is None and uuid not in parents
        if unlinked or node.message in answers or (not node.forks and node.parent in main):
            main.add(uuid)
    return main
