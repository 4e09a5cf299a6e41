"""The commands of ours in a settings file, each with its place there."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from memoranda.agents.commands import HookCommand, hook_command
from memoranda.agents.settings_text import Settings
from memoranda.values.json import JsonValue


@dataclass(frozen=True, slots=True)
class HookEntry:
    """One command of ours and where it is."""

    event: str
    group: int
    index: int
    command: HookCommand
    matcher: str | None
    handler: Mapping[str, JsonValue]


def hook_entries(settings: Settings) -> Iterator[HookEntry]:
    """Find the commands of ours, in the order of the file."""
    hooks = settings.get("hooks")
    for event, groups in hooks.items() if isinstance(hooks, dict) else ():
        for number, group in enumerate(groups if isinstance(groups, list) else ()):
            if not isinstance(group, dict):
                continue
            handlers = [group] if "command" in group else group.get("hooks")
            matcher = group.get("matcher")
            for index, handler in enumerate(handlers if isinstance(handlers, list) else ()):
                text = handler.get("command") if isinstance(handler, dict) else None
                found = hook_command(text) if isinstance(text, str) else None
                if found and isinstance(handler, dict):
                    shown = matcher if isinstance(matcher, str) else None
                    yield HookEntry(event, number, index, found, shown, handler)
