"""Type and default severity of an error, by the kind of its failure."""

from __future__ import annotations

from memoranda.errors.model import ErrorType

_T = ErrorType
_BY_KIND: dict[str, tuple[ErrorType, float]] = {
    "test_failure": (_T.TEST, 0.6),
    "assertion": (_T.TEST, 0.6),
    "build_failure": (_T.BUILD, 0.6),
    "type_error": (_T.BUILD, 0.5),
    "lint_failure": (_T.BUILD, 0.3),
    "syntax_error": (_T.INCORRECT_ACTION, 0.5),
    "command_not_found": (_T.INCORRECT_ACTION, 0.4),
    "import_error": (_T.MISSING_INFO, 0.5),
    "not_found": (_T.MISSING_INFO, 0.4),
    "permission_denied": (_T.PERMISSION, 0.7),
    "denied": (_T.PERMISSION, 0.5),
    "timeout": (_T.TOOL, 0.6),
    "network": (_T.TOOL, 0.6),
    "out_of_memory": (_T.TOOL, 0.9),
    "merge_conflict": (_T.TOOL, 0.6),
    "interrupted": (_T.TOOL, 0.3),
    "error": (_T.TOOL, 0.5),
}
KINDS = frozenset(_BY_KIND)
"""Kinds of failure that capture distinguishes."""
_UNKNOWN_TYPE = _BY_KIND["error"]


def error_type(kind: str) -> ErrorType:
    """Return the error type of a kind of failure; tool if it is unknown."""
    return _BY_KIND.get(kind, _UNKNOWN_TYPE)[0]


def severity(kind: str) -> float:
    """Return the default severity of a kind of failure, 0 to 1.

    0.5 if the kind is unknown.
    """
    return _BY_KIND.get(kind, _UNKNOWN_TYPE)[1]
