"""Redaction rules for secrets in notes.

These are passphrases, pairs of a name and a password, and one-time codes. They have no
characteristic form, so they are recognised by the text that precedes them.
"""

from __future__ import annotations

import re

from memoranda.capture.redaction.code_expressions import is_phrase, is_words, names_secret
from memoranda.capture.redaction.prose_value_checks import spelled
from memoranda.capture.redaction.rule_patterns import AFTER_NUMBER, LEFT, LINE, NAME, SecretRule
from memoranda.capture.redaction.secret_checks import is_present, is_sentence
from memoranda.capture.redaction.secret_names import NameStrength, strength
from memoranda.language.words import word_set

# A passphrase is the rest of a line after its name, without code characters.
_PHRASE_WORD = r"[^\s\"'`\\#,;:=|<>{}()\[\]/\x1b]+"
_LINE_START = (
    rf"(?:^|[\r\n\"']|\\[nr]|//|[ \t]#|\[[0-9;]*m)(?:[ \t]*\d+{AFTER_NUMBER})?"
    r"[ \t+/#-]*(?:export[ \t]+)?"
)
_LINE_END = r"[ \t]*(?:[ \t]#|[\r\n\"'\x1b]|\\|\z)"

_PHRASE_TRACE = (
    rf"(?i:pass(?:wor[dt]|wd|phrase|code)?|secret|pwd)[\w.-]*(?::[ \t]+|[ \t]?=[ \t]?)"
    rf"{_PHRASE_WORD}(?: {_PHRASE_WORD})+{_LINE_END}"
)

_MARK = r"(?:\\*[\"'`]|\*\*)?"
_PAIR_LABEL = (
    r"(?:creds?|credentials?|zugangsdaten|identifiants|credenciales|log-?ins?"
    r"|(?:test|demo|admin|default) (?:user|account)"
    r"|user(?:name)?[ \t]*(?:[/:&]|and)[ \t]*(?:pass(?:word|wd)?|pwd?))"
)
_OF_WHAT = (
    r"(?:[ \t]+(?:for|to|on|at|of|in|f\xc3\xbcr|vom|zum|auf|de|del|du)"
    r"(?:[ \t]+[\w.-]{1,24}){1,4}?)?"
)
_OPENING = rf"[ \t]*{_MARK}(?:[ \t(]*|{LINE}[ \t]*-[ \t]*){_MARK}"
_PAIR_TRACE = (
    rf"(?i){_PAIR_LABEL}{_OF_WHAT}{_MARK}[ \t]*(?:[:=]|=>|-|is|are|with){_OPENING}"
    rf"[\w.@+-]+{_MARK}(?:[ \t]+/[ \t]+|[:/])"
)
_CODE_KINDS = (
    r"one[ _-]?time|verification|confirmation|authentication|authenticator|security|log-?in"
    r"|sign-?in|sms|2fa|mfa|(?:two|2)[ _-]?(?:factor|step)|backup|recovery|pin"
)
_CODE_LABEL = (
    r"(?:[th]?otp(?:[ _-]?codes?)?|2fa|mfa|pin|passcode|(?:use|enter|your|the|ihr) code"
    rf"|(?:{_CODE_KINDS})[ _-]?(?:code|passcode|pass|password)s?)"
)
_CODE_TRACE = (
    r"(?i)(?:otp|2fa|mfa|pin|code|pass|word)s?"
    r"[\"'`*\\]*(?:[ \t:=>]|is|was|lautet){1,8}[\"'`*\\]*\d{3}"
)
_CODE = r"(\d{3}[ -]\d{3}|\d{4}-\d{4}|\d{4,8})"
# A number that continues is a version, a size, an address or a date.
_CODE_END = r"(?:[^\w.:/%+-]|[.:](?:\W|\z)|\\|\z)"

_SPLIT = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_LABELS = re.compile(rf"(?i)(?:.*[^a-z0-9])?(?:{_PAIR_LABEL}|{_CODE_LABEL})")
_CODES = re.compile(rf"(?i)(?:.*[^a-z0-9])?{_CODE_LABEL}")
_LOGIN = re.compile(r"(?i)\W?log-?in")
_USER = re.compile(r"([\w.@+-]+)\W+$")
_REFERENCES = word_set(
    "arn aws class data env file gcp gs http https ldap op path projects ref s3 secret ssm vault"
)
_CODE_DIGITS, _PIN_DIGITS = 6, 5
_SIGN = re.compile(r"(?i)[:=>]|\b(?:is|was|lautet)\b")
_OWNERS = word_set("admin administrator demo guest postgres root sa superuser test tester user")
_ROLES = word_set(
    "email key login name pass passwd password pw pwd secret token user userid username"
)
_COMMANDS = word_set(
    """
    alembic ansible ansible-playbook aws az bash bundle cargo cmake composer curl deno
    docker docker-compose dotnet echo env exec flask flyctl gcloud gh git go gradle gunicorn
    helm java jest kubectl make mix mvn mysql mysqldump nix node nohup npm npx packer php
    pip playwright pnpm poetry psql pulumi pytest python python3 rails rake redis-cli restic
    rspec ruby serverless sh ssh sudo terraform tox ts-node tsx twine uv uvicorn uvx vercel
    vite wget yarn zsh
    """
)

