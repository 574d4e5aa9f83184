"""Media of tools reach the right customer, with the message about them."""

import re
from base64 import b64encode
from collections.abc import Sequence
from dataclasses import replace

import pytest
from aiohttp import ClientSession
from hypothesis import given
from hypothesis import strategies as st

from assistant.conversation.calls import Call
from assistant.conversation.customer import ConversationKey
from assistant.conversation.entries import (
    CallEnded,
    CallStarted,
    Entry,
    Logged,
    MessageClosed,
    MessageOpened,
    MessageText,
    ResultsDelivered,
    TurnEnded,
    TurnStarted,
)
from assistant.conversation.media import Media
from assistant.conversation.outcomes import CallEmpty, CallSucceeded
from assistant.server.attachments import (
    DAYS,
    PATH,
    AttachmentAddresses,
    AttachmentPlace,
    AttachmentService,
    AttachmentTracker,
    file_response,
)
from assistant.server.frames.frame import encode
from assistant.server.frames.server_frames import SERVER_FRAMES
from assistant.server.projector import Projector, snapshot
from tests.server.client import Client
from tests.server.running_server import SECRET, ManualClock, RunningServer, hint, new_server, opened
from tests.support.rows import check_rows
from tests.tools.media.pictures import picture

PHOTO = Media.of(picture("JPEG", (60, 40)), name="Your parcel at the door")
INVOICE = Media.of(b"%PDF-1.7", name="invoice.pdf")
KEY = ConversationKey(tenant="shop", customer="4711", conversation="talk")
DAY_MS = 24 * 3600 * 1000


def gave(*media: Media, call: str = "c1.1", late: bool = False) -> CallEnded:
    called = Call(id=call, tool="get_delivery_photo")
    return CallEnded(outcome=CallSucceeded(call=called, value=1, media=media), late=late)


def said(message: str, kind: str = "response") -> MessageClosed:
    return MessageClosed(message_id=message, kind="response" if kind == "response" else "status")


def logged(*entries: tuple[str, Entry]) -> list[Logged]:
    """Entries with their turns."""
    return [Logged(seq, 1_000 * seq, turn, entry) for seq, (turn, entry) in enumerate(entries, 1)]


def shown(entries: Sequence[Logged]) -> list[list[str | None]]:
    """The names of what is attached to each answer that is completed."""
    following = AttachmentTracker()
    found = [(one.entry, following.attached_by(one)) for one in entries]
    return [
        [one.media.name for one in attached]
        for entry, attached in found
        if isinstance(entry, MessageClosed) and entry.kind == "response"
    ]


def test_a_picture_comes_with_the_answer_that_is_made_of_it() -> None:
    names = shown(
        logged(
            ("t1", said("m1")), ("t1", gave(PHOTO, INVOICE)), ("t1", said("m2", "status")), ("t1", said("m3")),
            ("t1", said("m4")),
        )
    )  # fmt: skip

    assert names == [[], [PHOTO.name, INVOICE.name], []]


def test_equal_pictures_of_two_calls_are_shown_once() -> None:
    names = shown(logged(("t1", gave(PHOTO)), ("t1", gave(INVOICE, PHOTO, call="c1.2")), ("t1", said("m1"))))

    assert names == [[PHOTO.name, INVOICE.name]]


def test_media_of_an_untold_call_come_with_the_next_answer() -> None:
    entries = logged(
        ("t1", gave(PHOTO)), ("t1", TurnEnded(turn_id="t1", how="interrupted")), ("t2", said("m1"))
    )

    assert shown(entries) == [[PHOTO.name]]


def test_media_of_a_late_call_wait_for_the_message_about_it() -> None:
    entries = logged(
        ("t1", gave(PHOTO, late=True)), ("t2", said("m1")),
        ("t2", ResultsDelivered(message_id="m2", calls=(("t1", "c1.1"),))), ("t2", said("m2")),
    )  # fmt: skip

    assert shown(entries) == [[], [PHOTO.name]]


def test_media_of_a_late_call_may_come_with_the_next_turn() -> None:
    started = TurnStarted(turn_id="t3", message_id="u1", cause="late_result", bundle="b")
    entries = logged(("t1", gave(PHOTO, late=True)), ("t2", said("m1")), ("t3", started), ("t3", said("m2")))

    assert shown(entries) == [[], [PHOTO.name]]


def test_an_empty_result_has_no_picture() -> None:
    ended = CallEnded(outcome=CallEmpty(call=Call(id="c1.1", tool="t")))

    assert shown(logged(("t1", ended), ("t1", said("m1")))) == [[]]


