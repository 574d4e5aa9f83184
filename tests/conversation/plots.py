"""The events of generated conversations, turn by turn."""

from dataclasses import replace

from assistant.conversation.calls import Call, call_id
from assistant.conversation.chunks import StreamEnded
from assistant.conversation.entries import (
    AgentMessage,
    CallEnded,
    CallRequested,
    CallsPending,
    CallStarted,
    ConfirmationAnswered,
    ConfirmationAsked,
    DecisionClosed,
    ForwardedToAgent,
    Handoff,
    Logged,
    ModelAsked,
    ModelChunks,
    ModelRole,
    ResultsDelivered,
    TurnStarted,
)
from assistant.conversation.outcomes import CallAwaitingConfirmation, CallCancelled, CallDenied
from assistant.conversation.turn_state import TurnState
from assistant.conversation.values import MessageKind
from tests.conversation.choices import Choices
from tests.conversation.made_up import READS, STYLES, WRITES, call_of, thoughts_of
from tests.conversation.scribe import Scribe, Stopped

ROUNDS = 3


def conversation(given: bytes) -> list[Logged]:
    """The log of a conversation of up to eight turns, as these bytes will have it."""
    scribe = Scribe(Choices(given))
    for _ in range(1 + scribe.choices.up_to(7)):
        if scribe.choices.happens(6):
            _with_a_person(scribe)
        if scribe.choices.happens(4):
            scribe.end_a_call()
        if scribe.state.late and scribe.choices.happens():
            _taken(scribe, "late_result")
        scribe.hears()
        if scribe.choices.happens(6):
            scribe.hears()
        while scribe.state.waiting:
            _taken(scribe, "message")
    return scribe.log


def _with_a_person(scribe: Scribe) -> None:
    handoff = f"h-{scribe.mark('h')}"
    scribe.write(Handoff(handoff_id=handoff, state="accepted", name="Sam"), of="")
    for _ in range(scribe.choices.up_to(4)):
        if scribe.choices.happens():
            said = AgentMessage(
                message_id=scribe.mark("p"), handoff_id=handoff, name="Sam", text=scribe.text("person")
            )
            scribe.write(said, of="")
        else:
            passed = scribe.hears()
            scribe.write(ForwardedToAgent(message_id=passed.message_id, handoff_id=handoff), of="")
    scribe.write(Handoff(handoff_id=handoff, state="ended"), of="")
    if scribe.state.said and scribe.choices.happens():
        _taken(scribe, "handoff")


def _taken(scribe: Scribe, cause: str) -> None:
    """A turn, whatever becomes of it."""
    turn_id = f"t{len(scribe.state.turns) + 1}"
    try:
        match cause:
            case "message":
                _begins(scribe, turn_id, cause, scribe.state.waiting[0].message_id)
                _answers_message(scribe)
            case "late_result":
                late = list(scribe.state.late)
                _begins(scribe, turn_id, cause, scribe.state.turn(late[0][0]).message.message_id)
                message = scribe.opens("own", 1, own_words=True)
                scribe.write(ResultsDelivered(message_id=message, calls=tuple(late)))
                scribe.closes(message, "response")
            case _:
                _begins(scribe, turn_id, "handoff", next(reversed(scribe.state.said)))
                scribe.closes(scribe.opens("said", 1, own_words=False), "response")
    except Stopped:
        scribe.stops()
        return
    turn = scribe.state.turn(turn_id)
    failed = any(round_.closed is not None and round_.closed.how == "failed" for round_ in turn.rounds)
    scribe.ends("awaiting_confirmation" if turn.asked else "apologised" if failed else "answered")


def _begins(scribe: Scribe, turn_id: str, cause: str, message_id: str) -> None:
    assert cause in ("message", "late_result", "handoff")
    scribe.turn_id = turn_id
    scribe.write(TurnStarted(turn_id=turn_id, message_id=message_id, cause=cause, bundle="b"))


def _answers_message(scribe: Scribe) -> None:
    turn = scribe.state.turns[-1]
    if scribe.state.question is not None and _answer(scribe, turn):
        calls = turn.rounds[0].calls if turn.rounds else []
    else:
        calls = _decides(scribe, turn, 1)
    round_ = 1
    while calls:
        _runs(scribe, turn, calls)
        round_ += 1
        if not turn.standing or (round_ > ROUNDS):
            break
        calls = _decides(scribe, turn, round_)
    if turn.waiting_calls:
        _asks(scribe, turn)


