"""Looks at pages of a hostile memory: whether anything in them came to life, and what was seen."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote_plus, urlsplit

from browsers import Visit
from hostile_store import MARK, Hostile
from playwright.sync_api import Dialog, Error, Page, Request, Response

from memoranda.text import visible
from memoranda.web.registry import WebRoute, routes

TAGS = """
    a article aside b body br button code datalist dd del details dialog div dl dt fieldset
    figcaption figure form h1 h2 h3 head header html input ins kbd label legend li link main mark
    meta nav ol option p polyline pre rect script section select small span strong
    summary svg table tbody td textarea th thead time title tr ul
"""
"""Elements that templates and scripts of the page make, and no others."""
ATTRIBUTES = """
    action aria-current aria-hidden aria-label aria-labelledby aria-valuetext autocomplete autofocus
    charset checked class colspan content data-from data-grave data-key data-limit data-live data-of
    data-moment data-open data-row data-search data-slides data-submits data-time data-to data-turn
    data-version data-zone datetime defer dir download for form height hidden href hx-get
    hx-push-url hx-select hx-select-oob hx-swap hx-sync hx-target hx-trigger id inputmode lang list
    max maxlength method min name open placeholder points popover popovertarget preserveaspectratio
    readonly rel required role rows rx scope selected size spellcheck src step tabindex title type
    value viewbox width x y
