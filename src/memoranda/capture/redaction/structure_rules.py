"""Redaction rules for secrets with a known structure or header."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterator
from functools import partial

from memoranda.capture.redaction.rule_patterns import (
    GAP,
    LEFT,
    LINE,
    PEM_BODY,
    PEM_NOISE,
    PRIVATE,
    QUOTE,
    SEPARATOR,
    WORD_VALUE,
    SecretRule,
)

_KINDS = tuple(
    f"kind{close}:{gap}{opening}Secret"
    for close in ("", '"', '\\"')
    for gap in ("", " ")
    for opening in ("", '"', '\\"')
)
# Entries of a mapping: on separate, indented lines, or between braces and commas.
_LEAD = rf"(?:{LINE}[ \t]+|[ \t]*[{{,](?:[ \t]|{LINE})*)"
_OTHERS = rf"(?:{_LEAD}{QUOTE}?[\w.-]+{QUOTE}?:[ \t]*{QUOTE}?[^\s,{{}}\"'\\]*{QUOTE}?)*?"
_ENTRY = (
    rf"{LEFT}(?:d|stringD)ata{QUOTE}?:[ \t]*{_OTHERS}{_LEAD}{QUOTE}?[\w.-]+{QUOTE}?:[ \t]*{QUOTE}?"
    r"([A-Za-z0-9+/]{8,}={0,2})(?:[\s\"'\\,}\x1b]|\z)"
)
_SAME_DOCUMENT = r"(?:[^-]|-[^-]){0,600}?"

_CONFIRMATIONS = ("/accept", "/verif", "/confirm", "/activat", "/email", "/one", "/set", "/login")
_OPENED_BY_LINK = (
    r"(?:password[_-]?)?reset(?:[_-]?(?:password|pw|account|link|token))?(?:[_-]?confirm)?"
    r"|(?:forgot|set|create)[_-]?password|recover(?:y|[_-]?(?:account|password))?"
    r"|magic(?:[_-]?(?:link|login|sign-?in))?|accept[_-]?invit(?:e|ation)"
    r"|invit(?:e|es|ation|ations)(?:[_-]?link)?|(?:verify|confirm)(?:[_-]?(?:email|account|user))?"
    r"|activat(?:e|ion)(?:[_-]?account)?|verification|confirmation"
    r"|email[_-]?(?:verification|confirm(?:ation)?)|one[_-]?time[_-]?(?:login|link)|login[_-]?link"
)
"""Parts of a path before a token that gives everyone with the link access to an account."""


def _in_base64() -> Iterator[str]:
    """Yield the base64 of sensitive words, which depends on their position."""
    for word in ("password", "passwd", "secret", "token", "api_key", "apikey", "private_key"):
        for written in (word, word.title(), word.upper()):
            for before, dependent in ((0, 0), (1, 2), (2, 3)):
                whole = (before + len(word)) * 8 // 6
                yield b64encode(bytes(before) + written.encode()).decode()[dependent:whole]


_header = partial(SecretRule, "header", check="literal")

STRUCTURES: tuple[SecretRule, ...] = (
    SecretRule("jwt", r"eyJ[\w-]{8,}\.[\w-]*\.[\w-]*(?:\.[\w-]+\.[\w-]+)?", ("eyJ",)),
    SecretRule(
        "pem",
        rf"-{{4,5}} ?BEGIN {PRIVATE}{PEM_NOISE}{PEM_BODY}(?s:.*?)"
        rf"(?:-{{4,5}} ?END {PRIVATE}|\z)"
        rf"|-{{4,5}} ?BEGIN {PRIVATE}[^-]*-{{4,5}} ?END {PRIVATE}",
        ("private key",),
    ),
    # The end of a key whose header was cut off.
    SecretRule(
        "pem",
        rf"([A-Za-z0-9+/=]{{16,}}(?:{PEM_NOISE}[A-Za-z0-9+/=]{{16,}})*(?:{PEM_NOISE}[A-Za-z0-9+/=]+)?)"
        rf"{PEM_NOISE}-{{4,5}} ?END {PRIVATE}",
        ("private key",),
        check="entropy",
    ),
    SecretRule(
        "pem-base64",
        r"LS0tLS1CRUdJTi(?:BQUklW|BSU0Eg|BFQyBQ|BPUEVO|BFTkNS|BEU0Eg|BQR1Ag)[\w+/=-]+",
        ("LS0tLS1CRUdJTi",),
    ),
    SecretRule(
        "putty",
        rf"Private-Lines: \d+(?:{GAP}[A-Za-z0-9+/]{{64}})*{GAP}[A-Za-z0-9+/]+={{0,2}}",
        ("private-lines",),
    ),
    SecretRule(
        "crypt-hash",
        r"\$(?:2[aby]|1|5|6|y|apr1|argon2(?:id|i|d))\$[./A-Za-z0-9$=,+]{20,}",
        ("$2a$", "$2b$", "$2y$", "$1$", "$5$", "$6$", "$y$", "$argon2", "$apr1$"),
    ),
    _header(
        rf"(?i)authorization{SEPARATOR}\[?{QUOTE}?(?:bearer|basic|token|negotiate|ntlm|api-?key|key"
        rf"|ssws|bot|pat)[ \t]+{WORD_VALUE}",
        ("authorization",),
    ),
    _header(
        rf"(?i)authorization{SEPARATOR}{QUOTE}?(?:digest|aws4-hmac-sha256|hawk|oauth|signature)"
        r"[ \t]+([^\r\n\x1b]*=[^\r\n\x1b]*)",
        ("authorization",),
        check="",
    ),
    _header(
        rf"(?i)authorization{SEPARATOR}{QUOTE}?[A-Z][\w-]{{2,20}}[ \t]+{WORD_VALUE}",
        ("authorization",),
        check="dense",
    ),
    _header(r"(?i)basic[ \t]+([A-Za-z0-9+/]{8,}={0,2})", ("basic ",), check="login"),
    _header(r"(?i)bearer[ \t]+([\w.~+/=-]{12,})", ("bearer",)),
    SecretRule(
        "cookies",
        rf"(?i)cookie{SEPARATOR}{QUOTE}?([\w.%$!*+-]+=[^\s\"'\\\x1b][^\"'\\\r\n\x1b]*)",
        ("cookie",),
        check="crumbs",
    ),
    SecretRule(
        "cookies",
        rf"curl\b[^\r\n]*?[ \t](?:-b|--cookie)[ =]*{QUOTE}?([^\s\"'\\=]+=[^\"'\\\r\n\x1b]+)",
        ("curl",),
    ),
    # Passwords in database URLs often contain an unescaped slash, which a web URL cannot.
    SecretRule(
        "url-userinfo",
        r"(?i)(?:postgres(?:ql)?|mysql|mariadb|mongodb|rediss?|amqps?|mssql|sqlserver|clickhouse"
        r"|nats|ldaps?|smtps?|s?ftps?)(?:\+\w+)*://[^\s:@/\"'<>]*:([^\s\"'<>\\\x1b]+)@[\w\[.$%{-]",
        ("://",),
        check="present",
    ),
    SecretRule(
        "url-userinfo",
        r"[A-Za-z0-9]://[^\s:/?#\"'<>\\]*:([^\s/\"'<>\\\x1b]+)@[\w\[.$%{-]",
        ("://",),
        check="present",
    ),
    SecretRule(
        "login",
        r"(?:oracle:\w+:|sqlplus[ \t]+(?:-\w+[ \t]+)*)[^\s/@:]+/([^\s@/\"'\\]+)@",
        ("oracle:", "sqlplus"),
        check="present",
    ),
    SecretRule("url-userinfo", r"(?i)https?://([\w.~-]{20,})@[\w\[.]", ("://",), check="entropy"),
    SecretRule(
        "url-userinfo",
        r"[\w.-]+:([^\s\"'@/\\]+)@(?:tcp6?|unix)\(",
        ("@tcp", "@unix"),
        check="present",
    ),
    SecretRule(
        "seed-phrase",
        rf"(?i)(?:mnemonic|(?:seed|recovery|secret|backup)[ _-]?phrase){QUOTE}?[ \t]*(?:[:=]"
        rf"|\bis\b)"
        rf"[ \t]*{QUOTE}?([a-z]{{3,8}}(?:[ ,]+[a-z]{{3,8}}){{11,23}})",
        ("mnemonic", "phrase"),
    ),
    # The last part of a URL that needs no other authentication.
    SecretRule(
        "webhook",
        r"(?:maker\.ifttt\.com/[\w/.{}-]*?/with/key/|\.office\.com/webhookb?2?/)([\w@/-]{20,})",
        ("maker.ifttt.com", ".office.com/webhook"),
        check="present",
    ),
    # The link in an email that resets a password, signs in or accepts an invitation.
    SecretRule(
        "link",
        rf"/(?i:{_OPENED_BY_LINK})(?:/(?i:accept|confirm|verify|email|complete|change|edit|new|set)"
        r"|/[A-Z][A-Za-z0-9]{1,7})?/([\w.~-]{20,})",
        ("/reset", "/password", "/forgot", "/recover", "/magic", "/invit", *_CONFIRMATIONS),
        check="entropy",
    ),
    # The redirect after a login (RFC 6749, section 4.1.2), with its parameters in either order.
    SecretRule(
        "login-redirect",
        r"[?&]code=([\w.~%/+-]{20,})&(?:[\w.~%/+=-]+&){0,4}state=",
        ("code=",),
        check="entropy",
    ),
    SecretRule(
        "login-redirect",
        r"[?&]state=[\w.~%/+=-]*&(?:[\w.~%/+=-]+&){0,4}code=([\w.~%/+-]{20,})",
        ("code=",),
        check="entropy",
    ),
    SecretRule(
        "saml",
        rf"(?i:SAMLResponse){QUOTE}?(?:[ \t]*[:=][ \t]*|[ \t]+value=){QUOTE}?([\w+/%=-]{{40,}})",
        ("samlresponse",),
    ),
    # A settings file in base64, perhaps on several lines.
    SecretRule(
        "base64",
        rf"{LEFT}([A-Za-z0-9+/]{{24,}}(?:{LINE}[A-Za-z0-9+/]{{4,}})*={{0,2}})",
        tuple(_in_base64()),
        check="encoded-settings",
    ),
    # A session cookie is recognised by its name in any position.
    SecretRule(
        "cookies",
        r"(?i)(?:_\w+_session|(?:php|j|asp\.net_)sess(?:ion)?id|connect\.sid)(?:=|%3D|: ?)"
        r"([\w%.+/=-]{20,})",
        ("_session=", "sessid", "sessionid=", "connect.sid"),
        check="entropy",
    ),
    # The data of a Kubernetes Secret; each pass matches one entry.
    SecretRule(
        "kubernetes", rf"kind{QUOTE}?:[ \t]*{QUOTE}?Secret\b{_SAME_DOCUMENT}{_ENTRY}", _KINDS
    ),
    SecretRule(
        "kubernetes", rf"{_ENTRY}{_SAME_DOCUMENT}kind{QUOTE}?:[ \t]*{QUOTE}?Secret\b", _KINDS
    ),
)
