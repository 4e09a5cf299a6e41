"""The table of operations: every use case, declared once.

Interfaces that use names and JSON (REST, JSON-RPC, MCP, the client) are generated from this table;
the command line and the Python API are thin layers over the same methods and are checked against
it. The roles that may call an operation are declared here and nowhere else.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from memoranda.calls.signature import Signature, signature, summary
from memoranda.exceptions import Forbidden, NotFound
from memoranda.identity.principal import Role
from memoranda.json_data import JsonValue


class Access(StrEnum):
    """Effect of an operation on the store."""

    READ = "read"
    WRITE = "write"


EVERYONE = frozenset(Role)
WRITERS = EVERYONE - {Role.READER}
MEMBERS = WRITERS - {Role.AGENT}
REVIEWERS = MEMBERS - {Role.MEMBER}
ADMINS = frozenset({Role.ADMIN})
SHOWN_PROPOSALS = REVIEWERS | {Role.AGENT}
"""Roles that see proposals: reviewers and agents.

Reviewers also decide on what an agent proposes to keep for itself alone; an agent sees its own.
"""


@dataclass(frozen=True, slots=True)
class Operation:
    """One use case: its name, method and permitted roles.

    The name is the same in every interface; the method is that of the memory object.
    """

    name: str
    method: str
    access: Access
    roles: frozenset[Role]
    local: bool = False
    """Whether it concerns files of the machine on which it runs.

    No other machine may name them.
    """
    secret: bool = False
    """Whether its result contains what is shown once and stored nowhere."""
    searches: bool = False
    """Whether it keeps a processor busy for tens of milliseconds.

    All that search do.
    """

    def signature(self, facade: type) -> Signature:
        """Return the signature of the method of the memory object."""
        return signature(facade, self.method)

    def summary(self, facade: type) -> str:
        """Return the first line of the method's docstring."""
        return summary(facade, self.method)


def _read(name: str, method: str, roles: frozenset[Role] = EVERYONE) -> Operation:
    return Operation(name, method, Access.READ, roles)


def _write(name: str, method: str, roles: frozenset[Role] = WRITERS) -> Operation:
    return Operation(name, method, Access.WRITE, roles)


def _search(name: str, method: str) -> Operation:
    return Operation(name, method, Access.READ, EVERYONE, searches=True)


def _local(name: str, method: str) -> Operation:
    return Operation(name, method, Access.WRITE, ADMINS, local=True)


