"""Files that go with a message: chosen, dropped, pasted; refused in a sentence; taken back; kept over a reload."""

import asyncio
import json
import re
from collections.abc import AsyncGenerator
from typing import Any

import pytest
import pytest_asyncio
from playwright.async_api import FilePayload, Locator, Page, Route, expect

from tests.browser.fake_server import FakeServer, Frame, Line, Value
from tests.browser.scenes import Numbered, customers, snapshot
from tests.browser.site import site_token
from tests.browser.visitor import Visitor

pytestmark = [pytest.mark.slow, pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]

TERMS: Value = {"max_bytes": 1000, "max_files": 2, "endings": [".md", ".txt"]}
LETTER: FilePayload = {"name": "letter.txt", "mimeType": "text/plain", "buffer": b"Dear Robin"}
NOTES: FilePayload = {"name": "notes.md", "mimeType": "text/markdown", "buffer": b"# Notes"}
PUT = """({ files, text, how }) => {
    const data = new DataTransfer();
    for (const name of files) data.items.add(new File(["Hello"], name));
    if (text) data.setData("text/plain", text);
    const panel = document.querySelector("meanwhile-chat").shadowRoot.querySelector("dialog");
    const options = { bubbles: true, cancelable: true };
    const event = how === "paste"
        ? new ClipboardEvent(how, { ...options, clipboardData: data })
        : new DragEvent(how, { ...options, dataTransfer: data });
    panel.querySelector("textarea").dispatchEvent(event);
    return [event.defaultPrevented, panel.dataset.drop ?? ""];
}"""


class Store:
    """Where files are uploaded to: answers each when the test says so, or at once."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, str, str, bytes | None]] = []
        self.answers: list[tuple[int, Frame]] = []
        self.held: asyncio.Queue[Route] | None = None

    async def take(self, route: Route) -> None:
        """One request of the page's."""
        request = route.request
        path = re.sub(r"^.*?/v1", "/v1", request.url)
        token = request.headers.get("authorization", "")
        self.asked.append((request.method, path, token, request.post_data_buffer))
        if self.held is not None and request.method == "POST":
            await self.held.put(route)
        else:
            await self.answer(route)

    async def answer(self, route: Route) -> None:
        """Say that a file is kept, or what was to be said instead."""
        kept = {"ref": f"document:{len(self.asked)}", "name": re.sub(r".*name=", "", route.request.url)}
        status, body = self.answers.pop(0) if self.answers else (201, kept)
        await route.fulfill(status=status, content_type="application/json", body=json.dumps(body))


@pytest_asyncio.fixture(loop_scope="session")
async def store(page: Page) -> AsyncGenerator[Store]:
    """Where files go."""
    made = Store()
    await page.route("**/v1/uploads**", made.take)
    yield made
    await page.unroute("**/v1/uploads**")


async def _opened(ana: Visitor, server: FakeServer, resumed: str = "new", uploads: Value = TERMS) -> Line:
    await ana.opens_chat()
    return await server.welcomed(resumed, uploads=uploads)


async def _chooses(ana: Visitor, *files: FilePayload) -> None:
    async with ana.page.expect_file_chooser() as chosen:
        await ana.button("Attach a file").click()
    await (await chosen.value).set_files(list(files))


def _chips(ana: Visitor) -> Locator:
    return ana.panel.get_by_role("list", name="Files for your message").get_by_role("listitem")


async def test_a_chosen_file_is_uploaded_and_goes_with_the_message(
    ana: Visitor, server: FakeServer, store: Store
) -> None:
    line = await _opened(ana, server)
    await _chooses(ana, LETTER)

    await expect(_chips(ana)).to_have_text(["letter.txt10 bytes"])
    await expect(ana.status).to_contain_text("letter.txt is attached.")
    assert store.asked == [("POST", "/v1/uploads?name=letter.txt", "Bearer t1", b"Dear Robin")]
    await ana.says("Is this right?")

    said = await line.hears("message")
    file: Value = {"ref": "document:1", "name": "letter.txt"}
    assert (said["text"], said["attachments"]) == ("Is this right?", [file])
    await expect(_chips(ana)).to_have_count(0)
    await line.says(
        Numbered().frame("accepted", id=said["id"], text="Is this right?", at=0, attachments=[file])
    )
    await expect(ana.log.locator("article")).to_have_text(["You: Is this right?File: letter.txt"])


async def test_a_message_with_a_file_needs_no_text(ana: Visitor, server: FakeServer, store: Store) -> None:
    del store
    line = await _opened(ana, server)
    await _chooses(ana, LETTER)
    await expect(_chips(ana)).to_have_text(["letter.txt10 bytes"])

    await ana.button("Send").click()

    said = await line.hears("message")
    assert said["text"] == ""
    await expect(ana.log.locator("article")).to_have_text(["You: File: letter.txtWaiting to be sent"])


