"""Lookup of the project folder of a Gemini CLI chat.

A chat contains only the SHA-256 hash of the folder's path. The path itself may be in a file next to
the chats, in the context at the start of the session, or be a parent of a path in a tool call.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator
from pathlib import Path, PurePosixPath, PureWindowsPath

from memoranda.capture.hosts.gemini.chat import ChatHistory, calls_of, message_text, parts_of
from memoranda.capture.hosts.json_fields import Payload, mapping, string
from memoranda.json_data import JsonValue

_ROOT = ".project_root"
_MAX_LENGTH = 4_096
_LISTED = re.compile(r"(?m)^\s*- (\S.*?)\s*$|folder: (\S[^\n]*?)\s*$")
_ABSOLUTE = re.compile(r"/|[A-Za-z]:[\\/]")


def folder_of(chat: ChatHistory, path: Path) -> str | None:
    """Return the folder of a chat's project; None if its hash is unknown."""
    digest = string(chat.header, "projectHash")
    if digest is None:
        return None
    noted = noted_folder(path)
    named = (*([noted] if noted else ()), *_directories(chat.header))
    if result := _folder_of(named, digest):
        return result
    above = (folder for file in _mentioned(chat) for folder in _above(file))
    return _folder_of(above, digest) or (named[0] if named and len(digest) != 64 else None)


def _folder_of(folders: Iterable[str], digest: str) -> str | None:
    return next((item for item in dict.fromkeys(folders) if _hash(item) == digest), None)


def _hash(folder: str) -> str:
    return hashlib.sha256(folder.encode("utf-8", "replace")).hexdigest()


def noted_folder(path: Path) -> str | None:
    """Return the project path that Gemini CLI stores next to the chats."""
    for folder in path.parents[:3]:
        try:
            with (folder / _ROOT).open("rb") as file:
                return file.read(_MAX_LENGTH).decode("utf-8", "replace").strip() or None
        except OSError:
            continue
    return None


def _directories(header: Payload) -> tuple[str, ...]:
    found = header.get("directories")
    return tuple(item for item in found if isinstance(item, str)) if isinstance(found, list) else ()


def _mentioned(chat: ChatHistory) -> Iterator[str]:
    for message in chat.messages.values():
        if message.get("type") == "user":
            text = message_text(parts_of(message.get("content")))
            if "<session_context>" in text:
                yield from (item[1] or item[2] for item in _LISTED.finditer(text))
        for call in calls_of(message):
            yield from _paths(mapping(call.get("args")).values())


def _paths(values: Iterable[JsonValue]) -> Iterator[str]:
    for value in values:
        if isinstance(value, str) and len(value) < _MAX_LENGTH and _ABSOLUTE.match(value):
            yield value


def _above(file: str) -> Iterator[str]:
    path = PurePosixPath(file) if file.startswith("/") else PureWindowsPath(file)
    yield from map(str, (path, *path.parents))
