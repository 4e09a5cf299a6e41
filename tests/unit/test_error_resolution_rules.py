"""Errors resolved by a success, judged by the commands alone."""

from __future__ import annotations

from memoranda.capture.analysis.canonical_command import same_again
from memoranda.errors.resolution_rules import AttemptedCall, ends_error
from memoranda.language.shell import parse
from tables import each


def target(line: str) -> str:
    return f"shell {same_again(parse(line), '/srv/shop')}"


def is_over(passed: str, error: str) -> bool:
    return ends_error(AttemptedCall(passed), AttemptedCall(error, failed=True))


@each(
    ("failed", "passed"),
    [
        ("pytest", "pytest"),
        ("pytest tests/test_a.py", "pytest"),
        ("make alerts-test | sed -n '/Unit/,$p'", "make alerts-test"),
        ("make alerts-test", "make alerts-test 2>&1 | grep -v ok | tail -3"),
        ("pytest -q", "ruff check . && pytest -q && mypy"),
        ("pytest tests/test_a.py", "cd /srv/shop && ruff check . && pytest"),
        ("sed -i s/a/b/ x && git commit -am x && git push", "git push"),
        ("git push", "git commit --amend -m 'sync: x' && git push"),
        ("npm run build", "npm ci; npm run build"),
        ("docker build .", "docker build -t tram ."),
        ("gh pr create", "git push -u origin HEAD && gh pr create --title 'A - b' --body 'C d'"),
        ("npm install", "npm install --legacy-peer-deps"),
    ],
)
def test_a_success_ends_the_error_of_the_same_check(failed: str, passed: str) -> None:
    assert is_over(target(passed), target(failed))


@each(
    ("failed", "passed"),
    [
        ("pytest", "pytest tests/test_a.py"),
        ("pytest", "pytest || ./again.sh"),
        ("pytest", "pytest; git status"),
        ("pytest && git push", "git push"),
        ("make lint && git push", "git push"),
        ("pytest tests/test_a.py", "pytest tests/test_b.py"),
        ("git push", "git commit -am x"),
        ("docker build .", "docker build -f Other.dockerfile ."),
        ("docker build .", "docker build -t tram web"),
        ("docker build .", "docker build --target test ."),
        ("gh pr create", "gh pr create --fill --dry-run"),
        ("gh pr create", "gh issue create --title x"),
        ("npm install left-pad", "npm install --force"),
        ("./ship.sh", "./ship.sh --force"),
        ("aws s3 sync a b", "aws s3 sync a b --profile test"),
    ],
)
def test_a_success_of_something_else_ends_no_error(failed: str, passed: str) -> None:
    assert not is_over(target(passed), target(failed))


@each(
    ("passed", "error", "ended"),
    [
        ("pytest tests/a.py tests/b.py", "pytest tests/a.py", True),
        ("eslint src/a.ts src/b.ts", "eslint src/b.ts", True),
        ("pytest tests/a.py", "pytest tests/a.py tests/b.py", False),
        ("pytest -k x tests/a.py tests/b.py", "pytest tests/a.py", False),
        ("npm test unit", "npm test", False),
        ("make day DAY=1", "ls -la store ; make day DAY=1", True),
        ("git status", "pytest ; git status", False),
        ("git status", "scripts/load.sh ; git status", False),
        ("make lint && scripts/load.sh ; scripts/report.sh", "make lint", True),
        ("scripts/load.sh && ls ; scripts/report.sh", "scripts/load.sh", False),
    ],
)
def test_a_check_of_more_files_and_a_chain_that_looked_around(
    passed: str, error: str, ended: bool
) -> None:
    assert is_over(f"shell {passed}", f"shell {error}") is ended


def test_how_long_a_command_waits_does_not_make_it_another() -> None:
    first, again = (
        same_again(parse(f"scripts/drain.sh node-7{wait}"), None) for wait in ("", " 120s")
    )
    assert first == again
