"""Importer of conversations exported by ChatGPT and Claude.

Reads a zip, its folder, or a ``conversations.json``. Each conversation becomes a task. In ChatGPT's
trees the branch shown last is the main line; other branches are stored as abandoned. ChatGPT's
custom instructions, the entries of Claude's own memory, and the instructions and documents of its
projects become memories.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from memoranda.capture.event import Event, EventKind, EventSource
from memoranda.exceptions import InvalidInput
from memoranda.integrations.imports.custom_instructions import CustomInstructions
from memoranda.integrations.imports.imported_items import (
    ImportContext,
    ImportedEvent,
    ImportedItem,
    fields_of,
    items_of,
    text_of,
    time_of,
)
from memoranda.integrations.imports.json_file import documents, is_zip, members
from memoranda.integrations.imports.markdown import sections
from memoranda.observations.model import Origin

CHATGPT, CLAUDE = "chatgpt", "claude-ai"
FILES, MEMORY_FILES, PROJECT_FILES = "conversations", "memories", "projects"
_TEXTUAL = frozenset({"text", "multimodal_text", "code", "execution_output", "tether_quote"})


def is_chats(value: object) -> bool:
    """Return whether JSON contains chat conversations or projects."""
    listed = map(fields_of, items_of(value) or [value])
    return any("mapping" in o or "chat_messages" in o or _is_project(o) for o in listed)


def holds_chats(path: Path) -> bool:
    """Return whether a zip or folder contains conversations."""
    if not (path.is_dir() or is_zip(path)):
        return False
    return any(is_chats(document) for _, document in members(path, FILES))


def read(path: Path, reading: ImportContext) -> Iterator[ImportedItem]:
    """Yield conversations in file order, each from its beginning."""
    packed = path.is_dir() or is_zip(path)
    if packed and not holds_chats(path):
        raise InvalidInput(f"{path} contains no conversations of ChatGPT or Claude")
    found: Iterator[Any]
    if packed:
        found = (one for _, one in members(path, FILES, reading.skip))
    else:
        found = documents(path, reading.skip)
    yield from _conversations(path, found, reading)
    if packed:
        for _, document in members(path, MEMORY_FILES, reading.skip):
            for item in map(fields_of, items_of(document)):
                yield from _memories(item, reading)
        for _, document in members(path, PROJECT_FILES, reading.skip):
            for item in map(fields_of, items_of(document)):
                yield from _project(item, reading)


def _conversations(
    path: Path, found: Iterator[Any], reading: ImportContext
) -> Iterator[ImportedItem]:
    """Yield the conversations in documents; count everything else."""
    others = chats = 0
    instructions = CustomInstructions()
    for document in found:
        if document == []:
            continue
        for entry in map(fields_of, items_of(document) or [document]):
            chats += 1
            if "mapping" in entry:
                yield from _chatgpt(entry, reading, instructions)
            elif "chat_messages" in entry:
                yield from _claude(entry, reading)
            elif _is_project(entry):
                yield from _project(entry, reading)
            else:
                chats, others = chats - 1, others + 1
                reading.skip("an entry that is not a conversation")
    yield from instructions.memories(reading)
    if others and not chats:
        raise InvalidInput(f"{path} contains no conversations of ChatGPT or Claude")


@dataclass(frozen=True, slots=True)
class _Chat:
    """A conversation, with a function that creates its events."""

    host: str
    id: str
    title: str
    began: int | None
    reading: ImportContext
    called: dict[str, tuple[str, Any]] = field(default_factory=dict)

    def start(self) -> ImportedEvent:
        return self.event(EventKind.TASK_START, "start", self.began, text=self.title)

    def message(
        self, id: str, text: str, at: int | None, *, human: bool, branch: str = "main"
    ) -> ImportedEvent:
        origin = Origin.HUMAN if human else Origin.AGENT
        return self.event(EventKind.MESSAGE, id, at, text=text, origin=origin, branch=branch)

    def result(
        self, id: str, at: int | None, tool: str, call_arguments: Any, output: Any, **more: Any
    ) -> ImportedEvent:
        return self.event(
            EventKind.TOOL_RESULT, id, at, tool=tool, input=call_arguments, output=output,
            origin=Origin.TOOL if tool not in _WEB else Origin.WEB, **more,
        )  # fmt: skip

    def count_unanswered(self) -> None:
        """Count and skip calls without a result."""
        for _ in self.called:
            self.reading.skip("a tool call without a result")

    def event(
        self,
        kind: EventKind,
        key: str,
        at: int | None,
        *,
        origin: Origin = Origin.GENERATED,
        **more: Any,
    ) -> ImportedEvent:
        event = Event(
            kind=kind, host=self.host, session=self.id, source=EventSource.TRANSCRIPT, key=key,
            origin=origin, occurred_at=at or self.began, **more,
        )  # fmt: skip
        return ImportedEvent(event, self.reading.workspace or self.host)


_WEB = frozenset({"web", "web.run", "browser", "web_search", "web_fetch"})


# ------------------------------------------------------------------ ChatGPT


def _chatgpt(
    item: Mapping[str, Any], reading: ImportContext, instructions: CustomInstructions
) -> Iterator[ImportedEvent]:
    id = text_of(item.get("conversation_id")) or text_of(item.get("id"))
    nodes = {key: fields_of(node) for key, node in fields_of(item.get("mapping")).items()}
    if not id or not nodes:
        reading.skip("a conversation without an id or messages")
        return
    began = time_of(item.get("create_time")) or time_of(item.get("update_time"))
    chat = _Chat(CHATGPT, id, text_of(item.get("title")), began, reading)
    main = set(_line(nodes, text_of(item.get("current_node"))))
    yield chat.start()
    for key in _in_order(nodes):
        branch = "main" if key in main or not main else "rewound"
        message = fields_of(nodes[key].get("message"))
        if not instructions.note(message, began):
            yield from _events(chat, key, message, branch)
    chat.count_unanswered()


def _line(nodes: Mapping[str, Mapping[str, Any]], leaf: str) -> Iterator[str]:
    """Yield the nodes from a leaf up to its root.

    In a cycle, the iteration ends before a node would be repeated.
    """
    seen: set[str] = set()
    while leaf in nodes and leaf not in seen:
        seen.add(leaf)
        yield leaf
        leaf = text_of(nodes[leaf].get("parent"))


def _in_order(nodes: Mapping[str, Mapping[str, Any]]) -> list[str]:
    """Return the nodes in order: parents first, siblings in file order."""
    order: list[str] = []
    waiting = [key for key, node in nodes.items() if text_of(node.get("parent")) not in nodes][::-1]
    seen: set[str] = set(waiting)
    while waiting:
        key = waiting.pop()
        order.append(key)
        below = [
            item for item in map(text_of, items_of(nodes[key].get("children"))) if item in nodes
        ]
        fresh = [one for one in below if one not in seen]
        seen.update(fresh)
        waiting += fresh[::-1]
    return order + [key for key in nodes if key not in seen]


def _events(
    chat: _Chat, id: str, message: Mapping[str, Any], branch: str
) -> Iterator[ImportedEvent]:
    author, content = fields_of(message.get("author")), fields_of(message.get("content"))
    role, author_role = author.get("role"), _words(content, chat.reading)
    at = time_of(message.get("create_time"))
    recipient = text_of(message.get("recipient")) or "all"
    if _is_hidden(message) and role in ("user", "assistant"):
        chat.reading.skip("a message that is not shown in its conversation")
        return
    if not author_role or role == "system" or content.get("content_type") not in _TEXTUAL:
        if message and role != "system":
            kind = text_of(content.get("content_type"))
            empty = not kind or kind in _TEXTUAL
            chat.reading.skip(
                "a message without a text" if empty else f"a message of the kind {kind}"
            )
        return
    if role == "tool":
        tool = text_of(author.get("name")) or "tool"
        call = chat.called.pop(tool, (tool, None))[1]
        yield chat.result(id, at, tool, call, author_role, branch=branch)
    elif role == "assistant" and recipient != "all":
        chat.called[recipient] = (recipient, author_role)
    elif role in ("user", "assistant"):
        yield chat.message(id, author_role, at, human=role == "user", branch=branch)
    else:
        chat.reading.skip(f"a message of the role {text_of(role)}")


def _is_hidden(message: Mapping[str, Any]) -> bool:
    """Return whether the host inserted a message invisibly.

    Such a message may even have the user role.
    """
    return fields_of(message.get("metadata")).get("is_visually_hidden_from_conversation") is True


def _words(content: Mapping[str, Any], reading: ImportContext) -> str:
    """Return the written or spoken text; count skipped images and audio."""
    texts = [text_of(content.get("text"))]
    for part in items_of(content.get("parts")):
        kind = text_of(fields_of(part).get("content_type"))
        if text := text_of(part) or text_of(fields_of(part).get("text")):
            texts.append(text)
        elif kind:
            reading.skip(f"a part of the kind {kind}")
    return "\n".join(filter(None, texts))


# ------------------------------------------------------------------ Claude


def _claude(item: Mapping[str, Any], reading: ImportContext) -> Iterator[ImportedEvent]:
    id = text_of(item.get("uuid"))
    messages = [fields_of(one) for one in items_of(item.get("chat_messages"))]
    if not id or not messages:
        reading.skip("a conversation without an id or messages")
        return
    began = time_of(item.get("created_at"))
    chat = _Chat(CLAUDE, id, text_of(item.get("name")), began, reading)
    yield chat.start()
    for number, message in enumerate(messages):
        yield from _turn(chat, text_of(message.get("uuid")) or f"message:{number}", message)
    chat.count_unanswered()


def _turn(chat: _Chat, id: str, message: Mapping[str, Any]) -> Iterator[ImportedEvent]:
    """Yield the text of a message, its attachments, and the tools used."""
    at, content = time_of(message.get("created_at")), message.get("content")
    blocks = [fields_of(item) for item in items_of(content)]
    text = "\n".join(filter(None, (text_of(one.get("text")) for one in blocks)))
    spoken = text or text_of(message.get("text")) or text_of(content)
    attached = "\n\n".join(_attached(message))
    if spoken:
        yield chat.message(id, spoken, at, human=message.get("sender") == "human")
    if attached:  # a file is not the person's own words, even if the person attached it
        yield chat.event(
            EventKind.MESSAGE, f"{id}:attachments", at, text=attached, origin=Origin.IMPORT
        )
    elif not spoken and not any(one.get("type") in ("tool_use", "tool_result") for one in blocks):
        chat.reading.skip("a message without a text")
    for number, block in enumerate(blocks):
        if block.get("type") == "tool_use":
            called = text_of(block.get("name")) or "tool", block.get("input")
            chat.called[text_of(block.get("id")) or called[0]] = called
        elif block.get("type") == "tool_result":
            name = text_of(block.get("name")) or "tool"
            used = text_of(block.get("tool_use_id"))
            tool, call = chat.called.pop(used if used in chat.called else name, (name, None))
            failed = block.get("is_error") is True
            yield chat.result(f"{id}:{number}", at, tool, call, block.get("content"), failed=failed)


def _attached(message: Mapping[str, Any]) -> Iterator[str]:
    for file in map(fields_of, items_of(message.get("attachments"))):
        if content := text_of(file.get("extracted_content")):
            yield f"[{text_of(file.get('file_name')) or 'attachment'}]\n{content}"


def _memories(item: Mapping[str, Any], reading: ImportContext) -> Iterator[ImportedItem]:
    """Yield Claude's notes about its user and about each project."""
    texts = {"all": item.get("conversations_memory")}
    texts |= fields_of(item.get("project_memories"))
    for name, text in texts.items():
        if content := text_of(text):
            about = "" if name == "all" else f"project {name}"
            yield from sections(
                content,
                key=f"{CLAUDE}:{name}",
                title=about,
                tags=("claude-memory",),
                reading=reading,
            )


def _is_project(item: Mapping[str, Any]) -> bool:
    return "prompt_template" in item and "docs" in item


def _project(item: Mapping[str, Any], reading: ImportContext) -> Iterator[ImportedItem]:
    """Yield the instructions and documents of a Claude project."""
    id, name = text_of(item.get("uuid")), text_of(item.get("name"))
    texts = {"": text_of(item.get("prompt_template"))}
    for document in map(fields_of, items_of(item.get("docs"))):
        texts[text_of(document.get("filename"))] = text_of(document.get("content"))
    if not any(texts.values()):
        reading.skip("a project without instructions or documents")
    for file, content in texts.items():
        if content:
            yield from sections(
                content,
                key=f"{CLAUDE}:project:{id or name}:{file}",
                title=f"project {name}: {file}" if file else f"project {name}",
                tags=("claude-project",),
                reading=reading,
            )
