"""Parser and editor of settings files: JSON with comments.

Trailing commas and a byte order mark are also accepted. Insertions and removals leave all other
characters of the file unchanged.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from memoranda.exceptions import InvalidInput
from memoranda.json_data import JsonValue
from memoranda.text import text_lines

Settings = dict[str, JsonValue]
BOM = "\ufeff"
_BETWEEN = re.compile(r"(?:\s|//[^\n]*|/\*.*?\*/)*", re.DOTALL)
_REST_OF_LINE = re.compile(r"[ \t]*(?:/\*[^\n]*?\*/[ \t]*)*(?://[^\r\n]*)?(?=\r?\n)")
_DECODER = json.JSONDecoder()


@dataclass(frozen=True, slots=True)
class SettingsNode:
    """Value with its position in the text."""

    start: int
    end: int
    value: JsonValue
    children: tuple[SettingsMember, ...] = ()

    def child(self, key: str) -> SettingsNode | None:
        """Return a member of an object by name."""
        return next((member.node for member in reversed(self.children) if member.key == key), None)


@dataclass(frozen=True, slots=True)
class SettingsMember:
    """Member of an object, or item of a list, which has no key."""

    key: str | None
    start: int
    node: SettingsNode


@dataclass(frozen=True, slots=True)
class ParsedSettings:
    """Content of a settings file."""

    value: Settings
    is_json: bool
    """Whether the file is standard JSON, which may be rewritten."""


def parsed_settings(text: str | None, path: Path) -> ParsedSettings:
    """Parse the text of a settings file; a missing or blank file is empty.

    Raises:
        InvalidInput: the text is not a JSON object, with or without comments.
    """
    body = (text or "").removeprefix(BOM)
    if not body.strip():
        return ParsedSettings({}, is_json=True)
    is_json = True
    try:
        value = json.loads(body)
    except ValueError as error:
        is_json = False
        try:
            value = parsed(body).value
        except (ValueError, RecursionError):
            raise InvalidInput(f"{path} is not valid JSON ({error}); correct it first") from error
    if not isinstance(value, dict):
        raise InvalidInput(f"{path} is not a JSON object; correct it first")
    return ParsedSettings(value, is_json)


def parsed(text: str) -> SettingsNode:
    """Parse JSON with comments and trailing commas.

    Raises:
        ValueError: the text is invalid.
    """
    node = _value(text, _skipped(text, 0))
    if _skipped(text, node.end) != len(text):
        raise ValueError(f"unexpected text at character {node.end}")
    return node


def inserted(text: str, container: SettingsNode, key: str | None, value: JsonValue) -> str:
    """Append a member to an object or an item to a list, on separate lines."""
    newline = "\r\n" if "\r\n" in text else "\n"
    unit = indentation(text)
    outer = _indentation(text, container.start)
    lead = newline + outer + unit
    shown = json.dumps(value, indent=unit, ensure_ascii=False).replace("\n", lead)
    entry = lead + (f"{json.dumps(key, ensure_ascii=False)}: {shown}" if key is not None else shown)
    if not container.children:
        rest = text[container.start + 1 :]
        closing = "" if _BETWEEN.match(rest).group().count("\n") else newline + outer  # type: ignore[union-attr]
        return text[: container.start + 1] + entry + closing + rest
    end = container.children[-1].node.end
    comma = _comma(text, end)
    after = end if comma is None else comma + 1
    follows = _REST_OF_LINE.match(text, after)
    place = follows.end() if follows else after
    separator = "," if comma is None else ""
    ending = "" if comma is None else ","
    return text[:end] + separator + text[end:place] + entry + ending + text[place:]


def removed(text: str, container: SettingsNode, index: int) -> str:
    """Remove a member or item together with its comma and the space before it."""
    child, children = container.children[index], container.children
    before = len(text[: child.start].rstrip())
    comma = _comma(text, child.node.end)
    end = child.node.end if comma is None else comma + 1
    text = text[:before] + text[end:]
    if comma is None and index:  # the preceding item is now the last one
        previous = _comma(text, children[index - 1].node.end)
        if previous is not None:
            text = text[:previous] + text[previous + 1 :]
    return text


def with_hooks(text: str, wanted: Mapping[str, Sequence[JsonValue]], version: int | None) -> str:
    """Append groups of handlers to the lists of their events."""
    root = parsed(text)
    if version is not None and root.child("version") is None:
        text = inserted(text, root, "version", version)
        root = parsed(text)
    if root.child("hooks") is None:
        return inserted(text, root, "hooks", {event: [*ours] for event, ours in wanted.items()})
    for event, groups in wanted.items():
        if (hooks := parsed(text).child("hooks")) and hooks.child(event) is None:
            text = inserted(text, hooks, event, [*groups])
            continue
        for group in groups:
            hooks = parsed(text).child("hooks")
            present = hooks.child(event) if hooks else None
            if present is not None:
                text = inserted(text, present, None, group)
    return text


def without_hooks(text: str, is_ours: Callable[[JsonValue], bool], empty: str = "") -> str:
    """Remove Memoranda's handlers, and containers that become empty.

    ``empty`` is the text of an empty object of hooks that the original file contained; it is kept.
    """
    before = text
    while (found := _first_of_ours(parsed(text), is_ours)) is not None:
        container, index = found
        if empty and container.children[index].key == "hooks":
            hooks = container.children[index].node
            text = f"{text[: hooks.start]}{empty}{text[hooks.end :]}"
        else:
            text = removed(text, *found)
    root = parsed(text)
    if text != before and not text[root.start + 1 : root.end - 1].strip():
        text = f"{text[: root.start]}{{}}{text[root.end :]}"
    return text


def empty_hooks(text: str) -> str:
    """Return the text of the hooks object if it contains no hooks, else ""."""
    hooks = parsed(text).child("hooks") if text.strip() else None
    is_empty = hooks is not None and hooks.value == {}
    return text[hooks.start : hooks.end] if hooks and is_empty else ""


def indentation(text: str) -> str:
    """Return the indentation per nesting level.

    It is the indentation of the second line, or two spaces if there is none.
    """
    for line in text_lines(text)[1:]:
        lead = line[: len(line) - len(line.lstrip())]
        if lead and line.strip()[:1] == '"':
            return lead
    return "  "


def _first_of_ours(
    root: SettingsNode, is_ours: Callable[[JsonValue], bool]
) -> tuple[SettingsNode, int] | None:
    """Return the largest container that has only Memoranda's handlers."""
    path = _path_to(root, "hooks", is_ours)
    while len(path) > 1 and len(path[-1][0].children) == 1 and path[-1][0] is not root:
        path = path[:-1]
    return path[-1] if path else None


