"""Patches in tool inputs: which a command applies, where, and what else."""

from __future__ import annotations

import pytest

from memoranda.capture.analysis.patches import (
    only_patches,
    patch_folder,
    patched_command,
    patched_files,
    without_reports,
)
from tables import each

PATCH = "*** Begin Patch\n*** Update File: a.py\n@@\n-1\n+2\n EOF\n*** End Patch"
APPLIED = f"apply_patch <<'EOF'\n{PATCH}\nEOF"


@each(
    ("command", "rest"),
    [
        (APPLIED, ""),
        (f"{APPLIED} && pytest -q", "pytest -q"),
        (f"apply_patch <<EOF && pytest -q\n{PATCH}\nEOF\n", "pytest -q"),
        (f"set -e\n{APPLIED}\ngit add -A", "git add -A"),
        (f"make x; /usr/bin/apply_patch <<-EOF 2>&1\n{PATCH}\nEOF", "make x"),
        (f"cat <<\\EOF | apply_patch && ls\n{PATCH}\nEOF", "ls"),
        (f"apply_patch '{PATCH}' && git commit -m 'A; b'", "git commit -m 'A; b'"),
        (f'bash -lc "{APPLIED}"', ""),
        (f"{APPLIED}\n{APPLIED} || exit 1", ""),
        (f"cat > p <<EOF\n{PATCH}\nEOF\napply_patch < p", "cat > p; apply_patch < p"),
    ],
)
def test_a_command_applies_a_patch_and_does_the_rest(command: str, rest: str) -> None:
    found = patched_command({"cmd": command})
    assert found is not None
    assert found.rest == rest
    assert found.patch.startswith(PATCH)
    assert patched_files({"command": ["bash", "-lc", command]}) == ["a.py"]


@pytest.mark.parametrize(
    "command",
    [
        f"cat > notes.md <<EOF\n{PATCH}\nEOF",
        f"cat > notes.md <<EOF\nSo:\n{APPLIED.replace('EOF', 'X')}\nEOF",
        f"echo apply_patch '{PATCH}'",
        f"grep -n apply_patch <<EOF\n{PATCH}\nEOF",
        "apply_patch < p.diff",
    ],
)
def test_a_patch_that_is_only_written_down_is_not_applied(command: str) -> None:
    assert patched_command({"command": command}) is None
    assert patched_files({"command": command}) == []
    assert not only_patches({"command": command})


def test_one_patch_alone_is_an_edit_and_several_are_a_command() -> None:
    assert only_patches({"command": APPLIED})
    assert only_patches({"input": PATCH})
    assert not only_patches({"command": f"{APPLIED}\n{APPLIED}"})
    assert not only_patches({"command": f"{APPLIED}; ls"})


@pytest.mark.parametrize(
    ("before", "folder"),
    [("cd sub && ", "sub"), ("(cd 'a b'; ", "a b"), ("set -e\ncd x\n", "x"), ("ls; ", "")],
)
def test_the_folder_is_the_one_entered_before(before: str, folder: str) -> None:
    assert patch_folder({"cmd": f"{before}{APPLIED}"}) == folder


def test_the_list_of_changed_files_is_no_outcome() -> None:
    report = "Success. Updated the following files:\nM a.py\nA b c.py\n"
    assert without_reports(f"x\n{report}3 passed") == "x\n3 passed"
    assert without_reports(report) == ""
