"""Redaction rules for secrets beside a label that is not a setting's name.

``aws_secret_access_key VALUE``, ``sudo password: VALUE``, ``login: bob / pass: VALUE``.
"""

from __future__ import annotations

from memoranda.capture.redaction.rule_patterns import BARE, KEY, LEFT, QUOTE, SecretRule

_OWNER = (
    r"(?:sudo|root|admin|administrator|ssh|ftp|sftp|vpn|db|database|mysql|postgres|mongo|redis"
    r"|smtp|mail|email|server|router|login|account|user|guest|demo|test|staging|prod|production"
    r"|my|our|his|her|the)"
)
_SETTING = (
    rf"(?:{KEY}|(?:access|api|auth|bearer|bot|refresh|session)_?token|secret|password|passwd)"
).replace("_?", "[_.-]?")
_PASSWORD = r"(?:pass(?:word|phrase|code|wort|wd)|pwd)"
_LOGIN = r"(?:log-?in|user(?:name)?|account|e?mail)"

LABELLED: tuple[SecretRule, ...] = (
    # A secret key of AWS: 40 characters, in which slashes may leave no long run.
    SecretRule(
        "label",
        ("secret",),
        r"(?i)(?:secret[ _-]?(?:access[ _-]?)?key|aws[ _-]secret)(?:[ \t]+(?:is|was))?"
        r"[ \t:=\"'`]{1,4}([a-z0-9/+]{40})(?:[^a-z0-9/+=_-]|\z)",
        1,
        "dense",
    ),
    # The name of a setting, a space and its value.
    SecretRule(
        "label",
        (),
        rf"(?i){LEFT}[a-z]\w*?_{_SETTING}[ \t]+{QUOTE}?([\w+/=-]{{20,}})",
        1,
        "entropy",
        trace=rf"(?i:_{_SETTING}[ \t])",
    ),
    # Whose password it is, and even a plain word at the end of the line.
    SecretRule(
        "label",
        ("password:", "passphrase:", "passcode:", "passwort:", "passwd:", "pwd:"),
        rf"(?i){LEFT}{_OWNER}[ \t]+({_PASSWORD}):[ \t]+({BARE})[ \t]*[.!]?[ \t]*"
        r"(?:[\r\n\"'\x1b]|\\|\z)",
        2,
        "setting",
    ),
    SecretRule(
        "label",
        (),
        rf"(?i){LEFT}{_LOGIN}[ \t]*[:=][ \t]*[\w.@+-]{{1,64}}[ \t]*[/|][ \t]*"
        rf"(?:{_PASSWORD}|pass|pw)[ \t]*[:=][ \t]*([^\s\"'`\\,;()<>\x1b]{{4,64}})",
        1,
        "argument",
        trace=r"(?i:[/|][ \t]*(?:pass|pw)\w*[ \t]*[:=])",
    ),
)