ANSWER: tuple[tuple[str, Entry], ...] = (
    ("t1", CallStarted(call_id="c1.1", tool="get_delivery_photo", idempotency_key="k")),
    ("t1", gave(PHOTO, INVOICE)),
    ("t1", MessageOpened(message_id="m1", round=2)),
    ("t1", MessageText(message_id="m1", text="Here it is.")),
    ("t1", said("m1")),
)
ATTACHED = [
    {
        "call_id": "t1/c1.1",
        "mime": "image/jpeg",
        "name": "Your parcel at the door",
        "bytes": len(PHOTO.content),
        "width": 60,
        "height": 40,
        "url": "2/0",
    },
    {
        "call_id": "t1/c1.1",
        "mime": "application/pdf",
        "name": "invoice.pdf",
        "bytes": 8,
        "width": None,
        "height": None,
        "url": "2/1",
    },
]


def projector(*, shows: bool = True) -> Projector:
    return Projector(hint, address_of=(lambda seq, index: f"{seq}/{index}") if shows else None)


@pytest.mark.parametrize("shows", [True, False])
def test_a_frame_and_a_snapshot_have_the_same_attachments(shows: bool) -> None:
    entries, follower = logged(*ANSWER), projector(shows=shows)
    frames = [frame for one in entries if (frame := follower.project(one)) is not None]
    whole = snapshot(entries, projector(shows=shows))

    expected = ATTACHED if shows else None
    assert frames[-1].get("attachments") == expected
    (message,) = SERVER_FRAMES.validate_json(encode(whole)).model_dump(by_alias=True)["messages"]
    assert message["attachments"] == (expected or [])
    for frame in frames:
        SERVER_FRAMES.validate_json(encode(frame))


@pytest.mark.parametrize("content", [b"", b"a", b"ab", b"abc", b"abcd"])
def test_its_size_is_that_of_its_bytes(content: bytes) -> None:
    media = Media(mime="a/b", data=b64encode(content).decode())
    follower = projector()
    frames = [follower.project(one) for one in logged(("t1", gave(media)), ("t1", said("m1")))]

    assert frames[-1] is not None
    (attachment,) = SERVER_FRAMES.validate_json(encode(frames[-1])).model_dump()["attachments"]
    assert attachment["bytes"] == len(content)


def test_data_of_an_old_log_that_are_no_base64_are_no_picture() -> None:
    follower = projector()
    entries = logged(("t1", gave(Media(mime="image/png", data="*"))), ("t1", said("m1")))
    frame = [follower.project(one) for one in entries][-1]

    assert frame is not None
    (attachment,) = SERVER_FRAMES.validate_json(encode(frame)).model_dump()["attachments"]
    assert attachment["width"] is None


places = st.builds(
    AttachmentPlace,
    key=st.builds(ConversationKey, tenant=st.text(), customer=st.text(), conversation=st.text()),
    seq=st.integers(1, 10**6),
    index=st.integers(0, 20),
)
addresses = AttachmentAddresses(SECRET, ManualClock())


def sealed(place: AttachmentPlace, by: AttachmentAddresses = addresses) -> str:
    return by.address_of(place).removeprefix(PATH)


@given(places)
def test_an_address_leads_to_its_place_and_reveals_nothing(place: AttachmentPlace) -> None:
    address = sealed(place)

    assert addresses.read(address) == place
    assert re.fullmatch(r"[\w-]+", address, re.ASCII)
    assert sealed(place) == address
    if len(place.key.customer) > 3:
        assert place.key.customer not in address


@given(places, places)
def test_every_place_has_its_own_address(one: AttachmentPlace, other: AttachmentPlace) -> None:
    assert (sealed(one) == sealed(other)) is (one == other)


@given(places, st.data())
def test_a_changed_address_leads_nowhere(place: AttachmentPlace, data: st.DataObject) -> None:
    address = sealed(place)
    at = data.draw(st.integers(0, len(address) - 1))
    sign = data.draw(st.sampled_from("AZaz09-_!=é").filter(lambda sign: sign != address[at]))

    assert addresses.read(address[:at] + sign + address[at + 1 :]) is None
    assert addresses.read(address[:at]) is None
    assert addresses.read(address[:at] + sign + address[at:]) is None


@given(st.text())
def test_other_texts_are_no_addresses(text: str) -> None:
    assert addresses.read(text) is None


