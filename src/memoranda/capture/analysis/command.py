"""Parsing of shell commands into steps, and their canonical form.

Equal commands get the same canonical form. The parser covers what agents write, not the whole shell
grammar: it keeps what it does not know.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from functools import lru_cache

from memoranda.language.words import word_set

MOST = 4_000
"""Maximum characters of a command that are parsed, without here-documents."""
MOST_STEPS = 16
"""Maximum steps of a command that are parsed; the rest is one text."""

_QUOTED = re.compile(r"""'[^']*'|"(?:[^"\\]|\\.)*"|\\.""", re.DOTALL)
_HIDDEN = re.compile("\0([0-9]{1,4})\0")
_SEPARATOR = re.compile(r"(&&|\|\||[|;\n()]|(?<![>&<])&(?![>&\d]))")
_REDIRECTION = re.compile(r"(?:\d?>>?|&>>?)[ \t]{0,9}([^\s<>]{0,500})")
_INPUT = re.compile(r"<<<|<<-?[ \t]{0,9}[^\s<]{0,80}|<")
_SPECIAL = re.compile(r"""['"\\|;&<>()\n]""")
_HEREDOC = re.compile(r"<<-?[ \t]{0,9}['\"]?([A-Za-z_]\w{0,40})['\"]?")
_ASSIGNMENT = re.compile(r"[A-Za-z_]\w{0,80}=")
_PYTHON = re.compile(r"python[\d.]{0,6}$|py$|pypy3?$")
_WRAPPERS = word_set("sudo time env nohup exec command npx bunx stdbuf xvfb-run !")
_SHELLS = frozenset(("bash", "sh", "zsh"))
_RUNNERS = frozenset(("uv", "poetry", "pipenv", "pdm", "hatch", "rye", "pixi"))
_SHOWING = word_set(
    "cat head tail less more grep egrep fgrep rg ag ack find fd ls tree bat nl awk wc sort uniq cut"
    " tr jq echo printf pwd which type file stat date whoami env printenv cd true column sleep"
    " open goto scroll_up scroll_down search_dir search_file find_file"
)
_SHOWING_GIT = word_set("diff log show grep blame status ls-files branch remote")


@dataclass(frozen=True, slots=True)
class CommandStep:
    """One simple command of a line.

    Its words are without quotes, assignments and wrappers.
    """

    words: tuple[str, ...]
    joined: str
    """Operator before it: empty, &&, ||, |, ; or a line break."""
    writes: tuple[str, ...] = ()
    """Files to which its output is redirected."""

    @property
    def program(self) -> str:
        """Program without folder and version: python for /usr/bin/python3.11."""
        return self.words[0] if self.words else ""

    @property
    def shows(self) -> bool:
        """Whether it only shows existing data and changes nothing."""
        if any(path != "/dev/null" for path in self.writes):
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
    """Text after the maximum of steps and characters."""
    shows: bool = False
    """Whether every step only shows existing data.

    If so, its output is not its outcome.
    """


def parse(command: str) -> CommandLine:
    """Split a command line into steps; never fails, whatever the text."""
    return _remembered(command) if len(command) <= MOST else _parsed(command)


def _parsed(command: str) -> CommandLine:
    documents = ""
    if "<<" in command:
        command, documents = _without_documents(command)
    command, beyond = command[:MOST], command[MOST:]
    rest = ""
    if _SPECIAL.search(command) is None:
        words = _bare(command.split())
        steps = [CommandStep(words, "")] if words else []
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
"""Cached parser, as several functions parse the command of one event."""


def _without_documents(command: str) -> tuple[str, str]:
    lines: list[str] = []
    bodies: list[str] = []
    at = 0
    for _ in range(8):
        mark = _HEREDOC.search(command, at, at + MOST)
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
    pieces = _SEPARATOR.split(plain, MOST_STEPS)
    steps: list[CommandStep] = []
    joined = ""
    for at in range(0, len(pieces), 2)[:MOST_STEPS]:
        step = _step(pieces[at], joined if steps else "", hidden)
        if step:
            steps.append(step)
        joined = pieces[at + 1] if at + 1 < len(pieces) else ""
    rest = pieces[-1] if len(pieces) > 2 * MOST_STEPS else ""
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
    bare = _bare(words)
    return CommandStep(bare, joined, tuple(writes)) if bare or writes else None


def _shown(words: list[str], hidden: list[str]) -> list[str]:
    return [
        _HIDDEN.sub(lambda mark: hidden[int(mark[1])], word) if "\0" in word else word
        for word in words
    ]


