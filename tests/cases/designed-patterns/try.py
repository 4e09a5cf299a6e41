"""Show and change one memory, as a person and as an agent."""

import json
from dataclasses import asdict

from memoranda import Memoranda
from memoranda.exceptions import UserError
from memoranda.memories.memory_service import NewMemory
from memoranda.proposals.model import MemoryChange, MemoryEdit


def refusal(memory: Memoranda, id: str, confidence: float) -> str:
    """Return the error code with which a confidence is refused."""
    try:
        memory.memories.edit(id, MemoryEdit(confidence=confidence))
    except UserError as error:
        return error.code
    return ""


with Memoranda.open() as memory:
    (only,) = memory.memories.list()
    shown = asdict(memory.memories.show(only.id).parts)
    changed = memory.memories.edit(only.id, MemoryEdit(title="Bare excepts", confidence=0.9))
    plain = memory.remember(NewMemory("Reason: none was given"))
    several = ""
    try:
        memory.memories.change_all([MemoryChange(only.id, MemoryEdit(confidence=0.1))])
    except UserError as error:
        several = error.code
    with Memoranda.open(agent="critic") as critic:
        told = critic.remember(NewMemory("Tables are wide.", confidence=0.99))
        refused = [refusal(memory, only.id, 1.5), refusal(critic, only.id, 0.1), several]
    print(
        json.dumps(
            {
                "parts": shown,
                "raised": memory.memories.show(only.id).memory.confidence,
                "title": changed.memory.title,
                "versions": len(memory.memories.history(only.id).items),
                "refused": refused,
                "agent": told.confidence,
                "plain": list(asdict(memory.memories.show(plain.id).parts).values()),
            }
        )
    )
