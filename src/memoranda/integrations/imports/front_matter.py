"""Front matter of a Markdown page: title, tags and dates, YAML or TOML.

The supported part of YAML is names with a text, a list, or a block of lines as the value. Deeper
nesting is ignored.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field

from memoranda.integrations.imports.imported_items import TAG, items_of, tags_of, text_of, time_of
from memoranda.text import clip, one_line

_YAML = re.compile(r"\A---[ \t]*\n(.*?)(?:^|\n)(?:---|\.\.\.)[ \t]*(?:\n|\Z)", re.DOTALL)
_TOML = re.compile(r"\A\+\+\+[ \t]*\n(.*?)(?:^|\n)\+\+\+[ \t]*(?:\n|\Z)", re.DOTALL)
_FIELD = re.compile(r"([\w][\w .-]*?)[ \t]*:(?:[ \t]+(.*)|)\Z")
_ITEM = re.compile(r"[ \t]*-(?:[ \t]+(.*)|)\Z")
_COMMENT = re.compile(r"(?:^|[ \t]+)#.*\Z")
_PARTED = re.compile(r"[,\n]+")
_NOTHING = frozenset({"null", "~", "{}"})
_CREATED = ("created", "created_at", "date", "date_created", "created-at", "creation_date")
_CHANGED = ("updated", "updated_at", "modified", "date_modified", "date_updated", "lastmod")
_OWN = frozenset({"title", "tags", "tag", *_CREATED, *_CHANGED})


@dataclass(frozen=True, slots=True)
class FrontMatter:
    """Metadata at the start of a page."""

    title: str = ""
    tags: tuple[str, ...] = ()
    """The page's tags, followed by its other short fields as name:value."""
    created_at: int | None = None
    """Time in microseconds, in the same format as the other time."""
    updated_at: int | None = None


@dataclass(slots=True)
class _Fields:
    """Fields during parsing, line by line."""

    found: dict[str, object] = field(default_factory=dict)
    name: str = ""
    in_block: bool = False

    def take(self, line: str) -> None:
        indented = line[:1] in (" ", "\t")
        if indented and self.in_block:
            self._continue(line)
        elif (item := _ITEM.match(line)) and self.name:
            if not _FIELD.match(item[1] or ""):  # such items are nested deeper and ignored
                self._add(_scalar(item[1] or ""))
        elif not indented and (match := _FIELD.match(line)) is not None:
            self.name = match[1].strip().lower()
            value = (match[2] or "").strip()
            self.in_block = value[:1] in ("|", ">")
            self.found[self.name] = "" if self.in_block else _value(value)
        elif indented and self.found.get(self.name) and ":" not in line:
            self._continue(line)

    def _continue(self, line: str) -> None:
        previous = self.found.get(self.name)
        if isinstance(previous, str):
            self.found[self.name] = f"{previous}\n{line.strip()}".strip()

    def _add(self, item: str) -> None:
        previous = self.found.get(self.name)
        listed = previous if isinstance(previous, list) else [previous] if previous else []
        self.found[self.name] = [*listed, item]


def split_front_matter(text: str) -> tuple[FrontMatter, str]:
    """Split a page into its front matter and the rest.

    Lines end at line feeds.
    """
    if (yaml := _YAML.match(text)) is not None:
        fields = _yaml(yaml[1])
        if fields or not yaml[1].strip():
            rest = text[yaml.end() :]
            second = _YAML.match(rest.lstrip("\n"))
            if second is None or not _is_metadata(second[1]):
                return _front(fields), rest
            others = _yaml(second[1])
            named = {"title": others["name"]} if "name" in others else {}
            return _front({**named, **others, **fields}), rest.lstrip("\n")[second.end() :]
    elif (toml := _TOML.match(text)) is not None:
        try:
            return _front(tomllib.loads(toml[1])), text[toml.end() :]
        except tomllib.TOMLDecodeError:
            return FrontMatter(), text
    return FrontMatter(), text


def _is_metadata(text: str) -> bool:
    """Return whether a block after the front matter is also front matter.

    Programs that add front matter do not always notice that a page already has some.
    """
    lines = [line for line in text.split("\n") if line.strip()]
    names = {field[1].lower() for line in lines if (field := _FIELD.match(line))}
    plain = all(line[:1] in " \t-#" or _FIELD.match(line) for line in lines)
    return plain and not names.isdisjoint(("title", "name", "permalink"))


def _yaml(text: str) -> Mapping[str, object]:
    fields = _Fields()
    for line in text.split("\n"):
        if line.strip() and not line.lstrip().startswith("#"):
            fields.take(line.rstrip())
    return fields.found


def _front(front_fields: Mapping[str, object]) -> FrontMatter:
    fields = {name.lower(): value for name, value in front_fields.items()}
    named = [*_tags(fields.get("tags")), *_tags(fields.get("tag"))]
    others = {name: value for name, value in fields.items() if name not in _OWN}
    return FrontMatter(
        title=one_line(text_of(fields.get("title"))),
        tags=tuple(dict.fromkeys([*named, *tags_of(others)])),
        created_at=_time(fields, _CREATED),
        updated_at=_time(fields, _CHANGED),
    )


def _tags(value: object) -> list[str]:
    listed = _PARTED.split(value) if isinstance(value, str) else items_of(value)
    plain = (one_line(str(item)).lstrip("#").strip() for item in listed)
    return [clip(one, TAG) for one in plain if one]


def _time(fields: Mapping[str, object], names: tuple[str, ...]) -> int | None:
    times = (time_of(str(fields[name]).strip()) for name in names if name in fields)
    return next((at for at in times if at is not None), None)


def _value(text: str) -> object:
    if text.startswith("[") and (end := text.rfind("]")) > 0:
        return [one for item in text[1:end].split(",") if (one := _scalar(item))]
    return _scalar(text)


def _scalar(text: str) -> str:
    """Return a scalar without its quotes or without a trailing comment."""
    plain = text.strip()
    if plain in _NOTHING:
        return ""
    quote = plain[:1]
    if quote not in ("'", '"'):
        return _COMMENT.sub("", plain).strip()
    bare = _COMMENT.sub("", plain).strip()
    whole = bare if len(bare) > 1 and bare.endswith(quote) else plain
    end = whole.rfind(quote)
    inner = whole[1:end] if end > 0 else whole[1:]
    return inner.replace("\\" + quote if quote == '"' else "''", quote)
