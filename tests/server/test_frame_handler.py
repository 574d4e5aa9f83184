"""What a client's frames do."""

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import replace

import pytest

from assistant.conversation.entries import ConfirmationAnswered, Handoff, Logged, Rated
from tests.server.client import Client, bare
from tests.server.running_server import RunningServer, new_server, opened, with_limits
from tests.server.script import ANSWER, ASKED, TURN

NewClient = Callable[[], Client]


async def test_a_message_sent_three_times_is_answered_once(server: RunningServer, client: NewClient) -> None:
    ana = client()
    await ana.enter()

    for _ in range(3):
        await ana.says("m1")
    answers = await ana.hears(3)

    assert answers == [answers[0]] * 3
    assert (answers[0]["type"], answers[0]["id"], answers[0]["seq"]) == ("accepted", "m1", 1)
    assert len(server.session.customer_said) == 1


async def test_a_resend_after_a_cut_does_not_overtake_the_replay(
    server: RunningServer, client: NewClient
) -> None:
    ana = client()
    await ana.enter()
    server.session.publish(*TURN, turn_id="t1")
    await ana.hear()
    await ana.leave()
    ana.cursor = 2

    await ana.enter()
    await ana.says("m1")
    *replayed, last = await ana.hears_until("accepted")

    assert [frame["type"] for frame in replayed][-1] == "turn.completed"
    assert last["seq"] == 1


async def test_a_message_has_its_own_language_or_that_of_the_hello(
    server: RunningServer, client: NewClient
) -> None:
    ana = client()
    await ana.enter(locale="de-AT")
    await ana.says("m1")
    await ana.say(type="message", id="m2", text="Hi", locale="en")
    await ana.say(type="message", id="m3", text="Hi", locale="en-US@posix")
    await ana.hears(3)
    assert [said.locale for said in server.session.customer_said] == ["de-AT", "en", "en-US"]


@pytest.mark.parametrize(
    ("text", "code"), [("", "empty"), (" \n\t", "empty"), ("x" * 4001, "too_long"), ("x" * 4000, None)]
)
async def test_empty_and_overlong_messages_are_rejected_with_a_reason(
    server: RunningServer, client: NewClient, text: str, code: str | None
) -> None:
    ana = client()
    await ana.enter()
    await ana.says("m1", text)
    answer = await ana.hear()
    assert (answer["id"], answer.get("code")) == ("m1", code)
    assert len(server.session.customer_said) == (code is None)


async def test_a_message_too_many_is_rejected_as_busy(server: RunningServer, client: NewClient) -> None:
    ana = client()
    await ana.enter()
    server.session.answer = "busy"
    await ana.says("m1")
    answer = await ana.hear()
    assert (answer["type"], answer["id"], answer["code"]) == ("rejected", "m1", "busy")


async def test_too_many_messages_a_minute_are_rejected_until_time_has_passed() -> None:
    async with opened(with_limits(new_server(), messages_per_minute=2)) as server:
        ana = Client(server)
        await ana.enter()
        for number in range(3):
            await ana.says(f"m{number}")
        await ana.says("m0")  # a resend is answered all the same
        answers = await ana.hears(4)
        server.clock.advance(30)
        await ana.says("m2")
        later = await ana.hear()

    assert [answer.get("code", "accepted") for answer in answers] == [
        "accepted",
        "accepted",
        "rate_limited",
        "accepted",
    ]
    assert (later["type"], later["id"]) == ("accepted", "m2")


@pytest.mark.parametrize(("label", "text"), [("Yes, cancel it", "Yes, cancel it"), (None, "yes")])
async def test_a_confirmations_button_is_handled_once(
    server: RunningServer, client: NewClient, label: str | None, text: str
) -> None:
    ana = client()
    await ana.enter()
    server.session.publish(ASKED)
    await ana.hear()

    press = {"type": "confirm", "id": "b1", "confirmation_id": "k1", "answer": "yes", "label": label}
    await ana.say(**press)
    first = await ana.hear()
    server.session.publish(ConfirmationAnswered(confirmation_id="k1", answer="yes"))
    await ana.say(**press)
    again = await ana.hear()

    assert first == again
    (said,) = server.session.customer_said
    assert (said.text, said.button) == (text, "yes")


@pytest.mark.parametrize("why", ["never asked", "another", "answered", "long ago"])
async def test_a_question_that_is_not_open_cannot_be_answered(
    server: RunningServer, client: NewClient, why: str
) -> None:
    ana = client()
    await ana.enter()
    if why != "never asked":
        server.session.publish(ASKED)
        await ana.hear()
    if why == "long ago":
        server.session.publish(ConfirmationAnswered(confirmation_id="k1", answer="no"), *ANSWER[3:])
        await ana.hears_until("turn.completed")
    if why == "answered":
        server.session.publish(ConfirmationAnswered(confirmation_id="k1", answer="no"))
    asked = "k2" if why == "another" else "k1"

    await ana.say(type="confirm", id="b1", confirmation_id=asked, answer="yes")

    answer = await ana.hear()
    assert (answer["type"], answer["id"], answer["code"]) == ("rejected", "b1", "confirmation_closed")
    assert not server.session.customer_said


