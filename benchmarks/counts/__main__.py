"""Compares the counts with the file's. ``renew`` writes the file, ``json`` prints the counts alone."""

import argparse
import json
import logging

import structlog

from benchmarks.counts.file import FILE, counted, read_counts, write_counts

options = argparse.ArgumentParser(prog="python -m benchmarks.counts", description=__doc__)
options.add_argument("command", nargs="?", choices=["show", "renew", "json"], default="show")
chosen = options.parse_args()
structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.CRITICAL))
found = counted("hosted") | counted("demo")
if chosen.command == "json":
    print(json.dumps(found))
else:
    known = read_counts() if FILE.is_file() else {}
    for name, number in found.items():
        was = known.get(name)
        changed = "" if was is None or was.number == number else f"was {was.number}"
        print(f"{name:24} {number:7} {changed}".rstrip())
if chosen.command == "renew":
    write_counts(found)
    print(f"written to {FILE}")
