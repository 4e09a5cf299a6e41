"""Checks in commands: tests, linters and builds, and what each selects.

The selection determines whether one check covers another. Commands are targets of calls
(`memoranda.capture.analysis.event_subjects.target`): pipes, options that change only the output,
quotes and changes of folder are already removed.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from memoranda.language.words import word_set

SHELL = "shell "
FOLDER = " @ "
"""Separator between a command and its folder, relative to the workspace."""

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
"""First words of checks, with their kind and the family of their output.

The kind is test, lint or build.
"""
_LAUNCHERS = word_set("npx bunx pnpm yarn npm bundle exec dlx run php composer bun")
_FILTERS = word_set(
    "-k -m --deselect --ignore -t --testNamePattern --test-name-pattern -g -f --grep --fgrep"
    " --grep-invert -run -skip --tests -x --test -e --example --tag --filter --group --testsuite"
    " -R -E -L --tests-regex --project --selectProjects -pl -p --package -P -E -Dtest -Dit.test"
    " --only --exclude -q --select --ignore-path"
)
"""Options with a value that select what is checked.

Some names have this meaning only in some tools.
"""
_PLAIN_OPTIONS = re.compile(
    r"--?(?:cov|coverage|reporter|ci$|info$|stacktrace$|no-daemon$|console|offline$|rerun"
    r"|no-build-cache$|jobs|workers|locked$|frozen$|no-restore$|no-build$|logger|runInBand$|i$|n$"
    r"|j\d*$|watch|run$|race$|v+$|verbose|quiet|color|colour|no-color|format$|output-on-failure"
    r"|continue$|debug$|B$|ntp$|U$|s$|S$|repeat-each|retries|no-capture|nocapture|parallel|trace$"
    r"|show|list$|bail|forceExit$|detectOpenHandles$|silent|tap$|pretty$|test$|noEmit$|check$|diff$"
    r"|cache|no-cache|progress|log|timeout|workspace$|all$|no-fail-fast$|fail-fast$|updateSnapshot"
    r"|u$|fix$|update-snapshots$|headed$|maxWorkers|batch-mode$|parallel-threads|f$|x$|\d+$)"
)
_PROFILES = frozenset(("--release", "-r"))
"""Options of a build that compile the same sources."""
_WHOLE = frozenset((".", "./", "./...", "...", "src", "tests", "test"))
_EVERYTHING = frozenset((".", "./", "./...", "..."))
_SUITES = re.compile(
    r"(?:make|just|task|rake|mage|npm|pnpm|yarn|bun|composer|poe|invoke|inv|mise|bin/rails|rails"
    r"|hatch|pdm|earthly)(?: -\S+)*(?: run| run-script)? (?:test|tests|check|verify|ci|test[:-]all"
    r"|all-tests|check-all|test-unit|unit)$|(?:tox|nox|npm t)$"
    r"|\S*\b(?:test|tests|check|ci)(?:\.sh)?$"
)
"""Project-specific commands that run a whole suite."""
_SCRIPT = re.compile(
    r"((?:make|just|task|rake|npm|pnpm|yarn|bun|composer|poe|invoke|mise|hatch|pdm)"
    r"(?: (?:-C|--filter|-F|--prefix|--workspace|-w) \S+)*(?: run| run-script)?"
    r" \S*\b(?:tests?|e2e|specs?|check|verify|ci)\b\S*)(?: |$)"
)
"""Project-specific test command, and its arguments."""
_OTHER_SUITE = re.compile(
    r"e2e|integration|smoke|staging|acceptance|slow|nightly|-P\w|--profile|live\b", re.IGNORECASE
)
"""Names of test parts that a whole suite often leaves out."""
_MANNER = {
    begin: word_set(options)
    for begins, options in (
        ("docker build|docker image build|docker buildx build|podman build",
         "-t= --tag= --label= --no-cache --pull --load --push"),
        ("gh pr create|gh issue create",
         "-t= --title= -b= --body= -F= --body-file= -B= --base= -H= --head= -l= --label= -a="
         " --assignee= -r= --reviewer= -m= --milestone= -d --draft -f --fill --fill-first"
         " --fill-verbose"),
        ("git pull", "--rebase --no-rebase --ff-only --autostash --allow-unrelated-histories"),
        ("git push", "-f --force --force-with-lease -u --set-upstream"),
        ("npm install|npm ci|npm i", "-f --force --legacy-peer-deps --no-audit --no-fund"),
        ("pip install|pip3 install",
         "--user --break-system-packages --no-cache-dir -U --upgrade"),
        ("apt install|apt-get install", "-y --yes --no-install-recommends --fix-missing"),
        ("terraform apply|terraform destroy", "-auto-approve -input=false"),
        ("mkdir", "-p"),
        ("cp", "-r -R -a"),
    )
    for begin in begins.split("|")
}  # fmt: skip
"""Options that change how a command works, but not what it does; "=" marks those with a value."""
_OPTION = re.compile(r"--?[A-Za-z]")
_KEYWORD = re.compile(r"^(?:(?:do|then|else|if|while|until|!|\{) )+")
"""Shell keywords that precede a command in a loop or condition."""
_GRADLE_WHOLE = {"test": "test", "check": "test", "build": "test"}
_MAVEN_GOALS = ("compile", "test-compile", "test", "package", "verify", "install", "deploy")


@dataclass(frozen=True, slots=True)
class Check:
    """One command of a chain, and what it checks if it is a known check."""

    text: str
    kind: str = ""
    """Kind of check; empty for other commands.

    The kind is ``test``, ``lint``, ``build``, ``task``, or ``script`` for a project-specific test
    command.
    """
    family: str = ""
    paths: tuple[str, ...] = ()
    """Files, folders, packages or tasks that the check is limited to; empty for all."""
    filters: tuple[str, ...] = ()
    """Options that select what is checked, with their values."""
    options: frozenset[str] = frozenset()
    """Other options that make the command a different check."""

    @property
    def program(self) -> str:
        """First word of the command."""
        return self.text.partition(" ")[0]

    @property
    def tests(self) -> bool:
        """Whether the command runs tests."""
        if self.kind == "task":
            return any("test" in path.lower() or path.endswith(("check", "build", "verify",
                       "install", "package")) for path in self.paths)  # fmt: skip
        return self.kind in ("test", "script") or bool(_SUITES.match(self.text))

    @property
    def runs_all_tests(self) -> bool:
        """Whether the command runs every test, judging by its arguments."""
        if self.filters or self.options:
            return False
        if self.kind == "task":
            return any(path in (*_GRADLE_WHOLE, *_MAVEN_GOALS[2:]) for path in self.paths)
        if self.kind == "test":
            whole = self.family == "go" and not _EVERYTHING.isdisjoint(self.paths)
            return whole or (self.family != "go" and set(self.paths) <= _WHOLE)
        return bool(_SUITES.match(self.text))

    @property
    def is_excludable(self) -> bool:
        """Whether the arguments name tests that a whole suite may exclude."""
        return bool(_OTHER_SUITE.search(self.text))

    def covers(self, other: Check, *, compiled: bool = False) -> bool:
        """Return whether success of this check implies success of another.

        ``compiled``: the other check failed before any test ran, so that its selection of tests
        does not matter.
        """
        if self.text == other.text or _work(self.text) == _work(other.text):
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


def _work(text: str) -> str:
    """Return a command without options that only change how it works."""
    words = text.split(" ")
    begins = (" ".join(words[:length]) for length in (3, 2, 1))
    manner = next((_MANNER[begin] for begin in begins if begin in _MANNER), frozenset[str]())
    kept, values = list[str](), 0
    for word in words:
        name, equals, _ = word.partition("=")
        if word in manner or f"{name}=" in manner:
            # quotes are removed, and gh has no arguments: a value ends at the next option
            values = 0 if word in manner or equals else len(words) if words[0] == "gh" else 1
        elif values and not _OPTION.match(word):
            values -= 1
        else:
            kept.append(word)
            values = 0
    return " ".join(kept)


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
        done = max((_MAVEN_GOALS.index(task) for task in tasks if task in _MAVEN_GOALS), default=-1)
        return all(item in tasks or (item in _MAVEN_GOALS and _MAVEN_GOALS.index(item) <= done)
                   for item in others)  # fmt: skip
    return all(
        other in tasks
        or (last := other.rpartition(":")[2]) in tasks
        or (last == "test" and not _GRADLE_WHOLE.keys().isdisjoint(tasks))
        for other in others
    )


@lru_cache(maxsize=256)
def check_of(text: str) -> Check:
    """Parse one command of a chain."""
    words = text.split(" ")
    at = 0
    while at < len(words) - 1 and words[at] in _LAUNCHERS:
        at += 1
    for start in dict.fromkeys((at, 0)):
        for length in (3, 2, 1):
            begin = tuple(word.rpartition("/")[2] for word in words[start : start + length])
            if len(begin) == length and begin in _RUNNERS:
                return _named_check(text, *_RUNNERS[begin], words[start + length :])
    if script := _SCRIPT.match(text):
        return _named_check(text, "script", script[1], text[script.end() :].split(" "))
    return Check(text)


def _named_check(text: str, kind: str, family: str, words: list[str]) -> Check:
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
        elif not (_PLAIN_OPTIONS.match(word) or (kind == "build" and word in _PROFILES)):
            options.add(word)
    return Check(text, kind, family, tuple(paths), tuple(filters), frozenset(options))


def split_target(target: str) -> tuple[str, str]:
    """Split a shell call's target into command and folder, if known."""
    command, _, folder = target.removeprefix(SHELL).partition(FOLDER)
    return command, folder


def chain_links(command: str) -> list[tuple[str, Check]]:
    """Split a command into its parts, each with the preceding operator."""
    pieces = re.split(r" ?(?<!\S)(&&|\|\||;)(?!\S) ?", command)
    joined = ["", *pieces[1::2]]
    texts = [_KEYWORD.sub("", text) for text in pieces[::2]]
    return [
        (mark, check_of(text)) for mark, text in zip(joined, texts, strict=False) if text.strip()
    ]


def in_different_projects(one: str, other: str) -> bool:
    """Return whether two folders certainly belong to different projects.

    Neither folder contains the other, and either both or neither are outside the workspace, since a
    folder outside may be another checkout.
    """
    if not one or not other or (one[0] == "/") != (other[0] == "/"):
        return False
    return not f"{one}/".startswith(f"{other}/") and not f"{other}/".startswith(f"{one}/")


def is_within(inner: str, outer: str) -> bool:
    """Return whether a folder is equal to another one or inside it.

    The workspace's folder, and folders outside it, contain all folders.
    """
    return not outer or outer[0] == "/" or f"{inner}/".startswith(f"{outer}/")