async def test_while_a_file_uploads_nothing_is_sent_and_nothing_is_lost(
    ana: Visitor, server: FakeServer, store: Store
) -> None:
    store.held = asyncio.Queue()
    line = await _opened(ana, server)
    await _chooses(ana, LETTER)
    await expect(_chips(ana)).to_have_text([re.compile(r"letter\.txt10 bytes · (\d+ %|being read…)")])

    await ana.says("Is this right?")
    await expect(ana.page.get_by_role("alert")).to_have_text("One moment, a file is still on its way.")
    await expect(ana.field).to_have_value("Is this right?")

    await store.answer(await store.held.get())
    await expect(_chips(ana)).to_have_text(["letter.txt10 bytes"])
    await ana.field.press("Enter")
    assert (await line.hears("message"))["text"] == "Is this right?"


@pytest.mark.parametrize(
    ("file", "sentence"),
    [
        ({**LETTER, "name": "photo.JPG"}, "Files of this kind cannot be read. These can: .md, .txt"),
        ({**LETTER, "buffer": b"x" * 1001}, "It is too large. Files may have up to 1 kB."),
        ({**LETTER, "buffer": b""}, "There is nothing in it."),
    ],
)
async def test_an_unsupported_file_is_not_uploaded_and_the_customer_is_told_why(
    ana: Visitor, server: FakeServer, store: Store, file: FilePayload, sentence: str
) -> None:
    line = await _opened(ana, server)
    await _chooses(ana, file)

    await expect(_chips(ana)).to_have_text([f"{file['name']}{sentence}"])
    await expect(ana.page.get_by_role("alert")).to_have_text(f"{file['name']}: {sentence}")
    assert store.asked == []
    await ana.says("Hello")
    assert "attachments" not in await line.hears("message")
    await expect(_chips(ana)).to_have_count(0)


async def test_the_number_of_files_of_one_message_is_limited(
    ana: Visitor, server: FakeServer, store: Store
) -> None:
    await _opened(ana, server)
    await _chooses(ana, LETTER, NOTES, {**NOTES, "name": "more.md"})

    await expect(_chips(ana)).to_have_text(
        ["letter.txt10 bytes", "notes.md7 bytes", "more.mdOnly 2 files can go with a message."]
    )
    assert len(store.asked) == 2


REFUSALS: list[tuple[tuple[int, Frame], str]] = [
    ((422, {"code": "unreadable", "message": "x"}), "No text could be read in it."),
    ((429, {"code": "rate_limited", "message": "x"}), "That was a lot at once. Please wait a minute."),
    ((500, {}), "It could not be uploaded. Please try again."),
    ((201, {}), "It could not be uploaded. Please try again."),
]


@pytest.mark.parametrize(("answer", "sentence"), REFUSALS)
async def test_a_refusal_of_the_server_is_shown_in_the_customers_language(
    ana: Visitor, server: FakeServer, store: Store, answer: tuple[int, Frame], sentence: str
) -> None:
    store.answers = [answer]
    await _opened(ana, server)
    await _chooses(ana, LETTER)

    await expect(_chips(ana)).to_have_text([f"letter.txt{sentence}"])
    ana.forgive("Failed to load resource")


async def test_a_file_can_be_removed_before_it_is_sent(
    ana: Visitor, server: FakeServer, store: Store
) -> None:
    line = await _opened(ana, server)
    await _chooses(ana, LETTER, NOTES)
    await expect(_chips(ana)).to_have_text(["letter.txt10 bytes", "notes.md7 bytes"])

    async with ana.page.expect_request("**/v1/uploads/document:1"):
        await ana.button("Remove letter.txt").click()
    await expect(_chips(ana)).to_have_text(["notes.md7 bytes"])
    assert store.asked[-1][:3] == ("DELETE", "/v1/uploads/document:1", "Bearer t1")

    await ana.says("Here")
    assert (await line.hears("message"))["attachments"] == [{"ref": "document:2", "name": "notes.md"}]


async def test_removing_a_file_cancels_its_upload(ana: Visitor, server: FakeServer, store: Store) -> None:
    store.held = asyncio.Queue()
    line = await _opened(ana, server)
    await _chooses(ana, LETTER)
    await store.held.get()

    async with ana.page.expect_event("requestfailed"):
        await ana.button("Remove letter.txt").press("Enter")
    await expect(_chips(ana)).to_have_count(0)
    await ana.has_focus_on("Your message")

    await ana.says("Hello")
    assert "attachments" not in await line.hears("message")


