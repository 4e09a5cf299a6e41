"""Snapshots of a git work tree, stored in the repository.

HEAD, the index, the files and all branches of the repository are unchanged.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from memoranda.exceptions import InvalidInput
from memoranda.text import text_lines

MAX_SECONDS = 15.0
MAX_STORED = 100
"""Maximum number of stored trees per task.

Older trees are released, and git later removes them.
"""
_NOBODY = {
    f"GIT_{who}_{what}": value
    for who in ("AUTHOR", "COMMITTER")
    for what, value in (("NAME", "memoranda"), ("EMAIL", "memoranda@localhost"))
}


@dataclass(frozen=True, slots=True)
class WorkTree:
    """A stored tree; its commit can be passed to ``git diff``.

    ``git push`` does not push the ref of the snapshot.
    """

    folder: str
    commit: str
    ref: str


def save(folder: Path, name: str) -> WorkTree:
    """Store the files of a work tree as a commit.

    Untracked files that are not ignored are included. The commit is a child of HEAD under
    ``refs/memoranda/<name>``. Equal trees with the same HEAD are stored once.

    Args:
        name: identifies the owner of the snapshot, for example the id of a task; letters, digits
            and hyphens.

    Raises:
        InvalidInput: the folder is not in a work tree, or git is not installed, failed, or took
            longer than 15 seconds. Nothing was changed.
    """
    if not all(part.isalnum() for part in name.split("-")):
        raise InvalidInput(
            f"a work tree name may only contain letters, digits and hyphens, not {name!r}"
        )
    with TemporaryDirectory(prefix="memoranda-") as scratch:
        git = _Git(folder, Path(scratch) / "index")
        top = git.run("rev-parse", "--show-toplevel")
        index = Path(git.run("rev-parse", "--absolute-git-dir")) / "index"
        if index.exists():
            # the cached file status avoids reading unchanged files
            shutil.copyfile(index, git.index)
        git.run("-C", top, "add", "--all")
        tree = git.run("write-tree")
        head = git.head()
        kept_refs = git.kept(name)
        for commit, stash, parent in kept_refs:
            if (stash, parent) == (tree, head):
                return WorkTree(top, commit, _ref(name, commit))
        parents = ["-p", head] if head else []
        commit = git.run("commit-tree", tree, *parents, "-m", f"work tree of {name}")
        git.run("update-ref", _ref(name, commit), commit)
        for old, _, _ in kept_refs[MAX_STORED - 1 :]:
            git.run("update-ref", "-d", _ref(name, old))
        return WorkTree(top, commit, _ref(name, commit))


def _ref(name: str, commit: str) -> str:
    return f"refs/memoranda/{name}/{commit}"


class _Git:
    """Runs git commands in a folder with a separate index and one deadline."""

    def __init__(self, folder: Path, index: Path) -> None:
        self.index = index
        self._folder = folder
        self._environ = os.environ | _NOBODY | {"GIT_INDEX_FILE": str(index), "LC_ALL": "C"}
        self._until = time.monotonic() + MAX_SECONDS

    def run(self, *arguments: str) -> str:
        """Run git; return its output."""
        done = self._done(*arguments)
        if done.returncode:
            messages = text_lines(done.stderr.strip()) or ["it failed"]
            # git may print a hint after the error, such as a hint about another file system.
            why = next((line for line in messages if line.startswith("fatal:")), messages[-1])
            raise InvalidInput(f"git cannot store the work tree of {self._folder}: {why}")
        return done.stdout.strip()

    def head(self) -> str:
        """Return the checked-out commit; empty if the repository has no commit."""
        return self._done("rev-parse", "--verify", "--quiet", "HEAD").stdout.strip()

    def kept(self, name: str) -> list[tuple[str, str, str]]:
        """Return commit, tree and parent of a name's stored trees, newest first."""
        form = "--format=%(objectname) %(tree) %(parent)"
        found = self.run("for-each-ref", "--sort=-creatordate", form, f"refs/memoranda/{name}/")
        rows = [line.split(" ") for line in text_lines(found)]
        return [(commit, tree, parent) for commit, tree, parent in rows]

    def _done(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        command = ["git", "-c", "gc.auto=0", "-c", "core.fsmonitor=false", *arguments]
        try:
            return subprocess.run(
                command,
                cwd=self._folder,
                env=self._environ,
                capture_output=True,
                text=True,
                errors="replace",
                stdin=subprocess.DEVNULL,
                timeout=max(0.1, self._until - time.monotonic()),
                check=False,
            )
        except subprocess.TimeoutExpired:
            raise InvalidInput(
                f"git took longer than {MAX_SECONDS:g} seconds for {self._folder}; "
                "create the checkpoint without its work tree"
            ) from None
        except OSError as error:
            raise InvalidInput(f"cannot run git in {self._folder}: {error.strerror}") from error
