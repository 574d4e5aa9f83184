"""Measures what the embedded model costs: ``python -m tests.models.demo.cost``. A fresh process, ten tools."""

import resource
import time
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory

import psutil


def measured(what: str, do: Callable[[], object]) -> None:
    before = time.process_time()
    do()
    memory = psutil.Process().memory_info().rss >> 20
    print(f"{what:34} {time.process_time() - before:6.2f} CPU s   {memory:4} MiB")


def main() -> None:
    measured("importing the model", lambda: import_module("assistant.models.demo.model"))
    from assistant.models.demo.nearness import keep_vectors
    from assistant.models.demo.understand import build_index
    from assistant.models.minilm import embed
    from tests.models.demo.score import HERE, decide, demo_specs

    specs = tuple(demo_specs().values())
    with TemporaryDirectory() as folder:
        keeping = keep_vectors(embed, Path(folder))
        measured("loading the weights", lambda: embed(["hello"]))
        measured("embedding ten tools", lambda: build_index(specs, keeping))
        measured("the same, from the disk", lambda: build_index(specs, keeping))
    decide("hello")
    said = (HERE / "harmless.txt").read_text(encoding="utf-8").splitlines()
    measured(f"deciding {len(said)} messages", lambda: [decide(message) for message in said])
    print(f"most memory ever: {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10} MiB")


if __name__ == "__main__":
    main()
