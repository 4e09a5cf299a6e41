"""The table of redaction rules, as data."""

from __future__ import annotations

from functools import partial

from memoranda.capture.redaction.announced_secret_rules import ANNOUNCED
from memoranda.capture.redaction.command_rules import COMMANDS
from memoranda.capture.redaction.database_rules import DATABASES
from memoranda.capture.redaction.note_rules import NOTES
from memoranda.capture.redaction.piped_secret_rules import LABELLED, TYPED
from memoranda.capture.redaction.program_login_rules import LOGINS
from memoranda.capture.redaction.rule_patterns import (
    AFTER_NUMBER,
    BARE,
    GAP,
    LEFT,
    LINE,
    NAME,
    NAME_UPPER,
    QUOTE,
    QUOTED,
    SEPARATOR,
    SHELL,
    TRACE,
    VALUE,
    SecretRule,
)
from memoranda.capture.redaction.script_prompt_rules import DIALOGUES
from memoranda.capture.redaction.secret_names import LABEL_KEYWORDS, LABELS
from memoranda.capture.redaction.sentence_rules import SENTENCES
from memoranda.capture.redaction.separate_value_rules import FIELDS
from memoranda.capture.redaction.spoken_code_rules import CODES, SPOKEN_LOGINS
from memoranda.capture.redaction.spoken_secret_rules import SPOKEN
from memoranda.capture.redaction.structure_rules import STRUCTURES
from memoranda.capture.redaction.vendor_token_rules import VENDORS

_assignment = partial(SecretRule, "assignment", check="assigned")

