"""Every use case, declared once.

A door that speaks in names and JSON (JSON-RPC, MCP) is made from this table; the doors that people
see (command line, REST, Python) are thin over the same methods and checked against it.
"""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from memoranda.errors import Forbidden, InvalidInput, NotFound
from memoranda.memoranda import Memoranda


class Access(StrEnum):
    """What an operation does to the store."""

    READ = "read"
    WRITE = "write"


class Caller(StrEnum):
    """Who is asking."""

    HUMAN = "human"
    AGENT = "agent"
    OPERATOR = "operator"


ANYONE = frozenset(Caller)
PEOPLE = frozenset({Caller.HUMAN, Caller.OPERATOR})


@dataclass(frozen=True, slots=True)
class Operation:
    """One use case: its name at every door, the facade's method, and who may ask for it."""

    name: str
    method: str
    access: Access
    callers: frozenset[Caller] = ANYONE

    @property
    def summary(self) -> str:
        """The first line of what the method says about itself."""
        return (inspect.getdoc(getattr(Memoranda, self.method)) or "").partition("\n")[0]

    @property
    def parameters(self) -> tuple[inspect.Parameter, ...]:
        """The method's parameters, without the object itself."""
        signature = inspect.signature(getattr(Memoranda, self.method))
        return tuple(signature.parameters.values())[1:]


def _read(name: str, method: str, callers: frozenset[Caller] = ANYONE) -> Operation:
    return Operation(name, method, Access.READ, callers)


def _write(name: str, method: str, callers: frozenset[Caller] = ANYONE) -> Operation:
    return Operation(name, method, Access.WRITE, callers)


OPERATIONS: Mapping[str, Operation] = {
    operation.name: operation
    for operation in (
        _write("observe", "observe"),
        _write("import", "import_transcript", PEOPLE),
        _write("drain", "drain"),
        _read("search", "search"),
        _read("relevant", "relevant"),
        _read("context", "context"),
        _read("observation.index", "index"),
        _read("observation.list", "observations"),
        _read("observation.show", "observation"),
        _read("timeline", "timeline"),
        _write("rate", "rate"),
        _write("reembed", "reembed", PEOPLE),
        _write("rebuild-index", "rebuild_index", PEOPLE),
        _write("remember", "remember"),
        _read("memory.list", "memories"),
        _read("why", "why"),
        _read("errors.list", "errors"),
        _read("errors.patterns", "error_patterns"),
        _write("memory.edit", "memory_edit"),
        _write("memory.archive", "memory_archive"),
        _read("memory.history", "memory_history"),
        _write("memory.restore", "memory_restore", PEOPLE),
        _write("promote", "promote"),
        _write("demote", "demote"),
        _read("pending.list", "proposals"),
        _read("pending.show", "proposal"),
        _write("pending.approve", "approve", PEOPLE),
        _write("pending.approve-all", "approve_all", PEOPLE),
        _write("pending.reject", "reject", PEOPLE),
        _read("pending.count", "pending"),
        _write("pending.news", "notifications", PEOPLE),
        _write("forget", "forget", PEOPLE),
        _write("retention", "retention", PEOPLE),
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
        _read("budget.show", "budget", PEOPLE),
        _write("budget.set", "budget_set", PEOPLE),
        _read("cost.report", "cost_report", PEOPLE),
        _read("compression.report", "compression_report"),
        _write("working.put", "working_put"),
        _read("working.get", "working_get"),
        _read("working.list", "working_list"),
        _write("working.delete", "working_delete"),
        _write("message.add", "message", PEOPLE),  # an agent could speak as a person
        _read("message.list", "messages"),
        _read("message.show", "conversation"),
        _write("message.compact", "compact"),
        _read("workspace.list", "workspaces"),
        _read("task.list", "tasks"),
        _read("task.show", "task"),
        _read("journal.list", "journal", PEOPLE),
        _read("journal.verify", "verify_journal", PEOPLE),
        _read("stats", "stats"),
        _read("live.report", "live_report"),
        _read("doctor", "doctor", PEOPLE),
        _write("export", "export", PEOPLE),
        _write("import-archive", "import_archive", PEOPLE),
        _write("backup", "backup", PEOPLE),
        _write("restore", "restore", PEOPLE),
    )
}


def call(memory: Memoranda, name: str, arguments: Mapping[str, Any], caller: Caller) -> Any:
    """Carry out an operation by name.

    Raises:
        NotFound: there is no such operation.
        Forbidden: this caller may not ask for it.
        InvalidInput: the arguments do not fit its parameters.
    """
    operation = OPERATIONS.get(name)
    if operation is None:
        raise NotFound(f"no operation {name!r}; known: {', '.join(OPERATIONS)}")
    if caller not in operation.callers:
        raise Forbidden(f"{name} is not for callers of kind {caller}")
    method = getattr(memory, operation.method)
    try:
        inspect.signature(method).bind(**arguments)
    except TypeError as error:
        raise InvalidInput(f"{name}: {error}") from error
    return method(**arguments)
