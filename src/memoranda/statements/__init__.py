"""Comparison of plain statements: conflict, or update by the newer one.

Pure functions over English text; vectors are computed elsewhere and passed as cosines only.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from memoranda.lazy_exports import lazy_exports

if TYPE_CHECKING:
    from memoranda.statements.clauses import claims as claims, stated as stated
    from memoranda.statements.conflict_model import (
        ConflictKind as ConflictKind,
        ConflictReason as ConflictReason,
        StatementConflict as StatementConflict,
    )
    from memoranda.statements.conflicts import (
        conflict as conflict,
        of_different_things as of_different_things,
        possible_conflict as possible_conflict,
        supersedes as supersedes,
    )
    from memoranda.statements.paraphrase import same_claim_key as same_claim_key
    from memoranda.statements.statement import Statement as Statement
    from memoranda.statements.tone import without_negation as without_negation

__all__ = [
    "ConflictKind",
    "ConflictReason",
    "Statement",
    "StatementConflict",
    "claims",
    "conflict",
    "of_different_things",
    "possible_conflict",
    "same_claim_key",
    "stated",
    "supersedes",
    "without_negation",
]

__getattr__ = lazy_exports(
    __name__,
    {
        "ConflictKind": "memoranda.statements.conflict_model",
        "ConflictReason": "memoranda.statements.conflict_model",
        "Statement": "memoranda.statements.statement",
        "StatementConflict": "memoranda.statements.conflict_model",
        "claims": "memoranda.statements.clauses",
        "conflict": "memoranda.statements.conflicts",
        "of_different_things": "memoranda.statements.conflicts",
        "possible_conflict": "memoranda.statements.conflicts",
        "same_claim_key": "memoranda.statements.paraphrase",
        "stated": "memoranda.statements.clauses",
        "supersedes": "memoranda.statements.conflicts",
        "without_negation": "memoranda.statements.tone",
    },
)
