"""Media that cannot be shown do not affect the rest: the call has succeeded, and the missing part is named."""

import asyncio
from collections.abc import Awaitable
from typing import cast

import pytest
from structlog.testing import capture_logs

from assistant import Media, ToolResult, tool
from assistant.conversation.calls import Call
from assistant.conversation.outcomes import CallFailed, CallSucceeded, Outcome
from assistant.conversation.values import Effect
from assistant.testing.virtual_time import VirtualClock
from assistant.tools.concurrency import ConcurrencyLimiters
from assistant.tools.execute import execute
from assistant.tools.media import MOST_DATA, LeftOut, Transform, chain_transforms, scale_down
from assistant.tools.registry import Tools
from assistant.tools.tool import PreparedCall
from tests.tools.conftest import ANA, CONTEXT
from tests.tools.media.pictures import picture

PHOTO = Media.of(picture(), name="door.png")
NOTE = Media.of(b"a note", name="note.txt")


async def run(
    *media: Media, transform: Transform | None = None, value: object = 1, effect: Effect = "read"
) -> Outcome:
    """What comes of a tool that gives these."""

    @tool(waiting_hint="looking for it", effect=effect)
    def give() -> ToolResult[object]:
        """Give it."""
        return ToolResult(value, media)

    call, clock = Call(id="c1.1", tool="give"), VirtualClock()
    ready = PreparedCall(call, Tools([give]).get("give"), {})
    ran = await execute(
        ready,
        customer=ANA,
        context=CONTEXT,
        timeout_s=10,
        clock=clock,
        gates=ConcurrencyLimiters(clock),
        transform=transform,
    )
    return ran.outcome


async def kept(
    *media: Media, transform: Transform | None = None
) -> tuple[tuple[Media, ...], tuple[str, ...]]:
    """What is kept of these, and what is said of the others."""
    outcome = await run(*media, transform=transform)
    assert isinstance(outcome, CallSucceeded)
    assert outcome.value == 1
    return outcome.media, outcome.omitted


async def test_valid_media_are_kept_in_order() -> None:
    assert await kept(PHOTO, NOTE, transform=scale_down()) == ((PHOTO, NOTE), ())


@pytest.mark.parametrize(
    ("unfit", "clause"),
    [
        (Media(mime="image/png", data="a*b"), "image/png 1: its data are no base64 ("),
        (Media(mime="image/png", data="", name="x"), "x: there is nothing in it"),
        (
            Media(mime="a/b", data="A" * (MOST_DATA + 4), name="x"),
            f"x: it has {MOST_DATA + 4} characters of base64; at most {MOST_DATA} are kept of a call",
        ),
        (Media.of(b"x", mime="image/gif", name="x"), "x: it is said to be image/gif, and"),
        (Media.of(picture()[:70], name="x"), "x: it cannot be read ("),
    ],
)
async def test_invalid_media_are_left_out_alone_and_the_log_says_why(unfit: Media, clause: str) -> None:
    with capture_logs() as logs:
        media, (left_out,) = await kept(unfit, NOTE, transform=scale_down())

    assert media == (NOTE,)
    assert left_out.startswith(clause)
    told = f"{logs[0]['media']}: {logs[0]['why']}"
    assert (logs[0]["event"], logs[0]["tool"], logs[0]["call"], told) == (
        "media left out",
        "give",
        CONTEXT.key,
        left_out,
    )


async def test_all_media_together_have_a_limit() -> None:
    large = Media(mime="a/b", data="A" * (MOST_DATA - 4), name="x")

    media, left_out = await kept(large, PHOTO, Media(mime="a/b", data="AAAA"))

    assert [one.data[:4] for one in media] == ["AAAA", "AAAA"]
    assert left_out[0].endswith(f"at most {MOST_DATA} are kept of a call, of which the others leave 4")


@pytest.mark.parametrize("value", [None, [], ""])
async def test_a_call_with_only_invalid_media_is_a_failure(value: object) -> None:
    outcome = await run(Media(mime="image/png", data="", name="x"), value=value)

    assert outcome == CallFailed(
        call=outcome.call,
        say="that did not work",
        for_model="Nothing of the result could be kept: x: there is nothing in it.",
    )


async def test_a_side_effect_is_not_reported_as_failed() -> None:
    outcome = await run(Media(mime="image/png", data=""), value=None, effect="write")

    assert isinstance(outcome, CallFailed)
    assert outcome.say == "it was sent off, but I can't see what came of it"


async def test_transforms_run_in_order_plain_ones_and_async_ones() -> None:
    def named(media: Media) -> Media:
        return Media(mime=media.mime, data=media.data, name=f"{media.name}, seen")

    async def twice(media: Media) -> Media:
        await asyncio.sleep(0)
        return named(named(media))

    media, _ = await kept(NOTE, transform=chain_transforms(named, twice))

    assert media[0].name == "note.txt, seen, seen, seen"


async def test_media_that_a_transform_removes_reach_no_later_one() -> None:
    def fails(media: Media) -> Media:
        raise AssertionError(media)

    assert await kept(NOTE, transform=chain_transforms(lambda _: None, fails)) == ((), ())


async def test_a_transform_gives_the_reason_for_leaving_media_out() -> None:
    async def refuses(media: Media) -> Media:
        raise LeftOut("a face is in it")

    assert await kept(NOTE, transform=chain_transforms(refuses)) == ((), ("note.txt: a face is in it",))


@pytest.mark.parametrize("gives", [3, "x", b"bytes"])
async def test_a_transform_that_returns_no_media_leaves_its_input_out(gives: object) -> None:
    def stamp(media: Media) -> Media:
        return cast("Media", gives)

    with capture_logs() as logs:
        assert await kept(NOTE, transform=chain_transforms(stamp)) == (
            (),
            ("note.txt: its transform raised TypeError",),
        )

    assert f"stamp gave a {type(gives).__name__}; give Media, or None to leave it out" in str(
        logs[0]["exc_info"]
    )


async def test_the_result_of_a_transform_is_checked_too() -> None:
    media, left_out = await kept(NOTE, transform=chain_transforms(lambda _: Media(mime="a/b", data="*")))

    assert media == ()
    assert left_out[0].startswith("note.txt: its data are no base64 (")


async def test_an_endless_transform_affects_only_its_picture() -> None:
    async def never(media: Media) -> Media | None:
        if media is NOTE:
            return media
        return await cast("Awaitable[None]", asyncio.get_running_loop().create_future())

    media, left_out = await kept(PHOTO, NOTE, transform=never)

    assert media == (NOTE,)
    assert left_out == ("door.png: it was not transformed within 10 s",)
