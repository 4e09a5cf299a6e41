"""Detects which system wrote a file, and selects its importer."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

from memoranda.capture.hosts.gemini.transcript import CHATS, PROMPTS
from memoranda.capture.hosts.transcripts import companions
from memoranda.exceptions import InvalidInput, NotFound
from memoranda.integrations.imports import (
    basic_memory,
    chats,
    claude_mem,
    letta,
    markdown,
    mcp_memory,
    mem0,
)
from memoranda.integrations.imports.chats import is_chats
from memoranda.integrations.imports.claude_mem_export import is_export
from memoranda.integrations.imports.imported_items import Reader
from memoranda.integrations.imports.json_file import first, is_zip
from memoranda.integrations.imports.sqlite_file import is_sqlite, opened, tables
from memoranda.private_folders import lies_in
from memoranda.text_encoding import decoded

READERS: Mapping[str, Reader] = MappingProxyType(
    {
        "claude-mem": claude_mem.read,
        "mem0": mem0.read,
        "mcp-memory": mcp_memory.read,
        "letta": letta.read,
        "chats": chats.read,
        "basic-memory": basic_memory.read,
        "markdown": markdown.read,
    }
)
"""Readers by format name."""
_HEAD = 4_096
_ALONE = frozenset({".jsonl", ".af"})
_PACKED = frozenset({".bz2", ".gz", ".xz", ".zst"})
"""Extensions of compressed files; Codex compresses its older sessions as ``.jsonl.zst``."""
_OUTPUTS = "tool-results"
_OF_SESSIONS = frozenset({"subagents", _OUTPUTS})
"""Folders with files that belong to the transcript of a session."""
_DOCUMENTS = {
    "mcp-memory": mcp_memory.is_graph,
    "letta": letta.is_agent_file,
    "claude-mem": is_export,
    "chats": chats.is_chats,
    "mem0": mem0.is_export,
}


def form_of(path: Path) -> str | None:
    """Return the format of a file or folder; None if it is unknown.

    Transcripts of coding agents, for example, are not detected here.

    Raises:
        NotFound: there is no such file.
        InvalidInput: the path is a folder, a zip or a database that no reader supports.
        CorruptData: the database is damaged.
    """
    if not path.exists():
        raise NotFound(f"no file {path}")
    if chats.holds_chats(path):
        return "chats"
    if path.is_dir():
        if markdown.is_markdown(path):
            return _pages(path)
        raise InvalidInput(f"there is neither Markdown nor an export of conversations in {path}")
    if is_zip(path):
        raise InvalidInput(
            f"{path} contains no conversations; for an archive: `memoranda import-archive`"
        )
    if is_sqlite(path):
        return _database(path)
    return _pages(path) if markdown.is_markdown(path) and not _is_json(path) else _document(path)


def _pages(path: Path) -> str:
    return "basic-memory" if basic_memory.is_notes(path) else "markdown"


def sources(path: Path) -> list[Path]:
    """Return the sources that a name on the command line refers to.

    It is the path itself. For a folder with neither Markdown nor exported conversations, the
    sources are the transcripts and memories in the folder.

    If the folder contains Markdown, transcripts and memories are omitted: files in a repository do
    not record events of this machine.
    """
    if not path.is_dir() or chats.holds_chats(path) or markdown.is_markdown(path):
        return [path]
    paths = [
        file
        for file in sorted(path.rglob("*"))
        if _is_named_as_source(file) and lies_in(file, path) and file.is_file()
    ]
    sessions = [file for file in paths if not _is_of_session(file, path)]
    return _with_unattended(sessions, paths, path) or [path]


def _is_named_as_source(file: Path) -> bool:
    """Return whether a file name is typical of sessions or memories.

    A compressed file is a source, so that the import reports it, unless the uncompressed file is
    next to it.
    """
    if file.suffix.lower() in _PACKED:
        file = file.with_suffix("")
        return file.suffix.lower() in _ALONE and not file.exists()
    is_chat = file.parent.name == CHATS and file.match("session-*.json")
    return (
        file.suffix.lower() in _ALONE
        or is_chat
        or (file.name == PROMPTS and (file.parent / CHATS).is_dir())
    )


def _is_of_session(file: Path, folder: Path) -> bool:
    """Return whether a file belongs to the transcript of a session."""
    within = file.relative_to(folder).parts[:-1]
    return bool(_OF_SESSIONS.intersection(within)) or CHATS in within[:-1]


def _with_unattended(sessions: list[Path], found: list[Path], folder: Path) -> list[Path]:
    """Add transcripts of subagents whose session has no transcript."""
    others = [
        file
        for file in found
        if _is_of_session(file, folder) and _OUTPUTS not in file.relative_to(folder).parts
    ]
    if not others:
        return sessions
    attended = {path for session in sessions for path in companions(session)}
    return sorted([*sessions, *(file for file in others if file not in attended)])


def reader_of(form: str) -> Reader:
    """Return the reader of a format.

    Raises:
        InvalidInput: the format has no reader; the message lists the formats that can be read.
    """
    if form not in READERS:
        raise InvalidInput(f"unknown format {form!r}; known: {', '.join(READERS)}")
    return READERS[form]


def _is_json(path: Path) -> bool:
    """Return whether a file contains JSON, regardless of its name."""
    with path.open("rb") as file:
        head = decoded(file.read(_HEAD)).lstrip()
    if not head.startswith(("{", "[")):
        return False
    try:
        return any(isinstance(item, dict) or is_chats(item) for item in first(path))
    except InvalidInput:
        return False


def _database(path: Path) -> str:
    with opened(path) as database:
        if claude_mem.is_claude_mem(database):
            return "claude-mem"
        if mem0.is_mem0(database):
            return "mem0"
        if "cursorDiskKV" in tables(database) or "ItemTable" in tables(database):
            raise InvalidInput(
                f"{path} is Cursor's own database, which is not read; import its agent transcripts "
                "(~/.cursor/projects/*/agent-transcripts)"
            )
    raise InvalidInput(f"{path} is a database of neither claude-mem nor mem0")


def _document(path: Path) -> str | None:
    """Detect the format from the document or from its first lines.

    Return None for a transcript.
    """
    try:
        found = first(path)
    except InvalidInput:
        return None
    fitting = (name for item in found for name, fits in _DOCUMENTS.items() if fits(item))
    return next(fitting, None)
