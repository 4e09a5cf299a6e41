"""Failures: whether output is one, its kind, its error and its exit code."""

from __future__ import annotations

import time

import pytest
from hypothesis import given, strategies as st

import tool_outputs as outputs
from memoranda.capture.analysis.failures import MESSAGE_LIMIT, CallFailure, FailureKind, failure
from tables import each
from tool_events import hostile


def _ran(command: str, output: str, *, failed: bool = False) -> CallFailure | None:
    return failure(f"$ {command}\n{output}", "Bash", failed)


SEEN_WITHOUT_THE_HOST = [
    ("pytest tests", outputs.PYTEST, "test_failure", "KeyError", "'vat'"),
    ("pytest -q", outputs.PYTEST_QUIET, "test_failure", None, ""),
    ("pytest -q", outputs.PYTEST_ASSERT, "test_failure", "AssertionError", "assert 2.0 == 2.01"),
    ("pytest", outputs.PYTEST_COLLECTION, "import_error", "ModuleNotFoundError", "'shop.tax'"),
    ("python -m unittest", outputs.UNITTEST, "test_failure", "AttributeError", "'NoneType' object"),
    ("cargo build", outputs.CARGO_BUILD, "type_error", "E0308", "mismatched types"),
    ("cargo test", outputs.CARGO_TEST, "test_failure", "panic", "(left: 199, right: 200)"),
    ("go test ./...", outputs.GO_TEST, "test_failure", None, "Total() = 12, want 10"),
    ("go build ./...", outputs.GO_BUILD, "build_failure", None, "undefined: roundHalfUp"),
    ("go run .", outputs.GO_PANIC, "error", "panic", "nil pointer dereference"),
    ("npx tsc --noEmit", outputs.TSC, "type_error", "TS2322", "not assignable"),
    ("npx tsc", outputs.TSC_PRETTY, "type_error", "TS2322", "not assignable"),
    ("npx eslint src", outputs.ESLINT, "lint_failure", "no-undef", "'total' is not defined"),
    ("make", outputs.GCC, "syntax_error", None, "expected ';' before 'return'"),
    ("mvn test", outputs.MAVEN, "test_failure", None, "expected: <10> but was: <12>"),
    ("npx jest", outputs.JEST, "test_failure", None, "Expected: 2.01; Received: 2"),
    ("node src/server.js", outputs.NODE, "type_error", "TypeError", "reading 'port'"),
    ("node src/server.js", outputs.NODE_MODULE, "import_error", "Error", "module 'express'"),
    ("python run.py", outputs.TRACEBACK, "syntax_error", "JSONDecodeError", "Expecting value"),
    ("mypy src", outputs.MYPY, "type_error", "return-value", "Incompatible return value type"),
    ("ruff check .", outputs.RUFF, "lint_failure", "F401", "`os` imported but unused"),
    ("npm install", outputs.NPM_INSTALL, "build_failure", None, "ERESOLVE unable to resolve"),
    ("pip install x", outputs.PIP, "build_failure", None, "No matching distribution found"),
    ("curl -s https://x.example", outputs.CURL, "network", None, "Could not resolve host"),
    ("curl -sf https://x.example", outputs.CURL_HTTP, "not_found", None, "error: 404"),
    ("git merge main", outputs.GIT_CONFLICT, "merge_conflict", None, "src/shop/cart.py"),
    ("ctest", outputs.CTEST, "test_failure", None, "tax_test"),
    ("foo", "/bin/bash: line 1: foo: command not found", "command_not_found", None, "foo"),
    ("foo", "zsh: command not found: foo", "command_not_found", None, "foo"),
    ("cp a b", "cp: cannot stat 'a': No such file or directory", "not_found", None, "cp: cannot"),
    ("rm /x", "rm: cannot remove '/x': Permission denied", "permission_denied", None, "/x"),
    ("make", "cc1 …\nKilled", "out_of_memory", None, "Killed"),
    ("git pull", "fatal: not a git repository", "not_found", None, "not a git repository"),
    ("ruby a.rb", "a.rb:3:in 'f': no total (NoMethodError)", "type_error", "NoMethodError", "no t"),
    ("python x.py", '  File "x.py", line 1\n    (\n    ^\nSyntaxError: \'(\' was never closed',
     "syntax_error", "SyntaxError", "'(' was never closed"),
]  # fmt: skip


