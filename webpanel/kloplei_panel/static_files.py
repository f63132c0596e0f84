"""Files that are the same for every phone: read, packed and named once, however many ask.

It is packed at the first question, as small as it gets, and kept. All stylesheets of a page are
one file, ``page-<name>.css``, for nothing is drawn before the last of them is there.
"""

import gzip
import hashlib
import mimetypes
import re
from collections.abc import Mapping
from pathlib import Path

from flask import Flask, Response, request
from werkzeug.exceptions import NotFound

from kloplei.frozen import dataclass
from kloplei_panel.answers import takes_packed

_EVERYWHERE = ("wood", "sides")
STYLES: Mapping[str, tuple[str, ...]] = {
    name: tuple(f"{one}.css" for one in (*_EVERYWHERE, *own))
    for name, own in {
        "plain": (),
        "ask": ("cards",),
        "slate": ("cards", "ledger", "house"),
        "tv": ("ledger", "tv"),
        "doctor": ("doctor",),
        "ears": ("ears",),
        "tune": ("tune",),
        "demo": ("ledger", "house", "demo", "tabletop"),
    }.items()
}
"""The stylesheets of each page, in the order in which a later one overrules those before it."""
_LOOKS = {f"page-{name}.css": name for name in STYLES}
_PACKED_KINDS = ("text/", "image/svg+xml", "application/json", "application/javascript")
_REMARKS = re.compile(rb"/\*.*?\*/\s*", re.DOTALL)
_UNKNOWN = "application/octet-stream"


@dataclass(frozen=True, slots=True)
class SharedFile:
    """One file as it goes out: *plain*, and *packed* by gzip where that makes it smaller."""

    kind: str
    plain: bytes
    packed: bytes | None
    etag: str


class StaticFiles:
    """The files of *folder*, and of its stylesheets those that make a page's look together."""

    def __init__(self, folder: Path) -> None:
        self._parts: dict[str, tuple[Path, ...]] = {
            path.relative_to(folder).as_posix(): (path,)
            for path in folder.rglob("*")
            if path.is_file()
        }
        self._parts |= {
            look: tuple(folder / one for one in STYLES[name]) for look, name in _LOOKS.items()
        }
        self._known: dict[str, tuple[tuple[tuple[int, int], ...], SharedFile]] = {}

    def get(self, name: str) -> SharedFile | None:
        """Return the file of that *name*; it is read again only if it was written since."""
        parts = self._parts.get(name)
        if parts is None:
            return None
        written = tuple((one.stat().st_mtime_ns, one.stat().st_size) for one in parts)
        known = self._known.get(name)
        if known is None or known[0] != written:
            known = self._known[name] = (written, _read(name, parts))
        return known[1]

    def send(self, filename: str) -> Response:
        """Answer with *filename*, packed for who takes that, or that the phone has it already."""
        file = self.get(filename)
        if file is None:
            raise NotFound
        is_packed = file.packed is not None and takes_packed()
        body = file.packed if is_packed else file.plain
        response = Response(body, mimetype=file.kind)
        response.set_etag(f"{file.etag}-gzip" if is_packed else file.etag)
        if is_packed:
            response.headers["Content-Encoding"] = "gzip"
        if file.packed is not None:
            response.headers["Vary"] = "Accept-Encoding"
        # A phone asks each time whether it still has the newest: after an update of the box it
        # would show new pages in old clothes otherwise.
        response.headers["Cache-Control"] = "no-cache"
        response.make_conditional(request)
        return response


def register(app: Flask) -> None:
    """Let *app* serve its files by Flask's own name for them."""
    files = StaticFiles(Path(app.root_path) / "static")
    app.add_url_rule("/static/<path:filename>", "static", files.send)


def _read(name: str, parts: tuple[Path, ...]) -> SharedFile:
    plain = b"\n".join(one.read_bytes() for one in parts)
    if name in _LOOKS:
        # What they say to builders is a tenth of what phones would fetch.
        plain = _REMARKS.sub(b"", plain)
    kind = mimetypes.guess_type(name)[0] or _UNKNOWN
    # Without the time of day in it the same file is the same bytes after every start.
    packed = gzip.compress(plain, mtime=0) if kind.startswith(_PACKED_KINDS) else plain
    etag = hashlib.sha256(plain).hexdigest()[:20]
    return SharedFile(kind, plain, packed if len(packed) < len(plain) else None, etag)
