"""Patches in the ``*** Begin Patch`` form, in any argument of a call.

A shell command may apply several patches, and run other commands before and after them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from memoranda.capture.analysis.line_search import lines_with, window
from memoranda.json_data import JsonValue

MAX_PATHS = 20
MAX_PATCHES = 16
"""Maximum number of patches and here-documents of a command that are parsed."""

BEGIN, END = "*** Begin Patch", "*** End Patch"
_MEMBERS = ("patch", "input", "patchText", "patch_text", "command", "cmd", "diff")
_COMMANDS = ("command", "cmd")
_FILE = re.compile(r"\*\*\* (?:Update|Add|Delete) File: (.{1,400})|\*\*\* Move to: (.{1,400})")
_DOCUMENT = re.compile(r"(?<!<)<<-?[ \t]{0,9}\\?(['\"]?)([A-Za-z_]\w{0,40})\1")
_PROGRAM = re.compile(
    r"(?:^|[;&|({'\"`!]|\b(?:then|do|else|sudo|exec|time|command|-l?c))[ \t]{0,9}"
    r"(?P<word>(?:/\S{1,60}/)?apply_?patch(?=[\s<]|$))"
)
"""The program that applies patches, at the start of a command."""
_PIPED = re.compile(r"\bcat\s{1,9}$")
_WRITTEN = re.compile(r">[ \t]{0,9}['\"]?([^\s'\"<>|;&]{1,400})")
_ENTERED = re.compile(r"(?:^|[\n;&|(])\s{0,99}cd\s+('[^'\n]*'|\"[^\"\n]*\"|[^\s;&|)]{1,400})")
_SHELL = re.compile(r"\s*(?:/\S{1,60}/)?(?:ba|z|da)?sh\s+-l?c\s+(?:['\"]|$)")
_REPORT = re.compile(
    r"^Success\. Updated the following files:\n(?:[AMD] .{1,400}(?:\n|$))*", re.MULTILINE
)
"""The patch program's list of changed files in its output."""
_QUOTE = re.compile(r"\s{0,9}['\"]")
_PART = re.compile(r"(?:'[^'\n]*'|\"[^\"\n]*\"|(?!&&|\|\||;).)+")
"""One command of a line, up to an operator outside quotes."""
_NOTHING = re.compile(
    r"then|do|done|fi|else|true|:|set -\w{1,9}|exit \d{1,3}|\d?>{1,2}&?\s?\S{1,400}"
)
"""Parts of a command that a summary with a patch omits."""


@dataclass(frozen=True, slots=True)
class _Piece:
    """Patch in a command, and the part of the command that applies it."""

    patch: str
    start: int
    end: int
    tail: str = ""
    """Rest of the line on which the here-document of the patch begins."""


@dataclass(frozen=True, slots=True)
class PatchedCommand:
    """A shell command that applies patches."""

    pieces: tuple[_Piece, ...]
    folder: str
    """Folder that the command changes to before the first patch; '' if none."""
    rest: str
    """Other commands of the shell command, joined by semicolons; '' if none."""

    @property
    def patch(self) -> str:
        """The patches, one after the other."""
        return "\n".join(piece.patch for piece in self.pieces)


def patch_in(arguments: JsonValue) -> str:
    """Return the patches in a tool's input; '' if none.

    In a shell command, only patches that the command applies count.
    """
    values = (
        [arguments.get(name) for name in _MEMBERS] if isinstance(arguments, dict) else [arguments]
    )
    for value in values:
        text = _text(value)
        at = text.find(BEGIN)
        if at >= 0 and not text[:at].strip():
            return text[at:]
        if at >= 0 and (command := _command(text)):
            return command.patch
        if at < 0 and text.startswith("*** ") and _FILE.match(text):
            return text
    return ""


def patched_command(arguments: JsonValue) -> PatchedCommand | None:
    """Return the shell command in a tool's input, if it applies patches."""
    if not isinstance(arguments, dict):
        return None
    return next(filter(None, (_command(_text(arguments.get(name))) for name in _COMMANDS)), None)


def only_patches(arguments: JsonValue) -> bool:
    """Return whether an input is a patch, or a command that only applies it."""
    command = patched_command(arguments)
    if command is None:
        return bool(patch_in(arguments))
    return not command.rest and len(command.pieces) == 1


def patched_files(arguments: JsonValue) -> list[str]:
    """Return the files that the patches in an input change, at most 20."""
    patch = patch_in(arguments)
    if not patch:
        return []
    marks = [_FILE.match(line) for line in lines_with(window(patch), "*** ", 4 * MAX_PATHS)]
    paths = [(mark[1] or mark[2]).strip() for mark in marks if mark]
    return list(dict.fromkeys(paths))[:MAX_PATHS]


def patch_folder(arguments: JsonValue) -> str:
    """Return the folder that a command enters for its patch, or ''."""
    command = patched_command(arguments)
    return command.folder if command else ""


def without_reports(output: str) -> str:
    """Remove the patch program's lists of changed files from an output."""
    return _REPORT.sub("", output)


