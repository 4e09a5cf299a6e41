"""Splits shell command lines into the programs they run.

This covers what agents write, not the whole grammar. For any text, the cost is linear.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from memoranda.language.words import word_set

MOST = 4_000
"""Characters of a command that are examined, without here-documents."""
MOST_PARTS = 24
LONGEST = 65_536
"""Characters in which here-documents are searched."""

_DOCUMENT = re.compile(
    r"<<-?[ \t]{0,9}(['\"]?)(\w{1,40})\1([^\n]{0,2000})\n.*?(?:\n[ \t]{0,40}\2(?=\n|\Z)|\Z)",
    re.DOTALL,
)
_QUOTED = re.compile(r"""'[^']*'|"(?:[^"\\]|\\.)*"|\\.""", re.DOTALL)
_HIDDEN = re.compile("\0([0-9]{1,4})\0")
_BREAK = re.compile(r"&&|\|\||[|;\n()]|(?<![>&<])&(?![>&\d])")
_OUTPUT = re.compile(r"(?:\d?>>?|&>>?)(?:&\d|[ \t]{0,9}([^\s<>|;&]{0,500}))")
_INPUT = re.compile(r"<<<|<<-?[ \t]{0,9}[^\s<]{0,80}|<")
_ASSIGNMENT = re.compile(r"[A-Za-z_]\w{0,80}=")
_WRAPPERS = word_set("sudo time env nohup exec command npx bunx pnpx stdbuf xvfb-run ! then do")
_RUNNERS = word_set("uv poetry pipenv pdm hatch rye pixi bundle")
_PYTHON = re.compile(r"(?:python|pypy)[\d.]{0,6}|py")
_SHELLS = frozenset(("bash", "sh", "zsh"))


@dataclass(frozen=True, slots=True)
class ShellCommand:
    """One simple command: its words without quotes, assignments and wrappers."""

    words: tuple[str, ...]
    writes: bool
    """Whether its output goes to a file."""
    script: bool = False
    """Whether the program was named by a path, such as ``./run.sh``."""

    @property
    def program(self) -> str:
        """The program without its folder; '' when there is only a redirection."""
        return self.words[0] if self.words else ""

    @property
    def rest(self) -> tuple[str, ...]:
        """The words after the program."""
        return self.words[1:]


def parts(command: str) -> list[ShellCommand]:
    """Parse a command line into its simple commands, in order; never fails."""
    found = _parts(command)
    if len(found) == 1 and found[0].program in _SHELLS and len(found[0].words) > 2:
        option, inner = found[0].words[1:3]
        if option.startswith("-") and option.endswith("c") and inner != command:
            return _parts(inner)
    return found


def _parts(command: str) -> list[ShellCommand]:
    text = command[:LONGEST].replace("\0", "")
    if "<<" in text:
        text = _DOCUMENT.sub(r"\3", text)
    hidden: list[str] = []

    def hide(found: re.Match[str]) -> str:
        if found[0] == "\\\n":
            return " "
        hidden.append(found[0][1:] if found[0][0] == "\\" else found[0][1:-1])
        return f"\0{len(hidden) - 1}\0"

    plain = _QUOTED.sub(hide, text[:MOST])
    made = (_part(piece, hidden) for piece in _BREAK.split(plain, MOST_PARTS)[:MOST_PARTS])
    return [part for part in made if part is not None]


def _part(piece: str, hidden: list[str]) -> ShellCommand | None:
    if piece.lstrip().startswith("#"):
        return None
    targets = [found[1] for found in _OUTPUT.finditer(piece) if found[1]]
    words = _INPUT.sub(" ", _OUTPUT.sub(" ", piece)).split()
    words = _unwrapped([_shown(word, hidden) for word in words])
    writes = any(not target.startswith("/dev/") for target in targets)
    if not words:
        return ShellCommand((), writes) if writes else None
    program = words[0].rpartition("/")[2] or words[0]
    script = "/" in words[0] and "bin/" not in words[0]
    if _PYTHON.fullmatch(program):
        if words[1:2] == ["-m"] and len(words) > 2:
            return ShellCommand((words[2].partition(".")[0], *words[3:]), writes)
        program = "python"
    return ShellCommand((program, *words[1:]), writes, script)


def _shown(word: str, hidden: list[str]) -> str:
    return _HIDDEN.sub(lambda mark: hidden[int(mark[1])], word) if "\0" in word else word


def _unwrapped(words: list[str]) -> list[str]:
    """Drop assignments and wrappers before the program."""
    at = 0
    while at < len(words):
        if words[at] in _WRAPPERS or _ASSIGNMENT.match(words[at]):
            at += 1
        elif words[at] == "timeout" or (
            words[at] in _RUNNERS and words[at + 1 : at + 2] in (["run"], ["exec"])
        ):
            at += 2
        else:
            break
    return words[at:]
