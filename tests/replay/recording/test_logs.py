"""Logs with more than a conversation: servers that ended, connections that were cut, parts that cannot be
replayed.
"""

import pytest

from assistant.conversation.calls import Call
from assistant.conversation.chunks import CallArguments, CallNamed, StreamEnded, TextDelta
from assistant.conversation.customer import ConversationKey
from assistant.conversation.entries import (
    CallEnded,
    CallRequested,
    CallStarted,
    ClientConnected,
    ClientDisconnected,
    CustomerMessage,
    DecisionClosed,
    DeliveryReceipt,
    Entry,
    Identified,
    Logged,
    MessageClosed,
    MessageOpened,
    MessageText,
    ModelAsked,
    ModelChunks,
    Rated,
    TurnEnded,
    TurnStarted,
)
from assistant.conversation.outcomes import CallCancelled, CallSucceeded, CallTimedOut, CallUnknown, Media
from assistant.errors import AssistantError
from assistant.replay.cassette import Event, Turn
from assistant.replay.recording.recorder import cassette_from_log, not_replayable
from assistant.replay.replies import ArgumentsPiece, NamePiece, Run, TextPiece
from assistant.turn.ask_model import STOPPED

KEY = ConversationKey(tenant="demo", customer="demo", conversation="c-1")
NOON_MS = 1_767_268_800_000
LOOKUP = Call(id="c1.1", tool="get_open_invoices")
CANCEL = Call(id="c1.1", tool="cancel_order", arguments={"order": "7"})


def log(*entries: tuple[int, Entry], turn: str = "t1") -> list[Logged]:
    """A log with these entries at these ms after noon, all in one turn except entries without a turn."""
    loose = (CustomerMessage, ClientConnected, ClientDisconnected, Identified, DeliveryReceipt, Rated)
    return [
        Logged(seq, NOON_MS + at_ms, "" if isinstance(entry, loose) else turn, entry)
        for seq, (at_ms, entry) in enumerate(entries, 1)
    ]


def said(text: str = "Do I owe you anything?", number: int = 1) -> CustomerMessage:
    return CustomerMessage(message_id=f"u{number}", client_message_id=f"m{number}", text=text)


def begins(turn: str = "t1", number: int = 1) -> TurnStarted:
    return TurnStarted(turn_id=turn, message_id=f"u{number}", cause="message", bundle="b-1")


def asked(round_: int = 1, attempt: int = 1, model: str = "openai/some") -> ModelAsked:
    return ModelAsked(
        round=round_, role="decider" if round_ == 1 else "narrator", model=model, attempt=attempt
    )


def replied(*pieces: str, error: str | None = None, round_: int = 1) -> ModelChunks:
    chunks = tuple((number * 10, TextDelta(piece)) for number, piece in enumerate(pieces))
    end = () if error else ((100, StreamEnded("stop")),)
    role = "decider" if round_ == 1 else "narrator"
    return ModelChunks(round=round_, role=role, chunks=(*chunks, *end), error=error)


def called(call: Call) -> ModelChunks:
    chunks = ((5, CallNamed(0, call.tool)), (5, CallArguments(0, "{}")), (5, StreamEnded("tool_calls")))
    return ModelChunks(round=1, role="decider", chunks=chunks)


def ends() -> TurnEnded:
    return TurnEnded(turn_id="t1", how="answered")


def only_turn(entries: list[Logged]) -> Turn:
    (turn,) = cassette_from_log(entries, KEY).turns
    return turn


def test_a_server_that_ended_while_the_model_replied_is_a_restart() -> None:
    turn = only_turn(
        log(
            (0, said()),
            (1, begins()),
            (2, asked()),
            (300, MessageOpened(message_id="a1", round=1, model_written=True)),
            (302, MessageText(message_id="a1", text="You owe")),
            (9000, asked(attempt=2)),
            (9300, replied(" nothing.")),
            (9301, MessageText(message_id="a1", text=" nothing.")),
            (9302, MessageClosed(message_id="a1", kind="response")),
            (9303, DecisionClosed(round=1, call_ids=())),
            (9304, ends()),
        )
    )

    first, second = turn.replies
    assert first.pieces == (TextPiece(at_ms=300, text="You owe"),)
    assert first.ends == "stalls"
    assert second.ends == "complete"
    assert turn.meanwhile == (Event(happens="restart", at_ms=303),)


