"""A conversation in a real browser: messages, lookups, stop and refusals."""

import pytest
from playwright.async_api import expect

from tests.browser.fake_server import FakeServer
from tests.browser.scenes import Numbered, assistants, customers, snapshot, take_message
from tests.browser.visitor import Visitor

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]

ACKNOWLEDGEMENT = "Sure, I'll look up your appointments and check your billing."


async def test_two_requests_at_once_are_acknowledged_looked_up_and_answered(
    ana: Visitor, server: FakeServer
) -> None:
    frames = Numbered()
    await ana.opens_chat()
    line = await server.welcomed()
    await ana.says("Check my appointments and billing")
    await take_message(line, frames)
    await line.says(
        frames.started("m1"),
        frames.delta("m1", "Sure, I'll look up your appointments"),
        frames.tool_started("t1/c1.1", "looking up your appointments"),
        frames.tool_started("t1/c1.2", "checking your billing"),
        frames.delta("m1", " and check your billing."),
        frames.completed("m1", "acknowledgement", ACKNOWLEDGEMENT),
    )
    await expect(ana.chips).to_have_text(["Looking up your appointments…", "Checking your billing…"])
    await line.says(
        frames.tool_finished("t1/c1.2", "ok"),
        frames.tool_finished("t1/c1.1", "ok"),
        *frames.told("m2", "response", "You have an appointment on Tuesday at 2 pm. You owe $150."),
        frames.turn_completed(),
    )

    await ana.sees(
        "You: Check my appointments and billing",
        f"Robin: {ACKNOWLEDGEMENT}",
        "Robin: You have an appointment on Tuesday at 2 pm. You owe $150.",
    )
    await expect(ana.chips).to_have_text(
        ["Looking up your appointments: done", "Checking your billing: done"]
    )
    await expect(ana.message(ACKNOWLEDGEMENT)).to_have_attribute("data-message-kind", "acknowledgement")


async def test_the_acknowledgement_looks_lighter_than_the_response(ana: Visitor, server: FakeServer) -> None:
    frames = Numbered()
    await ana.opens_chat()
    line = await server.welcomed()
    await line.says(*frames.told("m1", "acknowledgement", "Let me see."))
    await line.says(*frames.told("m2", "response", "We are open."))

    looks = [
        await ana.message(text).locator(".bubble").evaluate("node => getComputedStyle(node).backgroundColor")
        for text in ("Let me see.", "We are open.")
    ]

    assert looks[0] == "rgba(0, 0, 0, 0)"
    assert looks[1] != looks[0]


async def test_a_message_grows_while_it_streams(ana: Visitor, server: FakeServer) -> None:
    frames = Numbered()
    await ana.opens_chat()
    line = await server.welcomed()
    await line.says(frames.started("m1"), frames.delta("m1", "We are open"))
    await ana.sees("Robin: We are open")
    await line.says(frames.delta("m1", " until six."))
    await ana.sees("Robin: We are open until six.")


async def test_a_failed_tool_is_shown_in_words_and_does_not_affect_the_others(
    ana: Visitor, server: FakeServer
) -> None:
    frames = Numbered()
    await ana.opens_chat()
    line = await server.welcomed()
    for number, outcome in enumerate(
        ["ok", "empty", "failed", "timed_out", "cancelled", "denied", "unknown"]
    ):
        await line.says(frames.tool_started(f"t1/c1.{number}", "checking your billing"))
        await line.says(frames.tool_finished(f"t1/c1.{number}", outcome))

    await expect(ana.chips).to_have_text(
        [
            f"Checking your billing: {ending}"
            for ending in (
                "done",
                "nothing found",
                "did not work",
                "took too long",
                "stopped",
                "not allowed",
                "unclear whether it was done",
            )
        ]
    )
    await expect(ana.chips.nth(2).locator(".ending")).to_be_visible()


