"""Evidence of failure in output: exceptions, panics, compilers, linters."""

from __future__ import annotations

import re

from memoranda.capture.analysis.failure_kinds import FailureKind, Finding, kind_of, kind_of_type
from memoranda.capture.analysis.line_search import (
    LINE,
    last_lines,
    last_placed,
    lines_with,
    lines_with_any,
)

_EXCEPTION = re.compile(
    r"(?:Uncaught |Unhandled |Caused by: |Exception in thread \"[^\"]{0,80}\" |\w+: )?"
    r"((?!\d)[\w.$]{0,120}(?:Error|Exception|Failure|Interrupt|Timeout|Expired|Exit|Fault))"
    r"(?: \[\w+\])?(?::\s?(.*))?$"
)
_RAISED = re.compile(r"([A-Za-z_][\w.]{0,150})(?::\s?(.*))?$")
_RUBY = re.compile(r"\S{1,200}:\d+:in .{1,100}: (.*) \(([A-Z]\w+)\)$")
_SIDES = re.compile(r"\n\s{1,4}left: (.{1,80})\n\s{1,4}right: (.{1,80})")
_TRACEBACK = "Traceback (most recent call last)"


def typed(message: str) -> tuple[str | None, str]:
    """Split an error line into the error's name and its message."""
    match = _EXCEPTION.match(message)
    if match:
        return match[1].rpartition(".")[2], match[2] or ""
    return ("AssertionError" if message.startswith("assert ") else None), message


def _exception(name: str, message: str) -> Finding:
    short = name.rpartition(".")[2].rpartition("$")[2]
    kind = kind_of_type(short) or kind_of(message)
    return kind, short, message


def traceback(body: str, failed: bool) -> Finding | None:
    """Parse the last Python traceback.

    It counts only if it ends the output or the host reports a failure.
    """
    at = body.rfind(_TRACEBACK)
    if at < 0:
        return None
    end = body.find("\n", at)
    while 0 <= end < len(body):
        stop = body.find("\n", end + 1)
        line = body[end + 1 : stop if stop >= 0 else len(body)]
        if line[:1] not in ("", " ", "\t"):
            rest = body[stop:] if stop >= 0 else ""
            raised = _RAISED.match(line[:LINE])
            at_end = failed or (len(rest) < 2_000 and rest.count("\n") < 12)
            return _exception(raised[1], raised[2] or "") if raised and at_end else None
        end = stop
    return None


def thrown(body: str, failed: bool) -> Finding | None:
    """Parse an exception line of Node, Java, Ruby or Python without header."""
    for line in lines_with_any(body, _THROWN_SIGNS, 60):
        ruby = _RUBY.match(line)
        if ruby:
            return _exception(ruby[2], ruby[1])
        match = _EXCEPTION.match(line.strip())
        if match and (failed or _unhandled(line, body)):
            return _exception(match[1], match[2] or "")
    return None


_THROWN_SIGNS = ("Error", "Exception", "Interrupt", "Expired", ":in ")


def _unhandled(line: str, body: str) -> bool:
    """Return whether an exception with its stack is at the end of the output."""
    ending = last_lines(body, 30)
    if line not in ending:
        return False
    below = ending[ending.index(line) + 1 :]
    if not below:
        return line[:1].isalpha()
    return len(below) < 25 and any(row.lstrip().startswith("at ") for row in below[:6])


def panic(body: str, failed: bool) -> Finding | None:
    """Parse a Go or Rust panic.

    The message follows the mark or is on the next line.
    """
    at = body.rfind("' panicked at ")
    if at >= 0:
        lines = body[at : at + LINE].split("\n", 2)
        message = lines[1] if len(lines) > 1 and lines[0].endswith(":") else lines[0][14:]
        kind = FailureKind.ASSERTION if message.startswith("assertion") else FailureKind.ERROR
        sides = _SIDES.search(body[at : at + 2 * LINE])
        message += f" (left: {sides[1]}, right: {sides[2]})" if sides else ""
        return kind, "panic", message
    for line in lines_with(body, "panic: ", 3) if "panic: " in body else ():
        if line.startswith("panic: ") and ("goroutine " in body or failed):
            return FailureKind.ERROR, "panic", line[7:]
    return None


