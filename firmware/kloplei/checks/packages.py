"""What to type where a Python package is missing: apt reaches most environments, but not all."""

import sys
from pathlib import Path

from kloplei.checks.findings import bad
from kloplei.table.doctor import Finding

_OPEN = "include-system-site-packages = true"


def own_pip(prefix: str = sys.prefix, base_prefix: str = sys.base_prefix) -> str | None:
    """Return the pip of this environment if it does not see what apt installs, else None."""
    if prefix == base_prefix:
        return None
    try:
        written = (Path(prefix) / "pyvenv.cfg").read_text(encoding="utf-8")
    except OSError:
        return None
    return None if _OPEN in written.lower() else f"{prefix}/bin/pip"


def missing(part: str, key: str, package: str, on_pypi: str, pip: str | None) -> Finding:
    """Return that *part* lacks *package*, as apt calls it, and how it comes here.

    Args:
        part: What lacks it.
        key: The sentence that says so.
        package: Its name at the distribution.
        on_pypi: Its name at PyPI.
        pip: As `own_pip` returns it.
    """
    if pip is None:
        return bad(part, key, "do.install", package=package)
    return bad(part, key, "do.install-here", package=package, pip=pip, name=on_pypi)
