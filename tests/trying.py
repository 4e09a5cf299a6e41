"""The examples as `scripts/try` runs them."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

ROOT = Path(__file__).parents[1]


def _script() -> ModuleType:
    spec = importlib.util.spec_from_file_location("trying_script", ROOT / "scripts" / "try.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


SCRIPT: Any = _script()


def tried(name: str, capfd: Any) -> tuple[list[str], list[Any]]:
    """Try an example; return what it told, without the commands, and what its model was asked."""
    code, requests = SCRIPT.tried(name)
    output = capfd.readouterr()
    assert code == 0, output.err
    return [line for line in output.out.splitlines() if not line.startswith("$ ")], requests