@each(("command", "output", "kind", "name", "message"), SEEN_WITHOUT_THE_HOST)
def test_strong_evidence_is_a_failure_even_when_the_host_is_silent(
    command: str, output: str, kind: str, name: str | None, message: str
) -> None:
    found = _ran(command, output)

    assert found is not None
    assert (found.kind, found.type) == (kind, name)
    assert message in found.message


NO_FAILURE = [
    ("pytest -q", outputs.PYTEST_PASSED),
    ("cat src/shop/tax.py", outputs.SOURCE_WITH_ERROR_WORDS),
    ("cd x && sed -n '1,7p' tax.py | head", outputs.SOURCE_WITH_ERROR_WORDS),
    ("grep -rn error src", "src/a.py:3:    raise ValueError('error: no rate')"),
    ("rg 'error:' .", "src/main.c:10:5: error: expected ';'"),
    ("git log --oneline", "1a2b3c4 fatal: handle errors\n5d6e7f8 error: 3 failed"),
    ("git diff", "+Traceback (most recent call last):\n+ValueError: x"),
    ("npm run build", "0 errors, 0 warnings\nbuilt in 3.2s"),
    ("npx eslint src", "\u2716 2 problems (0 errors, 2 warnings)"),
    ("python app.py", "INFO recovered from error\nINFO 3 jobs done"),
    ("cargo test", "test result: ok. 3 passed; 0 failed; 0 ignored; finished in 0.00s"),
    ("python -m unittest", "...\n----\nRan 3 tests in 0.001s\n\nOK"),
    ("mvn test", "[INFO] Tests run: 3, Failures: 0, Errors: 0, Skipped: 0\n[INFO] BUILD SUCCESS"),
    ("ls", "error.log\nfailures.txt"),
    ("echo done", "done"),
    ("python app.py", ""),
    ("ruff check . --fix", "Found 3 errors (3 fixed, 0 remaining)."),
]


@each(("command", "output"), NO_FAILURE)
def test_words_about_errors_are_no_failure(command: str, output: str) -> None:
    assert _ran(command, output) is None


@pytest.mark.parametrize("tool", ["Read", "Grep", "Glob", "LS", "mcp__fs__read_file"])
def test_a_tool_that_shows_text_fails_only_if_the_host_reports_it(tool: str) -> None:
    assert failure(f'{tool} {{"path":"a"}}\n{outputs.TRACEBACK}', tool, False) is None
    assert failure(f'{tool} {{"path":"a"}}\nFile does not exist.', tool, True) == CallFailure(
        FailureKind.NOT_FOUND, None, "File does not exist.", None
    )


def test_a_traceback_the_program_survived_is_no_failure() -> None:
    survived = outputs.TRACEBACK + "".join(f"retry {n}: ok\n" for n in range(40))

    assert _ran("python worker.py", survived) is None
    assert _ran("python worker.py", survived, failed=True) is not None


def test_the_last_traceback_of_a_chain_names_the_error() -> None:
    chain = (
        'Traceback (most recent call last):\n  File "a.py", line 1, in f\nKeyError: 1\n\n'
        "During handling of the above exception, another exception occurred:\n\n"
        'Traceback (most recent call last):\n  File "a.py", line 3, in g\n'
        "shop.errors.RateMissing: no rate for 1\n"
    )

    found = _ran("python a.py", chain)

    assert found is not None
    assert (found.type, found.message) == ("RateMissing", "no rate for 1")


def test_a_host_string_gives_its_exit_code_and_message() -> None:
    found = _ran("make lint", "Exit code 2\nruff: E711 in cart.py", failed=True)

    assert found == CallFailure(FailureKind.ERROR, None, "ruff: E711 in cart.py", 2)


