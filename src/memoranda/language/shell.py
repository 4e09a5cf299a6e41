"""Parser of shell commands: the steps of a line, and their programs.

The parser covers what agents write, not the whole shell grammar; unknown syntax is kept as text.
The cost is linear for any text.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from memoranda.language.words import word_set

MAXIMUM = 4_000
"""Maximum number of characters of a command that are parsed, without here-documents."""
MAX_STEPS = 24
"""Maximum number of steps of a command that are parsed; the rest is one text."""

_QUOTED = re.compile(r"""'[^']*'|"(?:[^"\\]|\\.)*"|\\.""", re.DOTALL)
_HIDDEN = re.compile("\0([0-9]{1,4})\0")
_SEPARATOR = re.compile(r"(&&|\|\||[|;\n()]|(?<![>&<])&(?![>&\d]))")
_REDIRECTION = re.compile(r"(?:\d?>>?|&>>?)[ \t]{0,9}([^\s<>]{0,500})")
_INPUT = re.compile(r"<<<|<<-?[ \t]{0,9}[^\s<]{0,80}|<")
_QUOTED_OR_BREAK = re.compile(rf"{_QUOTED.pattern}|\n", re.DOTALL)
ENTERED = r"\s*cd\s+(?:'[^'\n]{0,300}'|\"[^\"\n]{0,300}\"|[^\s;&|]{1,300})\s*(?:&&|;)\s*"
"""Pattern that matches a change of folder before a command."""
_SPECIAL = re.compile(r"""['"\\|;&<>()\n]""")
_HEREDOC = re.compile(r"<<-?[ \t]{0,9}['\"]?([A-Za-z_]\w{0,40})['\"]?")
_ASSIGNMENT = re.compile(r"[A-Za-z_]\w{0,80}=")
_PYTHON = re.compile(r"python[\d.]{0,6}$|py$|pypy3?$")
_WRAPPERS = word_set("sudo time env nohup exec command npx bunx pnpx stdbuf xvfb-run ! then do")
_SHELLS = frozenset(("bash", "sh", "zsh"))
_RUNNERS = word_set("uv poetry pipenv pdm hatch rye pixi bundle")
_SHOWING = word_set(
    "cat head tail less more grep egrep fgrep rg ag ack find fd ls tree bat nl awk wc sort uniq cut"
    " tr jq echo printf pwd which type file stat date whoami env printenv cd true column sleep"
    " open goto scroll_up scroll_down search_dir search_file find_file"
)
_SHOWING_GIT = word_set("diff log show grep blame status ls-files branch remote")


@dataclass(frozen=True, slots=True)
class CommandStep:
    """One simple command of a line.

    The words have no quotes, assignments or wrappers.
    """

    words: tuple[str, ...]
    joined: str
    """Operator before the command: empty, &&, ||, |, ; or a line break."""
    writes: tuple[str, ...] = ()
    """Files to which the output is redirected."""
    script: bool = False
    """Whether the program was specified by a path, such as ``./run.sh``, outside program folders.
    """

    @property
    def program(self) -> str:
        """Program without folder and version: python for /usr/bin/python3.11."""
        return self.words[0].rpartition("/")[2] or self.words[0] if self.words else ""

    @property
    def rest(self) -> tuple[str, ...]:
        """The words after the program."""
        return self.words[1:]

    @property
    def saves(self) -> bool:
        """Whether the output is written to a file."""
        return any(not path.startswith("/dev/") for path in self.writes)

    @property
    def shows(self) -> bool:
        """Whether the command only shows existing data and changes nothing."""
        if self.saves:
            return False
        name = self.program
        if name == "git":
            verbs = [word for word in self.words[1:4] if not word.startswith("-")]
            return bool(_SHOWING_GIT.intersection(verbs[:2]))
        return name in _SHOWING or (name == "sed" and "-n" in self.words)


@dataclass(frozen=True, slots=True)
class CommandLine:
    """A command line, split into its steps, in order."""

    steps: tuple[CommandStep, ...]
    folder: str | None
    """Target of a leading ``cd``."""
    documents: str
    """The concatenated here-documents."""
    beyond: str = ""
    """Text beyond the maximum number of steps and characters."""
    shows: bool = False
    """Whether every step only shows existing data.

    If so, the output of the command line is not its outcome.
    """


def command_end(text: str) -> int:
    """Return the end of the command in a recorded call with its output.

    A line break in quotation marks or after a backslash, and a here-document, belong to the
    command.
    """
    end = text.find("\n")
    if end < 0:
        return len(text)
    if text[end - 1] == "\\" or any(text.count(quote, 0, end) % 2 for quote in "'\""):
        matches = _QUOTED_OR_BREAK.finditer(text, 2, 20_000)
        end = next((mark.start() for mark in matches if mark[0] == "\n"), end)
    if heredoc := _HEREDOC.search(text, 0, min(end, 2_000)):
        close = text.find(f"\n{heredoc[1]}\n", end)
        end = close + len(heredoc[1]) + 1 if close >= 0 else end
    return end


