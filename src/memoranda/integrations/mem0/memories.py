"""mem0's memories as ours: whose they are by workspace and tags, nothing deleted for good."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from memoranda.errors import InvalidInput, NotFound
from memoranda.integrations.mem0.filters import OWNERS, owners_in, wanted
from memoranda.measuring import heard
from memoranda.service import Service
from memoranda.text import clip, normalise, one_line
from memoranda.values.json import JsonValue, iso_time, parse_iso_time
from memoranda.values.principal import Principal

DOOR = "mem0"
"""What these routes are called where calls are counted."""
MARK = "mem0"
"""The tag of every memory that these routes make, and see."""
LIVING = ["pending", "approved"]
PAGES, PAGE = 20, 500
"""Memories of a place that are looked through: the newest ten thousand."""
TAGS, TAG = 10, 80
CATEGORY = "category"


class Mem0Memories:
    """The memories that one caller sees. An agent's wait for a person and are found meanwhile."""

    def __init__(self, service: Service, principal: Principal) -> None:
        self._service = service
        self._principal = principal

    def add(self, body: Mapping[str, Any]) -> list[dict[str, JsonValue]]:
        """Keep what is said in messages: each of a person's as a memory, with ``infer`` off each of
        anybody's; what else is said, as observations.

        Raises:
            InvalidInput: there are no messages, or nobody whose they are.
        """
        owners = self._owners(body)
        messages = [one for one in body.get("messages") or () if isinstance(one, dict)]
        if not messages:
            raise InvalidInput("messages: a list with at least one, each with role and content")
        statement = self._statement(body, owners)
        made = []
        for message in messages:
            said, role = _text(message.get("content")), str(message.get("role") or "user")
            if said and (role == "user" or (body.get("infer") is False and role != "system")):
                stated = {"statement": {**statement, "content": said}}
                kept = self._call("remember", {**stated, "workspace": _place(owners)})
                made.append({"id": kept["id"], "memory": kept["content"], "event": "ADD"})
            elif said:
                task = {"task": MARK, "workspace": _place(owners), "type": "message"}
                self._call("observe", {"content": f"{role}: {said}", **task})
        return made

    def get(self, id: str) -> dict[str, JsonValue]:
        """Return one memory.

        Raises:
            NotFound: there is none, or it was deleted.
        """
        return item_of(self._memory(id))

    def listed(self, filters: JsonValue = None) -> list[dict[str, JsonValue]]:
        """Return memories, newest first.

        Raises:
            InvalidInput: the filter is not one.
        """
        fits = wanted(filters)
        found = map(item_of, self._living(owners_in(filters)))
        return [one for one in found if fits(one)]

    def search(
        self, query: str, filters: JsonValue, *, limit: int, threshold: float = 0.0
    ) -> list[dict[str, JsonValue]]:
        """Return the best memories for a question, with scores from 0 to 1.

        Raises:
            InvalidInput: the filter is not one.
        """
        fits, owners = wanted(filters), owners_in(filters)
        where: dict[str, JsonValue] = {
            "kinds": ["memory"],
            "tags": [MARK, *_tags(owners)],
            "statuses": list(LIVING),
        }
        try:
            found = self._call(
                "search",
                {"query": query, "where": where, "workspace": _place(owners), "limit": 100},
            )
        except NotFound:
            return []  # of somebody who has none yet
        results = []
        for hit in found["hits"]:
            item = self.get(hit["id"])
            if hit["score"] >= threshold and fits(item):
                results.append({**item, "score": hit["score"]})
        return results[:limit]

    def update(self, id: str, body: Mapping[str, Any]) -> dict[str, JsonValue]:
        """Change what a memory says or how it is marked; what it was before is kept.

        Raises:
            NotFound: there is none.
        """
        memory = self._memory(id)
        edit: dict[str, JsonValue] = {}
        if text := _text(body.get("text") or body.get("data")):
            edit["content"] = text
        if isinstance(body.get("metadata"), dict):
            kept = [tag for tag in memory["tags"] if _owner(tag) or tag == MARK]
            edit["tags"] = [*kept, *_named(body["metadata"])][:TAGS]
        if body.get("expiration_date"):
            edit["valid_until"] = _moment(body["expiration_date"])
        if edit:
            self._call("memory.edit", {"id": memory["id"], "edit": edit, "reason": "mem0"})
        return self.get(id)

    def delete(self, id: str) -> None:
        """Take a memory out of use; a person can bring it back.

        Raises:
            NotFound: there is none.
        """
        self._call("memory.archive", {"id": self._memory(id)["id"], "reason": "deleted by mem0"})

    def delete_all(self, filters: JsonValue) -> int:
        """Take all memories that are meant out of use; return how many.

        Raises:
            InvalidInput: the filter names nobody: all of them are not meant by leaving that out.
        """
        if not filters:
            raise InvalidInput("name whose memories are to be deleted, such as user_id")
        found = self.listed(filters)
        for one in found:
            self.delete(str(one["id"]))
        return len(found)

    def history(self, id: str) -> list[dict[str, JsonValue]]:
        """Return what became of a memory, oldest first.

        Raises:
            NotFound: there is none.
        """
        memory = self._call("memory.show", {"id": id})["memory"]
        if MARK not in memory["tags"]:
            raise NotFound(f"no memory {id!r}")
        page = self._call("memory.history", {"id": memory["id"], "limit": PAGE})
        versions = page["items"][::-1]
        said = [one["state"]["content"] for one in versions] + [memory["content"]]
        times = [memory["created_at"], *(one["created_at"] for one in versions)]
        changes = []
        for number, (text, at) in enumerate(zip(said, times, strict=True)):
            before = said[number - 1] if number else None
            if before != text:
                event = "UPDATE" if number else "ADD"
                changes.append(_change(memory["id"], number, before, text, event, at))
        if memory["status"] not in LIVING:
            changes.append(_change(memory["id"], len(said), said[-1], None, "DELETE", times[-1]))
        return changes

    def entities(self) -> list[dict[str, JsonValue]]:
        """Return whose memories there are, with how many."""
        counts: dict[tuple[str, str], int] = {}
        for memory in self._living({}):
            for kind, name in filter(None, map(_owner, memory["tags"])):
                counts[kind, name] = counts.get((kind, name), 0) + 1
        return [
            {"id": f"{kind}:{name}", "type": kind, "name": name, "total_memories": count}
            for (kind, name), count in sorted(counts.items())
        ]

    def _owners(self, body: Mapping[str, Any]) -> dict[str, str]:
        inner = body.get("filters")
        given = {**(inner if isinstance(inner, dict) else {}), **body}
        owners = {name: one_line(normalise(str(given[name]))) for name in OWNERS if given.get(name)}
        if not owners:
            raise InvalidInput(f"say whose memories these are: one of {', '.join(OWNERS)}")
        return owners

    def _statement(self, body: Mapping[str, Any], owners: Mapping[str, str]) -> dict[str, Any]:
        metadata = body.get("metadata")
        named = _named(metadata if isinstance(metadata, dict) else {})
        statement: dict[str, Any] = {"tags": [MARK, *_tags(owners), *named][:TAGS]}
        if body.get("expiration_date"):
            statement["valid_until"] = _moment(body["expiration_date"])
        return statement

    def _memory(self, id: str) -> dict[str, Any]:
        found: dict[str, Any] = self._call("memory.show", {"id": id})["memory"]
        if MARK not in found["tags"] or found["status"] not in LIVING:
            raise NotFound(f"no memory {id!r}")
        return found

    def _living(self, owners: Mapping[str, str]) -> Iterator[dict[str, Any]]:
        needed, cursor = {MARK, *_tags(owners)}, None
        for _ in range(PAGES):
            given = {"limit": PAGE, "cursor": cursor, "workspace": _place(owners)}
            try:
                page = self._call("memory.list", given)
            except NotFound:
                return  # of somebody who has none yet
            for memory in page["items"]:
                if memory["status"] in LIVING and needed <= set(memory["tags"]):
                    yield memory
            if (cursor := page["cursor"]) is None:
                return

    def _call(self, operation: str, given: Mapping[str, Any]) -> Any:
        named = {name: one for name, one in given.items() if one is not None}
        with heard(self._service.calls, DOOR, operation):
            return self._service.call(self._principal, operation, named)