def test_calls_that_were_complete_when_the_server_ended_are_known() -> None:
    turn = only_turn(
        log(
            (0, said()),
            (1, begins()),
            (2, asked()),
            (10, MessageOpened(message_id="a1", round=1)),
            (10, MessageText(message_id="a1", text="Sure, I'll check your billing")),
            (12, CallRequested(call=LOOKUP)),
            (12, CallStarted(call_id="c1.1", tool="get_open_invoices", idempotency_key="k")),
            (5000, DecisionClosed(round=1, call_ids=("c1.1",), how="cut_off")),
            (5000, CallStarted(call_id="c1.1", tool="get_open_invoices", idempotency_key="k")),
            (5040, CallEnded(outcome=CallSucceeded(call=LOOKUP, value=[7]), duration_ms=40)),
            (5041, asked(2)),
            (5042, replied("Seven.", round_=2)),
            (5043, ends()),
        )
    )

    assert turn.replies[0].pieces == (
        NamePiece(at_ms=10, call="get_open_invoices"),
        ArgumentsPiece(at_ms=10, arguments="{}"),
    )
    assert turn.meanwhile == (Event(happens="restart", at_ms=13),)
    assert turn.results == (Run(tool="get_open_invoices", does="returns", returns=[7], after_ms=40),)


def test_a_server_that_was_stopped_is_a_restart_too() -> None:
    turn = only_turn(
        log(
            (0, said()),
            (1, begins()),
            (2, asked()),
            (100, replied("You owe", error=STOPPED)),
            (101, ClientDisconnected(last_seq=4)),
            (4000, ClientConnected(last_seq=4)),
            (4001, asked(attempt=2)),
            (4100, replied("You owe nothing.")),
            (4101, ends()),
        )
    )

    assert [reply.ends for reply in turn.replies] == ["stopped", "complete"]
    assert turn.meanwhile == (Event(happens="restart", at_ms=101),)


def test_a_promise_that_was_asked_about_again_is_no_restart() -> None:
    turn = only_turn(
        log(
            (0, said()),
            (1, begins()),
            (2, asked()),
            (3, replied("Let me look.")),
            (4, asked(attempt=2)),
            (5, replied("You owe nothing.")),
            (6, ends()),
        )
    )

    assert turn.meanwhile == ()
    assert len(turn.replies) == 2


def test_two_side_effects_without_a_seen_end_are_one_restart() -> None:
    other = Call(id="c1.2", tool="add_note")
    turn = only_turn(
        log(
            (0, said()),
            (1, begins()),
            (2, CallRequested(call=CANCEL)),
            (2, CallRequested(call=other)),
            (3, CallStarted(call_id="c1.1", tool="cancel_order", idempotency_key="k1")),
            (4, CallStarted(call_id="c1.2", tool="add_note", idempotency_key="k2")),
            (900, CallEnded(outcome=CallUnknown(call=CANCEL))),
            (901, CallEnded(outcome=CallUnknown(call=other))),
            (902, asked(2)),
            (903, replied("I don't know.", round_=2)),
            (904, ends()),
        )
    )

    assert turn.meanwhile == (Event(happens="restart", at_ms=5),)
    assert [run.does for run in turn.results] == ["hangs", "hangs"]


def test_a_connection_that_was_cut_during_an_answer_is_recorded() -> None:
    turn = only_turn(
        log(
            (0, ClientConnected(last_seq=0)),
            (1000, said()),
            (1001, begins()),
            (1002, asked()),
            (1400, ClientDisconnected(last_seq=4)),
            (3400, ClientConnected(last_seq=4)),
            (4000, replied("You owe nothing.")),
            (4001, ends()),
        )
    )

    assert turn.meanwhile == (Event(happens="disconnect", at_ms=400, for_ms=2000),)


def test_a_client_that_never_returns_is_away_until_the_turn_is_over() -> None:
    turn = only_turn(
        log(
            (0, said()),
            (1, begins()),
            (2, asked()),
            (50, ClientDisconnected(last_seq=3)),
            (900, replied("No.")),
            (950, ends()),
        )
    )

    assert turn.meanwhile == (Event(happens="disconnect", at_ms=50, for_ms=900),)


def test_cuts_between_turns_or_of_one_of_two_connections_do_not_matter() -> None:
    turn = only_turn(
        log(
            (0, said()),
            (1, begins()),
            (2, ClientConnected(last_seq=2)),
            (3, asked()),
            (50, ClientDisconnected(last_seq=3)),
            (900, replied("No.")),
            (950, ends()),
            (2000, ClientDisconnected(last_seq=9)),
        )
    )

    assert turn.meanwhile == ()


