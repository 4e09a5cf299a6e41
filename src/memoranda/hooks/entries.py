"""Finds and removes Memoranda's commands in a host's settings."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from memoranda.hooks.commands import HookCommand, hook_command
from memoranda.hooks.settings_text import Settings
from memoranda.json_data import JsonValue


@dataclass(frozen=True, slots=True)
class HookEntry:
    """A Memoranda hook command, with its location."""

    event: str
    group: int
    index: int
    command: HookCommand
    matcher: str | None
    handler: Mapping[str, JsonValue]


def hook_entries(settings: Settings) -> Iterator[HookEntry]:
    """Yield the Memoranda hook commands in file order."""
    hooks = settings.get("hooks")
    for event, groups in hooks.items() if isinstance(hooks, dict) else ():
        for number, group in enumerate(groups if isinstance(groups, list) else ()):
            if not isinstance(group, dict):
                continue
            handlers = [group] if "command" in group else group.get("hooks")
            matcher = group.get("matcher")
            for index, handler in enumerate(handlers if isinstance(handlers, list) else ()):
                text = handler.get("command") if isinstance(handler, dict) else None
                command = hook_command(text) if isinstance(text, str) else None
                if command and isinstance(handler, dict):
                    shown = matcher if isinstance(matcher, str) else None
                    yield HookEntry(event, number, index, command, shown, handler)


def our_groups(settings: Settings) -> dict[str, list[JsonValue]]:
    """Return the groups that contain only Memoranda's handlers, by event."""
    hooks = settings.get("hooks")
    found = {
        event: [group for group in groups if _all_ours(group)]
        for event, groups in (hooks.items() if isinstance(hooks, dict) else ())
        if isinstance(groups, list)
    }
    return {event: groups for event, groups in found.items() if groups}


def _handlers(group: JsonValue) -> list[JsonValue]:
    if not isinstance(group, dict):
        return []
    if "command" in group:  # the list has no groups: the handler itself counts as the group
        return [group]
    handlers = group.get("hooks")
    return handlers if isinstance(handlers, list) else []


def _all_ours(group: JsonValue) -> bool:
    handlers = _handlers(group)
    return bool(handlers) and all(map(is_ours, handlers))


def is_ours(handler: JsonValue) -> bool:
    """Return whether a handler runs the hook of some installation."""
    command = handler.get("command") if isinstance(handler, dict) else None
    return isinstance(command, str) and hook_command(command) is not None
