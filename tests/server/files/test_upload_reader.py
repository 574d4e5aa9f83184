"""Uploads in progress: interrupted, too slow, too many; each is stored as a whole or not."""

import asyncio
from typing import Any

import pytest
from starlette.requests import ClientDisconnect, Request

from assistant.conversation.customer import ConversationKey
from assistant.memory.file_reader import ReadFile
from assistant.server.uploads import (
    AT_A_TIME,
    AT_ONCE,
    STALLED_S,
    RequestRefused,
    UploadReader,
    Uploads,
)
from tests.server.files.conftest import MOST_BYTES, read
from tests.server.running_server import CountingIds, ManualClock
from tests.support.library import FakeKeeper

ANAS = ConversationKey(tenant="demo", customer="ana", conversation="c-1")


class Coming:
    """A file that comes piece by piece, when the test sends one."""

    def __init__(self) -> None:
        self._pieces: asyncio.Queue[dict[str, Any]] = asyncio.Queue()
        self.awaited = asyncio.Event()
        self.request = Request({"type": "http", "method": "POST", "headers": []}, self._receive)

    async def _receive(self) -> dict[str, Any]:
        self.awaited.set()
        return await self._pieces.get()

    def sends(self, piece: bytes, *, more: bool = True) -> None:
        """One more piece of it."""
        self._pieces.put_nowait({"type": "http.request", "body": piece, "more_body": more})

    def leaves(self) -> None:
        """The client has disconnected."""
        self._pieces.put_nowait({"type": "http.disconnect"})


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock()


@pytest.fixture
def reader(clock: ManualClock) -> UploadReader:
    return UploadReader(read, {".txt"}, MOST_BYTES, clock)


async def test_an_upload_in_pieces_is_read_when_it_is_complete(reader: UploadReader) -> None:
    coming = Coming()
    for piece in (b"Hel", b"lo", "ü".encode()[:1]):
        coming.sends(piece)
    coming.sends("ü".encode()[1:], more=False)

    assert await reader.read_upload(coming.request, "a.txt") == (
        ReadFile(title="a", text="Helloü", mime="text/plain"),
        7,
    )


async def test_the_first_piece_over_the_limit_ends_it(reader: UploadReader) -> None:
    coming = Coming()
    coming.sends(b"x" * MOST_BYTES)
    coming.sends(b"x")

    with pytest.raises(
        RequestRefused, match=r"'a.txt' has more than 1000 bytes; at most 1000 are taken"
    ) as refused:
        await reader.read_upload(coming.request, "a.txt")

    assert refused.value.status == 413


async def test_an_interrupted_upload_leaves_nothing_and_does_not_count(
    reader: UploadReader, clock: ManualClock
) -> None:
    keeper = FakeKeeper()
    uploads = Uploads(keeper, reader, clock, CountingIds(), most=1)
    first, second, third = Coming(), Coming(), Coming()
    third.sends(b"Hello", more=False)
    coming = asyncio.create_task(uploads.keep_upload(first.request, ANAS, "a.txt"))
    await first.awaited.wait()
    first.sends(b"half ")

    with pytest.raises(RequestRefused, match="you have 1 files here already"):
        await uploads.keep_upload(second.request, ANAS, "b.txt")
    first.leaves()
    with pytest.raises(ClientDisconnect):
        await coming

    assert keeper.texts == []
    await uploads.keep_upload(third.request, ANAS, "c.txt")
    assert keeper.texts == ["Hello"]


async def test_an_upload_without_data_ends_sooner(reader: UploadReader, clock: ManualClock) -> None:
    coming = Coming()
    coming.sends(b"half ")
    taking = asyncio.create_task(reader.read_upload(coming.request, "a.txt"))
    await coming.awaited.wait()

    clock.advance(STALLED_S)

    with pytest.raises(RequestRefused, match=r"nothing came of 'a.txt' for 15 seconds") as refused:
        await taking
    assert (refused.value.status, refused.value.code) == (408, "too_slow")


async def test_a_slow_upload_ends_at_the_time_limit(reader: UploadReader, clock: ManualClock) -> None:
    coming = Coming()
    taking = asyncio.create_task(reader.read_upload(coming.request, "a.txt"))
    for _ in range(12):
        await coming.awaited.wait()
        coming.awaited.clear()
        clock.advance(STALLED_S - 5)
        coming.sends(b"x")

    with pytest.raises(RequestRefused, match=r"'a.txt' took longer than 120 seconds"):
        await taking


async def test_the_number_of_uploads_in_memory_is_limited(reader: UploadReader) -> None:
    begun = [Coming() for _ in range(AT_ONCE)]
    taking = [asyncio.create_task(reader.read_upload(one.request, "a.txt")) for one in begun]
    for one in begun:
        await one.awaited.wait()

    with pytest.raises(RequestRefused, match="16 files are on their way in already") as refused:
        await reader.read_upload(Coming().request, "a.txt")
    assert (refused.value.status, refused.value.headers) == (503, {"Retry-After": "5"})

    for one in begun:
        one.sends(b"Hello", more=False)
    assert [size for _, size in await asyncio.gather(*taking)] == [5] * AT_ONCE
    coming = Coming()
    coming.sends(b"Hello", more=False)
    await reader.read_upload(coming.request, "a.txt")


async def test_the_number_of_files_read_at_a_time_is_limited(clock: ManualClock) -> None:
    reading: list[str] = []
    go_on = asyncio.Event()

    async def slow(name: str, content: bytes) -> ReadFile:
        reading.append(name)
        await go_on.wait()
        return await read(name, content)

    reader = UploadReader(slow, {".txt"}, MOST_BYTES, clock)
    coming = [Coming() for _ in range(AT_A_TIME + 1)]
    taking = [
        asyncio.create_task(reader.read_upload(one.request, f"{number}.txt"))
        for number, one in enumerate(coming)
    ]
    for one in coming:
        one.sends(b"Hello", more=False)
    for _ in range(50):
        await asyncio.sleep(0)

    assert reading == ["0.txt", "1.txt"]
    go_on.set()
    await asyncio.gather(*taking)
    assert reading == ["0.txt", "1.txt", "2.txt"]
