"""Redaction rules for secrets that a person mentions in conversation.

Such as "the password has not changed, still …", "ssh into the box as pi with …", "… opens it". A
sentence can say much about a password without naming it, so that the position of the value is
narrow, or the value itself looks chosen: it has a digit, a sign or words that are joined.
"""

from __future__ import annotations

from memoranda.capture.redaction.password_names import LABEL_KEYWORDS, LABELS
from memoranda.capture.redaction.patterns import LEFT, QUOTE, SecretRule

_LABEL = (
    r"(?i:pass(?:word|phrase|code|wort|wd)s?|pwd|pw|kennwort|log-?in|creds?|credentials?"
    r"|(?:magic|code|secret|access) (?:word|phrase)|(?:wi-?fi|wlan|network) (?:code|key))"
)
_CLAUSE = r"(?:[^\r\n.!?:;=\"'`(){}\[\]<>]|\w'\w)"
_LABELLED = (
    *("passw", "passphrase", "passcode", "pwd", "pw ", "pw:", "kennwort", "login", "log-in"),
    *("creds", "credential", "magic word", "code word", "secret word", "access phrase"),
    *("magic phrase", "access word", "pass ", "wifi code", "wifi key", "wlan key", "network key"),
)
"""One of these is in every text that `_LABEL` matches."""
_GAP = rf"{_CLAUSE}*?(?:\([\w ,-]{{1,30}}\){_CLAUSE}*?)?"
"""The rest of a clause: neither its end nor a sign of code."""
_STILL = (
    r"(?:(?:still|now|currently|again|just|simply|always|noch|immer|jetzt|seit \w+|weiterhin"
    r"|toujours|maintenant|ahora|agora|ancora|adesso|teraz|nadal)[ \t]+){0,2}"
)
_IS = (
    r"(?:[ \t]*(?::|=>|->|=|→|—|–)[ \t]*"  # noqa: RUF001
    r"|[ \t]+(?i:is|was|takes|wants|ist|lautet|est|c'est|es|é|è|to|to be|says)[ \t]*:?[ \t]+"
    r"|,?[ \t]+(?i:still|now|it's|it is|noch|agora é|ahora es|maintenant)[ \t]+)"
)
_OPEN = rf"(?:{QUOTE}|`|\*\*|“|«|„|『|「)?"
_OTHER = r"\s\"'`\\,;()<>\x1b\xe2-\xef"
_CHOSEN = r"0-9!@#$%^&*+~._-"
_VALUE = rf"{_OPEN}([^{_OTHER}{_CHOSEN}]*[{_CHOSEN}][^{_OTHER}]*)"
"""A value with a digit, a sign or a joint; others look like any word."""
_ENTER = (
    r"(?i:typ(?:e|ed|ing)|enter(?:ed)?|use[ds]?|try|tried|with|takes|type in|put in|tape[rz]?"
    r"|saisi\w*|gib|eingeben|mit|escrib\w+|pon(?:le)?|digite|scrivi|wpisz|tell \S+|hard-?code)"
)
_PROMPT = r"(?i:asks?|prompts?|wants?|demande|pide|pede|chiede|zapyta|fragt)[^\r\n.!?]{0,60}?"
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

