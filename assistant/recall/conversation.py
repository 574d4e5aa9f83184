"""Checks one conversation of the log: applies today's rules to each of its turns."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from math import inf

from assistant.conversation.calls import Call, number_of, round_of
from assistant.conversation.chunks import CallNamed, TextDelta
from assistant.conversation.customer import ConversationKey
from assistant.conversation.documents import Attached
from assistant.conversation.entries import (
    CallEnded,
    CallRequested,
    CallStarted,
    ConfirmationAnswered,
    ConfirmationAsked,
    CustomerMessage,
    Logged,
    MessageOpened,
    MessageText,
    ModelAsked,
    ModelChunks,
    ResultsDelivered,
    SentenceSuppressed,
    TurnEnded,
    TurnStarted,
)
from assistant.conversation.outcomes import CallSucceeded, outcome_name
from assistant.conversation.state import ConversationState
from assistant.conversation.tool_spec import ToolSpec
from assistant.conversation.turn_state import TurnState
from assistant.recall.findings import (
    Checked,
    Failure,
    Gain,
    LeftOut,
    NotAgreed,
    NotAllowed,
    NotAsked,
    Place,
    Recalled,
    Unchecked,
    WriteStopped,
)
from assistant.recall.rules import Moment, Rules, SpokenReply


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredData:
    """Which data are still stored in addition to the entries.

    ``prompts`` returns whether the prompts with a hash are stored. ``file`` returns whether the text of a
    customer's file is stored.
    """

    prompts: Callable[[str], bool] = lambda _: True
    file: Callable[[Attached], bool] = lambda _: True


@dataclass(frozen=True, slots=True, kw_only=True)
class Period:
    """The period of the turns to check, in Unix ms. Earlier turns are read, but not checked."""

    since_ms: float = -inf
    until_ms: float = inf

    def __contains__(self, at_ms: int) -> bool:
        return self.since_ms <= at_ms < self.until_ms


async def recall_conversation(
    key: ConversationKey,
    entries: Sequence[Logged],
    rules: Rules,
    period: Period | None = None,
    kept: StoredData | None = None,
) -> Recalled:
    """Returns the differences that today's rules would have made in this conversation. It changes nothing.

    The conversation is rebuilt entry by entry, so each rule sees what it would have seen at that time. If a
    rule fails on an old conversation, the findings so far are kept, and the failure is reported.
    """
    found = Recalled()
    check = _Check(key, rules, period or Period(), kept or StoredData(), found)
    try:
        for logged in entries:
            await check.check_entry(logged)
        await check.close_turn()
    except Exception as error:
        # A fault in one conversation must not hide the findings of others.
        found.failures.append(Failure(key, f"{type(error).__name__}: {error}"))
    check.finish()
    found.checked["conversations"] += found.checked["turns"] > 0 or bool(found.failures)
    return found


@dataclass(frozen=True, slots=True)
class _Reading:
    """An answer to a question: the calls that ran because of it, and those that would run today."""

    question: ConfirmationAsked
    then: tuple[Call, ...]
    today: ConfirmationAnswered

    def agrees_to(self, call: Call) -> bool:
        """Whether today's reading allows this call with its arguments."""
        return self.today.answer == "yes" and (
            not self.today.agreed_call_ids or call.id in self.today.agreed_call_ids
        )


