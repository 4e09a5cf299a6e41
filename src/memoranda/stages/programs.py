"""Table of programs: the action of each, by name and first arguments."""

from __future__ import annotations

from memoranda.stages.action import Action
from memoranda.stages.term_table import meanings, names

PROGRAMS = meanings({
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
"""Programs that do one thing, whatever their arguments."""

MOVES = names("cd pushd popd")
LEADING = MOVES | names("export source . set unset fi done else if for while")
"""Programs and keywords that only prepare the commands behind them."""

FORMATTERS = names("black isort prettier gofmt rustfmt clang-format autopep8 yapf")
"""Programs that write, unless they are run as a check."""

GIT = meanings({
    Action.LOOK: "log blame branch remote ls-files grep fetch rev-parse config describe shortlog"
    " reflog show-ref cat-file",
    Action.CHECK: "diff status show bisect",
    Action.WRITE: "add commit push merge rebase reset checkout switch restore stash cherry-pick"
    " revert tag apply rm mv init clone pull am clean worktree submodule",
})  # fmt: skip

RUNNERS = names(
    "npm pnpm yarn bun deno go cargo mix dotnet swift bazel make just rake gradle gradlew mvn"
    " mvnw sbt lein zig flutter dart composer task hatch pdm poetry uv invoke pip pip3 pipx conda"
    " mamba brew apt apt-get yum dnf apk gem bundle nuget turbo nx"
)
"""Programs whose first arguments say what is to be done."""

PLAIN = {"make": Action.BUILD, "gradle": Action.BUILD, "gradlew": Action.BUILD,
         "mvn": Action.BUILD, "bazel": Action.BUILD, "yarn": Action.PACKAGE}  # fmt: skip
"""Action of a runner without arguments."""

GOALS = meanings({
    Action.TEST: "test tests t check verify spec coverage e2e nextest pytest jest vitest",
    Action.LINT: "lint clippy vet typecheck type-check audit format-check",
    Action.BUILD: "build compile package bundle assemble all",
    Action.PACKAGE: "install add remove uninstall upgrade update sync get i ci lock mod tidy",
    Action.LOOK: "list ls show view outdated tree freeze version info search why --version -V",
    Action.WRITE: "publish deploy migrate release fmt format clean new init",
    Action.RUN: "run start exec serve dev",
})  # fmt: skip

CLOUD = names(
    "kubectl docker docker-compose podman gh glab aws gcloud az helm terraform systemctl"
    " service heroku fly vercel"
)
"""Programs that manage remote systems; their first verb gives the action.

A verb may begin a word, as in ``describe-instances``.
"""

NOUN_FIRST = names("gh glab az")
"""Those of them whose first argument is an object, as in ``gh run list``."""

CLOUD_VERBS = meanings({
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

MIGRATORS = names("alembic flyway prisma knex sequelize rails diesel goose dbmate")
MIGRATIONS = names("upgrade migrate downgrade push deploy rollback up db:migrate")

DATABASES = names("psql mysql sqlite3 mariadb redis-cli mongosh clickhouse-client")
FETCHERS = names("curl wget http https")
INTERPRETERS = names("python node deno ruby php perl java bash sh zsh ts-node tsx bun lua Rscript")
