"""Methods that list, show and release quarantined observations.

A person decides on them, and can quarantine any other observation.
"""

from __future__ import annotations

from memoranda.operation_declaration import REVIEWERS, read, write
from memoranda.page import Page
from memoranda.quarantine.model import QuarantinedObservation
from memoranda.resource import Resource
from memoranda.tasks.reference import TaskReference
from memoranda.text import normalise


class QuarantineResource(Resource):
    """``memory.quarantine``: observations withheld until a person reviews them."""

    @read("quarantine.list")
    def list(
        self,
        *,
        workspace: str | None = None,
        task: TaskReference | None = None,
        released: bool = False,
        cursor: str | None = None,
        limit: int = 50,
    ) -> Page[QuarantinedObservation]:
        """List quarantined observations, newest first.

        They read like instructions to the agent. With ``released``, those that a person released.
        """
        scope = self._within(workspace, task)
        return self._services.quarantine.list(scope, released=released, cursor=cursor, limit=limit)

    @read("quarantine.show")
    def show(self, id: str) -> QuarantinedObservation:
        """Show why an observation is or was quarantined.

        Raises:
            NotFound: there is no such observation, or it was never withheld.
        """
        return self._services.quarantine.show(self._scope, normalise(id))

    @write("quarantine.release", roles=REVIEWERS)
    def release(self, id: str) -> QuarantinedObservation:
        """Release an observation from quarantine.

        It can be quarantined again.

        Raises:
            Forbidden: the caller is an agent.
            NotFound: there is no such observation.
            Conflict: it is not withheld.
        """
        return self._changed(self._services.quarantine.release(self._scope, normalise(id)))

    @write("quarantine.hold", roles=REVIEWERS)
    def hold(self, id: str) -> QuarantinedObservation:
        """Quarantine an observation until a person releases it.

        Raises:
            Forbidden: the caller is an agent.
            NotFound: there is no such observation.
            Conflict: it is already withheld.
            InvalidInput: it has a person's constraint, which a context never omits.
        """
        return self._changed(self._services.quarantine.hold(self._scope, normalise(id)))

    def _changed(self, found: QuarantinedObservation) -> QuarantinedObservation:
        self._services.background.wake()
        return found
