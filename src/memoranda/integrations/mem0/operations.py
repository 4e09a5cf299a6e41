"""Operations of mem0 on Memoranda's memories.

Owners map to workspaces and tags; nothing is deleted permanently.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any
from uuid import UUID

from memoranda.api.service import Service
from memoranda.exceptions import InvalidInput, NotFound
from memoranda.feedback.command_parser import command
from memoranda.feedback.model import CommandKind, SpokenCommand
from memoranda.identity.principal import Principal
from memoranda.instrumentation import recording_calls
from memoranda.integrations.mem0.filters import OWNERS, owners_in, predicate
from memoranda.integrations.mem0.stored_records import (
    CATEGORY,
    Mem0Record,
    Mem0Records,
    owner_of,
    owner_tags,
    workspace_of,
    workspace_with,
)
from memoranda.json_data import JsonValue, iso_time, parse_iso_time
from memoranda.language.words import STOP_WORDS, words
from memoranda.text import normalise, one_line

DOOR = "mem0"
"""Name under which these routes appear in the call statistics."""
MARK = "mem0"
"""Tag of every memory that these routes create and can access."""
LIVING = ["pending", "approved"]
PAGES, PAGE = 200, 500
"""Maximum number of pages, and page size: one request scans up to 100,000 memories."""
TAGS, TAG = 10, 80
_VAGUE_WORDS = (
    "all anything everything fact facts far information info know known learned memories memory "
    "profile recall remember remembered said saved say stored tell told user"
)
_VAGUE = STOP_WORDS | frozenset(_VAGUE_WORDS.split())
"""Words that are not counted as search terms.

They occur in vague questions such as "What do you know about me?".
"""


class BadMem0Request(InvalidInput):
    """Request that mem0's own service would refuse with status 400."""

    http_status = 400


@dataclass(frozen=True, slots=True)
class Mem0Query:
    """A request's selection of memories."""

    filters: JsonValue = None
    expired: bool = False
    """Whether to include memories whose expiration date has passed."""


