"""Redaction rules for a secret whose name and value are separate fields or cells."""

from __future__ import annotations

from memoranda.capture.redaction.rule_patterns import (
    LINE,
    NAME,
    NAME_UPPER,
    QUOTE,
    QUOTED,
    TRACE,
    VALUE,
    SecretRule,
)

COLUMN_SIGN = r"(?i:pass|pwd|secret|token|credential|[_ -]?key|auth|cookie|otp|pin\b)"
"""Pattern of the names of such columns."""
_COLUMN_TRACE = rf"{COLUMN_SIGN}[\w .\-\"'`*]{{0,40}}(?:[|,;\t)]|\xe2\x94|\xe2\x95|\r?\n)"
_COLON = rf"{QUOTE}(?:[ \t]|{LINE})*:(?:[ \t]|{LINE})*"
_KEY = rf"{QUOTE}(?i:\w{{0,20}}(?:name|key|variable|element)){_COLON}{QUOTE}[\w.\-/: ]*?{NAME}"
_CONTENT = rf"{QUOTE}(?i:\w{{0,20}}value|secret_?string){_COLON}"
_BETWEEN = r"[^{}\[\]]{0,300}?"
_MARK = r"(?:&quot;|&\#?34;|&\#39;|&apos;|&\#x2[27];)".replace("\\#", "#")
_RULE = r"(?:\||\xe2\x94[\x82\x83]|\xe2\x95\x91)"
_START = r"(?:^|[\r\n]|\\[nr])"
_COOKIE = (
    rf"{QUOTE}[ \t]*,(?:[ \t]|{LINE})*{QUOTE}(?:domain|path|expires|httpOnly|sameSite|secure)\b"
)

