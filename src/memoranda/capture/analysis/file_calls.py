"""Summaries of file tool calls: read, write, edit, search and listing."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace

from memoranda.capture.analysis.call_view import CallSketch, CallView, counted, quoted, shown_path
from memoranda.capture.analysis.line_numbers import without_line_numbers
from memoranda.capture.analysis.line_search import first_line, window
from memoranda.capture.analysis.output_digest import MINUS, definitions, enclosing, headings, listed
from memoranda.capture.analysis.patches import patch_in, patched_command, without_reports
from memoranda.capture.analysis.shell_calls import matched
from memoranda.capture.analysis.tool_families import PATH_MEMBERS, argument_paths
from memoranda.json_data import JsonValue
from memoranda.text import clip, one_line

_OLD = ("old_string", "old_str", "oldString", "old_text")
_NEW = ("new_string", "new_str", "newString", "new_text", "insert_text", "new_source")
_FILE_MARK = re.compile(r"^--- \S.{0,300} ---$(?<!--- End of content ---)", re.MULTILINE)
"""Line above each file in the output of a call that reads several."""
_MEDIUM = re.compile(r"\[(image|audio|video|document)\b")
_FOUND = re.compile(r"Found (\d{1,9}) (match|file|result)(?:es|s|\(s\))?\b")
_LOOK_BACK = 20_000
_CHANGED = 360
"""Maximum number of characters of changed lines in a summary."""


def read(call: CallView) -> CallSketch:
    """Describe a file read: its line range, and what the lines define."""
    path = shown_path(call.argument(*PATH_MEMBERS) or ", ".join(argument_paths(call.event.input)),
                      call.event.cwd)  # fmt: skip
    path = path or ", ".join(_patterns(call))
    label = f"Read {path}" if path else call.tool
    if not call.length:
        return CallSketch(label, extent=" (empty)")
    if call.length == 1 and (kind := _MEDIUM.match(call.output)):
        return CallSketch(label, extent=f" ({kind[1]})", details=(first_line(call.output),))
    if first_line(call.output).startswith("No files matching"):
        return CallSketch(label, "nothing found")
    start = call.input_number("offset") or call.input_number("start_line")
    files = len(_FILE_MARK.findall(call.output))
    size = counted(files, "file") if files else counted(call.length, "line")
    if start and not files:
        size = f"lines {start}\u2013{start + call.length - 1}"
    defined = definitions(call.output, path)
    details = ["defines " + listed(defined, 8)] if defined else _headed(call.output)
    rows = without_line_numbers(_first_rows(call.output), start or 1)
    return CallSketch(label, extent=f" ({size})", details=(*details, *_filled(rows)))


def _patterns(call: CallView) -> list[str]:
    """Return the path patterns of a call that reads several files."""
    arguments = call.event.input if isinstance(call.event.input, dict) else {}
    listed = next((arguments[name] for name in ("include", "paths") if arguments.get(name)), [])
    return [item for item in listed if isinstance(item, str)] if isinstance(listed, list) else []


def _first_rows(text: str) -> list[str]:
    return text[:4_000].split("\n", 12)[:12]


def _filled(rows: Iterable[str]) -> list[str]:
    return [row for row in map(str.strip, rows) if row]


def write(call: CallView) -> CallSketch:
    """Describe the writing of a whole file."""
    content = call.argument("content", "file_text", "text", "contents")
    path = shown_path(call.argument(*PATH_MEMBERS), call.event.cwd)
    fresh = call.output_member("type") == "create" or "reated" in call.output[:200]
    size = counted(content.rstrip("\n").count("\n") + 1 if content else 0, "line")
    defined = definitions(window(content), path)
    details = ["defines " + listed(defined, 8)] if defined else _headed(content[:20_000])
    note = f"new, {size}" if fresh else size
    details += _filled(_first_rows(content))
    return CallSketch(f"Write {path}", extent=f" ({note})", details=tuple(details))


def edit(call: CallView) -> CallSketch:
    """Describe a change of a file: line counts, function, and the lines."""
    arguments = call.event.input
    if call.argument("content", "file_text", "contents") and not call.argument(*_NEW):
        return write(call)
    paths = argument_paths(arguments)
    name = shown_path(paths[0], call.event.cwd) if paths else ""
    label = f"Edit {name}" if len(paths) < 2 else f"Edit {counted(len(set(paths)), 'file')}"
    removed, added, place = _changes(call)
    if not (removed or added):
        return CallSketch(label, details=tuple(paths))
    defined = definitions("\n".join(added)) or definitions("\n".join(removed))
    symbols = list(dict.fromkeys([place, *defined] if place else defined))
    where = f" in {', '.join(symbols[:2])}" if symbols else ""
    changed = [", ".join(symbols)] if len(symbols) > 2 else []
    details = (*changed, *([name] if len(paths) < 2 else paths), *_shown(removed, added))
    return CallSketch(
        label, extent=f": +{len(added)} {MINUS}{len(removed)}{where}", details=details
    )


def without_patch_reports(call: CallView) -> CallView:
    """Remove the patch program's list of changed files from the output."""
    if patched_command(call.event.input) is None:
        return call
    output = without_reports(call.output)
    gone = call.output.count("\n") - output.count("\n")
    return replace(call, output=output, length=max(call.length - gone, 0) if output else 0)


def with_patches(call: CallView, sketch: CallSketch) -> CallSketch:
    """Add a command's patches to the sketch of its other steps."""
    command = patched_command(call.event.input)
    if command is None:
        return sketch
    change = edit(call)
    extent = "" if call.failure else change.extent
    label = "; ".join(filter(None, (f"{change.label}{extent}", one_line(command.rest))))
    outcome = "" if sketch.outcome == "no output" else sketch.outcome
    return replace(sketch, label=label, outcome=outcome, details=(*change.details, *sketch.details))


