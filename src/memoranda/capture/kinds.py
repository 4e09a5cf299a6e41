"""Kinds of failure, and how the name or the words of an error tell its kind."""

from __future__ import annotations

import re
from enum import StrEnum

from memoranda.capture.lines import LINE


class FailureKind(StrEnum):
    """What went wrong, in the words that also serve as a tag."""

    TEST = "test_failure"
    BUILD = "build_failure"
    SYNTAX = "syntax_error"
    IMPORT = "import_error"
    TYPE = "type_error"
    LINT = "lint_failure"
    NOT_FOUND = "not_found"
    PERMISSION = "permission_denied"
    TIMEOUT = "timeout"
    NETWORK = "network"
    MEMORY = "out_of_memory"
    ASSERTION = "assertion"
    COMMAND = "command_not_found"
    MERGE = "merge_conflict"
    INTERRUPTED = "interrupted"
    DENIED = "denied"
    ERROR = "error"


Finding = tuple[FailureKind, str | None, str]
"""What evidence says: the kind, the error's name, its message."""

_K = FailureKind
_BY_TYPE = {
    "ModuleNotFoundError": _K.IMPORT, "ImportError": _K.IMPORT, "ClassNotFoundException": _K.IMPORT,
    "NoClassDefFoundError": _K.IMPORT, "LoadError": _K.IMPORT, "SyntaxError": _K.SYNTAX,
    "IndentationError": _K.SYNTAX, "TabError": _K.SYNTAX, "TypeError": _K.TYPE,
    "AttributeError": _K.TYPE, "NoMethodError": _K.TYPE, "ClassCastException": _K.TYPE,
    "NullPointerException": _K.TYPE, "FileNotFoundError": _K.NOT_FOUND,
    "FileNotFoundException": _K.NOT_FOUND, "NoSuchFileException": _K.NOT_FOUND,
    "PermissionError": _K.PERMISSION, "AccessDeniedException": _K.PERMISSION,
    "TimeoutError": _K.TIMEOUT, "TimeoutExpired": _K.TIMEOUT, "ReadTimeout": _K.TIMEOUT,
    "ConnectTimeout": _K.TIMEOUT, "TimeoutException": _K.TIMEOUT, "ConnectionError": _K.NETWORK,
    "ConnectionRefusedError": _K.NETWORK, "ConnectionResetError": _K.NETWORK,
    "ConnectException": _K.NETWORK, "UnknownHostException": _K.NETWORK, "gaierror": _K.NETWORK,
    "URLError": _K.NETWORK, "SSLError": _K.NETWORK, "MemoryError": _K.MEMORY,
    "OutOfMemoryError": _K.MEMORY, "AssertionError": _K.ASSERTION,
    "AssertionFailedError": _K.ASSERTION, "KeyboardInterrupt": _K.INTERRUPTED,
}  # fmt: skip

_WORDS = tuple(
    (kind, re.compile(words, re.IGNORECASE))
    for kind, words in (
        (_K.DENIED, r"doesn't want to proceed|rejected by (?:the )?user|permission to use"),
        (_K.INTERRUPTED, r"\binterrupted\b|\bterminated\b|\^C"),
        (_K.TIMEOUT, r"timed? ?out\b|deadline exceeded|ETIMEDOUT"),
        (_K.MEMORY, r"out of memory|^killed|signal: killed|\bkilled\b|ENOMEM|cannot allocate"),
        (_K.MERGE, r"conflict \(|merge conflict|merge failed|could not apply|needs merge"),
        (_K.COMMAND, r"command not found|unknown command|not recognized as|sh: .*: not found$"),
        (_K.IMPORT, r"no module named|cannot find (?:module|package)|cannot import"
         r"|unresolved import|is not in std|no required module|could not find `|TS2307"),
        (_K.PERMISSION, r"permission denied|EACCES|EPERM\b|operation not permitted|access denied"
         r"|\b40[13]\b|forbidden|unauthori[sz]ed|read-only file system|authentication failed"),
        (_K.NETWORK, r"ECONN\w+|ENOTFOUND|EAI_AGAIN|could not resolve|connection (?:refused|reset"
         r"|error|aborted)|network is unreachable|failed to connect|name resolution"
         r"|\b5\d\d (?:bad|internal|service|gateway|server)|returned error: [45]|dial tcp"
         r"|certificate|max retries exceeded|socket hang up|no route to host|name or service"),
        (_K.SYNTAX, r"syntax error|syntaxerror|unexpected (?:token|eof|indent|end|character)"
         r"|invalid syntax|unterminated|expected .{0,20}['\"`;][;})(\]]|parse error|E999"
         r"|expected ';'"),
        (_K.NOT_FOUND, r"no such (?:file|directory|table|container|service)|ENOENT|not found"
         r"|no matching"
         r"|does not exist|doesn't exist|did not match any|cannot find|\b404\b|not a git repo"),
        (_K.ASSERTION, r"^assert|assertion .{0,60}failed"),
        (_K.TYPE, r"mismatched types|incompatible type|not assignable|is not a function"
         r"|has no attribute|typeerror"),
        (_K.TEST, r"\b[1-9]\d* (?:tests? )?failed|test failures"),
    )
)  # fmt: skip


def kind_of(message: str) -> FailureKind:
    """Tell the kind from one line of words; ERROR when they say no more than that."""
    message = message[:LINE]
    for kind, words in _WORDS:
        if words.search(message):
            return kind
    return _K.ERROR


def kind_of_type(name: str) -> FailureKind | None:
    """Tell the kind from an exception's own name; None when the name says nothing."""
    return _BY_TYPE.get(name)
