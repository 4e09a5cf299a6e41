"""Where everything is put together; with `stores`, all that names an engine or a provider."""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterator, Sequence
from functools import cached_property
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from memoranda.capture.spool import Spool
from memoranda.chores import Chores
from memoranda.clock import Clock, SystemClock
from memoranda.config import Settings
from memoranda.embedders import embedder
from memoranda.errors import InvalidInput, StorageUnusable
from memoranda.exporters import telemetry
from memoranda.ids import IdSource
from memoranda.learn.forgetting import Cleared, Forgetting
from memoranda.learn.memories import MemoryBook
from memoranda.measuring import measured_database, measured_jobs
from memoranda.models.tokens import ToktokCounter
from memoranda.recall.context import ContextBuilder
from memoranda.recall.disclosure import Disclosure
from memoranda.recall.prepared import PreparedContexts
from memoranda.recall.rating import Rating
from memoranda.recall.scoring import Recipe
from memoranda.recall.search import Search
from memoranda.rerankers import reranker
from memoranda.store.database import Transaction
from memoranda.store.tables import jobs, workspaces
from memoranda.stores import opened
from memoranda.values.job import Job, JobKind, JobState
from memoranda.values.recall import Fusion
from memoranda.values.working import LONGEST
from memoranda.worker import BackgroundWorker, Worker

if TYPE_CHECKING:
    from memoranda.capture.bus import HookBus
    from memoranda.capture.drain import Drain
    from memoranda.capture.importer import Importer
    from memoranda.capture.intake import Intake
    from memoranda.capture.redaction.cleaning import TextSanitiser
    from memoranda.capture.redaction.redactor import Redactor
    from memoranda.distil.briefs import Briefs
    from memoranda.distil.compressions import Compressions
    from memoranda.distil.spending import Ledger
    from memoranda.distil.staging import Staging
    from memoranda.hold.block_changes import BlockChanges
    from memoranda.hold.blocks import Blocks
    from memoranda.hold.checkpoints import Checkpoints
    from memoranda.hold.conversation import Conversations
    from memoranda.hold.crowding import Crowding
    from memoranda.hold.forks import Forks
    from memoranda.hold.patching import Patching
    from memoranda.hold.resumptions import Resumptions
    from memoranda.hold.sharing import Sharing
    from memoranda.learn.error_log import ErrorLog
    from memoranda.learn.memory_changes import MemoryChanges
    from memoranda.learn.memory_edits import MemoryEdits
    from memoranda.learn.notifications import Notifications
    from memoranda.learn.proposals import Proposals
    from memoranda.ports import Cache, Compressor, WorkingMemory
    from memoranda.recall.cached import CachedSearch
    from memoranda.recall.indexing import Indexing
    from memoranda.rewriters import Rewriters
    from memoranda.store.redis.server import RedisServer


