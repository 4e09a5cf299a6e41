"""Plain statements: whether two of them conflict, and whether the newer updates the older.

Pure functions over text, in English; vectors stay outside, only their cosines come in.
"""

from memoranda.statements.clauses import claims
from memoranda.statements.conflicts import conflict, possible_conflict, supersedes
from memoranda.statements.statement import Statement
from memoranda.statements.tone import without_negation
from memoranda.statements.verdict import ConflictKind, ConflictReason, StatementConflict

__all__ = [
    "ConflictKind",
    "ConflictReason",
    "Statement",
    "StatementConflict",
    "claims",
    "conflict",
    "possible_conflict",
    "supersedes",
    "without_negation",
]
