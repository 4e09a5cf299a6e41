"""Print how many tasks each workspace has."""

import json

from memoranda import Memoranda

with Memoranda.open() as memory:
    names = [one.name for one in memory.workspaces.list().items]
    print(json.dumps({name: len(memory.tasks.list(workspace=name).items) for name in names}))
