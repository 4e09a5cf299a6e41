"""Summaries of shell calls: the shortened command and its result."""

from __future__ import annotations

import re
from collections.abc import Mapping

from memoranda.capture.analysis.call_view import CallSketch, CallView, counted
from memoranda.capture.analysis.command_activities import activities
from memoranda.capture.analysis.line_search import first_line, lines_with
from memoranda.capture.analysis.output_digest import (
    definitions,
    diff_counts,
    ending,
    listed,
    salient,
    shape_of,
)
from memoranda.capture.analysis.patches import patched_command
from memoranda.language.shell import ENTERED
from memoranda.text import clip, one_line

_ROOM = 380
"""Maximum number of characters of an output that is shown in full."""

_WAY_THERE = re.compile(ENTERED)
_TRIMMINGS = re.compile(
    r"\s+2>&1|\s+2>\s?/dev/null|\s*\|\s*(?:tail|head)(?: -n)?(?: -?\d+)?\s*$|\s*\|\|\s*true\s*$"
    r"|;\s*echo\s[^;|&]{0,80}\$\?[^;|&]{0,20}$"
)
_HEREDOC = re.compile(r"<<-?\s?['\"]?\w{1,40}['\"]?")
_STATED = re.compile(r"(?:Found \d+ .{1,40}?|No (?:matches|files?) found)(?= for| in|:|\.|$)")
_STATED_FILE = re.compile(r"\[File: (?:.{0,300}/)?(.{1,100}) \((\d{1,9}) lines total\)\]")
_SENTENCE = re.compile(r"(.{8,60}?[.!])(?:\s|$)")
_WORDY = re.compile(r"[^\W\d_]{2}")
_LISTING = frozenset(("ls", "find", "fd", "tree", "git ls-files"))


def shell(call: CallView) -> CallSketch:
    """Describe a shell command and its result."""
    output = call.output.strip("\n")
    return CallSketch(shown_command(call), _outcome(call, output), tuple(_details(call, output)))


def shown_command(call: CallView) -> str:
    """Format a command for reading, with its folder and pipes.

    Here-documents are omitted.
    """
    line = call.line.strip()
    if call.command and call.command.folder:
        way = _WAY_THERE.match(line)
        line = line[way.end() :] if way else line
    if "\n" in line[:4_000]:
        line = _first_command(line[:4_000], call)
    if "|" in line or "2>" in line or "$?" in line:
        line = _TRIMMINGS.sub("", _TRIMMINGS.sub("", line[:1_000])) or line
    return one_line(line[:1_000])


def _first_command(line: str, call: CallView) -> str:
    rows = [row for row in line.split("\n") if row.strip()]
    spoken = [row for row in rows if not row.lstrip().startswith("#")] or rows
    head = spoken[0]
    if call.command and call.command.documents:
        count = counted(call.command.documents.count("\n") + 1, "line")
        return f"{_HEREDOC.sub('', head, count=1)} ({count})"
    whole = head.count("'") % 2 == 0 and head.count('"') % 2 == 0 and not head.endswith("\\")
    return f"{head} …" if whole and len(spoken) > 1 else " ".join(spoken)


def _outcome(call: CallView, output: str) -> str:
    if call.counts:
        return written(call.counts)
    if not call.length:
        return "no output"
    first = first_line(output)
    match = _STATED.match(first)
    if match:
        return match[0]
    opened = _STATED_FILE.match(first)
    if opened:
        size = counted(int(opened[2]), "line")
        return size if opened[1] in call.line[:400] else f"{opened[1]}, {size}"
    if "@@ " in output and (changed := diff_counts(f"\n{output}")):
        return changed
    if call.command and call.command.shows and (shown := _shown(call, output)):
        return shown
    return _end_state(call, output)


def written(counts: Mapping[str, int]) -> str:
    """Format test counts as test runners do: 1 failed, 3 passed."""
    return ", ".join(
        f"{number} {'error' if name == 'errors' and number == 1 else name}"
        for name, number in counts.items()
    )


