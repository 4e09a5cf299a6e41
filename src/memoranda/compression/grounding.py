"""Check that a model's short texts are supported by their cited lines.

Used for texts that may be acted on, where a single added term can change a command.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from importlib.resources import files

from memoranda.compression.model import CompressedLine
from memoranda.compression.verification import Rewrite, RewriteEvidence
from memoranda.language.words import GRAMMAR, spelt_words, stem

_QUOTED = re.compile('[`"\u201c]([^`"\u201c\u201d\n]{1,200})[`"\u201d]')


def ungrounded(
    lines: Sequence[CompressedLine], statements: Sequence[tuple[str, Sequence[str]]]
) -> str | None:
    """Return the unsupported part of the given texts, or None.

    A text must be supported by the lines that it names. In addition to the rules for summaries,
    everything in quotation marks or backticks must occur in these lines, and every word must occur
    in them or be in a short list of harmless explanatory words.
    """
    whole = {line.ref: "" for line in lines}
    for line in lines:
        whole[line.ref] += f"{line.text}\n"
    for text, refs in statements:
        source = "".join(whole.get(ref, "") for ref in refs)
        quoted = [part for part in _QUOTED.findall(text) if part.strip() not in source]
        allowed = set(map(stem, spelt_words(source))) | _plain()
        new = [
            word
            for word in spelt_words(text)
            if word.lower() not in GRAMMAR and stem(word) not in allowed
        ]
        if strange := [*quoted, *new]:
            return f"it has {strange[0][:60]!r}, which its source does not contain"
    rewrites = [Rewrite(text, tuple(dict.fromkeys(refs))) for text, refs in statements]
    return RewriteEvidence(lines, whole).fault(rewrites)


@cache
def _plain() -> frozenset[str]:
    found = files("memoranda.compression").joinpath("plain_words.txt").read_text(encoding="utf-8")
    return frozenset(map(stem, found.split()))