_DIAGNOSTIC = re.compile(
    r"\s*(?:\[\w+\] )?(?P<path>(?:[A-Za-z]:)?[^\s:()]{1,250})"
    r"(?:\(\d+,\d+\)|:\[?\d+[,:]?\d*\]?|: line \d+)(?::| -)? (?:fatal |syntax )?error"
    r"(?: (?P<code>[A-Z]{1,6}\d{1,5}))?:? (?P<message>.*)$"
)
_PLAIN = re.compile(r"(?:\w[\w.+-]{0,40}: )?error(?:\[(E\d{4})\])?: (.*)$")
_GO = re.compile(r"(?:vet: )?(?:\./)?[\w./-]{1,200}\.go:\d+:\d+: (.*)$")
_BUILD_LINES = (
    ("BUILD FAIL", re.compile(r"(?:\[ERROR\] |\[INFO\] )?BUILD FAIL.*")),
    ("COMPILATION ERROR", re.compile(r"\[ERROR\] COMPILATION ERROR")),
    ("make", re.compile(r"(make(?:\[\d+\])?: \*\*\* .*)$")),
    ("CMake Error", re.compile(r"(CMake Error.*)$")),
    ("undefined reference", re.compile(r".*(undefined reference to .*)$")),
    ("npm ", re.compile(r"npm (?:ERR!|error) (?!code|A complete|path|errno|\s*$)(.*)$")),
    ("ninja: ", re.compile(r"(ninja: (?:error|build stopped).*)$")),
    ("ailed to compile", re.compile(r"\s*(Failed to compile.*)$")),
)
_RECIPE = re.compile(r"\] Error \d+$")
_MYPY_CODE = re.compile(r"  \[([a-z][a-z-]{1,40})\]$")
_RUST_IMPORT = frozenset(("E0432", "E0433", "E0463", "TS2307", "TS2305"))
_LINTED = (
    (" problem", re.compile(r"\s*✖ \d+ problems? \([1-9]\d* errors?.*")),
    ("Found ", re.compile(r"Found [1-9]\d* errors?(?!.*\b0 remaining)(?: in .*)?[.(]?.*")),
    ("would reformat", re.compile(r"would reformat .*|\d+ files? would be reformatted.*")),
    ("Code style issues", re.compile(r"\[warn\] Code style issues.*")),
)
_LINT_LINE = re.compile(r"(?:\S{1,200}:\d+:\d+:? |\s+\d+:\d+ +error +)(.*)$")
_LINT_CODE = re.compile(r"([A-Z]{1,4}\d{3,4}) (?:\[\*\] )?(.*)$")
_LINT_SIGNS = (": E", ": F", ": W", ": C", ": S", ": N", ": B", ": I", ": U", "  error  ")


def compiler(body: str, failed: bool) -> Finding | None:
    """Parse the first error of a compiler, type checker or build tool."""
    plain: Finding | None = None
    for line in lines_with(body, "error") if "error" in body else ():
        match = _DIAGNOSTIC.match(line)
        if match:
            return _diagnosed(match["path"], match["code"], match["message"])
        bare = _PLAIN.match(line)
        if bare and bare[1]:
            return _diagnosed("", bare[1], bare[2])
        if bare and plain is None:
            kind = kind_of(bare[2])
            built = kind is FailureKind.ERROR and (" --> " in body or "could not compile" in body)
            plain = (FailureKind.BUILD if built else kind), None, bare[2]
    return plain or _go_compiler(body, failed) or _built(body)


def _diagnosed(path: str, code: str | None, message: str) -> Finding:
    mypy = _MYPY_CODE.search(message) if path.endswith((".py", ".pyi")) else None
    if mypy:
        by_code = {"import": FailureKind.IMPORT, "syntax": FailureKind.SYNTAX}
        kind = by_code.get(mypy[1].partition("-")[0], FailureKind.TYPE)
        return kind, mypy[1], message[: mypy.start()]
    if code in _RUST_IMPORT or message.endswith(": No such file or directory"):
        return FailureKind.IMPORT, code, message
    if code and (code == "E0308" or (code.startswith("TS") and not code.startswith("TS1"))):
        return FailureKind.TYPE, code, message
    kind = kind_of(message)
    is_syntax = kind is FailureKind.SYNTAX or (code or "").startswith("TS1")
    return (FailureKind.SYNTAX if is_syntax else FailureKind.BUILD), code, message


def _go_compiler(body: str, failed: bool) -> Finding | None:
    if ".go:" not in body or not (failed or "\n# " in f"\n{body}" or "[build failed]" in body):
        return None
    for line in lines_with(body, ".go:"):
        match = _GO.match(line)
        if match:
            kind = kind_of(match[1])
            is_compiler = kind in (FailureKind.SYNTAX, FailureKind.IMPORT)
            return (kind if is_compiler else FailureKind.BUILD), None, match[1]
    return None


def _built(body: str) -> Finding | None:
    for sign, pattern in _BUILD_LINES:
        if sign not in body:
            continue
        for line in lines_with(body, sign):
            match = pattern.match(line)
            if match:
                message = match[match.lastindex or 0]
                if sign == "make" and _RECIPE.search(message):
                    message = _cause_above(body, line) or message
                kind = kind_of(message)
                return (FailureKind.BUILD if kind is FailureKind.ERROR else kind), None, message
    return None


