"""Actions of calls: tools by name, shell commands by their parts."""

from __future__ import annotations

import time

from hypothesis import given, strategies as st

from memoranda.language.shell import parse
from memoranda.stages.action import Action
from memoranda.stages.command_actions import command_action
from memoranda.stages.step import Step
from memoranda.stages.step_signals import action_of
from tables import each

TOOLS = {
    Action.LOOK: "Read Grep Glob LS WebSearch WebFetch NotebookRead getUserDetails listHTTPRoutes"
    " mcp__tracker__list_issues mcp__wiki__wiki-search mcp__db__query mcp__files__read_text_file"
    " mcp__browser__browser_navigate codebase_search view_file search_direct_flight find_file",
    Action.PLAN: "TodoWrite ExitPlanMode AskUserQuestion mcp__logic__sequentialthinking think"
    " ask_user",
    Action.WRITE: "Edit MultiEdit Write NotebookEdit cancelOrder sendEmail apply_patch"
    " mcp__tracker__create_issue mcp__notes__add_observations mcp__files__move_file"
    " mcp__browser__browser_click find_and_replace_code book_reservation",
    Action.TEST: "run_tests runUnitTests verify_checksum",
    Action.RUN: "execute_query_plan frobnicate",
    Action.SUBMIT: "attempt_completion submit",
    Action.NONE: "Task Agent BashOutput noop",
}

COMMANDS = {
    Action.TEST: [
        "pytest -q tests/",
        "cd backend && python -m pytest tests/test_cart.py::test_total -x 2>&1 | tail -20",
        "npm test",
        "npm run test:unit -- --watch=false",
        "go test ./...",
        "make test",
        "./gradlew test",
        "python manage.py test carts",
        "bundle exec rspec spec/models",
        "uv run pytest",
        "docker compose run --rm app pytest",
        "export CI=1; npm test 2>&1 | grep -A3 fail",
        "timeout 60 pytest",
        "DEBUG=1 sudo pytest",
        "bash -lc 'cd app && pytest -q'",
        "python tests/runtests.py carts",
        "python test_cart.py",
        "pytest > report.txt",
        "git add -A && pytest",
        "cat > cart.py <<'EOF'\nprint('x')\nEOF\npytest cart.py",
    ],
    Action.LINT: [
        "ruff check .",
        "npx eslint src --ext .ts",
        "npx tsc --noEmit",
        "cargo clippy -- -D warnings",
        "npm run lint",
        "black --check src",
    ],
    Action.BUILD: ["npm run build", "docker build -t app .", "cargo build --release", "make",
                   "make -j4", "go build ./cmd/app", "python setup.py sdist"],
    Action.PACKAGE: ["pip install -r requirements.txt", "npm ci", "sudo apt-get install -y jq",
                     "uv add httpx", "python -m pip install flask"],
    Action.WRITE: [
        "git add -A && git commit -m 'fix the tests, run pytest'",
        "mkdir -p out",
        "sed -i 's/a/b/' cart.ini",
        'echo "DEBUG=1" >> .env',
        "cat > cart.py <<'EOF'\nimport pytest\npytest.main()\nEOF",
        "tee cart.py <<EOF\nnpm test\nEOF",
        "kubectl apply -f k8s/",
        "gh pr create --fill",
        "alembic upgrade head",
        "curl -X POST https://shop.example/v1/carts -d '{}'",
        "aws ec2 terminate-instances --instance-ids i-1",
        "psql -c 'UPDATE carts SET total = 0'",
        "ls > files.txt",
        "black src",
        "tar xzf backup.tgz",
    ],
    Action.CHECK: [
        "git diff --stat",
        "git status",
        "curl -s localhost:8080/health",
        "kubectl rollout status deploy/web",
        "diff out.txt expected.txt",
        "python reproduce_rounding.py",
    ],
    Action.RUN: ["python scripts/seed.py", "node server.js", "./run.sh --dry-run", "zzz --now"],
    Action.LOOK: [
        "ls -la src",
        "cat cart.json | head -40",
        'grep -rn "def main" src/',
        "git log --oneline -5",
        "sed -n 10,40p src/cart.py",
        "docker ps -a",
        "python --version",
        "cat tests/test_cart.py",
        "grep -rn pytest pyproject.toml",
        "cat cart.log 2>/dev/null",
        "find . -name '*.py' 2>&1 | wc -l",
        "which python3 && python3 --version",
        "cd src",
        "pip list",
        "kubectl get pods -n dev",
        "psql -c 'SELECT 1 FROM carts'",
        "aws ec2 describe-instances",
        "gh run list --limit 1",
    ],
    Action.NONE: ["sleep 5", "echo done", "true", "", "# nothing yet", "echo 'run pytest now'"],
}  # fmt: skip