async def test_starters_are_shown_until_the_first_message(ana: Visitor, server: FakeServer) -> None:
    await ana.opens_chat()
    line = await server.welcomed()
    await expect(ana.panel.get_by_text("You are talking to an automated assistant.")).to_be_visible()
    await expect(ana.panel.get_by_text("Hello, this is Robin. What can I do for you?")).to_be_visible()
    await expect(ana.panel.get_by_text("demo model, English only")).to_be_visible()

    await ana.button("When are you open?").click()

    assert (await line.hears("message"))["text"] == "When are you open?"
    await expect(ana.button("When are you open?")).to_be_hidden()
    await ana.has_focus_on("Your message")


async def test_a_turn_can_be_stopped(ana: Visitor, server: FakeServer) -> None:
    frames = Numbered()
    await ana.opens_chat()
    line = await server.welcomed()
    await expect(ana.button("Stop")).to_be_hidden()
    await ana.says("When are you open?")
    await take_message(line, frames, "t7")
    await line.says(frames.started("m1"), frames.delta("m1", "We are"))

    await ana.button("Stop").click()

    assert (await line.hears("cancel"))["turn_id"] == "t7"
    await line.says(
        frames.completed("m1", "response", "We are", interrupted=True),
        frames.turn_completed("t7", "interrupted"),
    )
    await ana.sees("You: When are you open?", "Robin: We areStopped here")
    await expect(ana.button("Stop")).to_be_hidden()
    await ana.has_focus_on("Your message")


async def test_markup_from_any_speaker_is_shown_as_text(ana: Visitor, server: FakeServer) -> None:
    frames = Numbered()
    markup = "<img src=x onerror=\"document.title='taken'\"><b>bold</b>"
    await ana.opens_chat()
    line = await server.welcomed(assistant={"name": markup, "greeting": markup, "starters": [markup]})
    await line.says(*frames.told("m1", "response", markup), frames.tool_started("t1/c1.1", markup))
    await line.says(*frames.asked(markup), frames.accepted("theirs", markup))

    await ana.sees(f"{markup}: {markup}", f"{markup}: {markup}", f"You: {markup}")
    assert await ana.panel.locator("img, b").count() == 0
    assert await ana.page.title() == "Willow & Finch"


async def test_a_message_from_another_tab_is_shown_here_too(ana: Visitor, server: FakeServer) -> None:
    await ana.opens_chat()
    line = await server.welcomed()
    await line.says(Numbered().accepted("from-elsewhere", "Is my order on its way?"))
    await ana.sees("You: Is my order on its way?")


async def test_a_refused_message_stays_with_its_reason_and_can_be_sent_again(
    ana: Visitor, server: FakeServer
) -> None:
    await ana.opens_chat()
    line = await server.welcomed()
    await ana.says("Hello?")
    said = await line.hears("message")
    await line.says({"type": "rejected", "id": said["id"], "code": "busy", "message": "too much"})
    await ana.sees("You: Hello?Not sent. There is still something to answer.Try again")

    await ana.button("Try again").click()

    assert await line.hears("message") == said
    await line.says(Numbered().accepted(said["id"], "Hello?"))
    await ana.sees("You: Hello?")


async def test_an_error_is_shown_without_the_text_for_developers(ana: Visitor, server: FakeServer) -> None:
    await ana.opens_chat()
    line = await server.welcomed()
    await line.says({"type": "error", "code": "internal", "retryable": True, "message": "KeyError in x"})
    await expect(ana.log).to_have_text("Something went wrong. Please try again.")