"""
SPOKEN = "action aria-label href hx-get title value"
"""Attributes in which a text of somebody may stand, as a text."""
ALIVE = """
let kept;
Object.defineProperty(window, "__owned", {
  get: () => kept, set: (value) => { kept = value; console.error(`alive: ${value}`); },
});
"""
LOOK = """
([tags, attributes, spoken, mark], page = document) => {
  const [known, named, said] = [tags, attributes, spoken].map((one) => new Set(one));
  const [faults, texts, ids] = [[], [page.title], new Set(["", "owned"])];
  const marked = new RegExp(mark);
  const own = (address) => /^([/#?](?![/\\\\])|$)/.test(address) && !address.startsWith("/owned");
  for (const one of page.querySelectorAll("*")) {
    const tag = one.tagName.toLowerCase();
    if (!known.has(tag)) faults.push(`element ${tag}`);
    if (["script", "meta", "link"].includes(tag) && (!one.closest("head") || one.httpEquiv))
      faults.push(`${tag} where none belongs`);
    if (tag === "script" && !one.src) faults.push("a script of its own");
    for (const { name, value } of one.attributes) {
      const low = name.toLowerCase();
      if (!named.has(low)) faults.push(`attribute ${tag} ${low}`);
      if (said.has(low)) texts.push(value);
      else if (marked.test(value) && !(low === "name" && location.pathname === "/sign-in"))
        faults.push(`attribute ${tag} ${low}=${value.slice(0, 80)}`);
      if (["href", "src", "action", "hx-get"].includes(low) && !own(value))
        faults.push(`${low} ${value}`);
      if (low === "form" && !page.getElementById(value)) faults.push(`of no form: ${value}`);
    }
    if (one.hasAttribute("id") && ids.has(one.id)) faults.push(`twice the id ${one.id}`);
    ids.add(one.id);
    if (tag === "textarea") texts.push(one.value);
  }
  const tokens = new Set([...page.querySelectorAll("[name=form-token]")].map((one) => one.value));
  if (tokens.size > 1) faults.push("forms of two tokens");
  if (!page.title.endsWith("· Memoranda")) faults.push("title " + page.title);
  if (window.__owned !== undefined) faults.push("alive: " + window.__owned);
  for (const gone of page.querySelectorAll("script, style")) gone.remove();
  texts.push(page.body.textContent);
  return { faults: [...new Set(faults)], text: texts.join("\\n") };
}
"""
LIVE = f"""
([text, ...given]) => {{
  const look = {LOOK.strip()};
  const whole = document.documentElement.outerHTML;
  const broken = whole.replace("</main>", () => text.replaceAll("@", "q000mcz") + `'"></main>`);
  return look(given, new DOMParser().parseFromString(broken, "text/html")).faults;
}}
"""
SUBMIT = """
([action, fields, token]) => {
  const form = document.createElement("form");
  Object.assign(form, { method: "post", action });
  const found = document.querySelector("[name=form-token]");
  if (token && found) fields.push(["form-token", found.value]);
  for (const [name, value] of fields) {
    const one = document.createElement("textarea");
    [one.name, one.value] = [name, value];
    form.append(one);
  }
  document.body.append(form);
  HTMLFormElement.prototype.submit.call(form);
}
"""
REFUSED = re.compile(r"Failed to load resource: the server responded with a status of 4\d\d")
"""What the console says of pages that tell an error, as many are made to here."""
TOLD_APART = {"/context", "/blocks/prompt", "/tasks/{id}/resume", "/profile/agent-file"}
"""Pages whose text is what an agent is given, in which markup is escaped for it once more."""
AS_TAGS = {"ot", "xp", "of"}
"""Texts of addresses (q) are told as a program writes them, in quotes or as part of an address.
Fields that are told in another form as well: a tool as a tag, a file as a pattern
or as the path that it is."""
CHANGED = re.compile(
    r"[\r\n\v\f\x85\u2028\u2029]"
    r"|\[redacted:|</?private>|memoranda-|\x1b|\[\x1b|&(?:lt|gt|amp|#)"
)
"""What is taken out of a text before it is stored, or may be read in two ways."""


@dataclass
class Looking:
    """A tab in which everything that came to life is written down."""

    visit: Visit
    hostile: Hostile
    faults: list[str] = field(default_factory=list)
    cells: set[tuple[str, str]] = field(default_factory=set)
    """A mark (a payload in a field) and the path of a page on which it was read."""
    routes: set[str] = field(default_factory=set)
    pages: int = 0
    _answers: list[Response] = field(default_factory=list)

    def __post_init__(self) -> None:
        page = self.visit.page
        page.context.add_init_script(ALIVE)
        page.on("dialog", self._dialog)
        page.on("request", self._on_request)
        page.on("response", lambda answer: self._answers.append(answer))

    def open(self, path: str) -> Page:
        """Open a page and look at all of it."""
        self.visit.page.goto(self.visit.url + path)
        self.look()
        return self.visit.page

    def post(self, path: str, fields: Iterable[tuple[str, str]], *, token: bool = True) -> None:
        """Send a form from the page that is open, and look at what comes."""
        page = self.visit.page
        with page.expect_navigation():
            page.evaluate(SUBMIT, [path, [*fields], token])
        self.look()

    def look(self) -> None:
        """Look at the page that is open."""
        page = self.visit.page
        at = urlsplit(page.url).path
        found: dict[str, Any] = page.evaluate(LOOK, self._given())
        self.faults += [f"{at}: {one}" for one in found["faults"]]
        self.pages += 1
        answers, self._answers[:] = [*self._answers], []
        for one in answers:
            self._unescaped(one)
        route = route_of(at)
        self.routes.add(route)
        self._read(route, found["text"])

    def noticed(self, text: str) -> bool:
        """Put a text into the page as markup, as a template that escapes nothing would; say whether
        looking finds it."""
        return bool(self.visit.page.evaluate(LIVE, [text, *self._given()]))

    def finish(self) -> None:
        """See that nothing happened, also in between."""
        hits = [one for one in self.visit.complaints if not REFUSED.search(one)]
        self.visit.complaints.clear()
        found = [*hits, *self.visit.elsewhere, *self.faults]  # all kinds, whichever there is
        assert found == [], self._described(found)

    @staticmethod
    def _given() -> list[object]:
        return [TAGS.split(), ATTRIBUTES.split(), SPOKEN.split(), MARK.pattern]

    def _read(self, route: str, text: str) -> None:
        """Note which texts can be read, and that each is whole up to its mark."""
        squeezed = squeeze(text)
        for mark in set(MARK.findall(text)):
            self.cells.add((mark, route))
            whole = self.hostile.named(mark)
            written = whole[: whole.index(mark)] + mark
            start = squeeze(written)
            kept = (
                quote_plus(whole) in text
                or CHANGED.search(whole)
                or route in TOLD_APART
                or mark[4:6] in AS_TAGS
                or mark[4] == "q"
            )
            in_json = squeeze(json.dumps(written, ensure_ascii=False)[1:-1])
            if not kept and start not in squeezed and in_json not in squeezed:
                self.faults.append(f"{route}: {whole!r} is not there as it was written")

    def _unescaped(self, response: Response) -> None:
        """Note texts that stand in a page as they were given, whether or not a browser minds."""
        kind = response.headers.get("content-type", "")
        resource = response.request.resource_type
        if resource not in ("document", "xhr", "fetch") or "html" not in kind:
            return
        try:
            source = response.text()
        except Error:
            return  # the page was left before anybody looked at it
        for mark in set(MARK.findall(source)):
            text = self.hostile.named(mark)
            if set("<>\"'") & set(text) and text in source:
                self.faults.append(f"{response.url}: {text!r} stands in the page unescaped")

    def _dialog(self, dialog: Dialog) -> None:
        self.faults.append(f"dialog: {dialog.message}")
        dialog.dismiss()

    def _on_request(self, request: Request) -> None:
        path = urlsplit(request.url).path
        if path.startswith("/owned") or (request.method == "POST" and path == "/sign-out"):
            self.faults.append(f"asked for {request.url}")

    @staticmethod
    def _described(found: list[str]) -> str:
        return f"{len(found)}: " + "\n".join(dict.fromkeys(found[:30]))


def squeeze(text: str) -> str:
    """Return a text without what a browser or the store may change of white space and controls."""
    return "".join(visible(text).replace("\u2400", "").replace("\ufffd", "").split())


def route_of(path: str) -> str:
    """Return the path of the route that answers at a path; the path itself where none does."""
    for one in _templates():
        if one[1].fullmatch(path):
            return one[0]
    return path


def _templates() -> list[tuple[str, re.Pattern[str]]]:
    made = {one.path: one for one in routes()}
    return [(path, re.compile(_pattern(one))) for path, one in made.items()]


def _pattern(route: WebRoute) -> str:
    parts = re.split(r"(\{\w+(?::path)?\})", route.path)
    return "".join(
        (".+" if ":path" in one else "[^/]+") if one.startswith("{") else re.escape(one)
        for one in parts
    )