class _Check:
    """The check of one conversation."""

    def __init__(
        self, key: ConversationKey, rules: Rules, period: Period, kept: StoredData, found: Recalled
    ) -> None:
        self._key, self._rules, self._period, self._kept = key, rules, period, kept
        self._found = found
        self._state = ConversationState()
        self._turns: dict[str, list[Logged]] = {}
        self._readings: dict[str, _Reading] = {}
        self._open: str | None = None
        self._shortened = False
        self._stopped: list[tuple[TurnState, str, WriteStopped]] = []

    async def check_entry(self, logged: Logged) -> None:
        """Check the next entry, and add it to the state."""
        entry, turn_id = logged.entry, logged.turn_id
        if isinstance(entry, TurnStarted):
            await self.close_turn()
        checked = turn_id != "" and turn_id == self._open
        match entry:
            case ConfirmationAnswered() if checked:
                await self._read(entry, logged)
            case CallStarted() if turn_id in self._turns and self._is_checked(turn_id):
                self._check_write(entry, logged)
            case TurnEnded():
                await self.close_turn()
            case CustomerMessage() if logged.at_ms in self._period:
                self._unchecked("files_gone", sum(not self._kept.file(one) for one in entry.attachments))
            case _:
                pass
        self._state.apply(logged)
        if isinstance(entry, TurnStarted):
            self._turns[entry.turn_id] = [logged]
            self._open = entry.turn_id
            self._begin(entry, logged)
        elif turn_id in self._turns:
            self._turns[turn_id].append(logged)
            self._shortened = self._shortened or _is_shortened(logged)

    def finish(self) -> None:
        """Finish the findings at the end of the log: outcomes of writes, and identities of customers."""
        for turn, call_id, finding in self._stopped:
            outcome = turn.outcomes.get(call_id)
            name = outcome_name(outcome) if outcome is not None else None
            self._found.findings.append(replace(finding, outcome=name))
        self._found.findings = [
            replace(one, place=self._whose(one.place))
            for one in sorted(self._found.findings, key=lambda one: one.place.at_ms)
        ]

    def _whose(self, place: Place) -> Place:
        """Returns the same place, with the identity that a visitor had later, so that the customer can be
        contacted.
        """
        known = self._state.known_as
        if place.customer != self._key.customer or known is None or known.customer is None:
            return place
        return replace(place, customer=known.customer, name=known.name)

    def _begin(self, entry: TurnStarted, logged: Logged) -> None:
        if logged.at_ms in self._period:
            self._count("turns")
            self._unchecked("prompts_gone", not self._kept.prompts(entry.bundle))

    def _is_checked(self, turn_id: str) -> bool:
        return self._turns[turn_id][0].at_ms in self._period

    async def _read(self, recorded: ConfirmationAnswered, logged: Logged) -> None:
        """Read an answer with today's rules."""
        turn = self._state.turn(logged.turn_id)
        question = next(
            one.asked
            for one in reversed(self._state.turns)
            if one.asked is not None and one.asked.confirmation_id == recorded.confirmation_id
        )
        read = await self._rules.read_answer(self._moment(turn, logged.at_ms))
        today = read or replace(recorded, answer="unclear", agreed_call_ids=())
        then = tuple(
            call
            for call in question.calls
            if recorded.answer == "yes"
            and (not recorded.agreed_call_ids or call.id in recorded.agreed_call_ids)
        )
        reading = self._readings[turn.id] = _Reading(question, then, today)
        if not self._is_checked(turn.id):
            return
        self._count("readings")
        more = [call for call in question.calls if call not in then and reading.agrees_to(call)]
        if more:
            place = self._place(turn.id, logged.at_ms)
            self._found.gains.append(Gain(place=place, kind="understood", text=turn.message.text))

    def _check_write(self, entry: CallStarted, logged: Logged) -> None:
        """Check a call that starts, if it has a side effect."""
        turn = self._state.turn(logged.turn_id)
        call = turn.requested.get(entry.call_id)
        if call is None or entry.call_id in turn.started:
            return  # it first started before a restart, and was checked there
        call = replace(call, arguments=entry.arguments if entry.arguments is not None else call.arguments)
        spec, agreed = self._rules.spec(call.tool), self._agreed_by(turn, call)
        if spec is None:
            self._unchecked("tool_gone")
        if spec is not None and spec.effect == "read" and agreed is None:
            return
        self._count("writes")
        moment = self._moment(turn, logged.at_ms)
        finding = self._why_stopped(call, agreed, spec, moment)
        if finding is not None:
            self._stopped.append((turn, call.id, finding))

    def _why_stopped(
        self, call: Call, agreed: _Reading | None, spec: ToolSpec | None, moment: Moment
    ) -> WriteStopped | None:
        place = self._place(moment.turn.id, moment.at_ms)
        said = moment.turn.message.text
        if agreed is not None and not _agrees_to(agreed, call):
            return NotAgreed(
                place=place,
                call=call,
                said=said,
                question=agreed.question.read_back,
                reading=agreed.today.answer,
            )
        if spec is None:
            return None
        if not moment.customer.is_at_least(spec.requires):
            return NotAllowed(place=place, call=call, requires=spec.requires)
        if agreed is not None:
            return None
        must_be_asked = self._rules.must_be_asked(call, moment)
        if must_be_asked is None:
            self._unchecked("tool_differs")
        return NotAsked(place=place, call=call, said=said) if must_be_asked else None

    def _agreed_by(self, turn: TurnState, call: Call) -> _Reading | None:
        """Returns the answer that allowed a call: in its own turn, or in the turn before if the write was
        held there.
        """
        place = self._state.turns.index(turn)
        before = next((one.id for one in reversed(self._state.turns[:place]) if not one.unasked), "")
        for turn_id in (turn.id, before):
            reading = self._readings.get(turn_id)
            if reading is not None and any(_is_same(one, call) for one in reading.then):
                return reading
        return None

    async def close_turn(self) -> None:
        """Check the model's texts of a turn that has ended or will not continue."""
        turn_id, self._open = self._open, None
        if turn_id is None or not self._is_checked(turn_id):
            return
        entries, turn = self._turns[turn_id], self._state.turn(turn_id)
        for number in range(1, len(turn.rounds) + 1):
            await self._judge_round(number, entries, turn)

    async def _judge_round(self, number: int, entries: Sequence[Logged], turn: TurnState) -> None:
        asked = [place for place, one in enumerate(entries) if _asks(one, number)]
        if not asked:
            return
        shown = _plain(
            "".join(said.text for said in turn.messages if said.round == number and said.model_written)
        )
        replies = [
            _reply(number, entries, place, end)
            for place, end in zip(asked, [*asked[1:], len(entries)], strict=True)
        ]
        gone = any(reply.is_gone for reply in replies)
        moment = self._moment(turn, entries[asked[0]].at_ms)
        spoken = [reply.spoken for reply in replies]
        today = await self._rules.left_out(spoken, moment, _told(number, entries))
        then = {
            _plain(one.entry.text): one
            for one in entries
            if isinstance(one.entry, SentenceSuppressed) and one.entry.round == number
        }
        self._count("answers", shown != "")
        self._unchecked("shown_only", gone and shown != "")
        self._unchecked("shortened_results", self._shortened and shown != "")
        place = self._place(turn.id, entries[asked[-1]].at_ms)
        for one in today:
            if _plain(one.text) in then or _plain(one.text) not in shown:
                continue
            if self._shortened:
                self._unchecked("not_judged")
                continue
            self._found.findings.append(LeftOut(place=place, sentence=one.text, guardrail=one.guardrail))
        now = {_plain(one.text) for one in today}
        if not gone:
            self._found.gains += [
                Gain(place=place, kind="shown", text=one.entry.text)
                for plain, one in then.items()
                if plain not in now and isinstance(one.entry, SentenceSuppressed)
            ]

    def _moment(self, turn: TurnState, at_ms: int) -> Moment:
        return Moment(key=self._key, state=self._state, turn=turn, at_ms=at_ms)

    def _place(self, turn_id: str, at_ms: int) -> Place:
        known = self._state.known_as
        return Place(
            key=self._key,
            turn=turn_id,
            at_ms=at_ms,
            customer=(known.customer if known is not None else None) or self._key.customer,
            level=self._state.level,
            name=known.name if known is not None else None,
        )

    def _count(self, what: Checked, number: int = 1) -> None:
        self._found.checked[what] += number

    def _unchecked(self, what: Unchecked, number: int = 1) -> None:
        self._found.unchecked[what] += number


