"""Detection of failures in tool output: their kind, type and message.

Every check searches for a fixed string and then matches a pattern on one bounded line, and only the
head and tail of the text are searched, so that even hostile output takes linear time.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

from memoranda.capture.analysis.diagnostics import compiler, linter, panic, thrown, traceback
from memoranda.capture.analysis.failure_kinds import (
    FailureKind,
    Finding,
    http_status,
    kind_of,
    may_have_failed,
)
from memoranda.capture.analysis.line_search import LINE, first_line, last_lines, lines_with, window
from memoranda.capture.analysis.patches import BEGIN, patch_end
from memoranda.capture.analysis.test_runs import failed_run
from memoranda.language.shell import CommandLine, command_end, parse
from memoranda.language.words import word_set
from memoranda.observations.content import past_arguments
from memoranda.text import clip, one_line, strip_ansi

__all__ = ["CallFailure", "FailureKind", "failure", "failure_in"]

MESSAGE_LIMIT = 300

_Rule = Callable[[str, bool], Finding | None]

SHOWING_TOOLS = word_set(
    "read grep glob ls search find view readfile readmanyfiles listdirectory listdir listfiles"
    " searchfilecontent grepsearch filesearch codebasesearch notebookread websearch webfetch"
    " toolsearch viewfile findfile searchdir searchfile googlewebsearch semanticsearch"
)
"""Tools that show existing text, by `plain_name`.

An error in their output is content, not a failure of the tool.
"""

_LAST_SIGNS = (
    "not found", "fatal", "No such", "denied", "Killed", "imed out", "egmentation", " memory",
    "curl: (", "recognized", "erminated", "signal: ", "annot ", "sh: ", "E: ", " directory",
    "invalid", "permitted", "nable", "Unknown", "Aborted", "nterrupt", "xpired", "xit ", "CONFLICT",
    "reformat",
)  # fmt: skip
_LAST = 1_200
"""Number of characters at the end that are searched for a shell's error message."""


@dataclass(frozen=True, slots=True)
class CallFailure:
    """Failure of a tool call."""

    kind: FailureKind
    type: str | None
    """Name or code of the error: KeyError, E0308, TS2322."""
    message: str
    """One line, at most 300 characters; may be empty."""
    exit_code: int | None


def failure(text: str, tool: str | None, failed: bool) -> CallFailure | None:
    """Find the failure in the readable text of a tool call.

    ``text`` is the call followed by its output. ``failed`` is the host's report and is trusted.
    Without such a report, only strong evidence counts: a test runner's count of failures, a
    compiler's error, a traceback or a shell's error message at the end. A call that only shows text
    (Read, Grep, cat, git diff …) counts as failed only if its own tool reports an error.
    """
    call, output = split_call(text, tool)
    command = parse(call[2:]) if call.startswith("$ ") else None
    return failure_in(output, tool, failed, command)


def plain_name(tool: str | None) -> str:
    """Return a tool's name without server, case and separators.

    mcp__fs__read_file becomes readfile.
    """
    name = tool or ""
    if not name.isalnum():
        name = name.rpartition("__")[2].replace("_", "").replace("-", "")
    return name.lower()


def split_call(text: str, tool: str | None) -> tuple[str, str]:
    """Split the call line from the output.

    A here-document or a patch belongs to the call.
    """
    end = text.find("\n")
    patch = text.find(BEGIN, 0, end if end >= 0 else None)
    if patch >= 0 and text.startswith((f"$ {BEGIN}", f"{tool} {BEGIN}")):
        end = patch_end(text, patch)
        return text[:end], text[end + 1 :]
    if text.startswith("$ "):
        end = command_end(text)
        return (text, "") if end < 0 else (text[:end], past_arguments(text[end + 1 :]))
    if not tool or not text.startswith(tool):
        return "", text
    return (text, "") if end < 0 else (text[:end], text[end + 1 :])


def failure_in(
    output: str, tool: str | None, failed: bool, command: CommandLine | None
) -> CallFailure | None:
    """Find the failure in an output without its call; see `failure`."""
    if plain_name(tool) in SHOWING_TOOLS:
        rules = _SHOWN_RULES if failed else ()
    else:
        rules = _SHOWN_RULES if command and command.shows else _RULES
    return _remembered(window(output), rules, failed)