def test_an_address_of_another_server_leads_nowhere() -> None:
    place = AttachmentPlace(key=KEY, seq=1, index=0)

    assert addresses.read(sealed(place, AttachmentAddresses(b"x" * 32, ManualClock()))) is None


def test_an_address_is_valid_for_a_week() -> None:
    clock = ManualClock()
    theirs = AttachmentAddresses(SECRET, clock)
    address = sealed(AttachmentPlace(key=KEY, seq=1, index=0), theirs)

    clock.advance(DAYS * 24 * 3600)
    assert theirs.read(address) is not None
    assert sealed(AttachmentPlace(key=KEY, seq=1, index=0), theirs) != address

    clock.advance(24 * 3600)
    assert theirs.read(address) is None


@check_rows(
    ("media", "kind", "shown_as"),
    [
        (PHOTO, "image/jpeg", "inline; filename*=UTF-8''Your%20parcel%20at%20the%20door.jpg"),
        (replace(PHOTO, mime="text/html", name="x"), "image/jpeg", "inline; filename*=UTF-8''x"),
        (INVOICE, "application/octet-stream", "attachment; filename*=UTF-8''invoice.pdf"),
        (Media.of(b"<script>", mime="text/html", name="../a.html"), "application/octet-stream",
         "attachment; filename*=UTF-8''a.html"),
        (Media.of(b"<svg onload='x()'/>", mime="image/svg+xml"), "application/octet-stream",
         "attachment; filename*=UTF-8''attachment.svg"),
        (Media.of(b"x", mime="text/plain", name='a"\r\nX: ü'), "application/octet-stream",
         "attachment; filename*=UTF-8''a%20X%20%C3%BC.txt"),
    ],
)  # fmt: skip
def test_only_a_picture_is_shown_and_nothing_can_run_in_it(media: Media, kind: str, shown_as: str) -> None:
    response = file_response(media)

    assert response.body == media.content
    assert {name: response.headers[name] for name in response.headers if name != "content-length"} == {
        "content-type": kind,
        "content-disposition": shown_as,
        "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'; sandbox",
        "x-content-type-options": "nosniff",
        "referrer-policy": "no-referrer",
        "cache-control": "private, max-age=86400, immutable",
        "cross-origin-resource-policy": "cross-origin",
    }


def server_that_shows() -> RunningServer:
    server = new_server()

    async def read(key: ConversationKey, after: int) -> Sequence[Logged]:
        session = server.sessions.known.get(key)
        return session.entries[after:] if session is not None else []

    service = AttachmentService(AttachmentAddresses(SECRET, server.clock), read)
    server.context = replace(server.context, attachments=service)
    return server


async def test_a_customer_can_fetch_only_what_they_were_shown() -> None:
    async with opened(server_that_shows()) as server, ClientSession(f"http://127.0.0.1:{server.port}") as web:
        client = Client(server)
        await client.enter()
        for turn, entry in ANSWER:
            server.session.publish(entry, turn_id=turn)
        photo, invoice = (await client.hears_until("message.completed"))[-1]["attachments"]

        async with web.get("/" + photo["url"]) as response:
            assert (response.status, await response.read()) == (200, PHOTO.content)
        async with web.get("/" + invoice["url"]) as response:
            assert (response.status, await response.read()) == (200, INVOICE.content)

        key, of = server.session.key, AttachmentAddresses(SECRET, server.clock).address_of
        nowhere = [
            PATH,
            PATH + "x",
            photo["url"] + "A",
            photo["url"] + "/..",
            of(AttachmentPlace(key=key, seq=2, index=2)),
            of(AttachmentPlace(key=key, seq=3, index=0)),
            of(AttachmentPlace(key=key, seq=99, index=0)),
            of(AttachmentPlace(key=replace(key, customer="other"), seq=2, index=0)),
            of(AttachmentPlace(key=replace(key, tenant="other"), seq=2, index=0)),
            of(AttachmentPlace(key=replace(key, conversation="other"), seq=2, index=0)),
        ]
        for address in nowhere:
            async with web.get("/" + address) as response:
                assert response.status == 404, address


async def test_a_returning_customer_finds_the_picture_again() -> None:
    async with opened(server_that_shows()) as server:
        first = Client(server)
        await first.enter()
        for turn, entry in ANSWER:
            server.session.publish(entry, turn_id=turn)
        was = (await first.hears_until("message.completed"))[-1]["attachments"]

        again = Client(server)
        await again.enter(token=first.token)
        whole = await again.hear()

    assert whole["messages"][-1]["attachments"] == was
