"""Digests of output: salient lines, the last lines, diffs, definitions."""

from __future__ import annotations

import re

from memoranda.capture.analysis.failure_kinds import may_have_failed
from memoranda.capture.analysis.failures import CallFailure
from memoranda.capture.analysis.line_search import (
    first_placed,
    flat,
    last_lines,
    last_placed,
    lines_with,
)
from memoranda.text import clip

MINUS = "\u2212"

_BAD = ("rror", "ERROR", "ailed", "FAIL", "xception", "atal", "FATAL", "panic")
_DOUBTFUL = ("arning", "WARN", "eprecat")
_TOTAL = ("otal", "assed", "ompleted", "uccess", "inished", "Found ")
_TOTALS_WITHIN = 800
"""Number of characters at the end that are searched for totals."""
_COUNTED = 40
"""Maximum number of lines per search string that are examined from the beginning.

Half as many lines are examined from the end.
"""
_HARMLESS = re.compile(
    r"\b(?:0|no|zero|without) (?:errors?|failures?|failed|warnings?|problems?)\b|errors?: 0\b"
    r"|failed: 0\b|failures: 0\b|for more information about",
    re.IGNORECASE,
)
_SOURCE = re.compile(
    r"\s*\d{1,7} ?[:|\t\u2192]|[+-](?![ =-]{2})|\s*(?:raise|except|return|def|class|import|from"
    r"|print\(|#|//|if|throw|catch|assert|self\.|logger\.|log\.|console\.|diff --git)\b"
)
"""Lines of source text or of a diff, which are never salient."""
_DIGITS = re.compile(r"\d+")
_DEFINITION_SIGNS = (
    "def ", "class ", "function ", "fn ", "func ", "struct ", "interface ", "trait ", "enum ",
    "=> ",
)  # fmt: skip
_LANGUAGE_SIGNS = {
    "py": ("def ", "class "), "go": ("func ", "struct ", "interface "), "rs": ("fn ", "struct ",
    "trait ", "enum "), "md": (), "json": (), "yaml": (), "yml": (), "toml": (), "txt": (),
}  # fmt: skip
_DEFINITION = re.compile(
    r"[\s\d:|+\u2192-]{0,40}(?:export |default |async |pub(?:\(crate\))? |static |public |private |"
    r"protected |abstract |final |override )*(?:(def|function\*?|fn|func|class|struct|interface"
    r"|trait|enum)\s+(?:\([^)]{0,80}\)\s*)?([A-Za-z_$][\w$]{0,80})"
    r"(?=\s{0,9}(?:[(:{<=;[]|$|extends\b|implements\b|for\b|where\b))"
    r"|const ([A-Za-z_$][\w$]{0,80}) = .{0,200}=> )"
)
_SALIENT, _HEADINGS = 4, 6
"""Maximum number of lines and of headings."""
_HEADING = re.compile(r"#{1,4} (.{1,100})$")


def salient(output: str) -> list[str]:
    """Return the significant lines of an output.

    Errors come first, then warnings, then totals; within each group, the rarest lines come first.
    Lines that differ only in numbers are merged into one, with their count.
    """
    found: dict[str, str] = {}
    seen: set[int] = set()
    for signs in (_BAD, _DOUBTFUL, _TOTAL):
        if signs is _TOTAL:
            output, seen = output[-_TOTALS_WITHIN:], set()
        if not (
            any(map(output.__contains__, signs)) if signs is not _BAD else may_have_failed(output)
        ):
            continue
        level, counts = _level(output, signs, seen)
        for shape in sorted(level, key=counts.__getitem__):
            found.setdefault(shape, level[shape] + _times(counts[shape]))
        if len(found) >= _SALIENT:
            break
    return list(found.values())[:_SALIENT]


def _times(count: int) -> str:
    if count < 3:
        return ""
    return f" (\u00d7{count})" if count < _COUNTED else f" (\u00d7{_COUNTED}+)"


