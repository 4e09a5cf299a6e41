"""Guards of the web interface by raw socket: cookies, forms, origins."""

from __future__ import annotations

import gzip
import threading
import time
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from urllib.parse import quote, urlencode

import pytest

import serving
from memoranda.api.server.app import Interfaces
from memoranda.api.server.mounts import doors
from memoranda.api.service import Service
from memoranda.config import load_settings
from memoranda.exceptions import Conflict
from memoranda.identity.principal import owner
from memoranda.web import assets, registry
from memoranda.web.answers import Answer as Shown, Done, Undo
from memoranda.web.forms import TOKEN, token
from memoranda.web.page_request import PageRequest
from memoranda.web.registry import acts
from serving import Answer, InProcess, head, raw
from tables import each

pytestmark = pytest.mark.integration
FORM = "application/x-www-form-urlencoded"


def remembered(request: PageRequest) -> Shown:
    """Handle a change, in place of a real page."""
    if request.text("statement") == "twice":
        raise Conflict("it is there already")
    made = request.call("remember", statement=request.text("statement"), workspace="shop")
    return Done(request.link("/search", q="x"), "It is kept.", Undo("/search", {"id": made["id"]}))


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    folder = tmp_path_factory.mktemp("web-guards") / "data"
    opened = Service(load_settings({"data_dir": folder}, {}))
    yield opened
    opened.close()


@pytest.fixture(scope="module")
def opened(service: Service) -> Interfaces:
    with pytest.MonkeyPatch.context() as patch:
        route = registry.WebRoute("POST", "/search", remembered)
        found = (*registry.routes(), acts("/search", route.answer))
        patch.setattr("memoranda.web.dispatcher.routes", lambda: found)
        return doors(service)


@pytest.fixture(scope="module")
def server(service: Service, opened: Interfaces) -> Iterator[InProcess]:
    made = InProcess(service, opened, failures=10_000.0)
    yield made
    made.close()


@pytest.fixture(scope="module")
def key(service: Service) -> str:
    """Return a key of a member."""
    return service.memory(owner()).tokens.create("member", subject="ada").secret


@pytest.fixture
def session(service: Service, server: InProcess) -> str:
    """Return the session of a signed-in browser."""
    return service.home.sessions.begin(local(service))


def local(service: Service) -> str:
    service.home.authenticator  # noqa: B018 - makes the token
    return (service.settings.data_dir / "token").read_text().strip()


def get(server: InProcess, path: str, session: str = "", **more: str) -> Answer:
    headers = {"Host": server.host, "Connection": "close"}
    headers |= {"Cookie": cookie(server, session)} if session else {}
    return raw(server.port, head("GET", path, **(headers | more)))


def cookie(server: InProcess, session: str) -> str:
    return f"memoranda-{server.port}={session}"


def post(
    server: InProcess, path: str, fields: dict[str, str], session: str = "", **more: str | None
) -> Answer:
    body = urlencode(fields).encode()
    headers: dict[str, str | None] = {
        "Host": server.host, "Connection": "close", "Origin": f"http://{server.host}",
        "Content_Type": FORM, "Content_Length": str(len(body)),
    }  # fmt: skip
    headers |= {"Cookie": cookie(server, session)} if session else {}
    headers_sent = {name: value for name, value in (headers | more).items() if value is not None}
    return raw(server.port, head("POST", path, **headers_sent) + body)


def change(server: InProcess, session: str, text: str, **more: str | None) -> Answer:
    return post(server, "/search", {"statement": text, TOKEN: token(session)}, session, **more)


