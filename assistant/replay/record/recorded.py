"""Makes a cassette of a conversation's log: everything that came from outside, with its times."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, tzinfo

from assistant.conversation.customer import ConversationKey, Level
from assistant.conversation.entries import CallEnded, Identified, Logged, ModelAsked
from assistant.conversation.outcomes import CallDenied, CallSucceeded
from assistant.conversation.state import ConversationState
from assistant.conversation.views import with_files
from assistant.errors import AssistantError, CredentialError
from assistant.replay.cassette import Cassette, Event, Turn, Who
from assistant.replay.expectations import Expectations
from assistant.replay.played import scenes_of
from assistant.replay.record.events import events_of
from assistant.replay.record.heard import Hearing, heard_by, hearing_events, hearings_in
from assistant.replay.record.people import people_in
from assistant.replay.record.renamed import renamed
from assistant.replay.record.replies import reply_to
from assistant.replay.record.requests import requests_in
from assistant.replay.record.restarts import Restart, restarts_in
from assistant.replay.record.runs import runs_in
from assistant.replay.record.spoken import Spoken, speaks_over, spoken_in
from assistant.replay.replies import Reply, Run
from assistant.sessions.config_version import bundle_of

_SHOWN = 60


def recorded(
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
    messages = spoken_in(entries)
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
    return renamed(cassette, key.conversation)


def left_out(entries: Sequence[Logged]) -> list[str]:
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
    hearings: Sequence[Hearing]


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
    return _Heard(replies, runs, scenes, restarts_in(entries, requests), hearings_in(entries))


def _asked_turns(state: ConversationState) -> dict[str, str]:
    """For each turn the last that answered a message by then: replies are used up in their order."""
    asked: dict[str, str] = {}
    last = ""
    for turn in state.turns:
        last = last if turn.unasked else turn.id
        asked[turn.id] = last
    return asked


def _turns(entries: Sequence[Logged], messages: Sequence[Spoken], locale: str) -> tuple[Turn, ...]:
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
    one: Spoken, next_: Spoken | None, entries: Sequence[Logged], heard: _Heard
) -> tuple[Event, ...]:
    events = [*events_of(one, next_, entries, heard.restarts), *hearing_events(one, heard.hearings)]
    return tuple(sorted(events, key=lambda event: event.at_ms or 0))


def _timing(before: Spoken | None, one: Spoken) -> dict[str, int]:
    """When the message came, as the fields of its turn."""
    if before is None:
        return {}
    if speaks_over(before, one):
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


def _about(messages: Sequence[Spoken], now: datetime) -> str:
    said = messages[0].said
    text = " ".join((said.text or ", ".join(file.name for file in said.attachments)).split())
    shown = text if len(text) <= _SHOWN else f"{text[:_SHOWN].rsplit(' ', 1)[0]} ..."
    more = len(messages) - 1
    others = f"and {more} more message{'s' * (more > 1)}, " if more else ""
    return f"{shown} ({others}recorded on {now:%Y-%m-%d})"
