"""Tests that need the build of apsw that encrypts, and how they get it.

That build and the ordinary one have one name, so these tests run in an interpreter of their own,
which `tests/integration/test_encrypted_build.py` starts. By hand:

    PYTHONPATH=.venv/sqlite3mc .venv/bin/python -m pytest tests/contract/test_encrypted_store.py
"""

from __future__ import annotations

import sys
from pathlib import Path

import apsw
import pytest

BUILD = Path(sys.prefix) / "sqlite3mc"
"""Where `scripts/venv dev` puts it."""

HAS_CIPHERS = hasattr(apsw, "mc_version")


def needed() -> None:
    """Skip the module that asks, unless this interpreter has them."""
    if not HAS_CIPHERS:
        pytest.skip(
            "needs apsw-sqlite3mc; run by tests/integration/test_encrypted_build.py",
            allow_module_level=True,
        )
