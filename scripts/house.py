"""Measure the house: rooms, lines, who imports whom; fail where it turns into a maze again.

Run it with ``make house``. What it holds to stands in ``[tool.kloplei.house]`` of pyproject.toml,
the reasons in docs/architecture.md. It reads the sources as text and imports none of them.
"""

import argparse
import ast
import io
import json
import statistics
import sys
import tokenize
import tomllib
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
FOLDERS = ("firmware", "webpanel", "hub")


@dataclass(frozen=True)
class Import:
    """One module names another one, when it is loaded, later, or for the type checker alone."""

    of: str
    only_types: bool


class Module:
    """One file of the house, as far as its shape goes.

    Args:
        path: Where it lies.
        name: What it is imported as.
    """

    def __init__(self, path: Path, name: str) -> None:
        self.path, self.name = path, name
        self.source = path.read_text(encoding="utf-8")
        self.tree = ast.parse(self.source)
        self.is_package = path.name == "__init__.py"
        self.is_private = name.rpartition(".")[2].startswith("_")

    @cached_property
    def lines(self) -> int:
        """Lines of the file."""
        return len(self.source.splitlines())

    @cached_property
    def comments(self) -> int:
        """Lines on which nothing but a comment stands."""
        tokens = tokenize.generate_tokens(io.StringIO(self.source).readline)
        return sum(
            one.type == tokenize.COMMENT and not one.line[: one.start[1]].strip() for one in tokens
        )

    @cached_property
    def counted_lines(self) -> int:
        """Lines that count against the house: own-line comments and packages' paragraphs do not."""
        paragraph = 0
        if self.is_package and ast.get_docstring(self.tree):
            first = self.tree.body[0]
            paragraph = (first.end_lineno or first.lineno) - first.lineno + 1
        return self.lines - self.comments - paragraph

    def public_classes(self) -> Iterator[str]:
        """Yield the classes that others may use."""
        for one in self.tree.body:
            if isinstance(one, ast.ClassDef) and not one.name.startswith("_"):
                yield one.name

    def imports(self, known: Mapping[str, "Module"]) -> Iterator[Import]:
        """Yield the *known* modules that this one names."""
        for node, only_types in _import_statements(self.tree):
            for name in _named(node, known):
                if name in known and name != self.name:
                    yield Import(name, only_types)


def _import_statements(
    tree: ast.AST, *, only_types: bool = False
) -> Iterator[tuple[ast.Import | ast.ImportFrom, bool]]:
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.Import | ast.ImportFrom):
            yield node, only_types
            continue
        guarded = isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"
        yield from _import_statements(node, only_types=only_types or guarded)


def _named(node: ast.Import | ast.ImportFrom, known: Mapping[str, Module]) -> Iterator[str]:
    if isinstance(node, ast.Import):
        yield from (one.name for one in node.names)
        return
    for one in node.names:
        inside = f"{node.module}.{one.name}"
        yield inside if inside in known else str(node.module)


class House:
    """All modules of firmware and panel.

    Args:
        root: The checkout.
    """

    def __init__(self, root: Path) -> None:
        self.modules: dict[str, Module] = {}
        for folder in FOLDERS:
            for path in sorted((root / folder).rglob("*.py")):
                parts = path.relative_to(root / folder).with_suffix("").parts
                name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
                self.modules[name] = Module(path, name)
        self.imports = {
            name: tuple(one.imports(self.modules)) for name, one in self.modules.items()
        }

    @cached_property
    def rooms(self) -> tuple[Module, ...]:
        """The modules without the packages' own files."""
        return tuple(one for one in self.modules.values() if not one.is_package)

    @cached_property
    def importers(self) -> Mapping[str, frozenset[str]]:
        """Who imports each module."""
        found: dict[str, set[str]] = defaultdict(set)
        for name, imports in self.imports.items():
            for one in imports:
                found[one.of].add(name)
        return {name: frozenset(found[name]) for name in self.modules}

    def single_importers(self, registries: Iterable[str]) -> Iterator[tuple[str, str]]:
        """Yield public modules with their only importer, where it is none of *registries*."""
        listing = tuple(registries)
        for one in self.rooms:
            who = self.importers[one.name]
            if len(who) != 1 or one.is_private:
                continue
            (only,) = who
            if not _listed(one.name, only, listing):
                yield one.name, only

    def repeated_classes(self) -> Iterator[tuple[str, tuple[str, ...]]]:
        """Yield public class names that stand in several modules, games' own parts aside."""
        where: dict[str, list[str]] = defaultdict(list)
        for one in self.modules.values():
            if not _of_a_game(one.name):
                for name in one.public_classes():
                    where[name].append(one.name)
        yield from sorted((name, tuple(at)) for name, at in where.items() if len(at) > 1)

    def circles(self, *, with_types: bool) -> Iterator[tuple[str, ...]]:
        """Yield groups of modules that import each other, lazily or not."""
        arrows = {
            name: {one.of for one in imports if with_types or not one.only_types}
            for name, imports in self.imports.items()
        }
        yield from (tuple(sorted(group)) for group in _knots(arrows) if len(group) > 1)


