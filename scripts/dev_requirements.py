"""Print a dependency group of pyproject.toml (default: dev) for old pip."""

from __future__ import annotations

import sys
import tomllib
from pathlib import Path

project = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text("utf-8"))
group = project["dependency-groups"][sys.argv[1] if len(sys.argv) > 1 else "dev"]
print(" ".join(requirement.replace(" ", "") for requirement in group))
