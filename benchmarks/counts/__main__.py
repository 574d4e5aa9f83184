"""Prints the counts beside those of the file; with ``renew`` it writes the file."""

import argparse
import logging

import structlog

from benchmarks.counts.file import FILE, counted, read_counts, write_counts

options = argparse.ArgumentParser(prog="python -m benchmarks.counts", description=__doc__)
options.add_argument("command", nargs="?", choices=["show", "renew"], default="show")
chosen = options.parse_args()
structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.CRITICAL))
found = counted("hosted") | counted("demo")
known = read_counts() if FILE.is_file() else {}
for name, number in found.items():
    was = known.get(name)
    print(
        f"{name:24} {number:7} {'' if was is None or was.number == number else f'was {was.number}'}".rstrip()
    )
if chosen.command == "renew":
    write_counts(found)
    print(f"written to {FILE}")