def _listed(name: str, importer: str, registries: tuple[str, ...]) -> bool:
    own = importer == name.rpartition(".")[0] or _of_a_game(importer)
    return importer in registries or (_of_a_game(name) and own)


def _of_a_game(name: str) -> bool:
    parts = name.split(".")
    return parts[:2] == ["kloplei", "games"] and len(parts) > 3


def _knots(arrows: Mapping[str, set[str]]) -> Iterator[set[str]]:
    """Yield the strongly connected components of *arrows* (Tarjan 1972, without recursion)."""
    index: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    for start in arrows:
        if start in index:
            continue
        work = [(start, iter(sorted(arrows[start])))]
        index[start] = low[start] = len(index)
        stack.append(start)
        while work:
            name, rest = work[-1]
            for one in rest:
                if one not in index:
                    index[one] = low[one] = len(index)
                    stack.append(one)
                    work.append((one, iter(sorted(arrows[one]))))
                    break
                if one in stack:
                    low[name] = min(low[name], index[one])
            else:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[name])
                if low[name] == index[name]:
                    at = stack.index(name)
                    yield set(stack[at:])
                    del stack[at:]


def measure(house: House, rules: Mapping[str, Any]) -> dict[str, Any]:
    """Return the figures of *house*, ready for JSON."""
    lines = sorted(one.lines for one in house.rooms)
    return {
        "modules": len(house.rooms),
        "with_packages": len(house.modules),
        "lines": sum(one.lines for one in house.modules.values()),
        "counted_lines": sum(one.counted_lines for one in house.modules.values()),
        "comments_per_100_lines": round(
            100
            * sum(one.comments for one in house.modules.values())
            / sum(one.lines for one in house.modules.values()),
            1,
        ),
        "median_lines": int(statistics.median(lines)),
        "largest": {one.name: one.lines for one in house.rooms if one.lines == lines[-1]},
        "single_importers": dict(house.single_importers(rules["registries"])),
        "repeated_classes": dict(house.repeated_classes()),
        "circles": list(house.circles(with_types=False)),
        "circles_with_types": list(house.circles(with_types=True)),
        "silent_packages": [
            one.name
            for one in house.modules.values()
            if one.is_package and len((ast.get_docstring(one.tree) or "").splitlines()) < 3
        ],
    }


def complaints(house: House, rules: Mapping[str, Any], found: Mapping[str, Any]) -> Iterator[str]:
    """Yield a sentence for each thing that *rules* do not allow."""
    if found["modules"] > rules["most_modules"]:
        yield f"{found['modules']} modules: {rules['most_modules']} are enough for a house."
    for one in house.modules.values():
        if one.lines > rules["longest_module"]:
            yield f"{one.name} has {one.lines} lines: does it still hold one idea?"
    yield from _on_single_importers(rules["alone"], found["single_importers"])
    for name, where in found["repeated_classes"].items():
        yield f"The class {name} stands in {', '.join(where)}: one name, one thing."
    for group in found["circles"]:
        yield f"These import each other: {', '.join(group)}."
    allowed = [set(one) for one in rules["circles_of_types"]]
    for group in found["circles_with_types"]:
        if not any(set(group) <= one for one in allowed):
            yield f"These import each other for their types: {', '.join(group)}."
    for name in found["silent_packages"]:
        yield f"The package {name} does not tell its shape: what comes in, what goes out, who owns."


def _on_single_importers(allowed: Iterable[str], found: Mapping[str, str]) -> Iterator[str]:
    for name, who in found.items():
        if name not in allowed:
            yield f"{name} serves {who} alone: let it stand inside, or begin with an underscore."
    for name in allowed:
        if name not in found:
            yield f"{name} is not alone any more: take it off the list in pyproject.toml."


def main() -> int:
    """Print the table, and what is wrong; return 1 if something is."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true", help="print the figures as JSON")
    parser.add_argument("--root", type=Path, default=ROOT, help="another checkout")
    told = parser.parse_args()
    rules = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["kloplei"]["house"]
    house = House(told.root)
    found = measure(house, rules)
    if told.json:
        print(json.dumps(found, indent=1))
    else:
        _show(found)
    wrong = list(complaints(house, rules, found))
    for one in wrong:
        print(one, file=sys.stderr)
    return 1 if wrong else 0


def _show(found: Mapping[str, Any]) -> None:
    for name, value in found.items():
        shown = value
        if isinstance(value, list | dict) and name != "largest":
            shown = len(value)
        print(f"{name.replace('_', ' '):26} {shown}")


if __name__ == "__main__":
    sys.exit(main())
