"""Codex's trust in hook commands: hashes that Codex stores in config.toml.

As of Codex 0.169. The key of a hash is the position of the command in its file; a changed command
must be trusted again.
"""

from __future__ import annotations

import hashlib
import json
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from memoranda.hooks.entries import HookEntry
from memoranda.hooks.hosts import CODEX
from memoranda.json_data import JsonValue

DEFAULT_SECONDS = 600
"""Timeout in seconds of a Codex hook that sets none itself."""


def distrust(path: Path, user: Path, entries: list[HookEntry]) -> str:
    """Return why Codex does not run some hooks of a file; empty if it does.

    ``user`` is the path of the user's own hooks file, with symbolic links unresolved; Codex keeps
    its config.toml in the same folder.
    """
    try:
        config = tomllib.loads(user.with_name("config.toml").read_text("utf-8"))
    except FileNotFoundError:
        config = {}
    except (OSError, ValueError):
        return "its config.toml cannot be read, so it is unknown whether Codex trusts the hooks"
    if _table(config, "features").get("hooks") is False:
        return "Codex runs no hooks: [features] hooks is false in its config.toml"
    entries_found = [
        _trust_entry(_table(config, "hooks", "state"), path, user, entry) for entry in entries
    ]
    if any(item.get("enabled") is False for item in entries_found):
        return "some of them are turned off in Codex"
    fresh = sum("trusted_hash" not in one for one in entries_found)
    if fresh:
        return f"Codex does not run {fresh} of {len(entries)}: they are not trusted yet"
    changed = sum(
        entry_found["trusted_hash"]
        != trust_hash(hook_entry.event, hook_entry.matcher, hook_entry.handler)
        for entry_found, hook_entry in zip(entries_found, entries, strict=True)
    )
    if changed:
        return f"Codex does not run {changed} of {len(entries)}: they changed since trusted"
    return ""


def _table(config: dict[str, Any], *names: str) -> dict[str, Any]:
    for name in names:
        found = config.get(name)
        config = found if isinstance(found, dict) else {}
    return config


def _trust_entry(state: dict[str, Any], path: Path, user: Path, entry: HookEntry) -> dict[str, Any]:
    """Return the entry that Codex stores for a trusted command.

    Codex resolves symbolic links in the folder named by CODEX_HOME, but not in the default folder.
    """
    names = [path, user.parent.resolve() / user.name, user] if path == user.resolve() else [path]
    for name in names:
        place = f"{name}:{_snake(entry.event)}:{entry.group}:{entry.index}"
        if result := _table(state, place):
            return result
    return {}


def trust_hash(event: str, matcher: str | None, handler: Mapping[str, JsonValue]) -> str:
    """Return the hash that Codex stores when a user trusts a command."""
    whole = {"async": False, "timeout": DEFAULT_SECONDS, **handler}
    seconds = whole["timeout"]
    if event == "SessionEnd" and isinstance(seconds, int):
        # the timeout that Codex actually grants
        whole["timeout"] = min(seconds, CODEX.timeouts[event])
    identity: dict[str, JsonValue] = {"event_name": _snake(event), "hooks": [whole]}
    if matcher is not None:
        identity["matcher"] = matcher
    text = json.dumps(identity, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return f"sha256:{hashlib.sha256(text.encode('utf-8', 'replace')).hexdigest()}"


def _snake(event: str) -> str:
    return "".join(f"_{c.lower()}" if c.isupper() else c for c in event).lstrip("_")
