"""Build the documentation as a site: scripts/site [folder].

Pages link to each other by their paths in the repository, so they are copied with those paths. The
order of the pages is that of the lists in docs/README.md. Every broken link is an error.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
BESIDE = (
    "README.md",
    "CHANGELOG.md",
    "CONTRIBUTING.md",
    "deploy/README.md",
    "examples/session/README.md",
)
"""Pages outside of docs."""
LISTED = re.compile(r"^- \[([^\]]+)\]\(([^)]+\.md)\)", re.MULTILINE)
COLOUR = re.compile(r"\x1b\[[0-9;]*m")
CONFIGURATION = """[project]
site_name = "Memoranda"
site_description = "A memory system for AI agents"
docs_dir = "pages"
site_dir = "site"
use_directory_urls = false
extra_css = ["site.css"]
nav = {nav}

[project.theme]
font = false
features = ["navigation.sections", "navigation.top", "search.highlight", "content.code.copy"]

[[project.theme.palette]]
media = "(prefers-color-scheme: light)"
scheme = "default"
primary = "white"

[[project.theme.palette]]
media = "(prefers-color-scheme: dark)"
scheme = "slate"
primary = "black"
"""
STYLES = """
/* Lines of code have up to a hundred characters; options are not broken at their hyphens. */
.md-grid { max-width: 75rem; }
.md-typeset :is(p, li) { max-width: 48rem; }
.md-typeset td:not(:last-child) code { white-space: nowrap; }
@media screen and (min-width: 76.25em) {
  .md-sidebar--secondary:not(:has(.md-nav__item)) { display: none; }
}
"""


def sections(text: str) -> list[tuple[str, list[tuple[str, str]]]]:
    """Return the overview's headings with the (title, path) pages below each."""
    parts = re.split(r"^## (.+)$", text, flags=re.MULTILINE)[1:]
    pairs = zip(parts[::2], parts[1::2], strict=True)
    return [(title, [(name, _path(link)) for name, link in LISTED.findall(body)])
            for title, body in pairs]  # fmt: skip


def missing(text: str) -> list[str]:
    """Return the pages that the overview does not list."""
    listed = {path for _, pages in sections(text) for _, path in pages}
    there = {str(one.relative_to(ROOT)) for one in (ROOT / "docs").rglob("*.md")}
    return sorted(there - listed - {"docs/README.md"})


def main(arguments: list[str]) -> int:
    """Build the site; return 0 if every link works and every page is listed."""
    site = Path(arguments[0] if arguments else ROOT / "build" / "site").resolve()
    text = (ROOT / "docs" / "README.md").read_text("utf-8")
    if unlisted := missing(text):
        sys.stderr.write(f"docs/README.md does not list {', '.join(unlisted)}\n")
        return 1
    with tempfile.TemporaryDirectory() as folder:
        _stage(Path(folder) / "pages")
        configuration = Path(folder) / "zensical.toml"
        configuration.write_text(CONFIGURATION.format(nav=_nav(text)), "utf-8")
        words = [sys.executable, "-m", "zensical", "build", "--strict", "-f", str(configuration)]
        done = subprocess.run(words, cwd=folder, capture_output=True, text=True, check=False)
        if done.returncode:
            output = COLOUR.sub("", done.stdout + done.stderr)
            sys.stderr.write(output.partition("Traceback")[0])
            return 1
        shutil.copytree(Path(folder) / "site", site, dirs_exist_ok=True)
    sys.stdout.write(f"{site}\n")
    return 0


def _path(link: str) -> str:
    return link.removeprefix("../") if link.startswith("../") else f"docs/{link}"


def _stage(pages: Path) -> None:
    shutil.copytree(ROOT / "docs", pages / "docs")
    (pages / "site.css").write_text(STYLES, "utf-8")
    for name in BESIDE:
        (pages / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT / name, pages / name)


def _nav(text: str) -> str:
    """Return the navigation as TOML; its strings have JSON's syntax."""
    entries = ['{"Memoranda" = "README.md"}', '{"All pages" = "docs/README.md"}']
    for title, pages in sections(text):
        inner = ", ".join(f"{{{json.dumps(name)} = {json.dumps(path)}}}" for name, path in pages)
        entries.append(f"{{{json.dumps(title)} = [{inner}]}}")
    entries += ['{"Contributing" = "CONTRIBUTING.md"}', '{"Changes" = "CHANGELOG.md"}']
    return f"[{', '.join(entries)}]"


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
