"""Outcome of a shell command: its failure, and its test results."""

from __future__ import annotations

import re
from dataclasses import dataclass

from memoranda.capture.analysis.canonical_command import step_text
from memoranda.capture.analysis.failures import (
    CallFailure,
    FailureKind,
    exit_header,
    failure,
    split_call,
)
from memoranda.capture.analysis.test_names import NOTHING, TestResults, test_results
from memoranda.language.shell import CommandLine, parse
from memoranda.language.words import word_set

_SELECTING = word_set("grep egrep fgrep rg awk sed jq wc cut tr sort uniq yq")
"""Programs that filter output and thereby may hide a failure."""
_WELL = re.compile(
    r"BUILD SUCCESS|\bAll (?:checks|tests) (?:passed|successful)|\b(?:[Ss]uccess(?:ful(?:ly)?)?"
    r"|[Ss]ucceeded|passed|PASSED|[Pp]assing|[Ff]inished|[Cc]ompleted?|[Cc]ompiled|OK)\b"
    r"|^ok\s|\b(?:0 errors|no issues|no errors)\b",
    re.MULTILINE,
)
_MAKE = re.compile(
    r"make(?:\[\d+\])?: \*\*\* "
    r"(?:\[(?:[^\]]{0,300}: )?([^\]\s:]{1,200})\]|No rule.{0,80}'(\S{1,200}?)')"
)
_NPM = re.compile(r"(?:npm ERR!|npm error|ELIFECYCLE|ERR_PNPM|error Command failed)")
_NOT_FOUND = re.compile(r"(?:^|[\s:])([\w./+-]+): (?:command )?not found", re.MULTILINE)
_ADDRESS = r"(?P<thing>(?<![\w.-])[\w-]{1,60}(?:\.[\w-]{1,60}){0,8}:\d{2,5}\b)"
_RESOURCES = (
    re.compile(r"lock on (?:file )?\\?[\"']?(?P<thing>/?[\w.@+-]{1,99}(?:/[\w.@+-]{1,99}){1,30})"),
    re.compile(r"(?:Could not get lock|Unable to create '?)\s?(?P<thing>/[^\s'\"]{1,300})"),
    re.compile(rf"(?:refused|REFUSED)\D{{0,40}}?{_ADDRESS}"),
    re.compile(rf"{_ADDRESS}.{{0,60}}refused"),
)
"""Messages that a resource is temporarily unavailable to every caller."""
_EXAMINED = 20_000


@dataclass(frozen=True, slots=True)
class OutputOutcome:
    """Outcome of a command, from its output."""

    kind: str = ""
    """Kind of failure; empty if the command succeeded."""
    message: str = ""
    results: TestResults = NOTHING
    filtered: frozenset[str] = frozenset()
    """Commands whose output was filtered, in the notation of targets."""
    excused: bool = False
    """Whether a failure does not stop execution, as with ``|| true``."""
    by_status: bool = False
    """Whether a failure is known only from the exit status, that of the last command."""
    proven: bool = False
    """Whether the output reports a success."""
    broken: str = ""
    """The make target that failed, or the program that was not found."""
    by_package_script: bool = False
    """Whether a package manager reports that its script failed."""
    resource: str = ""
    """File or address that was locked or refused."""


NO_OUTCOME = OutputOutcome()


def outcome_of(text: str, *, failed: bool) -> OutputOutcome:
    """Parse the outcome of a command from its readable call.

    The call consists of the command, followed by the output. ``failed``: whether the call counts as
    a failure according to its host or output.
    """
    call, output = split_call(text, None)
    command = parse(call[2:]) if call.startswith("$ ") else None
    results = test_results(output)
    call_failure = failure(text, None, failed) if failed else None
    body = (
        output if len(output) <= 2 * _EXAMINED else f"{output[:_EXAMINED]}\n{output[-_EXAMINED:]}"
    )
    if call_failure is None:
        proven = results.green or bool(results.passed) or bool(_WELL.search(body))
        excused = any(step.joined == "||" for step in command.steps) if command else False
        return OutputOutcome(
            results=results, filtered=_filtered(command), excused=excused, proven=proven
        )
    return _failed(call_failure, body, results, command)


def _failed(
    found: CallFailure, body: str, results: TestResults, command: CommandLine | None
) -> OutputOutcome:
    match = _MAKE.search(body)
    missing = _NOT_FOUND.search(body) if found.kind is FailureKind.COMMAND else None
    broken = (match[1] or match[2]) if match else missing[1].rpartition("/")[2] if missing else ""
    places = (item.search(found.message) or item.search(body) for item in _RESOURCES)
    resource = next((place["thing"] for place in places if place), "")
    return OutputOutcome(
        found.kind.value,
        found.message,
        results,
        _filtered(command),
        by_status=bool(exit_header(body)[0]),
        broken=broken,
        by_package_script=bool(_NPM.search(body)),
        resource=resource,
    )


def _filtered(command: CommandLine | None) -> frozenset[str]:
    """Return the commands that are piped into a line filter.

    A filter that only excludes lines does not count.
    """
    found, source = set[str](), ""
    for step in command.steps if command else ():
        if step.joined != "|":
            source = step_text(step)
        elif step.program in _SELECTING and not _inverts_match(step.words):
            found.add(source)
    return frozenset(found)


def _inverts_match(words: tuple[str, ...]) -> bool:
    return any(word.startswith("-") and "v" in word and word[1:2] != "-" for word in words[1:])
