"""Whatever the log contains, each model gets a conversation that each provider accepts."""

from collections.abc import Sequence

from hypothesis import given

from assistant.conversation.calls import Call
from assistant.conversation.entries import (
    CallEnded,
    CallRequested,
    CallStarted,
    ConfirmationAsked,
    CustomerMessage,
    DecisionClosed,
    Entry,
    Logged,
    MadeBy,
    MessageClosed,
    MessageOpened,
    MessageText,
    Snapshot,
    TurnEnded,
    TurnStarted,
)
from assistant.conversation.model_views import (
    is_final,
    status_for_view,
    turn_view,
)
from assistant.conversation.outcomes import CallAwaitingConfirmation, CallPending, CallSucceeded, CallUnknown
from assistant.conversation.snapshots import as_remembered, snapshot_of
from assistant.conversation.state import ConversationState
from assistant.conversation.turn_state import TurnState
from assistant.conversation.values import Json, MessageKind
from assistant.conversation.views import FromAssistant, FromCustomer, FromTools, TurnView, View, ViewMessage
from assistant.turn.view_builder import ViewCache
from tests.conversation.histories import histories, logged, states

A = Call(id="c1.1", tool="look_up")
B = Call(id="c1.2", tool="change")


def turn_of(*entries: Entry) -> TurnState:
    """A turn with these entries, for the message "Hello"."""
    begun: list[tuple[str, Entry]] = [
        ("", CustomerMessage(message_id="u1", client_message_id="m1", text="Hello")),
        ("t1", TurnStarted(turn_id="t1", message_id="u1", cause="message", bundle="b")),
    ]
    return ConversationState(logged([*begun, *(("t1", entry) for entry in entries)])).turns[0]


def said(
    text: str,
    *,
    own_words: bool = True,
    round_: int = 1,
    kind: MessageKind | None = "response",
    cut: bool = False,
) -> list[Entry]:
    """A message; one without a kind is still open."""
    id_ = f"m:{text}"
    opened = MessageOpened(message_id=id_, round=round_, model_written=own_words)
    entries: list[Entry] = [opened, MessageText(message_id=id_, text=text)]
    if kind is not None:
        entries.append(MessageClosed(message_id=id_, kind=kind, interrupted=cut))
    return entries


STOPPED = TurnEnded(turn_id="t1", how="interrupted")


def check(messages: Sequence[ViewMessage], *, unasked: bool) -> None:
    """Calls and outcomes are in pairs, in order; a customer's message is first; no message is empty."""
    assert any(isinstance(message, FromCustomer) for message in messages) is not unasked
    for place, message in enumerate(messages):
        following = messages[place + 1] if place + 1 < len(messages) else None
        match message:
            case FromAssistant(calls=()):
                assert message.text.strip()
                assert not isinstance(following, FromTools)
                assert not (isinstance(following, FromAssistant) and not following.calls)
            case FromAssistant(calls=calls):
                assert isinstance(following, FromTools)
                assert tuple(outcome.call for outcome in following.outcomes) == calls
            case FromTools():
                before = messages[place - 1]
                assert isinstance(before, FromAssistant)
                assert before.calls
            case FromCustomer():
                assert place == 0


@given(states())
def test_every_call_is_followed_by_exactly_its_outcome(state: ConversationState) -> None:
    for turn in state.turns:
        check(turn_view(turn).messages, unasked=turn.unasked)


@given(states())
def test_the_decision_model_sees_each_call_once_and_no_hint(state: ConversationState) -> None:
    for turn in state.turns:
        messages = turn_view(turn).messages
        calls = [call for message in messages if isinstance(message, FromAssistant) for call in message.calls]
        assert calls == turn.calls
        words = " ".join(message.text for message in messages if isinstance(message, FromAssistant))
        for message in turn.messages:
            seen = message.kind is not None and (message.model_written or message.kind == "response")
            assert (message.text.strip() in words) is seen


@given(histories())
def test_a_view_is_a_pure_function_of_the_log(entries: list[Logged]) -> None:
    first, second = ConversationState(entries), ConversationState(entries)

    assert [turn_view(turn).messages for turn in first.turns] == [
        turn_view(turn).messages for turn in second.turns
    ]


