"""Tags, files, identifiers and target of an event.

All functions are pure functions of one event and its readable text. Only the head and tail of long
texts are read.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import accumulate, takewhile

from memoranda.capture.analysis.canonical_command import same_again, short_hash
from memoranda.capture.analysis.command_activities import activities
from memoranda.capture.analysis.diagnostics import is_foreign
from memoranda.capture.analysis.failures import CallFailure, FailureKind, split_call
from memoranda.capture.analysis.line_search import window
from memoranda.capture.analysis.patches import patch_folder, patched_command, patched_files
from memoranda.capture.analysis.paths import (
    absolute,
    command_paths,
    diagnosed_paths,
    language_of,
    relative,
)
from memoranda.capture.analysis.test_runs import failing_tests
from memoranda.capture.analysis.tool_families import (
    PATH_MEMBERS,
    argument_paths,
    command_line,
    family,
    member,
    slug,
)
from memoranda.capture.event import REFUSAL, Event, EventKind, EventSource
from memoranda.capture.hosts.message_separation import ENVELOPE
from memoranda.json_data import dump_json
from memoranda.language.lexemes import CJK
from memoranda.language.shell import CommandLine, parse
from memoranda.language.words import word_set
from memoranda.observations.content import RECALLED
from memoranda.observations.model import ObservationType

MAX_TAGS = 12
MAX_TEST_TAGS = 5
MAX_FILES = 20
MAX_IDENTIFIERS = 400
MAX_IDENTIFIER_CHARACTERS = 8_000

_TOOL_ACTIVITIES = frozenset(("read", "edit", "search", "web", "plan"))

# --- target -------------------------------------------------------------------------------------

_VOLATILE = word_set(
    "description timeout timeout_ms limit offset run_in_background head_limit output_mode -n -A -B"
    " -C context workdir yield_time_ms max_output_tokens justification explanation"
)


def target(event: Event, root: str | None = None) -> str | None:
    """Return the target of a call, None for messages.

    A successful call on a target resolves an earlier error on it. Two calls have equal targets if
    one is a retry of the other: the same command with any verbosity, the same file in the same
    family of tools, otherwise the same input. For a command, the target includes the folder if the
    folder differs from ``root``.
    """
    if event.tool is None:
        # No tool call may resolve an error that was recorded manually; only another record may.
        is_error = event.kind is EventKind.ERROR or event.type is ObservationType.ERROR
        is_recorded_error = is_error and event.source is EventSource.API
        return f"recorded {event.key}" if is_recorded_error else None
    kind = family(event)
    line = command_line(event)
    if line:
        command = parse(line)
        place = _place(command, event, root)
        return f"shell {same_again(command, event.cwd)}" + (f" @ {place}" if place else "")
    path = member(event.input, *PATH_MEMBERS) or next(iter(patched_files(event.input)), "")
    if path and kind in ("read", "edit", "list"):
        return f"{kind} {absolute(path, _folder(event))}"
    arguments = event.input
    if isinstance(arguments, dict):
        arguments = {key: value for key, value in arguments.items() if key not in _VOLATILE}
    return f"{slug(event.tool)} {short_hash(dump_json(arguments))}"


def _place(command: CommandLine, event: Event, root: str | None) -> str:
    """Return the folder of a command relative to the root, empty for the root."""
    base, top = _folder(event), root or event.cwd
    if command.folder:
        base = absolute(command.folder, base)
    place = relative(base, None, absolute(top, None) if top else None) if base else ""
    return "" if place == "." else place


# --- files --------------------------------------------------------------------------------------


def files(event: Event, text: str, root: str | None) -> tuple[str, ...]:
    """Return the paths of an event, at most 20.

    They are taken from the caller's list, the tool's input, its command and diagnostics in its
    output; relative to ``root`` when inside the root, absolute otherwise, with ``/`` and without
    ``..``. Files of libraries and interpreters are left out, unless they were edited.
    """
    kind = family(event) if event.tool else ""
    line = command_line(event) if event.tool else ""
    base = _folder(event)
    root = absolute(root, None) if root else None
    found = {relative(path, base, root): None for path in event.files}
    paths = argument_paths(event.input)
    for path in paths:
        if kind == "edit" or not is_foreign(path):
            found[relative(path, base, root)] = None
    command = parse(line) if line else None
    if command and command.folder:
        base = absolute(command.folder, base)
    for path in command_paths(command) if command else ():
        if not is_foreign(path):
            found[relative(path, base, root)] = None
    if _is_stated(event):
        found |= {relative(path, base, root): None for path in _named(text)}
    if _has_diagnostics(kind, command):
        for path in diagnosed_paths(window(split_call(text, event.tool)[1])):
            if not is_foreign(path):
                found[relative(path, base, root)] = None
    found.pop(".", None)
    found.pop("", None)
    return tuple(found)[:MAX_FILES]


def _is_stated(event: Event) -> bool:
    """Return whether an event is an API caller's report that lists files.

    Messages do not count: mentioning a file does not mean that it was touched.
    """
    if event.tool is not None or event.source is not EventSource.API:
        return False
    return event.kind is EventKind.ERROR or event.type not in (None, ObservationType.MESSAGE)


def _named(text: str) -> Iterator[str]:
    """Yield the source files that are named in a text."""
    for match in _FILE_NAME.finditer(window(text)):
        if language_of(match[0]) and not is_foreign(match[0]):
            yield match[0]


def _folder(event: Event) -> str | None:
    """Return the base folder of relative paths in the input."""
    base = event.cwd
    for moved in (member(event.input, "workdir"), patch_folder(event.input)):
        base = absolute(moved, base) if moved else base
    return base


def _has_diagnostics(kind: str, command: CommandLine | None) -> bool:
    if command is not None:
        first = command.steps[0].words[:2] if command.steps else ()
        return not command.shows or first in (("git", "diff"), ("git", "show"))
    return kind in ("shell", "edit", "other", "")


# --- tags ---------------------------------------------------------------------------------------

_TEST_PARAMETER = re.compile(r"\[.{0,200}\]$")


CUT = "cut"
"""Tag of an event whose output is incomplete."""
_FILE_NAME = re.compile(r"(?<![\w./@:-])(?:[\w.@-]{1,80}/){0,20}[\w.@-]{1,80}\.\w{1,8}(?!\w)")


KEPT = frozenset({CUT, ENVELOPE, RECALLED, REFUSAL})
"""Event tags that are kept as tags of the observation."""


def tags(event: Event, text: str, failure: CallFailure | None) -> tuple[str, ...]:
    """Return the tags by which an event can be filtered, sorted.

    The tags are those that an API caller set, and at most 12 that are derived from the event: the
    kind of failure, activity (test, git, build …), languages, the tool, names of failing tests, and
    whether the output was cut or the host wrote the message.
    """
    own = event.tags if event.source is EventSource.API else ()
    found: dict[str, None] = dict.fromkeys(tag for tag in event.tags if tag in KEPT)
    if failure:
        found[failure.kind.value] = None
    command = None
    if event.tool:
        kind = family(event)
        found[slug(event.tool)] = None
        if kind in _TOOL_ACTIVITIES:
            found[kind] = None
        if patched_command(event.input):
            found["edit"] = None
        line = command_line(event)
        command = parse(line) if line else None
    paths = [*argument_paths(event.input), *event.files]
    if _is_stated(event):
        paths += _named(text)
    if command:
        for step in command.steps:
            found.update(dict.fromkeys(activities(step)))
        paths += command_paths(command)
    found.update(dict.fromkeys(language for path in paths if (language := language_of(path))))
    tested = _tested(command) if command else []
    if failure and ("test" in found or failure.kind is FailureKind.TEST):
        found["test"] = None
        tested = [*failing_tests(text, MAX_TEST_TAGS), *tested]
    words = list(found)[: MAX_TAGS - MAX_TEST_TAGS] if tested else list(found)[:MAX_TAGS]
    words += [f"test:{name}" for name in dict.fromkeys(map(_short_test, tested))][:MAX_TEST_TAGS]
    return tuple(sorted({tag.lower() for tag in (*own, *words) if tag}))


def _tested(command: CommandLine) -> list[str]:
    return [word for step in command.steps for word in step.words[1:] if ".py::" in word]


def _short_test(name: str) -> str:
    short = name.rpartition("::")[2] if ".py::" in name else name
    short = _TEST_PARAMETER.sub("", short).replace(" \u203a ", ".").replace(" > ", ".")
    return short.replace(" ", "-")[:100]


# --- identifiers --------------------------------------------------------------------------------

_CJK = CJK + "\uf900-\ufaff\u3005"
_WORD_OR_CJK = re.compile(rf"[A-Za-z0-9_.\-]+|[{_CJK}]{{1,40}}")
_WORD_BYTES = frozenset(b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-")
_SPACED = bytes(byte if byte in _WORD_BYTES else 32 for byte in range(256))
"""Translation table that replaces bytes outside words with spaces."""
_NOT_LEADING = bytes(byte for byte in range(256) if not 0xE3 <= byte <= 0xED)
"""All bytes except the first bytes of CJK characters in UTF-8."""

_MAX_WORD_LENGTH = 120
_IDENTIFIER = re.compile(
    r"[A-Za-z][A-Za-z-]*[0-9_][\w.-]*"  # snake_case, CONSTANT_CASE, E0308, sha256, claude-3, v1.2
    r"|[A-Za-z](?=.{3})[A-Za-z-]*\.[\w.-]*"  # dotted.names, files.py; not e.g
    r"|[a-z]+[A-Z][\w.-]*|[A-Z]+[a-z]+[A-Z][\w.-]*|[A-Z]{2,}[a-z][\w.-]*"  # camelCase, HTTPServer
    r"|_+[A-Za-z][\w.-]*"
    r"|[0-9]+\.[0-9]+\.[0-9][\w.-]*"  # versions
    r"|[0-9](?=[0-9]*[a-f])[0-9a-f]{6,63}"  # abbreviated hashes
    r"|[0-9](?=[0-9-]*[A-Za-z])[0-9A-Za-z]+-[0-9A-Za-z-]{5,}"  # UUIDs
    r"|E(?:NOENT|ACCES|PERM|EXIST|NOTDIR|ISDIR|INVAL|PIPE|CONNREFUSED|CONNRESET|ADDRINUSE|NOTFOUND"
    r"|NOSPC|MFILE|BUSY|AGAIN|NOMEM|RESOLVE|LIFECYCLE|TIMEDOUT)|SIG(?:KILL|SEGV|TERM|ABRT|INT)"
    rf"|[{_CJK}]+"
)
"""Pattern of identifiers.

