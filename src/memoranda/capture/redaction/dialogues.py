"""Redaction rules for passwords that a script types at another program's prompt.

Such a password has no name of its own: it follows the prompt that a script waits for (Expect and
its libraries), or stands in the lines that a program reads from its standard input.
"""

from __future__ import annotations

from memoranda.capture.redaction.patterns import LINE, QUOTE, SecretRule

_PROMPT = (
    r"(?:ass(?:wor[dt]|wd|phrase|code|:)|\b(?:pass|pwd|pin|otp|secret|token|kennwort)\b"
    r"|verification code|contrase|mot de passe|senha)"
)
"""What a prompt for a secret contains, in any case."""
_CLOSED = r"(?s:.{0,60}?)(?:[;{}\r\n\"']|\\+[nr])[ \t]*"
"""The rest of a prompt, and the end of the command that waits for it."""
_SEND = rf"(?:exp_)?send(?:[ \t]+-(?:-|[a-z]+))*[ \t]+(?:{QUOTE}|\{{)?"
_CALL = rf"\.send(?:_?line)?\([ \t]*[bruf]?{QUOTE}"
_TYPED = r"((?:[^\s\"'\\{}$\[-]|\\+[$\[\]{}])(?:[^\s\"'\\{}]|\\+[$\[\]{}])*)"
"""The text that is typed, up to the key that ends the line."""

DIALOGUES: tuple[SecretRule, ...] = (
    # A terminal that shows what was typed behind the prompt.
    SecretRule(
        "login",
        ("[sudo] password for ", "enter passphrase", "'s password: "),
        r"(?i)(?:\[sudo\] password for [^\s:]{1,64}|enter passphrase[^\r\n:]{0,120}"
        r"|[\w.-]+@[\w.-]+'s password):[ \t]+([^\s\\\"'][^\r\n\\\"']{2,127})",
        1,
        "present",
    ),
    SecretRule(
        "login",
        ("expect",),
        rf"(?i)\bexpect(?:_user)?[ \t]+[^\r\n(]{{0,200}}?{_PROMPT}{_CLOSED}{_SEND}{_TYPED}",
        1,
        "present",
    ),
    SecretRule(
        "login",
        (".expect",),
        rf"(?i)\.expect(?:_exact)?\([ \t]*(?:\w+[(\[])?[bruf]?{QUOTE}[^\"'\r\n()]*"
        rf"{_PROMPT}[^\r\n]{{0,60}}?"
        rf"(?:\s|;|\\+[nrt])+[\w.]*{_CALL}{_TYPED}",
        1,
        "present",
    ),
    # Its variables, whose names are in lower case.
    SecretRule(
        "login",
        ("expect", "spawn "),
        rf"(?i)\bset[ \t]+\w*(?:pass(?:wor[dt]|wd|phrase|code)?|pwd?|pin|secret)\d*[ \t]+"
        rf"(?:{QUOTE}|\{{)?{_TYPED}",
        1,
        "present",
    ),
    SecretRule(
        "login",
        ("<<",),
        r"(?:sudo[ \t]+(?:[^\r\n|<]*?[ \t])?-\w*S\b"
        r"|\b(?:chpasswd|smbpasswd|passwd|kinit|cryptsetup)"
        rf"\b|--password-stdin|--with-token)[^\r\n<|]*<<-?[ \t]*{QUOTE}?\w+{QUOTE}?[^\r\n\\]*"
        rf"{LINE}[ \t]*(?:[\w.-]+:)?([^\s\"'\\$][^\s\"'\\]*)",
        1,
        "present",
    ),
)
