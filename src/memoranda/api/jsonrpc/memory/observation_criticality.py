"""Criticality of an episodic memory, which is an observation.

An observation never changes. To make an observation critical, a memory with the same text is
created, with the observation as evidence.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from memoranda.api.jsonrpc.memory.method_group import Ask, without_none
from memoranda.api.jsonrpc.memory.records import (
    ChangeRecord,
    MemoryRecord,
    RecordData,
    changed,
    observation_record,
)
from memoranda.exceptions import NotFound

USED = ("observations.show", "observations.backlinks", "memories.show", "remember", "memories.edit")
"""Operations that this module calls."""


def change_observed(call: Ask, id: str, critical: bool, reason: str) -> ChangeRecord | None:
    """Set whether an observation is critical; return None if there is none.

    Raises:
        InvalidInput: the text of the observation is too long for a memory.
    """
    try:
        found = call("observations.show", {"id": id})
    except NotFound:
        return None
    record = observation_record(found["observation"], found["content"])
    return set_criticality(call, found["observation"], record, critical, reason)


def set_criticality(
    call: Ask, observation: RecordData, record: MemoryRecord, critical: bool, reason: str = ""
) -> ChangeRecord:
    """Set the criticality of the knowledge that an observation states; add it if needed."""
    known = _stated(call, record)
    if known is None and not critical:
        return ChangeRecord(record, None)
    if known is None:
        statement: dict[str, Any] = {
            "content": record.content,
            "evidence": [record.memory_id],
            "critical": False,
        }
        place = without_none(workspace=observation["workspace"])
        known = call("remember", {"statement": statement, **place})
    done = changed(
        call("memories.edit", {"id": known["id"], "edit": {"critical": critical}, "reason": reason})
    )
    is_critical, why = done.memory.is_critical, done.memory.criticality_reason
    return replace(done, memory=replace(record, is_critical=is_critical, criticality_reason=why))


def _stated(call: Ask, record: MemoryRecord) -> Any:
    """Return the memory based on an observation with the same text, or None."""
    for links in call("observations.backlinks", {"ids": [record.memory_id]}):
        for link in links["memories"]:
            memory = call("memories.show", {"id": link["id"]})["memory"]
            if memory["content"] == record.content.strip() and memory["status"] != "rejected":
                return memory
    return None
