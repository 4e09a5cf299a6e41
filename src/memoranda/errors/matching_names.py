"""Names in a text, used to relate an error to its fix."""

from __future__ import annotations

import re

LONGEST = 600
"""Maximum characters of a text that are searched for names."""
LEAST = 4
"""Minimum characters of a significant name."""
_QUOTED = re.compile(r"['\"`\u2018\u201c]([\w./@:+-]{2,80})['\"`\u2019\u201d]")
_NAMED = re.compile(r"[A-Za-z_][\w-]{0,60}(?:[./][\w-]{1,60}){1,8}|\b\w{1,40}_\w{1,40}\b")


def names_in(text: str) -> list[str]:
    """Return the names in a text: quoted words, paths, identifiers.

    Identifiers are dotted and underscored names. All are in lower case; the last part of a path is
    also returned.
    """
    found = [*_QUOTED.findall(text[:LONGEST]), *_NAMED.findall(text[:LONGEST])]
    found += [name.rpartition("/")[2] for name in found if "/" in name]
    return list(dict.fromkeys(name.lower() for name in found if len(name) >= LEAST))
