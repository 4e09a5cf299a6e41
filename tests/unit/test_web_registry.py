"""Web pages: the registry, templates, files, and the wheel."""

from __future__ import annotations

import gzip
import hashlib
import html
import json
import re
import shlex
import subprocess
import sys
from pathlib import Path

import jinja2
import pytest

from memoranda.operations import OPERATIONS
from memoranda.web import assets, forms, registry
from memoranda.web.answers import Done, Redirect, Undo
from memoranda.web.page_request import PageRequest
from memoranda.web.renderer import environment
from tables import each

ROOT = Path(__file__).parents[2]
WEB = ROOT / "src" / "memoranda" / "web"
MANIFEST = json.loads((WEB / "static" / "vendored" / "manifest.json").read_text("utf-8"))
TEMPLATES = sorted((WEB / "templates").glob("*.html"))
OTHER_DOORS = {"api", "rpc", "mcp", "metrics", "healthz", "readyz"}


def test_the_menu_begins_with_now_and_search() -> None:
    pages = registry.pages()
    assert [one.title for one in pages][:2] == ["Now", "Search"]
    assert len({(one.group, one.place) for one in pages}) == len(pages), "two share a place"
    assert len({one.path for one in pages}) == len(pages)


def test_every_page_answers_at_its_own_path_and_takes_none_of_another_door() -> None:
    read = {one.path for one in registry.routes() if one.method == "GET"}
    assert {one.path for one in registry.pages()} <= read
    routes = [(one.method, one.path) for one in registry.routes()]
    assert len(set(routes)) == len(routes)
    begin = registry.segments([path for _, path in routes])
    assert not begin & (OTHER_DOORS | {"static", "sign-in", "sign-out"})


def test_badges_and_files_of_pages_are_there() -> None:
    for page in registry.pages():
        assert not page.badge or page.badge in OPERATIONS
        for name in (*page.styles, *page.scripts):
            assert assets.address(name).endswith(name)


@each("path", TEMPLATES, ids=lambda path: path.name)
def test_a_template_has_no_script_and_no_style_of_its_own(path: Path) -> None:
    text = path.read_text("utf-8")
    environment().get_template(path.name)
    assert not re.search(r"<script(?![^>]*\bsrc=)", text)
    assert not re.search(r"<style|\sstyle=|\son[a-z]+=|hx-on|javascript:|\|\s*safe\b", text)
    assert not re.search(r"""(?:src|href|action)=["'](?:https?:)?//""", text)


def test_styles_and_scripts_load_nothing_external() -> None:
    for name, asset in assets.assets().items():
        if name.endswith((".css", ".js")) and not name.startswith("vendored/"):
            assert not re.search(rb"@import|url\(|https?://|eval\(|innerHTML", asset.data), name


def test_text_is_escaped_and_a_name_that_is_missing_is_an_error() -> None:
    made = environment()
    assert made.from_string("{{ x }}").render(x="<b>") == "&lt;b&gt;"
    with pytest.raises(jinja2.UndefinedError):
        made.from_string("{{ y }}").render()
    assert made.from_string("{{ page.items }}").render(page={"items": 3}) == "3"


@pytest.mark.parametrize("one", MANIFEST, ids=lambda one: one["name"])
def test_what_others_wrote_is_what_they_published(one: dict[str, str]) -> None:
    assert hashlib.sha256((ROOT / one["file"]).read_bytes()).hexdigest() == one["sha256"]
    assert (ROOT / one["licence_file"]).is_file()
    assert one["version"].encode() in (ROOT / one["file"]).read_bytes()


def test_all_of_it_is_in_the_manifest() -> None:
    found = {*WEB.glob("static/vendored/*.js"), *(ROOT / "tests/web/vendored").glob("*.js")}
    assert {str(path.relative_to(ROOT)) for path in found} == {one["file"] for one in MANIFEST}


