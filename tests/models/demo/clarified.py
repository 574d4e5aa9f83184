"""Counts how many conversations with a clarification go right: ``python -m tests.models.demo.clarified``.

In ``clarified.txt`` a line with ``>`` is the customer's message. The line below it has the expected events in
order: look-ups, ``tells`` with the ids of the things that are told, ``asks`` with the argument, ``!`` before a
side effect that is read back. ``nothing done`` matches any message without an action.
"""

import asyncio
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from assistant.conversation.values import Json
from tests.models.demo.conftest import BOOKS, Talk, offline_model
from tests.models.demo.score import demo_specs

HERE = Path(__file__).parent
_ROUNDS = 3

_SAID = (
    (r"OfflineAsk\([^;]*; (\w+);", "asks {0}"),
    (r"OfflineUnsure", "unsure"),
    (r"Confirmation\(no", "kept"),
    (r"OfflineHelp\(.*; True\)", "help"),
)


@dataclass(frozen=True, slots=True)
class Conversation:
    """What is said and what must come of it, turn by turn."""

    about: str
    turns: tuple[tuple[str, str], ...]


def conversations(text: str) -> Iterator[Conversation]:
    """Read a file of them."""
    for block in text.strip().split("\n\n"):
        about, *lines = block.splitlines()
        said = [line.removeprefix("> ") for line in lines[::2]]
        yield Conversation(about.removeprefix("# "), tuple(zip(said, lines[1::2], strict=True)))


async def came_of(talk: Talk, said: str) -> str:
    """What comes of a message, in the words of the file."""
    told: list[str] = []
    reply = await talk.says(said)
    for _ in range(_ROUNDS):
        if isinstance(reply, str):
            told += _told(reply)
            break
        told.append(_called(reply))
        if not any(demo_specs()[tool].effect == "read" for tool, _ in reply):
            break
        reply = await talk.goes_on()
    return "; ".join(told)


def fits(came: str, wanted: str) -> bool:
    """Whether what came is what was wanted."""
    if wanted == "nothing done":
        return "!" not in came
    if wanted == "words":
        return not re.search(r"!|get_|list_|find_", came)
    if "asks" in wanted or "!" in wanted:
        # The answer about a lookup that only served a question, or found a record, is not judged.
        came = re.sub(r"; tells[^;]*", "", came)
    return came == wanted


def wrong_writes(came: str, wanted: str) -> list[str]:
    """The side effects that the request does not ask for."""
    return [one for one in re.findall(r"!\w+\([^)]*\)", came) if one not in wanted]


def _called(calls: Sequence[tuple[str, dict[str, Json]]]) -> str:
    reads = [_call(tool, arguments) for tool, arguments in calls if demo_specs()[tool].effect == "read"]
    writes = [
        "!" + _call(tool, arguments) for tool, arguments in calls if demo_specs()[tool].effect == "write"
    ]
    return "; ".join(([", ".join(reads)] if reads else []) + writes)


def _call(tool: str, arguments: dict[str, Json]) -> str:
    named = ", ".join(f"{name}={value}" for name, value in sorted(arguments.items()))
    return f"{tool}({named})" if named or demo_specs()[tool].effect == "write" else tool


def _told(words: str) -> Iterator[str]:
    if told := re.findall(r"Told \w+((?: \w+)*)\.", words):
        yield f"tells{''.join(told)}"
    for pattern, name in _SAID:
        if (said := re.search(pattern, words)) is not None:
            yield name.format(*said.groups())


async def _main() -> None:
    model, specs = offline_model(specs=tuple(demo_specs().values())), tuple(demo_specs().values())
    whole, turns, right, wrong = 0, 0, 0, 0
    cases = list(conversations((HERE / "clarified.txt").read_text(encoding="utf-8")))
    for case in cases:
        talk, good = Talk(model, specs, BOOKS), True
        for said, wanted in case.turns:
            came = await came_of(talk, said)
            turns += 1
            right += fits(came, wanted)
            wrong += len(wrong_writes(came, wanted))
            if not fits(came, wanted):
                good = False
                print(f"{case.about}\n  > {said}\n  wanted: {wanted}\n  came:   {came}")
        whole += good
    print(f"{whole} of {len(cases)} conversations, {right} of {turns} turns, {wrong} wrong side effects")


if __name__ == "__main__":
    asyncio.run(_main())
