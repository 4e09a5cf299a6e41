"""Where everything is put together; with `stores`, all that names an engine or a provider."""

from __future__ import annotations

import os
import secrets
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from memoranda.capture.spool import Spool
from memoranda.clock import Clock, SystemClock
from memoranda.config import Settings
from memoranda.embedders import embedder
from memoranda.errors import InvalidInput, StorageUnusable
from memoranda.ids import IdSource
from memoranda.learn.forgetting import Cleared, Forgetting
from memoranda.learn.memories import MemoryBook
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
from memoranda.values.scope import Scope
from memoranda.values.working import LONGEST
from memoranda.worker import BackgroundWorker, Worker

if TYPE_CHECKING:
    from memoranda.capture.bus import HookBus
    from memoranda.capture.drain import Drain
    from memoranda.capture.importer import Importer
    from memoranda.capture.intake import Intake
    from memoranda.capture.redaction.cleaning import TextSanitiser
    from memoranda.capture.redaction.redactor import Redactor
    from memoranda.hold.block_changes import BlockChanges
    from memoranda.hold.blocks import Blocks
    from memoranda.hold.checkpoints import Checkpoints
    from memoranda.hold.conversation import Conversations
    from memoranda.hold.forks import Forks
    from memoranda.hold.patching import Patching
    from memoranda.hold.resumptions import Resumptions
    from memoranda.hold.sharing import Sharing
    from memoranda.ports import Cache, WorkingMemory
    from memoranda.recall.cached import CachedSearch
    from memoranda.recall.indexing import Indexing
    from memoranda.store.redis.server import RedisServer


EMBEDDED_AT_ONCE = 256
"""Passages of one job: some seconds of work, well within its lease."""


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
        self.database = opened(settings)
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
        handlers: dict[str, Callable[[Job], None]] = {
            JobKind.RENDER_CONTEXT: self._render_context,
            JobKind.PURGE_TEXT: self._purge_text,
            JobKind.INDEX_TASK: self._index_task,
            JobKind.INDEX_MEMORIES: self._index_memories,
            JobKind.EMBED: self._embed,
        }
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
        return Intake(self.database, preparer, self.clock, self.ids, settings.team)

    @cached_property
    def importer(self) -> Importer:
        """What reads transcripts."""
        from memoranda.capture.importer import Importer

        return Importer(self.database, self.intake, self.clock, self.settings.team)

    @cached_property
    def drain(self) -> Drain:
        """What empties the spool."""
        from memoranda.capture.drain import Drain

        return Drain(self.spool, self.intake, self.redactor, self.settings.data_dir)

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
        return MemoryBook(self.database, self.counter, self.sanitiser, self.clock, self.ids)

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
        if redis := vars(self).get("redis"):
            redis.close()
        self.database.close()

    def _render_context(self, job: Job) -> None:
        aliases = self.database.read(lambda tx: workspaces.aliases(tx, job.team, job.subject))
        self.prepared.render(Scope(job.team, workspace=job.subject), aliases)

    def _index_task(self, job: Job) -> None:
        self.indexing.index_task(job.subject)
        self._enqueue(JobKind.EMBED, "")

    def _index_memories(self, job: Job) -> None:
        self.indexing.index_memories()
        self._enqueue(JobKind.EMBED, "")

    def _embed(self, job: Job) -> None:
        self.indexing.embed(EMBEDDED_AT_ONCE)
        if self.indexing.report().waiting:
            self._enqueue(JobKind.EMBED, "")

    def _enqueue(self, kind: JobKind, subject: str) -> None:
        team, now = self.settings.team, self.clock.now()
        job = Job(team, self.ids.new(), kind, subject, JobState.PENDING, 0, now, None)
        self.database.write(lambda tx: jobs.enqueue(tx, job, now))

    def _purge_text(self, job: Job) -> None:
        def purge(tx: Transaction) -> None:
            tx.text("observation").purge()
            tx.text("memory").purge()

        self.database.write(purge)

    def enqueue_rendering(self, workspace: str | None) -> None:
        """Have the prepared context of a workspace, or of all, made again."""

        def work(tx: Transaction) -> None:
            team, now = self.settings.team, self.clock.now()
            chosen = [workspace] if workspace else workspaces.ids(tx, team)
            for subject in chosen:
                pending = JobState.PENDING
                job = Job(
                    team, self.ids.new(), JobKind.RENDER_CONTEXT, subject, pending, 0, now, None
                )
                jobs.enqueue(tx, job, now)

        self.database.write(work)

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
