"""Customers upload files into their own conversation: which are accepted, who may use them, and how they are
deleted.
"""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import AbstractAsyncContextManager
from dataclasses import replace

import aiohttp
import pytest

from assistant.conversation.customer import Customer
from assistant.conversation.documents import Document
from tests.server.files.conftest import BEN, MOST_BYTES, MOST_FILES, FileEndpoints
from tests.server.running_server import ANA, new_server, opened

DAY_MS = 24 * 3600 * 1000


async def test_a_file_is_stored_for_its_customer_until_it_expires(doors: FileEndpoints) -> None:
    status, answer = await doors.uploads("May%20letter.txt", "Grüße".encode())

    now = doors.server.clock.now_ms()
    assert status == 201
    assert answer == {
        "ref": "document:id1",
        "name": "May letter.txt",
        "state": "waiting",
        "problem": None,
        "expires_at": now + 90 * DAY_MS,
        "bytes": 7,
    }
    (kept,) = doors.shelf.held.values()
    assert kept == Document(
        ref="document:id1",
        tenant="demo",
        customer="ana",
        kind="upload",
        title="May letter.txt",
        text="Grüße",
        conversation="c-1",
        kept_ms=now,
        expires_ms=now + 90 * DAY_MS,
    )


async def test_its_state_can_be_read_until_it_is_deleted(doors: FileEndpoints) -> None:
    _, file = await doors.uploads("a.txt")
    path, token = f"/v1/uploads/{file['ref']}", doors.token()

    doors.shelf.went(file["ref"], "failed", "no vector")
    status, stands = await doors.asks("GET", path, token)
    assert (status, stands["state"], stands["problem"]) == (200, "failed", "no vector")

    assert await doors.asks("DELETE", path, token) == (204, None)
    assert doors.shelf.held == {}
    status, gone = await doors.asks("GET", path, token)
    assert (status, gone["code"]) == (404, "unknown_file")


async def test_no_other_customer_sees_or_deletes_it(doors: FileEndpoints) -> None:
    _, file = await doors.uploads("a.txt")
    path = f"/v1/uploads/{file['ref']}"
    bank = replace(ANA, tenant="bank")

    for token in (doors.token(BEN), doors.token(bank)):
        answers = [await doors.asks(method, path, token) for method in ("GET", "DELETE")]
        missing = [
            await doors.asks(method, path.replace("id1", "id9"), token) for method in ("GET", "DELETE")
        ]
        assert [status for status, _ in answers] == [404, 404]
        assert repr(answers).replace("id1", "id9") == repr(missing)
    assert doors.shelf.texts == ["Hello"]


@pytest.mark.parametrize("token", [None, "", "wrong", "a.b.c"])
async def test_without_the_conversations_token_nothing_is_accepted(
    doors: FileEndpoints, token: str | None
) -> None:
    for method, path in (("POST", "?name=a.txt"), ("GET", "/document:id1"), ("DELETE", "/document:id1")):
        status, answer = await doors.asks(
            method, f"/v1/uploads{path}", token, b"x" if method == "POST" else None
        )
        assert (status, answer["code"]) == (401, "token_invalid")
        assert "welcome.token" in answer["message"]
    assert doors.shelf.texts == []


async def test_a_token_in_the_address_does_not_count(doors: FileEndpoints) -> None:
    path = f"/v1/uploads?name=a.txt&token={doors.token()}"
    assert (await doors.asks("POST", path, None, b"x"))[0] == 401


async def test_an_expired_token_is_refused(doors: FileEndpoints) -> None:
    token = doors.token()
    doors.server.clock.advance(31 * 24 * 3600)
    assert (await doors.asks("POST", "/v1/uploads?name=a.txt", token, b"x"))[0] == 401


@pytest.mark.parametrize(
    ("name", "content", "status", "code", "words"),
    [
        ("photo.jpg", b"x", 415, "unknown_kind", "'photo.jpg' cannot be read; these can: .md, .pdf, .txt"),
        ("README", b"x", 415, "unknown_kind", "'README'"),
        ("", b"x", 422, "bad_name", "needs a name"),
        ("..", b"x", 422, "bad_name", "'..'"),
        ("a.txt", b"x" * 1_001, 413, "too_large", "has 1001 bytes; at most 1000"),
        ("a.txt", b"broken", 422, "unreadable", "'a.txt' is damaged; save it again"),
        ("a.txt", b"evil", 422, "unreadable", "'a.txt' cannot be read"),
        ("a.txt", b"", 422, "unreadable", "no text in 'a.txt'"),
        ("a.txt", b" \n ", 422, "unreadable", "scanned pages"),
    ],
)
async def test_an_unsupported_file_is_refused_with_the_supported_kinds(
    doors: FileEndpoints, name: str, content: bytes, status: int, code: str, words: str
) -> None:
    refused, answer = await doors.uploads(name, content)

    assert (refused, answer["code"]) == (status, code)
    assert words in answer["message"]
    assert doors.shelf.texts == []


async def test_the_largest_allowed_file_is_accepted(doors: FileEndpoints) -> None:
    assert (await doors.uploads("a.txt", b"x" * MOST_BYTES))[0] == 201