def patch_end(text: str, start: int) -> int:
    """Return the offset after the last line of the patch at ``start``."""
    end = text.find(f"\n{END}", start)
    return len(text) if end < 0 else end + 1 + len(END)


def _text(value: JsonValue) -> str:
    if isinstance(value, list):  # the arguments of a command
        words = [word for word in value if isinstance(word, str)]
        return words[2] if len(words) == 3 and words[1] in ("-c", "-lc") else " ".join(words)
    return value if isinstance(value, str) else ""


def _command(text: str) -> PatchedCommand | None:
    return _remembered(text) if BEGIN in text else None


def _parsed(text: str) -> PatchedCommand | None:
    pieces = tuple(_pieces(text))
    if not pieces:
        return None
    entered = _ENTERED.findall(text[: pieces[0].start])
    return PatchedCommand(pieces, entered[-1].strip("'\"") if entered else "", _rest(text, pieces))


_remembered = lru_cache(maxsize=8)(_parsed)
"""Cached parser, since files, tags and summary of an event all need it."""


def _pieces(text: str) -> Iterator[_Piece]:
    """Yield the patches that a command applies, in order."""
    at = 0
    for _ in range(MAX_PATCHES):
        patch, mark = text.find(BEGIN, at), _DOCUMENT.search(text, at)
        if patch < 0:
            return
        if mark is None or mark.start() > patch:  # an argument of the patch program
            end = patch_end(text, patch)
            program = _program(text, at, patch)
            if program >= 0:
                quote = _QUOTE.match(text, end)
                yield _Piece(text[patch:end], program, quote.end() if quote else end)
            at = end
            continue
        line = text.find("\n", mark.end())
        close = _closing(text, line, mark[2])
        body = text[line + 1 : close]
        begin = body.find(BEGIN)
        if begin >= 0 and not body[:begin].strip() and (piece := _document(text, mark, close)):
            yield piece
        at = max(close, mark.end())


def _document(text: str, mark: re.Match[str], close: int) -> _Piece | None:
    """Return the patch of a here-document, if its command applies it."""
    line = text.find("\n", mark.end())
    patch = text.find(BEGIN, line)
    patch_text = text[patch : patch_end(text, patch)]
    head = text.rfind("\n", 0, mark.start()) + 1
    end, tail = close + len(mark[2]), text[mark.end() : line]
    program = _program(text, head, line)
    if program >= 0:
        start = min(program, mark.start())
        if program > mark.start():  # cat <<EOF | apply_patch
            match = _PIPED.search(text, head, mark.start())
            start, tail = match.start() if match else start, _after_program(tail)
        return _Piece(patch_text, start, end, tail)
    written = _WRITTEN.search(text, head, line)
    if written and _applied_later(text[end:], written[1]):
        return _Piece(patch_text, mark.start(), end, tail)
    return None


def _program(text: str, start: int, end: int) -> int:
    """Return the offset of the last call of the patch program; -1 if none."""
    base = max(start, text.rfind("\n", start, end) + 1)
    found = [mark.start("word") for mark in _PROGRAM.finditer(text[base:end])]
    return base + found[-1] if found else -1


def _after_program(tail: str) -> str:
    match = _PROGRAM.search(tail)
    return tail[match.end() :] if match else tail


def _applied_later(text: str, path: str) -> bool:
    name = re.escape(path)
    pattern = (
        rf"apply_?patch\b[^\n]{{0,200}}{name}|{name}[^\n]{{0,200}}\|\s*(?:/\S+/)?apply_?patch\b"
    )
    return re.search(pattern, text) is not None


def _closing(text: str, line: int, word: str) -> int:
    """Return the offset of the delimiter that ends a here-document."""
    if line < 0:
        return len(text)
    match = re.compile(rf"^\t*({word})(?!\w)", re.MULTILINE).search(text, line + 1)
    return match.start(1) if match else len(text)


def _rest(text: str, pieces: tuple[_Piece, ...]) -> str:
    """Return a command without its patches and the change to their folder."""
    remainder, at = [], 0
    for piece in pieces:
        remainder += [text[at : piece.start], piece.tail]
        at = piece.end
    left = " ".join([*remainder, text[at:]])
    shell = _SHELL.match(left)
    left = _ENTERED.sub(lambda match: match[0][:1] if match[0][:1] in ";&|(" else "\n",
                        left[shell.end() :] if shell else left)  # fmt: skip
    parts = map(_trimmed, _PART.findall(left))
    return "; ".join(part for part in parts if part and not _NOTHING.fullmatch(part))


def _trimmed(part: str) -> str:
    """Strip operators, unpaired quotes and unpaired brackets."""
    part = part.strip(" \t;&|")
    for left, right in ("()", "{}"):
        part = part if part.count(left) == part.count(right) else part.strip(left + right + " ")
    for quote in "'\"":
        part = part.strip(f"{quote} ") if part.count(quote) % 2 else part
    return part
