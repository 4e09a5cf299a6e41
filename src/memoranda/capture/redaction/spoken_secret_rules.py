"""Redaction rules for secrets that a person mentions in conversation.

Examples: "the password has not changed, still …", "ssh into the box as pi with …", "… opens it". As
a sentence may be about a password without revealing it, the value must be at an exact position, or
look like a password, with a digit, a special character or joined words.
"""

from __future__ import annotations

from functools import partial

from memoranda.capture.redaction.rule_patterns import LEFT, QUOTE, SecretRule
from memoranda.capture.redaction.secret_names import LABEL_KEYWORDS, LABELS

LABEL = (
    r"(?i:pass(?:word|phrase|code|wort|wd)s?|pwd|pw|kennwort|log-?in|creds"
    r"|(?:magic|code|secret|access) (?:word|phrase)|(?:wi-?fi|wlan|network) (?:code|key))"
)
_CLAUSE = r"(?:[^\r\n.!?:;=\"'`(){}\[\]<>]|\w'\w)"
LABELLED = (
    *("passw", "passphrase", "passcode", "pwd", "pw ", "pw:", "kennwort", "login", "log-in"),
    *("creds", "magic word", "code word", "secret word", "access phrase"),
    *("magic phrase", "access word", "pass ", "wifi code", "wifi key", "wlan key", "network key"),
)
"""Keywords; every text that `LABEL` matches contains at least one of them."""
GAP = rf"{_CLAUSE}*?(?:\([\w ,-]{{1,30}}\){_CLAUSE}*?)?"
"""The rest of a clause, without its end and without code characters."""
STILL = (
    r"(?:(?:still|now|currently|again|just|simply|always|noch|immer|jetzt|seit \w+|weiterhin"
    r"|toujours|maintenant|ahora|agora|ancora|adesso|teraz|nadal|k(?:ü|ue)nftig|dann|then"
    r"|ab[ \t]\S+)[ \t]+){0,2}"
)
_IS = (
    r"(?:[ \t]*(?::|→|—|–)[ \t]*"  # noqa: RUF001
    r"|[ \t]+(?i:is|was|takes|wants|ist|lautet|est|c'est|es|é|è|to|to be|says)[ \t]*:?[ \t]+"
    r"|,?[ \t]+(?i:still|now|it's|it is|noch|agora é|ahora es|maintenant)[ \t]+)"
)
_OPEN = rf"(?:{QUOTE}|`|\*\*|“|«|„|『|「)?"
_OTHER = r"\s\"'`\\,;()<>\x1b\xe2-\xef"
_CHOSEN = r"0-9!@#$%^&*+~._-"
CHOSEN_VALUE = rf"{_OPEN}([^{_OTHER}{_CHOSEN}]*[{_CHOSEN}][^{_OTHER}]*)"
"""A value with a digit, special character or joint, unlike a plain word."""
_ENTER = (
    r"(?i:typ(?:e|ed|ing)|enter(?:ed)?|use[ds]?|try|tried|with|takes|type in|put in|tape[rz]?"
    r"|saisi\w*|gib|eingeben|mit|escrib\w+|pon(?:le)?|digite|scrivi|wpisz|tell \S+|hard-?code)"
)
_PROMPT = r"(?i:asks?|prompts?|wants?|demande|pide|pede|chiede|zapyta|fragt)[^\r\n.!?]{0,60}?"

_sentence = partial(SecretRule, "sentence", check="picked")

