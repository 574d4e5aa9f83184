"""Makes a cassette of a conversation's log: everything that came from outside, with its times.

The ids of conversations are replaced. `compare_with_replay` compares a new recording with its replay.
"""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, tzinfo
from itertools import zip_longest
from typing import Final, TypeVar, cast

from pydantic import BaseModel

from assistant.conversation.customer import ConversationKey, Level
from assistant.conversation.entries import CallEnded, Identified, Logged, ModelAsked
from assistant.conversation.outcomes import CallDenied, CallSucceeded
from assistant.conversation.state import ConversationState
from assistant.conversation.views import with_files
from assistant.errors import AssistantError, CredentialError
from assistant.replay.cassette import Cassette, Event, HeardFrame, Turn, Who
from assistant.replay.expectations import Expectations
from assistant.replay.played import Played, scenes_of
from assistant.replay.recording.conversation_events import (
    HeardUpdate,
    RecordedMessage,
    Restart,
    events_of,
    heard_by,
    heard_events,
    heard_updates_in,
    interrupts,
    people_in,
    recorded_messages_in,
    restarts_in,
)
from assistant.replay.recording.logged_replies import reply_to, requests_in, runs_in
from assistant.replay.recording.pseudonymizer import Span, replace_spans
from assistant.replay.replies import ArgumentsPiece, Piece, Reply, Run, TextPiece
from assistant.sessions.config_version import bundle_of
from assistant.testing.counted_ids import CountedIds

_SHOWN = 60


