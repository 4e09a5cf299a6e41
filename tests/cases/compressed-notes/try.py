"""Compress the notes of twelve attempts by half; count what is left."""

import json

from memoranda import Memoranda

ATTEMPT = """## Attempt {n}
Decided to load module mod_{n} lazily because startup took {s} s.
ImportError: cannot import name 'load_{n}' from 'mod_{n}'. Fix: rename load_{n} to open_{n}.
{musing}
Maybe later we will see how it goes with everything else that is there.
"""
MUSINGS = (
    "Hmm, let me think about this a little more before anything else is done here.",
    "Let me think about whether all of this is really worth the trouble in the end.",
    "Not sure about any of this, it may well turn out to be something else again.",
)
notes = "".join(ATTEMPT.format(n=n, s=n + 11, musing=MUSINGS[n % 3]) for n in range(12))
with Memoranda.open() as memory:
    memory.observe("start", task="one", workspace="shop")
    memory.blocks.rethink("learned", notes, task="1")
    value = memory.blocks.compress("learned", ratio=2, task="1").value
print(
    json.dumps(
        {
            "fixes": sum(f"rename load_{n} to open_{n}" in value for n in range(12)),
            "decisions": sum(f"load module mod_{n} lazily" in value for n in range(12)),
            "musings": sum(part in value for part in ("Hmm", "et me think", "Maybe", "Not sure")),
        }
    )
)
