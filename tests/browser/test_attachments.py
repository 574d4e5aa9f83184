"""Pictures and files that come with an answer."""

import re

import pytest
from playwright.async_api import Page, Route, expect

from tests.browser.fake_server import FakeServer, Value
from tests.browser.scenes import assistants, attachment, snapshot
from tests.browser.states import attached
from tests.browser.visitor import Visitor

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]

PICTURE = attachment("Your parcel at the door", "icon.svg", (480, 360))


async def test_a_picture_link_has_alternative_text_and_a_file_shows_its_size(
    ana: Visitor, server: FakeServer
) -> None:
    await attached(ana, server)

    picture = ana.log.get_by_role("link", name="Your parcel at the door", exact=True)
    await expect(picture).to_have_attribute("href", f"{server.url}icon.svg")
    await expect(picture).to_have_attribute("target", "_blank")
    await expect(picture).to_have_attribute("rel", "noopener noreferrer")
    await expect(picture.get_by_role("img")).to_have_js_property("complete", True)
    file = ana.log.get_by_role("link", name="invoice.pdf 70 kB", exact=True)
    await expect(file).to_have_attribute("href", f"{server.url}v1/attachments/two")
    await expect(ana.status).to_contain_text("Here.Picture: Your parcel at the door File: invoice.pdf")


async def test_space_for_a_picture_is_reserved_before_it_loads(
    ana: Visitor, server: FakeServer, page: Page
) -> None:
    held: list[Route] = []

    def hold(route: Route) -> None:
        held.append(route)

    await page.route("**/icon.svg", hold)
    await attached(ana, server)

    image = ana.log.locator("img")
    box = await image.bounding_box()
    assert box is not None
    assert (box["width"], box["height"]) == (280, 210)
    await expect(image).to_be_in_viewport(ratio=0.99)

    for route in held:
        await route.continue_()
    await expect(image).to_have_js_property("complete", True)
    await page.unroute("**/icon.svg")
    assert await image.bounding_box() == box


@pytest.mark.parametrize(
    ("size", "box"),
    [((4000, 1000), (280, 70)), ((100, 50), (100, 50)), ((300, 9000), (44, 240)), ((9, 9), (44, 44))],
)
async def test_a_picture_of_any_size_fits_and_can_be_clicked(
    ana: Visitor, server: FakeServer, size: tuple[int, int], box: tuple[int, int]
) -> None:
    await ana.opens_chat()
    line = await server.welcomed("snapshot")
    await line.says(snapshot(2, assistants("m1", "Here.", attachments=[attachment(None, "icon.svg", size)])))

    image = ana.log.get_by_role("img", name="Picture", exact=True)
    await expect(image).to_be_visible()
    found = await image.bounding_box()
    assert found is not None
    assert (found["width"], found["height"]) == box


async def test_an_answer_may_be_only_a_picture_and_is_in_the_snapshot(
    ana: Visitor, server: FakeServer
) -> None:
    await ana.opens_chat()
    line = await server.welcomed("snapshot")
    await line.says(snapshot(2, assistants("m1", "", attachments=[PICTURE])))

    await expect(ana.log.get_by_role("img", name="Your parcel at the door")).to_be_visible()
    await expect(ana.status).to_have_text("")


async def test_a_missing_picture_is_a_link_with_its_name(ana: Visitor, server: FakeServer) -> None:
    await ana.opens_chat()
    line = await server.welcomed("snapshot")
    gone = attachment("Your parcel at the door", "v1/attachments/gone", (480, 360))
    await line.says(snapshot(2, assistants("m1", "Here.", attachments=[gone])))

    link = ana.log.get_by_role("link", name="Your parcel at the door", exact=True)
    await expect(link).to_have_text("Your parcel at the door")
    await expect(link.locator("img")).to_be_hidden()
    ana.forgive("Failed to load resource")


@pytest.mark.parametrize(
    "url",
    [
        "https://evil.example/x.png",
        "//evil.example/x.png",
        "javascript:alert(1)",
        "data:image/png,x",
        "http://[",
    ],
)
async def test_media_from_other_origins_are_not_shown(ana: Visitor, server: FakeServer, url: str) -> None:
    await ana.opens_chat()
    line = await server.welcomed("snapshot")
    given: list[Value] = [attachment("x", url, (4, 4)), attachment("y", url)]
    await line.says(snapshot(2, assistants("m1", "Here.", attachments=given)))

    await expect(ana.message("Here.")).to_be_visible()
    await expect(ana.log.locator("a, img")).to_have_count(0)


async def test_attachments_are_named_in_the_saved_conversation(ana: Visitor, server: FakeServer) -> None:
    await attached(ana, server)

    async with ana.page.expect_download() as downloading:
        await ana.button("Download the conversation").click()
    text = (await (await downloading.value).path()).read_text(encoding="utf-8")

    assert re.search(r"Here\.\n\[Picture: Your parcel at the door\]\n\[File: invoice\.pdf\]", text)