def cassette_from_log(
    entries: Sequence[Logged], key: ConversationKey, *, zone: tzinfo = UTC, name: str | None = None
) -> Cassette:
    """The cassette of one conversation, as it was: nothing is masked, but the conversation goes by another name.

    It begins with the customer's first message. Each turn's scene is what is expected of it. Where files came
    with a message, it is what models read of them: their texts stand in the results of those who looked into them.
    What several clients of one conversation did is recorded as if it had been one; ratings, and how far somebody
    had read, are left out.

    Args:
        entries: the whole log of the conversation.
        key: whose conversation it is.
        zone: the company's.
        name: the customer's; the log does not have it.

    Raises:
        AssistantError: nothing was said, or what the models wrote is no longer in the log.
    """
    messages = recorded_messages_in(entries)
    if not messages:
        raise AssistantError(f"nothing was said in conversation {key.conversation!r}")
    first = messages[0]
    now = datetime.fromtimestamp(first.at_ms // 1000, UTC).astimezone(zone)
    who = Who(
        tenant=key.tenant,
        id=key.customer,
        level=_level(entries),
        name=name,
        locale=first.said.locale,
        credential=not _lacked_credential(entries),
    )
    cassette = Cassette(
        about=_about(messages, now),
        now=now,
        customer=who,
        bundle=bundle_of(entries) or None,
        people=people_in(entries),
        confirm_every_write=_embedded(entries),
        turns=_turns(entries, messages, who.locale),
    )
    return with_replay_ids(cassette, key.conversation)


def not_replayable(entries: Sequence[Logged]) -> list[str]:
    """What a replay cannot show of this log, a line each."""
    notes = [run.note for run in runs_in(entries) if run.note]
    notes += [
        f"the full result of {one.call.tool}, which is kept no longer: the file has its shorter form"
        for one in (logged.entry.outcome for logged in entries if isinstance(logged.entry, CallEnded))
        if isinstance(one, CallSucceeded) and one.full_ref
    ]
    levels = [logged.entry.level for logged in entries if isinstance(logged.entry, Identified)]
    if len(set(levels)) > 1:
        notes.append(f"the customer was known as {', then '.join(levels)}: the file has the last of these")
    return [f"{note} ({times} times)" if times > 1 else note for note, times in Counter(notes).items()]


@dataclass(frozen=True, slots=True)
class _Heard:
    """What the turns brought, by the ids of turns, and the scenes by the clients' ids of messages."""

    replies: dict[str, list[Reply]]
    runs: dict[str, list[Run]]
    scenes: dict[str, str]
    restarts: Sequence[Restart]
    hearings: Sequence[HeardUpdate]


def _heard(entries: Sequence[Logged]) -> _Heard:
    requests = requests_in(entries)
    state = ConversationState(entries)
    asked = _asked_turns(state)
    replies: dict[str, list[Reply]] = {}
    runs: dict[str, list[Run]] = {}
    for request in requests:
        replies.setdefault(asked[request.turn_id], []).append(reply_to(request))
    for one in runs_in(entries):
        runs.setdefault(one.turn_id, []).append(one.run)
    scenes = scenes_of(state)
    if state.unfinished is not None:
        del scenes[state.unfinished.message.client_message_id]
    return _Heard(replies, runs, scenes, restarts_in(entries, requests), heard_updates_in(entries))


def _asked_turns(state: ConversationState) -> dict[str, str]:
    """For each turn the last that answered a message by then: replies are used up in their order."""
    asked: dict[str, str] = {}
    last = ""
    for turn in state.turns:
        last = last if turn.unasked else turn.id
        asked[turn.id] = last
    return asked


def _turns(entries: Sequence[Logged], messages: Sequence[RecordedMessage], locale: str) -> tuple[Turn, ...]:
    heard = _heard(entries)
    following = [*messages[1:], None]
    return tuple(
        Turn(
            customer=with_files(one.said.text, one.said.attachments),
            button=one.said.button,
            spoken=one.said.spoken,
            heard_up_to=heard_by(one, heard.hearings),
            locale=one.said.locale if one.said.locale != locale else None,
            **_timing(before, one),
            replies=tuple(heard.replies.get(one.turn_id, ())),
            tools=tuple(heard.runs.get(one.turn_id, ())),
            meanwhile=_meanwhile(one, next_, entries, heard),
            expect=Expectations(scene=heard.scenes.get(one.said.client_message_id) or None),
        )
        for before, one, next_ in zip([None, *messages], messages, following, strict=False)
    )


def _meanwhile(
    one: RecordedMessage, next_: RecordedMessage | None, entries: Sequence[Logged], heard: _Heard
) -> tuple[Event, ...]:
    events = [*events_of(one, next_, entries, heard.restarts), *heard_events(one, heard.hearings)]
    return tuple(sorted(events, key=lambda event: event.at_ms or 0))


def _timing(before: RecordedMessage | None, one: RecordedMessage) -> dict[str, int]:
    """When the message came, as the fields of its turn."""
    if before is None:
        return {}
    if interrupts(before, one):
        return {"barge_in_ms": one.at_ms - before.at_ms}
    if before.ended_ms is None or one.at_ms < before.ended_ms:
        return {"at_ms": one.at_ms - before.at_ms}
    return {"after_ms": one.at_ms - before.ended_ms}


def _level(entries: Sequence[Logged]) -> Level:
    level: Level = "anonymous"
    for logged in entries:
        if isinstance(logged.entry, Identified):
            level = logged.entry.level
    return level


def _lacked_credential(entries: Sequence[Logged]) -> bool:
    """Whether a call was denied because the site had given no credential along, or it had expired."""
    ended = (logged.entry.outcome for logged in entries if isinstance(logged.entry, CallEnded))
    denied = CredentialError(refused=False).for_model
    return any(isinstance(one, CallDenied) and one.for_model == denied for one in ended)


def _embedded(entries: Sequence[Logged]) -> bool:
    """Whether the embedded model decided, which is trusted with no side effect."""
    asked = [logged.entry for logged in entries if isinstance(logged.entry, ModelAsked)]
    return any(one.model == "offline" for one in asked)


def _about(messages: Sequence[RecordedMessage], now: datetime) -> str:
    said = messages[0].said
    text = " ".join((said.text or ", ".join(file.name for file in said.attachments)).split())
    shown = text if len(text) <= _SHOWN else f"{text[:_SHOWN].rsplit(' ', 1)[0]} ..."
    more = len(messages) - 1
    others = f"and {more} more message{'s' * (more > 1)}, " if more else ""
    return f"{shown} ({others}recorded on {now:%Y-%m-%d})"


@dataclass(frozen=True, slots=True)
class ReplayedRecording:
    """A recording as it goes today, and the first thing that is not as it was; "" for none."""

    cassette: Cassette
    difference: str = ""


def compare_with_replay(cassette: Cassette, played: Played) -> ReplayedRecording:
    """The cassette with the frames and scenes that replaying it brought.

    ``difference`` names the first line of a scene that is another, or else the first thing that was asked for
    and is not in the recording, or the other way round.
    """
    scenes = scenes_of(played.state)
    turns: list[Turn] = []
    difference = ""
    for number, turn in enumerate(cassette.turns, 1):
        now = scenes.get(f"m{number}", "")
        as_read = Expectations(scene=now).scene
        difference = difference or _difference(number, turn.expect.scene, as_read)
        # What a file cannot hold is left to the frames.
        scene = now if now and now == as_read else None
        turns.append(turn.model_copy(update={"expect": turn.expect.model_copy(update={"scene": scene})}))
    frames = tuple(HeardFrame(at_ms=heard.at_ms, frame=heard.frame) for heard in played.frames)
    found = cassette.model_copy(
        update={"turns": tuple(turns), "frames": frames, "bundle": played.bundle or None}
    )
    return ReplayedRecording(found, difference or next(iter(played.unscripted), ""))


def _difference(number: int, before: str | None, now: str | None) -> str:
    if before is None:
        return ""  # it had not been answered when it was recorded
    for was, is_ in zip_longest(before.splitlines(), (now or "").splitlines(), fillvalue="(nothing more)"):
        if was != is_:
            return f"turn {number}\n    was: {was.strip()}\n    is:  {is_.strip()}"
    return ""


T = TypeVar("T", bound=BaseModel)

_IN_A_REPLAY: Final = CountedIds().new()
"""The first id that a replay gives is its conversation's: what refers to one of its results leads there again."""

_ANOTHER: Final = "earlier-{number}"
_REFERENCE: Final = r"(?<=\bresult:)[^\s/\"'\\]+(?=/[^\s/\"'\\]+/c\d)"


def with_replay_ids(cassette: Cassette, conversation: str) -> Cassette:
    """The same cassette, in which nothing names the conversation that it was recorded of, or another of before.

    Texts and arguments in pieces keep their pieces and times; one that has become empty is left out.
    """
    return _Names(conversation).in_model(cassette)


class _Names:
    """What each conversation is called, the same one the same everywhere."""

    def __init__(self, conversation: str) -> None:
        self._names = {conversation: _IN_A_REPLAY}
        self._pattern = re.compile(rf"{_REFERENCE}|(?<!\w){re.escape(conversation)}(?!\w)")

    def in_model(self, part: T) -> T:
        """A part of a cassette, with every text in it."""
        fields = {name: self._in(getattr(part, name)) for name in type(part).model_fields}
        if isinstance(part, Reply):
            fields["pieces"] = self._in_pieces(part.pieces)
        return part.model_copy(update=fields)

    def _in(self, value: object) -> object:
        match value:
            case str():
                return self._pattern.sub(lambda found: self._instead(found[0]), value)
            case BaseModel():
                return self.in_model(value)
            case Mapping():
                pairs = cast("Mapping[str, object]", value)
                return {key: self._in(inner) for key, inner in pairs.items()}
            case list() | tuple():
                row = (self._in(inner) for inner in cast("Sequence[object]", value))
                return tuple(row) if isinstance(value, tuple) else list(row)
            case _:
                return value

    def _in_pieces(self, pieces: Sequence[Piece]) -> tuple[Piece, ...]:
        """A name may begin in one piece and end in another."""
        kept: list[Piece | None] = list(pieces)
        calls = {piece.index for piece in pieces if isinstance(piece, ArgumentsPiece)}
        for call in (None, *sorted(calls)):
            own = [place for place, piece in enumerate(pieces) if _belongs(piece, call)]
            written = [_written(pieces[place]) for place in own]
            for place, text in zip(own, replace_spans(written, self._spans("".join(written))), strict=True):
                kept[place] = _with_text(pieces[place], text)
        return tuple(piece for piece in kept if piece is not None)

    def _spans(self, text: str) -> list[Span]:
        found = self._pattern.finditer(text)
        return [Span(one.start(), one.end(), self._instead(one[0])) for one in found]

    def _instead(self, name: str) -> str:
        return self._names.setdefault(name, _ANOTHER.format(number=len(self._names)))


def _belongs(piece: Piece, call: int | None) -> bool:
    """Whether it is one of this call's arguments; of the reply's words where there is no call."""
    if call is None:
        return isinstance(piece, TextPiece)
    return isinstance(piece, ArgumentsPiece) and piece.index == call


def _written(piece: Piece) -> str:
    match piece:
        case TextPiece(text=text) | ArgumentsPiece(arguments=text):
            return text
        case _:
            return ""


def _with_text(piece: Piece, text: str) -> Piece | None:
    """The piece with another text; None where that is empty and was not."""
    if text == _written(piece):
        return piece
    field = "text" if isinstance(piece, TextPiece) else "arguments"
    return piece.model_copy(update={field: text}) if text else None