def _answer(scribe: Scribe, turn: TurnState) -> bool:
    """Takes up an open question; whether that decides all there is to decide."""
    question = scribe.state.question
    assert question is not None
    answer = scribe.choices.one_of(("yes", "no", "correction", "unclear", "dropped"))
    scribe.write(ConfirmationAnswered(confirmation_id=question.confirmation_id, answer=answer))
    if answer != "yes":
        if answer == "no":
            scribe.closes(scribe.opens("said", 1, own_words=False), "response")
            scribe.write(DecisionClosed(round=1, call_ids=()))
        return answer == "no"
    agreed = tuple(
        replace(call, id=call_id(1, number), provider_id=None, opaque=None)
        for number, call in enumerate(question.calls, start=1)
    )
    for call in agreed:
        scribe.write(CallRequested(call=call))
    scribe.closes(scribe.opens("hint", 1, own_words=False), "acknowledgement", agreed)
    scribe.write(DecisionClosed(round=1, call_ids=tuple(call.id for call in agreed)))
    return True


def _decides(scribe: Scribe, turn: TurnState, round_: int) -> list[Call]:
    """One decision: words, calls, both, or neither; asked for again now and then."""
    choices = scribe.choices
    role: ModelRole = "decider" if round_ == 1 else "narrator"
    scribe.write(ModelAsked(round=round_, role=role, model="made up"))
    style = choices.one_of(STYLES)
    calls = [
        call_of(round_, number, style, scribe.mark("argument"), choices)
        for number in range(1, choices.up_to(4) + 1)
    ]
    promised = choices.happens(8)
    message = scribe.opens("own", round_, own_words=True) if promised or choices.happens(3) else ""
    if promised:
        scribe.write(ModelChunks(round=round_, role=role, chunks=()))
        scribe.closes(message, "status")
        scribe.write(ModelAsked(round=round_, role=role, model="made up", attempt=2))
        message = ""
    if calls and not message and not promised:
        message = scribe.opens("hint", round_, own_words=False)
    for call in choices.in_any_order(calls):
        scribe.write(CallRequested(call=call))
        if call.tool in READS and choices.happens():
            _starts(scribe, turn, call)
    thoughts = [(place, one) for place, one in enumerate(thoughts_of(scribe.mark, choices))]
    scribe.write(ModelChunks(round=round_, role=role, chunks=(*thoughts, (9, StreamEnded("stop")))))
    if not calls and not message:
        message = scribe.opens("own", round_, own_words=True)
    if message:
        kind: MessageKind = "response" if not calls else "acknowledgement" if round_ == 1 else "status"
        scribe.closes(message, kind, calls)
    ids = tuple(call.id for call in calls)
    scribe.write(
        DecisionClosed(round=round_, call_ids=ids, how="failed" if choices.happens(16) else "complete")
    )
    return calls


def _starts(scribe: Scribe, turn: TurnState, call: Call) -> None:
    """The call runs, is the same as another, was called off, or may not run at all."""
    if call.id in turn.started or call.id in turn.outcomes:
        return
    first = turn.calls[0]
    match scribe.choices.up_to(9):
        case 7 if first.id != call.id:
            same = CallCancelled(call=call, why="it was called before", duplicate_of=first.id)
            scribe.write(CallEnded(outcome=same))
        case 8:
            scribe.write(CallEnded(outcome=CallCancelled(call=call, why=scribe.mark("result"))))
        case 9:
            denied = CallDenied(call=call, say="", for_model=scribe.mark("result"))
            scribe.write(CallEnded(outcome=denied))
        case _:
            scribe.write(CallStarted(call_id=call.id, tool=call.tool, idempotency_key=f"{turn.id}/{call.id}"))
            if scribe.choices.happens() and call.id not in turn.outcomes:
                scribe.call_ends(turn, call)


def _runs(scribe: Scribe, turn: TurnState, calls: list[Call]) -> None:
    """What can run does; what does not end in time goes on, with a word to the customer."""
    for call in calls:
        if call.tool not in WRITES or scribe.choices.happens():
            _starts(scribe, turn, call)
    if scribe.choices.happens(6):
        scribe.closes(scribe.opens("said", turn.latest_round, own_words=False), "status")
    for call in scribe.choices.in_any_order(turn.running):
        if call.id not in turn.outcomes and not scribe.choices.happens(5):
            scribe.call_ends(turn, call)
    if pending := tuple(call.id for call in turn.running):
        scribe.write(CallsPending(call_ids=pending))


def _asks(scribe: Scribe, turn: TurnState) -> None:
    """Reads back what waits for a yes, and ends it for this turn."""
    waiting = tuple(turn.waiting_calls)
    scribe.closes(scribe.opens("said", turn.latest_round, own_words=False), "response")
    asked = ConfirmationAsked(
        confirmation_id=f"{turn.id}/q", calls=waiting, read_back="Shall I?", expires_at_ms=0
    )
    scribe.write(asked)
    for call in turn.waiting_calls:
        scribe.write(CallEnded(outcome=CallAwaitingConfirmation(call=call)))