def test_a_form_is_read_strictly() -> None:
    assert forms.read(b"a=1&a=2&b=") == {"a": ["1", "2"], "b": [""]}
    for wrong in (b"a=%ff", b"\xff", b"&".join(b"a=1" for _ in range(3_000))):
        with pytest.raises(forms.InvalidInput):
            forms.read(wrong)


def test_a_one_time_message_belongs_to_one_session() -> None:
    done = Done("/", "It is “done”.", Undo("/x", {"id": "1"}, "Take it back"), warn=True)
    value = forms.flash_value("session", done)
    assert forms.read_flash("session", value) == Done("", done.message, done.undo, warn=True)
    assert forms.read_flash("another", value) is None
    assert forms.read_flash("session", "x" + value) is None
    assert forms.read_flash("session", "") is None
    long = Done("/", "x", Undo("/x", {"text": "y" * 9_000}))
    assert len(forms.flash_value("session", long)) < 4_096
    wordy = Done("/", "\U00020000" * 2_000, Undo("/x", {"id": "1"}))
    kept = forms.flash_value("session", wordy)
    assert len(kept) < 4_096
    result = forms.read_flash("session", kept)
    assert result is not None and result.message == "\U00020000" * forms.MAX_MESSAGE_LENGTH


def test_addresses_keep_the_workspace_and_leave_out_what_is_empty() -> None:
    page_request = PageRequest(None, None, "/", query={"workspace": ["shop & co"]})  # type: ignore[arg-type]
    assert page_request.link("/search", q="a b", cursor=None, tag=["x", "y"]) == (
        "/search?workspace=shop+%26+co&q=a+b&tag=x&tag=y"
    )
    assert page_request.link("/", workspace="") == "/"


def test_numbers_in_forms_are_whole() -> None:
    page_request = PageRequest(
        None, None, "/", form={"n": ["1,200"], "bad": ["1.5"], "none": [" "]}
    )  # type: ignore[arg-type]
    assert (
        page_request.number("n"),
        page_request.number("none", 7),
        page_request.number("absent"),
    ) == (
        1_200,
        7,
        None,
    )
    with pytest.raises(forms.InvalidInput, match="bad must be an integer"):
        page_request.number("bad")


def test_the_command_line_starts_without_what_pages_are_made_of() -> None:
    code = (
        "import sys, memoranda.cli as cli\n"
        "cli.cli.main(['status', '--help'], standalone_mode=False)\n"
        "print({'jinja2', 'starlette', 'markupsafe'} & sys.modules.keys())"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.endswith("set()\n")


def test_a_name_in_a_command_that_people_copy_is_one_word_of_it() -> None:
    made = environment()
    text = "memoranda block attach {{ label | quoted }} critic"
    result = made.from_string(text).render(label="x'; rm -rf ~ #")
    assert shlex.split(html.unescape(result)) == [
        "memoranda", "block", "attach", "x'; rm -rf ~ #", "critic",
    ]  # fmt: skip
    for path in TEMPLATES:
        for command in re.findall(r"memoranda [a-z-]+[^<]*", path.read_text("utf-8")):
            unquoted = r"(?:block\.label|place\.name|~ \(?name|~ site\.workspace)(?! \| quoted)"
            assert not re.search(unquoted, command), (path.name, command)


def test_where_only_forms_go_a_browser_is_led_on() -> None:
    found = {(one.method, one.path): one for one in registry.routes()}
    led = found["GET", "/observations/{id}/hold"]
    page_request = PageRequest(None, None, "/", {"id": "1#42/x"}, {"workspace": ["a&b"]})  # type: ignore[arg-type]
    assert led.answer(page_request) == Redirect("/observations/1%2342%2Fx?workspace=a%26b")
    assert ("GET", "/journal/verify") in found


def test_files_are_packed_once_and_always_alike() -> None:
    for name, asset in assets.assets().items():
        assert gzip.decompress(asset.packed) == asset.data, name
        assert assets._asset(asset.data, asset.kind) == asset
