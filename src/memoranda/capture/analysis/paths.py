"""Paths in commands and diagnostics, made relative to a workspace."""

from __future__ import annotations

import posixpath
import re

from memoranda.capture.analysis.failure_kinds import may_have_failed
from memoranda.capture.analysis.line_search import lines_with
from memoranda.language.shell import CommandLine
from memoranda.language.words import word_set

_LANGUAGES = {
    ending: language
    for language, endings in {
        "python": "py pyi ipynb pyx", "javascript": "js jsx mjs cjs", "typescript": "ts tsx mts",
        "rust": "rs", "go": "go", "java": "java", "kotlin": "kt kts", "c": "c h",
        "cpp": "cc cpp cxx hpp hh", "csharp": "cs", "ruby": "rb", "php": "php", "swift": "swift",
        "scala": "scala", "shell": "sh bash zsh", "sql": "sql", "html": "html htm",
        "css": "css scss less", "vue": "vue", "svelte": "svelte", "lua": "lua", "perl": "pl pm",
        "elixir": "ex exs", "haskell": "hs", "dart": "dart", "r": "r", "julia": "jl",
        "zig": "zig", "terraform": "tf", "markdown": "md mdx rst",
    }.items()
    for ending in endings.split()
}  # fmt: skip
MAX_WORDS = 60
"""Maximum number of words of a step that are examined."""

_ENDINGS = _LANGUAGES.keys() | word_set(
    "json jsonl yaml yml toml ini cfg conf txt csv tsv lock xml log env proto gradle sqlite db"
    " diff patch tex svg png jpg pdf properties sum mod"
)
_NAMED = word_set(
    "Makefile Dockerfile Justfile Gemfile Rakefile Procfile Jenkinsfile .gitignore .env"
)
_NOT_PATH = re.compile(r"[*?$^|()\[\]{}<>;,!\"'`\s\\#%]|://|^-|^/dev/|^s/|//")
_DRIVE = re.compile(r"[A-Za-z]:[\\/]")
_LOCATED = re.compile(r":(?<=[A-Za-z]:)\d+")
_QUOTED_FILE = re.compile(r"\s*File \"([^\"<]{1,400})\", line \d")
_DIFFED = re.compile(r"diff --git a/\S{1,400} b/(\S{1,400})")
_TSC = re.compile(r"(\S{1,300})\(\d+,\d+\): error")
_CONFLICT = re.compile(r"CONFLICT \(.{1,60} (\S{1,300})$")
_TEST_PLACE = re.compile(r"(?:FAILED|ERROR) ([^\s:]{1,300}\.py)\b")
_POINTERS = (
    ('File "', _QUOTED_FILE), ("diff --git", _DIFFED), ("): error", _TSC),
    ("FAILED ", _TEST_PLACE), ("ERROR ", _TEST_PLACE), ("CONFLICT (", _CONFLICT),
)  # fmt: skip
"""References to a file other than ``file:line``: marker and parser."""


def command_paths(command: CommandLine) -> list[str]:
    """Return the words of a command that are paths of files."""
    paths: list[str] = []
    for step in command.steps:
        arguments = step.words[1 : MAX_WORDS + 1]
        words = [word for text in arguments for word in (text, *_option_value(text))]
        if "/" in step.program:
            words.insert(0, step.program)
        words += [path for path in step.writes if path != "/dev/null"]
        paths += [path for word in words if (path := as_path(word))]
    return paths


def _option_value(word: str) -> list[str]:
    return [word.partition("=")[2]] if word[:1] == "-" and "=" in word else []


def as_path(word: str) -> str:
    """Return the path in a command argument; '' if it is not a path.

    A test name and a line number after the path are dropped.
    """
    if len(word) > 400 or not ("." in word or "/" in word or "\\" in word or word in _NAMED):
        return ""
    if _DRIVE.match(word):
        return word
    path = word.partition("::")[0]
    if ":" in path and "://" not in path:
        path = path.partition(":")[0]
    if _NOT_PATH.search(path):
        return ""
    name = path.rpartition("/")[2]
    if name and not name.strip("."):
        return ""
    stem, dot, ending = name.rpartition(".")
    if name in _NAMED or (dot and ending.lower() in _ENDINGS and (stem or "/" in path)):
        return path
    rooted = path.startswith(("/", "./", "../", "~/")) and len(path) > 3
    return path if rooted or (path.endswith("/") and len(path) > 2) else ""


def diagnosed_paths(output: str) -> list[str]:
    """Return the paths that diagnostics in an output refer to, in order."""
    paths: list[str] = []
    for sign, pattern in _POINTERS if may_have_failed(output) else _POINTERS[:2]:
        if sign in output:
            marks = [pattern.match(line) for line in lines_with(output, sign)]
            paths += [mark[1] for mark in marks if mark]
    if "\u2716 " in output:
        rows = output[:20_000].split("\n")
        paths += [row for row in rows if row[:1] == "/" and as_path(row) == row]
    for count, mark in enumerate(_LOCATED.finditer(output)):
        if count >= 200:
            break
        before = output[max(0, mark.start() - 300) : mark.start()]
        word = before.rsplit(None, 1)[-1] if before and not before[-1].isspace() else ""
        path = as_path(word.lstrip("\"'([{<=@"))
        if path and (path[0] != "/" or path.rpartition("/")[2].count(".")):
            paths.append(path)
    return paths


def absolute(path: str, base: str | None) -> str:
    """Resolve a path against a folder, lexically, with ``/`` as the separator."""
    if "\\" in path and ("/" not in path or _DRIVE.match(path)):
        path = path.replace("\\", "/")
    path = path.removeprefix("file://")
    if base and path[:1] not in ("/", "~") and not _DRIVE.match(path):
        path = f"{base.replace(chr(92), '/')}/{path}"
    if "//" not in path and "/." not in path and path[:1] != "." and path[-1:] != "/":
        return path
    whole = posixpath.normpath(path) if path else ""
    return whole[1:] if whole.startswith("//") else whole


def relative(path: str, base: str | None, root: str | None) -> str:
    """Return a path relative to the root if it is inside, absolute otherwise.

    ``root`` is already absolute.
    """
    whole = absolute(path, base or root)
    if not root:
        return whole
    top = root.rstrip("/")
    if whole == top:
        return "."
    return whole[len(top) + 1 :] if whole.startswith(f"{top}/") else whole


def language_of(path: str) -> str | None:
    """Return the programming language of a file extension."""
    return _LANGUAGES.get(path.rpartition(".")[2].lower()) if "." in path else None
