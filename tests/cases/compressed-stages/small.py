"""Completes stages of a word or two, and counts summaries that are longer than what they tell."""

import json

from memoranda import Memoranda

SAID = ("ok", "Never push.", "done, all green", "3 passed", "yes")
with Memoranda.open(workspace="small") as memory:
    task = ""
    for number, text in enumerate(SAID):
        name = ("planning", "execution", "verification")[number % 3]
        if number:
            memory.stage_set(task, name)
        memory.message(text, session="two")
        memory.drain()
        task = next(one.id for one in memory.tasks(workspace="small").items)
    memory.stage_complete(task)
    made = [memory.stage_compress(task, one.number, ratio=10) for one in memory.stages(task)]
print(json.dumps({"longer": sum(one.tokens > one.source_tokens for one in made), "of": len(made)}))