SPOKEN: tuple[SecretRule, ...] = (
    SecretRule(
        "sentence",
        _LABELLED,
        rf"{LEFT}(?:[\w-]{{1,20}}-)?{_LABEL}\b{_GAP}{_IS}{_STILL}{_VALUE}",
        1,
        "picked",
    ),
    SecretRule(
        "sentence",
        (*LABEL_KEYWORDS, "\\u"),
        rf"{LABELS}(?:{_GAP}{_IS}{_STILL}|{_GAP}(?:是|为|換成|换成|改成|用|は)[ \t]*){_VALUE}",
        1,
        "picked",
    ),
    SecretRule(
        "sentence",
        (*LABEL_KEYWORDS, "\\u"),
        rf"{LABELS}(?:si|niz|miz|en|et|n|a|i)?[ \t]+{_VALUE}",
        1,
        "picked",
    ),
    SecretRule(
        "sentence",
        LABEL_KEYWORDS,
        rf"{LABELS}[^\r\n]{{0,30}}?(?:「|『)([^\r\n\"'\\]{{2,50}}?\d[^\r\n\"'\\]{{0,20}}?)(?:」|』)",
        1,
        "present",
    ),
    SecretRule(
        "sentence",
        _LABELLED,
        rf"{LEFT}(?i:pass(?:word|wd)?\d?|pwd?)[ \t]+{_VALUE}",
        1,
        "mixed",
    ),
    SecretRule(
        "sentence",
        _LABELLED,
        rf"\b(?i:says|uses?|try|tried|it's|is)[ \t]+{_VALUE}[ \t]+for[ \t]+(?:the|our|my)[ \t]+"
        rf"(?:[\w-]+[ \t]+){{0,2}}?{_LABEL}\b",
        1,
        "picked",
    ),
    SecretRule(
        "sentence",
        (" takes ", " wants "),
        rf"\b(?i:admin|root|router|login|sign-?in|console|panel|nas)\b{_GAP}[ \t](?i:takes|wants)"
        rf"[ \t]+{_VALUE}",
        1,
        "mixed",
    ),
    # "I typed … as the password", "when it asks for the passphrase, enter …".
    SecretRule(
        "sentence",
        _LABELLED,
        rf"\b{_ENTER}[ \t]+{_VALUE}[^\r\n.;]*?\b{_LABEL}\b",
        1,
        "mixed",
    ),
    SecretRule(
        "sentence",
        (*_LABELLED, "asks", "prompt", "wants", "demande", "pide", "pede", "chiede", "zapyta"),
        rf"(?:\b{_LABEL}\b|{_PROMPT})[^\r\n.;=(){{}}]*?\b{_ENTER}[ \t]+{_VALUE}",
        1,
        "mixed",
    ),
    # A name and a password: "log in as bob / …", "ssh into 10.0.3.17 as pi with …".
    SecretRule(
        "pair",
        _LOGINS,
        rf"\b{_HOST}\b[^\r\n;(]*?[ \t](?:as|als|como|come)[ \t]+{QUOTE}?[\w.@-]{{1,40}}"
        rf"{QUOTE}?{_PAIR}{_VALUE}",
        1,
        "picked",
    ),
    SecretRule(
        "pair",
        (*_LABELLED, "account"),
        rf"\b(?:{_LABEL}|(?i:account))\b[^\r\n.;]*?(?:\(|,[ \t]+)[\w.@-]{{1,40}}"
        rf"[ \t]*[,/+][ \t]*{_VALUE}",
        1,
        "mixed",
    ),
    # "… opens it", "get in with …", "… as I had a typo in the password".
    SecretRule(
        "sentence",
        ("opens", "unlocks", "gets you", "gets me", "gets us"),
        rf"(?:[,:;]|\bis|—)[ \t]+{_VALUE}{QUOTE}?[ \t]+"
        r"(?i:opens|unlocks|gets (?:you|me|us) (?:in|through|past))\b",
        1,
        "picked",
    ),
    SecretRule(
        "sentence",
        _OPENED,
        r"\b(?i:get (?:in|on|onto it|on it)|got in|let me in|join(?: it)?|opens?|protected|locked"
        r"|unlocks?(?:[ \t]+[\w-]+){0,4}?|decrypts?|encrypted|secured)"
        rf"[ \t]+(?i:with|using|by)[ \t]+{_VALUE}",
        1,
        "picked",
    ),
    SecretRule(
        "sentence",
        ("wifi", "wi-fi", "wlan", "hotspot", "ssid"),
        rf"\b(?i:wi-?fi|wlan|hotspot|ssid)\b(?s:.{{0,90}}?)\b(?i:with|key|code|pw|pass|is)\b"
        rf"[ \t]*:?[ \t]*{_VALUE}",
        1,
        "picked",
    ),
    SecretRule(
        "sentence",
        ("wifi", "wi-fi", "wlan", "hotspot", "ssid"),
        r"\b(?i:code|key|cl(?:é|e)|clave|senha|chiave|schl(?:ü|ue)ssel)\b[^\r\n:]{0,20}?[ \t]"
        rf"(?i:wi-?fi|wlan|hotspot)\b[^\r\n:]{{0,50}}?:[ \t]*{_VALUE}",
        1,
        "picked",
    ),
    SecretRule(
        "sentence",
        _LABELLED,
        rf"\b(?i:try(?: again)?|retry|again)[ \t]+with[ \t]+{_VALUE}[^\r\n]*?\b{_LABEL}\b",
        1,
        "mixed",
    ),
    # An answer to a question for a password, on the next line or behind the question mark.
    SecretRule(
        "sentence",
        _LABELLED,
        rf"(?i:pass(?:word|phrase|code|wort)|\bpw\b|\bpwd\b|kennwort)[^\r\n?]{{0,60}}\?[ \t]*"
        r"\r?\n(?:[ \t]*[\w.@ -]{1,30}(?:[ \t]\d{1,2}:\d\d)?:[ \t]*|>[ \t]*)?"
        rf"{_OPEN}([^\s\"'`\\,;()<>\x1b]{{4,64}}){QUOTE}?[ \t]*(?:\r?\n|\z)",
        1,
        "answer",
    ),
    SecretRule(
        "sentence",
        ("ecret",),
        r"(?i)\b(?:shared|signing|webhook|client|hmac|api|app)[ -]secret\b[^\r\n.:;=]{0,80}?"
        rf"(?:[ \t](?:is|was)|:)[ \t]+{_VALUE}",
        1,
        "entropy",
    ),
    SecretRule(
        "login",
        ("curl",),
        r"curl\b(?:[^\r\n]*\\\r?\n){1,12}[^\r\n]*?(?:^|[ \t])(?:-u|--user)(?:[ \t=]|\\*[\"'])*"
        r"[^\s:\"'\\]*:([^\s\"'\\\x1b/][^\s\"'\\\x1b]*)",
        1,
        "present",
    ),
    SecretRule(
        "sentence",
        _LABELLED,
        rf"{LEFT}{_LABEL}\b{_GAP}{_IS}(?:{QUOTE}|“|„|«)"
        rf"([\w'-]+(?:[ ][\w'-]+){{2,9}})(?:{QUOTE}|”|“|»)",
        1,
        "phrase-words",
    ),
    SecretRule(
        "sentence",
        _LABELLED,
        rf"{LEFT}{_LABEL},[ \t]+{_VALUE},",
        1,
        "picked",
    ),
    SecretRule(
        "sentence",
        _LABELLED,
        rf"\b(?i:try|use|typ(?:e|ed)|enter(?:ed)?|put)[ \t]+{_VALUE}{QUOTE}?[ \t]+"
        rf"(?:\w+[ \t]+){{0,3}}?(?i:as|for|into)[ \t]+(?i:the|my|your|its|a)[ \t]+"
        rf"(?:\w+[ \t]+)?{_LABEL}\b",
        1,
        "picked",
    ),
    SecretRule(
        "sentence",
        _LABELLED,
        rf"\b(?i:it's|it is|is)[ \t]+{_VALUE}[^\r\n]{{0,5}}[ \t]+(?i:that's|that is|which is)[ \t]+"
        rf"(?i:the|my|our)[ \t]+(?:\w+[ \t]+)?{_LABEL}\b",
        1,
        "mixed",
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
        rf"(?i:basic[ -]auth)[^\r\n.;]*?(?:[ \t]is[ \t]+|[:=][ \t]*)[\w.-]+:{_VALUE}",
        1,
        "picked",
    ),
    SecretRule(
        "sentence",
        ("my token", "our token", "the token", "access token", "api token", "api key"),
        r"\b(?i:my|our|the)[ \t]+(?i:(?:access|api|auth|personal)[ \t]+)?(?i:token|api key)[ \t]+"
        rf"{_OPEN}([\w+/=.-]{{16,}})",
        1,
        "dense",
    ),
    SecretRule(
        "sentence",
        ("type ", "typing ", "enter "),
        rf"\b(?i:type|typing|enter)[ \t]+{_VALUE}{QUOTE}?[ \t]+"
        r"(?i:when|if|once|exactly|there|at the)\b",
        1,
        "picked",
    ),
    SecretRule(
        "sentence",
        ("it's now", "it is now"),
        rf"\b(?i:admin|user|account|root|reset|access)\b[^\r\n]{{0,60}}?"
        rf"(?i:it's|it is) now[ \t]+{_VALUE}",
        1,
        "mixed",
    ),
    SecretRule(
        "sentence",
        _LABELLED,
        rf"\b(?i:agreed on|chose|picked|set it to|changed it to|use)[ \t]+{_VALUE}[ \t]+"
        rf"(?i:as|for)[ \t]+(?i:the|our|my|a)[ \t]+(?:\w+[ \t]+){{0,2}}?{_LABEL}\b",
        1,
        "picked",
    ),
    SecretRule(
        "sentence",
        ("token", "api key", "access key", "secret key"),
        rf"\b(?i:token|(?:api|access|secret) key)\b{_GAP}[ \t](?i:is|was)[ \t]+{_OPEN}"
        r"([\w+/=-]{20,})",
        1,
        "dense",
    ),
)