def _shown(call: CallView, output: str) -> str:
    """Count a command's shown output by the kind of the last step."""
    steps = call.command.steps if call.command else ()
    main = next((step for step in steps if step.program not in ("cd", "echo", "pwd")), steps[-1])
    name = main.program
    if call.length == 1 and name not in ("ls", "find"):
        return clip(one_line(output), 60)
    if "search" in activities(main) and name not in _LISTING:
        return matched(output, call.length)
    if name in _LISTING:
        return counted(call.length, "entry")
    if name == "git" and "status" in main.words:
        return _git_status(output)
    if name == "git" and "log" in main.words:
        commits = len(lines_with(output, "commit ", 1_000)) if output[:7] == "commit " else 0
        return counted(commits or call.length, "commit")
    return counted(call.length, "line")


def matched(output: str, length: int) -> str:
    """Count matches, and files if each line names one."""
    lines = output[:200_000].split("\n", 2_000)[:2_000]
    heads = [line.partition(":")[0] for line in lines if ":" in line]
    named = {head for head in heads if "." in head or "/" in head}
    if named and len(heads) == len(lines) and not any(" " in head for head in named):
        return f"{counted(length, 'match')} in {counted(len(named), 'file')}"
    return counted(length, "match")


def _git_status(output: str) -> str:
    if "nothing to commit" in output:
        return "clean"
    rows = output[:20_000].split("\n")
    changed = [row for row in rows if row[:1] in " MADRU?\t" and row.strip()]
    return f"{len(changed)} changed" if changed else counted(output.count("\n") + 1, "line")


def _end_state(call: CallView, output: str) -> str:
    last = (ending(output) or [""])[0]
    if call.length == 1 or (_WORDY.search(last) and len(last) <= 160):
        sentence = _SENTENCE.match(last) if len(last) > 46 else None
        return sentence[1] if sentence else last
    return counted(call.length, "line")


def _details(call: CallView, output: str) -> list[str]:
    """Return the lines of a short output, or an excerpt of a long one.

    The excerpt contains the significant lines, the beginning and the end.
    """
    about = call.argument("description")
    details = [about] if about and len(call.line) > 60 else []
    details += written_lines(call)
    if "@@ " in output and diff_counts(f"\n{output}"):
        return details + _changed_lines(output)
    if call.command and call.command.steps and call.command.steps[-1].program in _LISTING:
        return [*details, ", ".join(output[:1_000].split("\n"))]
    if len(output) <= _ROOM:
        return details + output.split("\n")
    if call.command and call.command.shows:
        defined = definitions(output)
        details += ["defines " + listed(defined, 8)] if len(defined) > 1 else []
        return details + [one_line(line) for line in output[:2_000].split("\n", 6)[:6]]
    telling = salient(output)
    head = [one_line(line[:200]) for line in output[:1_000].split("\n", 3)[:3]]
    if telling:
        shapes = {shape_of(line.partition(" (\u00d7")[0]) for line in telling}
        head = [line for line in head if shape_of(line) not in shapes]
    return [*details, *telling, *ending(output, 1 if telling else 3), *head]


def _changed_lines(diff: str) -> list[str]:
    """Return the files of a diff and its first changes."""
    paths = [line[6:] for line in lines_with(diff, "+++ b/", 20)]
    rows = [row for row in diff[:8_000].split("\n")
            if row[:1] in "+-" and row[:3] not in ("+++", "---") and len(row) > 3]  # fmt: skip
    return [", ".join(paths), *rows[:8]]


def written_lines(call: CallView) -> list[str]:
    """Return the definitions in a multi-line command, or its first lines."""
    if "\n" not in call.line or patched_command(call.event.input):
        return []
    documents = call.command.documents if call.command else ""
    body = (documents or call.line.partition("\n")[2])[:8_000]
    defined = definitions(body)
    rows = [row.strip() for row in body.split("\n", 8)[:8]]
    begun = [f"+ {row}" for row in rows if len(row) > 3 and row[:1] != "#"][:2]
    return ["defines " + listed(defined, 6)] if defined else begun
