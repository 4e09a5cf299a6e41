"""The Claude Code plugin, with files generated from the code."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

from memoranda.hooks.commands import hook_file, silenced
from memoranda.hooks.hosts import CLAUDE_CODE
from memoranda.json_data import JsonValue
from memoranda.version import __version__

NAME = "memoranda"
DESCRIPTION = (
    "Memory across sessions: records events, passes what matters to each new session, "
    "and lets you correct it."
)
HOOK = 'sh "${CLAUDE_PLUGIN_ROOT}"/hook/run'
"""Command that runs the plugin's launcher script.

The script finds Python, whose path a plugin cannot know. It is not in ``bin``, which Claude Code
puts on the agent's PATH.
"""
PARTS = ("hook.py", "hook_event.py", "hook_session.py", "hook_output.py")


def plugin_files() -> Mapping[str, str]:
    """Return the text of each generated file by its path in the repository."""
    root = "plugins/claude-code"
    manifest: dict[str, JsonValue] = {
        "name": NAME,
        "version": __version__,
        "description": DESCRIPTION,
        "license": "Apache-2.0",
        "keywords": ["memory", "context", "hooks", "mcp"],
    }
    listed: dict[str, JsonValue] = {
        "name": NAME,
        "source": f"./{root}",
        "version": __version__,
        "description": DESCRIPTION,
    }
    market: dict[str, JsonValue] = {
        "name": NAME,
        "owner": {"name": "Memoranda"},
        "plugins": [listed],
    }
    server: dict[str, JsonValue] = {"command": "memoranda", "args": ["mcp"]}
    files: dict[str, str] = {
        ".claude-plugin/marketplace.json": _text(market),
        f"{root}/.claude-plugin/plugin.json": _text(manifest),
        f"{root}/.mcp.json": _text({"mcpServers": {NAME: server}}),
        f"{root}/hooks/hooks.json": _text({"description": "Record the session", "hooks": _hooks()}),
    }
    source = hook_file().parent
    return files | {f"{root}/hook/{part}": (source / part).read_text("utf-8") for part in PARTS}


def write_plugin(repository: Path) -> None:
    """Write the generated files into a clone of the repository."""
    for name, text in plugin_files().items():
        path = repository / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")


def _hooks() -> dict[str, JsonValue]:
    hooks: dict[str, JsonValue] = {}
    for event, entries in CLAUDE_CODE.events.items():
        groups: list[JsonValue] = []
        for matcher, mode in entries:
            handler: dict[str, JsonValue] = {
                **CLAUDE_CODE.handler,
                "command": silenced(f"{HOOK} {mode}"),
                "timeout": CLAUDE_CODE.timeout,
            }
            group: dict[str, JsonValue] = {} if matcher is None else {"matcher": matcher}
            groups.append(group | {"hooks": [handler]})
        hooks[event] = groups
    return hooks


def _text(value: JsonValue) -> str:
    return json.dumps(value, indent=2) + "\n"
