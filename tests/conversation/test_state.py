"""The state computed from the log: what waits, what is open, what is over."""

import pytest
from hypothesis import given

from assistant.conversation.calls import Call
from assistant.conversation.entries import (
    Answer,
    CallRequested,
    CallStarted,
    ConfirmationAnswered,
    ConfirmationAsked,
    CustomerMessage,
    DecisionClosed,
    DeliveryReceipt,
    Entry,
    Identified,
    Logged,
    MessageClosed,
    MessageOpened,
    MessageText,
    TurnEnded,
    TurnStarted,
)
from assistant.conversation.state import ConversationState
from assistant.conversation.values import HowTurnEnded
from tests.conversation.histories import histories, logged

QUESTION = ConfirmationAsked(confirmation_id="t1/q", calls=(), read_back="Shall I?", expires_at_ms=0)


def says(number: int) -> tuple[str, Entry]:
    text = f"Message {number}"
    return "", CustomerMessage(message_id=f"u{number}", client_message_id=f"m{number}", text=text)


def starts(number: int) -> tuple[str, Entry]:
    id_ = f"t{number}"
    return id_, TurnStarted(turn_id=id_, message_id=f"u{number}", cause="message", bundle="b")


def answer(message_id: str, text: str) -> list[tuple[str, Entry]]:
    opened = MessageOpened(message_id=message_id, round=1, model_written=True)
    said = MessageText(message_id=message_id, text=text)
    return [("t1", one) for one in (opened, said, MessageClosed(message_id=message_id, kind="response"))]


def ends(number: int) -> tuple[str, Entry]:
    return f"t{number}", TurnEnded(turn_id=f"t{number}", how="answered")


def test_messages_wait_in_order_until_their_turn_begins() -> None:
    state = ConversationState(logged([says(1), starts(1), says(2), says(3), ends(1), starts(2)]))

    assert [said.message_id for said in state.waiting] == ["u3"]
    assert state.client_ids == {"m1", "m2", "m3"}
    assert state.turn("t2").message.text == "Message 2"
    assert [turn.id for turn in state.turns] == ["t1", "t2"]


def test_a_turn_is_unfinished_until_its_end() -> None:
    state = ConversationState(logged([says(1), starts(1)]))
    assert state.unfinished is state.turns[0]

    state.apply(Logged(3, 0, *ends(1)))

    assert state.unfinished is None
    assert ConversationState().unfinished is None


@pytest.mark.parametrize(
    ("answer", "open_"),
    [("yes", False), ("no", False), ("correction", False), ("dropped", False), ("unclear", True)],
)
def test_a_question_is_open_until_it_is_answered_clearly(answer: Answer, open_: bool) -> None:
    answered = ConfirmationAnswered(confirmation_id="t1/q", answer=answer)
    entries = [says(1), starts(1), ("t1", QUESTION), ends(1), says(2), starts(2), ("t2", answered)]

    state = ConversationState(logged(entries))

    assert (state.question is QUESTION) is open_


def test_the_customers_identity_comes_from_the_log() -> None:
    assert ConversationState().level == "anonymous"
    assert ConversationState(logged([("", Identified(level="verified"))])).level == "verified"


def test_entries_without_an_effect_on_progress_are_skipped() -> None:
    told = DeliveryReceipt(message_id="t1/m1", how="seen", up_to=5)

    assert ConversationState(logged([says(1), starts(1), ("", told), ("t1", told)])).seq == 4


def test_the_heard_part_of_a_spoken_message_only_grows() -> None:
    opened = [says(1), starts(1), ("t1", MessageOpened(message_id="t1/m1", round=1))]

    def heard(*positions: int) -> int | None:
        told = [("", DeliveryReceipt(message_id="t1/m1", how="heard", up_to=up_to)) for up_to in positions]
        return ConversationState(logged([*opened, *told])).turns[0].messages[0].heard

    assert [heard(), heard(0), heard(0, 7), heard(0, 7, 3)] == [None, 0, 7, 7]


