"""Makes a cassette from a conversation's log: everything that came from outside, with times.

The ids of conversations are replaced. `compare_with_replay` compares a new recording with a replay of it.
"""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, tzinfo
from itertools import zip_longest
from typing import Final, cast, get_args

from assistant.conversation.customer import ConversationKey, Level
from assistant.conversation.entries import (
    BudgetName,
    CallEnded,
    DecisionClosed,
    Identified,
    Logged,
    ModelAsked,
    SupervisionChosen,
)
from assistant.conversation.outcomes import CallDenied, CallSucceeded, Outcome
from assistant.conversation.state import ConversationState
from assistant.conversation.values import Json
from assistant.conversation.views import with_files
from assistant.errors import AssistantError, CredentialError
from assistant.replay.cassette import Cassette, HeardFrame, Turn, Who
from assistant.replay.expectations import Expectations
from assistant.replay.played import Played, scenes_of
from assistant.replay.recording.conversation_events import (
    HeardUpdate,
    RecordedMessage,
    Restart,
    events_of,
    heard_by,
    heard_updates_in,
    interrupts,
    people_in,
    recorded_messages_in,
    restarts_in,
)
from assistant.replay.recording.logged_replies import reply_to, requests_in, runs_in
from assistant.replay.recording.masking import rewrite
from assistant.replay.recording.pseudonymizer import Span
from assistant.replay.replies import Reply, Run
from assistant.sessions.config_version import bundle_of
from assistant.testing.counted_ids import CountedIds

_SHOWN = 60


def cassette_from_log(
    entries: Sequence[Logged], key: ConversationKey, *, zone: tzinfo = UTC, name: str | None = None
) -> Cassette:
    """Returns the unmasked cassette of one conversation, with a new conversation id.

    It begins with the customer's first message. The scene of each turn becomes its expectation. If a message
    had files, their texts are in the results of the calls that read them. Several clients of one conversation
    are recorded as one. Ratings, and how far the customer had read, are left out.

    Args:
        entries: the whole log of the conversation.
        key: the key of the conversation, with its customer.
        zone: the company's time zone.
        name: the customer's name, which is not in the log.

    Raises:
        AssistantError: the customer wrote no message, or the models' replies have been deleted from the log.
    """
    messages = recorded_messages_in(entries)
    if not messages:
        raise AssistantError(f"the customer wrote nothing in conversation {key.conversation!r}")
    first = messages[0]
    levels = _levels_in(entries)
    now = datetime.fromtimestamp(first.at_ms // 1000, UTC).astimezone(zone)
    who = Who(
        tenant=key.tenant,
        id=key.customer,
        level=levels[-1] if levels else "anonymous",
        name=name,
        locale=first.said.locale,
        # A call is denied with this text if the site sent no credential, or if the credential had expired.
        credential=not any(
            isinstance(one, CallDenied) and one.for_model == CredentialError(refused=False).for_model
            for one in _outcomes_in(entries)
        ),
    )
    cassette = Cassette(
        about=_about(messages, now),
        now=now,
        customer=who,
        bundle=bundle_of(entries) or None,
        agents=people_in(entries),
        # The embedded model may cause no side effects without a confirmation.
        confirm_every_write=any(
            isinstance(logged.entry, ModelAsked) and logged.entry.model == "offline" for logged in entries
        ),
        turns=_turns(entries, messages, who.locale),
    )
    return with_replay_ids(cassette, key.conversation)


def not_replayable(entries: Sequence[Logged]) -> list[str]:
    """Returns what a replay of this log cannot reproduce, one line each."""
    notes = [run.note for run in runs_in(entries) if run.note]
    notes += [
        f"the full result of {one.call.tool}, which is kept no longer: the file has its shorter form"
        for one in _outcomes_in(entries)
        if isinstance(one, CallSucceeded) and one.full_ref
    ]
    notes += [
        "a budget was spent, so no model was asked; a replay has no budgets, and misses the model's reply"
        for logged in entries
        if isinstance(logged.entry, DecisionClosed) and logged.entry.how in get_args(BudgetName)
    ]
    notes += [
        f"staff supervised a turn ({logged.entry.mode}); in a replay the assistant answers as usual"
        for logged in entries
        if isinstance(logged.entry, SupervisionChosen)
    ]
    levels = _levels_in(entries)
    if len(set(levels)) > 1:
        notes.append(f"the customer was known as {', then '.join(levels)}: the file has the last of these")
    return [f"{note} ({times} times)" if times > 1 else note for note, times in Counter(notes).items()]


@dataclass(frozen=True, slots=True)
class _Heard:
    """The replies and runs by turn id, the scenes by the client's message id, and the other events."""

    replies: dict[str, list[Reply]]
    runs: dict[str, list[Run]]
    scenes: dict[str, str]
    restarts: Sequence[Restart]
    hearings: Sequence[HeardUpdate]
    policies: dict[str, tuple[str, ...]]


def _heard(entries: Sequence[Logged]) -> _Heard:
    requests = requests_in(entries)
    state = ConversationState(entries)
    # A turn with late results uses replies after the last turn that answered a message, because the cassette
    # has no message for it.
    asked: dict[str, str] = {}
    last = ""
    for turn in state.turns:
        last = last if turn.unasked else turn.id
        asked[turn.id] = last
    replies: dict[str, list[Reply]] = {}
    runs: dict[str, list[Run]] = {}
    for request in requests:
        replies.setdefault(asked[request.turn_id], []).append(reply_to(request))
    for one in runs_in(entries):
        runs.setdefault(one.turn_id, []).append(one.run)
    scenes = scenes_of(state)
    if state.unfinished is not None:
        del scenes[state.unfinished.message.client_message_id]
    return _Heard(
        replies,
        runs,
        scenes,
        restarts_in(entries, requests),
        heard_updates_in(entries),
        {turn.id: turn.policies or () for turn in state.turns},
    )


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
            policies=heard.policies.get(one.turn_id, ()),
            replies=tuple(heard.replies.get(one.turn_id, ())),
            results=tuple(heard.runs.get(one.turn_id, ())),
            meanwhile=events_of(one, next_, entries, heard.restarts, heard.hearings),
            expect=Expectations(scene=heard.scenes.get(one.said.client_message_id) or None),
        )
        for before, one, next_ in zip([None, *messages], messages, following, strict=False)
    )


