"""Whether short texts of a model say no more than a few lines of the record do.

For texts that may be acted on: a command with one word more is another command.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from importlib.resources import files

from memoranda.compression.extract.words import STOP, stem, words
from memoranda.compression.model import CompressedLine
from memoranda.compression.verification import Rewrite, RewriteEvidence

_QUOTED = re.compile('[`"\u201c]([^`"\u201c\u201d\n]{1,200})[`"\u201d]')


def ungrounded(
    lines: Sequence[CompressedLine], told: Sequence[tuple[str, Sequence[str]]]
) -> str | None:
    """Return what of some texts the lines that they name do not bear out, or None.

    Beyond what holds for summaries, what stands in quotation marks or backticks stands there, and
    every word does or is one of a short list of words that explain and are no commands.
    """
    whole = {line.ref: "" for line in lines}
    for line in lines:
        whole[line.ref] += f"{line.text}\n"
    for text, refs in told:
        source = "".join(whole.get(ref, "") for ref in refs)
        quoted = [part for part in _QUOTED.findall(text) if part.strip() not in source]
        known = set(map(stem, words(source))) | _plain()
        new = [word for word in words(text) if word.lower() not in STOP and stem(word) not in known]
        if strange := [*quoted, *new]:
            return f"it has {strange[0][:60]!r}, which its source does not have"
    rewrites = [Rewrite(text, tuple(dict.fromkeys(refs))) for text, refs in told]
    return RewriteEvidence(lines, whole).fault(rewrites)


@cache
def _plain() -> frozenset[str]:
    found = files("memoranda.compression").joinpath("plain_words.txt").read_text(encoding="utf-8")
    return frozenset(map(stem, found.split()))
