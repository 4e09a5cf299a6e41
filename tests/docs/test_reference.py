"""The documentation says what the code does."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

from memoranda import Memoranda
from memoranda.cli import COMMANDS
from memoranda.operations import OPERATIONS
from tables import each

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]


def test_the_generated_reference_is_up_to_date() -> None:
    check = [sys.executable, str(ROOT / "scripts" / "reference.py"), "--check"]
    done = subprocess.run(check, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_every_command_is_in_the_reference() -> None:
    text = (ROOT / "docs" / "reference" / "commands.md").read_text("utf-8")
    assert [name for name in COMMANDS if f"## memoranda {name}" not in text] == []


def test_every_operation_has_a_summary() -> None:
    assert [name for name, one in OPERATIONS.items() if not one.summary(Memoranda)] == []


@each("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_somewhere(page: Path) -> None:
    links = re.findall(r"\]\((?!https?:|#)([^)#]+)", page.read_text("utf-8"))
    assert [link for link in links if not (page.parent / link).exists()] == []


@each("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_commands_in_the_text_exist(page: Path) -> None:
    command = re.compile(r"(?:^|[`/ ])memoranda ([a-z]+(?:-[a-z]+)*)\b", re.MULTILINE)
    named = set(command.findall(page.read_text("utf-8")))
    prose = {"is", "in", "holds", "makes", "from", "and", "itself", "memory"}
    assert named - set(COMMANDS) - prose == set()


def test_the_readme_names_only_scripts_that_are_there() -> None:
    text = (ROOT / "README.md").read_text("utf-8")
    assert [s for s in re.findall(r"scripts/\w+", text) if not (ROOT / s).exists()] == []


def test_the_architecture_names_modules_that_exist() -> None:
    text = (ROOT / "docs" / "architecture.md").read_text("utf-8")
    named = set(re.findall(r"`([a-z_]+(?:/[a-z_]+)+\.(?:py|tsv))[`:]", text))
    sources = ROOT / "src" / "memoranda"
    assert len(named) > 20
    missing = [one for one in named if not ((sources / one).is_file() or (ROOT / one).is_file())]
    assert missing == []


def test_the_architecture_names_classes_and_functions_that_exist() -> None:
    text = (ROOT / "docs" / "architecture.md").read_text("utf-8")
    sources = ROOT / "src" / "memoranda"
    for module, name in re.findall(r"`([a-z_/]+\.py): (\w+)", text):
        assert re.search(rf"^(class|def) {name}\b", (sources / module).read_text("utf-8"), re.M)
