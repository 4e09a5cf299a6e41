"""Whether this installation is in a folder that may be moved or removed."""

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

    A working copy, an environment of a project or a cache may be removed; an environment that pipx
    or uv keeps for a program, and an interpreter of the system, may not.
    """
    script, prefix = hook_file(), Path(sys.prefix)
    if not INSTALLED & set(script.parts):
        return f"the working copy {script.parents[1]}"
    if CACHES & set(prefix.parts):
        return f"the cache {prefix}"
    if sys.prefix != sys.base_prefix and not KEPT & set(prefix.parts):
        return f"the environment {prefix}"
    return ""
