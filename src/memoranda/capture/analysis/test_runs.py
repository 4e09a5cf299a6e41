"""Test runs in output: totals, failing tests, and the cause of a failure."""

from __future__ import annotations

import re

from memoranda.capture.analysis.diagnostics import panic, thrown, typed
from memoranda.capture.analysis.failure_kinds import (
    FailureKind,
    Finding,
    kind_of_type,
    may_have_failed,
)
from memoranda.capture.analysis.line_search import last_placed, lines_with, lines_with_any, window
from memoranda.text import one_line, strip_ansi

_PASSED = ("pass", "Ran ")
_COUNTERS = (*_PASSED, " fail", "ailure", " error")
_TOTALS = (
    "Tests: ", "Tests  ", "Tests run:", "[ERROR] Tests run:", "[INFO] Tests run:",
    "[WARNING] Tests run:", "test result:", "FAILED (", "Failed! ", "Passed! ", "Summary [",
    "ok | ", "FAILED | ", "# fail ", "# pass ",
)  # fmt: skip
"""Beginnings of lines with a runner's totals that do not start with a number."""
_COUNT_STARTS = frozenset("=0123456789")
_COUNTED = re.compile(
    r"=* ?\d+ (?:failed|passed|passing|failing|errors?|skipped|xfailed|deselected)\b"
    r"(?=[,;|=]| in \d| \(|\s*$)|\d+% tests passed|\d+ (?:examples?|runs|tests completed), "
)
_NUMBER_WORD = re.compile(
    r"(\d+) (?:tests? )?(failed|failing|failures?|passed|passing|errors?|skipped|skips|examples?)\b"
)
_WORD_NUMBER = re.compile(
    r"\b(failures|errors|failed|passed|skipped|tests run|fail|pass)(?:[:=] *| )(\d+)", re.IGNORECASE
)
_RAN = re.compile(r"Ran (\d+) tests? in ")
_COUNT_NAMES = {"fail": "failed", "pass": "passed", "erro": "errors", "skip": "skipped"}
_FAILED_NAME = re.compile(
    r"(?:FAILED|ERROR) (\S{1,300}\.py(?:::.{1,200}?)?)(?: - .*)?$"
    r"|(\S{1,200}::\S{1,200}) (?:FAILED|ERROR)\b"
    r"|(?:FAIL|ERROR): (\w{1,200}) \("
    r"|\s*--- FAIL: (\S{1,200})"
    r"|test (\S{1,200}) \.\.\. FAILED"
    r"|\s*(?:FAIL|✗|\u00d7)\s+(\S{1,200} > .{1,200})$"
    r"|\s*● (.{1,200} \u203a .{1,200})$"
    r"|(?:\[ERROR\]\s+)?(?!Tests run)(\w[\w.$]{0,150}\w)[: ].{0,200}<<< (?:FAILURE|ERROR)!"
    r"|(\w{1,100} > .{1,100}) FAILED$"
    r"|\s*not ok \d+ -? ?(.{1,200})$"
    r"|rspec (\./\S{1,200})"
    r"|\[ERROR\]   (\w{1,100}\.\w{1,100}):\d+|\s+\d+ - (\S{1,200}) \(Failed\)"
)
_NAME_SIGNS = (
    "FAIL", "● ", "not ok ", "<<< ", "rspec ./", "ERROR tests", "ERROR: ", "[ERROR]   ",
    " (Failed)",
)  # fmt: skip


def test_counts(text: str) -> dict[str, int]:
    """Parse a test runner's totals (failed, errors, passed, skipped).

    Totals of 0 are omitted; the result is empty if no tests ran.
    """
    text = strip_ansi(window(text))
    lines: dict[int, str] = {}
    for sign in _COUNTERS if may_have_failed(text) else _PASSED:
        if sign in text:
            lines.update(last_placed(text, sign))
    counts: dict[str, int] = {}
    ran = 0
    for at in sorted(lines):
        line = lines[at].lstrip()
        if line[:4] == "Ran ":
            match = _RAN.match(line)
            ran = int(match[1]) if match else ran
        elif line.startswith(_TOTALS) or (line[:1] in _COUNT_STARTS and _COUNTED.match(line)):
            counts = _added(counts, line)
    if not counts and "--- FAIL: " in text:
        counts = {"failed": text.count("--- FAIL: "), "passed": text.count("--- PASS: ")}
    if ran and "passed" not in counts:
        bad = sum(counts.values())
        counts["passed"] = max(ran - bad, 0)
    return {name: counts[name] for name in ("failed", "errors", "passed", "skipped")
            if counts.get(name)}  # fmt: skip


