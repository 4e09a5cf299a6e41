"""Checks in commands: tests, linters and builds, by what they select, so that one covers another.

Commands are targets of calls (`memoranda.capture.analysis.extraction.target`): without their
trimmings, quotes and the way there.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from memoranda.capture.analysis.lines import names

SHELL = "shell "
FOLDER = " @ "
"""Between a command and the folder below the workspace's that it ran in."""

_RUNNERS: dict[tuple[str, ...], tuple[str, str]] = {
    tuple(begin.split()): (kind, family)
    for begin, kind, family in (
        ("pytest", "test", "pytest"), ("py.test", "test", "pytest"),
        ("unittest", "test", "unittest"), ("jest", "test", "jest"), ("vitest", "test", "vitest"),
        ("vitest run", "test", "vitest"), ("mocha", "test", "mocha"), ("go test", "test", "go"),
        ("gotestsum", "test", "go"), ("cargo test", "test", "cargo"),
        ("cargo nextest run", "test", "cargo"), ("gradlew", "task", "gradle"),
        ("gradle", "task", "gradle"), ("mvn", "task", "maven"), ("mvnw", "task", "maven"),
        ("rspec", "test", "rspec"), ("phpunit", "test", "phpunit"), ("pest", "test", "phpunit"),
        ("artisan test", "test", "phpunit"), ("dotnet test", "test", "dotnet"),
        ("ctest", "test", "ctest"), ("bats", "test", "tap"), ("playwright test", "test",
        "playwright"), ("swift test", "test", "xctest"), ("deno test", "test", "deno"),
        ("mix test", "test", "mix"), ("node --test", "test", "node"),
        ("ruff check", "lint", "ruff"), ("ruff format", "lint", "ruff-format"),
        ("mypy", "lint", "mypy"), ("eslint", "lint", "eslint"), ("flake8", "lint", "flake8"),
        ("pylint", "lint", "pylint"), ("pyright", "lint", "pyright"), ("black", "lint", "black"),
        ("prettier", "lint", "prettier"), ("rubocop", "lint", "rubocop"),
        ("golangci-lint run", "lint", "golangci"), ("go vet", "lint", "go-vet"),
        ("go build", "build", "go-build"), ("cargo build", "build", "cargo-build"),
        ("cargo check", "build", "cargo-check"), ("cargo clippy", "lint", "clippy"),
        ("tsc", "build", "tsc"), ("dotnet build", "build", "dotnet-build"),
        ("shellcheck", "lint", "shellcheck"), ("tflint", "lint", "tflint"),
        ("yamllint", "lint", "yamllint"), ("hadolint", "lint", "hadolint"),
        ("ansible-lint", "lint", "ansible"), ("stylelint", "lint", "stylelint"),
        ("biome check", "lint", "biome"), ("markdownlint", "lint", "markdownlint"),
    )
}  # fmt: skip
"""How a check begins, whether it tests, lints or builds, and in whose format it speaks."""
_LAUNCHERS = names("npx bunx pnpm yarn npm bundle exec dlx run php composer bun")
_FILTERS = names(
    "-k -m --deselect --ignore -t --testNamePattern --test-name-pattern -g -f --grep --fgrep"
    " --grep-invert -run -skip --tests -x --test -e --example --tag --filter --group --testsuite"
    " -R -E -L --tests-regex --project --selectProjects -pl -p --package -P -E -Dtest -Dit.test"
    " --only --exclude -q --select --ignore-path"
)
"""Options that select what is checked, each with a value; some names mean so of some tools."""
_PLAIN_OPTIONS = re.compile(
    r"--?(?:cov|coverage|reporter|ci$|info$|stacktrace$|no-daemon$|console|offline$|rerun"
    r"|no-build-cache$|jobs|workers|locked$|frozen$|no-restore$|no-build$|logger|runInBand$|i$|n$"
    r"|j\d*$|watch|run$|race$|v+$|verbose|quiet|color|colour|no-color|format$|output-on-failure"
    r"|continue$|debug$|B$|ntp$|U$|s$|S$|repeat-each|retries|no-capture|nocapture|parallel|trace$"
    r"|show|list$|bail|forceExit$|detectOpenHandles$|silent|tap$|pretty$|test$|noEmit$|check$|diff$"
    r"|cache|no-cache|progress|log|timeout|workspace$|all$|no-fail-fast$|fail-fast$|updateSnapshot"
    r"|u$|fix$|update-snapshots$|headed$|maxWorkers|batch-mode$|parallel-threads|f$|x$|\d+$)"
)
_WHOLE = frozenset((".", "./", "./...", "...", "src", "tests", "test"))
_EVERYTHING = frozenset((".", "./", "./...", "..."))
_SUITES = re.compile(
    r"(?:make|just|task|rake|mage|npm|pnpm|yarn|bun|composer|poe|invoke|inv|mise|bin/rails|rails"
    r"|hatch|pdm|earthly)(?: -\S+)*(?: run| run-script)? (?:test|tests|check|verify|ci|test[:-]all"
    r"|all-tests|check-all|test-unit|unit)$|(?:tox|nox|npm t)$"
    r"|\S*\b(?:test|tests|check|ci)(?:\.sh)?$"
)
"""Commands that run a whole suite under a name that a project gave it."""
_SCRIPT = re.compile(
    r"((?:make|just|task|rake|npm|pnpm|yarn|bun|composer|poe|invoke|mise|hatch|pdm)"
    r"(?: (?:-C|--filter|-F|--prefix|--workspace|-w) \S+)*(?: run| run-script)?"
    r" \S*\b(?:tests?|e2e|specs?|check|verify|ci)\b\S*)(?: |$)"
)
"""A test under a name that a project gave it, and what it is called with."""
_OTHER_SUITE = re.compile(
    r"e2e|integration|smoke|staging|acceptance|slow|nightly|-P\w|--profile|live\b", re.IGNORECASE
)
"""What a part of the tests is called that a whole suite often leaves out."""
_KEYWORD = re.compile(r"^(?:(?:do|then|else|if|while|until|!|\{) )+")
"""What a shell has before a command in a loop or a condition."""
_GRADLE_WHOLE = {"test": "test", "check": "test", "build": "test"}
_MAVEN_GOALS = ("compile", "test-compile", "test", "package", "verify", "install", "deploy")


