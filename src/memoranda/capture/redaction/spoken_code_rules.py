"""Redaction rules for codes, PINs, keys and logins in a person's messages."""

from __future__ import annotations

from functools import partial

from memoranda.capture.redaction.rule_patterns import QUOTE, SecretRule
from memoranda.capture.redaction.spoken_secret_rules import CHOSEN_VALUE, LABEL, LABELLED

_LOCK = (
    r"(?i:door|gate|alarm|safe|lock(?:er|box)?|garage|entry|keypad|building|lift|elevator|vault"
    r"|t(?:ü|ue)r)"
)
_LOCKED = (
    *("door", "alarm", "gate code", "gate pin", "safe co", "locker", "lockbox", "lock co"),
    *("garage", "keypad", "entry code", "building code", "lift code", "elevator", "vault co"),
    *("vault pin", "safe pin"),
    *("türcode", "tür-code", "tuercode"),
)

_code = partial(SecretRule, "code", check="present")
_sentence = partial(SecretRule, "sentence", check="picked")
_pair = partial(SecretRule, "pair", check="picked")

CODES: tuple[SecretRule, ...] = (
    _code(
        rf"\b{_LOCK}\b[^\r\n.;:]{{0,30}}?[ \t-](?i:code|combination|combo|pin)\b[^\r\n.;\d]{{0,60}}"
        rf"(?::[ \t]*)?([*#]?\d{{1,4}}(?:[ -]\d{{1,4}}){{2,4}}|[*#]?\d{{4,8}}[*#]?)(?:\W|\z)",
        _LOCKED,
    ),
    _code(
        r"(?:\b(?i:passcode)|PIN)\b?(?:[^\r\n.:;\d]{0,40}?[ \t](?:is|ist|est|es|é|è)[ \t]+"
        r"|は|是|は:|:[ \t]*)(\d{4,8})(?:\D|\z)",
        trace=r"(?i:passcode)|\bPIN\b|PIN[^A-Za-z]",
    ),
    _sentence(
        r"(?i)(?:recovery phrase|seed phrase|mnemonic)[^\r\n:]{0,120}:[ \t]*\r?\n?[ \t]*"
        r"([a-z]{3,8}(?:[ ][a-z]{3,8}){11,23})(?:\W|\z)",
        ("ecovery phrase", "eed phrase", "nemonic"),
        check="present",
    ),
    # A passphrase in a sentence: "the passphrase of the key is correct horse battery staple".
    _sentence(
        r"(?i)\bpass ?phrase\b[^\r\n.:;=]{0,50}?[ \t](?:is|was|ist|es|est)(?::|,)?[ \t]+"
        r"([a-z]{2,12}(?:[ -][a-z]{2,12}){3,11})(?:[\r\n.;,!)]|\z)",
        ("assphrase", "ass phrase"),
        check="phrase-words",
    ),
    _code(
        r"(?i:licen[cs]e|activation|product|serial)[^\r\n]*?[^A-Z0-9-]([A-Z0-9]{4,6}(?:-[A-Z0-9]{4,6}){3,7})"
        r"(?:[^\w-]|\z)",
        ("licen", "activation", "product key", "serial"),
    ),
    _code(
        r"(?i:verification|security|sms|log-?in|2fa|mfa|otp|one-time)[ -]code\b"
        r"[^\r\n.;:=(]*?(?:[ \t]is|:)[ \t]+((?:[A-Z]-)?\d{4,8}|\d{3}[ -]\d{3})(?:\W|\z)",
        ("code",),
    ),
    _code(
        r"(?i)(?:c(?:ó|o)digo|code|codice|kod)[ \t][^\r\n.;:\d]{0,20}?(?:alarm\w*|allarme|puerta"
        r"|porte|porta|port(?:ã|a)o|portail|garagem?|drzwi)[^\r\n.;\d]{0,30}?[*#]?(\d{4,8})(?:\W|\z)",
        ("código", "codigo", "code de", "codice", "kod do"),
    ),
    _code(
        r"(?:^|[^\w.-])(\d{4,8})[ \t]+(?i:als|as|comme|como|come)[ \t]+(?:\w+[ \t]+)?PIN\b",
        (" pin",),
    ),
)


_HOST = r"(?i:ssh|sftp|scp|rdp|vnc|telnet|log(?:ged)?[ -]?(?:in|on)|sign(?:ed|s)?[ -]?(?:in|on))"
_PAIR = r"(?:[ \t]*[/|+,:][ \t]*|[ \t]+(?:with|and|mit|avec|con|com)[ \t]+)"
_OPENED = (
    *("get in ", "get on ", "got in ", "let me in", "join it", "unlock", "open it", "decrypt"),
    *("protected ", "locked with", "encrypted ", "secured with", "opens with"),
)
_LOGINS = (
    *("ssh ", "sftp ", "telnet ", "log in", "login", "log-in", "logged in", "log on", "sign in"),
    *("sign-in", "signs in", "signed in", "sign on", "signs on"),
)


SPOKEN_LOGINS: tuple[SecretRule, ...] = (
    # A name and a password: "log in as bob / …", "ssh into 10.0.3.17 as pi with …".
    _pair(
        rf"\b{_HOST}\b[^\r\n;(]*?[ \t](?:as|als|como|come)[ \t]+{QUOTE}?[\w.@-]{{1,40}}"
        rf"{QUOTE}?{_PAIR}{CHOSEN_VALUE}",
        _LOGINS,
    ),
    _pair(
        rf"\b(?:{LABEL}|(?i:account))\b[^\r\n.;]*?(?:\(|,[ \t]+)[\w.@-]{{1,40}}"
        rf"[ \t]*[,/+][ \t]*{CHOSEN_VALUE}",
        (*LABELLED, "account"),
        check="mixed",
    ),
    # "… opens it", "get in with …", "… as I had a typo in the password".
    _sentence(
        rf"(?:[,:;]|\bis|—)[ \t]+{CHOSEN_VALUE}{QUOTE}?[ \t]+"
        r"(?i:opens|unlocks|gets (?:you|me|us) (?:in|through|past))\b",
        ("opens", "unlocks", "gets you", "gets me", "gets us"),
    ),
    _sentence(
        r"\b(?i:get (?:in|on|onto it|on it)|got in|let me in|join(?: it)?|opens?|protected|locked"
        r"|unlocks?(?:[ \t]+[\w-]+){0,4}?|decrypts?|encrypted|secured)"
        rf"[ \t]+(?i:with|using|by)[ \t]+{CHOSEN_VALUE}",
        _OPENED,
    ),
    _pair(
        rf"\b{_HOST}[^\r\n;(]*?[ \t](?i:with|as|mit|avec|con)[ \t]+[\w.+-]+@[\w.-]+[ \t]*"
        r"(?:and|und|et|y|e|/|,|\+)[ \t]*([^\s\"'`;]+)",
        _LOGINS,
    ),
    _pair(
        rf"(?i:basic[ -]auth)[^\r\n.;]*?(?:[ \t]is[ \t]+|[:=][ \t]*)[\w.-]+:{CHOSEN_VALUE}",
        ("basic auth", "basic-auth"),
    ),
)
