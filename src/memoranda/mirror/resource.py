"""Methods that enable, disable, synchronise and rebuild the mirror."""

from __future__ import annotations

from pathlib import Path

from memoranda.mirror.model import MirrorReport, MirrorStatus
from memoranda.operation_declaration import ADMINS, local, read, write
from memoranda.resource import Resource

FOLDER = "mirror"
"""Default folder within the data directory."""


class MirrorResource(Resource):
    """``memory.mirror``: operations on the mirror of memories as files."""

    @local("mirror.enable", alias=("mirror.on",))
    def enable(self, folder: str | Path | None = None) -> MirrorReport:
        """Mirror memories, tasks and proposals as Markdown files.

        The files are written now and whenever memories, tasks or proposals change.

        Raises:
            Forbidden: the caller is an agent.
            Conflict: the mirror is already in another folder, or the folder is not empty.
            InvalidInput: the path looks like a secret.
            StorageUnusable: the folder cannot be created or written.
        """
        if folder:
            self._services.sanitiser.checked_name("the path of a folder", str(folder))
        chosen = Path(folder) if folder else self._services.settings.data_dir / FOLDER
        return self._mirrored(self._services.mirroring.on(self._scope, chosen))

    @write("mirror.disable", roles=ADMINS, alias=("mirror.off",))
    def disable(self) -> MirrorReport:
        """Import edits of the mirrored files, then remove the files.

        Mirroring is off afterwards.

        Raises:
            Forbidden: the caller is an agent.
            NotFound: the mirror is off.
        """
        return self._mirrored(self._services.mirroring.off(self._scope))

    @read("mirror.status", roles=ADMINS)
    def status(self) -> MirrorStatus:
        """Show the folder of the mirror, its conflicts and notices."""
        return self._services.mirroring.status(self._scope)

    @write("mirror.sync", roles=ADMINS)
    def sync(self) -> MirrorReport:
        """Import edits of the mirrored files, then write those that differ.

        Raises:
            NotFound: the mirror is off.
            Conflict: the folder now belongs to another mirror.
            StorageUnusable: the folder cannot be used.
        """
        return self._mirrored(self._services.mirroring.sync(self._scope))

    @write("mirror.rebuild", roles=ADMINS)
    def rebuild(self) -> MirrorReport:
        """Import edits of the mirrored files, then write every file again.

        Raises:
            NotFound: the mirror is off.
            Conflict: the folder now belongs to another mirror.
            StorageUnusable: the folder cannot be used.
        """
        return self._mirrored(self._services.mirroring.rebuild(self._scope))

    def _mirrored(self, report: MirrorReport) -> MirrorReport:
        """Enqueue the jobs that follow from changed memories."""
        if report.taken:
            self._services.enqueue_rendering(None)
            self._services.background.wake()
        return report
