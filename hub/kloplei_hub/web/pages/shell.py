"""What makes pages an app: its manifest, its worker, what is shown offline, and the language."""

from urllib.parse import urlsplit

from flask import Blueprint, Response, abort, jsonify, redirect, request, url_for
from werkzeug.wrappers import Response as AnyResponse

from kloplei.words.catalogue import LANGUAGES
from kloplei_hub.web.access import local
from kloplei_hub.web.context import house, page, say
from kloplei_panel.reader import LANGUAGE_COOKIE, REMEMBERED_S

bp = Blueprint("shell", __name__)
_DARK = "#20150d"
_WORKER = """\
const PAGES = "%(version)s";
self.addEventListener("install", (event) => event.waitUntil(keep()));
self.addEventListener("activate", (event) => event.waitUntil(drop()));
self.addEventListener("fetch", (event) => {
  if (event.request.mode === "navigate") {
    event.respondWith(fetch(event.request).catch(() => caches.match("/offline")));
  } else if (new URL(event.request.url).pathname.match(/^\\/(static|house)\\//)) {
    event.respondWith(fetch(event.request).catch(() => caches.match(event.request)));
  }
});
self.addEventListener("push", (event) => event.waitUntil(tell(event.data.json())));
self.addEventListener("notificationclick", (event) => {
  event.notification.close();
  event.waitUntil(show(event.notification.data));
});
async function tell({ title, body, tag, lang, to }) {
  await self.registration.showNotification(title, {
    body, tag, lang, data: to, renotify: true, icon: "%(icon)s", vibrate: [200, 100, 200],
  });
}
async function show(to) {
  const pages = await self.clients.matchAll({ type: "window" });
  const open = pages.find((page) => new URL(page.url).pathname === to);
  await (open ? open.focus() : self.clients.openWindow(to));
}
async function keep() {
  const kept = await caches.open(PAGES);
  await kept.addAll(%(files)s);
  await self.skipWaiting();
}
async function drop() {
  for (const name of await caches.keys()) if (name !== PAGES) await caches.delete(name);
  await self.clients.claim();
}
"""
"""Nothing but the page that says so is kept: an old score is worse than none.

What is pushed is what `kloplei_hub.pushes.PushNews` says; a call that comes anew rings anew.
"""


@bp.get("/manifest.json")
def manifest() -> Response:
    """Answer with what a phone has to know to install the pages."""
    icons = [("icon.svg", "any", "image/svg+xml"), ("touch-icon.png", "192x192", "image/png")]
    told = jsonify(
        name=house().config.house.name,
        short_name=house().config.house.name[:12].strip(),
        description=say("house.description"),
        id="/",
        start_url="/",
        scope="/",
        display="standalone",
        background_color=_DARK,
        theme_color=_DARK,
        icons=[
            {"src": url_for("static", filename=name), "sizes": sizes, "type": kind}
            for name, sizes, kind in icons
        ],
    )
    told.headers["Cache-Control"] = "no-cache"
    return told


@bp.get("/worker.js")
def worker() -> Response:
    """Answer with the service worker, which keeps what is shown without a network."""
    looks = [
        url_for("static", filename="page-plain.css"),
        url_for("house_static", filename="house.css"),
        url_for("static", filename="fonts/patrick-hand.woff2"),
    ]
    version = "-".join(look.split("/")[2] for look in looks[:2])
    told = Response(
        _WORKER
        % {
            "version": version,
            "files": ["/offline", *looks],
            "icon": url_for("static", filename="touch-icon.png"),
        },
        mimetype="application/javascript",
    )
    told.headers["Cache-Control"] = "no-cache"
    return told


@bp.get("/offline")
def offline() -> Response:
    """Show that there is no network."""
    return page("house/offline.html")


@bp.get("/speak/<language>")
def speak(language: str) -> AnyResponse:
    """Speak that *language* from now on, and go back to where the reader came from."""
    if language not in LANGUAGES:
        abort(404)
    come_from = urlsplit(request.referrer or "")
    is_ours = come_from.netloc == request.host
    answer = redirect(local(come_from.path) if is_ours else "/", 303)
    answer.set_cookie(
        LANGUAGE_COOKIE, language, max_age=REMEMBERED_S, samesite="Lax", httponly=True
    )
    return answer