NOTES: tuple[SecretRule, ...] = (
    SecretRule(
        "assignment",
        rf"{_LINE_START}[\w.\-]*?{NAME}(?::[ \t]+|[ \t]?=[ \t]?)"
        rf"({_PHRASE_WORD}(?: {_PHRASE_WORD})+){_LINE_END}",
        check="phrase",
        trace=_PHRASE_TRACE,
    ),
    SecretRule(
        "pair",
        rf"(?i){LEFT}{_PAIR_LABEL}{_OF_WHAT}{_MARK}[ \t]*(?:[:=]|=>|[ \t]-|\bis\b|\bare\b|\bwith\b)"
        rf"{_OPENING}[\w.@+-]{{1,64}}{_MARK}(?:[ \t]+/[ \t]+|[:/]){_MARK}"
        rf"([^\s\"'`\\,;<>()\x1b]{{4,64}})",
        check="pair",
        trace=_PAIR_TRACE,
    ),
    SecretRule(
        "code",
        rf"(?i)(?:{LEFT}|[a-z]){_CODE_LABEL}{_MARK}[ \t]*"
        rf"(?:[:=]{{1,2}}|=>|\b(?:is|was|lautet)\b|[ \t])"
        rf"[ \t]*{_MARK}[ \t]*{_MARK}{_CODE}{_CODE_END}",
        check="code",
        trace=_CODE_TRACE,
    ),
    SecretRule(
        "code",
        rf"(?i){LEFT}(?:G-)?(\d{{4,8}}|\d{{3}}[ -]\d{{3}}) is your (?:[\w'-]+ ){{0,4}}"
        r"(?:code|otp|passcode|pin|password)\b",
        (" is your ",),
        check="present",
    ),
)


def is_noted(name: str) -> bool:
    """Return whether a name ends with a label of a login or one-time code."""
    return _LABELS.fullmatch(_SPLIT.sub("_", name[-64:])) is not None


def names_code(name: str) -> bool:
    """Return whether a name ends with the label of a one-time code."""
    return _CODES.fullmatch(_SPLIT.sub("_", name[-64:])) is not None


def phrase(value: str, name: str, preceding: str) -> bool:
    """Return whether the rest of a line is a passphrase, not a sentence.

    The name must be for a password or secret, since generated tokens do not consist of words.
    """
    level = strength(name)
    if level is NameStrength.NONE or (level is NameStrength.WEAK and "secret" not in name.lower()):
        return False
    if not is_present(value) or is_sentence(value) or not is_phrase(value):
        return False
    return ":" in preceding or _is_free_of_commands(value.split(" "))


def _is_free_of_commands(parts: list[str]) -> bool:
    """Return whether no part of a text is a shell command.

    In a shell, the text after a setting is a command; in a settings file, it is part of the value.
    """
    return is_words(parts[0]) and parts[1] not in _COMMANDS and parts[1][0] not in ".$~-"


def pair(value: str, preceding: str) -> bool:
    """Return whether the text after a user name is a password.

    The name follows a label such as ``creds:``.

    Args:
        value: the password.
        preceding: the label, the name and the text between.
    """
    match = _USER.search(preceding)
    user = match[1].lower() if match else ""
    if user in _REFERENCES or user in _ROLES or user.isdigit():
        return False
    if (
        not is_present(value)
        or value[0] in "/\\:$"
        or "::" in value
        or value.lower().strip("`*") in _ROLES
    ):
        return False
    if "/" in value and preceding.endswith("/") and not preceding.endswith(" /"):
        return False  # a path
    if " with " in preceding:
        return spelled(value)
    if not _LOGIN.match(preceding) or user in _OWNERS or value.lower() == user:
        return not names_secret(value) or not is_words(value)
    return not is_words(value) and "/" not in value and "." not in value


def code(value: str, preceding: str) -> bool:
    """Return whether digits after a label such as ``otp`` are a code.

    Without a separator such as ``:`` or ``is``, at least 6 digits are required, or 5 for a PIN.
    """
    is_pin = preceding.lower().rstrip().endswith("pin") and len(value) >= _PIN_DIGITS
    return is_pin or len(value) >= _CODE_DIGITS or _SIGN.search(preceding) is not None
