"""What is never kept, and a way to try it."""

from __future__ import annotations

from memoranda.capture.redaction.model import PrivacyRules, RedactionPreview
from memoranda.resource import Resource


class PrivacyResource(Resource):
    """Nothing here is stored: a text that is tried is forgotten with the answer."""

    def privacy(self) -> PrivacyRules:
        """Return which files and commands are never captured, and which secrets are taken out."""
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
        """Return what would be kept of a text; with a file or a command, as if it came from there.

        Raises:
            InvalidInput: the settings have a pattern that is none.
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
