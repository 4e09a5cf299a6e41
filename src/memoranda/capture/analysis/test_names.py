"""Names of passed and failed tests in the output of test runners."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from memoranda.capture.analysis.line_search import LINE, window
from memoranda.capture.analysis.test_runs import failing_tests, test_counts
from memoranda.text import strip_ansi

_MAXIMUM = 20_000
"""Maximum number of lines that are parsed."""
_MAX_LENGTH = 400

_SIGNS = (
    "PASS", "FAIL", "Passed", "Failed", "ERROR", "... ok", "ok ", "\u2713", "\u2714", "\u221a",
    "\u2717", "\u2718", "\u2715", "\u00d7", "\u2a2f", "\u2716", "\u25cf ", "Tests run:", "<<< ",
    " s = ", " failed", "passed", "rspec ./", "BUILD SUCCESS", "0 failures", "::", "OK",
)  # fmt: skip
_SIGN = re.compile("|".join(map(re.escape, _SIGNS)) + r"|\d+\)|\u203a|not ok|\[ERROR\]| - ")
_WELL = frozenset(
    (
        "PASSED",
        "XPASS",
        "XFAIL",
        "PASS",
        "ok",
        "Passed",
        "passed",
        "\u2713",
        "\u2714",
        "\u221a",
        ".",
    )
)  # marks of a passed test
_VERDICT = r"(?P<verdict>PASSED|FAILED|ERROR|XPASS|XFAIL)"
_LINES = tuple(
    re.compile(pattern)
    for pattern in (
        # pytest
        rf"(?:\[gw\d+\] )?(?:\[ *\d+%\] )?{_VERDICT} (?P<name>\S+\.py(?:::.+?)?)(?: - .*)?$",
        rf"(?P<name>\S+\.py::.+?) {_VERDICT}(?: +\[ *\d+%\])?$",
        # Gradle
        r"(?P<name>[\w.$]+ > .+) (?P<verdict>PASSED|FAILED)$",
        # unittest, Django, Deno, cargo
        r"(?P<verdict>FAIL|ERROR): (?P<name>\w+ \([\w.]+\))",
        r"(?:test )?(?P<name>\S.*?) \.\.\. (?P<verdict>ok|FAIL|FAILED|ERROR)(?: \(\d+m?s\))?$",
        # Go
        r"\s*--- (?P<verdict>PASS|FAIL): (?P<name>\S+) \(",
        r"(?P<verdict>ok|FAIL)\s+(?P<name>[\w.-]+(?:/[\w.-]+)*)\s+(?:[\d.]+s|\(cached\)|\[)",
        # cargo-nextest
        r"\s*(?P<verdict>PASS|FAIL) \[ *[\d.]+s\] (?:\( *\d+/\d+\) )?(?P<name>\S.*)$",
        # .NET
        r"\s+(?P<verdict>Passed|Failed) +(?P<name>\w+(?:[.+]\w+)+(?:\(.*\))?)(?: \[.{1,20}\])?$",
        # CTest
        r"\s*\d+/\d+ Test +#\d+: (?P<name>\S+) \.+ *(?:\*\*\*)?(?P<verdict>[A-Z]\w+)",
        r"\s+\d+ - (?P<name>\S+) \((?P<verdict>Failed|Timeout|Not Run|SEGFAULT)\)",
        # TAP: bats, node, prove
        r"\s*(?P<verdict>ok|not ok) \d+ (?:- )?(?P<name>[^#]+?)(?: # (?!SKIP|TODO|skip).*)?$",
        # Playwright
        r"\s*(?P<verdict>[\u2713\u2714\u2718\u2717\u00d7])\s+\d+ (?P<name>\[.+?\] \u203a .+)$",
        # Maven: a class
        r"\[\w+\] +Tests run: \d+, Failures: 0, Errors: 0,.*(?P<verdict>) in (?P<name>[\w.$]+)$",
        r"\[ERROR\] +(?P<name>[\w.$]+(?:\([\w.$]+\))?) .*<<< (?P<verdict>FAILURE|ERROR)!",
        # Jest, Vitest, Pest: a file, a class or a test
        r"\s*(?P<verdict>PASS|FAIL) +(?P<name>[\w@./\\-]+\.\w+(?: > .+)?)(?: \([\d.]+ m?s\))?$",
        r"\s*(?P<verdict>PASS|FAIL) +(?P<name>\w+(?:\\\w+)+(?: > .+)?)$",
        r" *(?P<verdict>\u25cf) (?P<name>(?!Console$|Validation|process\.exit|Deprecat).{3,200})$",
        # Minitest
        r"(?P<name>[\w:]+#test_\w+) = [\d.]+ s = (?P<verdict>[.FE])$",
        # XCTest
        r"Test [Cc]ase '(?P<name>.+)' (?P<verdict>passed|failed)",
        # RSpec, PHPUnit
        r"(?P<verdict>rspec) (?P<name>\./\S+)",
        r"(?P<verdict>\d+\)) (?P<name>[\w\\]+::\w+)",
    )
)
_MARKED = re.compile(
    r"(?P<indent>\s*)(?P<verdict>[\u2713\u2714\u221a\u2717\u2718\u2715\u00d7\u2a2f\u2716]|\d+\))"
    r" {1,3}(?P<name>\S.*)$"
)
"""A marked test; its groups are on lines above, with less indentation."""
_PASSING = re.compile(r"^ +\d+ passing\b", re.MULTILINE)
_ENDED_MARKS = re.compile(r"\s*\d+ failing\b|Failed Tests|Summary of all failing")
_PLAYWRIGHT_LIST = re.compile(
    r"\s+(?P<name>\[[\w -]+\] \u203a \S+:\d+:\d+ \u203a .+?)(?: [\u2500]+)?$"
)
_TIME = re.compile(
    r"\s*(?:\((?:<\s?)?[\d.,]+ ?m?(?:s|min|sec)[^)]*\)|\[[\d.<, ]+ ?m?s\]|\s[\d.,]+ ?m?s)\s*$"
)
_TESTS_OF_A_FILE = re.compile(r" \(\d+ tests?(?: \|.*)?\)$")
_PLACE = re.compile(r"(\.\w{1,5}):\d+(?::\d+)?(?= )")
_BY_METHOD = re.compile(r"(\w+)\(([\w.$]+\.[\w.$]+)\)$")
_GREEN = re.compile(
    r"^BUILD SUCCESS|^ok\s+\S+\s+(?:[\d.]+s|\(cached\))|^OK(?: \(|$)|\b\d+ tests?, 0 failures\b"
    r"|^100% tests passed|^All tests (?:passed|successful)|^[ \t]*[#\u2139] fail 0$",
    re.MULTILINE,
)
_RED = re.compile(
    r"^(?:FAIL\b|not ok |--- FAIL|BUILD FAILED|FAILURES!|.*<<< FAILURE!)", re.MULTILINE
)


@dataclass(frozen=True, slots=True)
class TestResults:
    """Test results in an output."""

    passed: frozenset[str] = frozenset()
    """Names of tests, classes, files or packages, without locations and times."""
    failed: frozenset[str] = frozenset()
    complete: bool = True
    """Whether every failed test is named."""
    green: bool = False
    """Whether tests ran and none failed."""
    family: str = ""
    """Test runner of the format; empty if unknown."""


NOTHING = TestResults()


def test_results(output: str) -> TestResults:
    """Parse the results of single tests and of the whole run."""
    if not any(sign in output for sign in _SIGNS):
        return NOTHING
    text = strip_ansi(window(output))
    names = _TestNames(numbered=bool(_PASSING.search(text)))
    for line in text.split("\n", _MAXIMUM)[:_MAXIMUM]:
        names.read(line)
    names.failed |= set(map(_canonical, failing_tests(text))) if not names.failed else set()
    counts = test_counts(text)
    bad = counts.get("failed", 0) + counts.get("errors", 0)
    went_well = bool(counts.get("passed")) or bool(_GREEN.search(text))
    return TestResults(
        frozenset(names.passed - names.failed),
        frozenset(names.failed),
        complete=bool(names.failed) and len(names.failed) >= bad,
        green=went_well and not bad and not names.failed and not _RED.search(text),
        family=_family(text),
    )


@dataclass(slots=True)
class _TestNames:
    """Parser state: names found so far, and groups around the next line."""

    numbered: bool
    """Whether a number before a name marks a failed test, as in Mocha."""
    passed: set[str] = field(default_factory=set)
    failed: set[str] = field(default_factory=set)
    _groups: list[tuple[int, str]] = field(default_factory=list)
    _listing: bool = False

    def read(self, line: str) -> None:
        """Parse a line."""
        if not line:
            self._groups = [group for group in self._groups if group[0]]
        if not line or len(line) > _MAX_LENGTH:
            return
        if _ENDED_MARKS.match(line):
            self._listing = True
        for verdict, name in self._results(line):
            named = _canonical(name)
            (self.passed if verdict in _WELL or not verdict else self.failed).add(named)

    def _results(self, line: str) -> Iterator[tuple[str, str]]:
        if found := _result_line(line):
            yield found["verdict"], found["name"]
        elif match := _PLAYWRIGHT_LIST.match(line):
            yield "listed", match["name"]
        elif not self._listing and (marked := _MARKED.match(line)):
            depth = len(marked["indent"])
            self._leave(depth)
            name = _TIME.sub("", marked["name"])
            path = [] if " > " in name else [group for _, group in self._groups]
            if not marked["verdict"][0].isdigit() or (path and self.numbered):
                yield marked["verdict"], " > ".join([*path, name])
        elif (text := line.strip()) and not self._listing:
            depth = len(line) - len(line.lstrip())
            self._leave(depth)
            self._groups.append((depth, text[:LINE]))

    def _leave(self, depth: int) -> None:
        while self._groups and self._groups[-1][0] >= depth:
            self._groups.pop()


def _canonical(name: str) -> str:
    """Normalise a test's name, which a runner may write in several ways."""
    name = _TIME.sub("", name.strip(" \u2500")).replace(" \u203a ", " > ")
    name = _TESTS_OF_A_FILE.sub("", _PLACE.sub(r"\1", name))
    by_method = _BY_METHOD.search(name)
    if by_method:
        return f"{by_method[2]}.{by_method[1]}"
    return name.removesuffix("()").strip()


