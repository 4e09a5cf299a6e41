"""`memory.*` methods for errors, error patterns and error-aware contexts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from memoranda.api.jsonrpc.memory.method_group import MethodGroup, without_none
from memoranda.api.jsonrpc.memory.records import (
    FormattedContext,
    RecordData,
    RecordedError,
    filled,
    recorded_error,
)
from memoranda.errors.model import ErrorType
from memoranda.stages.model import StageName


@dataclass(frozen=True, slots=True)
class ErrorPatterns:
    """Recurring errors, the statistically most significant first."""

    patterns: tuple[RecordData, ...]


@dataclass(frozen=True, slots=True)
class ErrorHistory:
    """Errors, newest first."""

    errors: tuple[RecordedError, ...]
    cursor: str | None


@dataclass(frozen=True, slots=True)
class ErrorAwareContext:
    """Context, current unresolved errors, and recurring errors."""

    context: FormattedContext
    open_errors: tuple[RecordedError, ...]
    patterns: tuple[RecordData, ...]


class ErrorMethods(MethodGroup):
    """Methods for errors.

    record_error, detect_error_patterns, get_error_history, get_error_aware_context.
    """

    USES: ClassVar = {
        "record_error": ("errors.record",),
        "detect_error_patterns": ("errors.patterns",),
        "get_error_history": ("errors.list",),
        "get_error_aware_context": ("context", "errors.list", "errors.patterns", "tasks.show"),
    }

    def record_error(
        self,
        error_type: ErrorType,
        error_description: str,
        *,
        task_id: str | None = None,
        stage_type: StageName | None = None,
        context_when_occurred: str = "",
        recovery_action: str = "",
        error_severity: float | None = None,
        workspace: str | None = None,
    ) -> RecordedError:
        """Record an error and its circumstances.

        Args:
            error_severity: 0 to 1; by default the usual value of the type.
            recovery_action: what resolved it, if it is resolved.
            workspace: required if no task is named.
        """
        found = self._call(
            "errors.record",
            description=error_description,
            type=error_type,
            task=task_id,
            stage=stage_type,
            context=context_when_occurred,
            recovery=recovery_action,
            severity=error_severity,
            workspace=workspace,
        )
        return recorded_error(found)

    def detect_error_patterns(
        self, *, task_id: str | None = None, workspace: str | None = None, limit: int = 50
    ) -> ErrorPatterns:
        """Detect recurring errors: kinds, sequences and common contexts."""
        found = self._call("errors.patterns", task=task_id, workspace=workspace, limit=limit)
        return ErrorPatterns(tuple(found))

    def get_error_history(
        self,
        *,
        task_id: str | None = None,
        stage_type: StageName | None = None,
        error_type: ErrorType | None = None,
        min_severity: float | None = None,
        limit: int = 50,
        workspace: str | None = None,
        cursor: str | None = None,
    ) -> ErrorHistory:
        """Retrieve errors, newest first.

        Args:
            min_severity: minimum severity, 0 to 1.
        """
        where = without_none(type=error_type, stage=stage_type, severity=min_severity)
        page = {"limit": limit, "cursor": cursor}
        found = self._call("errors.list", where=where, task=task_id, workspace=workspace, **page)
        return ErrorHistory(tuple(map(recorded_error, found["items"])), found["cursor"])

    def get_error_aware_context(
        self,
        query: str | None = None,
        *,
        task_id: str | None = None,
        token_budget: int | None = None,
        limit: int = 5,
        workspace: str | None = None,
    ) -> ErrorAwareContext:
        """Return a context with past solutions of similar errors, and patterns.

        The open errors are those of the task; the patterns recur in the tasks of its workspace.

        Args:
            limit: maximum number of errors, and maximum number of patterns.
        """
        place = {"task": task_id, "workspace": workspace}
        context = self._call("context", query=query, budget=token_budget, **place)
        errors = self._call("errors.list", where={"open": True}, limit=limit, **place)
        if task_id is not None:  # a pattern occurs in several tasks
            workspace = self._call("tasks.show", id=task_id, workspace=workspace)["workspace"]
        patterns = self._call("errors.patterns", limit=limit, workspace=workspace)
        open_errors = tuple(map(recorded_error, errors["items"]))
        return ErrorAwareContext(filled(FormattedContext, context), open_errors, tuple(patterns))