def test_a_form_of_the_own_page_is_processed_and_reported_once(
    server: InProcess, session: str
) -> None:
    done = change(server, session, "Prices are net.")
    assert (done.status, done.headers["location"]) == (303, "/search?q=x")
    name, _, rest = done.headers["set-cookie"].partition("=")
    assert name == f"memoranda-notice-{server.port}"
    assert "HttpOnly" in rest
    both = f"{cookie(server, session)}; {name}={rest.partition(';')[0]}"
    result = get(server, "/search?q=x", Cookie=both)
    assert b"It is kept." in result.body
    assert b"Undo" in result.body
    assert "Max-Age=0" in result.headers["set-cookie"]
    forged = f"{cookie(server, session)}; {name}=e30=.{'A' * 43}"
    assert b"It is kept." not in get(server, "/search?q=x", Cookie=forged).body


ORIGINS = {
    "own": ("http://127.0.0.1:{}", True),
    "other name": ("http://localhost:{}", False),
    "null": ("null", False),
    "foreign": ("https://evil.example", False),
    "absent": (None, False),
}
SITES = {
    "absent": None,
    "same-origin": True,
    "same-site": False,
    "cross-site": False,
    "none": False,
}
KINDS = {FORM: True, "application/json": False, "text/plain": False, "multipart/form-data": False}


@each(("origin", "site", "kind"), [*product(ORIGINS, SITES, KINDS)])
def test_a_form_counts_only_from_ones_own_page(
    server: InProcess, session: str, origin: str, site: str, kind: str
) -> None:
    message, own = ORIGINS[origin]
    fits = (own or message is None) and SITES[site] is not False
    fits = fits and (own or SITES[site] is True) and KINDS[kind]
    result = change(
        server, session, f"{origin} {site} {kind}",
        Origin=message.format(server.port) if message else None,
        Sec_Fetch_Site=None if site == "absent" else site,
        Content_Type=kind,
    )  # fmt: skip
    assert result.status == (303 if fits else result.status)
    assert fits or result.status in (403, 415)


def test_a_form_without_the_token_of_its_session_does_nothing(
    server: InProcess, service: Service, session: str
) -> None:
    another = service.home.sessions.begin(local(service))
    for values in ({}, {TOKEN: ""}, {TOKEN: token(another)}, {TOKEN: token(session) + "x"}):
        result = post(server, "/search", {"statement": "unheard", **values}, session)
        assert result.status == 403
        assert b"unheard" in result.body, "what was typed is given back"
    assert service.memory(owner()).search("unheard").hits == ()


def test_an_error_explains_what_to_do_and_returns_the_input(
    server: InProcess, session: str
) -> None:
    result = change(server, session, "twice")
    assert result.status == 409
    for part in (b"It is there already", b"conflict", b"Reload the page", b"twice"):
        assert part in result.body


@pytest.mark.parametrize(
    ("method", "path"),
    [("GET", "/api/v1/workspaces"), ("POST", "/rpc"), ("GET", "/metrics"), ("POST", "/mcp"),
     ("POST", "/api/v1/events"), ("GET", "/api/v1/openapi.json"), ("GET", "/nothing")],
)  # fmt: skip
def test_what_a_browser_shows_is_good_for_nothing_elsewhere(
    server: InProcess, session: str, method: str, path: str
) -> None:
    own = {"Sec_Fetch_Site": "same-origin", "Origin": f"http://{server.host}"}
    by_cookie = server.send(method, path, b"{}" if method == "POST" else None, key="",
                            Cookie=cookie(server, session), **own)  # fmt: skip
    assert by_cookie.status == 401
    assert server.send(method, path, b"{}" if method == "POST" else None, key=session).status == 401


def test_events_are_sent_only_to_a_page_of_this_server(server: InProcess, session: str) -> None:
    shown = {"Cookie": cookie(server, session)}
    for site in ("cross-site", "same-site", "none", None):
        more = {"Sec_Fetch_Site": site} if site else {}
        response = server.send("GET", "/api/v1/events?x=1", key="", **shown, **more)
        assert response.status == 401
    own = server.send("GET", "/api/v1/events?x=1", key="", Sec_Fetch_Site="same-origin", **shown)
    assert own.status == 422, "let in, and the query refused"
    nobody = server.send("GET", "/api/v1/events", key="", Sec_Fetch_Site="same-origin")
    assert nobody.status == 401