def _cause_above(body: str, line: str) -> str:
    """Return the last line above a make error that names the cause, or ''.

    make reports only that a recipe failed.
    """
    above = last_lines(body[: body.find(line)], 12)
    lines = (item.strip() for item in reversed(above) if not item.startswith("make"))
    return next((one for one in lines if _names_cause(one)), "")


def _names_cause(line: str) -> bool:
    return kind_of(line) is not FailureKind.ERROR or "rror:" in line or "ailed" in line


def linter(body: str, failed: bool) -> Finding | None:
    """Parse a linter's total of errors and its first error."""
    for sign, pattern in _LINTED:
        if sign not in body:
            continue
        for total in lines_with(body, sign):
            if pattern.match(total):
                name, message = _lint_message(body)
                return FailureKind.LINT, name, message or total.strip()
    if failed:
        name, message = _lint_message(body)
        return (FailureKind.LINT, name, message) if name else None
    return None


def _lint_message(body: str) -> tuple[str | None, str]:
    for line in lines_with_any(body, _LINT_SIGNS):
        match = _LINT_LINE.match(line)
        if not match:
            continue
        coded = _LINT_CODE.match(match[1])
        if coded:
            return coded[1], coded[2]
        words = match[1].rsplit(None, 1)
        if "  error  " in line and len(words) == 2:
            return words[1], words[0].strip()
    return None, ""


# --- places -------------------------------------------------------------------------------------

_FRAME = re.compile(r"\s*File \"([^\"]{1,300})\", line (\d+)(?:, in (\S{1,100}))?")
_PLACE = re.compile(r"\.[A-Za-z]\w{0,7}(?:\((\d+),\d+\)|:(\d+))")
_PLACE_BEGINS = re.compile(r"[\s(\"'@=\[<]")
_FOREIGN = (
    "site-packages", "dist-packages", "/lib/python", "node_modules", "node:", "<", "/rustc/",
    ".cargo/registry", "/usr/local/go/", "/usr/lib/", "/usr/include/", "/go/pkg/mod/",
    "importlib/", "_pytest/", "internal/modules/",
)  # fmt: skip
_FOREIGN_JAVA = ("at java.", "at jdk.", "at sun.", "at org.junit", "at org.apache.maven")
_PLACE_SIGNS = (" --> ", "    at ", "\tat ", "panicked at ", "rror", "_test.go:", ".py:", ".go:")


def own_frame(output: str) -> str | None:
    """Return the failing location in project code as ``file:line``, or None.

    For a Python traceback this is the innermost frame outside libraries, otherwise the first
    location outside libraries.
    """
    if " line " in output:
        if "\nRan " in output:
            output = output[: output.find("\n=====", output.find(_TRACEBACK))]
        for _, line in last_placed(output, 'File "', 30):
            match = _FRAME.match(line)
            if match and not is_foreign(match[1]):
                where = f" in {match[3]}" if match[3] and match[3] != "<module>" else ""
                return f"{match[1]}:{match[2]}{where}"
    if "\nE  " in output and (place := _pytest_place(output)):
        return place
    for sign in _PLACE_SIGNS:
        for line in lines_with(output, sign, 12) if sign in output else ():
            place = _place(line)
            if place and not is_foreign(place) and not line.lstrip().startswith(_FOREIGN_JAVA):
                return place
    return None


def _place(line: str) -> str:
    """Return the first ``path.extension:line`` in a line; '' if there is none."""
    mark = _PLACE.search(line)
    if mark is None:
        return ""
    before = _PLACE_BEGINS.split(line[max(0, mark.start() - 200) : mark.start()])[-1]
    ending = mark[0].partition(":")[0].partition("(")[0]
    return f"{before}{ending}:{mark[1] or mark[2]}" if before else ""


def _pytest_place(output: str) -> str | None:
    """Return the innermost frame of the first failure in pytest output.

    The output may be in pytest's long or short format.
    """
    cause = output.find("\nE  ")
    after = output.find(": ", output.find("\n\n", cause))
    lines = last_lines(output[:after], 1) if after > cause else []
    lines += [line for _, line in last_placed(output[:cause], ".py:", 12)]
    places = [_place(line) for line in lines if line[:1].isalnum() or line[:1] in "./"]
    return next((place for place in places if place and not is_foreign(place)), None)


def is_foreign(path: str) -> bool:
    """Return whether a path is in a library or interpreter, not in a project."""
    return any(map(path.__contains__, _FOREIGN))