def _level(
    output: str, signs: tuple[str, ...], seen: set[int]
) -> tuple[dict[str, str], dict[str, int]]:
    """Return the lines of one severity by shape, and the count of each shape."""
    placed: dict[int, str] = {}
    for sign in signs:
        if sign in output:
            placed.update(first_placed(output, sign, _COUNTED))
            if len(placed) >= _COUNTED:
                placed.update(last_placed(output, sign, _COUNTED // 2))
    level: dict[str, str] = {}
    counts: dict[str, int] = {}
    for at in sorted(placed.keys() - seen):
        line = placed[at]
        bare = flat(line)
        shape = _DIGITS.sub("#", bare)
        if shape in level or not (_SOURCE.match(line) or _is_harmless(bare)):
            counts[shape] = counts.get(shape, 0) + 1
            level.setdefault(shape, bare)
    seen.update(placed)
    return level, counts


def _is_harmless(line: str) -> bool:
    hint = "0" in line or "o " in line or "out " in line
    return hint and _HARMLESS.search(line) is not None


def shape_of(line: str) -> str:
    """Return the common form of lines that differ only in numbers."""
    return _DIGITS.sub("#", flat(line))


def ending(output: str, count: int = 1) -> list[str]:
    """Return the last lines as a terminal would show them."""
    lines = last_lines(output, count)
    return [flat(line.rstrip("\r").rpartition("\r")[2] if "\r" in line else line) for line in lines]


def failure_line(failure: CallFailure) -> str:
    """Describe a failure in one line.

    The description is the error's name and message, or else its exit code or kind.
    """
    name, message = failure.type, failure.message
    if name == "panic":
        return f"panic: {message}"
    if name and message and not message.startswith(name):
        return f"{name}: {message}" if name[0].isupper() else f"{message} [{name}]"
    if name or message:
        return message or name or ""
    if failure.exit_code is not None:
        return f"exit code {failure.exit_code}"
    return failure.kind.value.replace("_", " ")


def diff_counts(text: str) -> str | None:
    """Return the line counts and file names of a unified diff, or None."""
    if "\n@@ " not in text or "+++ " not in text:
        return None
    added = text.count("\n+") - text.count("\n+++")
    removed = text.count("\n-") - text.count("\n---")
    paths = [line[4:].split("\t")[0] for line in lines_with(text, "+++ ", 100)
             if line.startswith("+++ ")]  # fmt: skip
    first = paths[0].rpartition("/")[2] if paths else ""
    where = first if len(paths) == 1 else f"{len(paths)} files"
    return f"+{added} {MINUS}{removed} in {where}" if paths else None


def definitions(text: str, path: str = "", most: int = 12) -> list[str]:
    """Return the functions and classes that source text defines, in order.

    Functions are followed by (). The file extension of ``path`` determines the language; without
    one, every known language is searched.
    """
    placed: dict[int, str] = {}
    for sign in _LANGUAGE_SIGNS.get(path.rpartition(".")[2], _DEFINITION_SIGNS):
        if sign not in text:
            continue
        for at, line in last_placed(text, sign, 30):
            match = _DEFINITION.match(line)
            if match:
                placed[at] = _symbol(match)
    return list(dict.fromkeys(placed[at] for at in sorted(placed)))[:most]


def enclosing(text: str, indent: int) -> str | None:
    """Return the function or class that encloses the end of a source text.

    The definition is found by indentation.
    """
    best: tuple[int, str] | None = None
    for sign in _DEFINITION_SIGNS:
        for at, line in last_placed(text, sign, 12):
            match = _DEFINITION.match(line)
            inner = len(line) - len(line.lstrip()) < indent
            if match and inner and (best is None or at > best[0]):
                best = (at, _symbol(match))
    return best[1] if best else None


def _symbol(found: re.Match[str]) -> str:
    name = found[2] or found[3]
    is_type = found[1] in ("class", "struct", "interface", "trait", "enum")
    return name if is_type else f"{name}()"


def headings(text: str) -> list[str]:
    """Return the headings of a Markdown text."""
    matches = [_HEADING.match(line) for line in lines_with(text, "# ", 40)]
    return [mark[1] for mark in matches if mark][:_HEADINGS]


def listed(words: list[str], most: int) -> str:
    """Join the first ``most`` items, and append how many were omitted."""
    more = f", +{len(words) - most}" if len(words) > most else ""
    return ", ".join(clip(word, 90) for word in words[:most]) + more
