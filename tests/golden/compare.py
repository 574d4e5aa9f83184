"""Compares two golden records: that of this checkout and that of another revision."""

import os
import subprocess
import sys
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from difflib import unified_diff
from itertools import islice
from pathlib import Path
from typing import Final

import orjson

_FILES: Final = 8
"""The number of files whose differences are shown. Others, and files with only the same differences, are named."""

_LINES: Final = 24
_NAMES: Final = 40
_WIDTH: Final = 160
_ROOT: Final = Path(__file__).parents[2]


@contextmanager
def check_out(revision: str, folder: Path) -> Generator[Path]:
    """Another revision's files in this folder, until the block ends. Exits with git's words where there is none."""
    added = _git("worktree", "add", "--detach", "--quiet", str(folder), revision)
    if added.returncode:
        sys.exit(f"{revision} cannot be checked out: {added.stderr.strip()}")
    try:
        if not (folder / "tests" / "golden").is_dir():
            sys.exit(f"{revision} has no golden record: it is older than tests/golden")
        yield folder
    finally:
        _git("worktree", "remove", "--force", str(folder))


def written_by(checkout: Path, folder: Path) -> None:
    """Let another checkout write its own record. Exits where it cannot."""
    told = subprocess.run(
        [sys.executable, "-m", "tests.golden", "write", str(folder)],
        cwd=checkout,
        env={**os.environ, "PYTHONPATH": str(checkout)},
        check=False,
    )
    if told.returncode:
        sys.exit(f"the other revision could not write its record (exit status {told.returncode})")


def differences(before: Path, now: Path) -> list[str]:
    """What is different, as lines: unified diffs of the first files, shortened, and the names of the others."""
    names = sorted({path.relative_to(folder) for folder in (before, now) for path in folder.rglob("*.txt")})
    different = [name for name in names if _bytes(before / name) != _bytes(now / name)]
    if not different:
        return []
    lines: list[str] = []
    others: list[Path] = []
    shown, seen = 0, set[tuple[str, ...]]()
    for name in different:
        found = _difference(name, before / name, now / name, seen) if shown < _FILES else []
        lines += found
        shown += bool(found)
        others += [] if found else [name]
    lines += [f"{name} differs, too" for name in others[:_NAMES]]
    lines += [f"... and {len(others) - _NAMES} more"] * (len(others) > _NAMES)
    return [*lines, f"{len(different)} of {len(names)} files differ"]


def _difference(name: Path, before: Path, now: Path, seen: set[tuple[str, ...]]) -> list[str]:
    """One file's differences that were not ``seen`` in another: a prompt's changed line is in every request."""
    if not before.is_file() or not now.is_file():
        return [f"{name}: only {'here' if now.is_file() else 'there'}"]
    old, new = before.read_bytes(), now.read_bytes()
    hunks = list(_hunks(_readable(old), _readable(new)))
    if not hunks:
        return [f"{name}: the same JSON in other bytes", *_first_bytes(old, new)]
    lines: list[str] = []
    for hunk in hunks:
        changed = tuple(line for line in hunk if line.startswith(("-", "+")))
        lines += [] if changed in seen else hunk
        seen.add(changed)
    head = [f"--- before/{name}", f"+++ now/{name}"]
    return [*head, *(_shortened(line) for line in lines[:_LINES])] if lines else []


def _hunks(old: Sequence[str], new: Sequence[str]) -> Iterator[list[str]]:
    """The changes, each with two lines around it."""
    hunk: list[str] = []
    for line in islice(unified_diff(old, new, n=2, lineterm=""), 2, None):
        if line.startswith("@@") and hunk:
            yield hunk
            hunk = []
        hunk.append(line)
    if hunk:
        yield hunk


def _readable(section: bytes) -> Sequence[str]:
    """The lines; JSON on them is spread over as many as it takes."""
    lines: list[str] = []
    for line in section.decode().splitlines():
        at_ms, _, frame = line.partition(" ")
        text, head = (frame, f"{at_ms} ") if at_ms.isdecimal() else (line, "")
        try:
            spread = orjson.dumps(orjson.loads(text), option=orjson.OPT_INDENT_2).decode()
        except orjson.JSONDecodeError:
            spread = line
        # A line break in a text begins a line here as well: long prompts become readable.
        lines += [part for whole in (head + spread).splitlines() for part in whole.split("\\n")]
    return lines


def _shortened(line: str) -> str:
    return line if len(line) <= _WIDTH else f"{line[:_WIDTH]}... ({len(line)} characters)"


def _first_bytes(old: bytes, new: bytes) -> list[str]:
    at = next((at for at, (one, two) in enumerate(zip(old, new, strict=False)) if one != two), 0)
    begin = max(0, at - 40)
    return [f"{sign}{section[begin : at + 80]!r}" for sign, section in (("-", old), ("+", new))]


def _bytes(path: Path) -> bytes | None:
    return path.read_bytes() if path.is_file() else None


def _git(*words: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(["git", *words], cwd=_ROOT, capture_output=True, text=True, check=False)