def _path_to(
    root: SettingsNode, key: str, is_ours: Callable[[JsonValue], bool]
) -> list[tuple[SettingsNode, int]]:
    """Return the containers from the settings down to a Memoranda handler.

    Each container is paired with the index of its child on the path.
    """
    for number, child in enumerate(root.children):
        if child.key != key or not isinstance(child.node.value, dict):
            continue
        for event_number, event in enumerate(child.node.children):
            for group_number, group in enumerate(event.node.children):
                above = [(root, number), (child.node, event_number), (event.node, group_number)]
                if is_ours(group.node.value):
                    return above
                handlers = group.node.child("hooks")
                for index, member in enumerate(handlers.children if handlers else ()):
                    if handlers and is_ours(member.node.value):
                        if len(handlers.children) == 1:
                            return above
                        return [*above, (handlers, index)]
    return []


def _value(text: str, at: int) -> SettingsNode:
    opening = text[at : at + 1]
    if opening not in ("{", "["):
        value, end = _DECODER.raw_decode(text, at)
        return SettingsNode(at, end, value)
    children = []
    place = _skipped(text, at + 1)
    closing = "}" if opening == "{" else "]"
    while text[place : place + 1] != closing:
        child = _child(text, place, named=opening == "{")
        children.append(child)
        place = _skipped(text, child.node.end)
        if text[place : place + 1] == ",":
            place = _skipped(text, place + 1)
        elif text[place : place + 1] != closing:
            raise ValueError(f"a comma is missing at character {place}")
    nodes = [settings_member.node.value for settings_member in children]
    value = (
        {member.key: member.node.value for member in children if member.key is not None}
        if opening == "{"
        else nodes
    )
    return SettingsNode(at, place + 1, value, tuple(children))


def _child(text: str, at: int, *, named: bool) -> SettingsMember:
    if not named:
        return SettingsMember(None, at, _value(text, at))
    key, end = _DECODER.raw_decode(text, at)
    colon = _skipped(text, end)
    if not isinstance(key, str) or text[colon : colon + 1] != ":":
        raise ValueError(f"a name is missing at character {at}")
    return SettingsMember(key, at, _value(text, _skipped(text, colon + 1)))


def _skipped(text: str, at: int) -> int:
    """Return the end of white space and comments at a position."""
    match = _BETWEEN.match(text, at)
    return match.end() if match else at


def _comma(text: str, at: int) -> int | None:
    """Return the position of the comma after a value."""
    place = _skipped(text, at)
    return place if text[place : place + 1] == "," else None


def _indentation(text: str, at: int) -> str:
    """Return the indentation of the line that contains a character."""
    line = text[text.rfind("\n", 0, at) + 1 : at]
    return line[: len(line) - len(line.lstrip())]
