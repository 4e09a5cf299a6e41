"""The pages of the beginning work as written, for a person who has only Python.

Their blocks run in the order of the page, in a copy of the repository, with a fresh home and
nothing of the environment. The virtual environment is the one that the README creates; it is made
once, since pip takes most of the time, and each page begins with a home that has nothing else. What
pip would download for the extras that the page names, and no more, is linked from the environment
of the tests; an index is refused.
"""

from __future__ import annotations

import copy
import json
import os
import re
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.metadata import distribution
from pathlib import Path
from zipfile import ZipFile

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from servers import free_port

pytestmark = pytest.mark.e2e

ROOT = Path(__file__).parents[2]
NEEDED = ("src", "scripts", "examples", "README.md", "LICENSE", "pyproject.toml")
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
WORK = re.compile(r"^scripts/(run|test|build)\b")
"""Scripts that take minutes, or that another page runs; `scripts/test` is what runs this."""
PORT = "7077"
ENVIRONMENT = ".memoranda"
"""The folder of the environment that the pages create in the home."""


@dataclass(frozen=True)
class Block:
    """One block of code of a page."""

    language: str
    text: str

    @property
    def lines(self) -> list[str]:
        """Its lines of code."""
        return [line for line in self.text.split("\n") if line.strip()]


def blocks(page: str) -> list[Block]:
    return [Block(*found) for found in BLOCK.findall((ROOT / page).read_text("utf-8"))]


def downloads(folder: Path, *wanted: str) -> Path:
    """A folder with what pip would download for these requirements, as links."""
    site = Path(sysconfig.get_path("purelib"))
    pending, seen = [Requirement(one) for one in wanted], set()
    while pending:
        requirement = pending.pop()
        key = (canonicalize_name(requirement.name), frozenset(requirement.extras))
        if key in seen:
            continue
        seen.add(key)
        found = distribution(requirement.name)
        for name in {file.parts[0] for file in found.files or ()} - {"..", "__pycache__"}:
            if key[0] != "memoranda" and not (folder / name).exists():
                (folder / name).symlink_to(site / name)
        environments = [{"extra": extra} for extra in requirement.extras or ("",)]
        pending += [
            one for one in map(Requirement, found.requires or ())
            if not one.marker or any(one.marker.evaluate(here) for here in environments)
        ]  # fmt: skip
    return folder


def extras_named() -> str:
    """The extras that a page installs, as in a requirement."""
    (first, *others) = {
        found
        for page in ("README.md", "docs/installation.md")
        for found in re.findall(r"\[[a-z,]*server[a-z,]*\]", "".join(map(str, blocks(page))))
    }
    assert not others, "the pages differ"
    return str(first)


class Stranger:
    """A person with a clone, a home and Python."""

    def __init__(self, folder: Path) -> None:
        self.clone, self.home, programs = folder / "clone", folder / "home", folder / "bin"
        for path in (self.home, programs, self.clone, folder / "tmp"):
            path.mkdir(parents=True)
        for name in NEEDED:
            source = ROOT / name
            if source.is_dir():
                ignored = shutil.ignore_patterns("__pycache__")
                shutil.copytree(source, self.clone / name, ignore=ignored)
            else:
                shutil.copy2(source, self.clone / name)
        (folder / "downloads").mkdir()
        found = downloads(folder / "downloads", f"memoranda{extras_named()}", "hatchling")
        base = getattr(sys, "_base_executable", sys.executable)
        (programs / "python3").symlink_to(Path(base).resolve())
        self.port = str(free_port())
        self.environ = {
            "HOME": str(self.home),
            "PATH": f"{programs}:/usr/bin:/bin",
            "TMPDIR": str(folder / "tmp"),
            "PYTHONPATH": str(found),
            "PIP_NO_INDEX": "1",
            "PIP_NO_BUILD_ISOLATION": "0",  # which is how pip spells that it is on
            "PIP_CONFIG_FILE": os.devnull,
            "PIP_DISABLE_PIP_VERSION_CHECK": "1",
            "OPENAI_API_KEY": "sk-no-key",
        }

    def in_another_home(self, home: Path) -> Stranger:
        """The same person with a home that has the environment and nothing else."""
        home.mkdir()
        (home / ENVIRONMENT).symlink_to(self.home / ENVIRONMENT)
        other = copy.copy(self)
        other.home, other.environ = home, self.environ | {"HOME": str(home)}
        return other

    @contextmanager
    def without_the_clone(self) -> Iterator[None]:
        """Take the clone away for a while."""
        away = self.clone.with_name("away")
        self.clone.rename(away)
        self.clone.mkdir()
        try:
            yield
        finally:
            self.clone.rmdir()
            away.rename(self.clone)

    def does(self, block: Block) -> str:
        """Run a block as the person does; return what it prints."""
        done = subprocess.run(
            self._words(block), cwd=self.clone, env=self.environ, stdin=subprocess.DEVNULL,
            capture_output=True, text=True, timeout=240, check=False,
        )  # fmt: skip
        assert done.returncode == 0, f"{block.text}\n{done.stdout}\n{done.stderr}"
        return done.stdout

    def takes_over(self, block: Block) -> None:
        """Keep what a block sets in the shell for the blocks after it."""
        script = f"set -e\n{self._here(block.text)}\nenv"
        done = subprocess.run(
            ["/bin/sh", "-c", script], cwd=self.clone, env=self.environ, capture_output=True,
            text=True, timeout=240, check=False,
        )  # fmt: skip
        assert done.returncode == 0, f"{block.text}\n{done.stdout}\n{done.stderr}"
        kept = ("PATH", "VIRTUAL_ENV", "MEMORANDA_DATA_DIR")
        lines = [line.partition("=") for line in done.stdout.split("\n")]
        self.environ |= {name: value for name, _, value in lines if name in kept}

    @contextmanager
    def serving(self, block: Block) -> Iterator[None]:
        """Run a block in a terminal of its own, from its first line of output on."""
        with subprocess.Popen(
            ["/bin/sh", "-c", f"exec {self._here(block.text)}"], cwd=self.clone, env=self.environ,
            stdout=subprocess.PIPE, text=True,
        ) as process:  # fmt: skip
            try:
                assert process.stdout is not None
                assert process.stdout.readline().startswith("serving")
                yield
            finally:
                process.terminate()
                process.wait(30)

    def _words(self, block: Block) -> list[str]:
        if block.language == "python":
            return ["/bin/sh", "-c", 'exec python -c "$0"', block.text]
        return ["/bin/sh", "-c", f"set -e\n{self._here(block.text)}"]

    def _here(self, text: str) -> str:
        """A port that is free here; otherwise the block as it is written."""
        served = text.replace("memoranda serve", f"memoranda serve --port {self.port}")
        return served.replace(f":{PORT}", f":{self.port}")


