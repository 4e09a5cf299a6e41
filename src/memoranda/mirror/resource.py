"""The mirror: memories as files that people read and edit."""

from __future__ import annotations

from pathlib import Path

from memoranda.mirror.model import MirrorReport, MirrorStatus
from memoranda.resource import Resource

FOLDER = "mirror"
"""Within the data directory, unless another one is named."""


class MirrorResource(Resource):
    """Memories as files."""

    def mirror_on(self, folder: str | Path | None = None) -> MirrorReport:
        """Mirror memories, tasks and proposals into a folder, now and whenever they change.

        Raises:
            Forbidden: an agent asks for it.
            Conflict: the mirror is elsewhere already, or the folder is not free.
            InvalidInput: the path reads like a secret.
            StorageUnusable: the folder cannot be made or written.
        """
        if folder:
            self._rooms.sanitiser.checked_name("the path of a folder", str(folder))
        chosen = Path(folder) if folder else self._rooms.settings.data_dir / FOLDER
        return self._mirrored(self._rooms.mirroring.on(self._scope, chosen))

    def mirror_off(self) -> MirrorReport:
        """Take in what people wrote into the mirror, then remove its files and keep none.

        Raises:
            Forbidden: an agent asks for it.
            NotFound: the mirror is off.
        """
        return self._mirrored(self._rooms.mirroring.off(self._scope))

    def mirror_status(self) -> MirrorStatus:
        """Say where the mirror is, what is in conflict, and what was noticed in its files."""
        return self._rooms.mirroring.status(self._scope)

    def mirror_sync(self) -> MirrorReport:
        """Take in what people wrote into the mirror, then write what differs.

        Raises:
            NotFound: the mirror is off.
            Conflict: the folder has become another mirror's.
            StorageUnusable: it cannot be used.
        """
        return self._mirrored(self._rooms.mirroring.sync(self._scope))

    def mirror_rebuild(self) -> MirrorReport:
        """Take in what people wrote into the mirror, then write every file again.

        Raises:
            NotFound: the mirror is off.
            Conflict: the folder has become another mirror's.
            StorageUnusable: it cannot be used.
        """
        return self._mirrored(self._rooms.mirroring.rebuild(self._scope))

    def _mirrored(self, report: MirrorReport) -> MirrorReport:
        """Have what follows from memories that changed be worked out."""
        if report.taken:
            self._rooms.enqueue_rendering(None)
            self._rooms.background.wake()
        return report