def test_a_turn_is_unsettled_while_its_answer_may_still_be_heard() -> None:
    def heard(up_to: int) -> tuple[str, Entry]:
        return "", DeliveryReceipt(message_id="t1/m1", how="heard", up_to=up_to)

    def unsettled(*more: tuple[str, Entry], how: HowTurnEnded = "answered") -> list[str]:
        ended = "t1", TurnEnded(turn_id="t1", how=how)
        after = [says(2), starts(2), ("t2", TurnEnded(turn_id="t2", how="interrupted"))]
        entries = [says(1), starts(1), *answer("t1/m1", "Gladly."), *more, ended, *after]
        return [turn.id for turn in ConversationState(logged(entries)).unsettled]

    def later(*tellings: tuple[str, Entry], how: HowTurnEnded = "answered") -> list[str]:
        entries = [says(1), starts(1), *answer("t1/m1", "Gladly."), ("t1", TurnEnded(turn_id="t1", how=how))]
        return [turn.id for turn in ConversationState(logged([*entries, *tellings])).unsettled]

    assert [unsettled(), unsettled(heard(0)), unsettled(heard(7))] == [["t2"], ["t1", "t2"], ["t2"]]
    assert [later(heard(0)), later(heard(0), heard(7)), later(heard(7))] == [["t1"], [], []]
    assert later(heard(0), heard(7), how="interrupted") == ["t1"]


def test_the_tools_of_the_running_turn_count_as_called() -> None:
    call = CallRequested(call=Call(id="c1.1", tool="look_up"))

    assert ConversationState(logged([says(1), starts(1), ("t1", call)])).tools_called == {"look_up"}


def test_a_call_waits_only_once_its_decision_is_final() -> None:
    call = Call(id="c1.1", tool="change")
    state = ConversationState(logged([says(1), starts(1), ("t1", CallRequested(call=call))]))
    turn = state.turns[0]
    assert turn.waiting_calls == []

    turn.apply(DecisionClosed(round=1, call_ids=("c1.1",)))
    assert turn.waiting_calls == [call]

    turn.apply(CallStarted(call_id="c1.1", tool="change", idempotency_key="k"))
    assert turn.waiting_calls == []
    assert turn.running == [call]


def test_a_message_that_was_never_opened_does_not_exist() -> None:
    turn = ConversationState(logged([says(1), starts(1)])).turns[0]
    turn.apply(MessageOpened(message_id="t1/m1", round=1))

    assert turn.message_said("t1/m1").text == ""
    with pytest.raises(KeyError):
        turn.message_said("t1/m2")


@pytest.mark.parametrize(("own_words", "found"), [(True, True), (False, False)])
def test_only_a_models_own_words_can_be_no_answer(own_words: bool, found: bool) -> None:
    turn = ConversationState(logged([says(1), starts(1)])).turns[0]
    turn.apply(MessageOpened(message_id="t1/m1", round=1, model_written=own_words))
    turn.apply(MessageClosed(message_id="t1/m1", kind="status"))

    assert (turn.unanswered_words(1) is not None) is found
    assert turn.unanswered_words(2) is None


@given(histories())
def test_a_call_waits_runs_or_has_ended(entries: list[Logged]) -> None:
    for turn in ConversationState(entries).turns:
        waiting, running = {call.id for call in turn.waiting_calls}, {call.id for call in turn.running}
        ended = set(turn.outcomes)
        assert not waiting & running
        assert not (waiting | running) & ended
        undecided = {call.id for each in turn.rounds if each.closed is None for call in each.calls}
        assert {call.id for call in turn.calls} - undecided <= waiting | running | ended


@given(histories())
def test_the_state_does_not_depend_on_how_the_log_is_cut(entries: list[Logged]) -> None:
    whole = ConversationState(entries)
    half = ConversationState(entries[: len(entries) // 2])
    for entry in entries[len(entries) // 2 :]:
        half.apply(entry)

    assert half.seq == whole.seq == len(entries)
    assert [turn.messages for turn in half.turns] == [turn.messages for turn in whole.turns]
    assert [turn.rounds for turn in half.turns] == [turn.rounds for turn in whole.turns]