@dataclass(frozen=True, slots=True)
class _Reply:
    """One reply. ``is_gone`` is True if only the shown part is still stored."""

    spoken: SpokenReply
    is_gone: bool


def _asks(logged: Logged, number: int) -> bool:
    entry = logged.entry
    return isinstance(entry, ModelAsked) and entry.round == number and entry.role != "summariser"


def _reply(number: int, entries: Sequence[Logged], place: int, end: int) -> _Reply:
    """Returns a model's reply: from the entry of its request to the next request of the same round."""
    asking, since = entries[place], entries[place + 1 : end]
    came = next((place for place, one in enumerate(since) if _is_reply(one, number)), None)
    chunks = since[came].entry if came is not None else None
    streamed = since[:came] if came is not None else since
    pieces: list[tuple[int, TextDelta | CallNamed]] = []
    if isinstance(chunks, ModelChunks):
        pieces = [
            (asking.at_ms + ms, chunk)
            for ms, chunk in chunks.chunks
            if isinstance(chunk, TextDelta | CallNamed)
        ]
    is_gone = not pieces
    if is_gone:
        # If the model failed, later text was not the model's.
        failed = isinstance(chunks, ModelChunks) and chunks.error is not None
        pieces = [*_shown(number, streamed if failed else since)]
        # Text before a call whose arguments were lost may have been shown; the next reply repeats it.
        if pieces or chunks is not None:
            pieces += _named(number, since if chunks is not None else entries[place + 1 :])
    role = asking.entry.role if isinstance(asking.entry, ModelAsked) else "narrator"
    called = any(
        isinstance(one.entry, CallRequested) and round_of(one.entry.call.id) == number for one in since
    )
    spoken = SpokenReply(
        round=number,
        by_decider=role == "decider",
        asked_ms=asking.at_ms,
        pieces=pieces,
        is_complete=isinstance(chunks, ModelChunks) and chunks.error is None and not called,
        before=[one.entry for one in entries[:place]],
        meanwhile=streamed,
        withheld=[
            one.entry.text
            for one in since
            if isinstance(one.entry, SentenceSuppressed) and one.entry.round == number
        ],
    )
    return _Reply(spoken, is_gone)


