"""Document keys built from parts: readable, unambiguous, sorted by part."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from memoranda.documents.model import checked_key
from memoranda.exceptions import InvalidInput

_ESCAPED = {"%": "%25", "/": "%2F", ":": "%3A"}


def joined(*parts: str) -> str:
    """Return a key built from parts.

    A key of the first parts plus a slash is a prefix of the complete key.
    """
    return "/".join(map(_escaped, parts))


def parted(key: str) -> list[str]:
    """Return the parts of a key."""
    return [_plain(part) for part in key.split("/")]


def below(parts: Iterable[str]) -> str:
    """Return the key prefix of everything below a namespace."""
    return "".join(f"{_escaped(part)}/" for part in parts)


def item_key(namespace: Sequence[str], key: str) -> str:
    """Return the key of an item.

    A colon ends the namespace; no label begins with a colon.
    """
    return f"{below(namespace)}:{_escaped(key)}"


def item_of(key: str) -> tuple[tuple[str, ...], str]:
    """Return the namespace and key of an item."""
    *labels, last = key.split("/")
    return tuple(map(_plain, labels)), _plain(last.removeprefix(":"))


def exact(key: str) -> str:
    """Return a validated key, which is stored unchanged.

    Raises:
        InvalidInput: the key is too long, or contains text that would be replaced when stored.
    """
    if checked_key(key) != key:
        raise InvalidInput("a name with NUL or an incomplete character cannot be stored")
    return key


def _escaped(part: str) -> str:
    if not isinstance(part, str):  # frameworks pass on their callers' keys unchecked
        raise InvalidInput(f"a part of a name must be a string, not {part!r:.40}")
    for sign, escape in _ESCAPED.items():
        part = part.replace(sign, escape)
    return part


def _plain(part: str) -> str:
    for sign, escape in reversed(_ESCAPED.items()):
        part = part.replace(escape, sign)
    return part