async def test_a_file_without_a_size_is_measured_as_it_arrives(doors: FileEndpoints) -> None:
    async def endless() -> AsyncGenerator[bytes]:
        while True:
            yield b"x" * 600

    # The rest is not waited for: the line is cut, or the answer is there before it is.
    try:
        status, answer = await doors.uploads("a.txt", endless())
    except aiohttp.ClientOSError:
        pass
    else:
        assert (status, answer["code"]) == (413, "too_large")
    assert doors.shelf.texts == []
    assert (await doors.uploads("b.txt"))[0] == 201


async def test_two_concurrent_uploads_are_both_stored(doors: FileEndpoints) -> None:
    answers = await asyncio.gather(
        doors.uploads("a.txt", b"first"),
        doors.uploads("b.txt", b"second"),
        doors.uploads("c.txt", b"Ben's", BEN),
    )

    assert [status for status, _ in answers] == [201] * 3
    assert sorted(doors.shelf.texts) == ["Ben's", "first", "second"]
    assert len({answer["ref"] for _, answer in answers}) == 3


async def test_the_number_of_files_of_a_customer_is_limited(doors: FileEndpoints) -> None:
    at_once = [doors.uploads(f"{number}.txt") for number in range(MOST_FILES + 2)]
    answers = await asyncio.gather(*at_once)

    assert len([status for status, _ in answers if status == 201]) <= MOST_FILES
    assert len(doors.shelf.texts) <= MOST_FILES
    while len(doors.shelf.texts) < MOST_FILES:
        assert (await doors.uploads("more.txt"))[0] == 201
    status, answer = await doors.uploads("last.txt")
    assert (status, answer["code"]) == (409, "too_many")
    assert f"{MOST_FILES} files" in answer["message"]
    assert (await doors.uploads("a.txt", who=BEN))[0] == 201


class Stalled:
    """A file of which only the beginning comes."""

    def __init__(self, doors: FileEndpoints, who: Customer, address: str) -> None:
        self.received = asyncio.Event()
        self._end = asyncio.Event()
        headers = {"Authorization": f"Bearer {doors.token(who, who.id)}", "X-Forwarded-For": address}
        asks = doors.http.post("/v1/uploads?name=a.txt", data=self._content(), headers=headers)
        self._asking = asyncio.create_task(self._answer(asks))

    async def _content(self) -> AsyncGenerator[bytes]:
        yield b"half"
        self.received.set()
        await self._end.wait()

    async def _answer(self, asks: AbstractAsyncContextManager[aiohttp.ClientResponse]) -> int:
        async with asks as answer:
            self.received.set()
            return answer.status

    async def ends(self) -> int:
        """The status, when the file is given up."""
        async with asyncio.timeout(30):
            return await self._asking


@pytest.mark.parametrize(("customers", "addresses", "held"), [(1, 1, 5), (18, 1, 8), (1, 18, 5)])
async def test_stalled_files_leave_slots_for_the_others(
    doors: FileEndpoints, customers: int, addresses: int, held: int
) -> None:
    uploads = doors.server.door.uploads
    assert uploads is not None
    uploads.most = 50
    stalled = [
        Stalled(doors, replace(ANA, id=f"c{n % customers}"), f"203.0.113.{n % addresses}") for n in range(18)
    ]
    for one in stalled:
        await one.received.wait()

    status, _ = await doors.uploads("b.txt", who=BEN, **{"X-Forwarded-For": "198.51.100.1"})
    assert status == 201
    assert uploads.intake.receiving == held
    doors.server.clock.advance(15)
    ended = [await one.ends() for one in stalled]
    assert sorted(ended) == [408] * held + [429] * (18 - held)
    assert uploads.intake.receiving == 0
    assert (await doors.uploads("c.txt", who=replace(ANA, id="late")))[0] == 201


async def test_the_number_of_uploads_in_a_minute_is_limited(doors: FileEndpoints) -> None:
    refused = [await doors.uploads("photo.jpg") for _ in range(11)]

    assert [status for status, _ in refused] == [415] * 10 + [429]
    assert refused[-1][1]["code"] == "rate_limited"
    assert (await doors.uploads("a.txt", who=BEN))[0] == 201
    doors.server.clock.advance(60)
    assert (await doors.uploads("a.txt"))[0] == 201


async def test_an_unavailable_document_store_is_reported(doors: FileEndpoints) -> None:
    doors.shelf.away = True

    status, answer = await doors.uploads("a.txt")

    assert (status, answer["code"]) == (503, "busy")
    assert (await doors.operator("GET"))[0] == 503


async def test_uploads_that_are_turned_off_are_reported(doors: FileEndpoints) -> None:
    async with opened(new_server()) as server:
        url, headers = (
            f"http://127.0.0.1:{server.port}/v1/uploads",
            {"Authorization": f"Bearer {doors.token()}"},
        )
        async with aiohttp.request("POST", url, params={"name": "a.txt"}, headers=headers) as answer:
            told = await answer.json()

    assert (answer.status, told["code"]) == (404, "off")
    assert "ASSISTANT_UPLOADS" in told["message"]
