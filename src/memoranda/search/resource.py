"""Methods that complete and rebuild the search index."""

from __future__ import annotations

from memoranda.jobs.model import JobKind
from memoranda.mirror import table as mirrors
from memoranda.observations import total_table as observation_totals
from memoranda.operation_declaration import ADMINS, write
from memoranda.resource import Resource
from memoranda.search.index import IndexReport, Progress


class IndexResource(Resource):
    """``memory.index``: the search index, derived from records."""

    @write("index.reembed", roles=ADMINS, alias=("reembed",))
    def reembed(self, *, progress: Progress | None = None) -> IndexReport:
        """Add missing entries and vectors to the search index.

        Entries are created for all records, and a vector of the current model for each of their
        passages. Entries and vectors that are up to date are skipped.

        Raises:
            EmbedderUnavailable: the model cannot be used; the entries and vectors created so far
                are kept.
        """
        indexing = self._services.indexing
        indexing.index_all()
        indexing.embed(progress=progress)
        return indexing.report()

    @write("index.rebuild", roles=ADMINS, alias=("rebuild-index",))
    def rebuild(self, *, progress: Progress | None = None) -> IndexReport:
        """Recreate all data that is derived from records.

        Derived data consists of the mirror's files if the mirror is on, totals, the full-text
        index, entries, blocks of vectors, and the analysis of memories. Vectors of texts that still
        exist are kept.
        """
        self._rebuild_mirror()
        self._database.write(lambda tx: observation_totals.recount(tx, self._scope.team))
        self._services.text_index.rebuild()
        self._services.indexing.rebuild()
        self._services.encodings.rebuild()
        self._services.enqueue(JobKind.ENCODE_MEMORIES, "")
        return self.reembed(progress=progress)

    def _rebuild_mirror(self) -> None:
        team = self._scope.team
        if self._database.read(lambda tx: mirrors.of(tx, team)):
            self._services.mirroring.rebuild(self._scope)
