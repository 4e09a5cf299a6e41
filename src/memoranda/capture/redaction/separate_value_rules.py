"""Redaction rules for a secret whose name and value are separate fields or cells."""

from __future__ import annotations

from functools import partial

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
"""Pattern of the names of columns that contain secrets."""
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

_assignment = partial(SecretRule, "assignment", check="block")

FIELDS: tuple[SecretRule, ...] = (
    # As AWS, CloudFormation, ECS and others print parameters: {"Name": …, "Type": …, "Value": …}.
    _assignment(
        rf"{_KEY}(?: field| input| box)?{QUOTE}{_BETWEEN}{_CONTENT}({QUOTED})",
        ("value", "secretstring", "secret_string"),
        trace=TRACE,
    ),
    _assignment(rf"{_CONTENT}({QUOTED}){QUOTE}{_BETWEEN}{_KEY}", ("value",), check="before-name"),
    _assignment(
        rf"{_START}[ \t-]*(?i:value):[ \t]+{VALUE}[ \t]*{LINE}[ \t]+(?i:name|key):[ \t]+"
        rf"{QUOTE}?[\w.\-/]*?{NAME}",
        ("value:",),
        check="before-name",
    ),
    _assignment(
        rf"SecureString{QUOTE}{_BETWEEN}{QUOTE}Value{_COLON}{QUOTE}([^\"'\\\r\n]{{4,}})",
        ("securestring",),
        check="present",
    ),
    _assignment(
        rf"{QUOTE}Value{_COLON}{QUOTE}([^\"'\\\r\n]{{4,}}){QUOTE}{_BETWEEN}{QUOTE}SecureString{QUOTE}",
        ("securestring",),
        check="present",
    ),
    # Browser tools: {"element": "Password field", "text": …}.
    _assignment(
        rf"{QUOTE}element{_COLON}{QUOTE}[\w ]*?{NAME}(?: \w+)?{QUOTE}{_BETWEEN}{QUOTE}text{_COLON}"
        rf"({QUOTED})",
        ("element",),
    ),
    # A cell or a column with the name, and the next one with the value.
    _assignment(
        rf"(?:{_START}|{_RULE})[ \t*`]*(?:[\w.\-]|\w \w)*?{NAME}[ \t*`]*{_RULE}[ \t*`]*{VALUE}"
        rf"[ \t*`\"']*(?:{_RULE}|[\r\n]|\\[nr]|\z)",
        ("|", "\u2502", "\u2503", "\u2551"),
        check="cell",
        trace=TRACE,
    ),
    _assignment(
        rf"{_START}[ \t]*[\w.\-]*?{NAME}(?:[ ]{{2,}}|\t+)[ \t]*{VALUE}[ \t]*(?:[\r\n]|\\[nr]|\z)",
        check="cell",
        trace=TRACE,
    ),
    _assignment("", check="column", trace=_COLUMN_TRACE),
    # A cookie file, and the cookies of a browser.
    SecretRule(
        "cookies",
        r"(?:TRUE|FALSE)[ \t]+/\S*[ \t]+(?:TRUE|FALSE)[ \t]+\d+[ \t]+[\w.\-]+[ \t]+(\S{16,})",
        ("true", "false"),
        check="entropy",
    ),
    SecretRule(
        "cookies",
        rf"{QUOTE}name{_COLON}{QUOTE}[\w.\-]+{QUOTE}[ \t]*,(?:[ \t]|{LINE})*{QUOTE}value{_COLON}"
        rf"{QUOTE}([^\s\"'\\,]{{16,}}){_COOKIE}",
        ("domain", "path", "expires", "httponly", "samesite"),
        check="entropy",
    ),
    # The value on the line below its name, in YAML and JSON.
    _assignment(
        rf"(?:{_START}|[{{,])[ \t-]*{QUOTE}?[\w.\-]*?{NAME}{QUOTE}?:[ \t]*{LINE}[ \t]+"
        rf"({QUOTED}|[^\s\"'`\\:#\-{{}}\[\]][^\s\"'`\\:]*)[\"'`]?[ \t]*(?:[,}}]|[\r\n]|\\[nr]|\z)",
        (":\n", ":\r\n", ":\\n", ": \n"),
        check="cell",
        trace=TRACE,
    ),
    # The default value of an environment variable.
    _assignment(
        rf"[A-Z0-9_]*?{NAME_UPPER}(?:\\*[\"'`]?[\])])*[ \t]*(?:\|\||\?\?|or\b)[ \t]*({QUOTED})",
        ("||", "??", "or "),
    ),
    _assignment(
        rf"(?i:setItem)\([ \t]*{QUOTE}[\w.\-]*?{NAME}{QUOTE}[ \t]*,[ \t]*({QUOTED})", ("setitem",)
    ),
    _assignment(
        rf"\[{QUOTE}(?:[\w\-]*-)?{NAME}{QUOTE},[ \t]*({QUOTED}){QUOTE}\]", ("[",), trace=TRACE
    ),
    _assignment(
        rf"\[{QUOTE}[\w.\-]*?{NAME}{QUOTE}\]=>(?:[ \t]|{LINE})*string\(\d+\)[ \t]*({QUOTED})",
        ("string(",),
    ),
    # In HTML, where quotation marks and brackets are escaped.
    _assignment(
        rf"{NAME}(?:{_MARK})?[ \t]*(?::|=&gt;|=)[ \t]*{_MARK}"
        rf"((?:[^&\s\"'\\<>]|&amp;|&lt;|&gt;)+){_MARK}",
        ("&quot;", "&#34;", "&#39;", "&apos;", "&#x2"),
    ),
    SecretRule(
        "xml", rf"&lt;[\w.:\-]*?{NAME}&gt;((?:[^&\s<>]|&amp;)+)&lt;/", ("&lt;/",), check="block"
    ),
    SecretRule(
        "pem",
        r"-----BEGIN OpenVPN Static key V1-----(?s:.*?)(?:-----END OpenVPN Static key V1-----|\z)",
        ("openvpn static key",),
    ),
)