Each alternative of the pattern begins with a class of first characters, so that other positions
fail fast.
"""


def identifiers(text: str) -> tuple[str, ...]:
    """Return distinct words that people search for exactly, in order.

    At most 400 words and 8,000 characters: names in code in every case style, dotted names and file
    names, versions, hashes, error codes; and runs of Chinese, Japanese and Korean characters in
    pieces of at most 40.
    """
    words = dict.fromkeys(_words(window(text)))
    rare = [
        word.strip(".-")
        for word in words
        if not ((word.isalpha() and (word.islower() or word.istitle())) or word.isdigit())
    ]
    named = filter(_IDENTIFIER.fullmatch, dict.fromkeys(rare))
    found = [word for word in named if len(word) <= _MAX_WORD_LENGTH][:MAX_IDENTIFIERS]
    if sum(map(len, found)) > MAX_IDENTIFIER_CHARACTERS:
        lengths = accumulate(map(len, found))
        fits = takewhile(lambda total: total <= MAX_IDENTIFIER_CHARACTERS, lengths)
        found = found[: len(list(fits))]
    return tuple(found)


def _words(text: str) -> list[str]:
    text = text.replace("..", "  ")
    if not text.isascii() and text.encode("utf-8", "replace").translate(None, _NOT_LEADING):
        return _WORD_OR_CJK.findall(text)
    return text.encode("ascii", "replace").translate(_SPACED).decode("ascii").split()
