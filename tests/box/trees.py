"""Debian systems in folders, made once and kept: what the boxes under test are booted from."""

import hashlib
import os
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest

CACHE = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "kloplei-box"
MIRROR = "http://deb.debian.org/debian"
RELEASES = ("bookworm", "trixie")

# What Raspberry Pi OS Lite has of it anyway.
_BOOTED = "systemd,systemd-sysv,dbus,udev,python3,ca-certificates,procps,passwd"

_PIPS = ("PIP_CERT", "PIP_INDEX_URL", "SSL_CERT_FILE", "SSL_CERT_DIR")


def booted_tree(
    release: str, *packages: Path, called: str = "booted", besides: Sequence[str] = ()
) -> Path:
    """Return a bare *release* that boots, with what *packages* ask for fetched, not installed.

    So are those of Debian's packages that are named *besides*.
    """
    tree = CACHE / f"{release}-{called}"
    _make(tree, f"--include={_BOOTED}", release)
    # The box under test has no network, as many a pub.
    if _mark(tree).read_text() != (asked := _digest(*packages, besides=besides)):
        shown = [f"/srv/{one.name}" for one in packages]
        for package in packages:
            shutil.copy(package, tree / "srv")
        inside(tree, "apt-get", "update", "-qq")
        inside(tree, *["apt-get", "install", "-y", "-qq", "--download-only"], *shown, *besides)
        for one in shown:
            (tree / one.lstrip("/")).unlink()
        _mark(tree).write_text(asked)
    return tree


def unpacked_tree(release: str, machine: str, package: Path) -> Path:
    """Return *release* for another *machine*, with what *package* asks for, none of it set up.

    Unpacking takes seconds where installing under emulation would take many minutes.
    """
    tree = CACHE / f"{release}-{machine}"
    if tree.exists() and _mark(tree).read_text() != _digest(package):
        shutil.rmtree(tree)
    wanted = ",".join(["python3", *_asked(package)])
    _make(tree, f"--include={wanted}", "--variant=extract", f"--architecture={machine}", release)
    # A system that is set up has these; programs name their loader by them.
    for name in ("bin", "lib", "sbin"):
        if not (tree / name).exists():
            (tree / name).symlink_to(f"usr/{name}")
    _mark(tree).write_text(_digest(package))
    return tree


def inside(tree: Path, *command: str) -> None:
    """Run *command* in *tree*, with this machine's network; fail with what it printed.

    Whom pip trusts, and where it looks, is this machine's affair too.
    """
    trusted = [
        f"--bind-ro={one}" for one in ("/etc/ssl/certs", "/etc/pip.conf") if Path(one).exists()
    ]
    told = [f"--setenv={name}={os.environ[name]}" for name in _PIPS if name in os.environ]
    _run(
        *("systemd-nspawn", *trusted, *told, "--quiet", "--register=no", "--keep-unit", "--pipe"),
        *("--setenv=DEBIAN_FRONTEND=noninteractive", "-D", str(tree), *command),
    )


def _make(tree: Path, *how: str) -> None:
    if tree.exists():
        return
    tree.parent.mkdir(parents=True, exist_ok=True)
    half = tree.with_name(f"{tree.name}.{os.getpid()}")
    variant = () if any(one.startswith("--variant") for one in how) else ("--variant=minbase",)
    _run("mmdebstrap", "--mode=root", *variant, *how, str(half), MIRROR)
    # Each box is called and known by its own name.
    for name in ("etc/hostname", "etc/machine-id"):
        (half / name).unlink(missing_ok=True)
    _mark(half).write_text("")
    half.rename(tree)


def _mark(tree: Path) -> Path:
    return tree / ".fetched-for"


def _digest(*packages: Path, besides: Sequence[str] = ()) -> str:
    asked = "".join([*(_field(package, "Depends") for package in packages), *besides])
    return hashlib.sha256(asked.encode()).hexdigest()


def _asked(package: Path) -> list[str]:
    """Return the Debian packages that *package* asks for, the first of each choice."""
    first = (one.split("|")[0] for one in _field(package, "Depends").split(","))
    names = [one.split("(")[0].split(":")[0].strip() for one in first]
    return [one for one in names if one != "systemd"]


def _field(package: Path, name: str) -> str:
    return _run("dpkg-deb", "-f", str(package), name).strip()


def _run(*command: str) -> str:
    done = subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL)
    if done.returncode:
        pytest.fail(f"{' '.join(command)}:\n{done.stdout}{done.stderr}"[-4000:], pytrace=False)
    return done.stdout
