"""Write those files of the plugins that follow from the code: run it after a change of hooks."""

from __future__ import annotations

from pathlib import Path

from memoranda.hooks.plugin import write_plugin

write_plugin(Path(__file__).parents[1])