def step(tool: str | None, command: str = "", *tags: str) -> Step:
    return Step(sequence=1, created_at=1, tool=tool, command=command, tags=frozenset(tags))


@each(("tool", "action"), [(name, action) for action, row in TOOLS.items() for name in row.split()])
def test_the_name_of_a_tool_determines_its_action(tool: str, action: Action) -> None:
    assert action_of(step(tool)) is action


@each(("command", "action"), [(line, action) for action, row in COMMANDS.items() for line in row])
def test_the_strongest_part_of_a_command_determines_its_action(
    command: str, action: Action
) -> None:
    assert command_action(command) is action


def test_a_step_without_a_call_does_nothing() -> None:
    assert action_of(step(None)) is None


def test_a_shell_does_what_its_command_does_and_other_tools_what_they_are_named_for() -> None:
    assert action_of(step("Bash", "pytest")) is Action.TEST
    assert action_of(step("mcp__box__execute_command", "ls")) is Action.LOOK
    assert action_of(step("python", "test_cart.py")) is Action.TEST
    assert action_of(step("Read", "pytest")) is Action.LOOK


def test_a_text_editor_looks_when_it_views_and_writes_otherwise() -> None:
    assert action_of(step("str_replace_editor", "view")) is Action.LOOK
    assert action_of(step("str_replace_editor", "insert")) is Action.WRITE


def test_tags_determine_the_action_of_an_unknown_program() -> None:
    assert action_of(step("Bash", "./everything.sh")) is Action.RUN
    assert action_of(step("Bash", "./everything.sh", "test")) is Action.TEST
    assert action_of(step("Bash", "./everything.sh", "edit", "python")) is Action.WRITE
    assert action_of(step("Bash", "cd src", "test")) is Action.TEST, "the rest was on other lines"
    assert action_of(step("Bash", "ls", "lint")) is Action.LOOK


def test_a_here_document_and_quoted_words_are_no_programs() -> None:
    found = parse("cat <<'END' > a.txt && echo 'x; pytest'\npytest\nEND\nls -l").steps
    assert [part.words for part in found] == [("cat",), ("echo", "x; pytest"), ("ls", "-l")]
    assert [part.saves for part in found] == [True, False, False]


def test_of_a_command_a_bounded_part_is_read() -> None:
    assert sum(len(part.words) for part in parse("word " * 10_000).steps) <= 800
    assert len(parse("ls\n" * 10_000).steps) <= 24


@given(st.text(alphabet="abp ytest'\"\\|&;<>()\n$\0#-=/.EOF", max_size=200))
def test_no_text_is_a_command_that_cannot_be_read(text: str) -> None:
    assert isinstance(command_action(text), Action)
    assert isinstance(action_of(step("Bash", text)), Action)


@each(
    "piece",
    ["'", '"', "\\", "<<A\n", "a=", "sudo ", "cat <<E ", "((", "python -m ", "a" * 9 + "x.py "],
)
def test_a_hostile_command_costs_little(piece: str) -> None:
    command = (piece * (1_000_000 // len(piece)))[:1_000_000]
    started = time.process_time()
    command_action(command)
    assert time.process_time() - started < 1.0
