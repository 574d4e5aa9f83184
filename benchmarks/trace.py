"""Which of our files and functions one message enters, and how often: ``python -m benchmarks.trace``.

The message is "Check my appointments and billing", from the client's first frame to the last that it gets, in
virtual time. Tools return what a recorded conversation says, so files of the demo shop are not entered. Everything
was loaded before. Comprehensions, which newer Pythons inline, are left out.
"""

import argparse
import logging

import structlog

from benchmarks.counts.turn import Watched, in_package, watched_turn

_SHOWN = 25


def main(model: str, *, everything: bool) -> None:
    """Print what was entered."""
    watched = watched_turn("demo" if model == "demo" else "hosted")
    files = watched.files
    print(
        f"with the {model} model one message enters {len(files)} files and {watched.functions} functions, "
        f"{watched.calls} times; {watched.arrows.total()} of these lead from one file to another, over "
        f"{len(watched.arrows)} different arrows"
    )
    shown = None if everything else _SHOWN
    print("\nfiles, by how often they were entered")
    for file, times in files.most_common(shown):
        print(f"{times:7}  {file}")
    print("\nfunctions")
    for code, times in watched.entered.most_common(shown):
        print(f"{times:7}  {in_package(code.co_filename)}:{code.co_firstlineno} {code.co_qualname}")
    print("\narrows")
    for (before, after), times in watched.arrows.most_common(shown):
        print(f"{times:7}  {before} -> {after}")
    _check(watched)


def _check(watched: Watched) -> None:
    """Say so where the turn went another way than it should: then these numbers are of something else."""
    for line in watched.played.unscripted:
        print(f"not as recorded: {line}")


if __name__ == "__main__":
    options = argparse.ArgumentParser(prog="python -m benchmarks.trace", description=__doc__)
    options.add_argument("--model", choices=["hosted", "demo"], default="hosted")
    options.add_argument("--all", action="store_true", help="every file, function and arrow")
    chosen = options.parse_args()
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.CRITICAL))
    main(chosen.model, everything=chosen.all)