class Mem0Memories:
    """Memories that are visible to one caller.

    An agent's memories are pending until a person decides, but can be found before the decision.
    """

    def __init__(self, service: Service, principal: Principal) -> None:
        self._service = service
        self._principal = principal
        self._records = Mem0Records(self._call)

    def add(self, body: Mapping[str, Any]) -> list[dict[str, JsonValue]]:
        """Store messages as memories or observations.

        Each message by a person becomes a memory, and all other messages become observations; with
        ``infer`` off, every message becomes a memory.

        Raises:
            InvalidInput: there are no messages, or no owner is named.
        """
        owners = _owners(body)
        messages = [item for item in body.get("messages") or () if isinstance(item, dict)]
        if not messages:
            raise InvalidInput(
                "messages must be a list of at least one object with role and content"
            )
        metadata, timestamp = _metadata(body), _timestamp(body)
        result = []
        for message in messages:
            text, role = _text(message.get("content")), str(message.get("role") or "user")
            if text and (role == "user" or (body.get("infer") is False and role != "system")):
                stored = self._remember(text, body, owners)
                record = self._records.kept([stored["id"]]).get(stored["id"], Mem0Record())
                self._records.put(stored["id"], record.with_(owners, metadata, timestamp))
                result.append({"id": stored["id"], "memory": stored["content"], "event": "ADD"})
            elif text:
                task = {"task": MARK, "workspace": workspace_of(owners), "type": "message"}
                self._call("observe", {"content": f"{role}: {text}", **task})
        return result

    def get(self, id: str) -> dict[str, JsonValue]:
        """Return one memory.

        Raises:
            NotFound: the memory does not exist or was deleted.
            BadMem0Request: the id is not a UUID.
        """
        memory = self._memory(id)
        return item_of(memory, self._records.of([memory])[memory["id"]])

    def listed(self, query: Mem0Query) -> list[dict[str, JsonValue]]:
        """Return memories, newest first.

        Raises:
            InvalidInput: the filter is invalid, or more than 100,000 memories would be scanned.
        """
        fits = predicate(query.filters)
        found = list(self._living(owners_in(query.filters), query.expired))
        records = self._records.of(found)
        pairs = ((one, records[one["id"]]) for one in found)
        return [item_of(item, record) for item, record in pairs if fits(_facts(item, record))]

    def search(
        self, text: str, query: Mem0Query, *, limit: int, threshold: float = 0.0
    ) -> list[dict[str, JsonValue]]:
        """Return the best memories for a query, with scores from 0 to 1.

        A query without a specific term, such as "What do you know about me?", finds the newest
        memories with a score of 0.

        Raises:
            InvalidInput: the filter is invalid.
        """
        fits, owners = predicate(query.filters), owners_in(query.filters)
        where: dict[str, JsonValue] = {
            "kinds": ["memory"],
            "tags": [MARK, *owner_tags(owners)],
            "statuses": list(LIVING),
            "ever": query.expired,
        }
        arguments = {
            "query": text,
            "where": where,
            "workspace": workspace_with(owners),
            "limit": 100,
        }
        arguments |= {"min_score": 0}  # mem0 returns the nearest memories; a threshold limits them
        try:
            hits = self._call("search", arguments)["hits"]
        except NotFound:
            return []  # nothing is stored for this owner yet
        if not hits and threshold <= 0 and _asks_for_all(text):
            return [{**item, "score": 0.0} for item in self.listed(query)[:limit]]
        results = []
        for hit in hits:
            memory = self._memory(hit["id"])
            record = self._records.of([memory])[memory["id"]]
            if hit["score"] >= threshold and fits(_facts(memory, record)):
                results.append({**item_of(memory, record), "score": hit["score"]})
        return results[:limit]

    def update(self, id: str, body: Mapping[str, Any]) -> dict[str, JsonValue]:
        """Change the text, metadata, time or expiration date of a memory.

        Versions are kept.

        Raises:
            NotFound: there is no such memory.
            InvalidInput: the update is not possible.
        """
        self.update_all([(id, body)])
        return self.get(id)

    def update_all(self, updates: Sequence[tuple[str, Mapping[str, Any]]]) -> None:
        """Change several memories, either all or none.

        If a memory has several updates, the last one counts.

        Raises:
            NotFound: a memory does not exist.
            InvalidInput: an update is not possible.
            Stale: another caller is changing a memory at the same time.
        """
        bodies: dict[str, dict[str, Any]] = {}
        for id, body in updates:
            bodies.setdefault(_uuid(id), {}).update(body)
        found = [self._memory(id) for id in bodies]
        records = self._records.of(found)
        self._change_all(
            {
                "id": memory["id"],
                "edit": _edit(memory, body, records[memory["id"]]) or None,
                "metadata": _updated(records[memory["id"]], body).value,
                "updated_at": memory["updated_at"],
            }
            for memory, body in zip(found, bodies.values(), strict=True)
        )

    def delete(self, id: str) -> None:
        """Archive a memory; a person can restore it.

        Raises:
            NotFound: there is no such memory.
        """
        self._call("memory.archive", {"id": self._memory(id)["id"], "reason": "deleted by mem0"})

    def delete_batch(self, ids: Sequence[str]) -> None:
        """Archive several memories, either all or none.

        Raises:
            NotFound: a memory does not exist.
            InvalidInput: a memory is protected.
            Stale: another caller is changing a memory at the same time.
        """
        found = [self._memory(id) for id in dict.fromkeys(_uuid(id) for id in ids)]
        self._change_all(
            {"id": item["id"], "archive": True, "updated_at": item["updated_at"]} for item in found
        )

    def delete_all(self, filters: JsonValue) -> int:
        """Archive all memories that match a filter; return their number.

        Raises:
            InvalidInput: the filter names no owner; omitting owners does not select all memories.
        """
        if not filters:
            raise InvalidInput("specify the owner of the memories to delete, such as user_id")
        found = self.listed(Mem0Query(filters, expired=True))
        for item in found:
            self.delete(str(item["id"]))
        return len(found)

    def history(self, id: str) -> list[dict[str, JsonValue]]:
        """Return the history of a memory, oldest first.

        Raises:
            NotFound: there is no such memory.
        """
        memory = self._call("memory.show", {"id": _uuid(id)})["memory"]
        if MARK not in memory["tags"]:
            raise NotFound(f"no memory {id!r}")
        page = self._call("memory.history", {"id": memory["id"], "limit": PAGE})
        versions = page["items"][::-1]
        contents = [version["state"]["content"] for version in versions] + [memory["content"]]
        times = [memory["created_at"], *(item["created_at"] for item in versions)]
        changes = []
        for number, (text, at) in enumerate(zip(contents, times, strict=True)):
            before = contents[number - 1] if number else None
            if before != text:
                event = "UPDATE" if number else "ADD"
                changes.append(_change(memory["id"], number, before, text, event, at))
        if memory["status"] not in LIVING:
            changes.append(
                _change(memory["id"], len(contents), contents[-1], None, "DELETE", times[-1])
            )
        return changes

    def entities(self) -> list[dict[str, JsonValue]]:
        """Return the owners of memories, with the number of memories of each."""
        counts: dict[tuple[str, str], int] = {}
        for record in self._records.of(self._living({}, expired=True)).values():
            for field, names in record.owners.items():
                for name in names:
                    counts[OWNERS[field], name] = counts.get((OWNERS[field], name), 0) + 1
        return [
            {"id": f"{kind}:{name}", "type": kind, "name": name, "total_memories": count}
            for (kind, name), count in sorted(counts.items())
        ]

    def _remember(
        self, text: str, body: Mapping[str, Any], owners: Mapping[str, str]
    ) -> dict[str, Any]:
        """Store a text; if it is already stored, merge the owners."""
        tags = [MARK, *owner_tags(owners)]
        statement: dict[str, Any] = {"content": text}
        statement["tags"] = [*tags, *_metadata_tags(_metadata(body))][:TAGS]
        if body.get("expiration_date"):
            statement["valid_until"] = _moment(body["expiration_date"])
        arguments = {"statement": statement, "workspace": workspace_of(owners)}
        stored: dict[str, Any] = self._call("remember", arguments)
        if missing := [tag for tag in tags if tag not in stored["tags"]]:
            edit = {"tags": [*missing, *stored["tags"]][:TAGS]}
            self._call("memory.edit", {"id": stored["id"], "edit": edit, "reason": "mem0"})
        return stored

    def _memory(self, id: str) -> dict[str, Any]:
        result: dict[str, Any] = self._call("memory.show", {"id": _uuid(id)})["memory"]
        if MARK not in result["tags"] or result["status"] not in LIVING:
            raise NotFound(f"no memory {id!r}")
        return result

    def _change_all(self, changes: Iterable[dict[str, Any]]) -> None:
        self._call("memory.change-all", {"changes": list(changes), "reason": "mem0"})

    def _living(self, owners: Mapping[str, str], expired: bool) -> Iterator[dict[str, Any]]:
        needed, cursor = {MARK, *owner_tags(owners)}, None
        place = workspace_with(owners)
        for _ in range(PAGES):
            arguments = {"limit": PAGE, "cursor": cursor, "workspace": place, "ever": expired}
            try:
                page = self._call("memory.list", arguments)
            except NotFound:
                return  # nothing is stored for this owner yet
            for memory in page["items"]:
                if memory["status"] in LIVING and needed <= set(memory["tags"]):
                    yield memory
            if (cursor := page["cursor"]) is None:
                return
        raise InvalidInput(f"there are more than {PAGES * PAGE:,} memories; specify a user_id")

    def _call(self, operation: str, arguments: Mapping[str, Any]) -> Any:
        named = {name: item for name, item in arguments.items() if item is not None}
        with recording_calls(self._service.calls, DOOR, operation):
            return self._service.call(self._principal, operation, named)


