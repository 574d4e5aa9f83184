"""How fast and how well it speaks and listens: ``python -m benchmarks.voice [stage|clips|words|calls|all]``.

All that is said is synthetic: hibari's voice and espeak-ng's, which is not a dependency and has to be installed.
The models are the embedded ones. ``clips`` and ``words`` count CPU time and can be run anywhere; ``stage`` and
``calls`` are in real time and mean something on a machine that does nothing else. It takes about half an hour
in all.
"""

import argparse
from collections.abc import Sequence

import uvloop

from assistant.commands.logging import set_up_logging
from benchmarks.voice import calls, clips, stages, words
from benchmarks.voice.embedded import embedded


async def main(what: str, places: int, most: int | None, callers: Sequence[int]) -> None:
    """Measure it."""
    set_up_logging("ERROR")
    models = await embedded(places)
    if what in ("stage", "all"):
        await stages.measure(models, most)
    if what in ("clips", "all"):
        await clips.measure(models)
    if what in ("words", "all"):
        await words.measure(models)
    if what in ("calls", "all"):
        await calls.measure(models, callers)


if __name__ == "__main__":
    options = argparse.ArgumentParser(prog="python -m benchmarks.voice", description=__doc__)
    options.add_argument(
        "what", nargs="?", default="all", choices=["stage", "clips", "words", "calls", "all"]
    )
    options.add_argument("--places", type=int, default=1, help="utterances written down at the same time")
    options.add_argument("--most", type=int, help="so many questions in `stage`")
    options.add_argument("--callers", type=int, nargs="+", default=calls.CALLERS, help="at once, in `calls`")
    chosen = options.parse_args()
    uvloop.run(main(chosen.what, chosen.places, chosen.most, chosen.callers))
