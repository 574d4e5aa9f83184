"""Staff pause the assistant or a part of it in the console: who may, what is recorded, and what is refused."""

from typing import Any

import pytest

from tests.server.console.browser import Browser, Office


async def paused(browser: Browser) -> list[tuple[str, str, str]]:
    answer = await browser.asks("GET", "pauses")
    assert answer.status == 200
    return [(one["kind"], one["name"], one["by"]) for one in answer.body["paused"]]


async def test_an_admin_pauses_and_resumes(office: Office) -> None:
    ana = await office.sits_down("ana")

    answer = await ana.asks("POST", "pauses", {"kind": "assistant", "why": "wrong prices"})
    await ana.asks("POST", "pauses", {"kind": "tool", "name": "cancel_order"})

    [whole, *_] = answer.body["paused"]
    now = office.clock.now_ms()
    assert whole == {"kind": "assistant", "name": "", "by": "Ana", "since": now, "why": "wrong prices"}
    assert await paused(ana) == [("assistant", "", "Ana"), ("tool", "cancel_order", "Ana")]

    await ana.asks("POST", "pauses/resume", {"kind": "assistant"})
    assert await paused(ana) == [("tool", "cancel_order", "Ana")]
    assert (await office.recorded())[1:] == [
        "ana assistant.pause (wrong prices): ok",
        "ana assistant.pause cancel_order: ok",
        "ana assistant.resume: ok",
    ]
    records = await office.audit.list_records("demo", before=None, limit=9)
    assert [one.kind for one in records][:3] == ["assistant", "tool", "assistant"]


async def test_the_page_learns_what_can_be_paused(office: Office) -> None:
    ana = await office.sits_down("ana")

    body: Any = (await ana.asks("GET", "pauses")).body

    assert body["channels"] == ["chat", "voice"]
    assert body["tools"] == [
        {"name": "cancel_order", "does": "cancelling your order", "writes": True},
        {"name": "get_open_invoices", "does": "checking your billing", "writes": False},
    ]
    assert body["versions"] == [
        {"id": "b2", "first_used_at": 2_000, "newest": True},
        {"id": "b1", "first_used_at": 1_000, "newest": False},
    ]
    assert body["people"] is True


async def test_an_editor_may_pause_and_an_agent_may_not(office: Office) -> None:
    await office.hires("eva", "editor")
    eva, kim = await office.sits_down("eva"), await office.sits_down("kim")

    assert (await eva.asks("POST", "pauses", {"kind": "channel", "name": "chat"})).status == 200
    assert (await kim.asks("POST", "pauses/resume", {"kind": "channel", "name": "chat"})).status == 403

    assert await paused(eva) == [("channel", "chat", "Eva")]


async def test_who_paused_first_stays_named(office: Office) -> None:
    await office.hires("eva", "editor")
    ana, eva = await office.sits_down("ana"), await office.sits_down("eva")
    await ana.asks("POST", "pauses", {"kind": "version", "name": "b2"})

    answer = await eva.asks("POST", "pauses", {"kind": "version", "name": "b2", "why": "me too"})

    assert answer.status == 200
    assert await paused(eva) == [("version", "b2", "Ana")]


@pytest.mark.parametrize(
    ("body", "status", "told"),
    [
        ({"kind": "tool", "name": "cancel_ordr"}, 404, "there are cancel_order, get_open_invoices"),
        ({"kind": "channel", "name": "phone"}, 404, "there is no channel 'phone'"),
        ({"kind": "version", "name": "b7"}, 404, "there is no version 'b7'; there are b1, b2"),
        ({"kind": "assistant", "name": "robin"}, 404, "there is no assistant 'robin'"),
        ({"kind": "world"}, 422, "kind"),
        ({"kind": "tool", "name": "cancel_order", "why": "x" * 301}, 422, "why"),
    ],
)
async def test_what_is_not_there_is_not_paused(office: Office, body: Any, status: int, told: str) -> None:
    ana = await office.sits_down("ana")

    answer = await ana.asks("POST", "pauses", body)

    assert answer.status == status
    assert told in answer.body["error"]["message"]
    assert await paused(ana) == []


async def test_an_editor_chooses_the_launch_mode(office: Office) -> None:
    await office.hires("eva", "editor")
    eva, kim = await office.sits_down("eva"), await office.sits_down("kim")
    wanted = {
        "mode": "shadow",
        "percent": 25,
        "levels": ["signed_in"],
        "locales": ["de"],
        "why": "first week",
    }

    answer = await eva.asks("POST", "pauses/launch", wanted)

    launch = answer.body["launch"]
    assert launch.pop("chosen")["by"] == "Eva"
    assert launch == {
        "mode": "shadow",
        "percent": 25,
        "levels": ["signed_in"],
        "locales": ["de"],
        "wait_s": 120,
    }
    assert answer.body["paused"] == []
    assert (await office.recorded())[-1] == (
        "eva assistant.launch (shadow percent=25 levels=signed_in locales=de wait=120 (first week)): ok"
    )

    assert (await kim.asks("POST", "pauses/launch", {"mode": "usual"})).status == 403
    usual = await eva.asks("POST", "pauses/launch", {"mode": "usual"})
    assert (usual.body["launch"]["mode"], usual.body["launch"]["chosen"]) == ("usual", None)


async def test_a_launch_mode_that_does_not_exist_is_refused(office: Office) -> None:
    ana = await office.sits_down("ana")

    answer = await ana.asks("POST", "pauses/launch", {"mode": "shadow", "percent": 101})

    assert (answer.status, answer.body["error"]["message"]) == (422, "percent: 101 is not from 0 to 100")