class SlowRates:
    """Counts that take as long as the test wants."""

    def __init__(self) -> None:
        self.asked, self.go_on = asyncio.Event(), asyncio.Event()

    async def allow(self, tenant: str, per_minute: Mapping[str, int]) -> bool:
        del tenant, per_minute
        self.asked.set()
        return await self.go_on.wait()


async def test_a_button_answers_no_question_that_was_asked_meanwhile() -> None:
    rates, running = SlowRates(), new_server()
    running.context = replace(running.context, rates=rates)
    async with opened(running) as server:
        ana = Client(server)
        await ana.enter()
        server.session.publish(ASKED)
        await ana.hear()
        await ana.say(type="confirm", id="b1", confirmation_id="k1", answer="yes")
        await rates.asked.wait()
        dropped = ConfirmationAnswered(confirmation_id="k1", answer="dropped")
        server.session.publish(dropped, replace(ASKED, confirmation_id="k2"))
        rates.go_on.set()
        *_, answer = await ana.hears_until("rejected")

    assert (answer["id"], answer["code"]) == ("b1", "confirmation_closed")
    assert not server.session.customer_said


async def test_a_late_key_press_counts_so_the_question_can_be_asked_again(
    server: RunningServer, client: NewClient
) -> None:
    ana = client()
    await ana.enter()
    server.session.publish(ASKED)
    await ana.hear()
    server.clock.advance(3e9)

    await ana.say(type="confirm", id="b1", confirmation_id="k1", answer="yes")

    assert (await ana.hear())["type"] == "accepted"
    assert [said.button for said in server.session.customer_said] == ["yes"]


async def test_the_stop_button_stops_the_named_turn_or_the_running_one(
    server: RunningServer, client: NewClient
) -> None:
    ana = client()
    await ana.enter()
    await ana.say(type="cancel", id="x", turn_id="t1")
    await ana.say(type="cancel")
    assert await ana.hears_nothing_more()
    assert server.session.stopped == ["t1", None]


async def test_typing_of_the_customer_reaches_the_conversation(
    server: RunningServer, client: NewClient
) -> None:
    ana = client()
    await ana.enter()

    await ana.say(type="typing")

    assert await ana.hears_nothing_more()
    assert server.session.typed == 1


async def test_the_customer_sees_that_their_agent_types(server: RunningServer, client: NewClient) -> None:
    ana = client()
    await ana.enter()
    server.session.note_typist("agent")
    assert await ana.hears_nothing_more(), "no agent has the conversation"

    server.session.state.apply(Logged(1, 1, "", Handoff(handoff_id="h1", state="accepted", name="Sam")))
    server.session.note_typist("agent")

    assert await ana.hear() == {"type": "person.typing", "name": "Sam"}


async def test_a_seen_position_is_recorded_once_per_step(server: RunningServer, client: NewClient) -> None:
    ana = client()
    await ana.enter()
    server.session.publish(*TURN, turn_id="t1")
    await ana.hears(15)
    for seq in (1, 6, 7, 16, 21, 26, 26):
        await ana.say(type="seen", seq=seq)
    assert await ana.hears_nothing_more()
    assert server.session.told == [
        ("a1", "seen", len("Sure, I'll look up ")),
        ("a1", "seen", len("Sure, I'll look up your appointments and check your billing.")),
        ("a2", "seen", len("You're booked for Tuesday. ")),
        ("a2", "seen", len("You're booked for Tuesday. Shall I cancel it?")),
    ]


async def test_without_voice_the_client_is_told_so(client: NewClient) -> None:
    ana = client()
    await ana.enter()
    await ana.say(type="audio.start", tempo=1.0)
    assert bare(await ana.hear()) == {
        "type": "error",
        "code": "not_supported",
        "retryable": False,
        "message": "customers cannot speak here: ASSISTANT_VOICE is false",
    }


@pytest.mark.parametrize(
    "frame", [{"type": "audio.end"}, {"type": "audio.stop"}, {"type": "audio.played", "clip": 1, "ms": 100}]
)
async def test_reports_about_ended_sound_are_ignored(client: NewClient, frame: dict[str, object]) -> None:
    ana = client()
    await ana.enter()
    await ana.say(**frame)
    assert await ana.hears_nothing_more()
    assert await ana.hears_nothing_more()


