"""Strict parser of forms, their CSRF tokens, and one-time messages.

A form is accepted only from the session that it was sent to.
"""

from __future__ import annotations

import base64
import hmac
from collections.abc import Mapping
from urllib.parse import parse_qs, urlencode

from memoranda.exceptions import Forbidden, InvalidInput
from memoranda.json_data import JsonValue, dump_json, parse_json
from memoranda.web.answers import Done, Undo
from memoranda.web.page_request import Fields

TOKEN = "form-token"
MAX_FIELDS = 2_000
MAX_COOKIE_BYTES = 3_500
"""Maximum number of bytes of the message cookie; browsers store 4,096 bytes per cookie."""
MAX_MESSAGE_LENGTH = 500
"""Number of characters to which a message is cut if it exceeds the cookie.

This many characters fit, whatever they are.
"""
WRONG = "this form belongs to another session; reload the page"


def read(text: bytes | str) -> dict[str, list[str]]:
    """Return the fields of a form or a query, including empty ones.

    Raises:
        InvalidInput: the data is not a form, is not UTF-8, or has too many fields.
    """
    try:
        decoded = text.decode() if isinstance(text, bytes) else text
        return parse_qs(decoded, keep_blank_values=True, errors="strict", max_num_fields=MAX_FIELDS)
    except ValueError as error:
        raise InvalidInput("this is not a form sent by a browser") from error


def encode_form(fields: Fields) -> str:
    """Encode fields as a form, without the token."""
    values_sent = {name: list(values) for name, values in fields.items() if name != TOKEN}
    return urlencode(values_sent, doseq=True)


def token(session: str) -> str:
    """Return the token for a session's forms, which other sites cannot know."""
    return _sealed(session, "form")


def check(session: str, form: Fields) -> None:
    """Check that a form was issued to this session.

    Raises:
        Forbidden: the form was not issued to this session.
    """
    tokens = form.get(TOKEN, ())
    if len(tokens) != 1 or not hmac.compare_digest(tokens[0].encode(), token(session).encode()):
        raise Forbidden(WRONG)


def flash_value(session: str, done: Done) -> str:
    """Return the value of a cookie with a message for the next page."""
    flash_fields: dict[str, JsonValue] = {
        "message": done.message[:1_000],
        "warn": done.warn,
        "see": done.see,
    }
    if done.undo is not None:
        fields: dict[str, JsonValue] = dict(done.undo.fields)
        flash_fields["undo"] = {
            "action": done.undo.action,
            "fields": fields,
            "label": done.undo.label,
        }
    packed = base64.urlsafe_b64encode(dump_json(flash_fields).encode()).decode()
    if len(packed) > MAX_COOKIE_BYTES:
        less = {**flash_fields, "message": done.message[:MAX_MESSAGE_LENGTH], "undo": None}
        packed = base64.urlsafe_b64encode(dump_json(less).encode()).decode()
    return f"{packed}.{_sealed(session, packed)}"


def read_flash(session: str, value: str) -> Done | None:
    """Parse the value of the message cookie; None for another session's."""
    packed, _, seal = value.rpartition(".")
    if not hmac.compare_digest(seal.encode(), _sealed(session, packed).encode()):
        return None
    fields = parse_json(base64.urlsafe_b64decode(packed))
    assert isinstance(fields, dict)
    see = str(fields.get("see", ""))
    return Done("", str(fields["message"]), _undo(fields.get("undo")), bool(fields["warn"]), see)


def _undo(value: JsonValue) -> Undo | None:
    if not isinstance(value, dict):
        return None
    fields = value["fields"]
    assert isinstance(fields, Mapping)
    values_read = {name: str(value) for name, value in fields.items()}
    return Undo(str(value["action"]), values_read, str(value["label"]))


def _sealed(session: str, what: str) -> str:
    made = hmac.digest(session.encode(), b"memoranda web: " + what.encode(), "sha256")
    return base64.urlsafe_b64encode(made).rstrip(b"=").decode()
