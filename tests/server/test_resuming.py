"""The connection is cut at any point; nothing is lost and nothing comes twice."""

from assistant.conversation.entries import Entry
from tests.server.client import Client, Frame
from tests.server.running_server import RunningServer, new_server, opened, with_limits
from tests.server.script import ANSWER, TURN
from tests.support.rows import check_rows

SCENE: tuple[Entry, ...] = (*TURN, *ANSWER)


async def uncut(server: RunningServer) -> list[Frame]:
    """Every frame of the scene, each heard before the next entry comes."""
    ana = Client(server)
    await ana.enter()
    session = server.session
    for entry in SCENE:
        session.publish(entry, turn_id="t1")
    assert await hears_all(ana, len(SCENE))
    return whole(ana.heard[1:])


async def hears_all(client: Client, last_seq: int) -> bool:
    while client.cursor < last_seq:
        await client.hear()
    return await client.hears_nothing_more()


def whole(frames: list[Frame]) -> list[Frame]:
    """Durable frames, neighbouring deltas as one: how they were cut into pieces is not the contract."""
    joined: list[Frame] = []
    for frame in frames:
        if "seq" not in frame or frame["type"] == "welcome":
            continue
        last = joined[-1] if joined else {"type": ""}
        if last["type"] == frame["type"] == "message.delta" and last["message_id"] == frame["message_id"]:
            joined[-1] = {**frame, "text": last["text"] + frame["text"]}
        else:
            joined.append(frame)
    return joined


async def test_the_session_records_clients_with_their_positions() -> None:
    async with opened(new_server()) as server:
        ana = Client(server)
        await ana.enter()
        server.session.publish(*SCENE[:4], turn_id="t1")
        for had in (2, 0):
            await ana.say(type="ping")
            await ana.hears_until("pong")
            await ana.enter(last_seq=had)
        await ana.say(type="ping")
        await ana.hears_until("pong")

    assert server.session.visits == [
        ("came", 0),
        ("left", 4),
        ("came", 2),
        ("left", 4),
        ("came", 0),
        ("left", 4),
    ]


@check_rows("cut", range(1, 22))
async def test_a_cut_at_any_frame_loses_nothing_and_repeats_nothing(cut: int) -> None:
    async with opened(new_server()) as quiet:
        expected = await uncut(quiet)

    async with opened(new_server()) as server:
        ana = Client(server)
        await ana.enter()
        session, heard = server.session, 0
        published = 0
        while heard < cut:  # the frames up to the cut, one by one, while they come into being
            session.publish(SCENE[published], turn_id="t1")
            published += 1
            await ana.say(type="ping")
            while (await ana.hear())["type"] != "pong":
                heard += 1
        await ana.leave()
        half = published + (len(SCENE) - published) // 2
        session.publish(*SCENE[published:half], turn_id="t1")  # while no client is connected
        welcome = await ana.enter()
        session.publish(*SCENE[half:], turn_id="t1")  # while it is catching up
        assert await hears_all(ana, len(SCENE))

    assert welcome["resumed"] == "replay"
    assert whole(ana.heard) == expected


async def test_the_welcome_does_not_move_the_cursor() -> None:
    async with opened(new_server()) as server:
        ana = Client(server)
        await ana.enter()
        server.session.publish(*TURN, turn_id="t1")
        await ana.hear()
        await ana.leave()
        welcome = await ana.enter()
        assert (welcome["seq"], ana.cursor) == (len(TURN), 1)
        assert await hears_all(ana, len(TURN))


@check_rows(
    ("hello", "resumed"),
    [
        ({}, "replay"),
        ({"last_seq": 0}, "snapshot"),
        ({"epoch": "another"}, "snapshot"),
        ({"last_seq": 27}, "snapshot"),
        ({"last_seq": 26}, "replay"),
        ({"last_seq": 16}, "replay"),
        ({"last_seq": 15}, "snapshot"),
    ],
)
async def test_a_gap_that_cannot_be_replayed_becomes_a_snapshot(
    hello: dict[str, object], resumed: str
) -> None:
    async with opened(with_limits(new_server(), replay=10)) as server:
        ana = Client(server)
        await ana.enter()
        server.session.publish(*TURN, turn_id="t1")
        assert await hears_all(ana, len(TURN))
        await ana.leave()

        welcome = await ana.enter(**hello)

        assert welcome["resumed"] == resumed
        if resumed == "snapshot":
            snapshot = await ana.hear()
            assert (snapshot["type"], snapshot["seq"]) == ("snapshot", len(TURN))
        server.session.publish(*ANSWER, turn_id="t2")
        await hears_all(ana, len(SCENE))
        assert whole(ana.heard)[-1]["type"] == "turn.completed"


async def test_a_snapshot_in_mid_message_continues_with_the_next_words() -> None:
    async with opened(new_server()) as server:
        ana, laptop = Client(server), Client(server)
        await ana.enter()
        server.session.publish(*TURN[:8], turn_id="t1")
        laptop.token = ana.token
        await laptop.enter()
        snapshot = await laptop.hear()
        server.session.publish(*TURN[8:], turn_id="t1")
        await hears_all(laptop, len(TURN))
    assert snapshot["open_message"]["text"] == "Sure, I'll look up your appointments"
    completed = next(frame for frame in laptop.heard if frame["type"] == "message.completed")
    assert completed["text"] == "Sure, I'll look up your appointments and check your billing."


async def test_a_reconnect_brings_a_new_token_for_the_same_conversation() -> None:
    async with opened(new_server()) as server:
        ana = Client(server)
        first = await ana.enter()
        await ana.leave()
        server.clock.advance(86_400)
        again = await ana.enter(conversation_id=first["conversation_id"])
        assert again["conversation_id"] == first["conversation_id"]
        assert again["expires_at"] == first["expires_at"] + 86_400_000