class Rooms:
    """Every service of one open store, built once from its settings."""

    def __init__(self, settings: Settings, clock: Clock | None = None) -> None:
        """Open the store and build the services on it.

        Raises:
            StorageUnusable: the data directory cannot be used.
            InvalidInput: a configured pattern or tokenizer is not acceptable.
        """
        self.settings = settings
        self.clock = clock or SystemClock()
        self.ids = IdSource(self.clock)
        self._key = _fingerprint_key(settings.key_path)
        self.counter = ToktokCounter(settings.tokenizer)
        self.engine = opened(settings)
        self.telemetry = telemetry(settings, self.engine.dialect)
        self.database = measured_database(self.engine, self.telemetry)
        self.spool = Spool(settings.spool_dir)
        _require_redis_client(settings)
        self.embedder = embedder(settings)
        recipe = Recipe(settings.recall_weights, Fusion(settings.fusion))
        self._search = Search(self.database, self.clock, self.embedder, reranker(settings), recipe)
        self.rating = Rating(self.database, self.clock)
        self.disclosure = Disclosure(self.database, self.counter, self._search)
        self.contexts = ContextBuilder(self.database, self.counter, self._search)
        self.prepared = PreparedContexts(
            self.contexts, settings.context_dir, settings.context_budget
        )
        self.forgetting = Forgetting(
            self.database, self.clock, self.ids, self._clear_outside_tables
        )
        owner = f"{os.getpid()}-{secrets.token_hex(4)}"
        self.chores = Chores(self)
        handlers = measured_jobs(self.chores.handlers, self.telemetry)
        self.worker = Worker(self.database, settings.team, handlers, self.clock, owner)
        self.background = BackgroundWorker(self.worker)

    # What takes things in is built when the first thing comes in: its patterns cost a tenth of a
    # second, which a search from the command line need not pay.

    @cached_property
    def redactor(self) -> Redactor:
        """What takes secrets out."""
        from memoranda.capture.redaction.redactor import Redactor

        try:
            return Redactor(self._key, self.settings.redact_patterns)
        except ValueError as error:
            raise InvalidInput(f"redact_patterns: {error}") from error

    @cached_property
    def intake(self) -> Intake:
        """Where events become observations."""
        from memoranda.capture.intake import Intake
        from memoranda.capture.prepare import Preparer
        from memoranda.capture.redaction.cleaning import Cleaner
        from memoranda.capture.redaction.exclusion import Exclusion

        settings = self.settings
        exclusion = Exclusion(settings.exclude_paths, settings.exclude_commands)
        preparer = Preparer(Cleaner(self.redactor, exclusion), self.counter)
        team, telemetry = settings.team, self.telemetry
        return Intake(self.database, preparer, self.clock, self.ids, team, telemetry)

    @cached_property
    def importer(self) -> Importer:
        """What reads transcripts."""
        from memoranda.capture.importer import Importer

        return Importer(self.database, self.intake, self.drain, self.clock, self.settings.team)

    @cached_property
    def drain(self) -> Drain:
        """What empties the spool."""
        from memoranda.capture.drain import Drain
        from memoranda.capture.live_marks import LiveMarks

        marks = LiveMarks(self.database, self.counter, self.settings.team)
        return Drain(self.spool, self.intake, marks, self.redactor, self.settings.data_dir)

    @cached_property
    def bus(self) -> HookBus:
        """Who wants to know what happens."""
        from memoranda.capture.bus import HookBus

        return HookBus()

    @cached_property
    def sanitiser(self) -> TextSanitiser:
        """What cleans a text that somebody states."""
        from memoranda.capture.redaction.cleaning import TextSanitiser

        return TextSanitiser(self.redactor)

    @cached_property
    def indexing(self) -> Indexing:
        """What makes entries and vectors."""
        from memoranda.recall.indexing import Indexing

        return Indexing(self.database, self.settings.team, self.embedder)

    @cached_property
    def memories(self) -> MemoryBook:
        """What people and agents state."""
        propose = self.proposals.proposed
        return MemoryBook(
            self.database, self.counter, self.sanitiser, self.clock, self.ids, propose
        )

    @cached_property
    def _memory_changes(self) -> MemoryChanges:
        from memoranda.learn.memory_changes import MemoryChanges

        return MemoryChanges(self.counter, self.sanitiser, self.ids)

    @cached_property
    def proposals(self) -> Proposals:
        """What agents want of memories."""
        from memoranda.learn.proposals import Proposals

        return Proposals(self.database, self._memory_changes, self.clock, self.ids)

    @cached_property
    def memory_edits(self) -> MemoryEdits:
        """Changes of memories."""
        from memoranda.learn.memory_edits import MemoryEdits

        return MemoryEdits(self.database, self._memory_changes, self.proposals, self.clock)

    @cached_property
    def errors(self) -> ErrorLog:
        """What failed."""
        from memoranda.learn.error_log import ErrorLog

        return ErrorLog(self.database)

    @cached_property
    def notifications(self) -> Notifications:
        """Who is told what of proposals."""
        from memoranda.learn.notifications import Notifications

        return Notifications(self.database, self.clock)

    @cached_property
    def _block_changes(self) -> BlockChanges:
        from memoranda.hold.block_changes import BlockChanges

        return BlockChanges(self.counter, lambda: self.sanitiser, self.clock, self.ids)

    @cached_property
    def blocks(self) -> Blocks:
        """What agents edit."""
        from memoranda.hold.blocks import Blocks

        return Blocks(self.database, self._block_changes, self.clock)

    @cached_property
    def patching(self) -> Patching:
        """What changes several blocks at once."""
        from memoranda.hold.patching import Patching

        return Patching(self.database, self._block_changes, self.clock)

    @cached_property
    def crowding(self) -> Crowding:
        """What offers nearly full blocks for compression."""
        from memoranda.hold.crowding import Crowding

        return Crowding(self.database, self.clock)

    @cached_property
    def sharing(self) -> Sharing:
        """Who holds what."""
        from memoranda.hold.sharing import Sharing

        return Sharing(self.database, self._block_changes, self.clock)

    @cached_property
    def checkpoints(self) -> Checkpoints:
        """What can be gone back to."""
        from memoranda.hold.checkpoints import Checkpoints

        return Checkpoints(self.database, self._block_changes, self.clock, self.ids)

    @cached_property
    def forks(self) -> Forks:
        """What can be gone on from."""
        from memoranda.hold.forks import Forks

        return Forks(self.database, self._block_changes, self.checkpoints, self.clock, self.ids)

    @cached_property
    def resumptions(self) -> Resumptions:
        """What is needed to go on with a task."""
        from memoranda.hold.resumptions import Resumptions

        return Resumptions(self.database, self.blocks, self.checkpoints)

    @cached_property
    def redis(self) -> RedisServer | None:
        """The server for what may be lost, if there is one; connected when it is first needed."""
        if not self.settings.redis_url:
            return None
        from memoranda.store.redis.server import RedisServer

        return RedisServer(self.settings.redis_url, self.clock)

    @cached_property
    def working(self) -> WorkingMemory:
        """What tasks note down for a while."""
        from memoranda.hold.working import TableWorkingMemory

        if self.redis is None:
            return TableWorkingMemory(self.database, self.clock)
        from memoranda.hold.fallback import FallbackWorkingMemory
        from memoranda.store.redis.working import RedisWorkingMemory

        table = TableWorkingMemory(self.database, self.clock, keep=LONGEST)
        server = RedisWorkingMemory(self.redis, self.clock)
        return FallbackWorkingMemory(server, table, self.clock)

    @cached_property
    def extract(self) -> Compressor:
        """What chooses from a text, without a model."""
        from memoranda.distil.extract.compressor import ExtractCompressor

        return ExtractCompressor(self.counter)

    @cached_property
    def ledger(self) -> Ledger:
        """What calls of language models cost, and may cost."""
        from memoranda.distil.spending import Ledger
        from memoranda.values.spending import DOLLAR

        settings = self.settings
        limit = round(settings.monthly_budget_dollars * DOLLAR)
        share = settings.budget_alert_share
        return Ledger(self.database, self.clock, self.ids, limit, share)

    @cached_property
    def rewriters(self) -> Rewriters:
        """What puts summaries into the words of a model, where one is set."""
        from memoranda.rewriters import Rewriters

        extract, ledger = self.extract, self.ledger
        return Rewriters(self.settings, extract, ledger, self.counter, self.telemetry)

    @cached_property
    def staging(self) -> Staging:
        """What follows tasks from stage to stage."""
        from memoranda.distil.staging import Staging

        return Staging(self.database, self.clock, self.sanitiser)

    @cached_property
    def compressions(self) -> Compressions:
        """Stages and tasks in fewer words."""
        from memoranda.distil.compressions import Compressions

        settings = self.settings
        return Compressions(
            self.database,
            lambda: self.extract,
            lambda scope: self.rewriters.of(scope),
            self.counter,
            self.clock,
            ratio=settings.compression_ratio or None,
            room=settings.context_budget,
            telemetry=self.telemetry,
        )

    @cached_property
    def briefs(self) -> Briefs:
        """What tasks have come to."""
        from memoranda.distil.briefs import Briefs
        from memoranda.recall.brief import ranked

        return Briefs(self.database, ranked, self.counter)

    @cached_property
    def conversations(self) -> Conversations:
        """What was said, with the older part in fewer words.

        Raises:
            InvalidInput: the shares of the window contradict each other.
        """
        from memoranda.hold.conversation import Conversations
        from memoranda.hold.summary import FactSummariser
        from memoranda.values.conversation import CompactionMode, CompactionRules

        settings = self.settings
        rules = CompactionRules(
            settings.context_window,
            settings.compaction_enabled,
            CompactionMode(settings.compaction_mode),
            settings.compaction_window_percentage,
            settings.compaction_trigger_threshold,
            settings.compaction_clip_chars,
        )
        summariser = FactSummariser(self.counter)
        return Conversations(self.database, self.counter, self.clock, summariser, rules)

    @cached_property
    def cache(self) -> Cache:
        """What can be had again."""
        if self.redis is None:
            from memoranda.store.cache import ProcessCache

            return ProcessCache(self.clock)
        from memoranda.store.redis.cache import RedisCache

        return RedisCache(self.redis)

    @cached_property
    def search(self) -> CachedSearch:
        """What finds, and finds the same faster until something changes."""
        from memoranda.recall.cached import CachedSearch

        return CachedSearch(self._search, self.database, self.cache)

    def close(self) -> None:
        """Do the jobs that are due, then let go of the store. Idempotent."""
        self.background.stop()
        self._search.close()
        if rewriters := vars(self).get("rewriters"):
            rewriters.close()
        if redis := vars(self).get("redis"):
            redis.close()
        self.database.close()

    def enqueue(self, kind: JobKind, *subjects: str) -> None:
        """Have something worked out, for each subject once."""

        def work(tx: Transaction) -> None:
            team, now = self.settings.team, self.clock.now()
            for subject in subjects:
                id = self.ids.new()
                job = Job(team, id, kind, subject, JobState.PENDING, 0, now, None)
                jobs.enqueue(tx, job, now)

        self.database.write(work)

    def enqueue_rendering(self, workspace: str | None) -> None:
        """Have the prepared context of a workspace, or of all, made again."""
        team, chosen = self.settings.team, [workspace] if workspace else []
        chosen = chosen or self.database.read(lambda tx: workspaces.ids(tx, team))
        self.enqueue(JobKind.RENDER_CONTEXT, *chosen)

    def enqueue_distilling(self, task: str) -> None:
        """Have a task brought up to date."""
        self.enqueue(JobKind.DISTIL, task)
        self.background.wake()

    def _clear_outside_tables(self, tasks: Sequence[str]) -> Cleared:
        """Clear the places that a forgotten text could still lie in, beside the tables; of some
        tasks nothing is to be left."""
        self.prepared.clear()
        self.enqueue_rendering(None)
        self.worker.run()
        places, missed = ["spool", "prepared contexts"], list[str]()
        team = self.settings.team
        for place, trouble in self._clear_what_expires(tasks):
            places += [] if trouble else [place]
            missed += [f"{place}, {trouble}"] if trouble else []
        if self.database.read(lambda tx: jobs.waiting(tx, team, JobKind.PURGE_TEXT)):
            missed.append("the full-text index; its job waits: memoranda drain, memoranda doctor")
        else:
            places.append("full text")
        if left := self.database.reclaim():
            missed.append(left)
        else:
            places += ["free pages", "write-ahead log"]
        if self.spool.state().rejected_bytes:
            missed.append(f"lines that were no events: {self.spool.rejected}")
        return Cleared(places, missed)

    def _clear_what_expires(self, tasks: Sequence[str]) -> Iterator[tuple[str, str]]:
        """Clear working memory and cached searches; give each place, and why it was not reached."""
        team, away = self.settings.team, "which does not answer; it is gone there"
        trouble = ""
        try:
            if tasks:
                self.working.forget(team, tasks)
        except StorageUnusable:
            trouble = f"{away} within 30 days"
        yield "working memory", trouble
        yield "cached searches", "" if self.cache.clear(team) else f"{away} within five minutes"
        if self.redis is not None:
            yield "the files of Redis", "until it writes them anew"


def _require_redis_client(settings: Settings) -> None:
    """Say so at once, rather than at the first call, that what a setting asks for is missing."""
    if settings.redis_url and find_spec("redis") is None:
        raise InvalidInput("redis_url needs the Redis client: pip install 'memoranda[redis]'")


def _fingerprint_key(path: Path) -> bytes:
    """Read the key of this installation, making it (0600) at first use."""
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        draft = path.with_name(f"{path.name}.{secrets.token_hex(4)}.draft")
        if not path.exists():
            try:
                file = os.open(draft, os.O_CREAT | os.O_TRUNC | os.O_WRONLY, 0o600)
                with os.fdopen(file, "wb") as out:
                    out.write(secrets.token_bytes(32))
                os.link(draft, path)
            except FileExistsError:
                pass  # another process was faster
            finally:
                draft.unlink(missing_ok=True)
        return path.read_bytes()
    except OSError as error:
        raise StorageUnusable(
            f"cannot use the data directory {path.parent}: {error.strerror}; "
            "choose another with --data-dir or MEMORANDA_DATA_DIR"
        ) from error
