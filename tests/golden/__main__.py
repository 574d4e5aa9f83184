"""Writes the golden record in full, compares it with another revision's, or renews its hashes."""

import argparse
import logging
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path

import structlog

from tests.golden.compare import check_out, differences, written_by
from tests.golden.record import HASHES, Hashes, hashes_of, write_hashes, write_record
from tests.golden.scenes import scenes


def main() -> int:
    """Run one command; gives the exit status."""
    parser = argparse.ArgumentParser(prog="python -m tests.golden", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    write = commands.add_parser("write", help="write the whole record, three files for each conversation")
    write.add_argument("folder", type=Path)
    compare = commands.add_parser("compare", help="print the first differences from another revision")
    compare.add_argument("revision")
    commands.add_parser("renew", help=f"write {HASHES.name} anew")
    given = parser.parse_args()
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.CRITICAL))
    match given.command:
        case "write":
            _write(given.folder)
        case "compare":
            return _compare(given.revision)
        case _:
            hashes: Hashes = {}
            for name, play in scenes().items():
                hashes |= hashes_of(name, play())
            write_hashes(hashes)
            _say([f"{HASHES}: {len(hashes)} hashes"])
    return 0


def _write(folder: Path) -> None:
    for name, play in scenes().items():
        write_record(folder, name, play())


def _compare(revision: str) -> int:
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        with check_out(revision, place / "checkout") as checkout:
            written_by(checkout, place / "before")
        _write(place / "now")
        found = differences(place / "before", place / "now")
    _say(found or [f"nothing differs from {revision}"])
    return 1 if found else 0


def _say(lines: Iterable[str]) -> None:
    sys.stdout.writelines(f"{line}\n" for line in lines)


if __name__ == "__main__":
    sys.exit(main())
