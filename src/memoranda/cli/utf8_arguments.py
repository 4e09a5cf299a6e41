"""Decoding of command-line texts, whose bytes are UTF-8 in every locale."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

import click

from memoranda.exceptions import InvalidInput


def utf8_arguments(arguments: Mapping[str, Any], command: click.Command) -> dict[str, Any]:
    """Return the arguments of a command with their texts decoded as UTF-8.

    Python marks the bytes that its locale cannot decode, such as all non-ASCII bytes in the C
    locale. In a path, the marks are kept: the file system needs the same bytes.

    Raises:
        InvalidInput: a text is not UTF-8; nothing is stored with unreadable characters.
    """
    paths = {item.name for item in command.params if isinstance(item.type, click.Path)}
    return {
        name: value if name in paths else _decoded(value, name) for name, value in arguments.items()
    }


def _decoded(value: Any, name: str) -> Any:
    if isinstance(value, tuple):
        return tuple(_decoded(item, name) for item in value)
    if not isinstance(value, str) or not any("\udc80" <= char <= "\udcff" for char in value):
        return value
    try:
        data = os.fsencode(value)
    except UnicodeEncodeError:  # the text does not come from the command line
        return value
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise InvalidInput(
            f"{name} must be UTF-8: its byte {error.start + 1:,} is 0x{data[error.start]:02x}; "
            "convert it, for example: iconv -f latin1 -t utf-8"
        ) from None