OPERATIONS: Mapping[str, Operation] = {
    operation.name: operation
    for operation in (
        _write("observe", "observe"),
        _local("import", "import_transcript"),
        _write("drain", "drain"),
        _search("search", "search"),
        _search("relevant", "relevant"),
        _search("context", "context"),
        _read("observation.index", "index"),
        _read("observation.list", "observations"),
        _read("observation.show", "observation"),
        _read("timeline", "timeline"),
        _read("observation.ties", "ties"),
        _write("rate", "rate"),
        _write("reembed", "reembed", ADMINS),
        _write("rebuild-index", "rebuild_index", ADMINS),
        _write("remember", "remember"),
        _read("memory.list", "memories"),
        _read("list", "banks"),
        _read("project.show", "bank"),
        _read("project.export", "bank_entries"),
        _read("why", "why"),
        _read("memory.show", "memory_show"),
        _read("memory.conflicts", "memory_conflicts"),
        _write("memory.supersede", "memory_supersede"),
        _read("errors.list", "errors"),
        _read("errors.count", "error_counts"),
        _read("errors.days", "error_days"),
        _read("errors.patterns", "error_patterns"),
        _write("errors.refine", "refine_error_patterns"),
        _write("errors.record", "record_error"),
        _read("errors.show", "error"),
        _write("errors.resolve", "resolve_error"),
        _write("supervisor.context", "strategic_context"),
        _read("supervisor.list", "interventions"),
        _write("supervisor.outcome", "intervention_outcome"),
        _write("supervisor.news", "intervention_news", MEMBERS),
        _write("memory.edit", "memory_edit"),
        _write("memory.archive", "memory_archive"),
        _write("memory.change-all", "memory_change_all"),
        _read("memory.history", "memory_history"),
        _write("memory.restore", "memory_restore", REVIEWERS),
        _write("promote", "promote"),
        _write("demote", "demote"),
        _read("quarantine.list", "quarantined"),
        _read("quarantine.show", "quarantine_show"),
        _write("quarantine.release", "quarantine_release", REVIEWERS),
        _write("quarantine.hold", "quarantine_hold", REVIEWERS),
        _read("pending.list", "proposals", SHOWN_PROPOSALS),
        _read("pending.show", "proposal", SHOWN_PROPOSALS),
        _write("pending.approve", "approve", REVIEWERS),
        _write("pending.approve-all", "approve_all", REVIEWERS),
        _write("pending.reject", "reject", REVIEWERS),
        _read("pending.count", "pending"),
        _write("pending.news", "notifications", MEMBERS),
        _read("profile.show", "profile"),
        _write("profile.add", "profile_add"),
        _write("profile.edit", "profile_edit"),
        _write("profile.remove", "profile_remove"),
        _write("profile.merge", "profile_merge", REVIEWERS),
        _read("profile.agent-file", "agent_file"),
        _read("profile.history", "profile_history"),
        _write("profile.news", "profile_news", MEMBERS),
        _write("optimize.preview", "optimize"),
        _write("optimize.apply", "optimize_apply", REVIEWERS),
        _write("optimize.undo", "optimize_undo", REVIEWERS),
        _write("pending.rules.add", "rule_add", REVIEWERS),
        _read("pending.rules.list", "rules"),
        _write("pending.rules.remove", "rule_remove", REVIEWERS),
        _write("task.end", "task_end"),
        _read("execution.show", "execution"),
        _write("execution.extract-learnings", "extract_learnings"),
        _read("tool.reliability", "tool_reliability"),
        _read("memory.stats", "memory_stats"),
        _write("say", "say"),
        _write("feedback.add", "feedback_add"),
        _read("feedback.list", "feedback"),
        _read("feedback.show", "feedback_show"),
        _write("feedback.correct", "feedback_correct", REVIEWERS),
        _write("feedback.process", "feedback_process", ADMINS),
        _read("feedback.suggestions", "suggestions"),
        _local("mirror.on", "mirror_on"),
        _write("mirror.off", "mirror_off", ADMINS),
        _read("mirror.status", "mirror_status", ADMINS),
        _write("mirror.sync", "mirror_sync", ADMINS),
        _write("mirror.rebuild", "mirror_rebuild", ADMINS),
        _write("forget", "forget", MEMBERS),
        _write("retention", "retention", ADMINS),
        _write("block.create", "block_create"),
        _read("block.list", "blocks"),
        _read("block.show", "block"),
        _read("block.prompt", "block_prompt"),
        _write("block.replace", "block_replace"),
        _write("block.insert", "block_insert"),
        _write("block.rethink", "block_rethink"),
        _write("block.patch", "block_patch"),
        _write("block.apply", "block_apply"),
        _write("tool.call", "tool"),
        _read("tool.list", "tools"),
        _write("block.configure", "block_configure"),
        _write("block.compress", "block_compress"),
        _read("block.history", "block_history"),
        _read("block.diff", "block_diff"),
        _write("block.restore", "block_restore"),
        _write("block.delete", "block_delete"),
        _write("block.undelete", "block_undelete"),
        _write("block.attach", "block_attach"),
        _write("block.detach", "block_detach"),
        _read("block.holders", "block_holders"),
        _read("agent.list", "agents"),
        _read("agent.show", "agent"),
        _read("agent.blocks", "agent_blocks"),
        _write("checkpoint.create", "checkpoint"),
        _read("checkpoint.list", "checkpoints"),
        _read("checkpoint.show", "checkpoint_show"),
        _read("checkpoint.diff", "checkpoint_diff"),
        _write("checkpoint.rollback", "rollback"),
        _write("checkpoint.fork", "fork"),
        _read("checkpoint.replay", "replay"),
        _read("task.state", "task_state"),
        _write("task.note", "note_state"),
        _read("task.effort", "effort"),
        _read("task.resume", "resume"),
        _read("stage.list", "stages"),
        _read("stage.show", "stage"),
        _write("stage.complete", "stage_complete"),
        _write("stage.set", "stage_set"),
        _read("compress", "compress"),
        _write("stage.compress", "stage_compress"),
        _write("brief", "brief"),
        _read("budget.show", "budget", MEMBERS),
        _write("budget.set", "budget_set", ADMINS),
        _read("cost.report", "cost_report", MEMBERS),
        _read("compression.report", "compression_report"),
        _write("working.put", "working_put"),
        _read("working.get", "working_get"),
        _read("working.list", "working_list"),
        _write("working.delete", "working_delete"),
        _write("document.put", "document_put"),
        _read("document.get", "document_get"),
        _read("document.list", "document_list"),
        _write("document.delete", "document_delete"),
        _write("document.clear", "document_clear"),
        _write("message.add", "message", MEMBERS),  # an agent could speak as a person
        _read("message.list", "messages"),
        _read("message.show", "conversation"),
        _write("message.compact", "compact"),
        _read("workspace.list", "workspaces"),
        _read("workspace.show", "workspace_show"),
        _write("workspace.rename", "workspace_rename", REVIEWERS),
        _write("workspace.merge", "workspace_merge", REVIEWERS),
        _write("workspace.split", "workspace_split", REVIEWERS),
        _read("task.list", "tasks"),
        _read("task.show", "task"),
        _read("journal.list", "journal", REVIEWERS),
        _read("journal.verify", "verify_journal", ADMINS),
        _read("status", "status"),
        _read("stats", "stats"),
        _read("live.report", "live_report"),
        _read("privacy.show", "privacy"),
        _read("privacy.test", "privacy_test"),
        _read("doctor", "doctor", ADMINS),
        Operation("auth.token.create", "token_create", Access.WRITE, ADMINS, secret=True),
        _read("auth.token.list", "tokens", ADMINS),
        _write("auth.token.revoke", "token_revoke", ADMINS),
        _local("auth.key.rotate", "key_rotate"),
        _local("export", "export"),
        _local("import-archive", "import_archive"),
        _local("backup", "backup"),
        _local("restore", "restore"),
    )
}


def operation(name: str, role: Role) -> Operation:
    """Return the operation of a name, if the role may call it.

    Raises:
        NotFound: there is no such operation.
        Forbidden: this role may not call it.
    """
    found = OPERATIONS.get(name)
    if found is None:
        raise NotFound(f"no operation {name[:80]!r}; the reference lists them")
    if role not in found.roles:
        allowed = ", ".join(one for one in Role if one in found.roles)
        raise Forbidden(f"{name} is not for the role {role}; it takes {allowed}")
    return found


def call(memory: object, name: str, arguments: Mapping[str, JsonValue], role: Role) -> Any:
    """Carry out an operation of an open memory by name.

    Return what its method returns.

    Raises:
        NotFound: there is no such operation.
        Forbidden: this role may not call it.
        InvalidInput: the arguments do not fit its parameters.
    """
    chosen = operation(name, role)
    bound = chosen.signature(type(memory)).bound(arguments)
    return getattr(memory, chosen.method)(**bound)