@pytest.mark.parametrize(
    ("output", "code"),
    [
        ("Exit code: 1\nWall time: 0.2 seconds\nOutput:\nboom", 1),
        ("Chunk ID: 7\nWall time: 0.1\nProcess exited with code 3\nOutput:\nboom", 3),
        ("boom\nexit status 2", 2),
        ("make: *** [Makefile:3: all] Error 2", 2),
        ("boom", None),
    ],
)
def test_the_exit_code_is_read_in_every_spelling(output: str, code: int | None) -> None:
    found = _ran("run", output, failed=True)

    assert found is not None
    assert found.exit_code == code


def test_a_host_that_reports_success_is_believed_over_harmless_words() -> None:
    assert _ran("run", "Exit code: 0\nWall time: 1 seconds\nOutput:\nno error found") is None


@pytest.mark.parametrize(
    ("code", "kind"),
    [(124, "timeout"), (127, "command_not_found"), (137, "out_of_memory"), (1, "error")],
)
def test_without_text_the_exit_code_determines_the_kind(code: int, kind: str) -> None:
    found = _ran("run", f"Exit code {code}", failed=True)

    assert found is not None
    assert (found.kind, found.exit_code) == (kind, code)


def test_a_search_that_found_nothing_is_not_called_an_error() -> None:
    found = _ran("grep -rn foo src", "Exit code 1", failed=True)

    assert found == CallFailure(FailureKind.NOT_FOUND, None, "no output", 1)


@each(
    ("output", "kind"),
    [
        ("The user doesn't want to proceed with this tool use.", "denied"),
        ("[Request interrupted by user for tool use]", "interrupted"),
        ("Command timed out after 2m 0.0s", "timeout"),
        ("<tool_use_error>String to replace not found in file.</tool_use_error>", "not_found"),
        ("server answered: HTTP/1.1 503 Service Unavailable", "network"),
        ("request failed with status code 403", "permission_denied"),
        ("assertion `a == b` failed", "assertion"),
    ],
)
def test_text_determines_the_kind_of_a_reported_failure(output: str, kind: str) -> None:
    found = _ran("run", output, failed=True)

    assert found is not None
    assert found.kind == kind
    assert "tool_use_error" not in found.message


def test_a_here_document_belongs_to_the_call_and_not_to_its_output() -> None:
    text = "$ cat > t.c <<'EOF'\nx.c:1:1: error: quoted\nerror: quoted\nEOF\n"

    assert failure(text, "Bash", False) is None
    assert failure(f"{text}t.c:1:1: error: real", "Bash", False) is not None


def test_a_quoted_script_of_several_lines_belongs_to_the_call() -> None:
    text = '$ python -c "\nraise ValueError\nerror: x\n"\nok'

    assert failure(text, "Bash", False) is None


def test_the_head_and_the_tail_of_a_long_output_are_seen() -> None:
    padding = "compiling module\n" * 200_000

    assert _ran("make", f"{outputs.GCC}{padding}") is not None
    assert _ran("pytest", f"{padding}{outputs.PYTEST}") is not None


def test_colours_do_not_hide_a_failure() -> None:
    found = _ran("pytest", "\x1b[31m\x1b[1m1 failed\x1b[0m, \x1b[32m3 passed\x1b[0m in 0.1s")

    assert found is not None
    assert found.kind == "test_failure"


def test_a_message_is_one_bounded_line() -> None:
    found = _ran("python x.py", f"{outputs.TRACEBACK[:-1]} {'long ' * 400}\n")

    assert found is not None
    assert len(found.message) <= MESSAGE_LIMIT
    assert "\n" not in found.message


@each("unit", ["a", " ", "\n", "error: ", "a:1:1: error ", "E  ", "'", "(", "::"])
def test_hostile_repetition_is_read_in_linear_time(unit: str) -> None:
    text = hostile(unit)
    started = time.process_time()

    for failed in (False, True):
        failure(f"$ run\n{text}", "Bash", failed)

    assert time.process_time() - started < 2


@given(
    st.text(max_size=400) | st.sampled_from([value for *_, value in NO_FAILURE]),
    st.sampled_from([None, "Bash", "Read", "Edit", "x"]),
    st.booleans(),
)
def test_any_text_is_judged_and_a_reported_failure_always_found(
    text: str, tool: str | None, failed: bool
) -> None:
    found = failure(text, tool, failed)

    assert found == failure(text, tool, failed)
    assert found is not None or not failed
