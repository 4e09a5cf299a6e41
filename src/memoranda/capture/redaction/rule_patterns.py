"""Building blocks of redaction rules: the rule class and pattern parts.

Patterns are RE2 and run on UTF-8 bytes read as Latin-1, so a class such as ``[^"]`` matches any
byte. They tolerate terminal colour codes, percent escapes and JSON inside JSON. A rule's name is
part of its placeholder, so the name must not contain a term that makes a name sensitive (``token``,
``key``, ``auth`` …): a second pass would take the placeholder for an assignment.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from memoranda.capture.redaction.secret_names import (
    KEY_KINDS,
    STRONG_WORDS,
    WEAK_WORDS,
    WHOLE_WORDS,
)

Judgement = Literal[
    "assigned", "setting", "called", "block", "encoded", "phrase", "cell", "before-name"
]
"""Checks that also receive the name of a value."""
Comparison = Literal["pair", "code", "vendor-key", "picked", "mixed", "announced"]
"""Checks that also receive the matched text before a value."""
Check = (
    Judgement
    | Comparison
    | Literal["", "labelled", "argument", "literal", "login", "dense", "present", "entropy"]
    | Literal[
        "luhn",
        "crumbs",
        "opaque",
        "spelled",
        "chosen",
        "stated",
        "distinct",
        "random",
        "phrase-words",
        "encoded-settings",
        "answer",
        "column",
    ]
)


@dataclass(frozen=True, slots=True)
class SecretRule:
    """Rule for one kind of secret.

    The rule runs only on text that contains one of its keywords, which are literal; a keyword in
    lower case matches any case. A rule without keywords or trace always runs. The secret is group
    1, or the whole match if there is no group, and must pass the named check. If the check is a
    `Judgement`, group 1 is the name and group 2 the value, perhaps with its opening quote; for
    ``before-name`` it is the reverse. The values of ``column`` are found by position, without a
    pattern.
    """

    name: str
    pattern: str
    keywords: tuple[str, ...] = ()
    check: Check = ""
    trace: str = ""
    """Pattern that occurs in every text that the rule matches."""


# The sensitive words as patterns; `strength` decides whether a whole name is sensitive. The next
# character must not continue the word: "tokens", "author" and "passed" are other words.
KEY = rf"(?:{'|'.join(KEY_KINDS)})[ _.-]?keys?"
WORD = "|".join((*STRONG_WORDS, *WEAK_WORDS, *WHOLE_WORDS, KEY)).replace("_?", "[_.-]?")
NAME = rf"((?i:{WORD})(?:[A-Z0-9_.\-][\w.\-]*)?)"
NAME_UPPER = rf"((?:{WORD.upper()})(?:[0-9_][A-Z0-9_]*)?)"
TRACE = rf"(?i:{WORD})(?:[^a-z]|$)"
"""Pattern that occurs in every text in which `NAME` can match."""

# Text directly before a secret without a known prefix: no word, or the end of an escape.
LEFT = r"(?:^|[^A-Za-z0-9]|\\[nrtbf]|\\u[0-9A-Fa-f]{4}|%[0-9A-Fa-f]{2}|\[[0-9;]*m)"
ANSI = r"(?:(?:\x1b|\\+(?:u001[bB]|x1[bB]|033|e))\[[0-9;]*m)*"
# White space, escaped or not, with the line numbers that file viewers put in front of each line.
AFTER_NUMBER = r"(?:\xe2\x86\x92|\\+u2192|[:|\t])"
GAP = rf"(?:(?:\s|\\+[nrt])+(?:\d+{AFTER_NUMBER})?)+"
LOGIN = rf"(?:{GAP}(?:login|account){GAP}\S+?)"
ARGS = r"[ \t][^\r\n;|]*?"
QUOTE = r"(?:\\*[\"'])"

PLAIN = r"(?:[^\s\"'`\\,;&\x1b]|\\+[^\s\"'`\\,;&\x1bnrtbfu])"
BARE = rf"{PLAIN}{{3,}}[^\s\"'`\\,;&\x1b)\]}}>.:]"
SHELL = r"(?:[^\s\"'`\\\x1b]|\\+[^\s\"'`\\\x1bnrtbfu])"
# Quoted values by the number of times that the text was escaped: each time, n backslashes before a
# quote become 2n + 1, so an opening quote determines its closing quote, and more backslashes mean a
# quote inside. No closing quote is required, so that truncated values match too.
QUOTED = (
    "[bfruBFRUN$@]{0,2}(?:"
    + "|".join(
        (
            r"\"(?:[^\"\\\r\n]|\\[^\r\n])*",
            r"\\\"(?:[^\"\\\r\n]|\\{2,}\"|\\+[^\"\\\r\n])*",
            r"\\{3}\"(?:[^\"\\\r\n]|\\{4,}\"|\\+[^\"\\\r\n])*",
            r"\\{7}\"(?:[^\"\\\r\n]|\\{8,}\"|\\+[^\"\\\r\n])*",
            r"\\{8,}\"(?:[^\"\\\r\n]|\\+[^\"\\\r\n])*",
            r"'(?:[^'\\\r\n]|\\[^\r\n])*",
            r"`[^`\r\n]*",
        )
    )
    + ")"
)
VALUE = rf"({QUOTED}|{BARE})"
# Text of a declaration between a name and its value: ``char x[] =``, ``x string =``, ``x: T =``.
_TYPE = r"(?:\[\d*\]|[ \t]+(?:As[ \t]+)?(?i:string|n?varchar|text)(?:\(\d+\))?)?"
_ANNOTATION = r":[ \t]*(?:&'?)?[\w.\[\]|?<>:]+(?:[ \t]str)?[ \t]+=[ \t]"
SEPARATOR = (
    rf"{ANSI}\\*[\"'`]?\]?{_TYPE}{ANSI}[ \t]*"
    rf"(?:{_ANNOTATION}|=>|<-|\?\??=|\|\|=|:=|:\*\*|\*\*:|[:=]{{1,3}})[ \t]*{ANSI}"
)
WORD_VALUE = r"([^\s\"'`\\,;\x1b]+)"

# The end of a line, escaped or not, and a viewer's prefix of the next line.
LINE = rf"(?:\r?\n|(?:\\+r)?\\+n)(?:[ \t]*\d+{AFTER_NUMBER})?"

PRIVATE = r"[A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-{4,5}"
# Between a PEM header and its body: line breaks, escaped or not, line numbers, diff marks, quotes.
PEM_NOISE = r"(?:[\s\"',+>|:.\-\d]|\\+[nrt]|\xe2\x86\x92|\\+u2192)*"
PEM_BODY = r"(?:[A-Za-z0-9+/=]{16}|Proc-Type|DEK-Info|Version:|Comment:|Charset:)"


def unattached(pattern: str) -> str:
    """Return a pattern, as group 1, that does not match inside a word."""
    return f"{LEFT}({pattern})"
