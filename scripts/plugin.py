"""Write the plugin files derived from code; run after a change of hooks."""

from __future__ import annotations

from pathlib import Path

from memoranda.hooks.plugin import write_plugin

write_plugin(Path(__file__).parents[1])