@given(histories())
def test_a_stored_view_equals_a_new_one(entries: list[Logged]) -> None:
    remembered = ViewCache(turn_view)
    state = ConversationState()
    for entry in entries:
        state.apply(entry)
        fresh = [turn_view(turn).messages for turn in state.turns]
        assert [view.messages for view in remembered.views_of(state.turns)] == fresh


def test_a_settled_turn_is_built_once() -> None:
    looked: list[str] = []

    def look(turn: TurnState) -> TurnView:
        looked.append(turn.id)
        return turn_view(turn)

    turn = turn_of(*said("Hello"), TurnEnded(turn_id="t1", how="answered"))
    remembered = ViewCache(look)

    assert remembered.views_of([turn]) == remembered.views_of([turn])
    assert looked == ["t1"]


def remembering(turn: TurnState, summary: Json, made_by: MadeBy = "rule") -> None:
    turn.apply(
        Snapshot(
            call_id="c1.1",
            tool_name="look_up",
            arguments={},
            result_summary=summary,
            full_result_ref="result:0190/t1/c1.1",
            complete=False,
            made_by=made_by,
        )
    )


def test_past_turns_show_snapshots_and_the_running_one_results() -> None:
    outcome = CallSucceeded(call=A, value=["x" * 999] * 9)
    turn = turn_of(CallRequested(call=A), CallEnded(outcome=outcome))
    remembering(turn, ["x"])

    assert status_for_view(turn, A) is outcome

    turn.apply(TurnEnded(turn_id="t1", how="answered"))
    assert status_for_view(turn, A) == CallSucceeded(call=A, value=["x"], full_ref="result:0190/t1/c1.1")


def test_a_missing_snapshot_is_made_for_the_view() -> None:
    outcome = CallSucceeded(call=A, value=["x" * 999] * 9)
    turn = turn_of(CallRequested(call=A), CallEnded(outcome=outcome), TurnEnded(turn_id="t1", how="answered"))

    shown = status_for_view(turn, A, "0190")

    assert shown == as_remembered(outcome, snapshot_of(outcome, "0190", "t1"))
    assert turn_view(turn, "0190").messages[2] == FromTools((shown,))


def test_a_new_snapshot_renews_the_view() -> None:
    outcome = CallSucceeded(call=A, value=["x" * 999] * 9)
    turn = turn_of(CallRequested(call=A), CallEnded(outcome=outcome), TurnEnded(turn_id="t1", how="answered"))
    remembering(turn, ["x"])
    views = ViewCache(turn_view)
    before = views.views_of([turn])

    remembering(turn, "Nine of them.", "model")
    after = views.views_of([turn])

    assert before != after
    assert after == views.views_of([turn])
    assert after[0].messages == turn_view(turn).messages
    (shown,) = (message for message in after[0].messages if isinstance(message, FromTools))
    assert shown.outcomes == (CallSucceeded(call=A, value="Nine of them.", full_ref="result:0190/t1/c1.1"),)


def test_a_turn_whose_calls_still_run_is_not_settled() -> None:
    started = CallStarted(call_id="c1.1", tool="look_up", idempotency_key="k")
    turn = turn_of(CallRequested(call=A), started, TurnEnded(turn_id="t1", how="interrupted"))

    assert not is_final(turn)
    turn.apply(CallEnded(outcome=CallSucceeded(call=A, value=1)))
    assert is_final(turn)


def test_a_running_call_is_neither_cancelled_nor_empty() -> None:
    turn = turn_of(CallRequested(call=A), CallStarted(call_id="c1.1", tool="look_up", idempotency_key="k"))

    assert status_for_view(turn, A) == CallPending(call=A)


def test_a_call_that_waits_for_a_yes_has_not_run() -> None:
    turn = turn_of(CallRequested(call=A), DecisionClosed(round=1, call_ids=("c1.1",)))

    assert status_for_view(turn, A) == CallAwaitingConfirmation(call=A)


def test_the_first_outcome_of_a_call_is_its_only_one() -> None:
    turn = turn_of(CallRequested(call=A), CallEnded(outcome=CallUnknown(call=A)))

    turn.apply(CallEnded(outcome=CallSucceeded(call=A, value=1)))

    assert turn.outcomes == {"c1.1": CallUnknown(call=A)}