def _found(output: str, rules: tuple[_Rule, ...], failed: bool) -> CallFailure | None:
    if not failed and not (rules and _suspicious(output)):
        return None
    code, body = exit_header(strip_ansi(output))
    failed = failed or bool(code)
    finding = next((found for rule in rules if (found := rule(body, failed))), None)
    if finding is None:
        if not failed:
            return None
        nothing = rules is _SHOWN_RULES and code == 1 and not body.strip()
        finding = (FailureKind.NOT_FOUND, None, "no output") if nothing else _unknown(body, code)
    kind, name, message = finding
    if code is None:
        code = _exit_code(body)
    return CallFailure(kind, name, clip(one_line(message), MESSAGE_LIMIT), code)


_remembered = lru_cache(maxsize=4)(_found)
"""Cached result, since an observation's tags, summary and type all need it."""


def _suspicious(output: str) -> bool:
    """Return whether an output may contain evidence, by a fast pre-check."""
    if may_have_failed(output):
        return True
    last = "\n".join(output[-_LAST:].rstrip().rsplit("\n", 2)[-2:])
    return any(map(last.__contains__, _LAST_SIGNS))


# --- exit codes ---------------------------------------------------------------------------------

_HEADS = ("Exit code", "Error: Exit code", "Process exited with code", "Chunk ID:", "Wall time:")
_HEAD_CODE = re.compile(r"(?:Exit code:?|Process exited with code) (-?\d{1,6})\b")
_CODE = re.compile(
    r"exit(?:ed)?(?: with)?(?: code| status)?[:= ]{1,2}(-?\d{1,5})\b"
    r"|exit status:? (\d{1,5})\b|make(?:\[\d+\])?: \*\*\* .{0,300}Error (\d{1,3})",
    re.IGNORECASE,
)


def exit_header(output: str) -> tuple[int | None, str]:
    """Split the host's exit line from the output below it.

    Hosts write the exit line above the output of a command that has ended.
    """
    if not output.startswith(_HEADS):
        return None, output
    mark = output.find("\nOutput:\n", 0, 400)
    head = output[:mark] if mark >= 0 else output[:400].partition("\n")[0]
    match = _HEAD_CODE.search(head)
    if match is None:
        return None, output
    return int(match[1]), output[mark + 9 :] if mark >= 0 else output[len(head) + 1 :]


def _exit_code(body: str) -> int | None:
    if "xit" not in body and "make" not in body:
        return None
    for line in last_lines(body, 4)[::-1]:
        match = _CODE.search(line)
        if match:
            return int(match[match.lastindex or 0])
    return None


# --- hosts, shells, version control -------------------------------------------------------------

_REFUSALS = (
    ("doesn't want to proceed", FailureKind.DENIED),
    ("has been denied", FailureKind.DENIED),
    ("tool use was rejected", FailureKind.DENIED),
    ("haven't granted it yet", FailureKind.DENIED),
    ("was blocked", FailureKind.DENIED),
    ("blocked by hook", FailureKind.DENIED),
    ("[Request interrupted by user", FailureKind.INTERRUPTED),
    ("interrupted by user", FailureKind.INTERRUPTED),
    ("Command was aborted", FailureKind.INTERRUPTED),
)
_COMPLAINT = re.compile(
    r"(?:\S{0,60}/)?(?:ba|z|da|k|a)?sh: (?:line )?(?:\d+: )?(.{1,300})$"
    r"|(\w[\w.+-]{0,40}: (?:cannot|can't|could not|unable|invalid|unrecognized).{0,300}"
    r"|\w[\w.+-]{0,40}: .{0,300}: (?:No such file or directory|Permission denied|not found"
    r"|Is a directory|Not a directory|Operation not permitted))$"
    r"|(curl: \(\d+\) .*)$|(fatal: .*)$|(ERROR: .*)$|(E: .*)$"
    r"|(.{1,200} is not recognized as an internal or external command.*)$"
    r"|(fish: Unknown command.*)$"
)
_OWN_COMPLAINT = re.compile(
    r"(?:\S{0,60}/)?(?:ba|z|da)?sh: |(?:cat|ls|head|tail|[ef]?grep|rg|sed|awk|find|less|wc): "
    r"|fatal: (?:not a git|ambiguous arg|bad rev|path|your current)|File \S{1,200} not found$"
)
_STOPPED = re.compile(
    r"(?:.{0,200}\s)?(Killed|Segmentation fault|Terminated|Out of memory|Aborted)"
    r"(?: \(core dumped\)|\s+\S.{0,200})?$|(.{0,200}heap out of memory.*)$"
    r"|(Command timed out.*)$|(.{0,200}signal: (?:killed|terminated).*)$"
)
_STOPS = ("Killed", "fault", "erminated", " memory", "Aborted", "imed out", "signal: killed")
_MERGE = re.compile(r"CONFLICT \(|Automatic merge failed|error: could not apply")


