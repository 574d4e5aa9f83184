"""Measures what the tests notice: changes one line of the package, runs the tests that concern it, and counts.

`choose` writes a list of mutants, drawn by a fixed seed; `run` tries them. A mutant is known by its file and the
hash of its line, so that a list that was drawn from an older revision can be tried again on a newer one::

    python -m benchmarks.mutants choose --count 300 mutants.jsonl
    python -m benchmarks.mutants run --root ../another-worktree mutants.jsonl results.jsonl
    python -m benchmarks.mutants run --only-killed results.jsonl mutants.jsonl again.jsonl

`run` changes files of the worktree that you name and puts them back; nothing else may work there meanwhile. A list
of results that exists is continued.
"""

import argparse
import ast
import hashlib
import json
import os
import random
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Literal

SEED = 17
LEFT_OUT = ("assistant/models/demo/",)
"""The embedded model's word lists are judged by scores, not by single lines."""
EVERYWHERE = ("conversation", "turn", "prompts", "tools", "formats", "language")
"""Packages whose mistakes the conversations in `tests/turn` show as well."""

Operator = Literal["comparison", "negation", "constant", "statement", "branch"]
Result = Literal["killed", "survived", "timeout", "gone"]

_FLIPPED: Mapping[type[ast.cmpop], str] = {
    ast.Eq: "!=",
    ast.NotEq: "==",
    ast.Lt: ">=",
    ast.GtE: "<",
    ast.Gt: "<=",
    ast.LtE: ">",
    ast.In: "not in",
    ast.NotIn: "in",
    ast.Is: "is not",
    ast.IsNot: "is",
}


@dataclass(frozen=True, slots=True)
class Mutant:
    """One changed line. ``old`` and ``new`` have no indentation; ``hash`` is that of ``old``."""

    file: str
    line: int
    hash: str
    operator: Operator
    old: str
    new: str


def line_hash(line: str) -> str:
    """Identifies a line by its text, whatever its indentation."""
    return hashlib.sha256(line.strip().encode()).hexdigest()[:12]


def mutants_of(file: str, source: str) -> list[Mutant]:
    """All mutants of a file, each of a single line."""
    lines = source.encode().split(b"\n")
    found: list[Mutant] = []
    for operator, node, new in _changes(ast.parse(source)):
        if node.lineno != node.end_lineno:
            continue
        whole = lines[node.lineno - 1]
        changed = whole[: node.col_offset] + new.encode() + whole[node.end_col_offset :]
        old = whole.decode().strip()
        found.append(Mutant(file, node.lineno, line_hash(old), operator, old, changed.decode().strip()))
    return found


def _changes(tree: ast.Module) -> Iterator[tuple[Operator, ast.expr | ast.stmt, str]]:
    for node in ast.walk(tree):
        match node:
            case ast.Compare(left=left, ops=[op], comparators=[right]):
                yield "comparison", node, f"{ast.unparse(left)} {_FLIPPED[type(op)]} {ast.unparse(right)}"
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                yield "negation", node, f"({ast.unparse(operand)})"
            case ast.BoolOp(op=op, values=values):
                other = " or " if isinstance(op, ast.And) else " and "
                yield "negation", node, f"({other.join(f'({ast.unparse(one)})' for one in values)})"
            case ast.Constant(value=bool(value)):
                yield "constant", node, str(not value)
            case ast.Constant(value=int(value)):
                yield "constant", node, str(value + 1)
            case ast.IfExp(test=test, body=body, orelse=orelse):
                swapped = f"({ast.unparse(orelse)} if {ast.unparse(test)} else {ast.unparse(body)})"
                yield "branch", node, swapped
            case ast.If(test=test):
                yield "branch", test, f"not ({ast.unparse(test)})"
            case ast.Expr(value=ast.Call() | ast.Await()):
                yield "statement", node, "pass"
            case ast.Assign(targets=[ast.Attribute() | ast.Subscript()]) | ast.AugAssign():
                yield "statement", node, "pass"
            case _:
                pass


def choose(root: Path, count: int) -> list[Mutant]:
    """The same mutants each time: drawn by a fixed seed, not more than one for each line."""
    rng = random.Random(SEED)
    found: dict[tuple[str, int], list[Mutant]] = {}
    for path in sorted(root.glob("assistant/**/*.py")):
        file = path.relative_to(root).as_posix()
        if not file.startswith(LEFT_OUT):
            for mutant in mutants_of(file, path.read_text("utf-8")):
                found.setdefault((file, mutant.line), []).append(mutant)
    chosen = rng.sample(sorted(found), count)
    return [rng.choice(found[place]) for place in chosen]


