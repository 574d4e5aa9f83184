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


async def test_a_file_is_stored_for_its_customer_until_it_expires(endpoints: FileEndpoints) -> None:
    status, answer = await endpoints.uploads("May%20letter.txt", "Grüße".encode())

    now = endpoints.server.clock.now_ms()
    assert status == 201
    assert answer == {
        "ref": "document:id1",
        "name": "May letter.txt",
        "state": "waiting",
        "problem": None,
        "expires_at": now + 90 * DAY_MS,
        "bytes": 7,
    }
    (kept,) = endpoints.keeper.held.values()
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


async def test_its_state_can_be_read_until_it_is_deleted(endpoints: FileEndpoints) -> None:
    _, file = await endpoints.uploads("a.txt")
    path, token = f"/v1/uploads/{file['ref']}", endpoints.token()

    endpoints.keeper.went(file["ref"], "failed", "no vector")
    status, stands = await endpoints.asks("GET", path, token)
    assert (status, stands["state"], stands["problem"]) == (200, "failed", "no vector")

    assert await endpoints.asks("DELETE", path, token) == (204, None)
    assert endpoints.keeper.held == {}
    status, gone = await endpoints.asks("GET", path, token)
    assert (status, gone["code"]) == (404, "unknown_file")


async def test_no_other_customer_sees_or_deletes_it(endpoints: FileEndpoints) -> None:
    _, file = await endpoints.uploads("a.txt")
    path = f"/v1/uploads/{file['ref']}"
    bank = replace(ANA, tenant="bank")

    for token in (endpoints.token(BEN), endpoints.token(bank)):
        answers = [await endpoints.asks(method, path, token) for method in ("GET", "DELETE")]
        missing = [
            await endpoints.asks(method, path.replace("id1", "id9"), token) for method in ("GET", "DELETE")
        ]
        assert [status for status, _ in answers] == [404, 404]
        assert repr(answers).replace("id1", "id9") == repr(missing)
    assert endpoints.keeper.texts == ["Hello"]


@pytest.mark.parametrize("token", [None, "", "wrong", "a.b.c"])
async def test_without_the_conversations_token_nothing_is_accepted(
    endpoints: FileEndpoints, token: str | None
) -> None:
    for method, path in (("POST", "?name=a.txt"), ("GET", "/document:id1"), ("DELETE", "/document:id1")):
        status, answer = await endpoints.asks(
            method, f"/v1/uploads{path}", token, b"x" if method == "POST" else None
        )
        assert (status, answer["code"]) == (401, "token_invalid")
        assert "welcome.token" in answer["message"]
    assert endpoints.keeper.texts == []


async def test_a_token_in_the_address_does_not_count(endpoints: FileEndpoints) -> None:
    path = f"/v1/uploads?name=a.txt&token={endpoints.token()}"
    assert (await endpoints.asks("POST", path, None, b"x"))[0] == 401


async def test_an_expired_token_is_refused(endpoints: FileEndpoints) -> None:
    token = endpoints.token()
    endpoints.server.clock.advance(31 * 24 * 3600)
    assert (await endpoints.asks("POST", "/v1/uploads?name=a.txt", token, b"x"))[0] == 401


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
    endpoints: FileEndpoints, name: str, content: bytes, status: int, code: str, words: str
) -> None:
    refused, answer = await endpoints.uploads(name, content)

    assert (refused, answer["code"]) == (status, code)
    assert words in answer["message"]
    assert endpoints.keeper.texts == []


async def test_the_largest_allowed_file_is_accepted(endpoints: FileEndpoints) -> None:
    assert (await endpoints.uploads("a.txt", b"x" * MOST_BYTES))[0] == 201


async def test_a_file_without_a_size_is_measured_as_it_arrives(endpoints: FileEndpoints) -> None:
    async def endless() -> AsyncGenerator[bytes]:
        while True:
            yield b"x" * 600

    # The rest is not waited for: the line is cut, or the answer is there before it is.
    try:
        status, answer = await endpoints.uploads("a.txt", endless())
    except aiohttp.ClientOSError:
        pass
    else:
        assert (status, answer["code"]) == (413, "too_large")
    assert endpoints.keeper.texts == []
    assert (await endpoints.uploads("b.txt"))[0] == 201


