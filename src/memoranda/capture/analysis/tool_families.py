"""Tools in events: their family, arguments and command line."""

from __future__ import annotations

import re

from memoranda.capture.analysis.failures import plain_name
from memoranda.capture.analysis.patches import MAX_PATHS, only_patches, patched_files
from memoranda.capture.event import Event
from memoranda.json_data import JsonValue

_FAMILIES = {
    name: family
    for family, words in {
        "shell": "bash shell execcommand runshellcommand localshell terminal powershell"
        " executecommand runterminalcmd runcommand containerexec",
        "read": "read readfile view viewfile open notebookread readmanyfiles getfilecontents",
        "edit": "edit multiedit write writefile editfile replace strreplace createfile notebookedit"
        " strreplacebasededittool strreplaceeditor applypatch searchreplace insert updatefile",
        "search": "grep search searchfilecontent codebasesearch grepsearch glob find filesearch"
        " searchdir searchfile findfile semanticsearch toolsearch",
        "list": "ls listdirectory listdir listfiles",
        "web": "webfetch websearch googlewebsearch fetch browse",
        "plan": "todowrite todoread updateplan exitplanmode enterplanmode taskcreate taskupdate"
        " tasklist taskget writetodos",
        "agent": "agent task spawnagent",
        "ask": "askuserquestion askuser requestuserinput askfollowupquestion",
    }.items()
    for name in words.split()
}
PATH_MEMBERS = ("file_path", "path", "notebook_path", "filePath", "absolute_path", "file", "uri")
_LISTS = ("paths", "file_paths", "files", "include")
_PATTERN = re.compile(r"[*?\[{\n]")
_NOT_SLUG = re.compile(r"[^a-z0-9]+")


def family(event: Event) -> str:
    """Return the family of an event's tool.

    The family is one of shell, read, edit, search, list, web, plan, agent, ask or other.
    """
    found = _FAMILIES.get(plain_name(event.tool), "other")
    if found == "edit" and member(event.input, "command") == "view":
        return "read"
    return "edit" if found == "shell" and only_patches(event.input) else found


def member(arguments: JsonValue, *keys: str) -> str:
    """Return the first input member that is a non-empty string, or ''."""
    if isinstance(arguments, dict):
        for key in keys:
            value = arguments.get(key)
            if isinstance(value, str) and value:
                return value
    return ""


def command_line(event: Event) -> str:
    """Return the shell command of an event in any host's format, else ''."""
    arguments = event.input
    if family(event) == "edit":
        return ""
    if isinstance(arguments, dict):
        arguments = arguments.get("command") or arguments.get("cmd")
    elif family(event) != "shell":
        return ""
    if isinstance(arguments, list):
        words = [word for word in arguments if isinstance(word, str)]
        shell = len(words) == 3 and words[1].startswith("-") and words[1].endswith("c")
        return words[2] if shell else " ".join(words)
    return arguments if isinstance(arguments, str) else ""


def slug(tool: str) -> str:
    """Convert a tool's name to a lower-case, hyphenated tag.

    The tag has at most 40 characters.
    """
    name = tool.lower()
    is_plain = name.isalnum() and name.isascii()
    return (name if is_plain else _NOT_SLUG.sub("-", name).strip("-"))[:40]


def argument_paths(arguments: JsonValue) -> list[str]:
    """Return the paths in a tool's input, including those of a patch."""
    if not isinstance(arguments, dict):
        return patched_files(arguments)
    values = [arguments[key] for key in PATH_MEMBERS if key in arguments]
    paths = [value for value in values if isinstance(value, str) and 0 < len(value) <= 1_000]
    for listed in (arguments.get(name) for name in _LISTS):
        if isinstance(listed, list):
            found = (item for item in listed[:MAX_PATHS] if isinstance(item, str) and item)
            paths += [path for path in found if not _PATTERN.search(path)]
    own = [path for path in paths if "\n" not in path and "://" not in path]
    return own + patched_files(arguments)
