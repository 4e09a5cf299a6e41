"""Sign-in with a link or key, and sign-out.

A form that was submitted after its session ended is kept during the sign-in.
"""

from __future__ import annotations

from urllib.parse import quote

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from memoranda.clock import SystemClock
from memoranda.exceptions import Unauthenticated
from memoranda.identity.key_format import cookie_name
from memoranda.identity.sessions import StoredSessions
from memoranda.web import forms
from memoranda.web.answers import HEADERS
from memoranda.web.page_frame import Site
from memoranda.web.page_request import Fields, encoded_path
from memoranda.web.renderer import rendered

PATH = "/sign-in"
SEE_OTHER = 303
SECONDS = 12 * 3_600
"""Lifetime of the cookie in seconds; a session may be ended earlier."""


async def shown(request: Request) -> Response:
    """Show the sign-in form.

    A sign-in link only fills in the form, so a prefetch by the browser does not use up the link.
    """
    query = forms.read(request.url.query)
    following = _following(_one(query, "next"))
    return _form(code=_one(query, "code"), following=following)


def challenge(request: Request, form: Fields) -> Response:
    """Show an unauthenticated caller the sign-in page.

    After signing in they continue to the requested page, with what they typed.
    """
    there = encoded_path(request.scope["path"])
    if request.method == "POST":
        message = "You are signed out. Your input is kept: sign in to send it."
        return _form(message=message, following=there, draft=forms.encode_form(form), status=401)
    if request.url.query:
        there += f"?{request.url.query}"
    address = f"{PATH}?next={quote(there, safe='')}"
    if request.headers.get("hx-request") == "true":
        return Response(status_code=401, headers={**HEADERS, "HX-Redirect": address})
    return RedirectResponse(address, SEE_OTHER, HEADERS)


class SignIn:
    """Handles the sign-in form."""

    def __init__(self, sessions: StoredSessions) -> None:
        self._sessions = sessions

    async def answer(self, request: Request) -> Response:
        """Sign in with a key, a token or the secret of a link."""
        body = await request.body()
        return await run_in_threadpool(self._answered, request, forms.read(body))

    def _answered(self, request: Request, form: Fields) -> Response:
        following, draft = _following(_one(form, "next")), _one(form, "kept")
        try:
            session = self._sessions.begin(_one(form, "credential").strip())
        except Unauthenticated as error:
            return _form(message=str(error), following=following, draft=draft, status=401)
        answer: Response = RedirectResponse(following, SEE_OTHER, HEADERS)
        if draft:
            answer = _again(session, following, forms.read(draft))
        answer.set_cookie(
            cookie_name(request.headers["host"]),
            session,
            max_age=SECONDS,
            httponly=True,
            samesite="strict",
            secure=_secure(request),
        )
        return answer


class SignOut:
    """Handles signing out."""

    def __init__(self, sessions: StoredSessions) -> None:
        self._sessions = sessions

    async def answer(self, request: Request) -> Response:
        """Invalidate the browser session, and delete its cookie."""
        body = await request.body()
        return await run_in_threadpool(self._answered, request, forms.read(body))

    def _answered(self, request: Request, form: Fields) -> Response:
        if session := str(request.state.session):
            forms.check(session, form)
            self._sessions.end(session)
        answer = RedirectResponse(PATH, SEE_OTHER, HEADERS)
        answer.delete_cookie(cookie_name(request.headers["host"]))
        return answer


def _secure(request: Request) -> bool:
    """Return whether the browser connected over TLS.

    Behind a proxy, only the browser's Origin header shows this.
    """
    return request.headers.get("origin", "").startswith("https://")


def _one(fields: Fields, name: str) -> str:
    found = fields.get(name, ())
    return found[0] if len(found) == 1 else ""


def _following(path: str) -> str:
    """Return a path of this server for a redirect, or else the start page."""
    own = path.startswith("/") and not path.startswith("//") and path.isascii()
    return path if own and path.isprintable() and "\\" not in path else "/"


def _form(
    *, code: str = "", message: str = "", following: str = "/", draft: str = "", status: int = 200
) -> Response:
    values = {"code": code, "told": message, "following": following, "kept": draft}
    page = rendered("sign-in.html", values, Site(now=SystemClock().now()))
    return HTMLResponse(page, status, HEADERS)


def _again(session: str, action: str, form: Fields) -> Response:
    """Show the signed-in person the previously typed form again, to send it.

    The form is not submitted automatically.
    """
    fields = [(name, value) for name, values in form.items() for value in values]
    site = Site(now=SystemClock().now(), token=forms.token(session))
    return HTMLResponse(
        rendered("kept.html", {"action": action, "fields": fields}, site), 200, HEADERS
    )
