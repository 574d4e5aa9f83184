"""What must be true of every conversation's log, whatever happened in it."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from assistant.conversation.calls import Call
from assistant.conversation.entries import (
    CallEnded,
    CallRequested,
    CallStarted,
    ConfirmationAnswered,
    ConfirmationAsked,
    CustomerMessage,
    Entry,
    Logged,
    MessageClosed,
    MessageOpened,
    MessageText,
    ModelAsked,
    Snapshot,
    TurnEnded,
    TurnStarted,
)
from assistant.conversation.outcomes import CallCancelled, CallEmpty, CallFailed, CallSucceeded
from assistant.conversation.state import ConversationState
from assistant.conversation.turn_state import TurnState
from assistant.testing.chat import KEY
from tests.turn.any_company import ASKED_ABOUT, BEGUN_TWICE, WRITES, AnyTool, number_in

AGREEING = ("yes", "Yes", "only the first")


def complaints(entries: Sequence[Logged], tools: Mapping[str, AnyTool]) -> list[str]:
    """Whatever is wrong with this log, in words."""
    state = ConversationState(entries)
    return [
        *turns(entries, state),
        *calls(entries),
        *memories(entries),
        *messages(entries),
        *consent(entries, state),
        *runs(entries, tools),
        *telling(entries, state),
    ]


def turns(entries: Sequence[Logged], state: ConversationState) -> Iterator[str]:
    """One at a time, each ended once, one for each message; only calls' ends and memories come behind the end."""
    if [one.seq for one in entries] != list(range(1, len(entries) + 1)):
        yield "the numbers have gaps"
    running = ""
    over = set[str]()
    for one in entries:
        match one.entry:
            case TurnStarted(turn_id=id_):
                if running:
                    yield f"{id_} begins while {running} runs"
                running = id_
            case TurnEnded(turn_id=id_):
                if running != id_:
                    yield f"{id_} ends, and does not run"
                running = ""
                over.add(id_)
            case CallEnded() | Snapshot():
                pass
            case other if one.turn_id in over:
                yield f"{type(other).__name__} comes after the end of {one.turn_id}"
            case _:
                pass
    if running:
        yield f"{running} has no end"
    asked = Counter(turn.message.message_id for turn in state.turns if not turn.unasked)
    said = [one.entry.message_id for one in entries if isinstance(one.entry, CustomerMessage)]
    if asked != Counter(said):
        yield f"not one turn for each message: {asked}"
    for turn in state.turns:
        answered = any(message.kind == "response" and message.text.strip() for message in turn.messages)
        if not answered and turn.how != "interrupted" and not turn.unasked:
            yield f"{turn.id} says nothing"


def calls(entries: Sequence[Logged]) -> Iterator[str]:
    """Each has one end; it starts once, unless a machine stopped, and not after its end."""
    requested = Counter(
        (one.turn_id, one.entry.call.id) for one in entries if isinstance(one.entry, CallRequested)
    )
    ended = Counter(
        (one.turn_id, one.entry.outcome.call.id) for one in entries if isinstance(one.entry, CallEnded)
    )
    if requested != ended or any(times > 1 for times in ended.values()):
        yield f"not one end for each call: {requested} {ended}"
    over = set[tuple[str, str]]()
    waiting = set[str]()
    # What was agreed to runs although a newer message waits.
    agreed = {
        one.turn_id
        for one in entries
        if isinstance(one.entry, ConfirmationAnswered) and one.entry.answer == "yes"
    }
    for one in entries:
        match one.entry:
            case CallStarted(call_id=id_, tool=tool):
                if (one.turn_id, id_) in over:
                    yield f"{one.turn_id} {id_} starts after its end"
                held = waiting and one.turn_id not in agreed
                if tool in WRITES and held and one.entry.call_id not in begun(entries, one):
                    yield f"{one.turn_id} {id_} starts while {waiting} waits"
            case CallEnded(outcome=outcome):
                over.add((one.turn_id, outcome.call.id))
            case CustomerMessage(message_id=id_):
                waiting.add(id_)
            case TurnStarted(message_id=id_):
                waiting.discard(id_)
            case _:
                pass


def begun(entries: Sequence[Logged], until: Logged) -> set[str]:
    """The calls of the same turn that had started before."""
    return {
        one.entry.call_id
        for one in entries[: until.seq - 1]
        if one.turn_id == until.turn_id and isinstance(one.entry, CallStarted)
    }


def memories(entries: Sequence[Logged]) -> Iterator[str]:
    """A rule's of each call, once: right before its turn's end, or right behind its own where that comes later."""
    ended: set[tuple[str, str]] = set()
    missing: set[tuple[str, str]] = set()
    over = set[str]()
    for one in entries:
        late = {place for place in missing if place[0] in over}
        match one.entry:
            case CallEnded(outcome=outcome):
                ended.add((one.turn_id, outcome.call.id))
                missing.add((one.turn_id, outcome.call.id))
            case Snapshot(call_id=id_, made_by="rule") if (one.turn_id, id_) in missing:
                missing.discard((one.turn_id, id_))
            case Snapshot(call_id=id_, made_by="rule"):
                again = "again" if (one.turn_id, id_) in ended else "before its end"
                yield f"{one.turn_id} {id_} is remembered {again}"
            case TurnEnded(turn_id=id_):
                over.add(id_)
                if left := [call for turn, call in missing if turn == id_]:
                    yield f"{id_} ends, and {left} are not remembered"
            case _:
                pass
        if late and not isinstance(one.entry, Snapshot):
            yield f"{late} ended late, and {type(one.entry).__name__} comes first"
    if missing:
        yield f"not remembered: {missing}"