FIELDS: tuple[SecretRule, ...] = (
    # AWS, CloudFormation, ECS and others print parameters like this: {"Name": …, "Type": …,
    # "Value": …}.
    SecretRule(
        "assignment",
        ("value", "secretstring", "secret_string"),
        rf"{_KEY}(?: field| input| box)?{QUOTE}{_BETWEEN}{_CONTENT}({QUOTED})",
        2,
        "block",
        trace=TRACE,
    ),
    SecretRule(
        "assignment",
        ("value",),
        rf"{_CONTENT}({QUOTED}){QUOTE}{_BETWEEN}{_KEY}",
        1,
        "before-name",
    ),
    SecretRule(
        "assignment",
        ("value:",),
        rf"{_START}[ \t-]*(?i:value):[ \t]+{VALUE}[ \t]*{LINE}[ \t]+(?i:name|key):[ \t]+"
        rf"{QUOTE}?[\w.\-/]*?{NAME}",
        1,
        "before-name",
    ),
    SecretRule(
        "assignment",
        ("securestring",),
        rf"SecureString{QUOTE}{_BETWEEN}{QUOTE}Value{_COLON}{QUOTE}([^\"'\\\r\n]{{4,}})",
        1,
        "present",
    ),
    SecretRule(
        "assignment",
        ("securestring",),
        rf"{QUOTE}Value{_COLON}{QUOTE}([^\"'\\\r\n]{{4,}}){QUOTE}{_BETWEEN}{QUOTE}SecureString{QUOTE}",
        1,
        "present",
    ),
    # A browser tool: {"element": "Password field", "text": …}.
    SecretRule(
        "assignment",
        ("element",),
        rf"{QUOTE}element{_COLON}{QUOTE}[\w ]*?{NAME}(?: \w+)?{QUOTE}{_BETWEEN}{QUOTE}text{_COLON}"
        rf"({QUOTED})",
        2,
        "block",
    ),
    # A cell or a column with the name, and the next one with the value.
    SecretRule(
        "assignment",
        ("|", "\u2502", "\u2503", "\u2551"),
        rf"(?:{_START}|{_RULE})[ \t*`]*(?:[\w.\-]|\w \w)*?{NAME}[ \t*`]*{_RULE}[ \t*`]*{VALUE}"
        rf"[ \t*`\"']*(?:{_RULE}|[\r\n]|\\[nr]|\z)",
        2,
        "cell",
        trace=TRACE,
    ),
    SecretRule(
        "assignment",
        (),
        rf"{_START}[ \t]*[\w.\-]*?{NAME}(?:[ ]{{2,}}|\t+)[ \t]*{VALUE}[ \t]*(?:[\r\n]|\\[nr]|\z)",
        2,
        "cell",
        trace=TRACE,
    ),
    SecretRule("assignment", (), "", 0, "column", trace=_COLUMN_TRACE),
    # A cookie file, and a browser's cookies.
    SecretRule(
        "cookies",
        ("true", "false"),
        r"(?:TRUE|FALSE)[ \t]+/\S*[ \t]+(?:TRUE|FALSE)[ \t]+\d+[ \t]+[\w.\-]+[ \t]+(\S{16,})",
        1,
        "entropy",
    ),
    SecretRule(
        "cookies",
        ("domain", "path", "expires", "httponly", "samesite"),
        rf"{QUOTE}name{_COLON}{QUOTE}[\w.\-]+{QUOTE}[ \t]*,(?:[ \t]|{LINE})*{QUOTE}value{_COLON}"
        rf"{QUOTE}([^\s\"'\\,]{{16,}}){_COOKIE}",
        1,
        "entropy",
    ),
    # The value on the line below its name, in YAML and JSON.
    SecretRule(
        "assignment",
        (":\n", ":\r\n", ":\\n", ": \n"),
        rf"(?:{_START}|[{{,])[ \t-]*{QUOTE}?[\w.\-]*?{NAME}{QUOTE}?:[ \t]*{LINE}[ \t]+"
        rf"({QUOTED}|[^\s\"'`\\:#\-{{}}\[\]][^\s\"'`\\:]*)[\"'`]?[ \t]*(?:[,}}]|[\r\n]|\\[nr]|\z)",
        2,
        "cell",
        trace=TRACE,
    ),
    # The default of an environment variable.
    SecretRule(
        "assignment",
        ("||", "??", "or "),
        rf"[A-Z0-9_]*?{NAME_UPPER}(?:\\*[\"'`]?[\])])*[ \t]*(?:\|\||\?\?|or\b)[ \t]*({QUOTED})",
        2,
        "block",
    ),
    SecretRule(
        "assignment",
        ("setitem",),
        rf"(?i:setItem)\([ \t]*{QUOTE}[\w.\-]*?{NAME}{QUOTE}[ \t]*,[ \t]*({QUOTED})",
        2,
        "block",
    ),
    SecretRule(
        "assignment",
        ("[",),
        rf"\[{QUOTE}(?:[\w\-]*-)?{NAME}{QUOTE},[ \t]*({QUOTED}){QUOTE}\]",
        2,
        "block",
        trace=TRACE,
    ),
    SecretRule(
        "assignment",
        ("string(",),
        rf"\[{QUOTE}[\w.\-]*?{NAME}{QUOTE}\]=>(?:[ \t]|{LINE})*string\(\d+\)[ \t]*({QUOTED})",
        2,
        "block",
    ),
    # In HTML, where quotation marks and brackets are escaped.
    SecretRule(
        "assignment",
        ("&quot;", "&#34;", "&#39;", "&apos;", "&#x2"),
        rf"{NAME}(?:{_MARK})?[ \t]*(?::|=&gt;|=)[ \t]*{_MARK}"
        rf"((?:[^&\s\"'\\<>]|&amp;|&lt;|&gt;)+){_MARK}",
        2,
        "block",
    ),
    SecretRule(
        "xml",
        ("&lt;/",),
        rf"&lt;[\w.:\-]*?{NAME}&gt;((?:[^&\s<>]|&amp;)+)&lt;/",
        2,
        "block",
    ),
    SecretRule(
        "pem",
        ("openvpn static key",),
        r"-----BEGIN OpenVPN Static key V1-----(?s:.*?)(?:-----END OpenVPN Static key V1-----|\z)",
    ),
)