async def test_an_answer_can_be_rated_and_the_rating_removed(ana: Visitor, server: FakeServer) -> None:
    frames = Numbered()
    await ana.opens_chat()
    line = await server.welcomed()
    await line.says(
        *frames.told("m1", "acknowledgement", "Let me see."), *frames.told("m2", "response", "We are open.")
    )
    await expect(ana.button("Helpful")).to_have_count(1)
    await expect(ana.button("Helpful")).to_have_attribute("aria-pressed", "false")

    await ana.button("Helpful").click()

    asked = await line.hears("feedback")
    assert (asked["message_id"], asked["rating"]) == ("m2", "up")
    await line.says(frames.frame("rated", message_id="m2", rating="up"))
    await expect(ana.button("Helpful")).to_have_attribute("aria-pressed", "true")
    await ana.has_focus_on("Helpful")
    await ana.button("Not helpful").click()
    assert (await line.hears("feedback"))["rating"] == "down"
    await line.says(frames.frame("rated", message_id="m2", rating="down"))
    await expect(ana.button("Not helpful")).to_have_attribute("aria-pressed", "true")
    await ana.button("Not helpful").click()
    assert (await line.hears("feedback"))["rating"] is None
    await line.says(frames.frame("rated", message_id="m2", rating=None))
    await expect(ana.button("Not helpful")).to_have_attribute("aria-pressed", "false")


async def test_the_conversation_can_be_saved_as_a_text_file(ana: Visitor, server: FakeServer) -> None:
    frames = Numbered()
    await ana.opens_chat()
    line = await server.welcomed()
    await expect(ana.button("Download the conversation")).to_have_count(0)
    await ana.says("When are you open?")
    await take_message(line, frames)
    await line.says(*frames.told("m1", "response", "Until **six**."), frames.turn_completed())
    await ana.sees("You: When are you open?", "Robin: Until six.")
    async with ana.page.expect_download() as download:
        await ana.button("Download the conversation").click()
    file = await download.value
    assert file.suggested_filename == "conversation.txt"
    lines = (await file.path()).read_text().splitlines()
    assert [line for line in lines if "1970" not in line and "1969" not in line] == [
        "When are you open?",
        "",
        "Until **six**.",
    ]
    assert [line.split(" (")[0] for line in lines if "19" in line] == ["You", "Robin"]


async def test_each_day_begins_with_its_date(ana: Visitor, server: FakeServer) -> None:
    day_ms = 24 * 60 * 60 * 1000
    await ana.opens_chat()
    line = await server.welcomed("snapshot")
    first = customers("c1", "Hello") | {"at": 1_800_000_000_000}
    second = assistants("m1", "Hi.") | {"at": 1_800_000_001_000}
    third = customers("c2", "Me again") | {"at": 1_800_000_000_000 + day_ms}
    await line.says(snapshot(9, first, second, third))
    await ana.sees("You: Hello", "Robin: Hi.", "You: Me again")
    await expect(ana.log.locator(".day")).to_have_count(1)
    assert await ana.log.locator(".day").text_content() == "Saturday, January 16"


async def test_a_problem_with_a_prompt_is_shown_until_it_is_fixed(ana: Visitor, server: FakeServer) -> None:
    await ana.opens_chat()
    line = await server.welcomed()
    await line.says({"type": "notice", "problem": True, "message": "narrator.j2:4: unexpected '}'"})
    await expect(ana.panel.get_by_text("narrator.j2:4: unexpected '}'")).to_be_visible()
    await line.says({"type": "notice", "problem": False, "message": "all is well"})
    await expect(ana.panel.locator(".server-notice")).to_have_count(0)


async def test_a_rating_is_sent_and_shown(ana: Visitor, server: FakeServer) -> None:
    await ana.opens_chat()
    line = await server.welcomed()
    await line.says(*Numbered().told("m1", "response", "Hi."))
    thumb = ana.button("Helpful")
    await thumb.click()
    assert await line.hears("feedback") == {"type": "feedback", "message_id": "m1", "rating": "up"}
    await expect(thumb).to_have_attribute("aria-pressed", "true")
    await thumb.click()
    assert (await line.hears("feedback"))["rating"] is None


async def test_operators_notices_are_shown_only_where_requested(ana: Visitor, server: FakeServer) -> None:
    await ana.opens_chat()
    line = await server.welcomed(notices=True)
    await line.says({"type": "notice", "problem": True, "message": "prompts/voice.toml:3: no value"})
    await expect(ana.panel.get_by_text("prompts/voice.toml:3: no value")).to_be_visible()