def _bare(words: list[str]) -> tuple[str, ...]:
    """Drop assignments and wrappers before the program, and shorten its name."""
    at = 0
    while at < len(words):
        word = words[at]
        if word in _WRAPPERS or _ASSIGNMENT.match(word):
            at += 1
        elif word in _RUNNERS and words[at + 1 : at + 2] == ["run"]:
            at += 2
            while at < len(words) and words[at].startswith("-"):
                at += 1
        elif word == "timeout" and len(words) > at + 2:
            at += 2 + sum(1 for option in words[at + 1 : at + 3] if option.startswith("-"))
        else:
            break
    words = words[at:]
    if not words:
        return ()
    program = words[0]
    if "/" in program:
        short = program.rpartition("/")[2]
        program = short if "/bin/" in program or program[0] == "/" else program.removeprefix("./")
    if _PYTHON.match(program):
        if words[1:2] == ["-m"] and len(words) > 2:
            return tuple(words[2:])
        program = "python"
    return (program, *words[1:])


# --- the same again -----------------------------------------------------------------------------

_IDLE = word_set("cd export source . set unset sleep echo printf true pwd clear wait")
_FILTERS = word_set(
    "tail head tee cat less more sed grep egrep fgrep rg awk gawk jq yq sort uniq cut tr wc column"
    " nl fold rev paste"
)
"""Programs that show the output of another program."""
_QUIET = word_set("-q -qq -v -vv -vvv --quiet --verbose --silent --no-color --no-pager --progress")
_QUIET_VALUES = ("--color=", "--tb=", "--maxfail=", "--durations=", "--verbosity=")
_TESTERS = word_set(
    "pytest py.test unittest nosetests tox jest vitest mocha cargo go phpunit rspec"
)
_TEST_FLAGS = word_set(
    "-x -s -l -ra -rA -rf -rs -rP --lf --ff --sw --exitfirst --last-failed --failed-first --no-cov"
    " --no-header --no-summary --nocapture --showlocals -count=1 -h -p=no:cacheprovider"
)
_TEST_VALUES = frozenset(("--tb", "--maxfail", "--durations", "-p", "-n"))
_WRITERS = frozenset(("cat", "echo", "printf"))
"""Programs whose only effect is a redirection."""
_READERS = word_set("python node ruby perl bash sh php psql sqlite3 mysql")


_WAIT = re.compile(r"\d+(?:ms|s|min)")
"""Duration of a wait, which may differ in a retry."""
LONGEST = 1_000
"""Characters of a command by which a retry is recognised.

Of longer ones, the beginning and a hash.
"""


def same_again(command: CommandLine, cwd: str | None) -> str:
    """Normalise a command so that a retry of it gives the same text.

    The preparation (cd, assignments, echo), the amount shown (-q, --tb, | tail) and redirections
    are dropped; ``python -m pytest`` becomes ``pytest``; paths inside the folder are relative.
    """
    steps = [step for step in command.steps if _acts(step)] or list(command.steps)
    bases = [base.rstrip("/") + "/" for base in (command.folder, cwd) if base]
    parts: list[str] = []
    for step in steps:
        line = " ".join(_essential(step, bases))
        mark = step.joined if step.joined not in ("", "\n") else ";"
        parts.append(f"{mark} {line}" if parts else line)
        if command.documents and step.program in _READERS and set(step.words[1:]) <= {"-"}:
            parts.append(short_hash(command.documents))
    if command.beyond:
        parts.append(short_hash(command.beyond))
    text = " ".join(parts)
    return text if len(text) <= LONGEST else f"{text[:160]} #{short_hash(text)}"


def step_text(step: CommandStep) -> str:
    """Normalise one step as `same_again` does.

    A retry of it gives the same text.
    """
    return " ".join(_essential(step, []))


def short_hash(text: str) -> str:
    """Return a hash of ten hexadecimal digits, equal on every machine."""
    return hashlib.blake2b(text.encode("utf-8", "replace"), digest_size=5).hexdigest()


def _acts(step: CommandStep) -> bool:
    if step.writes and step.program in _WRITERS:
        return True
    return step.program not in _IDLE and not (step.joined == "|" and step.program in _FILTERS)


def _essential(step: CommandStep, bases: list[str]) -> list[str]:
    testing = step.program in _TESTERS
    written = step.writes if step.program in _WRITERS else ()
    parts: list[str] = []
    skip = False
    for word in step.words:
        if skip or word in _QUIET or word.startswith(_QUIET_VALUES) or _WAIT.fullmatch(word):
            skip = False
        elif testing and (word in _TEST_FLAGS or word in _TEST_VALUES):
            skip = word in _TEST_VALUES
        else:
            base = next((base for base in bases if word.startswith(base)), "./")
            parts.append(word.removeprefix(base) or word)
    parts += [f"> {path}" for path in written]
    return [word if len(word) <= 80 else f"{word[:40]}#{short_hash(word)}" for word in parts]