def _told(number: int, entries: Sequence[Logged]) -> ResultsDelivered | None:
    """Returns the results of earlier turns that a round reports, if any."""
    own = _own_messages(number, entries)
    told = (
        one.entry
        for one in entries
        if isinstance(one.entry, ResultsDelivered) and one.entry.message_id in own
    )
    return next(told, None)


def _is_reply(logged: Logged, number: int) -> bool:
    entry = logged.entry
    return isinstance(entry, ModelChunks) and entry.round == number and entry.role != "summariser"


def _shown(number: int, entries: Sequence[Logged]) -> Iterator[tuple[int, TextDelta]]:
    """Yields the shown parts of a model's text, with their times."""
    own = _own_messages(number, entries)
    for one in entries:
        entry = one.entry
        if isinstance(entry, MessageText) and entry.message_id in own:
            yield one.at_ms, TextDelta(entry.text)


def _own_messages(number: int, entries: Sequence[Logged]) -> set[str]:
    """Returns the messages of a round that the model wrote."""
    return {
        one.entry.message_id
        for one in entries
        if isinstance(one.entry, MessageOpened) and one.entry.model_written and one.entry.round == number
    }


def _named(number: int, entries: Sequence[Logged]) -> list[tuple[int, CallNamed]]:
    calls = [
        (one.at_ms, one.entry.call)
        for one in entries
        if isinstance(one.entry, CallRequested) and round_of(one.entry.call.id) == number
    ]
    calls.sort(key=lambda each: number_of(each[1].id))
    return [(at_ms, CallNamed(place, call.tool)) for place, (at_ms, call) in enumerate(calls)]


def _is_same(one: Call, other: Call) -> bool:
    return one.tool == other.tool and one.arguments == other.arguments


def _agrees_to(reading: _Reading, call: Call) -> bool:
    return any(_is_same(one, call) and reading.agrees_to(one) for one in reading.question.calls)


def _is_shortened(logged: Logged) -> bool:
    entry = logged.entry
    if not isinstance(entry, CallEnded) or not isinstance(entry.outcome, CallSucceeded):
        return False
    return entry.outcome.full_ref != ""


def _plain(text: str) -> str:
    return " ".join(text.split())