def parse(command: str) -> CommandLine:
    """Split a command line into steps. Never fails."""
    return _remembered(command) if len(command) <= MAXIMUM else _parsed(command)


def _parsed(command: str) -> CommandLine:
    documents = ""
    if "<<" in command:
        command, documents = _without_documents(command)
    command, beyond = command[:MAXIMUM], command[MAXIMUM:]
    rest = ""
    if _SPECIAL.search(command) is None and not command.lstrip().startswith("#"):
        words, script = _bare(command.split())
        steps = [CommandStep(words, "", script=script)] if words else []
    else:
        steps, rest = _steps(command)
    if len(steps) == 1 and steps[0].program in _SHELLS and len(steps[0].words) > 2:
        option, inner = steps[0].words[1:3]
        if option.startswith("-") and option.endswith("c") and inner != command:
            steps, rest = _steps(inner)
    folder = None
    if steps and steps[0].program == "cd" and len(steps) > 1 and len(steps[0].words) > 1:
        folder = steps[0].words[1]
    shows = bool(steps) and all(step.shows for step in steps)
    return CommandLine(tuple(steps), folder, documents, rest + beyond, shows)


_remembered = lru_cache(maxsize=8)(_parsed)
"""Cached parser, since several functions parse the command of an event."""


def _without_documents(command: str) -> tuple[str, str]:
    lines: list[str] = []
    bodies: list[str] = []
    at = 0
    for _ in range(8):
        mark = _HEREDOC.search(command, at, at + MAXIMUM)
        line = command.find("\n", mark.end()) if mark else -1
        if mark is None or line < 0:
            break
        close = command.find(f"\n{mark[1]}", line)
        close = close if close >= 0 else len(command)
        lines.append(command[at:line])
        bodies.append(command[line + 1 : close])
        at = min(close + 1 + len(mark[1]), len(command))
    lines.append(command[at:])
    return "".join(lines), "\n".join(bodies)


def _steps(command: str) -> tuple[list[CommandStep], str]:
    hidden: list[str] = []

    def hide(found: re.Match[str]) -> str:
        text = found[0]
        if text == "\\\n":
            return " "
        hidden.append(text[1:] if text[0] == "\\" else text[1:-1])
        return f"\0{len(hidden) - 1}\0"

    plain = command.replace("\0", "")
    if "'" in plain or '"' in plain or "\\" in plain:
        plain = _QUOTED.sub(hide, plain)
    pieces = _SEPARATOR.split(plain, MAX_STEPS)
    steps: list[CommandStep] = []
    joined = ""
    for at in range(0, len(pieces), 2)[:MAX_STEPS]:
        step = _step(pieces[at], joined if steps else "", hidden)
        if step:
            steps.append(step)
        joined = pieces[at + 1] if at + 1 < len(pieces) else ""
    rest = pieces[-1] if len(pieces) > 2 * MAX_STEPS else ""
    return steps, "".join(_shown([rest], hidden))


def _step(segment: str, joined: str, hidden: list[str]) -> CommandStep | None:
    if segment.lstrip().startswith("#"):
        return None
    writes: list[str] = []
    if ">" in segment:
        writes = [path for path in _REDIRECTION.findall(segment) if path and path[0] != "&"]
        segment = _REDIRECTION.sub(" ", segment)
    if "<" in segment:
        segment = _INPUT.sub(" ", segment)
    words = segment.split()
    if hidden:
        words, writes = _shown(words, hidden), _shown(writes, hidden)
    bare, script = _bare(words)
    return CommandStep(bare, joined, tuple(writes), script) if bare or writes else None


def _shown(words: list[str], hidden: list[str]) -> list[str]:
    return [
        _HIDDEN.sub(lambda mark: hidden[int(mark[1])], word) if "\0" in word else word
        for word in words
    ]


def _bare(words: list[str]) -> tuple[tuple[str, ...], bool]:
    """Remove assignments and wrappers before the program; shorten its name.

    Return the words, and whether the program was named by a path.
    """
    words = _unwrapped(words)
    if not words:
        return (), False
    program = words[0]
    script = "/" in program and "bin/" not in program
    if "/" in program:
        short = program.rpartition("/")[2] or program
        program = short if not script or program[0] == "/" else program.removeprefix("./")
    if not _PYTHON.match(program):
        return (program, *words[1:]), script
    if words[1:2] == ["-m"] and len(words) > 2:
        return tuple(words[2:]), False
    return ("python", *words[1:]), False


def _unwrapped(words: list[str]) -> list[str]:
    at = 0
    while at < len(words):
        word = words[at]
        if word in _WRAPPERS or _ASSIGNMENT.match(word):
            at += 1
        elif word in _RUNNERS and words[at + 1 : at + 2] in (["run"], ["exec"]):
            at += 2
            while at < len(words) and words[at].startswith("-"):
                at += 1
        elif word == "timeout" and len(words) > at + 2:
            at += 2 + sum(1 for option in words[at + 1 : at + 3] if option.startswith("-"))
        else:
            break
    return words[at:]
