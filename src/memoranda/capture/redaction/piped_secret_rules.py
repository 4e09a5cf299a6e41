"""Redaction rules for secrets piped, set by name, labelled or written in prose.

A pipe or a here-string passes a password to a program's standard input.
"""

from __future__ import annotations

from functools import partial

from memoranda.capture.redaction.command_rules import VALUE_ARGUMENT, WITH
from memoranda.capture.redaction.rule_patterns import BARE, KEY, LEFT, QUOTE, SecretRule

_TYPED = rf"{QUOTE}?([^\s\"'\\|$`<>()\[-][^\s\"'\\|<>()]*)"
# Commands that read a password, a key or the value of a secret from their input.
_READERS = (
    r"(?:[^\r\n|]*?(?:--passw(?:or)?d-(?:on-)?stdin|--passphrase-fd|--pinentry-mode|--with-token)"
    r"|sudo[ \t]+(?:[^\r\n|]*?[ \t])?-\w*S\b|(?:sudo[ \t]+)?(?:chpasswd|passwd|kinit|smbpasswd"
    r"|cryptsetup|secret-tool[ \t]+store|pass[ \t]+insert|op[ \t]+signin|lpass[ \t]+login"
    r"|bw[ \t]+(?:login|unlock)|realm[ \t]+join|su(?:[ \t;&)\"']|\z)"
    r"|kubectl[ \t][^\r\n|]*?create[ \t]+secret"
    r"|vault[ \t]+login|ansible-vault[ \t]+encrypt_string"
    r"|(?:[\w@/.-]+[ \t]+){1,4}(?:secrets?|env)[ \t]+(?:put|set|add|create|versions[ \t]+add)))"
)
_ECHOED = (
    rf"(?:echo|printf|yes)[ \t]+(?:-\w+[ \t]+)*(?:{QUOTE}?%s(?:\\+n)?{QUOTE}?[ \t]+)?"
    rf"(?:{QUOTE}?\[redacted:[\w:-]+\](?:\\+n|[ \t]*;[ \t]*(?:sleep[^;|]*;)?[ \t]*echo[ \t]+))?"
    rf"{_TYPED}"
)
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

_login = partial(SecretRule, "login", check="present")
_label = partial(SecretRule, "label")