INSTALL, DEMO, AGENT, PYTHON, SERVE, OTHER_TERMINAL, SCRIPTS = range(7)


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Stranger:
    """A person who has done what the README says under Install."""
    stranger = Stranger(tmp_path_factory.mktemp("stranger"))
    stranger.takes_over(blocks("README.md")[INSTALL])
    place = stranger.does(Block("python", "import memoranda; print(memoranda.__file__)"))
    assert place.startswith(str(stranger.home / ENVIRONMENT)), place
    return stranger


@pytest.fixture
def stranger(installed: Stranger, tmp_path: Path) -> Stranger:
    """That person with a fresh home."""
    return installed.in_another_home(tmp_path / "home")


def test_the_readme_is_short_and_each_start_has_three_lines() -> None:
    text = (ROOT / "README.md").read_text("utf-8")
    assert text.count("\n") <= 150
    assert "not on PyPI yet" in text
    code = blocks("README.md")
    assert len(code) == 7
    for block in code:
        lines = [line for line in block.lines if not line.startswith("from ")]
        assert len(lines) <= 3, block.text


def test_every_block_of_the_readme_runs(stranger: Stranger) -> None:
    code = blocks("README.md")
    assert "4. CONTEXT" in stranger.does(code[DEMO])
    data = stranger.home / ".local/share/memoranda"
    assert not data.exists()
    assert "last capture" in stranger.does(code[AGENT])
    assert "Amounts are in cents." in stranger.does(code[PYTHON])
    with stranger.serving(code[SERVE]):
        shown = stranger.does(code[OTHER_TERMINAL])
    assert "Amounts are in cents." in shown
    assert f"http://127.0.0.1:{stranger.port}/" in shown
    for line in code[SCRIPTS].lines:
        if WORK.match(line):
            assert (stranger.clone / line.split()[0]).stat().st_mode & 0o111
        else:
            stranger.does(Block("sh", line))


def test_every_block_of_the_quick_start_runs(stranger: Stranger) -> None:
    code = blocks("docs/quick-start.md")
    assert code[1] == blocks("README.md")[DEMO], "which the test above runs"
    stranger.takes_over(code[0])
    shown = "".join(stranger.does(block) for block in code[2:])
    expected = ("one file, no server", "Amounts are in cents", "tax table", "intact")
    assert [text for text in expected if text not in shown] == []
    assert (stranger.home / "memoranda-quick-start" / "memoranda.db").exists()


def test_every_block_of_the_installation_runs(stranger: Stranger) -> None:
    first, *others = blocks("docs/installation.md")
    same = [line for line in first.lines if line in blocks("README.md")[INSTALL].lines]
    assert len(same) == 2, "it creates the environment as the README does, which was done"
    stranger.does(Block("sh", "\n".join(line for line in first.lines if line not in same)))
    for block in others:
        stranger.does(block)
    settings = stranger.home / ".local/share/memoranda/config.toml"
    assert settings.read_text() == 'embedding_key = "sk-no-key"\n'
    (wheel,) = (stranger.clone / "dist").glob("*.whl")
    names = ZipFile(wheel).namelist()
    assert "memoranda/examples/parcel-rates.jsonl" in names
    assert not [name for name in names if name.startswith(("tests", "scripts"))]


def test_hooks_survive_that_the_clone_is_deleted(stranger: Stranger, tmp_path: Path) -> None:
    stranger.does(blocks("README.md")[AGENT])
    settings = json.loads((stranger.home / ".claude/settings.json").read_text("utf-8"))
    (entry,) = settings["hooks"]["UserPromptSubmit"]
    payload = {
        "hook_event_name": "UserPromptSubmit", "session_id": "s1", "cwd": str(tmp_path),
        "prompt": "The marmalade is in the third cupboard.",
    }  # fmt: skip
    with stranger.without_the_clone():
        for hook in entry["hooks"]:
            assert f"/{ENVIRONMENT}/" in hook["command"]
            assert str(stranger.clone) not in hook["command"]
            assert str(ROOT) not in hook["command"]
            subprocess.run(
                ["/bin/sh", "-c", hook["command"]], input=json.dumps(payload), text=True,
                env=stranger.environ, timeout=60, check=True,
            )  # fmt: skip
        assert "marmalade" in stranger.does(Block("sh", "memoranda search marmalade"))