def item_of(memory: Mapping[str, Any]) -> dict[str, JsonValue]:
    """Return a memory as mem0's answers have it."""
    owners = dict(filter(None, map(_owner, memory["tags"])))
    others = [tag.split(":", 1) for tag in memory["tags"] if ":" in tag and not _owner(tag)]
    until = memory.get("valid_until")
    return {
        "id": memory["id"],
        "memory": memory["content"],
        "hash": hashlib.sha256(str(memory["content"]).encode()).hexdigest(),
        "metadata": {name: value for name, value in others if name != CATEGORY} or None,
        "categories": [value for name, value in others if name == CATEGORY],
        "created_at": _time(memory["created_at"]),
        "updated_at": _time(memory["updated_at"]),
        "expiration_date": _time(until)[:10] if until else None,
        **{name: owners.get(kind) for name, kind in OWNERS.items()},
    }


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


def _place(owners: Mapping[str, str]) -> str | None:
    """Return the workspace of whoever is named first: two people who say the same are two."""
    first = next((name for name in OWNERS if name in owners), None)
    return clip(f"{OWNERS[first]}:{owners[first]}", 200) if first else None


def _tags(owners: Mapping[str, str]) -> list[str]:
    return [clip(f"{OWNERS[name]}:{one}", TAG) for name, one in owners.items()]


def _owner(tag: str) -> tuple[str, str] | None:
    kind, colon, name = tag.partition(":")
    return (kind, name) if colon and kind in OWNERS.values() else None


def _named(metadata: Mapping[str, Any]) -> list[str]:
    tags: list[str] = []
    for name, value in metadata.items():
        if isinstance(value, dict | list) or value is None:
            raise InvalidInput(f"metadata {name!r}: only texts, numbers, and yes or no are kept")
        said = one_line(normalise(str(value)))
        if name in OWNERS.values() or len(tag := f"{name}:{said}") > TAG:
            raise InvalidInput(
                f"metadata {name!r}: the name is taken, or it is over {TAG} characters"
            )
        tags.append(tag)
    return tags


def _text(content: object) -> str:
    """Return the words of a message, which may be in parts."""
    if isinstance(content, list):
        parts: Sequence[object] = [one.get("text") for one in content if isinstance(one, dict)]
        return "\n".join(one for one in parts if isinstance(one, str)).strip()
    return content.strip() if isinstance(content, str) else ""


def _moment(given: object) -> int:
    at = parse_iso_time(given) if isinstance(given, str) else None
    if at is None:
        raise InvalidInput("expiration_date: a day, such as 2027-01-31")
    return at


def _time(at: Any) -> str:
    return iso_time(at) if isinstance(at, int) else str(at)
