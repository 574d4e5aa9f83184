"""What memory costs: ``python -m benchmarks.memory [FOLDER]``. It takes about two minutes.

A conversation with two lookups in every turn, and a model in this process that answers at once. The floor is the
same turn of the same conversation without memory: no snapshots, and requests that are not measured. Both run in
rounds that alternate, with the log on disk; CPU figures are this process's, all threads; of five turns the
second best, then medians. Then 500 turns
in a row: what the decider is given stays within its budget. At last what happens to a result when nobody waits. The
folder decides which disk is measured; the default is the working directory's.
"""

import gc
import sys
import tempfile
import time
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from pathlib import Path
from statistics import median

import uvloop

from assistant.assembly.library import library_in
from assistant.assembly.storage import open_storage
from assistant.clock import SystemClock
from assistant.commands.logging import set_up_logging
from assistant.conversation.customer import ConversationKey
from assistant.conversation.documents import Document
from assistant.conversation.entries import Logged, Summary
from assistant.conversation.views import View
from assistant.ids import SystemIds
from assistant.memory.budget import Budget
from assistant.memory.library import Library
from assistant.models.tokens import Estimate, read_vocabulary_counter
from assistant.ports import Model, TokenCounter
from assistant.settings import Settings
from assistant.store.memory_log import MemoryLog
from assistant.store.sqlite.log import SqliteLog
from assistant.turn import turn as whole_turn
from benchmarks.engine.long_talk import Talk, first_turns, talk
from tests.support.fake_summariser import FakeSummariser

TOKENS = 32_000
DEPTHS = (10, 100, 500)
ROUNDS, TURNS = 6, 5
RESULT = '{"id":"4711","when":"2026-12-01T14:00","what":"monthly contact lenses","amount":"30.00"},'


class NoLog(MemoryLog):
    """Forgets at once."""

    async def append(self, key: ConversationKey, entries: Sequence[Logged]) -> None:
        pass


@contextmanager
def forgetful() -> Generator[None]:
    """Turns end in it without a snapshot."""
    remember = whole_turn.record_snapshots

    async def forget(*_: object) -> None:
        pass

    whole_turn.record_snapshots = forget
    try:
        yield
    finally:
        whole_turn.record_snapshots = remember


async def turns_ms(of: Talk, turns: int) -> list[float]:
    """CPU time of each turn, in ms."""
    took: list[float] = []
    for _ in range(turns):
        began = time.process_time()
        await of.turn()
        took.append((time.process_time() - began) * 1000)
    return took


async def compare(folder: Path, past: list[Logged], counters: dict[str, TokenCounter], depth: int) -> None:
    """CPU per turn behind so many turns, without memory and with it."""
    log = SqliteLog(folder / f"{depth}.db")
    with forgetful():
        talks = {"without": await talk(log, None, first_turns(past, depth, remembered=False))}
        await turns_ms(talks["without"], 2)
    for name, counter in counters.items():
        budget = Budget(tokens=TOKENS, counter=counter)
        talks[name] = await talk(log, budget, first_turns(past, depth, remembered=True))
        # The first turn of a process makes all views anew, and measures them.
        await turns_ms(talks[name], 1)
        await talks[name].session.at_rest()
        await turns_ms(talks[name], 1)
    gc.collect()
    gc.freeze()
    rows: dict[str, list[float]] = {name: [] for name in talks}
    for _ in range(ROUNDS):
        for name, one in talks.items():
            with forgetful() if name == "without" else nothing_else():
                rows[name].append(sorted(await turns_ms(one, TURNS))[1])
    gc.unfreeze()
    for name, took in rows.items():
        more = median(took) - median(rows["without"])
        ratio = median(each / floor for each, floor in zip(took, rows["without"], strict=True))
        print(f"turn {depth:4} {name:12} {median(took):6.2f} ms CPU  {more:+6.2f} ms  {ratio:5.2f} x without")
    for one in talks.values():
        await one.session.close()
    await log.close()


@contextmanager
def nothing_else() -> Generator[None]:
    """As it is."""
    yield


def size(budget: Budget, view: View, tools: int) -> int:
    """The tokens of a request."""
    return budget.sizes.frame(view.system, view.late, ()) + tools + sum(map(budget.sizes.turn, view.turns))


async def stays_flat(name: str, counter: TokenCounter, summariser: Model | None) -> None:
    """The decider's request over 500 turns, in tokens; and what the summaries took."""
    budget = Budget(tokens=TOKENS, counter=counter)
    one = await talk(NoLog(), budget, summariser=summariser)
    sizes: list[int] = []
    for _ in range(DEPTHS[-1]):
        await one.turn()
        asked = one.replies.asked
        assert asked is not None
        sizes.append(size(budget, asked.view, budget.sizes.tools(asked.tools)))
        await one.session.at_rest()
    summaries = [logged for logged in one.session.entries if isinstance(logged.entry, Summary)]
    told = " ".join(f"{tokens:,}" for tokens in (sizes[0], *sizes[49::50]))
    print(f"{name}: tokens of turn 1, 50, 100 ... 500: {told}")
    print(f"{name}: at most {max(sizes):,} of {budget.tokens:,}; {len(summaries)} summaries")
    await one.session.close()


async def behind(folder: Path) -> None:
    """CPU of what happens to a result when nobody waits: it is cut into passages, embedded and kept."""
    settings, clock = Settings(data_dir=folder), SystemClock()
    async with (
        open_storage(settings, clock, SystemIds()) as storage,
        library_in(settings, storage, clock) as library,
    ):
        for characters in (500, 5_000):
            await written(library, f"warm-up {characters}", characters, 1)
            began, many = time.process_time(), 3
            await written(library, str(characters), characters, many)
            took = (time.process_time() - began) * 1000 / many
            print(f"behind: a result of {characters:6,} characters {took:8.1f} ms CPU")


async def written(library: Library, name: str, characters: int, many: int) -> None:
    """Let so many documents of this length wait, and wait until they can be found."""
    text = (RESULT * (characters // len(RESULT) + 1))[:characters]
    for number in range(many):
        ref = f"document:{name}-{number}"
        document = Document(
            ref=ref, tenant="bench", customer="ana", kind="upload", title="a result", text=text
        )
        await library.keep(document)
    await library.written()


async def main(folder: Path) -> None:
    """Print everything."""
    set_up_logging("ERROR")
    counters: dict[str, TokenCounter] = {
        "estimate": Estimate(),
        "o200k_base": read_vocabulary_counter("o200k_base"),
    }
    long = await talk(NoLog(), None)
    for _ in range(DEPTHS[-1]):
        await long.turn()
    await long.session.at_rest()
    past = long.session.entries
    for depth in DEPTHS:
        await compare(folder, past, counters, depth)
    await stays_flat("by rule", counters["o200k_base"], None)
    model = FakeSummariser(SystemClock(), lambda given: f"The customer asked for appointments. {given[:400]}")
    await stays_flat("by a model", counters["o200k_base"], model)
    await behind(folder)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory(dir=sys.argv[1] if sys.argv[1:] else ".") as place:
        uvloop.run(main(Path(place)))
