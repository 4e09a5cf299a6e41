"""HTTP routes of the web interface: sign-in, then the page's module."""

from __future__ import annotations

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, RedirectResponse, Response
from starlette.routing import Route

from memoranda.api.service import Service
from memoranda.exceptions import MemorandaError
from memoranda.identity.principal import Principal
from memoranda.web import assets, forms, sign_in
from memoranda.web.answers import HEADERS, Confirm, Done, Download, Redirect, View
from memoranda.web.error_pages import error_page_values
from memoranda.web.page_frame import site_of
from memoranda.web.page_request import PageRequest, encoded_path
from memoranda.web.registry import MenuPage, WebRoute, routes, segments
from memoranda.web.renderer import rendered

SIGN_IN, SIGN_OUT = "/sign-in", "/sign-out"
SEE_OTHER = 303
NOTICE_COOKIE = "memoranda-notice"
"""Cookie with the message for the next page."""
NOTICE_SECONDS = 60
SEGMENTS = segments([SIGN_IN, SIGN_OUT, assets.STATIC])


class PageEndpoint:
    """Handles the paths of one route."""

    def __init__(self, service: Service, route: WebRoute) -> None:
        self._service = service
        self._route = route

    async def answer(self, request: Request) -> Response:
        """Return a page, or a redirect."""
        body = await request.body()
        return await run_in_threadpool(self._answered, request, body)

    def _answered(self, request: Request, body: bytes) -> Response:
        who: Principal | None = request.state.principal
        if who is None:
            return sign_in.challenge(request, forms.read(body))
        query = forms.read(request.url.query)
        page_request = PageRequest(
            self._service,
            who,
            encoded_path(request.scope["path"]),
            request.path_params,
            query,
            forms.read(body),
        )
        try:
            return self._carried_out(request, page_request)
        except MemorandaError as error:
            if error.http_status >= 500:
                raise  # reported by the guards and the log
            values = error_page_values(error, str(request.state.request_id), form=page_request.form)
            view = View("trouble.html", values, error.http_status)
            return _shown(request, page_request, self._route.page, view)

    def _carried_out(self, request: Request, page_request: PageRequest) -> Response:
        session = str(request.state.session)
        if self._route.method == "POST":
            forms.check(session, page_request.form)
        answer = self._route.answer(page_request)
        if isinstance(answer, Redirect):
            return RedirectResponse(answer.to, SEE_OTHER, HEADERS)
        if isinstance(answer, Download):
            return _download(answer)
        if isinstance(answer, Done):
            return _continued(request, session, answer)
        view = answer.view if isinstance(answer, Confirm) else answer
        return _shown(request, page_request, self._route.page, view)


def http_routes(service: Service) -> list[Route]:
    """Return the routes of all paths of the web page.

    Guards store the caller as ``request.state.principal``, None for an unauthenticated caller, and
    the browser's session as ``request.state.session``.
    """
    sessions = service.home.sessions
    return [
        *(
            Route(route.path, PageEndpoint(service, route).answer, methods=[route.method])
            for route in routes()
        ),
        Route(SIGN_IN, sign_in.shown),
        Route(SIGN_IN, sign_in.SignIn(sessions).answer, methods=["POST"]),
        Route(SIGN_OUT, sign_in.SignOut(sessions).answer, methods=["POST"]),
        Route(f"{assets.STATIC}/{{release}}/{{name:path}}", _static),
    ]


def paths() -> frozenset[str]:
    """Return the first segments of the paths of the web interface."""
    return segments([route.path for route in routes()]) | SEGMENTS


def _shown(
    request: Request, page_request: PageRequest, page: MenuPage | None, view: View
) -> Response:
    session = str(request.state.session)
    name = f"{NOTICE_COOKIE}-{_mark(request)}"
    cookie = request.cookies.get(name)
    flash = forms.read_flash(session, cookie) if cookie else None
    text = rendered(view.template, view.values, site_of(page_request, session, page, flash))
    answer = HTMLResponse(text, view.status, HEADERS)
    if cookie:
        answer.delete_cookie(name)
    return answer


def _continued(request: Request, session: str, done: Done) -> Response:
    answer = RedirectResponse(done.to, SEE_OTHER, HEADERS)
    answer.set_cookie(
        f"{NOTICE_COOKIE}-{_mark(request)}",
        forms.flash_value(session, done),
        max_age=NOTICE_SECONDS,
        httponly=True,
        samesite="strict",
    )
    return answer


def _download(text: Download) -> Response:
    saved = {"Content-Disposition": f'attachment; filename="{text.name}"'}
    content = text.content.encode("utf-8", "replace")
    return PlainTextResponse(content, headers={**HEADERS, **saved})


def _mark(request: Request) -> str:
    """Return an identifier of this server for its cookies.

    The identifier distinguishes servers on different ports of one machine, because browsers send
    cookies to all ports.
    """
    return request.headers["host"].rpartition(":")[2].rstrip("]") or "0"


async def _static(request: Request) -> Response:
    asset = assets.assets().get(request.path_params["name"])
    if asset is None or request.path_params["release"] != assets.release():
        return Response(status_code=404)
    headers = {"Cache-Control": "public, max-age=31536000, immutable", "Vary": "Accept-Encoding"}
    if not _takes_gzip(request):
        return Response(asset.data, headers=headers, media_type=asset.kind)
    return Response(
        asset.packed, headers={**headers, "Content-Encoding": "gzip"}, media_type=asset.kind
    )


def _takes_gzip(request: Request) -> bool:
    """Return whether a browser accepts gzip.

    An entry with a quality value does not count, since ``q=0`` means refusal.
    """
    encodings = request.headers.get("accept-encoding", "").lower().split(",")
    return any(encoding.strip() == "gzip" for encoding in encodings)
