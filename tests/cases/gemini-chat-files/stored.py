"""Print stored observations: place, kind, origin, agent, time, beginning."""

import json
from datetime import UTC, datetime

from memoranda import Memoranda

with Memoranda.open() as memory:
    names = {one.id: one.name for one in memory.workspaces.list()}
    found = sorted(memory.observations.list(limit=100).items, key=lambda one: one.id)
    print(
        json.dumps(
            [
                f"{names[one.workspace]} {one.ref} {one.type} {one.origin} "
                f"{one.agent if one.branch == 'main' else f'{one.branch} {one.agent}'} "
                f"{datetime.fromtimestamp(one.created_at // 10**6, UTC):%H:%M:%S} "
                + " ".join(one.summary.split())
                for one in found
            ]
        )
    )