async def test_a_rating_reaches_every_client_and_is_in_the_snapshot(
    server: RunningServer, client: NewClient
) -> None:
    phone, laptop = client(), client()
    await phone.enter()
    server.session.publish(*TURN, turn_id="t1")
    await phone.hears_until("turn.completed")
    laptop.token, laptop.epoch, laptop.cursor = phone.token, phone.epoch, phone.cursor
    await laptop.enter()

    await phone.say(type="feedback", id="f1", message_id="a2", rating="down", text="Wrong day")
    await phone.say(type="feedback", message_id="a1", rating="up")
    await phone.say(type="feedback", message_id="a1", rating=None)

    heard = await phone.hears(3)
    assert heard == await laptop.hears(3)
    assert [(frame["type"], frame["message_id"], frame["rating"]) for frame in heard] == [
        ("rated", "a2", "down"),
        ("rated", "a1", "up"),
        ("rated", "a1", None),
    ]
    assert [logged.entry for logged in server.session.entries[len(TURN) :]] == [
        Rated(message_id="a2", rating="down", text="Wrong day"),
        Rated(message_id="a1", rating="up"),
        Rated(message_id="a1", rating=None),
    ]
    later = client()
    later.token = phone.token
    await later.enter()
    messages = (await later.hear())["messages"]
    assert [message.get("rating") for message in messages] == [None, None, "down"]


@pytest.mark.parametrize(
    ("feedback", "id_", "code"),
    [
        ({"id": "f1", "message_id": "m1", "rating": "up"}, "f1", "unknown_message"),
        ({"message_id": "a9", "rating": "up"}, "a9", "unknown_message"),
        ({"id": "f1", "message_id": "a1", "rating": "up", "text": "x" * 4001}, "f1", "too_long"),
    ],
)
async def test_an_invalid_rating_is_rejected(
    server: RunningServer, client: NewClient, feedback: dict[str, object], id_: str, code: str
) -> None:
    ana = client()
    await ana.enter()
    server.session.publish(*TURN, turn_id="t1")
    await ana.hears_until("turn.completed")
    await ana.say(type="feedback", **feedback)
    answer = await ana.hear()
    assert (answer["type"], answer["id"], answer["code"]) == ("rejected", id_, code)
    assert len(server.session.entries) == len(TURN)


async def test_ratings_count_as_messages_do() -> None:
    async with opened(with_limits(new_server(), messages_per_minute=2)) as server:
        ana = Client(server)
        await ana.enter()
        await ana.says("m1")
        await ana.says("m2")
        await ana.hears(2)
        await ana.say(type="feedback", id="f1", message_id="a1", rating="up")
        answer = await ana.hear()
    assert (answer["id"], answer["code"]) == ("f1", "rate_limited")


async def test_hello_is_accepted_once(client: NewClient) -> None:
    ana = client()
    await ana.enter()
    await ana.say(type="hello")
    assert (await ana.hear())["message"] == "hello comes once, as the first frame"


@pytest.mark.parametrize(
    ("raw", "problem"),
    [
        ("{", "frame = '{': Invalid JSON: EOF while parsing"),
        ("[]", "frame = []: Input should be"),
        (
            '{"type": "dance"}',
            "frame = {'type': 'dance'}: Input tag 'dance' found using 'type' does not match",
        ),
        ('{"text": "hi"}', "frame = {'text': 'hi'}: Unable to extract tag using discriminator 'type'"),
        ('{"type": "message", "id": 5, "text": "x"}', "message.id = 5: Input should be a valid string"),
        ('{"type": "message", "id": "a b", "text": "x"}', "message.id = 'a b': String should match pattern"),
        ('{"type": "message", "text": "x"}', "message.id = "),
        (
            '{"type": "confirm", "id": "b", "confirmation_id": "k", "answer": "maybe"}',
            "confirm.answer = 'maybe'",
        ),
        ('{"type": "ping", "volume": 11}', "ping.volume = 11: Extra inputs are not permitted"),
        ('{"type": "ping", "id": "\\ud800"}', "frame = "),
        ('{"type": "seen", "seq": 1e400}', "seen.seq = inf"),
        ('{"type": "ping", "a": 1, "b": 2, "c": 3, "d": 4, "e": 5}', "ping.a = 1"),
        ("[" * 10_000, "frame = "),
        (b"\x00\x01", "binary frame of 2 bytes: this server takes JSON text frames only"),
    ],
)
async def test_a_bad_frame_is_named_and_the_conversation_continues(
    client: NewClient, raw: str | bytes, problem: str
) -> None:
    ana = client()
    await ana.enter()

    await ana.ws.send(raw)
    error = await ana.hear()

    assert (error["type"], error["code"], error["retryable"]) == ("error", "bad_frame", False)
    assert error["message"].startswith(problem)
    assert len(error["message"]) < 600
    await ana.says("m1")
    assert (await ana.hear())["type"] == "accepted"
