"""Redaction rules for passwords in database statements."""

from __future__ import annotations

from memoranda.capture.redaction.rule_patterns import QUOTE, SecretRule

_TEXT = r"(?:N?\\*')([^'\r\n\\]+)"
# In prose, a file may be identified by its name.
_IDENTIFIED = r"(?:IDENTIFIED|(?i:(?:user|grant|role|account)\b[^;]{0,200}?identified))"
_IDENTIFIED_BY = r"(?i:identified\s+(?:by|with|as)\s)"
_ARGUMENT = rf"(?:@\w+\s*=\s*)?N?{QUOTE}"

DATABASES: tuple[SecretRule, ...] = (
    SecretRule(
        "sql", (), r"(?i:password)\s+'([^'\r\n]+)'", 1, "present", trace=r"(?i:password)\s+'"
    ),
    SecretRule(
        "sql",
        (),
        rf"{_IDENTIFIED}(?i:\s+(?:with\s+\w+\s+)?(?:by|as)(?:\s+(?:password|values))?)\s+"
        r"'([^'\r\n]{3,})'",
        1,
        "present",
        trace=_IDENTIFIED_BY,
    ),
    # Oracle: passwords in double quotes or without quotes.
    SecretRule(
        "sql",
        (),
        rf"{_IDENTIFIED}(?i:\s+by\s+(?:values\s+)?){QUOTE}?([^\s'\";,()<`\\][^\s'\";,()\\]*)",
        1,
        "labelled",
        trace=_IDENTIFIED_BY,
    ),
    SecretRule(
        "sql",
        (),
        rf"{_IDENTIFIED}(?i:\s+by)\s+\\*\"([^\"\r\n\\]+)\\*\"",
        1,
        "present",
        trace=_IDENTIFIED_BY,
    ),
    SecretRule(
        "sql", ("set password",), rf"(?i)set\s+password\s+for\s+[^=;\r\n]+=\s*{_TEXT}", 1, "present"
    ),
    SecretRule(
        "sql",
        ("identity",),
        rf"(?i)identity\s*=\s*N?\\*'[^'\r\n]*'\s*,\s*secret\s*=\s*{_TEXT}",
        1,
        "present",
    ),
    # SQL Server and Sybase: procedures with a positional or named password argument.
    SecretRule(
        "sql",
        ("sp_addlogin", "approle"),
        rf"(?i)sp_(?:addlogin|addapprole|setapprole|approlepassword)[\s(]+{_ARGUMENT}?[^\s,'\"\\]+"
        rf"{QUOTE}?\s*,\s*{_ARGUMENT}([^'\"\r\n\\]+)",
        1,
        "present",
    ),
    SecretRule(
        "sql",
        ("sp_addlogin",),
        r"(?i)sp_addlogin[ \t]+[\w.]+[ \t]*,[ \t]*([^\s'\"@,;\\]+)",
        1,
        "present",
    ),
    SecretRule("sql", ("password $$",), r"(?i)password \$\$([^$\r\n]+)\$\$", 1, "present"),
    SecretRule(
        "sql", ("sp_password",), rf"(?i)sp_password[\s(]+{_ARGUMENT}([^'\"\r\n\\]+)", 1, "present"
    ),
    SecretRule(
        "sql",
        ("sp_password",),
        rf"(?i)sp_password[\s(]+(?:null|{_ARGUMENT}[^'\"\r\n\\]+{QUOTE})\s*,\s*{_ARGUMENT}"
        r"([^'\"\r\n\\]+)",
        1,
        "present",
    ),
    SecretRule("sql", ("sp_password",), rf"(?i)@(?:old|new)\s*=\s*{_TEXT}", 1, "present"),
    SecretRule("sql", ("sp_add",), rf"(?i)@(?:rmt)?passw(?:or)?d\s*=\s*{_TEXT}", 1, "present"),
    SecretRule(
        "sql",
        ("sp_addlinkedsrvlogin",),
        rf"(?i)sp_addlinkedsrvlogin[\s(]+(?:[^,;\r\n]+,\s*){{4}}{_TEXT}",
        1,
        "present",
    ),
    # Redis and compatible servers.
    SecretRule(
        "sql",
        ("setuser",),
        r"(?i)acl\s+setuser\s+\S+\s+(?:[^\s>]\S*\s+)*[\"'\\]*>([^\s\"'\\]+)",
        1,
        "present",
    ),
    SecretRule(
        "sql", ("> auth ",), r"(?i)\d> auth (?:\S+ )?([^\s\"'\\]+)\s*(?:[\r\n]|\\|\z)", 1, "present"
    ),
)