@dataclass(frozen=True, slots=True)
class Check:
    """One command of a chain, and what it checks if it is a check that is known."""

    text: str
    kind: str = ""
    """``test``, ``lint``, ``build``, ``task``, or ``script`` for tests under a name that a project
    gave them; empty for another command."""
    family: str = ""
    paths: tuple[str, ...] = ()
    """What it is limited to: files, folders, packages, tasks; nothing: all there is."""
    filters: tuple[str, ...] = ()
    """Options that select, with their values."""
    options: frozenset[str] = frozenset()
    """Others that make it another check."""

    @property
    def program(self) -> str:
        """The first word."""
        return self.text.partition(" ")[0]

    @property
    def tests(self) -> bool:
        """Whether it runs tests."""
        if self.kind == "task":
            return any("test" in path.lower() or path.endswith(("check", "build", "verify",
                       "install", "package")) for path in self.paths)  # fmt: skip
        return self.kind in ("test", "script") or bool(_SUITES.match(self.text))

    @property
    def is_whole(self) -> bool:
        """Whether it runs every test there is, as far as its words tell."""
        if self.filters or self.options:
            return False
        if self.kind == "task":
            return any(path in (*_GRADLE_WHOLE, *_MAVEN_GOALS[2:]) for path in self.paths)
        if self.kind == "test":
            whole = self.family == "go" and not _EVERYTHING.isdisjoint(self.paths)
            return whole or (self.family != "go" and set(self.paths) <= _WHOLE)
        return bool(_SUITES.match(self.text))

    @property
    def is_apart(self) -> bool:
        """Whether its words say that a whole suite may leave it out."""
        return bool(_OTHER_SUITE.search(self.text))

    def covers(self, other: Check, *, compiled: bool = False) -> bool:
        """Say whether the success of this one is a success of another.

        ``compiled``: the other one failed before anything of it ran, so that it does not matter
        which of its tests were selected.
        """
        if self.text == other.text:
            return True
        if not self.kind or (self.kind, self.family) != (other.kind, other.family):
            return False
        if not self.options <= other.options or any(
            map(_OTHER_SUITE.search, other.options - self.options)
        ):
            return False
        if not (compiled or set(self.filters) <= set(other.filters)):
            return False
        if self.kind == "task":
            return _tasks_cover(self.family, self.paths, other.paths)
        return _paths_cover(self, other)


