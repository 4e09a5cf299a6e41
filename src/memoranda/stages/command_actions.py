"""The kind of action of a shell command: that of its highest-ranked part.

Each part is classified primarily by its program.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import lru_cache

from memoranda.language.shell import CommandStep, parse
from memoranda.language.words import by_word, word_set
from memoranda.stages.action import Action, strongest
from memoranda.stages.tool_actions import action_of_name

PROGRAMS = by_word({
    Action.LOOK: "ls ll cat bat head tail less more nl wc stat file tree find fd fdfind grep egrep"
    " fgrep rg ag ack awk jq yq cut sort uniq tr column which whereis type pwd env printenv"
    " whoami id uname df du ps top free lsof netstat ss history man date hostname dig nslookup ping"
    " journalctl xxd hexdump strings readlink realpath",
    Action.WRITE: "mkdir touch cp mv rm rmdir ln chmod chown tee patch truncate dd install rsync"
    " scp unzip kill killall pkill useradd usermod crontab apply_patch",
    Action.TEST: "pytest py.test unittest nose nosetests nose2 tox nox jest vitest mocha karma"
    " cypress playwright ava rspec minitest phpunit pest ctest gotestsum bats behave doctest"
    " runtests runtests.py runtests.sh trial testem",
    Action.LINT: "ruff flake8 pylint mypy pyright pyre eslint tslint stylelint tsc golangci-lint"
    " rubocop shellcheck hadolint bandit semgrep trivy snyk pip-audit gitleaks actionlint yamllint"
    " markdownlint ktlint detekt swiftlint clang-tidy kubeval biome py_compile compileall",
    Action.BUILD: "cmake ninja gcc g++ cc clang clang++ rustc javac webpack vite rollup esbuild"
    " meson msbuild build",
    Action.PACKAGE: "venv virtualenv",
    Action.CHECK: "diff cmp ab wrk hey k6 locust hyperfine timeit pg_isready sha256sum",
    Action.NONE: "echo printf true : sleep wait exit clear",
})  # fmt: skip
"""Programs that have one purpose, whatever their arguments."""

MOVES = word_set("cd pushd popd")
LEADING = MOVES | word_set("export source . set unset fi done else if for while")
"""Programs and keywords that only prepare the commands after them."""

FORMATTERS = word_set("black isort prettier gofmt rustfmt clang-format autopep8 yapf")
"""Formatters, which write files unless they are run in check mode."""

GIT = by_word({
    Action.LOOK: "log blame branch remote ls-files grep fetch rev-parse config describe shortlog"
    " reflog show-ref cat-file",
    Action.CHECK: "diff status show bisect",
    Action.WRITE: "add commit push merge rebase reset checkout switch restore stash cherry-pick"
    " revert tag apply rm mv init clone pull am clean worktree submodule",
})  # fmt: skip

RUNNERS = word_set(
    "npm pnpm yarn bun deno go cargo mix dotnet swift bazel make just rake gradle gradlew mvn"
    " mvnw sbt lein zig flutter dart composer task hatch pdm poetry uv invoke pip pip3 pipx conda"
    " mamba brew apt apt-get yum dnf apk gem bundle nuget turbo nx"
)
"""Programs whose first arguments determine the action."""

PLAIN = {"make": Action.BUILD, "gradle": Action.BUILD, "gradlew": Action.BUILD,
         "mvn": Action.BUILD, "bazel": Action.BUILD, "yarn": Action.PACKAGE}  # fmt: skip
"""Action of a build or package tool without arguments."""

GOALS = by_word({
    Action.TEST: "test tests t check verify spec coverage e2e nextest pytest jest vitest",
    Action.LINT: "lint clippy vet typecheck type-check audit format-check",
    Action.BUILD: "build compile package bundle assemble all",
    Action.PACKAGE: "install add remove uninstall upgrade update sync get i ci lock mod tidy",
    Action.LOOK: "list ls show view outdated tree freeze version info search why --version -V",
    Action.WRITE: "publish deploy migrate release fmt format clean new init",
    Action.RUN: "run start exec serve dev",
})  # fmt: skip

CLOUD = word_set(
    "kubectl docker docker-compose podman gh glab aws gcloud az helm terraform systemctl"
    " service heroku fly vercel"
)
"""Programs that manage remote systems; their first verb determines the action.

