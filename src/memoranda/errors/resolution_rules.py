"""Rules that decide whether a call resolves an error."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from memoranda.capture.analysis.failure_kinds import FailureKind
from memoranda.capture.analysis.failures import CallFailure
from memoranda.errors.check_commands import (
    SHELL,
    Check,
    chain_links,
    in_different_projects,
    is_within,
    split_target,
)
from memoranda.errors.outcome_parser import NO_OUTCOME, OutputOutcome
from memoranda.language.words import word_set

_LOOKS = word_set(
    "ls cat head tail sleep pwd which cd grep rg find wc date ps lsof done fi esac true"
)
"""Programs that only read, or that stop what a shell started."""
_PROBES = _LOOKS | word_set("test [ [[ stat file pgrep type egrep fgrep ag")
"""Programs that fail if something does not exist."""
_NAME_LOOKUPS = word_set("which type")
_PROBE_CALLS = re.compile(
    r"git (?:-C \S+ )?(?:diff .*--(?:quiet|exit-code)\b|grep |show-ref |ls-files .*--error-unmatch"
    r"|rev-parse .*--verify)|(?:python3? -m )?pip3? show |(?:dpkg|rpm) -\w+ |(?:diff|cmp) "
)
"""Other calls whose failure is a valid answer."""
_UNRUN = frozenset({FailureKind.SYNTAX, FailureKind.IMPORT, FailureKind.BUILD})
"""Failures before any part of a check has run."""
_PACKAGES = word_set("npm pnpm yarn npx bun")
_RUNNING = word_set("make npm pnpm yarn npx just bazel cargo go dotnet mvn gradle tox nox")
"""Programs that may run project-specific checks."""

_TOKEN = re.compile(r"[\w./@-]*\w")
SHORT = 5
"""Maximum number of characters of a path that is too common to identify a file."""


@dataclass(frozen=True, slots=True)
class AttemptedCall:
    """Call with its target and its outcome."""

    target: str
    outcome: OutputOutcome = NO_OUTCOME
    failed: bool = False


def ends_error(passed: AttemptedCall, error: AttemptedCall) -> bool:
    """Return whether a call proves that an error is resolved.

    A successful call resolves an error of the same target. It also resolves an error of a command
    in a chain if it ran that command or a check that covers it; the output shows which command
    failed. Even a failed call resolves an error if its output reports all of the error's tests as
    passed. A successful whole suite resolves errors of its tests.
    """
    if not (passed.target.startswith(SHELL) and error.target.startswith(SHELL)):
        return passed.target == error.target and not passed.failed
    (command, folder), (other, place) = split_target(passed.target), split_target(error.target)
    if in_different_projects(folder, place):
        return False
    if command == other:
        return not passed.failed and _reports_failure(passed, error)
    done, broken = _passed(command, passed, error), _broken(other, error)
    in_suite = not passed.failed and is_within(place, folder)
    return (
        _ran_its_tests(done, passed, error)
        or _covered(done, broken, error)
        or (in_suite and _of_the_suite(done, passed, broken, error))
        or (not passed.failed and _reached(command, broken, error))
    )


def _reports_failure(passed: AttemptedCall, error: AttemptedCall) -> bool:
    """Return whether the output would show the same failure again."""
    outcome = passed.outcome
    return outcome.proven or (not outcome.excused and outcome.filtered <= error.outcome.filtered)


def _passed(command: str, one: AttemptedCall, error: AttemptedCall) -> list[Check]:
    """Return the commands of a chain that certainly succeeded."""
    chain = chain_links(command)
    if one.failed:
        return _before_failure(command, one)
    tests = [check for _, check in chain if check.tests]
    proven = tests if one.outcome.results.green and len(tests) == 1 else []
    if one.outcome.excused or any(mark == "||" for mark, _ in chain):
        return proven
    last = max((at for at, (mark, _) in enumerate(chain) if mark == ";"), default=0)
    certain = [check for _, check in chain[last:]]
    checks = [
        check
        for (_, check), (mark, _) in pairwise(chain[: last + 1])
        if mark == "&&" and _is_check(check)
    ]  # failures of these checks would have been reported
    unseen = set() if one.outcome.proven else one.outcome.filtered - error.outcome.filtered
    return [check for check in [*certain, *checks, *proven] if check.text not in unseen]


def _before_failure(command: str, one: AttemptedCall) -> list[Check]:
    """Return the commands before the failed one, if that is known.

    The result is empty unless each command runs only after the success of the previous one.
    """
    chain, broken = chain_links(command), _broken(command, one)
    if len(broken) != 1 or any(mark not in ("", "&&") for mark, _ in chain):
        return []
    checks = [check for _, check in chain]
    return checks[: checks.index(broken[0])]


def _broken(command: str, error: AttemptedCall) -> list[Check]:
    """Return the failed command of a chain, or all candidates."""
    chain = chain_links(command)
    acting = [check for _, check in chain if check.program not in _LOOKS] or [c for _, c in chain]
    for is_named in (_is_named, _mentions_argument):
        named = [check for check in acting if is_named(check, error.outcome)]
        if len(dict.fromkeys(named)) == 1:
            return named[:1]
    if len(acting) == 1:
        return acting
    last = max((at for at, (mark, _) in enumerate(chain) if mark == ";"), default=0)
    if any(mark == "||" for mark, _ in chain):
        return acting
    if error.outcome.by_status:
        acting = [c for _, c in chain[last:] if c.program not in _LOOKS] or acting
    elif any(c.program not in _LOOKS for _, c in chain[:last]):
        return acting
    return acting if any(_is_check(check) for check in acting[:-1]) else acting[-1:]


def _is_check(check: Check) -> bool:
    return bool(check.kind) or check.tests or check.program in _RUNNING


def _is_named(check: Check, outcome: OutputOutcome) -> bool:
    """Return whether a failure names the failed command."""
    if outcome.broken and check.program in ("make", "gmake"):
        targets = [word for word in check.text.split(" ")[1:] if "=" not in word]
        return outcome.broken in targets or not targets
    if outcome.broken:
        return check.program.rpartition("/")[2] == outcome.broken
    results = outcome.results
    if results.family and not results.green and check.family == results.family:
        return True
    if outcome.kind == FailureKind.TEST or results.failed:
        return check.tests and check.kind not in ("test", "task")
    if outcome.by_package_script:
        return check.program in _PACKAGES
    subject = outcome.message.partition(":")[0].strip()
    return bool(subject) and (
        check.program == subject or (subject == "fatal" and check.program == "git")
    )


def _mentions_argument(check: Check, outcome: OutputOutcome) -> bool:
    """Return whether a failure mentions a file, host or name in a command."""
    tokens = set(_TOKEN.findall(outcome.message))
    arguments = (word.strip("\"'") for word in check.text.split(" ")[1:])
    return any(
        len(word) > SHORT and not word.isalpha() and word[0] != "-" and word in tokens
        for word in arguments
    )


def _covered(done: Sequence[Check], broken: Sequence[Check], error: AttemptedCall) -> bool:
    compiled = error.outcome.kind in _UNRUN
    return bool(broken) and all(
        any(item.covers(check, compiled=compiled) for item in done) for check in broken
    )


def _ran_its_tests(done: Sequence[Check], passed: AttemptedCall, error: AttemptedCall) -> bool:
    """Return whether all failed tests are known to have passed.

    The tests are reported as passed, or were selected by name in a run without failures.
    """
    failed, results = error.outcome.results, passed.outcome.results
    if not failed.failed or not failed.complete:
        return False
    selecting = [check for check in done if check.tests] if results.green else []
    return not (failed.failed & results.failed) and all(
        name in results.passed
        or any(name.startswith((f"{item}.", f"{item} > ", f"{item}::")) for item in results.passed)
        or _is_group(name, failed.failed)
        or any(_selects(check, name) for check in selecting)
        for name in failed.failed
    )


def _is_group(name: str, failed: frozenset[str]) -> bool:
    """Return whether a name is a file, class or test with failed tests."""
    inner = (f"{name}/", f"{name} > ", f"{name}::", f"{name}.")
    return any(item.startswith(inner) for item in failed)


def _selects(check: Check, name: str) -> bool:
    """Return whether a check selects a test by name."""
    if check.family == "pytest" and check.paths and not check.filters:
        return any(_selected(path, name) for path in check.paths)
    if check.family in ("rspec", "bats") and check.paths and not check.filters:
        return any(_selected(path, name.removeprefix("./")) for path in check.paths)
    wanted = [item.rpartition(" ")[2].rpartition("=")[2].strip("*^$'\"/") for item in check.filters]
    if check.family in ("gradle", "go", "maven", "dotnet") and len(wanted) == 1:
        simple = wanted[0].replace("#", ".").rpartition("~")[2]
        parts = name.replace(" > ", ".").split("/")[0]
        return len(simple) > 3 and (parts == simple or parts.startswith(f"{simple}.")
                or f".{parts}.".find(f".{simple}.") >= 0)  # fmt: skip
    if check.family == "cargo" and len(check.paths) == 1 and not check.filters:
        return f"::{name}::".find(f"::{check.paths[0]}::") >= 0
    return False


def _selected(path: str, name: str) -> bool:
    whole = path.rstrip("/")
    return name == whole or name.startswith((f"{whole}/", f"{whole}::", f"{whole}:", f"{whole}["))


def _of_the_suite(
    done: Sequence[Check], passed: AttemptedCall, broken: Sequence[Check], error: AttemptedCall
) -> bool:
    """Return whether a whole suite that contains the failed tests passed.

    The suite has the same runner, as far as known, and nothing indicates that it excludes the
    tests.
    """
    outcome, results = error.outcome, passed.outcome.results
    if outcome.kind != FailureKind.TEST or not results.green:
        return False
    if not any(check.runs_all_tests for check in done):
        return False
    tests = [check for check in broken if check.tests]
    suite_families = {check.family for check in tests if check.kind != "script" and check.family}
    families = suite_families or {outcome.results.family}
    if results.family not in families or any(check.is_excludable for check in tests):
        return False
    return not any(map(_is_excludable, outcome.results.failed))


def _is_excludable(name: str) -> bool:
    return Check(name.partition("::")[0]).is_excludable


def _reached(command: str, broken: Sequence[Check], error: AttemptedCall) -> bool:
    """Return whether a program used a resource that was unavailable before."""
    thing, chain = error.outcome.resource, [check for _, check in chain_links(command)]
    programs = {check.program for check in broken}
    return (
        bool(thing)
        and any(check.program in programs for check in chain)
        and any(_is_target(word, thing) for check in chain for word in check.text.split(" "))
    )


def _is_target(word: str, target: str) -> bool:
    is_part = len(word) > SHORT and "/" in word and target.endswith(f"/{word}")
    return word == target or is_part or f"//{target}" in word


def is_inspection(target: str) -> bool:
    """Return whether a call only reads, and so resolves only its own errors."""
    return target.startswith(SHELL) and all(
        check.program in _LOOKS for _, check in chain_links(split_target(target)[0])
    )


def is_negative_probe(target: str | None, failure: CallFailure | None) -> bool:
    """Return whether a failed call reports that something does not exist.

    Examples are a search without a match, a listing of a missing file, ``test -f`` and ``which``.
    Wrong use of one of these programs, or a denied permission, is a failure like others.
    """
    if failure is None or target is None or not target.startswith(SHELL):
        return False
    checks = [check for _, check in chain_links(split_target(target)[0])]
    if not checks or not all(map(_is_probe, checks)):
        return False
    if failure.kind is FailureKind.COMMAND:
        return any(check.program in _NAME_LOOKUPS for check in checks)
    return failure.kind is FailureKind.NOT_FOUND or (
        failure.kind is FailureKind.ERROR
        and (not failure.message or any(map(_answers_with_text, checks)))
    )


def _is_probe(check: Check) -> bool:
    return check.program in _PROBES or bool(_PROBE_CALLS.match(check.text))


def _answers_with_text(check: Check) -> bool:
    return check.program in _NAME_LOOKUPS or bool(_PROBE_CALLS.match(check.text))
