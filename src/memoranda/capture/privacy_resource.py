"""Methods that show the privacy rules and test them on a text."""

from __future__ import annotations

from memoranda.capture.redaction.model import PrivacyRules, RedactionPreview
from memoranda.resource import Resource


class PrivacyResource(Resource):
    """Privacy rules and their test; a tested text is not stored."""

    def privacy(self) -> PrivacyRules:
        """Return the files and commands never captured, and the secrets removed."""
        from memoranda.capture.redaction.rules import RULES

        settings = self._rooms.settings
        return PrivacyRules(
            settings.exclude_paths,
            settings.exclude_commands,
            settings.redact_patterns,
            tuple(sorted({rule.name for rule in RULES})),
        )

    def privacy_test(
        self, text: str, *, path: str | None = None, command: str = ""
    ) -> RedactionPreview:
        """Return what would be stored of a text.

        With a file or a command, as if the text came from there.

        Raises:
            InvalidInput: the settings have an invalid pattern.
        """
        from memoranda.capture.event import Event, EventKind, EventSource
        from memoranda.observations.model import Origin

        given = {"file_path": path, "command": command or None}
        event = Event(
            kind=EventKind.TOOL_RESULT,
            host="memoranda",
            session="",
            source=EventSource.API,
            key="",
            origin=Origin.TOOL,
            input={name: value for name, value in given.items() if value},
            output=text,
        )
        cleaned = self._rooms.cleaner.clean(event)
        kept, excluded = cleaned.event.output, "excluded" in cleaned.removed
        return RedactionPreview("" if kept is None else str(kept), dict(cleaned.removed), excluded)
