"""Redaction rules for passwords that a script types at another program's prompt.

Such a password has no name: it follows the prompt for which a script waits (Expect and its
libraries), or is in the lines that a program reads from its standard input.
"""

from __future__ import annotations

from functools import partial

from memoranda.capture.redaction.rule_patterns import LINE, QUOTE, SecretRule

_PROMPT = (
    r"(?:ass(?:wor[dt]|wd|phrase|code|:)|\b(?:pass|pwd|pin|otp|secret|token|kennwort)\b"
    r"|verification code|contrase|mot de passe|senha)"
)
"""Terms in a prompt for a secret, in upper or lower case."""
_CLOSED = r"(?s:.{0,60}?)(?:[;{}\r\n\"']|\\+[nr])[ \t]*"
"""Rest of a prompt, and the end of the command that waits for the prompt."""
_SEND = rf"(?:exp_)?send(?:[ \t]+-(?:-|[a-z]+))*[ \t]+(?:{QUOTE}|\{{)?"
_CALL = rf"\.send(?:_?line)?\([ \t]*[bruf]?{QUOTE}"
_TYPED = r"((?:[^\s\"'\\{}$\[-]|\\+[$\[\]{}])(?:[^\s\"'\\{}]|\\+[$\[\]{}])*)"
"""Typed text, up to the end of the line."""

_login = partial(SecretRule, "login", check="present")

DIALOGUES: tuple[SecretRule, ...] = (
    # A terminal that shows the typed text after the prompt.
    _login(
        r"(?i)(?:\[sudo\] password for [^\s:]{1,64}|enter passphrase[^\r\n:]{0,120}"
        r"|[\w.-]+@[\w.-]+'s password):[ \t]+([^\s\\\"'][^\r\n\\\"']{2,127})",
        ("[sudo] password for ", "enter passphrase", "'s password: "),
    ),
    _login(
        rf"(?i)\bexpect(?:_user)?[ \t]+[^\r\n(]{{0,200}}?{_PROMPT}{_CLOSED}{_SEND}{_TYPED}",
        ("expect",),
    ),
    _login(
        rf"(?i)\.expect(?:_exact)?\([ \t]*(?:\w+[(\[])?[bruf]?{QUOTE}[^\"'\r\n()]*"
        rf"{_PROMPT}[^\r\n]{{0,60}}?"
        rf"(?:\s|;|\\+[nrt])+[\w.]*{_CALL}{_TYPED}",
        (".expect",),
    ),
    # Variables of Expect, with lower-case names.
    _login(
        rf"(?i)\bset[ \t]+\w*(?:pass(?:wor[dt]|wd|phrase|code)?|pwd?|pin|secret)\d*[ \t]+"
        rf"(?:{QUOTE}|\{{)?{_TYPED}",
        ("expect", "spawn "),
    ),
    _login(
        r"(?:sudo[ \t]+(?:[^\r\n|<]*?[ \t])?-\w*S\b"
        r"|\b(?:chpasswd|smbpasswd|passwd|kinit|cryptsetup)"
        rf"\b|--password-stdin|--with-token)[^\r\n<|]*<<-?[ \t]*{QUOTE}?\w+{QUOTE}?[^\r\n\\]*"
        rf"{LINE}[ \t]*(?:[\w.-]+:)?([^\s\"'\\$][^\s\"'\\]*)",
        ("<<",),
    ),
    # Protocols in which one line has the name and another the password.
    _login(
        r"(?:^|[\r\n])(?:[^\r\n]{0,4})USER[ \t]+\S+[ \t]*\r?\n(?:[^\r\n]*\r?\n)?[^\r\n]{0,4}"
        r"PASS[ \t]+([^\s\"'\\]+)",
        ("PASS ",),
    ),
    _login(r"334 UGFzc3dvcmQ6\s+(?:[CS]: *)?([A-Za-z0-9+/]{4,}={0,2})", ("334 UGFzc3dvcmQ6",)),
    _login(
        r"chpasswd:(?s:.{0,120}?)\n[ \t]*(?:-[ \t]*)?(?:[\w.-]+:(?:\[redacted[^\]\s]*\]|RANDOM)\s+"
        r"(?:-[ \t]*)?)*"
        r"[a-z_][\w.-]*:([^\s:\"'\\|]{3,})",
        ("chpasswd:",),
    ),
    _login(
        r"master\.key[ \t]*\r?\n(?:[ \t]*\d+(?:\xe2\x86\x92|\t))?([0-9a-f]{32})(?:\W|\z)",
        ("master.key",),
    ),
    # Text that a program types into a form field or the password field of a protected sheet.
    _login(
        rf"(?i)\([ \t]*{QUOTE}[^\"'\r\n]*(?:\bpw\b|pwd|pass(?:word|wd|code|phrase)?)[^\"'\r\n]*"
        rf"{QUOTE}[^\r\n()]{{0,60}}\)?(?:[ \t]*\)?\.(?:fill|type|send_?keys)\(|,)[ \t]*{QUOTE}"
        rf"([^\"'\\\r\n]+){QUOTE}[ \t]*\)",
        (".fill(", ".type(", "keys("),
        check="argument",
    ),
    _login(
        rf"(?i){QUOTE}element{QUOTE}[ \t]*:[ \t]*{QUOTE}[^\"'\r\n]*pass(?:word|code|phrase)"
        rf"[^\"'\r\n]*{QUOTE}[ \t]*,[ \t]*(?:{QUOTE}\w+{QUOTE}[ \t]*:[ \t]*{QUOTE}[^\"'\r\n]*"
        rf"{QUOTE}[ \t]*,[ \t]*){{0,3}}{QUOTE}(?:text|value){QUOTE}[ \t]*:[ \t]*{QUOTE}"
        rf"([^\"'\\\r\n]+)",
        ("element",),
    ),
    _login(
        rf"(?i)\.(?:un)?protect[ \t(]+(?:password:=[ \t]*)?{QUOTE}([^\"'\\\r\n]+){QUOTE}",
        ("protect",),
        check="argument",
    ),
    _login(
        r"vault (?:kv get|read)[ \t][^\r\n]*?-field[^\r\n]*\r?\n([^\s\"'\\]{8,})[ \t]*(?:\r?\n|\z)",
        ("vault kv get", "vault read"),
    ),
)
