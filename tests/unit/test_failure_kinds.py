"""The kind of a failure, from its text."""

from __future__ import annotations

import pytest

from memoranda.capture.analysis.failure_kinds import FailureKind as Kind
from memoranda.capture.analysis.failures import failure_in
from tables import each


@each(
    ("output", "kind"),
    [
        ("error: failed to push some refs to 'origin'", Kind.MERGE),
        ("error: src/rates.py: patch does not apply", Kind.MERGE),
        ("build.py: error: unrecognized arguments: --fast", Kind.COMMAND),
        ("make: *** No rule to make target 'docs'.  Stop.", Kind.COMMAND),
        ('npm error Missing script: "lint"', Kind.COMMAND),
        ("lamp: error while loading shared libraries: cannot open shared object file", Kind.IMPORT),
        ("fatal: Bad credentials", Kind.PERMISSION),
        ("HTTP 429: Too Many Requests", Kind.NETWORK),
        ("yaml.scanner.ScannerError: mapping values are not allowed here", Kind.SYNTAX),
        ("/usr/bin/ld: lamp.o: undefined reference to `wick'", Kind.BUILD),
        ("E: Unable to locate package lamp-tools", Kind.BUILD),
    ],
)
def test_a_failure_kind_is_derived_from_its_text(output: str, kind: Kind) -> None:
    found = failure_in(output, "Bash", True, None)
    assert found is not None
    assert found.kind is kind


@pytest.mark.parametrize("output", ["Found 0 errors", "Found 0 errors. Watching for file changes."])
def test_no_errors_are_no_failure(output: str) -> None:
    assert failure_in(output, "Bash", False, None) is None
