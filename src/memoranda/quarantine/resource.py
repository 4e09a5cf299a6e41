"""Observations that read like orders to the agent: a person decides about them."""

from __future__ import annotations

from memoranda.page import Page
from memoranda.quarantine.model import QuarantinedObservation
from memoranda.resource import Resource
from memoranda.text import normalise


class QuarantineResource(Resource):
    """What no context tells before somebody has looked at it."""

    def quarantined(
        self,
        *,
        workspace: str | None = None,
        task: str | None = None,
        released: bool = False,
        cursor: str | None = None,
        limit: int = 50,
    ) -> Page[QuarantinedObservation]:
        """Return observations that read like orders to the agent, newest first; or those that a
        person released."""
        scope = self._within(workspace, task)
        return self._rooms.quarantine.list(scope, released=released, cursor=cursor, limit=limit)

    def quarantine_show(self, id: str) -> QuarantinedObservation:
        """Return why an observation is held back, or was.

        Raises:
            NotFound: there is no such observation, or it never was held back.
        """
        return self._rooms.quarantine.show(self._scope, normalise(id))

    def quarantine_release(self, id: str) -> QuarantinedObservation:
        """Have an observation be told like others from now on; it can be held back again.

        Raises:
            Forbidden: an agent asks for it.
            NotFound: there is no such observation.
            Conflict: it is not held back.
        """
        return self._changed(self._rooms.quarantine.release(self._scope, normalise(id)))

    def quarantine_hold(self, id: str) -> QuarantinedObservation:
        """Hold an observation back, so that no context tells of it until a person releases it.

        Raises:
            Forbidden: an agent asks for it.
            NotFound: there is no such observation.
            Conflict: it is held back already.
            InvalidInput: a person laid it down in words that a context never leaves out.
        """
        return self._changed(self._rooms.quarantine.hold(self._scope, normalise(id)))

    def _changed(self, found: QuarantinedObservation) -> QuarantinedObservation:
        self._rooms.background.wake()
        return found
