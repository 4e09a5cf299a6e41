"""Complete stages of a few words; count summaries longer than the source."""

import json

from memoranda import Memoranda

SAID = ("ok", "Never push.", "done, all green", "3 passed", "yes")
with Memoranda.open(workspace="small") as memory:
    task = ""
    for number, text in enumerate(SAID):
        name = ("planning", "execution", "verification")[number % 3]
        if number:
            memory.stages.set(task, name)
        memory.conversations.add(text, session="two")
        memory.capture.drain()
        task = next(one.id for one in memory.tasks.list(workspace="small").items)
    memory.stages.complete(task)
    made = [memory.stages.compress(task, one.number, ratio=10) for one in memory.stages.list(task)]
print(json.dumps({"longer": sum(one.tokens > one.source_tokens for one in made), "of": len(made)}))