SPOKEN: tuple[SecretRule, ...] = (
    _sentence(rf"{LEFT}(?:[\w-]{{1,20}}-)?{LABEL}\b{GAP}{_IS}{STILL}{CHOSEN_VALUE}", LABELLED),
    _sentence(
        rf"{LABELS}(?:{GAP}{_IS}{STILL}|{GAP}(?:是|为|換成|换成|改成|用|は)[ \t]*)"
        rf"{CHOSEN_VALUE}",
        (*LABEL_KEYWORDS, "\\u"),
    ),
    _sentence(
        rf"{LABELS}(?:si|niz|miz|en|et|n|a|i)?[ \t]+{CHOSEN_VALUE}", (*LABEL_KEYWORDS, "\\u")
    ),
    _sentence(
        rf"{LABELS}[^\r\n]{{0,30}}?(?:「|『)([^\r\n\"'\\]{{2,50}}?\d[^\r\n\"'\\]{{0,20}}?)(?:」|』)",
        LABEL_KEYWORDS,
        check="present",
    ),
    _sentence(
        r"(?:\b(?i:user(?:name)?|login|account):?[ \t]+[\w.@+-]+,?[ \t]+(?i:pass(?:word|wd)?|pwd?)"
        rf"|Password\d)[ \t]+{CHOSEN_VALUE}",
        LABELLED,
    ),
    _sentence(
        rf"\b(?i:says|uses?|try|tried|it's|is)[ \t]+{CHOSEN_VALUE}[ \t]+"
        rf"for[ \t]+(?:the|our|my)[ \t]+(?:[\w-]+[ \t]+){{0,2}}?{LABEL}\b",
        LABELLED,
    ),
    _sentence(
        rf"\b(?i:admin|root|router|login|sign-?in|console|panel|nas)\b{GAP}[ \t](?i:takes|wants)"
        rf"[ \t]+{CHOSEN_VALUE}",
        (" takes ", " wants "),
        check="mixed",
    ),
    # "I typed … as the password", "when it asks for the passphrase, enter …".
    _sentence(rf"\b{_ENTER}[ \t]+{CHOSEN_VALUE}[^\r\n.;]*?\b{LABEL}\b", LABELLED, check="mixed"),
    _sentence(
        rf"(?:\b{LABEL}\b|{_PROMPT})[^\r\n.;=(){{}}]*?\b{_ENTER}[ \t]+{CHOSEN_VALUE}",
        (*LABELLED, "asks", "prompt", "wants", "demande", "pide", "pede", "chiede", "zapyta"),
        check="mixed",
    ),
    _sentence(
        rf"\b(?i:wi-?fi|wlan|hotspot|ssid)\b(?s:.{{0,90}}?)\b(?i:with|key|code|pw|pass)\b"
        rf"[ \t]*:?[ \t]*{CHOSEN_VALUE}",
        ("wifi", "wi-fi", "wlan", "hotspot", "ssid"),
    ),
    _sentence(
        r"\b(?i:code|key|cl(?:é|e)|clave|senha|chiave|schl(?:ü|ue)ssel)\b[^\r\n:]{0,20}?[ \t]"
        rf"(?i:wi-?fi|wlan|hotspot)\b[^\r\n:]{{0,50}}?:[ \t]*{CHOSEN_VALUE}",
        ("wifi", "wi-fi", "wlan", "hotspot", "ssid"),
    ),
    _sentence(
        rf"\b(?i:try(?: again)?|retry|again)[ \t]+with[ \t]+{CHOSEN_VALUE}[^\r\n]*?\b{LABEL}\b",
        LABELLED,
        check="mixed",
    ),
    # An answer to a question for a password, on the next line or after the question mark.
    _sentence(
        rf"(?i:pass(?:word|phrase|code|wort)|\bpw\b|\bpwd\b|kennwort)[^\r\n?]{{0,60}}\?[ \t]*"
        r"\r?\n(?:[ \t]*[\w.@ -]{1,30}(?:[ \t]\d{1,2}:\d\d)?:[ \t]*|>[ \t]*)?"
        rf"{_OPEN}([^\s\"'`\\,;()<>\x1b]{{4,64}}){QUOTE}?[ \t]*(?:\r?\n|\z)",
        LABELLED,
        check="answer",
    ),
    _sentence(
        r"(?i)\b(?:shared|signing|webhook|client|hmac|api|app)[ -]secret\b[^\r\n.:;=]{0,80}?"
        rf"(?:[ \t](?:is|was)|:)[ \t]+{CHOSEN_VALUE}",
        ("ecret",),
        check="entropy",
    ),
    SecretRule(
        "login",
        r"curl\b(?:[^\r\n]*\\\r?\n){1,12}[^\r\n]*?(?:^|[ \t])(?:-u|--user)(?:[ \t=]|\\*[\"'])*"
        r"[^\s:\"'\\]*:([^\s\"'\\\x1b/][^\s\"'\\\x1b]*)",
        ("curl",),
        check="present",
    ),
    _sentence(
        rf"{LEFT}{LABEL}\b{GAP}{_IS}(?:{QUOTE}|“|„|«)"
        rf"([\w'-]+(?:[ ][\w'-]+){{2,9}})(?:{QUOTE}|”|“|»)",
        LABELLED,
        check="phrase-words",
    ),
    _sentence(rf"{LEFT}{LABEL}\b{GAP},[ \t]+{CHOSEN_VALUE},", LABELLED, check="mixed"),
    _sentence(
        rf"\b(?i:try|use|typ(?:e|ed)|enter(?:ed)?|put)[ \t]+{CHOSEN_VALUE}{QUOTE}?[ \t]+"
        rf"(?:\w+[ \t]+){{0,3}}?(?i:as|for|into)[ \t]+(?i:the|my|your|its|a)[ \t]+"
        rf"(?:\w+[ \t]+)?{LABEL}\b",
        LABELLED,
    ),
    _sentence(
        rf"\b(?i:it's|it is|is)[ \t]+{CHOSEN_VALUE}[^\r\n]{{0,5}}[ \t]+"
        rf"(?i:that's|that is|which is)[ \t]+(?i:the|my|our)[ \t]+(?:\w+[ \t]+)?{LABEL}\b",
        LABELLED,
        check="mixed",
    ),
    _sentence(
        r"\b(?i:my|our|the)[ \t]+(?i:(?:access|api|auth|personal)[ \t]+)?(?i:token|api key)[ \t]+"
        rf"{_OPEN}([\w+/=.-]{{16,}})",
        ("my token", "our token", "the token", "access token", "api token", "api key"),
        check="dense",
    ),
    _sentence(
        rf"\b(?i:type|typing|enter)[ \t]+{CHOSEN_VALUE}{QUOTE}?[ \t]+"
        r"(?i:when|if|once|exactly|there|at the)\b",
        ("type ", "typing ", "enter "),
    ),
    _sentence(
        rf"\b(?i:admin|user|account|root|reset|access)\b[^\r\n]{{0,60}}?"
        rf"(?i:it's|it is) now[ \t]+{CHOSEN_VALUE}",
        ("it's now", "it is now"),
        check="mixed",
    ),
    _sentence(
        rf"\b(?i:agreed on|chose|picked|set it to|changed it to|use)[ \t]+{CHOSEN_VALUE}[ \t]+"
        rf"(?i:as|for)[ \t]+(?i:the|our|my|a)[ \t]+(?:\w+[ \t]+){{0,2}}?{LABEL}\b",
        LABELLED,
    ),
    _sentence(
        rf"\b(?i:token|(?:api|access|secret) key)\b{GAP}(?:[ \t]|,[ \t])"
        rf"(?i:is|was|it's|it is)[ \t]+{_OPEN}([\w+/=-]{{20,}})",
        ("token", "api key", "access key", "secret key"),
        check="dense",
    ),
    _sentence(
        r"\b(?i:wi-?fi|wlan)\b(?:[ \t]+(?:at|in|of|for)[ \t][^\r\n.,;:]*?)?[ \t]+(?:is|ist)[ \t]+"
        rf"{CHOSEN_VALUE}",
        ("wifi", "wi-fi", "wlan"),
    ),
    _sentence(
        rf"(?:^|[\r\n]|[:,;.!][ \t]+){CHOSEN_VALUE}[ \t]+(?:is|was)[ \t]+(?i:the|my|our)[ \t]+"
        rf"(?:\w+[ \t]+)?{LABEL}\b",
        LABELLED,
    ),
    _sentence(
        r"\b(?i:type|enter)[ \t]+(\w+(?:[ ]\w+){2,9})[ \t]+(?i:when|if) (?:it|you|he|she)[ \t]"
        r"[^\r\n.,]{0,20}?(?i:pass(?:phrase|word|code))",
        LABELLED,
        check="phrase-words",
    ),
)
