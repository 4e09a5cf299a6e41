"""Text at the boundary: one normal form for every engine and every door."""

from __future__ import annotations

import re

_SURROGATES = re.compile("[\ud800-\udfff]")
_ANSI = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|[@-Z\\-_])")
_INVISIBLE = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e"
    "\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\U000e0000-\U000e0fff]"
)
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")
_SPACE = re.compile(r"\s+")
_CJK = re.compile("[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af]+")

_COMMAND = re.compile(r"\s*/(?P<name>[A-Za-z][\w.-]*(?::[\w.-]+)?)\s+(?P<arguments>\S[\s\S]*)")
_PREDICATE = re.compile(r"(?:is|are|was|has|have|does|do|must|should|may|can|will|needs?|and|or)\b")


def slash_command(text: str) -> tuple[str, str]:
    """Take what somebody typed apart into the name of a slash command and its arguments.

    The name is empty where there is no command or nothing follows it, as in a sentence about a
    path (``/tmp is full``); the arguments are the whole text then.
    """
    found = _COMMAND.fullmatch(text)
    if found is None or _PREDICATE.match(found["arguments"]):
        return "", text
    return found["name"], found["arguments"]


def normalise(text: str) -> str:
    """Make text storable on every engine: NUL becomes U+2400, lone surrogates U+FFFD.

    Idempotent, and the identity on ordinary text. SQLite cuts text at NUL and PostgreSQL refuses
    both, so this runs once, where text enters.
    """
    if "\0" in text:
        text = text.replace("\0", "\u2400")
    try:
        text.encode()
    except UnicodeEncodeError:
        text = _SURROGATES.sub("\ufffd", text)
    return text


def strip_ansi(text: str) -> str:
    """Drop terminal escape sequences, as in coloured test output."""
    return _ANSI.sub("", text) if "\x1b" in text else text


def visible(text: str) -> str:
    """Drop characters a person would not see: controls, bidi marks, zero widths, tag characters.

    They are the usual carriers of text that a model reads and a reviewer does not.
    """
    return _CONTROL.sub("", _INVISIBLE.sub("", strip_ansi(text)))


def one_line(text: str) -> str:
    """Fold all white space to single spaces."""
    return _SPACE.sub(" ", text).strip()


def escape(text: str) -> str:
    """Make remembered text safe inside a fence: one line, visible, without markup."""
    plain = normalise(one_line(visible(text)))
    return plain.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def clip(text: str, limit: int) -> str:
    """Cut text to at most ``limit`` characters, ending in an ellipsis where something was cut."""
    return text if len(text) <= limit else text[: limit - 1].rstrip() + "…"


def cjk_bigrams(text: str) -> list[str]:
    """List the overlapping pairs of characters in runs of Chinese, Japanese kana and Hangul.

    Those scripts write no spaces, so a word index would see a whole run as one word; pairs are
    the usual unit of search for them.
    """
    return [run[at : at + 2] for run in _CJK.findall(text) for at in range(max(1, len(run) - 1))]
