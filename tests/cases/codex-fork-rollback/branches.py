"""Print the texts of messages that were rolled back."""

import json

from memoranda import Memoranda

with Memoranda.open() as memory:
    rows = [
        memory.observations.show(f"{task.number}#{number}")
        for task in memory.tasks.list(workspace="shop").items
        for number in range(1, task.observations + 1)
    ]
print(json.dumps(sorted(row.content for row in rows if row.observation.branch == "rewound")))
