"""``assistant record``: writes a conversation of the log into a file that can be replayed."""

import asyncio
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, tzinfo
from pathlib import Path
from typing import TypeGuard, get_args

import typer

from assistant.app import DEMO_CUSTOMER, known_to_tools
from assistant.assembly.storage import open_conversations, open_storage
from assistant.clock import SystemClock
from assistant.commands.logging import set_up_logging
from assistant.conversation.customer import ConversationKey
from assistant.conversation.entries import Logged
from assistant.errors import DeclarationError
from assistant.ids import SystemIds
from assistant.ports import Clock
from assistant.replay.cassette import Cassette
from assistant.replay.player.environment import environment_of
from assistant.replay.player.play import replay
from assistant.replay.recording.masking import Masked, mask
from assistant.replay.recording.personal_data import Kind
from assistant.replay.recording.recorder import (
    ReplayedRecording,
    cassette_from_log,
    compare_with_replay,
    not_replayable,
)
from assistant.replay.yaml_writer import dump
from assistant.settings import Settings
from assistant.store.storage import LoggedConversation, Recording, StoredConversations
from assistant.tenants import load_settings

_LISTED = 10


async def find_conversation(asked: str, conversations: StoredConversations) -> ConversationKey:
    """The conversation with this id, or with this beginning of an id, or the newest one for "last".

    Raises:
        typer.BadParameter: there is no such conversation, or more than one; the error lists the existing ones.
    """
    listed = await conversations.listed()
    if not listed:
        raise typer.BadParameter(f"there are none in {conversations.where} yet", param_hint="CONVERSATION")
    exact = [one for one in listed if one.key.conversation == asked]
    begun = [one for one in listed if one.key.conversation.startswith(asked)]
    found = exact or (listed[-1:] if asked == "last" else begun)
    if len(found) == 1:
        return found[0].key
    told = f"{len(found)} begin with {asked!r}" if found else f"there is none that begins with {asked!r}"
    raise typer.BadParameter(f"{told}; there are:\n{_listing(found or listed)}", param_hint="CONVERSATION")


def _listing(listed: Sequence[LoggedConversation]) -> str:
    shown = [
        f"  {one.key.conversation}  ({datetime.fromtimestamp(one.last_ms / 1000, UTC):%Y-%m-%d %H:%M} UTC)"
        for one in reversed(listed[-_LISTED:])
    ]
    more = len(listed) - len(shown)
    return "\n".join([*shown, *([f"  and {more} older ones"] if more else [])])


ENDING = ".conversation.yaml"

