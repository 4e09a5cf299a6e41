"""Cleaning of texts from callers: memories, names and program states."""

from __future__ import annotations

from memoranda.capture.media import text_without_media
from memoranda.capture.redaction.model import SecretPolicy
from memoranda.capture.redaction.private_spans import drop_private, drop_recalled
from memoranda.capture.redaction.redactor import Redactor
from memoranda.exceptions import InvalidInput
from memoranda.json_data import JsonValue, dump_json, map_texts
from memoranda.text import clip, escaped_json, is_blank, is_plain_name, normalise

_PLACE = 120


def credential_in(redactor: Redactor, value: JsonValue) -> tuple[str, str] | None:
    """Return the rule and position of a credential in a JSON value, or None.

    Only texts whose form identifies them as a credential count. The value may be nested to any
    depth.
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
    """Return the error message for a refused state, with the options.

    ``secrets`` is the caller's choice of policy; None if there is no choice.
    """
    where = f" at {clip(place, _PLACE)}" if place else ""
    way_out = "pass credentials by configuration instead"
    if secrets is SecretPolicy.ENCRYPT:
        way_out = "the store is not encrypted; set encryption_key_file or encryption_keyring"
    elif secrets is not None:
        way_out += ", or choose secrets='encrypt' or secrets='redact'"
    return f"{what} contains a credential ({rule}){where}; nothing was stored: {way_out}"


PRIVATE = "private"
"""Replacement for a name that consists only of a private span."""


class TextSanitiser:
    """Cleans a caller's text in the same way as events."""

    def __init__(self, redactor: Redactor) -> None:
        self._redactor = redactor

    def clean(self, text: str) -> str:
        """Return the text without private spans, recalled text, secrets and images."""
        text = text_without_media(drop_recalled(drop_private(normalise(text))[0])[0])
        return self._redactor.text(text)[0]

    def name(self, name: str) -> str:
        """Return the name of a session, tool, agent or folder without secrets.

        Private spans are removed too; a name that is entirely private becomes `PRIVATE`. Ids and
        paths are unchanged.
        """
        plain = normalise(name)
        return self._redactor.name(drop_private(plain)[0] or (plain and PRIVATE))[0]

    def checked_name(self, what: str, name: str) -> str:
        """Return a caller's name unchanged if it may be stored.

        Raises:
            InvalidInput: the name contains a secret or a private span. ``what`` describes the name.
        """
        _refuse_changed(what, normalise(name), self.name(name))
        return name

    def checked_label(self, what: str, name: str) -> str:
        """Return a new name unchanged if it may be stored and is readable.

        Raises:
            InvalidInput: the name is invisible, contains a secret, a private span, a control
                character, a change of text direction, or ``..`` as a part of a path.
        """
        if is_blank(name):
            raise InvalidInput(f"{what} has no visible character; choose another name")
        if not is_plain_name(name):
            raise InvalidInput(
                f"{what} must not contain control characters, text direction marks or path parts"
                f" '..': {escaped_json(dump_json(clip(name, 60)))}"
            )
        return self.checked_name(what, name)

    def value(self, value: JsonValue) -> JsonValue:
        """Return a JSON value without private spans and secrets.

        The value of a member such as ``password`` is a secret.
        """
        plain = map_texts(value, lambda text: drop_recalled(drop_private(normalise(text))[0])[0])
        return self._redactor.value(plain).value

    def state(
        self, what: str, value: JsonValue, secrets: SecretPolicy | None, *, encrypted: bool = False
    ) -> JsonValue:
        """Return a program's state, redacted if its policy requires that.

        Args:
            what: description of the state for an error.
            secrets: the program's policy; None if a credential can only be refused.
            encrypted: whether the store is encrypted.

        Raises:
            InvalidInput: the state contains a credential, and the policy does not allow this.
        """
        if secrets is SecretPolicy.REDACT:
            return self.value(value)
        if secrets is SecretPolicy.ENCRYPT and encrypted:
            return value
        if found := credential_in(self._redactor, value):
            raise InvalidInput(refusal(what, *found, secrets))
        return value

    def imported_state(self, value: JsonValue) -> JsonValue:
        """Return a state from an archive, redacted if it contains a credential."""
        return self.value(value) if credential_in(self._redactor, value) else value

    def member(self, name: str, value: JsonValue) -> tuple[str, JsonValue]:
        """Return a name and its value without private spans and secrets.

        The name is cleaned independently of the value. A name such as ``password`` makes the value
        a secret.
        """
        plain = map_texts({name: value}, lambda text: drop_private(normalise(text))[0])
        redacted = self._redactor.value(plain).value
        assert isinstance(redacted, dict)
        return next(iter(redacted.items()))

    def checked_member(self, what: str, name: str, value: JsonValue) -> JsonValue:
        """Return the cleaned value of a name, if the name may be stored.

        Raises:
            InvalidInput: the name contains a secret or a private span. ``what`` describes the name.
        """
        clean, clean_value = self.member(name, value)
        _refuse_changed(what, name, clean)
        return clean_value


def _refuse_changed(what: str, name: str, clean: str) -> None:
    """Refuse a name that cleaning changed, as its record could not be found.

    Raises:
        InvalidInput: cleaning changed the name.
    """
    if clean != name:
        raise InvalidInput(f"{what} looks like a secret; choose another name: {clean}")
