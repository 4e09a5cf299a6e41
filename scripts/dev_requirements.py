"""Print the development requirements of pyproject.toml, for a pip without dependency groups."""

from __future__ import annotations

import tomllib
from pathlib import Path

project = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text("utf-8"))
print(" ".join(requirement.replace(" ", "") for requirement in project["dependency-groups"]["dev"]))