_CALLED: dict[Kind, tuple[str, str]] = {
    "name": ("name", "names"),
    "email": ("e-mail address", "e-mail addresses"),
    "phone": ("phone number", "phone numbers"),
    "iban": ("account", "accounts"),
    "card": ("card", "cards"),
    "street": ("street", "streets"),
    "postcode": ("postcode", "postcodes"),
    "city": ("town", "towns"),
    "birthday": ("birthday", "birthdays"),
    "id": ("customer number", "customer numbers"),
    "word": ("word of yours", "words of yours"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordOptions:
    """The options of the command. ``conversation``: an id, the beginning of an id, or "last".

    ``also`` are more words to mask, each ``WORD`` or ``WORD=KIND``.
    """

    conversation: str
    out: Path | None = None
    force: bool = False
    masked: bool = True
    keep: tuple[str, ...] = ()
    also: tuple[str, ...] = ()


def record(options: RecordOptions) -> None:
    """Write the file, and print a short summary of it.

    Raises:
        AssistantError: the conversation has no messages, or the log cannot be read.
    """
    set_up_logging("ERROR")
    settings = load_settings()
    also = _kinds_of(options.also)
    key, entries = asyncio.run(_read(options.conversation, settings))
    out = _file(options, key)
    clock = SystemClock(settings.time_zone)
    zone = clock.now().tzinfo or UTC
    cassette = _recorded(entries, key, zone)
    masked = mask(cassette, keep=options.keep, also=also) if options.masked else None
    now = _again(masked.cassette if masked else cassette, settings)
    # Noted first: a recording without a note would not be erased with its customer.
    asyncio.run(_note(key, out, settings, clock))
    out.write_text(dump(now.cassette), encoding="utf-8")
    _say(key, now, masked, not_replayable(entries), out)


async def _read(asked: str, settings: Settings) -> tuple[ConversationKey, list[Logged]]:
    async with open_conversations(settings) as conversations:
        key = await find_conversation(asked, conversations)
        return key, await conversations.read(key)


async def _note(key: ConversationKey, out: Path, settings: Settings, clock: Clock) -> None:
    async with open_storage(settings, clock, SystemIds(), exclusive=False, create=False) as storage:
        await storage.records.note_recording(key, Recording(out, storage.place))


def _recorded(entries: Sequence[Logged], key: ConversationKey, zone: tzinfo) -> Cassette:
    is_demo = (key.tenant, key.customer) == (DEMO_CUSTOMER.tenant, DEMO_CUSTOMER.id)
    return cassette_from_log(entries, key, zone=zone, name=DEMO_CUSTOMER.name if is_demo else None)


def _again(cassette: Cassette, settings: Settings) -> ReplayedRecording:
    """The conversation replayed with the current prompts and tools; without frames if it cannot be replayed."""
    with known_to_tools(settings):
        environment = environment_of(settings)
        try:
            return compare_with_replay(cassette, replay(cassette, environment))
        except DeclarationError as error:
            return ReplayedRecording(cassette, str(error))


def _file(options: RecordOptions, key: ConversationKey) -> Path:
    out = options.out or Path(f"{key.conversation}{ENDING}")
    if not out.name.endswith(ENDING):
        raise typer.BadParameter(f"{out} should end in {ENDING}: by that it is found again", param_hint="-o")
    if not out.parent.is_dir():
        raise typer.BadParameter(f"there is no folder {out.parent}", param_hint="-o")
    if out.exists() and not options.force:
        raise typer.BadParameter(f"{out} is there already; --force writes over it", param_hint="-o")
    return out


def _kinds_of(also: Sequence[str]) -> dict[str, Kind]:
    found: dict[str, Kind] = {}
    for word in also:
        text, equals, kind = word.rpartition("=")
        if not equals:
            found[word] = "word"
        elif _is_kind(kind):
            found[text] = kind
        else:
            known = ", ".join(get_args(Kind))
            raise typer.BadParameter(f"{kind!r} is no kind; there are {known}", param_hint="--mask")
    return found


def _is_kind(text: str) -> TypeGuard[Kind]:
    return text in get_args(Kind)


def _say(
    key: ConversationKey, now: ReplayedRecording, masked: Masked | None, notes: Sequence[str], out: Path
) -> None:
    typer.echo(f"Recorded conversation {key.conversation}: {_contents(now.cassette)}.")
    if masked is None:
        typer.echo("Not masked: the file contains the names and words of everyone who spoke.", err=True)
    else:
        typer.echo(f"Masked: {_counts(masked.replaced)}. Read the file before you give it away.")
    for note in notes:
        typer.echo(f"Left out: {note}.")
    if now.difference:
        typer.echo(f"With the prompts and tools of today it goes otherwise than it did: {now.difference}")
    if not now.cassette.frames:
        typer.echo("So it was not replayed, and the file has no frames.")
    typer.echo(f"Written to {out}. Next: assistant replay {out}")


def _contents(cassette: Cassette) -> str:
    runs = Counter(run.does == "asks" for turn in cassette.turns for run in turn.results)
    parts = [
        number_of(len(cassette.turns), "turn", "turns"),
        number_of(sum(len(turn.replies) for turn in cassette.turns), "reply of a model", "replies of models"),
        number_of(runs[False], "call", "calls"),
    ]
    return ", ".join(parts)


def _counts(replaced: Mapping[Kind, int]) -> str:
    return (
        ", ".join(number_of(count, *_CALLED[kind]) for kind, count in replaced.items()) or "nothing was found"
    )


def number_of(count: int, one: str, many: str) -> str:
    """A count with its noun, such as "2 turns"."""
    return f"{count} {one if count == 1 else many}"
