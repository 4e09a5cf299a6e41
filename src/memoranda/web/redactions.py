"""Redaction marks in a text, rendered as labels."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from markupsafe import Markup, escape

_MARK = re.compile(r"\[redacted:([a-z0-9-]{1,60}):[0-9a-f]{8}\]")


def kinds(text: str) -> Sequence[tuple[str, int]]:
    """Return the kinds of secrets redacted in a text, with counts.

    The commonest come first.
    """
    found = Counter(mark[1] for mark in _MARK.finditer(text))
    return found.most_common()


def marked(text: str) -> Markup:
    """Return a text as HTML, escaped, with a chip in place of each mark."""
    parts: list[Markup] = []
    at = 0
    for mark in _MARK.finditer(text):
        parts.append(escape(text[at : mark.start()]))
        parts.append(
            Markup('<mark class="redacted" title="{}">redacted: {}</mark>').format(
                mark[0], mark[1].replace("-", " ")
            )
        )
        at = mark.end()
    return Markup("").join([*parts, escape(text[at:])])