def _timing(before: RecordedMessage | None, one: RecordedMessage) -> dict[str, int]:
    """Returns the time of the message, as a field of its turn."""
    if before is None:
        return {}
    if interrupts(before, one):
        return {"barge_in_ms": one.at_ms - before.at_ms}
    if before.ended_ms is None or one.at_ms < before.ended_ms:
        return {"at_ms": one.at_ms - before.at_ms}
    return {"after_ms": one.at_ms - before.ended_ms}


def _levels_in(entries: Sequence[Logged]) -> list[Level]:
    return [logged.entry.level for logged in entries if isinstance(logged.entry, Identified)]


def _outcomes_in(entries: Sequence[Logged]) -> list[Outcome]:
    return [logged.entry.outcome for logged in entries if isinstance(logged.entry, CallEnded)]


def _about(messages: Sequence[RecordedMessage], now: datetime) -> str:
    said = messages[0].said
    text = " ".join((said.text or ", ".join(file.name for file in said.attachments)).split())
    shown = text if len(text) <= _SHOWN else f"{text[:_SHOWN].rsplit(' ', 1)[0]} ..."
    more = len(messages) - 1
    others = f"and {more} more message{'s' * (more > 1)}, " if more else ""
    return f"{shown} ({others}recorded on {now:%Y-%m-%d})"


@dataclass(frozen=True, slots=True)
class ReplayedRecording:
    """A recording as a replay plays it today, and the first difference; "" if there is none."""

    cassette: Cassette
    difference: str = ""


def compare_with_replay(cassette: Cassette, played: Played) -> ReplayedRecording:
    """Returns the cassette with the frames and scenes of its replay.

    ``difference`` is the first line of a scene that differs; without one, it is the first request without a
    reply or run, or the first reply or run that was not used.
    """
    scenes = scenes_of(played.state)
    turns: list[Turn] = []
    difference = ""
    for number, turn in enumerate(cassette.turns, 1):
        now = scenes.get(f"m{number}", "")
        as_read = Expectations(scene=now).scene
        difference = difference or _difference(number, turn.expect.scene, as_read)
        # A scene that a file cannot contain unchanged is left out; the frames still show the turn.
        scene = now if now and now == as_read else None
        turns.append(turn.model_copy(update={"expect": turn.expect.model_copy(update={"scene": scene})}))
    frames = tuple(HeardFrame(at_ms=heard.at_ms, frame=heard.frame) for heard in played.frames)
    found = cassette.model_copy(
        update={"turns": tuple(turns), "frames": frames, "bundle": played.bundle or None}
    )
    return ReplayedRecording(found, difference or next(iter(played.unscripted), ""))


def _difference(number: int, before: str | None, now: str | None) -> str:
    if before is None:
        return ""  # the message had not been answered at the time of the recording
    for was, is_ in zip_longest(before.splitlines(), (now or "").splitlines(), fillvalue="(nothing more)"):
        if was != is_:
            return f"turn {number}\n    was: {was.strip()}\n    is:  {is_.strip()}"
    return ""


REPLAY_ID: Final = CountedIds().new()
"""The first id that a replay makes is the conversation's. References to its results must contain this id."""

_REFERENCE: Final = r"(?<=\bresult:)[^\s/\"'\\]+(?=/[^\s/\"'\\]+/c\d)"


def with_replay_ids(cassette: Cassette, conversation: str) -> Cassette:
    """Returns the same cassette without the recorded conversation's id, and without those of earlier
    conversations.
    """
    return rewrite(cassette, _ConversationIds(conversation))


class _ConversationIds:
    """Replaces the ids of conversations. The same id always gets the same replacement."""

    def __init__(self, conversation: str) -> None:
        self._names = {conversation: REPLAY_ID}
        self._pattern = re.compile(rf"{_REFERENCE}|(?<!\w){re.escape(conversation)}(?!\w)")

    def spans(self, text: str, *, cut: bool = False) -> list[Span]:  # noqa: ARG002 - as the protocol has it
        found = self._pattern.finditer(text)
        return [Span(one.start(), one.end(), self._instead(one[0])) for one in found]

    def argument_spans(self, written: str) -> list[Span]:
        return self.spans(written)

    def rewrite_value(self, value: Json) -> Json:
        if isinstance(value, str):
            return self._pattern.sub(lambda found: self._instead(found[0]), value)
        if isinstance(value, Mapping):
            return {key: self.rewrite_value(inner) for key, inner in value.items()}
        if isinstance(value, list | tuple):
            return [self.rewrite_value(inner) for inner in cast("Sequence[Json]", value)]
        return value

    def _instead(self, name: str) -> str:
        return self._names.setdefault(name, f"earlier-{len(self._names)}")