def messages(entries: Sequence[Logged]) -> Iterator[str]:
    """One at a time, each closed once."""
    open_: str | None = None
    for one in entries:
        match one.entry:
            case MessageOpened(message_id=id_):
                if open_ is not None:
                    yield f"{id_} opens while {open_} is being said"
                open_ = id_
            case MessageText(message_id=id_) | MessageClosed(message_id=id_) if id_ != open_:
                yield f"{type(one.entry).__name__} of {id_}, while {open_} is being said"
            case MessageClosed():
                open_ = None
            case TurnEnded(turn_id=id_) if open_ is not None:
                yield f"{id_} ends while {open_} is being said"
            case _:
                pass


def consent(entries: Sequence[Logged], state: ConversationState) -> Iterator[str]:
    """No side effect that must be asked about runs without a yes to it, nor twice for one.

    Each write must be asked about once a model has read what a tool returned: the customers here name no write.
    """
    has_text = has_read = False
    read_before = dict[tuple[str, str], bool]()
    asked: dict[str, ConfirmationAsked] = {}
    allowed: Counter[tuple[str, str]] = Counter()
    counted = set[tuple[str, str]]()
    for one in entries:
        match one.entry:
            case CallEnded(outcome=CallSucceeded() | CallFailed()):
                has_text = True
            case ModelAsked():
                has_read = has_text
            case CallRequested(call=call):
                read_before[one.turn_id, call.id] = has_read
            case ConfirmationAsked(confirmation_id=id_):
                asked[id_] = one.entry
            case ConfirmationAnswered(answer="yes", confirmation_id=id_, agreed_call_ids=agreed):
                if (said := state.turn(one.turn_id).message.text) not in AGREEING:
                    yield f"{said!r} is taken for a yes"
                for call in asked[id_].calls:
                    if not agreed or call.id in agreed:
                        allowed[key(call.tool, call)] += 1
            case CallStarted(call_id=id_, tool=tool) if (one.turn_id, id_) not in counted:
                counted.add((one.turn_id, id_))
                if tool in ASKED_ABOUT or (tool in WRITES and read_before[one.turn_id, id_]):
                    started = key(tool, ran_with(state.turn(one.turn_id), id_, one.entry))
                    if not allowed[started]:
                        yield f"{one.turn_id} {id_}: {tool} runs without a yes"
                    allowed[started] -= 1
            case _:
                pass


def ran_with(turn: TurnState, id_: str, entry: CallStarted) -> Call:
    call = next(one for one in turn.calls if one.id == id_)
    return call if entry.arguments is None else Call(id=id_, tool=call.tool, arguments=entry.arguments)


def key(tool: str, call: Call) -> tuple[str, str]:
    return tool, repr(sorted(call.arguments.items()))


def runs(entries: Sequence[Logged], tools: Mapping[str, AnyTool]) -> Iterator[str]:
    """No side effect runs twice, unless it says that it may; and none that ran is called cancelled."""
    for name in WRITES:
        ran = Counter(tools[name].ran)
        twice = [id_ for id_, times in ran.items() if times > 1]
        if name not in BEGUN_TWICE and twice:
            yield f"{name} ran twice: {twice}"
        for one in entries:
            if isinstance(one.entry, CallEnded) and isinstance(one.entry.outcome, CallCancelled):
                call = one.entry.outcome.call
                if call.tool == name and f"{KEY.conversation}/{one.turn_id}/{call.id}" in ran:
                    yield f"{one.turn_id} {call.id} ran, and is called cancelled"


def telling(entries: Sequence[Logged], state: ConversationState) -> Iterator[str]:
    """What was found is told, in one whole message; of a lookup that was made again, the newer will do."""
    texts = [message for turn in state.turns for message in turn.messages]
    for one in entries:
        entry: Entry = one.entry
        if (
            not isinstance(entry, CallEnded)
            or not isinstance(entry.outcome, CallSucceeded)
            or entry.reused_from
        ):
            continue
        word = f"Number {number_in(entry.outcome.value)}"
        in_them = [message for message in texts if word in message.text]
        whole = [message for message in in_them if message.kind == "response" and not message.interrupted]
        if not in_them and not made_again(entry.outcome.call, one, state):
            yield f"{one.turn_id} {entry.outcome.call.id}: {word} is told nowhere"
        if len(whole) > 1 and entry.outcome.call.tool != "kept":
            yield f"{one.turn_id} {entry.outcome.call.id}: {word} is told in {[each.id for each in whole]}"


def made_again(call: Call, ended: Logged, state: ConversationState) -> bool:
    if call.tool in WRITES:
        return False
    places = [turn.id for turn in state.turns]
    later = state.turns[places.index(ended.turn_id) + 1 :]
    return any(
        isinstance(other, CallSucceeded | CallEmpty)
        and other.call.tool == call.tool
        and other.call.arguments == call.arguments
        for turn in later
        for other in turn.outcomes.values()
    )
