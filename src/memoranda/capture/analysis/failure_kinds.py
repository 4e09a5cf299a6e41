"""Kinds of failure, derived from the name or the message of an error."""

from __future__ import annotations

import re
from enum import StrEnum
from functools import lru_cache

from memoranda.capture.analysis.line_search import LINE


class FailureKind(StrEnum):
    """Kind of a failure; its values also serve as tags."""

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
"""A detected failure: its kind, the error's name if any, its message."""

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
    "ScannerError": _K.SYNTAX, "ParserError": _K.SYNTAX, "TOMLDecodeError": _K.SYNTAX,
    "JSONDecodeError": _K.SYNTAX,
    "OutOfMemoryError": _K.MEMORY, "AssertionError": _K.ASSERTION,
    "AssertionFailedError": _K.ASSERTION, "KeyboardInterrupt": _K.INTERRUPTED,
}  # fmt: skip

_WORDS: tuple[tuple[FailureKind, tuple[str, ...]], ...] = (
    (_K.DENIED, ("doesn't want to proceed", "rejected by", "permission to use")),
    (_K.INTERRUPTED, ("interrupted", "terminated")),
    (_K.TIMEOUT, ("timed out", "timeout", "deadline exceeded", "etimedout")),
    (_K.MEMORY, ("out of memory", "killed", "enomem", "cannot allocate")),
    (_K.MERGE, (
        "conflict (", "merge conflict", "merge failed", "could not apply", "needs merge",
        "non-fast-forward", "failed to push some refs", "patch failed", "does not apply",
        "would be overwritten by", "pathspec",
    )),
    (_K.COMMAND, (
        "command not found", "unknown command", "not recognized as", "unrecognized argument",
        "unrecognized option", "unknown option", "unknown flag", "invalid option",
        "no rule to make target", "missing script", "inputvalidationerror",
    )),
    (_K.IMPORT, (
        "no module named", "cannot find module", "cannot find package", "cannot import",
        "unresolved import", "is not in std", "is not in goroot", "shared object file",
        "no required module", "could not find `",
    )),
    (_K.PERMISSION, (
        "permission denied", "eacces", "eperm", "operation not permitted", "access denied",
        "forbidden", "unauthorized", "unauthorised", "read-only file system",
        "authentication failed", "invalid api key", "invalid token", "bad credentials",
        "token expired", "could not read from remote",
    )),
    (_K.NETWORK, (
        "econn", "enotfound", "eai_again", "could not resolve", "connection refused",
        "connection reset", "connection error", "connection aborted", "network is unreachable",
        "failed to connect", "cannot connect", "can't connect", "could not connect",
        "unable to connect", "can't reach", "cannot reach", "is the docker daemon running",
        "daemon is not running", "is the server running", "server has gone away",
        "name resolution", "dial tcp", "certificate", "max retries exceeded",
        "socket hang up", "no route to host", "name or service", "internal server error",
        "bad gateway", "service unavailable", "too many requests", "rate limit",
    )),
    (_K.SYNTAX, (
        "syntax error", "syntaxerror", "unexpected token", "unexpected eof", "unexpected indent",
        "unexpected end", "unexpected character", "invalid syntax", "unterminated", "parse error",
        "expected ';'", "expected `;`", "expected ')'", "expected '}'", "indentationerror",
        "mapping values are not allowed", "scannererror",
    )),
    (_K.BUILD, (
        "undefined reference", "failed to solve", "unable to locate package", "externally-managed",
        "failed to select a version", "version solving failed", "unknown revision",
        "no installation candidate", "no matching distribution", "ld returned",
    )),
    (_K.NOT_FOUND, (
        "no such file", "no such directory", "no such table", "no such container",
        "no such service", "enoent", "not found", "no matching", "does not exist",
        "doesn't exist", "did not match any", "cannot find", "not a git repo", "eisdir", "enotdir",
    )),
    (_K.ASSERTION, ("assertion failed", "assertion `", "assertionerror")),
    (_K.TYPE, (
        "mismatched types", "incompatible type", "not assignable", "is not a function",
        "has no attribute", "typeerror",
    )),
    (_K.TEST, ("test failures", "tests failed", "test failed")),
)  # fmt: skip
_STATUS = re.compile(r"(?:http(?:/[\d.]{1,3})?|status(?: code)?:?|returned error:) ?([45]\d\d)\b")
_BY_STATUS = {"401": _K.PERMISSION, "403": _K.PERMISSION, "404": _K.NOT_FOUND, "408": _K.TIMEOUT}


def kind_of(message: str) -> FailureKind:
    """Return the kind of a one-line message; ERROR if it is not specific."""
    low = message[:LINE].lower()
    for kind, words in _WORDS:
        for word in words:
            if word in low:
                return kind
    status = http_status(low)
    return _BY_STATUS.get(status, _K.NETWORK) if status else _K.ERROR


def http_status(message: str) -> str:
    """Return the HTTP error status in a lower-case message; '' if none."""
    names_http = "http" in message or "status" in message or "returned error" in message
    match = _STATUS.search(message) if names_http else None
    return match[1] if match else ""


_TROUBLE = ("rror", "ail", "FAIL", "Traceback", "xception", "panic", "ERR", ".go:")


@lru_cache(maxsize=4)
def may_have_failed(output: str) -> bool:
    """Return whether an output may report an error, by a fast pre-check.

    The last results are cached, because several functions check the same output.
    """
    return any(map(output.__contains__, _TROUBLE))


def kind_of_type(name: str) -> FailureKind | None:
    """Return the kind of an exception's name; None if it is not specific."""
    return _BY_TYPE.get(name)