async def test_uploaded_files_survive_a_reload_and_unfinished_ones_do_not(
    ana: Visitor, server: FakeServer, store: Store
) -> None:
    await _opened(ana, server)
    await _chooses(ana, LETTER)
    await expect(_chips(ana)).to_have_text(["letter.txt10 bytes"])
    store.held = asyncio.Queue()
    await _chooses(ana, NOTES)
    await expect(_chips(ana)).to_have_count(2)

    await ana.page.reload()
    line = await server.welcomed("new", uploads=TERMS)

    await expect(_chips(ana)).to_have_text(["letter.txt10 bytes"])
    await ana.says("Here")
    assert (await line.hears("message"))["attachments"] == [{"ref": "document:1", "name": "letter.txt"}]


async def test_a_message_that_waits_with_a_file_is_sent_after_a_reload(
    ana: Visitor, server: FakeServer, store: Store
) -> None:
    del store
    line = await _opened(ana, server)
    await _chooses(ana, LETTER)
    await expect(_chips(ana)).to_have_text(["letter.txt10 bytes"])
    await ana.says("Here")
    said = await line.hears("message")

    await ana.page.reload()
    line = await server.welcomed("new", uploads=TERMS)

    assert await line.hears("message") == said
    await expect(ana.log.locator("article")).to_contain_text(["Here"])
    await expect(ana.log.get_by_text("letter.txt")).to_be_visible()


async def test_signing_out_removes_the_files(ana: Visitor, server: FakeServer, store: Store) -> None:
    del store
    await _opened(ana, server)
    await ana.tells("setUser", site_token("ana"))
    await server.welcomed(uploads=TERMS, customer={"id": "ana", "level": "signed_in", "name": None})
    await _chooses(ana, LETTER)
    await expect(_chips(ana)).to_have_count(1)

    await ana.tells("setUser", None)
    await expect(_chips(ana)).to_have_count(0)
    await server.welcomed(uploads=TERMS)
    await expect(_chips(ana)).to_have_count(0)


async def test_files_are_dropped_on_the_panel_and_pasted_into_it(
    ana: Visitor, server: FakeServer, store: Store
) -> None:
    del store
    await _opened(ana, server)
    await expect(ana.button("Attach a file")).to_be_visible()

    async def put(how: str, *files: str, text: str = "") -> list[Any]:
        return await ana.page.evaluate(PUT, {"how": how, "files": files, "text": text})

    assert await put("dragover", "a.txt") == [True, "Drop files here to attach them"]
    assert await put("dragleave", "a.txt") == [False, ""]
    assert await put("dragover", text="words") == [False, ""]
    assert await put("drop", "a.txt") == [True, ""]
    assert await put("paste", "b.txt") == [True, ""]
    assert await put("paste", "image.png", text="cells of a table") == [False, ""]
    assert await put("paste", text="words") == [False, ""]
    await expect(_chips(ana)).to_have_text(["a.txt5 bytes", "b.txt5 bytes"])


async def test_without_uploads_there_is_no_button_and_a_drop_is_the_browsers(
    ana: Visitor, server: FakeServer
) -> None:
    await _opened(ana, server, uploads=None)
    await expect(ana.button("Send")).to_be_visible()

    await expect(ana.button("Attach a file")).to_have_count(0)
    for how in ("dragover", "paste"):
        assert await ana.page.evaluate(PUT, {"how": how, "files": ["a.txt"], "text": ""}) == [False, ""]


async def test_the_history_shows_which_files_were_sent(ana: Visitor, server: FakeServer) -> None:
    line = await _opened(ana, server, resumed="snapshot")
    file: Value = {"ref": "document:1", "name": "letter.txt"}
    sent: Frame = {**customers("c1", "Look"), "attachments": [file]}

    await line.says(snapshot(1, sent))

    await expect(ana.log.locator("article")).to_have_text(["You: LookFile: letter.txt"])
    async with ana.page.expect_download() as saved:
        await ana.button("Download the conversation").click()
    assert "Look\n[File: letter.txt]" in (await (await saved.value).path()).read_text()


async def test_the_texts_are_in_german_too(ana: Visitor, server: FakeServer, store: Store) -> None:
    del store
    await _opened(ana, server)
    await ana.tells("setLocale", "de")
    line = await server.welcomed(uploads=TERMS)
    del line

    async with ana.page.expect_file_chooser() as chosen:
        await ana.button("Datei anhängen").click()
    await (await chosen.value).set_files([{**LETTER, "name": "Bild.png"}])

    await expect(ana.panel.get_by_role("list", name="Dateien zu Ihrer Nachricht")).to_contain_text(
        "Solche Dateien können nicht gelesen werden. Möglich sind: .md, .txt"
    )