def item_of(memory: Mapping[str, Any], record: Mem0Record) -> dict[str, JsonValue]:
    """Return a memory in mem0's response format."""
    tags = [tag.partition(":") for tag in memory["tags"]]
    until, at = memory.get("valid_until"), record.timestamp
    owners = {name: record.owners.get(name, (None,))[-1] for name in OWNERS}
    return {
        "id": memory["id"],
        "memory": memory["content"],
        "hash": hashlib.sha256(str(memory["content"]).encode()).hexdigest(),
        "metadata": {**record.metadata} or None,
        "categories": [value for name, _, value in tags if name == CATEGORY],
        "created_at": _time(memory["created_at"] if at is None else at),
        "updated_at": _time(memory["updated_at"]),
        "expiration_date": _time(until)[:10] if until else None,
        **owners,
    }


def _facts(memory: Mapping[str, Any], record: Mem0Record) -> dict[str, Any]:
    """Return the values that filters compare: an item with all its owners."""
    return {**item_of(memory, record), **record.owners}


def _change(
    id: str, number: int, before: str | None, after: str | None, event: str, at: Any
) -> dict[str, JsonValue]:
    return {
        "id": f"{id}:{number}",
        "memory_id": id,
        "old_memory": before,
        "new_memory": after,
        "event": event,
        "created_at": _time(at),
        "updated_at": _time(at),
    }