_FAMILIES = tuple(
    (family, re.compile(pattern, re.MULTILINE))
    for family, pattern in (
        (
            "playwright",
            r"^[ \t]*[\u2713\u2718] +\d+ \[|^Running \d+ tests? using \d+ worker"
            r"|^ +\[[\w -]+\] \u203a \S+:\d+:\d+ \u203a ",
        ),
        ("vitest", r"^ *Test Files  |^ +RUN  v\d|^ *Tests  \d+ "),
        ("jest", r"^Test Suites: |^Tests: +\d+ (?:passed|failed|skipped), "),
        ("cargo", r"^test result: |^ *Summary \[ *[\d.]+s\] \d+ tests? run"),
        ("maven", r"^\[(?:INFO|ERROR|WARNING)\] "),
        ("gradle", r"^BUILD (?:SUCCESSFUL|FAILED) in|^> Task :|^\w+ > .+ (?:PASSED|FAILED)$"),
        ("go", r"^(?:ok|FAIL)\s+[\w./-]+\s+[\d(\[]|^ *--- (?:PASS|FAIL): |^PASS$"),
        ("mocha", r"^ +\d+ passing"),
        ("rspec", r"^\d+ examples?, \d+ failure"),
        ("minitest", r"^\d+ runs, \d+ assertions"),
        ("dotnet", r"^(?:Passed|Failed)! +- |^Total tests: |^ +(?:Passed|Failed) [\w.]+ \["),
        ("ctest", r"^\d+% tests passed|^Test project /"),
        ("phpunit", r"^PHPUnit |^OK \(\d+ tests?, |^Tests: \d+, Assertions"),
        ("unittest", r"^Ran \d+ tests? in "),
        ("pytest", r"^=*\s?(?:\d+ \w+, )*\d+ (?:passed|failed|errors?)\b.* in [\d.]+s"),
        ("tap", r"^(?:not )?ok \d+ |^1\.\.\d+$"),
        ("node", r"^[#\u2139] tests \d+"),
        ("xctest", r"^Test Suite '"),
    )
)


def _family(text: str) -> str:
    return next((name for name, pattern in _FAMILIES if pattern.search(text)), "")


def _result_line(line: str) -> re.Match[str] | None:
    """Match a line with a test's name and result against the known formats.

    The first format that matches is used.
    """
    if not _SIGN.search(line):
        return None
    return next((item for pattern in _LINES if (item := pattern.match(line))), None)
