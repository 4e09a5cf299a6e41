"""Hashes of trusted commands equal those that Codex 0.169 wrote."""

from __future__ import annotations

import pytest

from memoranda.hooks.codex_trust_check import trust_hash

COMMAND = (
    "/bin/sh -c '{ /opt/venv/bin/python -I -S /opt/venv/lib/memoranda/hook.py MODE codex; }"
    " 2>/dev/null || :'"
)
SPOOL, CONTEXT = COMMAND.replace("MODE", "spool"), COMMAND.replace("MODE", "context")


@pytest.mark.parametrize(
    ("event", "matcher", "command", "timeout", "kept"),
    [
        ("SessionStart", "startup|clear|compact", CONTEXT, 5,
         "bf52ccbd47830a7d47fd906d9516c8d1e9d5af6a2bf8d10257a00d724d35d358"),
        ("SessionStart", "resume", SPOOL, 5,
         "b097dd0d6a0ab06b0a7ad0a2bbdd992948c76455fcb781a63cfc32e1189be902"),
        ("SessionEnd", None, SPOOL, 3,
         "bd4cdae02158abbbf0bcde8c98d3c0606563ae374251041636f8edce1dea2551"),
        ("Stop", None, SPOOL.replace("/opt/", "/srv/ü/"), 5,
         "edb1b8878748dfc56a3a7955683c02b098ffb7f2a61756cb723f25cfecf7697a"),
    ],
)  # fmt: skip
def test_it_is_what_codex_keeps(
    event: str, matcher: str | None, command: str, timeout: int, kept: str
) -> None:
    handler = {"type": "command", "command": command, "timeout": timeout}
    assert trust_hash(event, matcher, handler) == f"sha256:{kept}"
    assert trust_hash(event, matcher, {**handler, "timeout": 2}) != f"sha256:{kept}"