async def test_two_concurrent_uploads_are_both_stored(endpoints: FileEndpoints) -> None:
    answers = await asyncio.gather(
        endpoints.uploads("a.txt", b"first"),
        endpoints.uploads("b.txt", b"second"),
        endpoints.uploads("c.txt", b"Ben's", BEN),
    )

    assert [status for status, _ in answers] == [201] * 3
    assert sorted(endpoints.keeper.texts) == ["Ben's", "first", "second"]
    assert len({answer["ref"] for _, answer in answers}) == 3


async def test_the_number_of_files_of_a_customer_is_limited(endpoints: FileEndpoints) -> None:
    at_once = [endpoints.uploads(f"{number}.txt") for number in range(MOST_FILES + 2)]
    answers = await asyncio.gather(*at_once)

    assert len([status for status, _ in answers if status == 201]) <= MOST_FILES
    assert len(endpoints.keeper.texts) <= MOST_FILES
    while len(endpoints.keeper.texts) < MOST_FILES:
        assert (await endpoints.uploads("more.txt"))[0] == 201
    status, answer = await endpoints.uploads("last.txt")
    assert (status, answer["code"]) == (409, "too_many")
    assert f"{MOST_FILES} files" in answer["message"]
    assert (await endpoints.uploads("a.txt", who=BEN))[0] == 201


class Stalled:
    """A file of which only the beginning comes."""

    def __init__(self, endpoints: FileEndpoints, who: Customer, address: str) -> None:
        self.received = asyncio.Event()
        self._end = asyncio.Event()
        headers = {"Authorization": f"Bearer {endpoints.token(who, who.id)}", "X-Forwarded-For": address}
        asks = endpoints.http.post("/v1/uploads?name=a.txt", data=self._content(), headers=headers)
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
    endpoints: FileEndpoints, customers: int, addresses: int, held: int
) -> None:
    uploads = endpoints.server.context.uploads
    assert uploads is not None
    uploads.most = 50
    stalled = [
        Stalled(endpoints, replace(ANA, id=f"c{n % customers}"), f"203.0.113.{n % addresses}")
        for n in range(18)
    ]
    for one in stalled:
        await one.received.wait()

    status, _ = await endpoints.uploads("b.txt", who=BEN, **{"X-Forwarded-For": "198.51.100.1"})
    assert status == 201
    assert uploads.reader.receiving == held
    endpoints.server.clock.advance(15)
    ended = [await one.ends() for one in stalled]
    assert sorted(ended) == [408] * held + [429] * (18 - held)
    assert uploads.reader.receiving == 0
    assert (await endpoints.uploads("c.txt", who=replace(ANA, id="late")))[0] == 201


async def test_the_number_of_uploads_in_a_minute_is_limited(endpoints: FileEndpoints) -> None:
    refused = [await endpoints.uploads("photo.jpg") for _ in range(11)]

    assert [status for status, _ in refused] == [415] * 10 + [429]
    assert refused[-1][1]["code"] == "rate_limited"
    assert (await endpoints.uploads("a.txt", who=BEN))[0] == 201
    endpoints.server.clock.advance(60)
    assert (await endpoints.uploads("a.txt"))[0] == 201


async def test_an_unavailable_document_store_is_reported(endpoints: FileEndpoints) -> None:
    endpoints.keeper.away = True

    status, answer = await endpoints.uploads("a.txt")

    assert (status, answer["code"]) == (503, "busy")
    assert (await endpoints.operator("GET"))[0] == 503


async def test_uploads_that_are_turned_off_are_reported(endpoints: FileEndpoints) -> None:
    async with opened(new_server()) as server:
        url, headers = (
            f"http://127.0.0.1:{server.port}/v1/uploads",
            {"Authorization": f"Bearer {endpoints.token()}"},
        )
        async with aiohttp.request("POST", url, params={"name": "a.txt"}, headers=headers) as answer:
            told = await answer.json()

    assert (answer.status, told["code"]) == (404, "off")
    assert "ASSISTANT_UPLOADS" in told["message"]
