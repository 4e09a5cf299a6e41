"""Redaction rules for passwords in database statements."""

from __future__ import annotations

from functools import partial

from memoranda.capture.redaction.rule_patterns import QUOTE, SecretRule

_TEXT = r"(?:N?\\*')([^'\r\n\\]+)"
# In prose, a file may be identified by its name.
_IDENTIFIED = r"(?:IDENTIFIED|(?i:(?:user|grant|role|account)\b[^;]{0,200}?identified))"
_IDENTIFIED_BY = r"(?i:identified\s+(?:by|with|as)\s)"
_ARGUMENT = rf"(?:@\w+\s*=\s*)?N?{QUOTE}"

_sql = partial(SecretRule, "sql", check="present")

DATABASES: tuple[SecretRule, ...] = (
    _sql(r"(?i:password)\s+'([^'\r\n]+)'", trace=r"(?i:password)\s+'"),
    _sql(
        rf"{_IDENTIFIED}(?i:\s+(?:with\s+\w+\s+)?(?:by|as)(?:\s+(?:password|values))?)\s+"
        r"'([^'\r\n]{3,})'",
        trace=_IDENTIFIED_BY,
    ),
    # Oracle: passwords in double quotes or without quotes.
    _sql(
        rf"{_IDENTIFIED}(?i:\s+by\s+(?:values\s+)?){QUOTE}?([^\s'\";,()<`\\][^\s'\";,()\\]*)",
        check="labelled",
        trace=_IDENTIFIED_BY,
    ),
    _sql(rf"{_IDENTIFIED}(?i:\s+by)\s+\\*\"([^\"\r\n\\]+)\\*\"", trace=_IDENTIFIED_BY),
    _sql(rf"(?i)set\s+password\s+for\s+[^=;\r\n]+=\s*{_TEXT}", ("set password",)),
    _sql(rf"(?i)identity\s*=\s*N?\\*'[^'\r\n]*'\s*,\s*secret\s*=\s*{_TEXT}", ("identity",)),
    # SQL Server and Sybase: procedures with a positional or named password argument.
    _sql(
        rf"(?i)sp_(?:addlogin|addapprole|setapprole|approlepassword)[\s(]+{_ARGUMENT}?[^\s,'\"\\]+"
        rf"{QUOTE}?\s*,\s*{_ARGUMENT}([^'\"\r\n\\]+)",
        ("sp_addlogin", "approle"),
    ),
    _sql(r"(?i)sp_addlogin[ \t]+[\w.]+[ \t]*,[ \t]*([^\s'\"@,;\\]+)", ("sp_addlogin",)),
    _sql(r"(?i)password \$\$([^$\r\n]+)\$\$", ("password $$",)),
    _sql(rf"(?i)sp_password[\s(]+{_ARGUMENT}([^'\"\r\n\\]+)", ("sp_password",)),
    _sql(
        rf"(?i)sp_password[\s(]+(?:null|{_ARGUMENT}[^'\"\r\n\\]+{QUOTE})\s*,\s*{_ARGUMENT}"
        r"([^'\"\r\n\\]+)",
        ("sp_password",),
    ),
    _sql(rf"(?i)@(?:old|new)\s*=\s*{_TEXT}", ("sp_password",)),
    _sql(rf"(?i)@(?:rmt)?passw(?:or)?d\s*=\s*{_TEXT}", ("sp_add",)),
    _sql(
        rf"(?i)sp_addlinkedsrvlogin[\s(]+(?:[^,;\r\n]+,\s*){{4}}{_TEXT}", ("sp_addlinkedsrvlogin",)
    ),
    # Redis and compatible servers.
    _sql(r"(?i)acl\s+setuser\s+\S+\s+(?:[^\s>]\S*\s+)*[\"'\\]*>([^\s\"'\\]+)", ("setuser",)),
    _sql(r"(?i)\d> auth (?:\S+ )?([^\s\"'\\]+)\s*(?:[\r\n]|\\|\z)", ("> auth ",)),
)