TYPED: tuple[SecretRule, ...] = (
    # Text passed to a program's input.
    _login(
        rf"{_ECHOED}(?:\\+n[^\s\"'\\|]*)*{QUOTE}?[ \t]*(?:;[^\r\n|]*)?\)?[ \t]*\|[ \t]*{_READERS}",
        trace=r"(?:echo|printf|yes)[ \t][^\r\n|]*\|",
    ),
    _login(rf"{_READERS}[^\r\n<|]*<<<[ \t]*{_TYPED}", ("<<<",)),
    _login(rf"pass\w*-file[= ]<\((?:echo|printf)[ \t]+{_TYPED}", ("-file=<(", "-file <(")),
    # Names and values as separate arguments.
    SecretRule(
        "assignment",
        rf"(?i:\bsetx|\bsetenv|\bconfig[ \t]+set|\bp?npm[ \t]+set|\brclone[ \t]+config{WITH}"
        rf"|\bnmcli{WITH}dev?\w*{WITH})"
        rf"(?:[ \t]+[/-]+\w+)*[ \t]*{QUOTE}?[^\s=]*?(?i:token|secret|password|passwd|pass|auth"
        rf"|api_?key|secret_?key|access_?key|secret_access_key|private_?key)['\"\]\\]*[ \t]+"
        rf"{VALUE_ARGUMENT}",
        check="opaque",
        trace=r"(?i:setx|setenv|config[ \t]+set|npm[ \t]+set|rclone[ \t]+config|nmcli)[ \t]",
    ),
    SecretRule(
        "assignment",
        r"(?:^|[^A-Za-z0-9_])[A-Z][A-Z0-9_]*_(?:KEY|PAT)=[\"']?([\w+/=-]{20,})",
        ("_KEY=", "_PAT="),
        check="vendor-key",
    ),
    # Prose.
    _label(
        rf"(?i)(?:{LEFT}(?:the|my|our|root|admin|user \S+|wi-?fi|wlan|account)[ \t]+"
        rf"(?:password|passwort|passphrase|kennwort|pw)[ \t]+"
        rf"|\b(?:wi-?fi|wlan)[ -](?:password|passwort|key|passphrase"
        rf"|schl(?:ü|\xc3\xbc|\\+u00fc|ue)ssel)[ \t]*[: \t]+|\bkennwort[ \t]+(?:ist|lautet)[ \t:]+"
        rf"|{LEFT}(?:password|passwort|passphrase)[ \t]+(?:for|of|to|on|vom|von)[ \t]+"
        rf"[^\r\n:=]{{1,40}}?(?:[ \t]+(?:is|was|ist|lautet)|:)[ \t]+){VALUE_ARGUMENT}",
        check="spelled",
        trace=r"(?i:passwor[dt]|kennwort|passphrase|pw|key|ssel)(?:[ \t:]|ist|lautet"
        r"|[ \t](?:for|of|to|on|vom|von)[ \t][^\r\n:=]{1,40})+"
        r"[\"'\\]*[^\s\"'\\]*\d",
    ),
    _label(
        rf"(?:^|[\r\n\"])[ \t]*(?:[Pp]w|[Pp]ass|[Pp]assword)[ \t]+{VALUE_ARGUMENT}{QUOTE}?[ \t]*"
        r"(?:[\r\n\"\\]|\z)",
        check="spelled",
        trace=r"(?:^|[\r\n\"])[ \t]*[Pp](?:w|ass|assword)[ \t]+[^\s]*\d",
    ),
    _label(
        r"(?i)(?:recovery|backup)[ _-]codes?[\s:=\"'\\n-]{1,6}"
        r"([a-z0-9]{4,6}-[a-z0-9]{4,6}(?:(?:[\s,]|\\+n)+[a-z0-9]{4,6}-[a-z0-9]{4,6})*)",
        ("ecovery code", "ackup code"),
        check="labelled",
    ),
    _label(
        rf"(?i){LEFT}([^\s\"'`\\()<>=$]{{6,64}}){QUOTE}?[ \t]+(?:as|is)[ \t]+(?:the|my|our)[ \t]+"
        r"(?:\w+[ \t]+)?(?:password|passphrase|passwd|token|api key)\b",
        check="spelled",
        trace=r"(?:as|is)[ \t]+(?:the|my|our)[ \t]+(?:\w+[ \t]+)?"
        r"(?i:password|passphrase|passwd|token|api key)",
    ),
    _login(r"AUTH (?:PLAIN|LOGIN) ([A-Za-z0-9+/]{12,}={0,2})", ("AUTH PLAIN ", "AUTH LOGIN ")),
)

LABELLED: tuple[SecretRule, ...] = (
    # A secret key of AWS: 40 characters, in which slashes may leave no long run.
    _label(
        r"(?i)(?:secret[ _-]?(?:access[ _-]?)?key|aws[ _-]secret)(?:[ \t]+(?:is|was))?"
        r"[ \t:=\"'`]{1,4}([a-z0-9/+]{40})(?:[^a-z0-9/+=_-]|\z)",
        ("secret",),
        check="dense",
    ),
    # The name of a setting, a space and its value.
    _label(
        rf"(?i){LEFT}[a-z]\w*?_{_SETTING}[ \t]+{QUOTE}?([\w+/=-]{{20,}})",
        check="entropy",
        trace=rf"(?i:_{_SETTING}[ \t])",
    ),
    # The owner of the password is named, and even a plain word at the end of the line counts.
    _label(
        rf"(?i){LEFT}{_OWNER}[ \t]+({_PASSWORD}):[ \t]+({BARE})[ \t]*[.!]?[ \t]*"
        r"(?:[\r\n\"'\x1b]|\\|\z)",
        ("password:", "passphrase:", "passcode:", "passwort:", "passwd:", "pwd:"),
        check="setting",
    ),
    _label(
        rf"(?i){LEFT}{_LOGIN}[ \t]*[:=][ \t]*[\w.@+-]{{1,64}}[ \t]*[/|][ \t]*"
        rf"(?:{_PASSWORD}|pass|pw)[ \t]*[:=][ \t]*([^\s\"'`\\,;()<>\x1b]{{4,64}})",
        check="argument",
        trace=r"(?i:[/|][ \t]*(?:pass|pw)\w*[ \t]*[:=])",
    ),
)
"""Labels other than names of settings: ``sudo password: VALUE``, ``login: bob / pass: VALUE``."""
