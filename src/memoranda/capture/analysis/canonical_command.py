"""Canonical form of shell commands, equal for retries of a command."""

from __future__ import annotations

import hashlib
import re

from memoranda.language.shell import CommandLine, CommandStep
from memoranda.language.words import word_set

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
"""Programs whose only effect is that of a redirection."""
_READERS = word_set("python node ruby perl bash sh php psql sqlite3 mysql")


_WAIT = re.compile(r"\d+(?:ms|s|min)")
"""Duration of a wait, which may differ in a retry."""
MAX_LENGTH = 1_000
"""Maximum number of characters of a canonical command.

A longer command is reduced to its beginning and a hash.
"""


def same_again(command: CommandLine, cwd: str | None) -> str:
    """Normalise a command so that a retry gives the same text.

    Setup steps (cd, assignments, echo), verbosity (-q, --tb, | tail) and redirections are dropped;
    ``python -m pytest`` becomes ``pytest``; paths inside ``cwd`` become relative to it.
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
    return text if len(text) <= MAX_LENGTH else f"{text[:160]} #{short_hash(text)}"


def step_text(step: CommandStep) -> str:
    """Normalise one step of a command as `same_again` does."""
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
