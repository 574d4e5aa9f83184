"""Who takes which conversation: teams, skills, presence, capacity, automatic assignment, and promises."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from assistant.conversation.customer import Customer
from assistant.policies.escalation import Escalation, EscalationRule, Promise
from assistant.prompts.word_list import WordList
from assistant.testing.script import says
from tests.server.console.browser import Browser
from tests.server.console.inbox_office import ASKED, InboxOffice, acts, live_line, open_inbox_office

BEN = Customer(tenant="demo", id="ben", name="Ben Roth")
BILLING = Escalation(
    rules=(
        EscalationRule(
            name="invoices",
            where="",
            words=WordList(("invoice",)),
            team="billing",
            skill="de",
            priority="high",
        ),
    ),
    promises=(
        Promise(team="billing", first_response_min=30, resolution_min=240),
        Promise(first_response_min=120),
    ),
)


async def works(scene: InboxOffice, login: str, **profile: object) -> None:
    """Ana, who is the admin, sets what a person works on."""
    ana = await scene.office.sits_down("ana")
    changed = await ana.asks("PATCH", f"people/{scene.office.people[login].id}", profile)
    assert changed.status == 200, changed.body
    assert {name: changed.body[name] for name in profile} == profile


async def listed(browser: Browser, query: str = "view=waiting") -> list[dict[str, Any]]:
    answer = await browser.asks("GET", f"inbox?{query}")
    assert answer.status == 200, answer.body
    return answer.body["rows"]


async def colleague(browser: Browser, name: str) -> Mapping[str, Any]:
    answer = await browser.asks("GET", "inbox/colleagues")
    return next(one for one in answer.body["people"] if one["name"] == name)


async def test_a_rule_brings_a_conversation_to_the_people_of_a_team(tmp_path: Path) -> None:
    async with open_inbox_office(tmp_path, says("I see."), *ASKED, escalation=BILLING) as scene:
        await scene.office.hires("sam", "agent")
        await works(scene, "kim", teams=["billing"], skills=["de", "warranty"], capacity=2)
        await works(scene, "sam", teams=["support"], skills=["de"])
        kim, sam = await scene.office.sits_down("kim"), await scene.office.sits_down("sam")
        async with live_line(kim), live_line(sam):
            await (await scene.customer()).says("The invoice is wrong")
            await (await scene.customer("c-2", BEN)).says("A person please")

            rows = await listed(kim)
            for_kim = await listed(kim, "view=waiting&team=")
            for_sam = await listed(sam, "view=waiting&team=")
            of_billing = await listed(sam, "view=waiting&team=billing")
            teams = (await kim.asks("GET", "inbox/colleagues")).body["teams"]

    first, second = rows
    assert first["rule"] == {"name": "invoices", "why": "said 'invoice'"}
    assert (first["team"], first["skill"], first["priority"]) == ("billing", "de", "high")
    assert (first["could_take"], second["could_take"]) == (["Kim"], ["Kim", "Sam"])
    assert [row["id"] for row in for_kim] == ["c-1", "c-2"]
    assert [row["id"] for row in for_sam] == ["c-2"]
    assert [row["id"] for row in of_billing] == ["c-1"]
    assert teams == ["billing", "support"]


async def test_a_person_is_available_away_or_offline(tmp_path: Path) -> None:
    async with open_inbox_office(tmp_path, *ASKED) as scene:
        kim = await scene.office.sits_down("kim")
        await (await scene.customer()).says("A person please")
        before = await colleague(kim, "Kim")
        async with live_line(kim):
            here = await colleague(kim, "Kim")
            could = (await listed(kim))[0]["could_take"]
            switched = await kim.asks("POST", "presence", {"away": True})
            away = await colleague(kim, "Kim")
            could_not = (await listed(kim))[0]["could_take"]
        audit = [line for line in await scene.office.recorded() if "presence" in line]

    states = [one["availability"] for one in (before, here, switched.body, away)]
    assert states == ["offline", "available", "away", "away"]
    assert (could, could_not) == (["Kim"], [])
    assert audit == ["kim presence.change (away): ok"]


async def test_a_full_colleague_is_not_offered(tmp_path: Path) -> None:
    async with open_inbox_office(tmp_path, *ASKED, *ASKED) as scene:
        await works(scene, "kim", capacity=1)
        kim = await scene.office.sits_down("kim")
        async with live_line(kim):
            await (await scene.customer()).says("A person please")
            await acts(kim, "take-over")
            await (await scene.customer("c-2", BEN)).says("A person please")
            [row] = await listed(kim)
            open_now = (await colleague(kim, "Kim"))["open"]

    assert (row["id"], row["could_take"], open_now) == ("c-2", [], 1)


async def test_the_colleague_with_the_fewest_is_assigned_automatically(tmp_path: Path) -> None:
    async with open_inbox_office(tmp_path, *ASKED, *ASKED, *ASKED, assigns=True) as scene:
        sam = await scene.office.hires("sam", "agent")
        kim_account = scene.office.people["kim"]
        await works(scene, "kim", capacity=1)
        kim, sams = await scene.office.sits_down("kim"), await scene.office.sits_down("sam")
        async with live_line(kim), live_line(sams):
            for number in range(3):
                customer = Customer(tenant="demo", id=f"v{number}")
                await (await scene.customer(f"c-{number}", customer)).says("A person please")
            # As each page reports every 15 seconds.
            for account in (sam, kim_account, sam):
                await scene.inbox.come_for(account)
            mine = [row["id"] for row in await listed(kim, "view=mine")]
            his = sorted(row["id"] for row in await listed(sams, "view=mine"))

    assert (mine, his) == (["c-0"], ["c-1", "c-2"])


async def test_nothing_is_assigned_unless_the_company_wants_it(tmp_path: Path) -> None:
    async with open_inbox_office(tmp_path, *ASKED) as scene:
        kim = await scene.office.sits_down("kim")
        async with live_line(kim):
            await (await scene.customer()).says("A person please")
            await scene.inbox.come_for(scene.office.people["kim"])

            assert await listed(kim, "view=mine") == []


async def test_a_conversation_is_given_to_another_team(tmp_path: Path) -> None:
    async with open_inbox_office(tmp_path, says("I see."), says("At nine."), escalation=BILLING) as scene:
        kim, ana = await scene.office.sits_down("kim"), await scene.customer()
        await ana.says("The invoice is wrong")
        moved = await acts(kim, "assign", team="repairs")
        await (await scene.customer("c-2", BEN)).says("When do you open?")
        refused = await acts(kim, "assign", "c-2", team="repairs")

    row = moved.body["row"]
    assert (row["team"], row["rule"]["name"], row["priority"]) == ("repairs", "invoices", "high")
    assert (refused.status, refused.code) == (409, "not_waiting")


async def test_what_is_promised_first_is_first_in_the_list(tmp_path: Path) -> None:
    async with open_inbox_office(tmp_path, *ASKED, says("I see."), escalation=BILLING) as scene:
        kim, ben = await scene.office.sits_down("kim"), await scene.customer("c-2", BEN)
        await ben.says("A person please")
        await (await scene.customer()).says("The invoice is wrong")
        waiting = await listed(kim)
        await acts(kim, "take-over")
        await acts(kim, "messages", id="m1", text="Hello, this is Kim.")
        [answered] = await listed(kim, "view=mine")
        await acts(kim, "close")
        [closed] = await listed(kim, "view=closed")

    minute = 60_000
    assert [(row["id"], row["due"]) for row in waiting] == [
        ("c-1", {"kind": "first_response", "at": waiting[0]["since"] + 30 * minute}),
        ("c-2", {"kind": "first_response", "at": waiting[1]["since"] + 120 * minute}),
    ]
    assert answered["due"] == {"kind": "resolution", "at": waiting[0]["since"] + 240 * minute}
    assert closed["due"] is None


async def test_names_without_sense_are_refused(tmp_path: Path) -> None:
    async with open_inbox_office(tmp_path) as scene:
        ana = await scene.office.sits_down("ana")
        person = f"people/{scene.office.people['kim'].id}"
        for wrong in ({"teams": ["a,b"]}, {"skills": [" "]}, {"capacity": -1}, {"teams": ["x" * 61]}):
            assert (await ana.asks("PATCH", person, wrong)).status == 422, wrong
        kim = await scene.office.sits_down("kim")
        assert (await kim.asks("PATCH", person, {"teams": ["billing"]})).status == 403
