"""Redaction rules for logins that a person mentions: a name with a password, what opens a thing."""

from __future__ import annotations

from memoranda.capture.redaction.patterns import QUOTE, SecretRule
from memoranda.capture.redaction.spoken_secrets import CHOSEN_VALUE, LABEL, LABELLED

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
    SecretRule(
        "pair",
        _LOGINS,
        rf"\b{_HOST}\b[^\r\n;(]*?[ \t](?:as|als|como|come)[ \t]+{QUOTE}?[\w.@-]{{1,40}}"
        rf"{QUOTE}?{_PAIR}{CHOSEN_VALUE}",
        1,
        "picked",
    ),
    SecretRule(
        "pair",
        (*LABELLED, "account"),
        rf"\b(?:{LABEL}|(?i:account))\b[^\r\n.;]*?(?:\(|,[ \t]+)[\w.@-]{{1,40}}"
        rf"[ \t]*[,/+][ \t]*{CHOSEN_VALUE}",
        1,
        "mixed",
    ),
    # "… opens it", "get in with …", "… as I had a typo in the password".
    SecretRule(
        "sentence",
        ("opens", "unlocks", "gets you", "gets me", "gets us"),
        rf"(?:[,:;]|\bis|—)[ \t]+{CHOSEN_VALUE}{QUOTE}?[ \t]+"
        r"(?i:opens|unlocks|gets (?:you|me|us) (?:in|through|past))\b",
        1,
        "picked",
    ),
    SecretRule(
        "sentence",
        _OPENED,
        r"\b(?i:get (?:in|on|onto it|on it)|got in|let me in|join(?: it)?|opens?|protected|locked"
        r"|unlocks?(?:[ \t]+[\w-]+){0,4}?|decrypts?|encrypted|secured)"
        rf"[ \t]+(?i:with|using|by)[ \t]+{CHOSEN_VALUE}",
        1,
        "picked",
    ),
    SecretRule(
        "pair",
        _LOGINS,
        rf"\b{_HOST}[^\r\n;(]*?[ \t](?i:with|as|mit|avec|con)[ \t]+[\w.+-]+@[\w.-]+[ \t]*"
        r"(?:and|und|et|y|e|/|,|\+)[ \t]*([^\s\"'`;]+)",
        1,
        "picked",
    ),
    SecretRule(
        "pair",
        ("basic auth", "basic-auth"),
        rf"(?i:basic[ -]auth)[^\r\n.;]*?(?:[ \t]is[ \t]+|[:=][ \t]*)[\w.-]+:{CHOSEN_VALUE}",
        1,
        "picked",
    ),
)
