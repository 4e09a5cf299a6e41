"""Saved sessions of the TypeScript Codex CLI, read as lines of a rollout.

A save is one JSON object, ``{"session": {"timestamp", "id", "instructions"}, "items": […]}``. Most
versions wrote a new file with a new id at every save, so each file of a conversation begins with
all items of the earlier ones; the last versions rewrote one file. The saves of a conversation are
identified by its beginning up to the first item that the person did not write. They all belong to
the session of the earliest save, with the same item numbers, so shared items are stored once in any
order of import. A save without an answer belongs to the same conversation as the next save in time
that begins with its items. Only files in the same folder are compared.

The offset of a line is its number, as byte offsets change with every save. An item has no time of
its own; it gets the time of the earliest save that contains it.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from memoranda.capture.hosts.document_lines import SavedLines
from memoranda.capture.hosts.json_fields import Payload, mapping, string, written_moment
from memoranda.clock import LATEST
from memoranda.exceptions import InvalidInput
from memoranda.json_data import MAX_DEPTH, JsonValue, deeper_than, dump_json, parse_json

ITEMS = frozenset(
    (
        "message", "reasoning", "function_call", "function_call_output", "local_shell_call",
        "local_shell_call_output", "custom_tool_call", "custom_tool_call_output",
        "web_search_call", "tool_search_call", "tool_search_output", "agent_message",
    )
)  # fmt: skip
ITEM_FIELDS = frozenset(("content", "summary", "call_id", "action", "arguments"))
"""Fields of items; each item has at least one of them."""
LARGEST = 64 * 2**20
"""Maximum number of bytes of a saved session, which is kept in memory as a whole."""
MAX_KNOWN = 4_096
"""Maximum number of saved sessions whose conversation is cached."""

_OPENING = re.compile(rb'(?:\xef\xbb\xbf)?\s*\{\s*"(?:session|items)"\s*:\s*[\[{]')
_REWRITTEN = re.compile(rb"(?:\xef\xbb\xbf)?\s*[\[{]")
_SESSION, _ITEMS = (
    re.compile(r'\s*\{\s*"session"\s*:\s*'),
    re.compile(r'\s*,\s*"items"\s*:\s*\[\s*'),
)
_NEXT, _END = re.compile(r"\s*,\s*"), re.compile(r"\s*\]\s*\}\s*")
_ITEM = "\n    {"
"""Start of an item in a saved session; strings in JSON contain no line feed."""
_HEAD = 4_096


@dataclass(frozen=True, slots=True)
class _SaveContent:
    session: Payload
    items: Sequence[JsonValue]
    torn: int = 0


@dataclass(frozen=True, slots=True)
class _Save:
    """Data that identifies the conversation of a saved session."""

    id: str | None
    at: str | None
    marks: Sequence[bytes]
    """Cumulative hashes, one for each item together with all items before it."""
    answer: int
    """Index of the first item that is not by the person.

    If there is no such item, this is the number of items.
    """

    @property
    def beginning(self) -> bytes | None:
        """Hash of the beginning that all saves of a conversation share.

        None if the conversation has no answer.
        """
        return self.marks[self.answer] if self.answer < len(self.marks) else None

    @property
    def time(self) -> tuple[int, str]:
        """Sort key: the time, then the id."""
        at = written_moment(self.at)
        return LATEST if at is None else at, self.id or ""

    def starts_with(self, other: _Save) -> bool:
        """Return whether this save starts with all items of the other."""
        return not other.marks or other.marks[-1] in self.marks


def saved_lines(path: Path) -> SavedLines | None:
    """Return the lines of a saved session; None for any other file.

    The lines have the form of old rollouts without ``payload``: a header, then the items.
    """
    if not _opens(path):
        return None
    folder = path.resolve().parent
    return _lines(path, _stamp(path), folder, folder.stat().st_mtime_ns)


@lru_cache(maxsize=1)
def _lines(path: Path, stamp: tuple[int, int], folder: Path, changed: int) -> SavedLines | None:
    content, save = _content(path, stamp), _save(path, stamp)
    if content is None or save is None:
        return None
    saves = _conversation(save, _saves_in(folder, changed))
    session = {"instructions": None, **content.session}
    session |= {"id": saves[0].id or path.stem, "timestamp": saves[0].at}
    lines: list[JsonValue] = [session]
    for number, item in enumerate(content.items):
        at = next((one.at for one in saves if len(one.marks) > number), save.at)
        lines.append(_record(item, number, at))
    return SavedLines([dump_json(line).encode() + b"\n" for line in lines], content.torn)


def _record(item: JsonValue, number: int, at: str | None) -> JsonValue:
    """Return an item with a time, and a number that distinguishes equal items."""
    if not isinstance(item, dict):
        return item
    kind: dict[str, JsonValue] = {"type": "message"} if "role" in item else {}
    return {"timestamp": at, "number": number, **kind, **item}


# --- conversations ------------------------------------------------------------------------------


def _conversation(save: _Save, saves: Mapping[_Save, bytes | None]) -> list[_Save]:
    """Return the saves of a conversation, earliest first.

    The result is only this save if others contradict it.
    """
    beginning = saves[save] if save in saves else _beginning(save, [*saves])
    if beginning is None:
        return [save]
    others = {one for one, its in saves.items() if its == beginning}
    found = sorted(others | {save}, key=lambda one: one.time)
    longest = max(found, key=lambda one: len(one.marks))
    return found if all(longest.starts_with(item) for item in found) else [save]


def _beginning(save: _Save, saves: Sequence[_Save]) -> bytes | None:
    """Return the hash that identifies the conversation of a save, or None.

    A save without an answer is compared with later ones.
    """
    if save.beginning is not None:
        return save.beginning
    later = (one for one in saves if one.beginning and one.time > save.time)
    return next((item.beginning for item in later if item.starts_with(save)), None)


@lru_cache(maxsize=1)
def _saves_in(folder: Path, _: int) -> Mapping[_Save, bytes | None]:
    """Return the saves in a folder by time, with their conversation hashes."""
    saves: list[_Save] = []
    for path in folder.glob("*.json"):
        try:
            if path.is_file() and not path.is_symlink() and _opens(path):
                save = _save(path, _stamp(path))
                saves += [save] if save else []
        except OSError:
            continue
    saves.sort(key=lambda one: one.time)
    return {save: _beginning(save, saves) for save in saves}


@lru_cache(maxsize=MAX_KNOWN)
def _save(path: Path, stamp: tuple[int, int]) -> _Save | None:
    content = _content(path, stamp)
    if content is None:
        return None
    so_far, marks = hashlib.blake2b(digest_size=16), []
    for item in content.items:
        so_far.update(_identity(mapping(item)).encode() + b"\n")
        marks.append(so_far.digest())
    numbers = (n for n, item in enumerate(content.items) if not _is_typed(mapping(item)))
    id, at = (string(content.session, name) for name in ("id", "timestamp"))
    return _Save(id, at, tuple(marks), next(numbers, len(marks)))


def _is_typed(item: Payload) -> bool:
    return item.get("role") in ("user", "system", "developer")


def _identity(item: Payload) -> str:
    """Return an item's identity: the provider's id, or else all its content."""
    id = string(item, "id", "call_id")
    return dump_json([item.get("type"), id] if id else {**item})


# --- files --------------------------------------------------------------------------------------


def _opens(path: Path) -> bool:
    """Return whether a file may be a save, by its first bytes.

    If the file has the name of a save, other members may come first, as the file may have been
    rewritten.
    """
    with path.open("rb") as file:
        head = file.read(_HEAD)
    rewritten = path.suffix == ".json" and path.name.startswith("rollout-")
    return (_REWRITTEN if rewritten else _OPENING).match(head) is not None


def _stamp(path: Path) -> tuple[int, int]:
    found = path.stat()
    return found.st_mtime_ns, found.st_size


@lru_cache(maxsize=2)
def _content(path: Path, stamp: tuple[int, int]) -> _SaveContent | None:
    if stamp[1] > LARGEST:
        return None
    text = path.read_bytes().replace(b"\0", b"").decode("utf-8", "replace").lstrip("\ufeff")
    try:
        whole = parse_json(text)
    except InvalidInput:
        return _rest_of(text)
    items = whole if isinstance(whole, list) else mapping(whole).get("items")
    session = mapping(mapping(whole).get("session"))
    if not isinstance(items, list) or not (session or any(map(_is_item, items))):
        return None
    return _SaveContent(session, items)


def _is_item(item: JsonValue) -> bool:
    """Return whether a value is an item by Codex, not by another program."""
    entry = mapping(item)
    return string(entry, "type") in ITEMS and not ITEM_FIELDS.isdisjoint(entry)


def _rest_of(text: str) -> _SaveContent | None:
    """Read the complete items of a truncated or damaged save."""
    match = _SESSION.match(text)
    try:
        session, at = json.JSONDecoder().raw_decode(text, match.end()) if match else (None, 0)
        match = _ITEMS.match(text, at)
        if not match or not isinstance(session, dict) or deeper_than(session, MAX_DEPTH):
            return None
    except (ValueError, RecursionError):
        return None
    items, end = _intact_items(text, match.end())
    return _SaveContent(session, items, 0 if _END.fullmatch(text, end) else len(text) - end)


def _intact_items(text: str, at: int) -> tuple[list[JsonValue], int]:
    """Return the items from an offset, None for damaged ones, and their end."""
    items: list[JsonValue] = []
    while True:
        try:
            item, end = json.JSONDecoder().raw_decode(text, at)
        except (ValueError, RecursionError):
            following = text.find(_ITEM, at)
            if following < 0:
                return items, at
            items.append(None)
            at = following + len(_ITEM) - 1
            continue
        items.append(None if deeper_than(item, MAX_DEPTH - 1) else item)
        match = _NEXT.match(text, end)
        if match is None:
            return items, end
        at = match.end()
