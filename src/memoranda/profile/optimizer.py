"""Profile optimiser: preview, apply and undo of changes that shrink it.

A change is applied exactly as it was shown, and can be undone completely.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from memoranda.clock import Clock
from memoranda.exceptions import Conflict, InvalidInput, NotFound
from memoranda.ids import IdSource, ambiguous
from memoranda.journal import table as journal
from memoranda.memories import (
    link_table as memory_links,
    table as memories,
    version_table as memory_versions,
)
from memoranda.memories.link_model import LinkKind
from memoranda.memories.memory_writer import MemoryChanges, current
from memoranda.memories.model import Memory
from memoranda.memories.vectors import MemoryVectors
from memoranda.page import Page, checked_limit, page_of, place_of
from memoranda.ports import TokenCounter
from memoranda.profile import table as profiles
from memoranda.profile.limit import full, fullest_profile, used_by
from memoranda.profile.model import (
    CROWDED,
    LIMIT,
    TARGET,
    ChangeStatus,
    ProfileChange,
    ProfileStep,
    ProfileSuggestion,
    ProfileSuggestionKind,
    cost,
)
from memoranda.profile.optimization.merger import merging
from memoranda.profile.optimization.plan import Planner, fingerprint, merge_steps
from memoranda.profile.optimization.shortener import TextShortener
from memoranda.profile.optimization.similarity import MemorySimilarity
from memoranda.scope import Scope
from memoranda.store.database import Database, Transaction

SHOWN = 8
"""Minimum number of characters of a hash that identifies a preview."""


@dataclass(frozen=True, slots=True)
class OptimiserServices:
    """Components that are needed to make plans."""

    meanings: MemoryVectors
    shortening: Callable[[Scope], TextShortener]
    counter: TokenCounter


class Optimiser:
    """Previews, applies and undoes changes to profiles.

    Nothing is deleted: removed memories are archived and can be restored. Each change is one
    transaction and can be applied only as previewed.
    """

    def __init__(
        self,
        database: Database,
        changes: MemoryChanges,
        means: OptimiserServices,
        clock: Clock,
        ids: IdSource,
    ) -> None:
        self._database = database
        self._changes = changes
        self._means = means
        self._clock = clock
        self._ids = ids

    def preview(self, scope: Scope, target: int = TARGET) -> ProfileChange:
        """Return suggestions for the profile of a scope without changing it.

        A preview for a person is stored until the next preview of the same profile, so that it can
        be applied.

        Raises:
            InvalidInput: the target is out of range.
        """
        if not 1 <= target <= LIMIT:
            raise InvalidInput(f"target must be between 1 and {LIMIT:,} tokens")
        change = self._planned(scope, target)
        if scope.agent is None and change.suggestions:
            return self._database.write(lambda tx: self._store(tx, change))
        return change

    def suggest(self, scope: Scope) -> ProfileChange | None:
        """Preview the optimisation of a nearly full profile, to notify people.

        Return None if the profile is not nearly full, or nothing can be freed.
        """
        shares = self._database.read(lambda tx: profiles.shares(tx, scope.team, scope.workspace))
        if used_by(shares, scope.workspace, None) < CROWDED * LIMIT:
            return None
        change = self.preview(scope)
        if not change.suggestions:
            return None
        self._database.write(lambda tx: profiles.make_news(tx, scope.team, change.id))
        return change

    def apply(
        self, scope: Scope, shown: str, numbers: Sequence[int] | None = None, by: str | None = None
    ) -> ProfileChange:
        """Apply all suggestions, or those with the given numbers.

        Args:
            shown: the hash of the preview as it was shown, at least its first 8 characters.
            by: the approval rule that applies the suggestions; None for the calling person.

        Raises:
            Conflict: there is no such preview, or the profile has changed since.
            InvalidInput: the preview has no suggestion with one of the numbers.
        """
        now, who = self._clock.now(), by or scope.actor

        def work(tx: Transaction) -> ProfileChange:
            change = self._as_shown(tx, scope, shown)
            chosen = _chosen(change, numbers)
            steps = [
                (
                    suggestion.number,
                    self._do(
                        tx, scope.team, step, who, f"{suggestion.kind}: {suggestion.reason}", now
                    ),
                )
                for suggestion in chosen
                for step in suggestion.steps
            ]
            profiles.apply(tx, change, who, now, steps)
            self._journal(tx, change, "profile optimise", who, now)
            return _found(tx, scope, change.id)

        return self._database.write(work)

    def merge(self, scope: Scope, ids: Sequence[str]) -> ProfileChange:
        """Merge memories into the first one, and archive the others.

        The first memory then contains the facts of all of them.

        Raises:
            Conflict: a memory that would change is protected or critical, or two memories
                contradict each other.
            InvalidInput: there are fewer than two memories, or they differ in category, scope or
                origin.
        """
        if len(ids) < 2:
            raise InvalidInput("specify at least two memories")
        now, who = self._clock.now(), scope.actor

        def work(tx: Transaction) -> ProfileChange:
            group = [current(tx, scope.team, id, scope.agent) for id in ids]
            steps = merge_steps(group, merging(group), self._means.counter)
            change = self._merge_change(tx, group, steps, now)
            done = [self._do(tx, scope.team, step, who, "merged by hand", now) for step in steps]
            profiles.put(tx, change, news=False)
            profiles.apply(tx, change, who, now, [(1, step) for step in done])
            self._journal(tx, change, "profile optimise", who, now)
            return _found(tx, scope, change.id)

        return self._database.write(work)

    def undo(self, scope: Scope, id: str) -> ProfileChange:
        """Restore every memory to its state before an applied profile change.

        Raises:
            NotFound: there is no such change.
            Conflict: the change was already undone, or one of its memories has changed since.
            ProfileFull: the profile has grown since, and the restored memories do not fit.
        """
        now, who = self._clock.now(), scope.actor

        def work(tx: Transaction) -> ProfileChange:
            change = _found(tx, scope, _full_id(tx, scope.team, id))
            if not profiles.undo(tx, scope.team, change.id, who, now):
                raise Conflict("the change was already undone; see `memoranda profile history`")
            back = [
                self._take_back(tx, scope.team, step, who, now)
                for suggestion in change.suggestions
                for step in suggestion.steps
            ]
            _check_room(tx, change, back)
            self._journal(tx, change, "profile undo", who, now)
            return _found(tx, scope, change.id)

        return self._database.write(work)

    def history(
        self, scope: Scope, *, cursor: str | None = None, limit: int = 50
    ) -> Page[ProfileChange]:
        """Return the applied changes, newest first.

        If the scope has a workspace, only the changes to that workspace's profile are returned.
        """
        checked_limit(limit)
        before = place_of(cursor, first=profiles.NEWEST)
        changes = self._database.read(
            lambda tx: profiles.listed(
                tx, scope.team, scope.workspace, before=before, limit=limit + 1
            )
        )
        return page_of(changes, limit, lambda change: change.id)

    # ------------------------------------------------------------------ parts

    def _planned(self, scope: Scope, target: int) -> ProfileChange:
        """Return a plan that was computed outside any transaction."""
        found = self._database.read(lambda tx: _members(tx, scope))
        disputed = self._database.read(lambda tx: _contradicted(tx, scope, found))
        now = self._clock.now()
        likeness = MemorySimilarity(found, self._means.meanings.of(scope.team, found))
        shorter = self._means.shortening(scope).shorter
        plan = Planner(self._means.counter, likeness, shorter, now, disputed).plan(found, target)
        return ProfileChange(
            team=scope.team,
            id=self._ids.new(),
            workspace=scope.workspace,
            hash=fingerprint(found, target, plan.suggestions),
            status=ChangeStatus.PREVIEW,
            limit=LIMIT,
            target=target,
            used=sum(map(cost, found)),
            short=plan.short,
            created_at=now,
            suggestions=plan.suggestions,
        )

    def _merge_change(
        self, tx: Transaction, group: Sequence[Memory], steps: Sequence[ProfileStep], now: int
    ) -> ProfileChange:
        """Return the record of a manual merge."""
        first, reason = group[0], f"{len(group)} merged by hand"
        shares = profiles.shares(tx, first.team, first.workspace)
        suggestion = ProfileSuggestion(1, ProfileSuggestionKind.MERGE, reason, tuple(steps))
        return ProfileChange(
            team=first.team,
            id=self._ids.new(),
            workspace=first.workspace,
            hash=fingerprint(group, LIMIT, [suggestion]),
            status=ChangeStatus.PREVIEW,
            limit=LIMIT,
            target=LIMIT,
            used=used_by(shares, first.workspace, first.agent),
            short="",
            created_at=now,
            suggestions=(suggestion,),
        )

    def _store(self, tx: Transaction, made: ProfileChange) -> ProfileChange:
        """Store a preview, replacing the previous preview unless they are equal.

        A channel that was notified of the nearly full profile is notified again only after the
        profile has grown by a twentieth of the limit.
        """
        earlier = profiles.preview(tx, made.team, made.workspace)
        if earlier and earlier.hash == made.hash:
            return earlier
        channels = profiles.notified_channels(tx, made.team, made.workspace) if earlier else ()
        if earlier and 20 * earlier.used // LIMIT < 20 * made.used // LIMIT:
            channels = ()
        profiles.drop_preview(tx, made.team, made.workspace)
        profiles.put(tx, made, news=False, channels=channels)
        return made

    def _as_shown(self, tx: Transaction, scope: Scope, shown: str) -> ProfileChange:
        """Return the preview that was shown if the profile is unchanged."""
        change = profiles.preview(tx, scope.team, scope.workspace)
        if change is None or len(shown) < SHOWN or not change.hash.startswith(shown):
            raise Conflict("that is not the latest preview; run `memoranda optimize` again")
        now = fingerprint(_members(tx, scope), change.target, change.suggestions)
        if now != change.hash:
            raise Conflict(
                "the profile has changed since the preview; run `memoranda optimize` again"
            )
        return change

    def _do(
        self, tx: Transaction, team: str, step: ProfileStep, who: str, reason: str, now: int
    ) -> ProfileStep:
        """Apply a step to one memory; return it with its previous version."""
        memory = memories.of_any_agent(tx, team, [step.memory])[step.memory]
        assert step.after is not None
        self._changes.write(tx, memory, step.after, who, reason, now)
        return replace(step, version=memory_versions.newest(tx, team, memory.id))

    def _take_back(
        self, tx: Transaction, team: str, step: ProfileStep, who: str, now: int
    ) -> Memory:
        memory = memories.of_any_agent(tx, team, [step.memory])[step.memory]
        before = memory_versions.by_number(tx, team, memory.id, step.version or 0)
        if before is None or memory_versions.newest(tx, team, memory.id) != step.version:
            raise Conflict(
                f"{memory.id} has changed since; restore the others one by one with `memoranda"
                f" memory restore`"
            )
        return self._changes.write(tx, memory, before.state, who, "optimisation undone", now)

    def _journal(
        self, tx: Transaction, change: ProfileChange, what: str, who: str, now: int
    ) -> None:
        detail = {"suggestions": len(change.suggestions), "used": change.used}
        journal.append(tx, change.team, journal.NewJournalEntry(now, who, what, change.id, detail))


def _members(tx: Transaction, scope: Scope) -> list[Memory]:
    return profiles.members(tx, scope.team, scope.workspace, scope.agent)


def _contradicted(tx: Transaction, scope: Scope, found: Sequence[Memory]) -> set[str]:
    """Return the ids of memories contradicted by a newer one among them."""
    ids = [memory.id for memory in found]
    return {link.other for link in memory_links.among(tx, scope.team, ids, LinkKind.CONTRADICTS)}


def _chosen(change: ProfileChange, numbers: Sequence[int] | None) -> list[ProfileSuggestion]:
    if numbers is None:
        return list(change.suggestions)
    by_number = {suggestion.number: suggestion for suggestion in change.suggestions}
    unknown = [str(number) for number in numbers if number not in by_number]
    if unknown or not numbers:
        raise InvalidInput(
            f"no suggestion {', '.join(unknown) or 'was chosen'}; there are 1 to {len(by_number)}"
        )
    return [by_number[number] for number in sorted(set(numbers))]


def _found(tx: Transaction, scope: Scope, id: str) -> ProfileChange:
    change = profiles.by_id(tx, scope.team, id)
    if change is None or change.status is ChangeStatus.PREVIEW:
        raise NotFound(f"no profile change {id!r}; `memoranda profile history` lists the changes")
    return change


def _full_id(tx: Transaction, team: str, id: str) -> str:
    ids = [id] if len(id) == 36 else profiles.by_prefix(tx, team, id) if id else []
    if len(ids) > 1:
        raise InvalidInput(ambiguous("change", id, ids))
    return ids[0] if ids else id


def _check_room(tx: Transaction, change: ProfileChange, back: Sequence[Memory]) -> None:
    """Refuse to restore memories to a profile that would then be too full.

    A profile that exceeded its limit before the original change may exceed it again.
    """
    fullest = fullest_profile(profiles.shares(tx, change.team), back)
    if fullest.used > max(LIMIT, change.used):
        raise full(tx, change.team, fullest, change.freed)
