"""Print the branch and the title of every observation, in order."""

from __future__ import annotations

import json

from memoranda import Memoranda

with Memoranda.open() as memory:
    found = [
        memory.observations.show(f"1#{number}").observation
        for number in range(1, memory.tasks.list(workspace="shop").items[0].observations + 1)
    ]
print(json.dumps([f"{one.branch}: {one.summary.splitlines()[0]}" for one in found]))
