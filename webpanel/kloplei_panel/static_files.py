"""Files that are the same for every phone: read, packed and named once, however many ask.

It is packed at the first question, as small as it gets, and kept. All stylesheets of a page are
one file, ``page-<name>.css``, for nothing is drawn before the last of them is there; so is a script
with all that it imports, for each of them brings a head of its own, and is asked for in its turn.

Pages name them with the version of all of them in the address: what stands there never changes, so
that no phone asks for it again, and after an upgrade new pages bring new addresses. A page from
before it finds the newest under its old ones.
"""

import gzip
import hashlib
import mimetypes
import re
import time
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

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
        "slate": ("cards", "ledger", "house", "answer"),
        "tv": ("ledger", "tv", "stage"),
        "overlay": ("overlay",),
        "help": ("help",),
        "doctor": ("doctor",),
        "ears": ("ears",),
        "tune": ("tune",),
        "voice": ("voice",),
        "history": ("history",),
        "show": ("show",),
        "demo": ("ledger", "house", "demo", "tabletop"),
    }.items()
}
"""The stylesheets of each page, in the order in which a later one overrules those before it."""
_LOOKS = {f"page-{name}.css": name for name in STYLES}
_PACKED_KINDS = ("text/", "image/svg+xml", "application/json", "application/javascript")
_REMARKS = re.compile(rb"/\*.*?\*/\s*", re.DOTALL)
_LINES_OF_REMARKS = re.compile(rb"^\s*//.*\n", re.MULTILINE)
_IMPORT = re.compile(rb'^import .*"\./([\w.]+)";\n', re.MULTILINE)
_UNKNOWN = "application/octet-stream"
_VERSION = re.compile(r"v[0-9a-f]{12}$")
# Files are written anew beneath builders and an upgrade; a page names some dozen of them.
_LOOK_S = 1.0
_FOR_GOOD = "public, max-age=31536000, immutable"
Stamps = tuple[tuple[int, int], ...]
"""When each of some files was written, and how large it is."""


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
        self._paths = tuple(sorted(path for path in folder.rglob("*") if path.is_file()))
        self._parts: dict[str, tuple[Path, ...]] = {
            path.relative_to(folder).as_posix(): (path,) for path in self._paths
        }
        self._parts |= {
            look: tuple(folder / one for one in STYLES[name]) for look, name in _LOOKS.items()
        }
        self._parts |= {one.name: tuple(_with_imports(one)) for one in folder.glob("*.js")}
        self._known: dict[str, tuple[Stamps, SharedFile]] = {}
        self._version: tuple[float, Stamps, str] | None = None

    @property
    def version(self) -> str:
        """The name of what all files say now."""
        now_s, known = time.monotonic(), self._version
        if known is None or now_s - known[0] >= _LOOK_S:
            try:
                stamps = _stamps(self._paths)
                same = known[2] if known and known[1] == stamps else _sum_of(self._paths)
                known = self._version = now_s, stamps, same
            except FileNotFoundError:
                # An update takes files away before it brings the new ones.
                if known is None:
                    raise
        return known[2]

    def get(self, name: str) -> SharedFile | None:
        """Return the file of that *name*; it is read again only if it was written since."""
        parts = self._parts.get(name)
        if parts is None:
            return None
        known = self._known.get(name)
        with suppress(FileNotFoundError):  # in an update; what was sent before will do
            written = _stamps(parts)
            if known is None or known[0] != written:
                known = self._known[name] = (written, _read(name, parts))
        return known and known[1]

    def send(self, filename: str) -> Response:
        """Answer with *filename*, packed for who takes that, or that the phone has it already.

        Before it may stand a version.
        """
        version, _, name = filename.partition("/")
        is_versioned = bool(name) and _VERSION.match(version) is not None
        file = self.get(name if is_versioned else filename)
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
        # Under any other address a phone asks each time whether it still has the newest: after an
        # update of the box it would show new pages in old clothes otherwise.
        is_newest = is_versioned and version == self.version
        response.headers["Cache-Control"] = _FOR_GOOD if is_newest else "no-cache"
        response.make_conditional(request)
        return response


def register(app: Flask) -> None:
    """Let *app* serve its files by Flask's own name for them."""
    files = StaticFiles(Path(app.root_path) / "static")
    app.add_url_rule("/static/<path:filename>", "static", files.send)

    @app.url_defaults
    def name_version(endpoint: str, values: dict[str, Any]) -> None:
        if endpoint == "static":
            values["filename"] = f"{files.version}/{values['filename']}"


def _stamps(paths: Iterable[Path]) -> Stamps:
    found = (one.stat() for one in paths)
    return tuple((one.st_mtime_ns, one.st_size) for one in found)


def _sum_of(paths: Iterable[Path]) -> str:
    told = hashlib.sha256()
    for one in paths:
        told.update(f"{one.name} {one.stat().st_size} ".encode() + one.read_bytes())
    return f"v{told.hexdigest()[:12]}"


def _with_imports(script: Path) -> dict[Path, None]:
    """Return *script* behind all that it imports, each of them once, in the order they run in."""
    found: dict[Path, None] = {}
    for one in _IMPORT.findall(script.read_bytes()):
        found |= _with_imports(script.with_name(one.decode()))
    return {**found, script: None}


def _read(name: str, parts: tuple[Path, ...]) -> SharedFile:
    plain = b"\n".join(one.read_bytes() for one in parts)
    if name in _LOOKS:
        # What they say to builders is a tenth of what phones would fetch.
        plain = _REMARKS.sub(b"", plain)
    elif name.endswith(".js"):
        plain = _LINES_OF_REMARKS.sub(b"", _IMPORT.sub(b"", plain))
    kind = mimetypes.guess_type(name)[0] or _UNKNOWN
    # Without the time of day in it the same file is the same bytes after every start.
    packed = gzip.compress(plain, mtime=0) if kind.startswith(_PACKED_KINDS) else plain
    etag = hashlib.sha256(plain).hexdigest()[:20]
    return SharedFile(kind, plain, packed if len(packed) < len(plain) else None, etag)
