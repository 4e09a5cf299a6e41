"""Print nouns found by long id prefixes, and those that name both matches."""

import json

from memoranda import Memoranda
from memoranda.exceptions import InvalidInput

with Memoranda.open(workspace="shop", agent="bot") as agent:
    waiting = [agent.remember(text) for text in ("Use tabs for the till.", "Use euros in bills.")]
with Memoranda.open(workspace="shop") as memory:
    kept = [memory.remember(text) for text in ("Prices are net.", "Bills are printed twice.")]
    tasks = [memory.tasks.create(name) for name in ("one", "two")]
    seen = [memory.observe(text, task="one") for text in ("The till is open.", "It is closed.")]
    errors = [
        memory.errors.record(text, type="hallucination", task="one")
        for text in ("made up a flag", "made up a path")
    ]
    said = [memory.feedback.add("No.", about=text) for text in ("Round down", "Print it twice")]
    proposed = [one for one in memory.proposals.list() if one.memory in {m.id for m in waiting}]
    shown, named = [], []
    whole = {"errors": lambda one: one.observation, "feedback": lambda one: one.feedback.id}
    for name, things in {
        "memories": kept,
        "proposals": proposed,
        "feedback": said,
        "tasks": tasks,
        "errors": errors,
        "observations": seen,
    }.items():
        ids = [whole.get(name, lambda one: one.id)(one) for one in things]
        noun = getattr(memory, name)
        if all(noun.show(id[:18]) == noun.show(id) for id in ids):
            shown.append(name)
        try:
            noun.show(ids[0][:6])
        except InvalidInput as error:
            called = [one.id for one in things] if name == "errors" else ids  # 1#2
            if error.code == "invalid" and all(id in str(error) for id in called):
                named.append(name)
print(json.dumps({"shown": shown, "named": named}))
