"""The documentation site is built offline, with all pages and links."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
OUTSIDE = re.compile(r"""<(?:script|link|img|iframe)\b[^>]*\b(?:src|href)="(?:https?:)?//""")

pytestmark = pytest.mark.integration


def _build(root: Path, site: Path) -> subprocess.CompletedProcess[str]:
    words = [sys.executable, str(root / "scripts" / "site.py"), str(site)]
    return subprocess.run(words, capture_output=True, text=True, timeout=240, check=False)


def test_every_page_is_there_and_loads_nothing_from_afar(tmp_path: Path) -> None:
    done = _build(ROOT, tmp_path / "site")
    assert done.returncode == 0, done.stderr
    made = {str(one.relative_to(tmp_path / "site")) for one in (tmp_path / "site").rglob("*.html")}
    for source in (ROOT / "docs").rglob("*.md"):
        page = source.relative_to(ROOT).with_suffix(".html")
        index = page.with_name("index.html")
        assert {str(page), str(index)} & made, source
    assert "docs/threat-model.html" in made
    for page in sorted(made):
        text = (tmp_path / "site" / page).read_text("utf-8")
        assert not OUTSIDE.findall(text), page
    assert "Threat model" in (tmp_path / "site" / "index.html").read_text("utf-8")


def _copied(folder: Path) -> Path:
    """Copy the site's pages, all but the overview with a heading alone, which is built faster."""
    for name in ("docs", "deploy", "scripts", "examples/session"):
        shutil.copytree(ROOT / name, folder / name)
    for name in ("README.md", "CHANGELOG.md", "CONTRIBUTING.md"):
        shutil.copy2(ROOT / name, folder / name)
    overview = folder / "docs" / "README.md"
    for page in folder.rglob("*.md"):
        if page != overview:
            page.write_text("# A page\n", "utf-8")
    overview.write_text(re.sub(r"\.md#[\w-]+", ".md", overview.read_text("utf-8")), "utf-8")
    return folder


def test_a_broken_link_and_a_page_that_nobody_lists_are_errors(tmp_path: Path) -> None:
    root = _copied(tmp_path / "copy")
    page = root / "docs" / "search.md"
    page.write_text(page.read_text("utf-8") + "\n[nowhere](nonesuch.md)\n", "utf-8")
    done = _build(root, tmp_path / "site")
    assert done.returncode == 1
    assert "nonesuch.md" in done.stderr
    (root / "docs" / "new.md").write_text("# New\n", "utf-8")
    done = _build(root, tmp_path / "site")
    assert (done.returncode, "docs/new.md" in done.stderr) == (1, True)