_ASSIGNMENTS: tuple[SecretRule, ...] = (
    _assignment(rf"{NAME}{SEPARATOR}{VALUE}", trace=TRACE),
    # In a shell or .env file a value may contain commas, semicolons and ampersands.
    _assignment(rf"{NAME_UPPER}=({SHELL}*[^\s\"'`\\\x1b)\]}}>.:,;])", trace=TRACE),
    _assignment(
        rf"{NAME}(?:\\*[\"'][ \t]*,[ \t]*|\([ \t]*)({QUOTED})", check="called", trace=TRACE
    ),
    _assignment(
        rf"(?i)\b(?:name|key){QUOTE}?[ \t]*[:=][ \t]*{QUOTE}?[\w.\-]*?{NAME}{QUOTE}?"
        rf",?(?:{GAP})?{QUOTE}?value{QUOTE}?[ \t]*[:=][ \t]*{VALUE}",
        ("value",),
    ),
    # The only setting on a line, where even a plain word is a password.
    _assignment(
        rf"(?:^|[\r\n]|\\[nr])(?:[ \t]*\d+{AFTER_NUMBER})?[ \t+-]*"
        rf"[\w.\-]*?{NAME}:[ \t]+({BARE})[ \t]*(?:[\r\n\"'\x1b]|\\|\z)",
        check="setting",
        trace=r"(?i:pass|pwd)[\w.\-]*:[ \t]+[^\s\"'`,;&]+[ \t]*(?:[\r\n\"'\x1b\\]|\z)",
    ),
    # The value may contain ampersands, which would end it in a URL.
    _assignment(
        rf"(?:^|[\r\n]|\\[nr])(?:[ \t]*\d+{AFTER_NUMBER})?[ \t+-]*"
        rf"[\w.\-]*?{NAME}:[ \t]+([^\s\"'`\\,;()<>{{}}\[\]]+&[^\s\"'`\\,;()<>{{}}\[\]]+)[ \t]*"
        r"(?:[\r\n\"'\x1b]|\\|\z)",
        check="setting",
        trace=r"(?i:pass|pwd)[\w.\-]*:[ \t]+[^\s\"'`,;&]+&",
    ),
    _assignment(
        rf"(?i)(password|passphrase|passcode|passwort)[ \t]+(?:is|was|ist|lautet)[ \t:]*{VALUE}",
        ("password", "passphrase", "passcode", "passwort"),
    ),
    _assignment(
        rf"{LEFT}(?:(?:ENV|SetEnv|setx|config(?:ure)?[ \t]+set)|#define)[ \t]+"
        rf"[\w.\-/:@]*?{NAME}[ \t]+{VALUE}",
        ("env", "define", "config"),
    ),
    _assignment(rf"{LEFT}set[ \t]+(?:-\w+[ \t]+)*[A-Z0-9_]*?{NAME_UPPER}[ \t]+{VALUE}", ("set ",)),
    SecretRule(
        "flag",
        rf"(?:^|[\s\"'`(\[,;|]|\\[nrt]|\[[0-9;]*m)--?(?:\w+[.-])*{NAME}"
        rf"(?:[ \t]+|{QUOTE}[ \t\r\n]*,[ \t\r\n]*){VALUE}",
        check="assigned",
        trace=TRACE,
    ),
    SecretRule(
        "xml", rf"<[\w.:\-]*?{NAME}(?:\s[^<>]*)?>([^<>\s]+)</", check="assigned", trace=TRACE
    ),
    SecretRule(  # a property list
        "xml",
        rf"<key>[\w.:\- ]*?{NAME}</key>(?:{GAP})?<string>([^<>\s]+)</",
        ("</key>",),
        check="assigned",
    ),
    SecretRule(
        "entropy",
        r"(?i)\b(?:password|passwd|passphrase|secret|token|credential"
        r"|(?:api|access|secret|private)[ _-]?key)(?:[ \t]+(?:is|was|of|used|here))?"
        r"[ \t:=>\"'`(*-]{1,4}([\w+/=-]{20,})",
        check="entropy",
        trace=TRACE,
    ),
    # A setting without punctuation, as in Lisp, Clojure and Ruby.
    _assignment(
        rf"(?:^|[\r\n:;({{]|\\[nr])[ \t]*(?:setq[ \t]+)?[\w\-]*?{NAME}(?:[ \t]+\.)?[ \t]+"
        rf"({QUOTED})",
        check="called",
        trace=TRACE,
    ),
    # A name and its value are separated, as in blocks of YAML, fields of forms, outputs, cells.
    _assignment(
        rf"{NAME}{QUOTE}?:[ \t]*[|>][+-]?\d?[ \t]*(?:#[^\r\n\\]*)?{LINE}"
        rf"[ \t]+([^\s\"'\\][^\r\n\\\"']*(?:{LINE}[ \t]+[^\s:#\"'\\\xe2]{{16,}})*)",
        (": |", ": >", ":|", ":>"),
        check="block",
    ),
    _assignment(
        rf"(?i:name)={QUOTE}?[\w.\-\[]*?{NAME}\]?{QUOTE}?(?:{LINE}[\w-]+:[^\r\n\\]*)*{LINE}{LINE}"
        r"([^\s\\-][^\r\n\\]*)",
        ("form-data",),
        check="block",
    ),
    _assignment(
        rf"{NAME}{QUOTE}[ \t]*:(?:[ \t]"
        rf"|{LINE})*\{{[^{{}}]*?{QUOTE}value{QUOTE}[ \t]*:[ \t]*({QUOTED})",
        ('value"', "value\\"),
    ),
    _assignment(
        rf"variable[ \t]+{QUOTE}\w*?{NAME}{QUOTE}[ \t]*\{{[^{{}}]*?default[ \t]*=[ \t]*({QUOTED})",
        ('variable "', "variable \\"),
    ),
    _assignment(
        rf"{NAME}(?i:%22(?:%20|\+)*%3A(?:%20|\+)*%22|%3D)((?:[^%\s&\"'\\]|%[013-9A-Fa-f][0-9A-Fa-f]"
        r"|%2[013-57-9A-Fa-f])+)",
        ("%22", "%3d"),
        check="encoded",
    ),
    _assignment(
        rf"((?i:unseal|recovery)[ _][Kk]ey)[ _]\d+{SEPARATOR}{VALUE}", ("unseal", "recovery")
    ),
    _assignment(rf"\{{\w*?{NAME},[ \t]*(?:<<)?({QUOTED})", (", <<", ', "', ", \\")),
    _assignment(
        rf"\|[ \t*]*[\w \-]*?{NAME}[ \t*]*\|[ \t]*{VALUE}[ \t]*\|",
        ("word |", "word** |", "token |", "secret |", "key |", "pass |", "passwd |"),
    ),
    SecretRule(
        "label",
        rf"(?:{LABELS})(?:{QUOTE}|\*\*|[ \t])*(?:=>|[:=]|\xef\xbc[\x9a\x9d]|\\+(?i:uff1[ad])"
        rf"|\b(?:es|est|is)\b|是|为|は)(?:\*\*)?[ \t]*"
        rf"[bruf]?(?:\\*[\"'`])?({BARE})",
        (*LABEL_KEYWORDS, "\\u"),
        check="labelled",
    ),
    SecretRule(
        "card",
        r"(?:^|[^\w.\-/%]|[\r\n]-|\\[nrt]|\[[0-9;]*m)((?:4\d{3}|5[1-5]\d\d|2[2-7]\d\d|6011|65\d\d"
        r"|35\d\d)"
        r"(?:\d{12}|(?: \d{4}){3}|(?:-\d{4}){3})"
        r"|3[47]\d\d(?:\d{11}| \d{6} \d{5}|-\d{6}-\d{5})|3(?:0[0-5]|[68]\d)\d{11})\b",
        check="luhn",
    ),
)

RULES: tuple[SecretRule, ...] = (
    *VENDORS,
    *STRUCTURES,
    *LOGINS,
    *COMMANDS,
    *TYPED,
    *DIALOGUES,
    *DATABASES,
    *_ASSIGNMENTS,
    *FIELDS,
    *NOTES,
    *SENTENCES,
    *LABELLED,
    *SPOKEN,
    *SPOKEN_LOGINS,
    *CODES,
    *ANNOUNCED,
)
"""All rules; if two match the same text, the earlier one determines the name."""

PLACED = frozenset({"header", "url-userinfo"})
"""Rules that find a secret by its position, also in example code."""
CERTAIN = PLACED | {rule.name for rule in VENDORS} | {"jwt", "pem", "pem-base64", "putty", "custom"}
"""Rules that recognise a real credential by its format.

A program's state in which one of these rules matches is refused.
"""
BESIDE = frozenset(
    {"assignment", "label", "flag", "xml", "entropy", "card", "pair", "code", "sentence"}
)
"""Rules based on a nearby word or a checksum.

The id of a session or the path of a folder may match them by chance, so names are checked only by
the other rules.
"""