def _edit(
    memory: Mapping[str, Any], body: Mapping[str, Any], record: Mem0Record
) -> dict[str, JsonValue]:
    """Return the edit that corresponds to a memory update."""
    edit: dict[str, JsonValue] = {}
    if text := _text(body.get("text") or body.get("data")):
        edit["content"] = text
    if isinstance(body.get("metadata"), dict):
        tags = [tag for tag in memory["tags"] if owner_of(tag) or tag == MARK]
        edit["tags"] = [*tags, *_metadata_tags(_updated(record, body).metadata)][:TAGS]
    if "expiration_date" in body:
        until = body["expiration_date"]
        edit |= {"valid_until": _moment(until)} if until else {"unset": ["valid_until"]}
    return edit


def _updated(record: Mem0Record, body: Mapping[str, Any]) -> Mem0Record:
    """Return a record with the metadata and time of an update.

    Metadata fields that the update does not name are kept, as in mem0's own library.
    """
    metadata = {**record.metadata, **_metadata(body)}
    at = _timestamp(body)
    return replace(record, metadata=metadata, timestamp=record.timestamp if at is None else at)


def _asks_for_all(text: str) -> bool:
    """Return whether a query has no search term and so matches everything."""
    spoken = command(text, direct=True)
    everything = spoken == SpokenCommand(CommandKind.KNOW, "")
    return everything or _VAGUE.issuperset(words(text))


def _owners(body: Mapping[str, Any]) -> dict[str, str]:
    inner = body.get("filters")
    fields = {**(inner if isinstance(inner, dict) else {}), **body}
    owners = {name: normalise(str(fields[name])) for name in OWNERS if fields.get(name)}
    if not owners:
        raise InvalidInput(f"specify an owner of these memories: one of {', '.join(OWNERS)}")
    return owners


def _metadata(body: Mapping[str, Any]) -> dict[str, JsonValue]:
    metadata = body.get("metadata")
    return metadata if isinstance(metadata, dict) else {}


def _metadata_tags(metadata: Mapping[str, Any]) -> list[str]:
    """Return the metadata that can be represented as tags.

    The tags make memories searchable in every interface.
    """
    tags = [
        f"{name}:{one_line(normalise(str(value)))}"
        for name, value in metadata.items()
        if isinstance(value, str | int | float) and name not in OWNERS.values()
    ]
    return [tag for tag in tags if len(tag) <= TAG]


def _uuid(id: str) -> str:
    try:
        return str(UUID(id))
    except ValueError:
        raise BadMem0Request(f"a memory id must be a UUID, not {id[:80]!r}") from None


def _text(content: object) -> str:
    """Return the text of a message, which may consist of several parts."""
    if isinstance(content, list):
        parts: Sequence[object] = [item.get("text") for item in content if isinstance(item, dict)]
        return "\n".join(part for part in parts if isinstance(part, str)).strip()
    return content.strip() if isinstance(content, str) else ""


def _moment(value: object) -> int:
    at = parse_iso_time(value) if isinstance(value, str) else None
    if at is None:
        raise InvalidInput("expiration_date must be a date, such as 2027-01-31")
    return at


def _timestamp(body: Mapping[str, Any]) -> int | None:
    """Return the time of a request in microseconds.

    In mem0 the time is in Unix seconds or ISO 8601.
    """
    at = body.get("timestamp")
    if at is None:
        return None
    if isinstance(at, str) and (result := parse_iso_time(at)) is not None:
        return result
    if isinstance(at, bool) or not isinstance(at, int | float) or not 0 <= at < 253_402_300_800:
        raise InvalidInput(f"timestamp must be Unix seconds or an ISO 8601 time, not {at!r:.40}")
    return int(at * 1_000_000)


def _time(at: Any) -> str:
    return iso_time(at) if isinstance(at, int) else str(at)
