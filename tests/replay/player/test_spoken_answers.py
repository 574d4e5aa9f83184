"""Spoken answers, heard up to certain words, and interrupted."""

import orjson
import pytest

from assistant.conversation.customer import ConversationKey
from assistant.conversation.entries import CustomerMessage, DeliveryReceipt, TurnEnded
from assistant.replay.cassette import Cassette, Event, Turn
from assistant.replay.played import Played
from assistant.replay.player.environment import ReplayEnvironment
from assistant.replay.player.play import replay
from assistant.replay.recording.recorder import cassette_from_log
from tests.replay.player.written_cassettes import (
    cancelling,
    cassette,
    disconnect,
    narrates,
    scenes,
    thanks,
    two_lookups,
)

KEY = ConversationKey(tenant="demo", customer="demo", conversation="c-1")
IN_VIENNA = "in Vienna"


def hears(words: str, at_ms: int, message: int | None = None) -> Event:
    return Event(happens="heard_up_to", words=words, at_ms=at_ms, message=message)


def told(played: Played) -> list[tuple[int, str, int]]:
    """When it was told how much of which message was heard."""
    return [
        (one.at_ms - played.began_ms, one.entry.message_id, one.entry.up_to)
        for one in played.entries
        if isinstance(one.entry, DeliveryReceipt) and one.entry.how == "heard"
    ]


def then_told(**how: object) -> Turn:
    """A message in answer to which the customer is told what they had not heard."""
    last = thanks()
    replies = (*last.replies, narrates("Billing is out of reach."))
    return last.model_copy(update={"replies": replies, "spoken": True, **how})


SPOKEN_OVER = cassette(
    two_lookups(hears("", 310), hears("your billing.", 700), hears("", 850)),
    then_told(barge_in_ms=900, heard_up_to=IN_VIENNA),
)
AFTERWARDS = cassette(two_lookups(hears("", 930)), then_told(after_ms=1500, heard_up_to=IN_VIENNA))
LATER_WORDS = cassette(
    two_lookups(hears("", 940), hears(IN_VIENNA, 2000)),
    then_told(after_ms=3000).model_copy(update={"meanwhile": (hears("", 1000, 1), hears("You are", 2000))}),
)
PHONE = cassette(
    cancelling()[0],
    cancelling()[1].model_copy(update={"spoken": True, "heard_up_to": "eye test on Tuesday?"}),
)
ALL = {"over": SPOKEN_OVER, "afterwards": AFTERWARDS, "later": LATER_WORDS, "phone": PHONE}


def test_the_heard_part_is_logged_before_the_interruption(
    environment: ReplayEnvironment,
) -> None:
    played = replay(SPOKEN_OVER, environment)

    assert played.unscripted == ()
    position = len("It's in Vienna")
    assert told(played)[-2:] == [(850, "t1/m2", 0), (900, "t1/m2", position)]
    then = [one.entry for one in played.entries if one.at_ms - played.began_ms == 900]
    assert [type(one) for one in then if isinstance(one, DeliveryReceipt | TurnEnded | CustomerMessage)][
        :3
    ] == [
        DeliveryReceipt,
        TurnEnded,
        CustomerMessage,
    ]
    assert scenes(played)[0].endswith("\nAssistant: It's in Vienna --")


def test_a_spoken_message_is_marked_and_may_be_the_first(environment: ReplayEnvironment) -> None:
    first = two_lookups().model_copy(update={"spoken": True, "locale": "en-GB"})
    played = replay(cassette(first, thanks()), environment)

    assert played.unscripted == ()
    said = [one.entry.spoken for one in played.entries if isinstance(one.entry, CustomerMessage)]
    assert said == [True, False]


def test_a_cut_connection_does_not_affect_spoken_text(environment: ReplayEnvironment) -> None:
    played = replay(cassette(two_lookups(disconnect(5000, at_ms=950)), then_told(at_ms=1500)), environment)

    assert [one.entry.text for one in played.entries if isinstance(one.entry, CustomerMessage)][1:] == [
        "Thank you"
    ]


@pytest.mark.parametrize(
    "spoken",
    [
        cassette(two_lookups(hears("Salzburg", 500))),
        cassette(two_lookups(), thanks().model_copy(update={"heard_up_to": "Salzburg"})),
    ],
)
def test_words_that_were_not_said_cannot_be_heard(environment: ReplayEnvironment, spoken: Cassette) -> None:
    number = len(spoken.turns)
    assert replay(spoken, environment).unscripted == (
        f"turn {number}: 'Salzburg' had not been said, so it could not be heard",
    )


@pytest.mark.parametrize("name", ALL)
def test_a_recording_of_it_gives_the_same_bytes(environment: ReplayEnvironment, name: str) -> None:
    played = replay(ALL[name], environment)
    declares = {"tools": ALL[name].tools}
    again = replay(cassette_from_log(played.entries, KEY).model_copy(update=declares), environment)

    assert (played.unscripted, again.unscripted) == ((), ())
    assert [
        one.entry for one in again.entries if isinstance(one.entry, DeliveryReceipt | CustomerMessage)
    ] == [one.entry for one in played.entries if isinstance(one.entry, DeliveryReceipt | CustomerMessage)]
    for one, other in zip(played.frames, again.frames, strict=True):
        assert (one.at_ms, orjson.dumps(one.frame)) == (other.at_ms, orjson.dumps(other.frame))
