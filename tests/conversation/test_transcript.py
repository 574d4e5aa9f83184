"""The transcript: what was said, by whom and as what, in order."""

from dataclasses import replace

from hypothesis import given

from assistant.conversation.entries import (
    CustomerMessage,
    DeliveryReceipt,
    Entry,
    Logged,
    MessageClosed,
    MessageOpened,
    MessageText,
    TurnStarted,
)
from assistant.conversation.state import ConversationState
from assistant.conversation.transcript import TranscriptLine, transcript
from tests.conversation.histories import histories, logged


def test_all_messages_are_in_order_with_their_kinds() -> None:
    entries: list[tuple[str, Entry]] = [
        ("", CustomerMessage(message_id="u1", client_message_id="a", text="Check my bill")),
        ("t1", TurnStarted(turn_id="t1", message_id="u1", cause="message", bundle="b")),
        ("t1", MessageOpened(message_id="t1/m1", round=1)),
        ("", CustomerMessage(message_id="u2", client_message_id="b", text="Hurry")),
        ("t1", MessageText(message_id="t1/m1", text="Sure, I'll")),
        ("t1", MessageText(message_id="t1/m1", text=" check.")),
        ("t1", MessageClosed(message_id="t1/m1", kind="acknowledgement")),
        ("t1", MessageOpened(message_id="t1/m2", round=2, model_written=True)),
        ("t1", MessageText(message_id="t1/m2", text="You owe")),
        ("t1", MessageClosed(message_id="t1/m2", kind="response", interrupted=True)),
        ("t1", MessageOpened(message_id="t1/m3", round=2)),
    ]

    assert transcript(ConversationState(logged(entries))) == (
        TranscriptLine(message_id="u1", speaker="customer", text="Check my bill"),
        TranscriptLine(
            message_id="t1/m1", speaker="assistant", text="Sure, I'll check.", kind="acknowledgement"
        ),
        TranscriptLine(
            message_id="t1/m2", speaker="assistant", text="You owe", kind="response", interrupted=True
        ),
        TranscriptLine(message_id="t1/m3", speaker="assistant", text=""),
        TranscriptLine(message_id="u2", speaker="customer", text="Hurry"),
    )


def test_a_spoken_message_counts_as_far_as_it_was_heard() -> None:
    def spoken(*positions: int) -> list[TranscriptLine]:
        entries: list[tuple[str, Entry]] = [
            ("", CustomerMessage(message_id="u1", client_message_id="a", text="Hello", spoken=True)),
            ("t1", TurnStarted(turn_id="t1", message_id="u1", cause="message", bundle="b")),
            ("t1", MessageOpened(message_id="t1/m1", round=1)),
            ("t1", MessageText(message_id="t1/m1", text="You owe $150.")),
            ("t1", MessageClosed(message_id="t1/m1", kind="response")),
            *(("", DeliveryReceipt(message_id="t1/m1", how="heard", up_to=up_to)) for up_to in positions),
        ]
        return list(transcript(ConversationState(logged(entries))))[1:]

    whole = TranscriptLine(message_id="t1/m1", speaker="assistant", text="You owe $150.", kind="response")
    assert [spoken(), spoken(0, 13), spoken(0)] == [[whole], [whole], []]
    assert spoken(0, 7) == [replace(whole, text="You owe", interrupted=True)]


@given(histories())
def test_no_message_is_missing_and_none_is_repeated(entries: list[Logged]) -> None:
    lines = transcript(ConversationState(entries))

    said = [entry.entry.message_id for entry in entries if isinstance(entry.entry, CustomerMessage)]
    opened = [entry.entry.message_id for entry in entries if isinstance(entry.entry, MessageOpened)]
    assert [line.message_id for line in lines if line.speaker == "customer"] == said
    assert [line.message_id for line in lines if line.speaker == "assistant"] == opened