def test_keys_and_tokens_do_not_open_pages(server: InProcess, service: Service) -> None:
    for key in ("key-of-ada", local(service)):
        response = server.send("GET", "/", key=key)
        assert (response.status, response.headers["location"]) == (303, "/sign-in?next=%2F")


def test_strangers_see_the_form_and_its_styles(server: InProcess) -> None:
    assert (
        get(server, "/search?q=a%20b").headers["location"]
        == "/sign-in?next=%2Fsearch%3Fq%3Da%2520b"
    )
    form = get(server, "/sign-in")
    assert form.status == 200
    assert form.headers["cache-control"] == "no-store"
    assert "script-src 'self'" in form.headers["content-security-policy"]
    style = form.body.split(b'<link rel="stylesheet" href="')[1].split(b'"')[0].decode()
    result = get(server, style)
    assert result.headers["cache-control"] == "public, max-age=31536000, immutable"
    assert result.headers["content-type"].startswith("text/css")
    for wrong in (style.replace(".css", ".txt"), "/static/0/tokens.css", "/static/x/../app.py"):
        assert get(server, wrong).status == 404


@pytest.mark.parametrize(
    "place",
    ["https://evil.example", "//evil.example", "/\\evil.example", "javascript:x", "", "/\r\nx"],
)
def test_signing_in_leads_nowhere_else(server: InProcess, service: Service, place: str) -> None:
    form = {"credential": local(service), "next": place}
    assert post(server, "/sign-in", form).headers["location"] == "/"


def test_typed_text_is_restored_after_a_session_ends(
    server: InProcess, service: Service, session: str
) -> None:
    service.home.sessions.end(session)
    result = change(server, session, "Ünsent & long")
    assert result.status == 401
    assert b"kept" in result.body
    kept = urlencode({"statement": "Ünsent & long"})
    form = {"credential": local(service), "next": "/search", "kept": kept}
    again = post(server, "/sign-in", form)
    assert again.status == 200
    assert "Ünsent &amp; long" in again.body.decode()
    assert 'action="/search"' in again.body.decode()
    assert service.memory(owner()).search("Ünsent").hits == ()


def test_a_part_of_a_page_leads_the_whole_page_to_the_form(server: InProcess) -> None:
    result = get(server, "/search?q=x", HX_Request="true")
    assert (result.status, result.headers["hx-redirect"]) == (
        401,
        "/sign-in?next=" + quote("/search?q=x", ""),
    )


def test_strangers_may_not_send_much(server: InProcess) -> None:
    assert post(server, "/sign-in", {"credential": "x" * 250_000}).status == 413


def test_wrong_keys_in_the_form_are_counted(service: Service, opened: Interfaces, key: str) -> None:
    server = InProcess(service, opened, failures=3.0)
    try:
        statuses = [post(server, "/sign-in", {"credential": f"no {n}"}).status for n in range(5)]
        assert statuses == [401, 401, 401, 429, 429]
        assert server.send("GET", "/readyz", key="wrong").status == 429
    finally:
        server.close()


