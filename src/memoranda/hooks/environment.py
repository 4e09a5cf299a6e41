"""Detects whether this installation is in a temporary folder."""

from __future__ import annotations

import sys
from pathlib import Path

from memoranda.hooks.commands import hook_file

INSTALLED = {"site-packages", "dist-packages"}
CACHES = {".cache", "Caches", "archive-v0"}
KEPT = {"pipx", "tools"}
"""Folders in which pipx and `uv tool` keep environments of programs."""


def passing_place() -> str:
    """Return the temporary place from which hooks run; empty if permanent.

    A working copy, a project's environment or a cache is temporary; an environment that pipx or uv
    keeps for a program and a system interpreter are permanent.
    """
    script, prefix = hook_file(), Path(sys.prefix)
    if not INSTALLED & set(script.parts):
        return f"the working copy {script.parents[1]}"
    if CACHES & set(prefix.parts):
        return f"the cache {prefix}"
    if sys.prefix != sys.base_prefix and not KEPT & set(prefix.parts):
        return f"the environment {prefix}"
    return ""