def test_an_unanswered_message_is_recorded_too() -> None:
    entries = log((0, said()), (1, begins()), (2, asked()), (3, said("Hello?", 2)))

    first, second = cassette_from_log(entries, KEY).turns

    assert first.replies[0].ends == "stalls"
    assert (second.customer, second.at_ms, second.replies) == ("Hello?", 3, ())
    assert second.expect.scene is None


def test_a_picture_is_left_out_with_a_note() -> None:
    photo = Media(mime="image/png", data="aGVsbG8=", name="shop.png")
    entries = log(
        (0, said()),
        (1, begins()),
        (2, CallRequested(call=LOOKUP)),
        (3, CallStarted(call_id="c1.1", tool="get_open_invoices", idempotency_key="k")),
        (4, CallEnded(outcome=CallSucceeded(call=LOOKUP, value=None, media=(photo,)), duration_ms=1)),
        (5, ends()),
    )

    assert only_turn(entries).results[0].returns == [{"mime": "image/png", "name": "shop.png"}]
    assert not_replayable(entries) == ["get_open_invoices: 1 pictures or files are left out"]


def test_calls_with_an_end_that_a_replay_cannot_produce_are_reported() -> None:
    second = Call(id="c1.2", tool="get_open_invoices")
    third = Call(id="c1.3", tool="get_open_invoices")
    entries = log(
        (0, said()),
        (1, begins()),
        *(
            (2, CallStarted(call_id=call.id, tool=call.tool, idempotency_key=call.id))
            for call in (LOOKUP, second, third)
        ),
        (4, CallEnded(outcome=CallCancelled(call=LOOKUP, why="inside"), duration_ms=1)),
        (4, CallEnded(outcome=CallCancelled(call=second, why="inside"), duration_ms=1)),
        (10_003, CallEnded(outcome=CallTimedOut(call=third, after_s=10), duration_ms=10_000)),
        (20_000, CallStarted(call_id="c2.1", tool="get_balance", idempotency_key="k")),
    )

    assert [run.does for run in only_turn(entries).results] == ["hangs"] * 4
    assert not_replayable(entries) == [
        "get_open_invoices: cancelled, which becomes a time-out (2 times)",
        "get_balance: its end is not in the log",
    ]


def test_the_last_level_of_identification_is_recorded() -> None:
    entries = log(
        (0, Identified(level="anonymous")),
        (0, said()),
        (1, begins()),
        (2, ends()),
        (3, Identified(level="verified")),
    )

    assert cassette_from_log(entries, KEY).customer.level == "verified"
    assert not_replayable(entries) == [
        "the customer was known as anonymous, then verified: the file has the last of these"
    ]


def test_the_embedded_model_gets_no_side_effects_in_recordings() -> None:
    entries = log((0, said()), (1, begins()), (2, asked(model="offline")), (3, replied("No.")), (4, ends()))

    assert cassette_from_log(entries, KEY).confirm_every_write
    assert cassette_from_log(entries, KEY).bundle == "b-1"


def test_ratings_and_read_positions_are_left_out() -> None:
    entries = log((0, said()), (1, begins()), (2, asked()), (3, replied("No.")), (4, ends()))
    more = log(
        *((logged.at_ms - NOON_MS, logged.entry) for logged in entries),
        (5, DeliveryReceipt(message_id="a1", how="seen", up_to=3)),
        (6, Rated(message_id="a1", rating="up")),
    )

    assert cassette_from_log(more, KEY) == cassette_from_log(entries, KEY)


def test_a_long_first_message_is_shortened_in_the_description() -> None:
    entries = log((0, said("word " * 30)), (1, said("more", 2)), (2, said("more", 3)))

    about = cassette_from_log(entries, KEY).about

    assert about == f"{'word ' * 11}word ... (and 2 more messages, recorded on 2026-01-01)"


def test_a_log_without_a_message_cannot_be_recorded() -> None:
    with pytest.raises(AssistantError, match="the customer wrote nothing in conversation 'c-1'"):
        cassette_from_log(log((0, Identified(level="verified"))), KEY)


def test_a_log_without_the_models_replies_cannot_be_recorded() -> None:
    entries = log((0, said()), (1, begins()), (2, asked()), (3, DecisionClosed(round=1, call_ids=())))

    with pytest.raises(AssistantError, match="what the models wrote in turn t1 is no longer in the log"):
        cassette_from_log(entries, KEY)