def _refused(body: str, failed: bool) -> Finding | None:
    head = body[:400] if failed else body[:30]
    for words, kind in _REFUSALS:
        if words in head:
            return kind, None, first_line(head)
    at = body.find("Your proposed edit has introduced")
    if at == 0 or body[max(at - 1, 0) : max(at, 0)] == "\n":
        found = lines_with(body[at : at + 2_000], "- ", 1)
        name, _, message = found[0].lstrip("- ").partition(" ") if found else ("", "", "")
        return FailureKind.SYNTAX, name or None, message or first_line(body[at:])
    return None


def _shell(body: str, failed: bool) -> Finding | None:
    if "CONFLICT (" in body or "Automatic merge failed" in body:
        for line in lines_with(body, "CONFLICT (") or lines_with(body, "Automatic merge failed"):
            if _MERGE.match(line):
                return FailureKind.MERGE, None, line
    for line in last_lines(body, 12 if failed else 2)[::-1]:
        # the shell quotes the text it could not parse; the reason is on a line above
        if ": `" in line:
            continue
        match = _COMPLAINT.match(line) if ": " in line or "recognized" in line else None
        if match is None and any(word in line for word in _STOPS):
            match = _STOPPED.match(line)
        if match and match.lastindex:
            is_stop = match.re is _STOPPED
            return kind_of(line), None, line if is_stop else match[match.lastindex]
    return None


def _shown(body: str, failed: bool) -> Finding | None:
    """Find the error of a command that only displays text.

    Unless ``failed``, the error must be the entire output.
    """
    lines = last_lines(body[-2_000:], 3)
    if not failed and (len(lines) > 2 or not _OWN_COMPLAINT.match(lines[-1] if lines else "")):
        return None
    return _shell(body, True) or (kind_of(lines[-1]), None, lines[-1]) if lines else None


# --- other failures -----------------------------------------------------------------------------

_TELLING = (
    "rror:", "rror ", "ERROR", "atal", "ailed", "annot ", "nable to", "nvalid ", "issing",
    "not found", "not been", "not exist", "denied",
)  # fmt: skip
_BY_CODE = {
    124: FailureKind.TIMEOUT,
    126: FailureKind.PERMISSION,
    127: FailureKind.COMMAND,
    130: FailureKind.INTERRUPTED,
    137: FailureKind.MEMORY,
}


def _unknown(body: str, code: int | None) -> Finding:
    """Describe a failure without known evidence by its most relevant line."""
    if "tool_use_error" in body:
        body = body.replace("<tool_use_error>", "").replace("</tool_use_error>", "")
    ending = last_lines(body, 12)
    if not ending:
        return _BY_CODE.get(code or 0, FailureKind.ERROR), None, ""
    telling = [line for line in ending if any(word in line for word in _TELLING)]
    line = (telling[-1] if telling else ending[0 if len(ending) <= 3 else -1]).strip()
    kind = kind_of(line)
    status = http_status(line[:LINE].lower())
    if kind is FailureKind.ERROR and not telling:
        kind = _BY_CODE.get(code or 0, kind)
    return kind, f"HTTP {status}" if status else None, line


_RULES: tuple[_Rule, ...] = (
    _refused, failed_run, traceback, compiler, linter, panic, thrown, _shell,
)  # fmt: skip
_SHOWN_RULES: tuple[_Rule, ...] = (_refused, _shown)
