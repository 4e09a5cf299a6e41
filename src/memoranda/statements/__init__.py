"""Comparison of plain statements: conflict, or update by the newer one.

Pure functions over text, in English; vectors are computed elsewhere and enter as cosines only.
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
