"""Detection of credentials in a program's state, and the refusal message.

A state is stored unchanged or refused.
"""

from __future__ import annotations

from memoranda.capture.redaction.redactor import Redactor
from memoranda.capture.redaction.state_policy import SecretPolicy
from memoranda.json_data import JsonValue
from memoranda.text import clip

_PLACE = 120


def credential_in(redactor: Redactor, value: JsonValue) -> tuple[str, str] | None:
    """Return the rule and place of a credential in a JSON value, or None.

    Only texts whose form identifies them as a credential count. Nesting may be of any depth.
    """
    stack: list[tuple[str, JsonValue]] = [("", value)]
    while stack:
        place, item = stack.pop()
        if isinstance(item, str):
            if found := redactor.credentials(item):
                return next(iter(found)), place
        elif isinstance(item, dict):
            for name, member in item.items():
                if found := redactor.credentials(name):
                    return next(iter(found)), f"a name in {place or 'it'}"
                stack.append((f"{place}.{name}" if place else name, member))
        elif isinstance(item, list):
            stack += [(f"{place}[{at}]", one) for at, one in enumerate(item)]
    return None


def refusal(what: str, rule: str, place: str, secrets: SecretPolicy | None) -> str:
    """Return the message of a refused state, with the options.

    ``secrets`` is the caller's choice, None if there is none.
    """
    where = f" at {clip(place, _PLACE)}" if place else ""
    way_out = "pass credentials by configuration instead"
    if secrets is SecretPolicy.ENCRYPT:
        way_out = "the store is not encrypted; set encryption_key_file or encryption_keyring"
    elif secrets is not None:
        way_out += ", or choose secrets='encrypt' or secrets='redact'"
    return f"{what} holds a credential ({rule}){where}; nothing was stored: {way_out}"