def _added(counts: dict[str, int], line: str) -> dict[str, int]:
    """Update the counts from a line of totals.

    cargo's totals are summed; for other runners the last line counts.
    """
    found = _read_counts(line)
    if line.startswith("test result:"):
        return {name: counts.get(name, 0) + number for name, number in found.items()}
    return found if found.keys() & counts.keys() else counts | found


def _read_counts(line: str) -> dict[str, int]:
    pairs = [(word, int(number[:9])) for number, word in _NUMBER_WORD.findall(line)]
    pairs += [(word, int(number[:9])) for word, number in _WORD_NUMBER.findall(line)]
    counts: dict[str, int] = {}
    total = 0
    for word, number in pairs:
        name = _COUNT_NAMES.get(word[:4].lower())
        if name:
            counts.setdefault(name, number)
        else:
            total = number
    if total and "passed" not in counts:
        counts["passed"] = max(total - sum(counts.values()), 0)
    return counts


def failing_tests(text: str, limit: int = 20) -> tuple[str, ...]:
    """Return the names of failing tests in order, as their runner writes them."""
    text = strip_ansi(window(text))
    names: list[str] = []
    for line in lines_with_any(text, _NAME_SIGNS):
        match = _FAILED_NAME.match(line)
        name = one_line(match[match.lastindex]) if match and match.lastindex else ""
        if name and not any(known.endswith(name) for known in names):
            names.append(name)
    return tuple(names[:limit])


def failed_run(body: str, failed: bool) -> Finding | None:
    """Find a failed test run.

    An import or syntax error takes precedence over the failures that it causes.
    """
    if "[build failed]" in body or not any(sign in body for sign in ("ail", "FAIL", "rror")):
        return None
    counts = test_counts(body)
    if not (counts.get("failed") or counts.get("errors")):
        return None
    name, message = _test_cause(body)
    kind = kind_of_type(name or "")
    collected = counts.get("failed") or kind not in (FailureKind.IMPORT, FailureKind.SYNTAX)
    return FailureKind.TEST if collected or kind is None else kind, name, message


_E_LINE = re.compile(r"E\s{1,9}(\w.*)$")
_AFTER_DASH = re.compile(r"(?:FAILED|ERROR) .{1,300}? - (.+)$")
_GO_CAUSE = re.compile(r"\s+\w[\w./-]{0,150}_test\.go:\d+: (.+)$")
_MAVEN_CAUSE = re.compile(r"\[ERROR\]\s+\w[\w.$]{0,150}:\d+ (.+)$")
_EXPECTED = re.compile(r"\s*(?:Expected|Received|AssertionError|assertion)\b.*")


def _test_cause(body: str) -> tuple[str | None, str]:
    """Return why the first test failed: its error type and message."""
    for sign, pattern in (("E  ", _E_LINE), (" - ", _AFTER_DASH), ("_test.go:", _GO_CAUSE),
                          ("[ERROR]", _MAVEN_CAUSE)):  # fmt: skip
        for line in lines_with(body, sign) if sign in body else ():
            match = pattern.match(line)
            if match:
                return typed(match[1])
    for finder in (panic, thrown):
        finding = finder(body, True)
        if finding:
            return finding[1], finding[2]
    expected = [line.strip() for line in lines_with(body, "xpected") if _EXPECTED.match(line)]
    received = [line.strip() for line in lines_with(body, "Received", 1)]
    names = failing_tests(body, 3)
    return None, "; ".join(expected[:1] + received) or ", ".join(names)