def tests_of(root: Path, file: str) -> list[list[str]]:
    """In this order: the test files that import the module, others of its package, perhaps the conversations."""
    module = file.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
    package = Path(file).parts[1].removesuffix(".py")
    imports = re.compile(rf"^\s*(from {re.escape(module)} import|import {re.escape(module)}$)", re.MULTILINE)
    every = sorted(root.glob("tests/**/test_*.py"))
    direct = [one for one in every if imports.search(one.read_text("utf-8"))]
    near = sorted((root / "tests" / package).glob("**/test_*.py"))
    turns = sorted((root / "tests/turn").glob("**/test_*.py")) if package in EVERYWHERE else []
    left_out = ("tests/browser/", "tests/golden/", "tests/benchmarks/", "tests/docs/")
    seen: set[str] = set()
    stages: list[list[str]] = []
    for stage in (direct, near, turns):
        names = [one.relative_to(root).as_posix() for one in stage]
        stages.append([one for one in names if one not in seen and not one.startswith(left_out)])
        seen.update(names)
    return [one for one in stages if one]


def find_line(root: Path, mutant: Mutant) -> tuple[Path, int] | None:
    """Where the line is now: in its file near its place, otherwise in the package, if it is there only once."""
    home = root / mutant.file
    at_home = list(_places(home, mutant)) if home.exists() else []
    if at_home:
        return min(at_home, key=lambda place: abs(place[1] - mutant.line))
    elsewhere = [place for path in root.glob("assistant/**/*.py") for place in _places(path, mutant)]
    return elsewhere[0] if len(elsewhere) == 1 else None


def _places(path: Path, mutant: Mutant) -> Iterator[tuple[Path, int]]:
    lines = path.read_text("utf-8").split("\n")
    return ((path, at) for at, line in enumerate(lines, 1) if line_hash(line) == mutant.hash)


def run(root: Path, mutant: Mutant, timeout_s: float) -> tuple[Result, str]:
    """Tries one mutant: the result, and the test that failed."""
    place = find_line(root, mutant)
    if place is None:
        return "gone", ""
    path, at = place
    source = path.read_text("utf-8")
    lines = source.split("\n")
    indentation = lines[at - 1][: len(lines[at - 1]) - len(lines[at - 1].lstrip())]
    lines[at - 1] = indentation + mutant.new
    stages = tests_of(root, path.relative_to(root).as_posix())
    path.write_text("\n".join(lines), "utf-8")
    try:
        for tests in stages:
            done = _pytest(root, tests, timeout_s)
            # 5: all tests of these files are slow.
            if done.returncode not in (0, 5):
                failed = re.findall(r"^(?:FAILED|ERROR) (\S+)", done.stdout, re.MULTILINE)
                return "killed", failed[0] if failed else ""
    except subprocess.TimeoutExpired:
        return "timeout", ""
    finally:
        path.write_text(source, "utf-8")
    return "survived", ""


def _pytest(root: Path, tests: Sequence[str], timeout_s: float) -> subprocess.CompletedProcess[str]:
    options = [
        "-x",
        "-q",
        "-p",
        "no:cacheprovider",
        "--no-header",
        "--tb=no",
        "-m",
        "not slow and not browser",
    ]
    return subprocess.run(
        [sys.executable, "-m", "pytest", *options, *tests],
        cwd=root,
        env={**os.environ, "PYTHONPATH": str(root), "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
        timeout=timeout_s,
        check=False,
    )


def _read(path: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()] if path.exists() else []


def main(arguments: Sequence[str] | None = None) -> None:
    """The command."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("command", choices=["choose", "run"])
    parser.add_argument("--root", type=Path, default=Path.cwd())
    parser.add_argument("--count", type=int, default=300)
    parser.add_argument("--timeout", type=float, default=300.0)
    parser.add_argument("--only-killed", type=Path)
    parser.add_argument("mutants", type=Path)
    parser.add_argument("results", type=Path, nargs="?")
    given = parser.parse_args(arguments)
    root = given.root.resolve()
    if given.command == "choose":
        chosen = choose(root, given.count)
        given.mutants.write_text("".join(json.dumps(asdict(one)) + "\n" for one in chosen), "utf-8")
        return
    if given.results is None:
        parser.error("name the file for the results")
    killed = None
    if given.only_killed:
        killed = {one["number"] for one in _read(given.only_killed) if one["result"] == "killed"}
    tried = {one["number"] for one in _read(given.results)}
    for number, line in enumerate(given.mutants.read_text("utf-8").splitlines(), 1):
        if number in tried or (killed is not None and number not in killed):
            continue
        mutant = Mutant(**json.loads(line))
        result, test = run(root, mutant, given.timeout)
        told = {"number": number, "result": result, "test": test, "file": mutant.file, "line": mutant.line}
        with given.results.open("a", encoding="utf-8") as results:
            results.write(json.dumps(told) + "\n")
        print(f"{number}: {result} {mutant.file}:{mutant.line} {mutant.operator} {test}", flush=True)


if __name__ == "__main__":
    main()
