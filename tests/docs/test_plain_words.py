"""Texts that a person reads use the field's terms: phrases of a dialect are kept out."""

from __future__ import annotations

import re

import click
import pytest
from reader_texts import ReaderText, all_texts, class_texts, commands, tool_texts

WIDTH = 72
"""Most characters of a description, which is whole in its first line."""
BANNED = {
    r"\btold\b|\btells?\b": "show, report, record, state",
    r"\bmend(s|ed|ing)?\b": "fix",
    r"\bheld\b(?!-out)|\bholds\b|\bhold (it )?back\b": "quarantined, contain, is valid, applies",
    r"\bwait(s|ing)? for (a|your|the)( person'?s?)? (word|person|decision)\b": "pending approval",
    r"\b(waits?|waiting) for a word\b": "pending approval",
    r"\b(person's|your) word\b|\bwords? of\b|\bfewer words\b|\bother words\b": "text, summary",
    r"\b(laid|lays?|laying) down\b": "requirement, instruction",
    r"\bby hand\b": "manually",
    r"\bstands?\b(?! for\b)": "is, contains",
    r"\bwhoever\b|\bsomebody\b|\bnobody\b|\beverybody\b": "user, caller, no one",
    r"\bheeds?\b": "affects",
    r"\bput away\b": "deleted",
    r"\btak(e|es|en|ing) (it |that |them )?(back|out)\b(?! of\b)": "undo, redact",
    r"\b(brings?|brought) (it |that |them )?back\b": "restore",
    r"\bno more\b|\bany more\b|\banew\b": "no longer, again",
    r"\b(goes|go|going|went) on\b": "continue",
    r"\bof (no )?use\b": "helpful",
    r"\bat hand\b": "available, current",
    r"\bat least so\b": "minimum",
    r"\b(is|are) asked\b": "called, requested",
    r"(?<!there )\bis no (?!longer\b)": "is not a",
    r"\b(came|comes|come) of\b": "outcome, result",
    r"\bin the place of\b": "instead of",
    r"\bthe whole of\b": "full",
    r"\bgood no\b": "expired",
    r"\bknown already\b|\bhere already\b": "already stored",
    r"\bhow bad\b": "severity",
    r"\bof its own accord\b|\bby itself alone\b": "automatically",
    r"\bnot so\b": "negated",
    r"\bnonsense\b": "invalid answer",
}
"""Each phrase with what to write instead."""
ANY_BANNED = re.compile("|".join(BANNED), re.IGNORECASE)
EXAMPLES = re.compile(r"Example: .*")
"""Examples have texts of users, which are no texts of ours."""


def found(text: ReaderText) -> list[str]:
    """Return the banned phrases of a text, with what to write instead."""
    prose = EXAMPLES.sub("", text.text)
    if not ANY_BANNED.search(prose):
        return []
    matches = ((re.search(one, prose, re.IGNORECASE), better) for one, better in BANNED.items())
    return [f"{text.place}: {one[0]!r} (write: {better})" for one, better in matches if one]


def test_no_text_has_a_banned_phrase() -> None:
    texts = all_texts()
    assert len(texts) > 3_000
    assert [one for text in texts for one in found(text)] == []


@pytest.mark.parametrize(
    ("text", "banned"),
    [
        ("It waits for a person's word.", True),
        ("The rules go on alone.", True),
        ("the folder is no repository", True),
        ("It is pending approval.", False),
        ("It is no longer valid; the threshold is 3.", False),
    ],
)
def test_a_banned_phrase_is_found(text: str, banned: bool) -> None:
    assert bool(found(ReaderText("error", "here", text))) is banned


def test_each_command_is_described_whole_in_its_first_line() -> None:
    """Groups and commands by the first line of their help, options by all of it."""
    wrong = []
    for path, command in commands():
        first = (command.help or "").strip().splitlines()[:1]
        if not first or len(first[0]) > WIDTH or not first[0].endswith("."):
            wrong.append(path)
        for option in command.params:
            if isinstance(option, click.Option) and not option.hidden:
                text = (option.help or "").partition("  [")[0]
                if not text.endswith((".", ")")) or len(text) > WIDTH:
                    wrong.append(f"{path} {option.opts[0]}: {text}")
    assert wrong == []


def test_each_setting_error_and_tool_is_described_whole_in_its_first_line() -> None:
    """Settings and errors by their first line, parameters of tools by all of it."""
    long = [one.place for one in class_texts() if len(one.text.split(". ")[0]) > WIDTH]
    first = [one.text.split(". ")[0] for one in tool_texts()]
    assert (long, [text for text in first if len(text) > WIDTH]) == ([], [])