def test_a_page_over_tls_gives_a_cookie_for_tls_alone(
    service: Service, opened: Interfaces, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A TLS proxy is in front, under an allowed origin."""
    monkeypatch.setattr(serving, "local_origins", lambda port: {f"https://127.0.0.1:{port}"})
    server = InProcess(service, opened)
    try:
        form, origin = {"credential": local(service)}, f"https://{server.host}"
        result = post(server, "/sign-in", form, Origin=origin)
        assert "Secure" in result.headers["set-cookie"]
    finally:
        server.close()


def test_errors_are_pages_for_people_and_problems_for_programs(server: InProcess) -> None:
    result = get(server, "/nothing", Accept="text/html")
    assert result.headers["content-type"].startswith("text/html")
    assert b"Page not found" in result.body
    assert get(server, "/nothing", Accept="*/*").code == "unauthenticated"


def test_a_session_is_listed_and_revoked_like_a_key(
    server: InProcess, service: Service, key: str
) -> None:
    memory = service.memory(owner())
    session = service.home.sessions.begin(key)
    assert get(server, "/search", session).status == 200
    found = [one for one in memory.tokens.list() if one.kind == "session" and one.subject == "ada"]
    memory.tokens.revoke(found[0].id)
    assert get(server, "/search", session).status == 303


def test_a_session_ends_with_its_key_and_its_token_file(tmp_path: Path) -> None:
    service = Service(load_settings({"data_dir": tmp_path / "data"}, {}))
    server = InProcess(service, doors(service))
    try:
        memory, sessions = service.memory(owner()), service.home.sessions
        made = memory.tokens.create("reader", subject="eve")
        of_key, of_owner = sessions.begin(made.secret), sessions.begin(local(service))
        assert [get(server, "/", one).status for one in (of_key, of_owner)] == [200, 200]
        memory.tokens.revoke(made.credential.id)
        assert [get(server, "/", one).status for one in (of_key, of_owner)] == [303, 200]
        file = service.settings.data_dir / "token"
        file.write_text("meml_" + "b" * 43 + "\n")
        service.home.secrets.known.forget()
        assert get(server, "/", of_owner).status == 303
    finally:
        server.close()
        service.close()


def test_events_end_with_the_session(server: InProcess, service: Service) -> None:
    session = service.home.sessions.begin(local(service))
    shown = {"Cookie": cookie(server, session), "Sec_Fetch_Site": "same-origin"}
    heard: list[bytes] = []

    def listen() -> None:
        heard.append(server.send("GET", "/api/v1/events", key="", **shown).body)

    listener = threading.Thread(target=listen)
    listener.start()
    time.sleep(1.0)
    assert listener.is_alive()
    service.home.sessions.end(session)
    listener.join(12)
    assert [body.endswith(b"0\r\n\r\n") for body in heard] == [True], "ended, not broken off"
    assert server.send("GET", "/api/v1/events", key="", **shown).status == 401


def test_a_missing_page_is_reported_to_signed_in_callers(server: InProcess, session: str) -> None:
    for path in ("/nothing", "/tasks/1/nothing", "/api/v1/workspaces", "/rpc"):
        result = get(server, path, session, Accept="text/html")
        assert result.status == 404, path
        assert b"Page not found" in result.body
        assert b"Sign in" not in result.body
    over = get(server, "/nothing", session[:-1] + "x", Accept="text/html")
    assert over.status == 401
    both = {"Accept": "text/html", "Cookie": cookie(server, session)}
    assert server.send("GET", "/nothing", key="unknown", **both).status == 401


def test_files_are_packed_for_browsers_that_take_it(server: InProcess) -> None:
    path = assets.address("vendored/htmx.min.js")
    plain, packed = get(server, path), get(server, path, Accept_Encoding="br, gzip")
    assert packed.headers["content-encoding"] == "gzip"
    assert gzip.decompress(packed.body) == plain.body
    assert len(packed.body) < len(plain.body) / 2
    assert {one.headers["vary"] for one in (plain, packed)} == {"Accept-Encoding"}
    assert "content-encoding" not in plain.headers
    refused = get(server, path, Accept_Encoding="gzip;q=0")
    assert refused.body == plain.body


def test_every_address_that_only_forms_go_to_leads_on(server: InProcess, session: str) -> None:
    read = {one.path for one in registry.routes() if one.method == "GET"}
    for route in registry.routes():
        assert route.path in read, route
    for path, above in (
        ("/observations/1%2342/hold", "/observations/1%2342"),
        ("/journal/verify?workspace=a%26b", "/journal?workspace=a%26b"),
        ("/tasks/1/checkpoints/2/fork", "/tasks/1/checkpoints/2"),
        ("/errors/refine", "/errors"),
        ("/privacy/forget", "/privacy"),
    ):
        result = get(server, path, session)
        assert (result.status, result.headers["location"]) == (303, above)
