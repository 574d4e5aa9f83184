"""Plays the example conversations, stores them, and removes them without a trace."""

import re
from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Protocol

import structlog
from babel.dates import format_date

from assistant.conversation.customer import CALL_PREFIX, SAMPLE_PREFIX, ConversationKey
from assistant.conversation.entries import Handoff, Logged, MessageClosed, Rated, Rating
from assistant.errors import StoreError
from assistant.replay.cassette import Cassette
from assistant.replay.cassette_file import load_text
from assistant.replay.played import Played
from assistant.replay.player.environment import ReplayEnvironment
from assistant.replay.player.play import replay
from assistant.storage_ports import Log

_FOLDER = Path(__file__).parent / "conversations"
_OPEN = "open"
"""The tag of a conversation that goes on: what its agents did not do in time is left out."""

_RATINGS: dict[str, tuple[Rating, str]] = {
    "appointments_and_billing": ("up", ""),
    "order_cancelled": ("up", "quick!"),
    "billing_is_down": ("down", "asked twice, no answer"),
}
"""What customers thought of the last answer; scripts have no ratings."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SampleConversation:
    """An example that was played."""

    key: ConversationKey
    entries: tuple[Logged, ...]


class Erasing(Protocol):
    """Erases all data of a customer."""

    async def __call__(self, tenant: str, customer: str) -> object:
        """Erase it. Raises ``StoreError`` or ``LogError``."""
        ...


def sample_scripts(now: datetime) -> Iterator[tuple[str, Cassette]]:
    """The example scripts by name. Their dates and times are calculated from ``now``."""
    for path in sorted(_FOLDER.glob("*.yaml")):
        text = _with_dates(path.read_text(encoding="utf-8"), now)
        yield path.stem, load_text(text, path.name).cassette


def play_sample(environment: ReplayEnvironment, now: datetime, tenant: str) -> list[SampleConversation]:
    """Play all examples; takes some tenths of a second. Raises ``StoreError`` if a script does not fit any more.

    Run it in a thread if a loop runs. Its log lines have ``sample``, so that the program can leave them out.
    """
    with structlog.contextvars.bound_contextvars(sample=True):
        return [_played(name, script, environment, tenant) for name, script in sample_scripts(now)]


def play_script(name: str, script: Cassette, environment: ReplayEnvironment) -> Played:
    """Play one example under the id that it is stored with."""
    return replay(script, environment, name=_id_of(name))


def _id_of(name: str) -> str:
    """What the id of this example begins with; the number of the replay's first conversation follows."""
    start = f"{CALL_PREFIX}{SAMPLE_PREFIX}" if name.startswith("call_") else f"{SAMPLE_PREFIX}{name}-"
    return start.replace("_", "-")


async def add_sample(log: Log, conversations: Sequence[SampleConversation]) -> int:
    """Store the examples that are not there yet; returns their number. Raises ``LogError``."""
    added = 0
    for one in conversations:
        if not await log.read(one.key):
            await log.append(one.key, one.entries)
            added += 1
    return added


async def remove_sample(
    listed: Callable[[], Awaitable[Sequence[ConversationKey]]], tenant: str, erase: Erasing
) -> int:
    """Erase the examples and all that came of them; returns their number. Raises ``StoreError`` or ``LogError``."""
    keys = [key for key in await listed() if key.tenant == tenant and key.is_sample]
    for customer in sorted({key.customer for key in keys}):
        await erase(tenant, customer)
    return len(keys)


def _played(name: str, script: Cassette, environment: ReplayEnvironment, tenant: str) -> SampleConversation:
    played = play_script(name, script, environment)
    if played.unscripted:
        raise StoreError(f"the example {name} cannot be played: {'; '.join(played.unscripted)}")
    entries = list(played.entries)
    if _OPEN in script.tags:
        gave_up = [
            one.seq
            for one in entries
            if isinstance(one.entry, Handoff) and one.entry.state in ("unavailable", "ticket")
        ]
        entries = entries[: gave_up[0] - 1] if gave_up else entries
    if name in _RATINGS:
        entries.append(_rated(entries, *_RATINGS[name]))
    key = ConversationKey(tenant=tenant, customer=script.customer.id, conversation=f"{_id_of(name)}1")
    return SampleConversation(key=key, entries=tuple(entries))


def _rated(entries: Sequence[Logged], rating: Rating, text: str) -> Logged:
    """The entry with which the customer rates the last answer, a while after it."""
    answers = [
        one.entry for one in entries if isinstance(one.entry, MessageClosed) and one.entry.kind == "response"
    ]
    last = entries[-1]
    rated = Rated(message_id=answers[-1].message_id, rating=rating, text=text)
    return replace(last, seq=last.seq + 1, at_ms=last.at_ms + 8_000, turn_id="", entry=rated)


_PLACE = re.compile(
    r"\{\{(?:(?P<ago>\d+) (?P<unit>min|days) ago(?: (?P<at>\d\d:\d\d))?|(?P<form>day )?in (?P<days>-?\d+) days)\}\}"
)


def _with_dates(text: str, now: datetime) -> str:
    """A script with times and dates in place of ``{{35 min ago}}``, ``{{2 days ago 14:20}}``, ``{{in 3 days}}`` and
    ``{{day in 3 days}}`` in the language of the script.
    """
    locale = "de" if "locale: de" in text else "en"

    def moment(found: re.Match[str]) -> str:
        if found["unit"] == "min":
            return (now - timedelta(minutes=int(found["ago"]))).isoformat(timespec="seconds")
        if found["unit"] == "days":
            hour, minute = map(int, found["at"].split(":"))
            day = now - timedelta(days=int(found["ago"]))
            return day.replace(hour=hour, minute=minute, second=0).isoformat(timespec="seconds")
        day = (now + timedelta(days=int(found["days"]))).date()
        if found["form"] is None:
            return day.isoformat()
        return format_date(day, "EEEE, d. MMMM" if locale == "de" else "EEEE, MMMM d", locale)

    return _PLACE.sub(moment, text)
