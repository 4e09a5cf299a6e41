"""Finds lists in a message whose heading announces rules."""

from __future__ import annotations

import re
from collections.abc import Iterator

from memoranda.language.prose import LIST_MARK
from memoranda.language.sentences import sentences

MAX_LENGTH = 60
"""Maximum length of a heading in characters."""

_ITEM = re.compile(rf"[ \t]*{LIST_MARK}\S")
_RULES = re.compile(
    r"\b(?:(?:ground |house |project |team |coding |working |general )?rules|constraints?"
    r"|conventions?|guidelines|guard ?rails|house style|principles|policies|dos and don'?ts"
    r"|keep in mind|(?:please |things to )remember|always|never|from now on"
    r"|(?:grund)?regeln|konventionen|vorgaben|richtlinien|immer|nie(?:mals)?|ab jetzt"
    r"|r[eè]gles|contraintes|consignes|toujours|jamais|reglas|normas|restricciones|convenciones"
    r"|siempre|nunca|regras|restri[cç][oõ]es|conven[cç][oõ]es|sempre|regole|vincoli|convenzioni"
    r"|regels|afspraken|zasady|regu[lł]y|zawsze|nigdy|правила|ограничения|соглашения|всегда"
    r"|никогда)\b|规则|規則|规范|約束|约束|约定|ルール|規約|制約|규칙|제약",
    re.IGNORECASE,
)
_PASSING = re.compile(
    r"\b(?:broke|violat\w+|fail\w*|lint\w*|firewall|eslint|css|alert\w*|today|for now|this time"
    r"|heute|hoy|hoje|aujourd'hui)\b",
    re.IGNORECASE,
)
_INLINE = re.compile(r"\s(?P<number>[1-9])[.)](?=\s\S)")
"""Number of an item within a line."""
MIN_ITEMS = 3
"""Minimum number of items of an inline list."""
_SENTENCE_END = re.compile(r"(?<=[.!?])\s(?=[A-Z])")
_HEADING_END = (":", "\uff1a", ":**", "**:")


def item_lines(text: str) -> str:
    """Return a text with each item of inline numbered lists on its own line.

    Such a list has at least three items, numbered from 1, after a heading that announces rules.
    White space is replaced by line breaks, so positions are unchanged.

    Example:
        >>> item_lines("House rules: 1. no mocks 2. no globals 3. use uv. Now go on.")
        'House rules:\\n1. no mocks\\n2. no globals\\n3. use uv.\\nNow go on.'
    """
    items = list(_INLINE.finditer(text))
    run: list[re.Match[str]] = []
    for item in items:
        number = int(item["number"])
        if number == 1 and _is_heading(text[: item.start()].rsplit("\n", 1)[-1].strip()):
            run = [item]
        elif run and number == len(run) + 1:
            run.append(item)
    if len(run) < MIN_ITEMS:
        return text
    ends = [item.start() for item in run]
    rest = text[run[-1].end() :].split("\n", 1)[0]
    if after := _SENTENCE_END.search(rest):
        ends.append(run[-1].end() + after.start())
    lines = list(text)
    for at in ends:
        lines[at] = "\n"
    return "".join(lines)


def rule_lists(text: str) -> list[tuple[int, int]]:
    """Return the start and end of each list of rules, in order.

    A list consists of lines that begin with a bullet or a number, and their continuation lines. It
    follows its heading directly or after one empty line.

    Example:
        >>> text = "Fix it. Some rules:\\n- Only the library.\\n- No new files.\\n\\nThanks"
        >>> [text[start:end] for start, end in rule_lists(text)]
        ['- Only the library.\\n- No new files.']
    """
    return list(_lists(text)) if "\n" in text else []


def _lists(text: str) -> Iterator[tuple[int, int]]:
    at, heads, gaps = 0, False, 0
    start = end = -1
    for line in text.split("\n"):
        bare = line.strip()
        if start >= 0 and bare and (_ITEM.match(line) or line[0] in " \t"):
            end = at + len(line.rstrip())
        elif start < 0 and heads and gaps < 2 and _ITEM.match(line):
            start, end = at, at + len(line.rstrip())
        else:
            if start >= 0:
                yield start, end
            start = end = -1
            heads, gaps = (_is_heading(bare), 0) if bare else (heads, gaps + 1)
        at += len(line) + 1
    if start >= 0:
        yield start, end


def _is_heading(line: str) -> bool:
    """Return whether a line ends with a heading that announces rules.

    Only the last sentence of the line is considered, since an instruction may precede it.
    """
    if line.startswith("#"):
        last = line.lstrip("#* ")
    elif line.endswith(_HEADING_END):
        last = sentences(line)[-1]
    else:
        return False
    named = len(last) <= MAX_LENGTH and _RULES.search(last) is not None
    return named and _PASSING.search(last) is None
