"""Errors: which of them have the same cause, what sort they are, and what recurs among them.

Pure functions; what they are about comes in, nothing is read or kept. English only.
"""

from memoranda.learn.errors.occurrence import Occurrence
from memoranda.learn.errors.patterns import patterns
from memoranda.learn.errors.prevention import prevention
from memoranda.learn.errors.signature import signature
from memoranda.learn.errors.types import error_type, severity

__all__ = ["Occurrence", "error_type", "patterns", "prevention", "severity", "signature"]