The verb may be the beginning of a longer word, as in ``describe-instances``.
"""

NOUN_FIRST = word_set("gh glab az")
"""Those of these programs whose first argument is an object, as in ``gh run list``."""

CLOUD_VERBS = by_word({
    Action.LINT: "validate plan lint",
    Action.LOOK: "get list ls describe logs show view status inspect ps images explain version"
    " config output state is",
    Action.WRITE: "apply create delete patch scale set edit restart undo label annotate cordon"
    " drain exec run start stop rm push pull tag up down kill merge close comment review install"
    " upgrade uninstall rollback destroy import put update modify cp sync terminate attach detach"
    " deploy add remove enable disable reload",
    Action.BUILD: "build",
    Action.CHECK: "wait top diff checks",
})  # fmt: skip

MIGRATORS = word_set("alembic flyway prisma knex sequelize rails diesel goose dbmate")
MIGRATIONS = word_set("upgrade migrate downgrade push deploy rollback up db:migrate")

DATABASES = word_set("psql mysql sqlite3 mariadb redis-cli mongosh clickhouse-client")
FETCHERS = word_set("curl wget http https")
INTERPRETERS = word_set(
    "python node deno ruby php perl java bash sh zsh ts-node tsx bun lua Rscript"
)


_SENDING = re.compile(r"-X|--request|--data.*|--json|-d|-F|--form|--post-.*|-T|--upload-file")
_ASKING = frozenset(("GET", "HEAD"))
_HEALTH = re.compile(r"[/_-](?:health|ready|readiness|status|ping|live|liveness)\w{0,20}\b")
_CHANGING_SQL = re.compile(
    r"\b(?:insert\s+into|update\s+\S+\s+set|delete\s+from|drop|alter|create|grant|revoke|truncate)\b",
    re.IGNORECASE,
)
_READING_SQL = re.compile(
    r"\b(?:select|show|describe|explain|pragma|keys|get|info|scan)\b|\\d|\.(?:schema|tables)\b",
    re.IGNORECASE,
)
_TEST_SCRIPT = re.compile(r"(?:.*[/_.-])?(?:(?:run_?)?tests?|specs?)(?:[_-]\w+|\w*)?\.\w{1,4}")
_CHECK_SCRIPT = re.compile(
    r"(?:.*[/_.-])?\w*(?:repro|replicat|verif|valid|check|smoke|health|audit|complian|bench)"
    r"[\w-]*\.\w{1,4}"
)
_CHANGES_IN_PLACE = re.compile(r"-[a-zA-Z]*i|-i\..*|--in-place.*")
_EXTRACTS = re.compile(r"-?[a-wyzA-Z]{0,8}x[a-zA-Z]{0,8}|--extract")
_CHECKS_ONLY = re.compile(r"-[a-zA-Z]*[ld]|--check|--diff|--list-different|-c")

WORDS = 12
"""Number of words that are examined in each part."""


@lru_cache(maxsize=16)
def command_action(command: str) -> Action:
    """Return the action of a command; NONE if it only waits or echoes."""
    steps = parse(command).steps
    actions = [action for part in steps if (action := _part_action(part)) is not None]
    moves = any(part.program in MOVES for part in steps)
    return Action.LOOK if moves and not actions else strongest(actions)


def _part_action(part: CommandStep) -> Action | None:
    """Return the action of a part; None if it only prepares, such as ``cd``."""
    name = part.program
    if name in LEADING:
        return None
    action = _reader(name)(part)
    if part.saves and action in (Action.LOOK, Action.NONE):
        return Action.WRITE
    return action


def _reader(name: str) -> Callable[[CommandStep], Action]:
    for programs, reader in _READERS:
        if name in programs:
            return reader
    return _single


def _single(part: CommandStep) -> Action:
    name, words = part.program, part.rest[:WORDS]
    if name == "manage.py" or part.script or "." in name:
        return _script(name, words) if name not in PROGRAMS else PROGRAMS[name]
    if name in PROGRAMS:
        return PROGRAMS[name]
    if not name:
        return Action.NONE
    return action_of_name(name) or Action.RUN


def _script(name: str, words: Sequence[str]) -> Action:
    if name == "manage.py":
        goal = words[0] if words else ""
        if goal in ("test", "check"):
            return Action.TEST if goal == "test" else Action.CHECK
        return Action.WRITE if goal in ("migrate", "makemigrations") else Action.RUN
    if _TEST_SCRIPT.fullmatch(name):
        return Action.TEST
    return Action.CHECK if _CHECK_SCRIPT.fullmatch(name) else Action.RUN


def _interpreter(part: CommandStep) -> Action:
    words = part.rest[:WORDS]
    if words and words[0] in ("--version", "-V", "-v", "version"):
        return Action.LOOK
    path = next((word for word in words if not word.startswith("-")), "")
    if not path or "-c" in words or "-e" in words:
        return Action.RUN
    name = path.rpartition("/")[2]
    after = words[words.index(path) + 1 :]
    if name == "setup.py" and after and after[0] in ("build", "sdist", "bdist_wheel"):
        return Action.BUILD
    if name in PROGRAMS and PROGRAMS[name] is Action.TEST:
        return Action.TEST
    return _script(name, after)


def _git(part: CommandStep) -> Action:
    return next((GIT[word] for word in part.rest[:4] if word in GIT), Action.LOOK)


def _runner(part: CommandStep) -> Action:
    goal_words = [word.partition(":")[0] for word in part.rest[:4] if word in ("--version", "-V")
            or not word.startswith("-")]  # fmt: skip
    if goal_words[:1] == ["run"] or goal_words[:1] == ["exec"]:
        goal = goal_words[1:2]
        actions = [GOALS.get(word) or _word_action(word) for word in goal]
        return actions[0] if actions and actions[0] else Action.RUN
    action = next((GOALS[word] for word in goal_words if word in GOALS), None)
    if action:
        return action
    tested = next((_word_action(word) for word in goal_words if _word_action(word)), None)
    return tested or (PLAIN.get(part.program, Action.RUN) if not goal_words else Action.RUN)


def _word_action(word: str) -> Action | None:
    action = PROGRAMS.get(word)
    return action if action in (Action.TEST, Action.LINT, Action.BUILD) else None


def _cloud(part: CommandStep) -> Action:
    words = part.rest[:WORDS]
    tested = next((_word_action(word) for word in words if _word_action(word) is Action.TEST), None)
    if tested:
        return tested
    if "rollout" in words and "status" in words:
        return Action.CHECK
    arguments = words[1:] if part.program in NOUN_FIRST else words
    verbs = (word.partition("-")[0] for word in arguments if not word.startswith("-"))
    return next((CLOUD_VERBS[verb] for verb in verbs if verb in CLOUD_VERBS), Action.RUN)


def _fetcher(part: CommandStep) -> Action:
    words = part.rest[:WORDS]
    sends = [
        word for word in words if _SENDING.fullmatch(word) or word in ("POST", "PUT", "DELETE")
    ]
    if sends and _ASKING.isdisjoint(words):
        return Action.WRITE
    return Action.CHECK if any(_HEALTH.search(word) for word in words) else Action.LOOK


def _database(part: CommandStep) -> Action:
    statement = " ".join(part.rest[:WORDS])
    if _CHANGING_SQL.search(statement):
        return Action.WRITE
    return Action.LOOK if _READING_SQL.search(statement) else Action.RUN


def _migrator(part: CommandStep) -> Action:
    return Action.RUN if MIGRATIONS.isdisjoint(part.rest[:4]) else Action.WRITE


def _formatter(part: CommandStep) -> Action:
    checks = any(_CHECKS_ONLY.fullmatch(word) for word in part.rest[:WORDS])
    return Action.LINT if checks else Action.WRITE


def _in_place(part: CommandStep) -> Action:
    changes = any(_CHANGES_IN_PLACE.fullmatch(word) for word in part.rest[:4])
    if changes:
        return Action.WRITE
    return Action.LOOK if part.program == "sed" else _interpreter(part)


def _archive(part: CommandStep) -> Action:
    extracts = any(_EXTRACTS.fullmatch(word) for word in part.rest[:1])
    lists = any(word.lstrip("-").startswith("t") for word in part.rest[:1])
    return Action.LOOK if lists and not extracts else Action.WRITE


def _terminal_check(part: CommandStep) -> Action:
    checks = {"nginx": "-t", "openssl": "verify"}[part.program]
    return Action.CHECK if checks in part.rest[:4] else Action.RUN


_READERS: tuple[tuple[frozenset[str], Callable[[CommandStep], Action]], ...] = (
    (frozenset(("git",)), _git),
    (RUNNERS, _runner),
    (CLOUD, _cloud),
    (FETCHERS, _fetcher),
    (DATABASES, _database),
    (MIGRATORS, _migrator),
    (FORMATTERS, _formatter),
    (frozenset(("sed", "perl")), _in_place),
    (frozenset(("tar",)), _archive),
    (frozenset(("nginx", "openssl")), _terminal_check),
    (INTERPRETERS, _interpreter),
)