def test_parallel_calls_are_grouped_in_decided_order() -> None:
    turn = turn_of(
        *said("Let me look.", kind="acknowledgement"),
        CallRequested(call=B),
        CallRequested(call=A),
        CallEnded(outcome=CallSucceeded(call=A, value=1)),
        CallEnded(outcome=CallSucceeded(call=B, value=2)),
        *said("Found.", round_=2),
    )

    assert turn_view(turn).messages == (
        FromCustomer("Hello"),
        FromAssistant("Let me look.", (A, B)),
        FromTools((CallSucceeded(call=A, value=1), CallSucceeded(call=B, value=2))),
        FromAssistant("Found."),
    )


def test_two_consecutive_texts_are_one_message() -> None:
    turn = turn_of(*said("I have not changed anything."), *said("Anything else?"))

    assert turn_view(turn).messages[1:] == (FromAssistant("I have not changed anything. Anything else?"),)


def test_a_call_that_waits_for_a_yes_is_shown_as_not_run() -> None:
    turn = turn_of(
        CallRequested(call=A),
        CallRequested(call=B),
        CallEnded(outcome=CallSucceeded(call=A, value=1)),
        ConfirmationAsked(confirmation_id="q", calls=(B,), read_back="Shall I?", expires_at_ms=0),
        CallEnded(outcome=CallAwaitingConfirmation(call=B)),
    )

    assert turn_view(turn).messages[1:] == (
        FromAssistant("", (A, B)),
        FromTools((CallSucceeded(call=A, value=1), CallAwaitingConfirmation(call=B))),
    )


def test_the_narrator_does_not_see_the_message_that_it_continues() -> None:
    turn = turn_of(
        CallRequested(call=A),
        CallEnded(outcome=CallSucceeded(call=A, value=1)),
        *said("You ow", round_=2, kind=None),
    )

    assert turn_view(turn).messages[-1] == FromTools((CallSucceeded(call=A, value=1),))


def test_an_answer_that_was_cut_off_ends_there() -> None:
    turn = turn_of(*said("You owe one hun", cut=True), STOPPED)

    assert turn_view(turn).messages[1:] == (FromAssistant("You owe one hun…"),)


def test_a_turn_stopped_before_its_answer_shows_that_it_has_none() -> None:
    turn = turn_of(
        *said("Sure, I'll look.", own_words=False, kind="acknowledgement"),
        CallRequested(call=A),
        CallEnded(outcome=CallSucceeded(call=A, value=1)),
        STOPPED,
    )

    assert turn_view(turn).messages[2:] == (
        FromTools((CallSucceeded(call=A, value=1),)),
        FromAssistant("…"),
    )


def test_an_acknowledgement_that_was_cut_off_shows_it_once() -> None:
    turn = turn_of(*said("Sure, I'll lo", own_words=False, kind="acknowledgement", cut=True), STOPPED)

    assert turn_view(turn).messages[1:] == (FromAssistant("…"),)


def test_a_whole_answer_stays_whole_when_what_followed_was_stopped() -> None:
    turn = turn_of(*said("You owe $150."), STOPPED)

    assert turn_view(turn).messages[1:] == (FromAssistant("You owe $150."),)


def test_a_message_without_shown_text_was_not_said() -> None:
    turn = turn_of(*said(" ", cut=True), *said("Gladly."))

    assert turn_view(turn).messages[1:] == (FromAssistant("Gladly."),)


def test_a_view_is_its_turns_in_order() -> None:
    turn = turn_of(*said("Hi."))
    view = View("instructions", (turn_view(turn), turn_view(turn)))

    assert view.messages == (FromCustomer("Hello"), FromAssistant("Hi.")) * 2


def test_all_instructions_are_one_text_where_only_one_is_allowed() -> None:
    assert View("Be brief.", (), late="It is Monday.").instructions == "Be brief.\n\nIt is Monday."
    assert View("Be brief.", ()).instructions == "Be brief."
    assert View("", (), late="It is Monday.").instructions == "It is Monday."
