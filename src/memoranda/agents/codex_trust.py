"""What Codex trusts: it keeps a hash of each command, by its place in the file, in config.toml.

As Codex 0.169 does; a command that changes is to be trusted anew.
"""

from __future__ import annotations

import hashlib
import json
import tomllib
from collections.abc import Mapping
from pathlib import Path

from memoranda.agents.entries import HookEntry
from memoranda.values.json import JsonValue


def distrust(path: Path, user: Path, entries: list[HookEntry]) -> str:
    """Return why Codex does not run some hooks of a file; empty: it does.

    ``user`` is the person's own file of hooks, beside which Codex keeps its config.toml.
    """
    try:
        config = tomllib.loads((user.with_name("config.toml")).read_text("utf-8"))
    except FileNotFoundError:
        config = {}
    except (OSError, ValueError):
        return "whether Codex trusts them cannot be read from its config.toml"
    hooks = config.get("hooks")
    state = hooks.get("state") if isinstance(hooks, dict) else None
    known = state if isinstance(state, dict) else {}
    fresh = changed = 0
    for one in entries:
        place = f"{path}:{_snake(one.event)}:{one.group}:{one.index}"
        kept = known.get(place)
        trusted = kept.get("trusted_hash") if isinstance(kept, dict) else None
        if isinstance(kept, dict) and kept.get("enabled") is False:
            return "some of them are turned off in Codex"
        fresh += trusted is None
        changed += trusted is not None and trusted != trust_hash(
            one.event, one.matcher, one.handler
        )
    if fresh:
        return f"Codex does not run {fresh} of {len(entries)}: they are not trusted yet"
    if changed:
        return f"Codex does not run {changed} of {len(entries)}: they changed since trusted"
    return ""


def trust_hash(event: str, matcher: str | None, handler: Mapping[str, JsonValue]) -> str:
    """Return what Codex keeps when somebody trusts a command."""
    whole = {"async": False, **handler}
    identity: dict[str, JsonValue] = {"event_name": _snake(event), "hooks": [whole]}
    if matcher is not None:
        identity["matcher"] = matcher
    text = json.dumps(identity, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return f"sha256:{hashlib.sha256(text.encode('utf-8', 'replace')).hexdigest()}"


def _snake(event: str) -> str:
    return "".join(f"_{c.lower()}" if c.isupper() else c for c in event).lstrip("_")