def _headed(text: str) -> list[str]:
    found = headings(text)
    return [f"headings: {', '.join(found)}"] if found else []


def _shown(removed: list[str], added: list[str]) -> list[str]:
    """Return the first changed lines, and added ones early if they are long."""
    gone, come = _lines("- ", removed), _lines("+ ", added)
    if sum(map(len, (*gone, *come))) <= _CHANGED:
        return gone + come
    return [*(clip(line, _CHANGED // 3) for line in gone[:1]), *come, *gone[1:]]


def _lines(mark: str, lines: list[str], most: int = 4) -> list[str]:
    return [mark + line.strip() for line in lines if line.strip()][:most]


def _changes(call: CallView) -> tuple[list[str], list[str], str | None]:
    """Return the removed lines, the added lines, and the enclosing definition.

    The definition is the function or class around the first change.
    """
    arguments = call.event.input
    patch = patch_in(arguments) or (
        arguments if isinstance(arguments, str) else call.argument("patch", "input", "patchText")
    )
    if patch.startswith("*** ") or "\n@@" in patch[:2_000]:
        return _patch_changes(window(patch))
    removed: list[str] = []
    added: list[str] = []
    place: str | None = None
    for old, new in _pairs(arguments)[:50]:
        before, gone, come = _difference(window(old), window(new))
        if not removed and not added:
            place = _place(call, old, before, (gone or come)[:1])
        removed += gone
        added += come
    return removed, added, place


def _pairs(arguments: JsonValue) -> list[tuple[str, str]]:
    if not isinstance(arguments, dict):
        return []
    edits = arguments.get("edits")
    changes = edits if isinstance(edits, list) else [arguments]
    pairs = []
    for change in changes:
        if isinstance(change, dict):
            old = next((change[key] for key in _OLD if isinstance(change.get(key), str)), "")
            new = next((change[key] for key in _NEW if isinstance(change.get(key), str)), "")
            pairs.append((str(old), str(new)))
    return pairs


def _difference(old: str, new: str) -> tuple[str, list[str], list[str]]:
    """Split two texts into the common beginning, removed and added lines."""
    gone = old.split("\n") if old else []
    come = new.split("\n") if new else []
    least = min(len(gone), len(come))
    start = next((at for at in range(least) if gone[at] != come[at]), least)
    rest = least - start
    end = next((at for at in range(rest) if gone[-1 - at] != come[-1 - at]), rest)
    return ("\n".join(gone[:start]), gone[start : len(gone) - end], come[start : len(come) - end])


def _place(call: CallView, old: str, before: str, changed: list[str]) -> str | None:
    indent = len(changed[0]) - len(changed[0].lstrip()) if changed else 0
    inner = enclosing(before, indent)
    original = call.output_member("originalFile")
    if inner or not isinstance(original, str) or not old:
        return inner
    at = original.find(old[:2_000])
    return enclosing(original[max(0, at - _LOOK_BACK) : at], max(indent, 1)) if at > 0 else None


def _patch_changes(patch: str) -> tuple[list[str], list[str], str | None]:
    rows = patch.split("\n")
    removed = [row[1:] for row in rows if row[:1] == "-" and row[:3] != "---"]
    added = [row[1:] for row in rows if row[:1] == "+" and row[:3] != "+++"]
    hunk = next((row[2:].strip() for row in rows if row.startswith("@@ ")), "")
    place = definitions(hunk.rpartition("@@ ")[2])
    return removed, added, place[0] if place else None


def search(call: CallView) -> CallSketch:
    """Describe a search: the query, the location, and the number of results."""
    what = call.argument("pattern", "query", "regex", "search_term", "glob")
    place = call.argument("path", "dir_path", "target_directory", "include", "glob")
    name = call.tool.rpartition("__")[2]
    label = f"{name.lower()} {quoted(what)}" if what else name
    if place and place not in (what, call.event.cwd, "."):
        label += f" in {shown_path(place, call.event.cwd)}"
    names = call.output_member("filenames")
    listed_only = isinstance(names, list) and not call.output_member("content")
    output = "" if listed_only else call.output.strip("\n")
    files = [name for name in names if isinstance(name, str)] if isinstance(names, list) else []
    shown = [shown_path(path, call.event.cwd) for path in files[:12]]
    rows = output[:1_500].split("\n", 8)[:8]
    return CallSketch(label, _found(call, output, len(files)), (", ".join(shown), *rows))


def _found(call: CallView, output: str, files: int) -> str:
    """Count the results of a search, using the host's own count if available."""
    number = call.output_number("numFiles") or files
    matches = call.output_number("numMatches")
    if matches:
        return counted(matches, "match") + (f" in {counted(number, 'file')}" if number else "")
    head = first_line(output)
    if head.startswith(("No files found", "No matches found")) or not (output or number):
        return "nothing found"
    if number and (call.output_member("mode") in (None, "files_with_matches") or not output):
        return counted(number, "file")
    if match := _FOUND.match(head):
        return counted(int(match[1]), match[2])
    if head.startswith("Found "):
        return head.partition("Found ")[2][:30]
    return matched(output, call.length)


def listing(call: CallView) -> CallSketch:
    """Describe the listing of a folder."""
    path = shown_path(call.argument("path", "dir_path", "target_directory"), None)
    label = f"List {path}" if path else "List the folder"
    rows = call.output[:1_000].split("\n", 12)[:12]
    outcome = counted(call.length, "entry") if call.length else "empty"
    return CallSketch(label, outcome, tuple(rows))
