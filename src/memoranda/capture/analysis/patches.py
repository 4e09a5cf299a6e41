"""Patches in the ``*** Begin Patch`` form, in any argument of a call."""

from __future__ import annotations

import re

from memoranda.capture.analysis.lines import lines_with, window
from memoranda.json_data import JsonValue

MOST_PATHS = 20

BEGIN, END = "*** Begin Patch", "*** End Patch"
_MEMBERS = ("patch", "input", "patchText", "patch_text", "command", "cmd", "diff")
_FILE = re.compile(r"\*\*\* (?:Update|Add|Delete) File: (.{1,400})|\*\*\* Move to: (.{1,400})")
_COMMAND = re.compile(
    r"\s*(?:(?:/\S{1,60}/)?(?:ba|z|da)?sh\s+-l?c\s+['\"]?\s*)?(?:cd\s+(\S{1,400})\s*&&\s*)?apply_?patch\b"
)
_CLOSING = re.compile(r"[\s'\"]*\w{0,40}[\s'\")]*")
"""Text after a patch in its command: a here-document's end, a quote."""
_CLOSING_LENGTH = 200


def patch_in(given: JsonValue) -> str:
    """Return the patch in a tool's input, from its first line; '' if none.

    A shell command counts if it applies the patch and does nothing else.
    """
    values = [given.get(name) for name in _MEMBERS] if isinstance(given, dict) else [given]
    for value in values:
        text = _text(value)
        at = text.find(BEGIN)
        if at >= 0 and _applies(text, at):
            return text[at:]
        if at < 0 and text.startswith("*** ") and _FILE.match(text):
            return text
    return ""


def patched_files(given: JsonValue) -> list[str]:
    """Return the files that the patch in a tool's input changes, at most 20."""
    patch = patch_in(given)
    if not patch:
        return []
    marks = [_FILE.match(line) for line in lines_with(window(patch), "*** ", 4 * MOST_PATHS)]
    paths = [(mark[1] or mark[2]).strip() for mark in marks if mark]
    return list(dict.fromkeys(paths))[:MOST_PATHS]


def patch_folder(given: JsonValue) -> str:
    """Return the folder that a command enters to apply its patch; '' if none."""
    if not isinstance(given, dict) or not patch_in(given):
        return ""
    found = _COMMAND.match(_text(given.get("command") or given.get("cmd")))
    return (found[1] or "").strip("'\"") if found else ""


def patch_end(text: str, start: int) -> int:
    """Return the offset after the last line of the patch at ``start``."""
    end = text.find(f"\n{END}", start)
    return len(text) if end < 0 else end + 1 + len(END)


def _text(value: JsonValue) -> str:
    if isinstance(value, list):  # the words of a command
        words = [word for word in value if isinstance(word, str)]
        return " ".join(words)
    return value if isinstance(value, str) else ""


def _applies(text: str, at: int) -> bool:
    before, after = text[:at], text[patch_end(text, at) :]
    if not before.strip():
        return True
    closed = len(after) <= _CLOSING_LENGTH and _CLOSING.fullmatch(after) is not None
    return closed and _COMMAND.match(before) is not None
