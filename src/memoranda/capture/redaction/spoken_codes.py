"""Redaction rules for codes, PINs and keys that a person mentions in conversation."""

from __future__ import annotations

from memoranda.capture.redaction.patterns import SecretRule

_LOCK = (
    r"(?i:door|gate|alarm|safe|lock(?:er|box)?|garage|entry|keypad|building|lift|elevator|vault"
    r"|t(?:ü|ue)r)"
)
_LOCKED = (
    *("door", "alarm", "gate code", "gate pin", "safe co", "locker", "lockbox", "lock co"),
    *("garage", "keypad", "entry code", "building code", "lift code", "elevator", "vault co"),
    *("türcode", "tür-code", "tuercode"),
)

CODES: tuple[SecretRule, ...] = (
    SecretRule(
        "code",
        _LOCKED,
        rf"\b{_LOCK}\b[^\r\n.;:]{{0,30}}?[ \t-](?i:code|combination|combo|pin)\b[^\r\n.;\d]{{0,60}}"
        rf"(?::[ \t]*)?([*#]?\d{{1,4}}(?:[ -]\d{{1,4}}){{2,4}}|[*#]?\d{{4,8}}[*#]?)(?:\W|\z)",
        1,
        "present",
    ),
    SecretRule(
        "code",
        (),
        r"(?:\b(?i:passcode)|PIN)\b?(?:[^\r\n.:;\d]{0,40}?[ \t](?:is|ist|est|es|é|è)[ \t]+"
        r"|は|是|は:|:[ \t]*)(\d{4,8})(?:\D|\z)",
        1,
        "present",
        trace=r"(?i:passcode)|\bPIN\b|PIN[^A-Za-z]",
    ),
    SecretRule(
        "sentence",
        ("ecovery phrase", "eed phrase", "nemonic"),
        r"(?i)(?:recovery phrase|seed phrase|mnemonic)[^\r\n:]{0,120}:[ \t]*\r?\n?[ \t]*"
        r"([a-z]{3,8}(?:[ ][a-z]{3,8}){11,23})(?:\W|\z)",
        1,
        "present",
    ),
    SecretRule(
        "code",
        ("licen", "activation", "product key", "serial"),
        r"(?i:licen[cs]e|activation|product|serial)[^\r\n]*?[^A-Z0-9-]([A-Z0-9]{4,6}(?:-[A-Z0-9]{4,6}){3,7})"
        r"(?:[^\w-]|\z)",
        1,
        "present",
    ),
    SecretRule(
        "code",
        ("code",),
        r"(?i:verification|security|sms|log-?in|2fa|mfa|otp|one-time)[ -]code\b"
        r"[^\r\n.;:=(]*?(?:[ \t]is|:)[ \t]+((?:[A-Z]-)?\d{4,8}|\d{3}[ -]\d{3})(?:\W|\z)",
        1,
        "present",
    ),
    SecretRule(
        "code",
        ("código", "codigo", "code de", "codice", "kod do"),
        r"(?i)(?:c(?:ó|o)digo|code|codice|kod)[ \t][^\r\n.;:\d]{0,20}?(?:alarm\w*|allarme|puerta"
        r"|porte|porta|port(?:ã|a)o|portail|garagem?|drzwi)[^\r\n.;\d]{0,30}?[*#]?(\d{4,8})(?:\W|\z)",
        1,
        "present",
    ),
    SecretRule(
        "code",
        (" pin",),
        r"(?:^|[^\w.-])(\d{4,8})[ \t]+(?i:als|as|comme|como|come)[ \t]+(?:\w+[ \t]+)?PIN\b",
        1,
        "present",
    ),
)