def _paths_cover(one: Check, other: Check) -> bool:
    everything = _EVERYTHING.isdisjoint(one.paths) is False
    if one.family.startswith("go") and not everything:
        return bool(one.paths) and set(other.paths) <= set(one.paths)
    if not one.paths or everything:
        return True
    return bool(other.paths) and all(
        any(_within(path, broader) for broader in one.paths) for path in other.paths
    )


def _within(path: str, broader: str) -> bool:
    whole = broader.rstrip("/")
    return path.rstrip("/") == whole or path.startswith((f"{whole}/", f"{whole}::", f"{whole}:"))


def _tasks_cover(family: str, tasks: tuple[str, ...], others: tuple[str, ...]) -> bool:
    if family == "maven":
        done = max((_MAVEN_GOALS.index(one) for one in tasks if one in _MAVEN_GOALS), default=-1)
        return all(one in tasks or (one in _MAVEN_GOALS and _MAVEN_GOALS.index(one) <= done)
                   for one in others)  # fmt: skip
    return all(
        one in tasks
        or (last := one.rpartition(":")[2]) in tasks
        or (last == "test" and not _GRADLE_WHOLE.keys().isdisjoint(tasks))
        for one in others
    )


@lru_cache(maxsize=256)
def check_of(text: str) -> Check:
    """Read one command of a chain."""
    words = text.split(" ")
    at = 0
    while at < len(words) - 1 and words[at] in _LAUNCHERS:
        at += 1
    for start in dict.fromkeys((at, 0)):
        for length in (3, 2, 1):
            begin = tuple(word.rpartition("/")[2] for word in words[start : start + length])
            if len(begin) == length and begin in _RUNNERS:
                return _known(text, *_RUNNERS[begin], words[start + length :])
    if script := _SCRIPT.match(text):
        return _known(text, "script", script[1], text[script.end() :].split(" "))
    return Check(text)


def _known(text: str, kind: str, family: str, words: list[str]) -> Check:
    paths, filters, options = list[str](), list[str](), set[str]()
    rest = iter(words)
    for word in rest:
        if word in ("", "--"):
            continue
        name, equals, _ = word.partition("=")
        if not word.startswith("-"):
            paths.append(word)
        elif name in _FILTERS and not (family == "ruff" and name == "-q"):
            is_flag = equals or (family in ("pytest", "maven") and name in ("-q", "-x"))
            filters.append(word if is_flag else f"{word} {next(rest, '')}")
        elif not _PLAIN_OPTIONS.match(word):
            options.add(word)
    return Check(text, kind, family, tuple(paths), tuple(filters), frozenset(options))


def split_target(target: str) -> tuple[str, str]:
    """Part a target of a shell call into its command and the folder it ran in, if that is known."""
    command, _, folder = target.removeprefix(SHELL).partition(FOLDER)
    return command, folder


def chain_links(command: str) -> list[tuple[str, Check]]:
    """Part a command into its links, each with what joins it to the one before."""
    pieces = re.split(r" ?(?<!\S)(&&|\|\||;)(?!\S) ?", command)
    joined = ["", *pieces[1::2]]
    texts = [_KEYWORD.sub("", text) for text in pieces[::2]]
    return [
        (mark, check_of(text)) for mark, text in zip(joined, texts, strict=False) if text.strip()
    ]


def in_different_projects(one: str, other: str) -> bool:
    """Say whether two folders are known to be of different projects: neither is within the other,
    and none of them alone is outside the workspace, where another checkout may be."""
    if not one or not other or (one[0] == "/") != (other[0] == "/"):
        return False
    return not f"{one}/".startswith(f"{other}/") and not f"{other}/".startswith(f"{one}/")


def is_within(inner: str, outer: str) -> bool:
    """Say whether a folder is another, or in it; the workspace's own and those outside hold all."""
    return not outer or outer[0] == "/" or f"{inner}/".startswith(f"{outer}/")
