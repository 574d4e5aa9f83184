"""The inbox: who waits, who has a conversation, what colleagues see, and what the assistant learns of it."""

from pathlib import Path

from assistant.conversation.customer import Customer
from assistant.conversation.entries import AgentMessage
from assistant.testing.script import says
from tests.server.console.inbox_office import ASKED, acts, live_line, open_inbox_office

BEN = Customer(tenant="demo", id="ben", name="Ben Roth")


async def test_an_agent_takes_a_waiting_customer_answers_and_hands_back(tmp_path: Path) -> None:
    async with open_inbox_office(tmp_path, *ASKED, says("Your invoice was cancelled.")) as scene:
        kim, ana = await scene.office.sits_down("kim"), await scene.customer()
        await ana.says("I want to talk to a person")
        assert await scene.rows(kim) == [("c-1", "waiting", None)]

        taken = await acts(kim, "take-over")
        assert (taken.body["row"]["state"], taken.body["row"]["by"]) == ("taken", "Kim")
        for _ in range(2):  # the answer to the first attempt may be lost
            assert (await acts(kim, "messages", id="m1", text="Hello Ana, this is Kim.")).status == 200
        assert await scene.rows(kim) == []
        assert await scene.rows(kim, "mine") == [("c-1", "taken", "Kim")]

        await acts(kim, "hand-back", note="Her invoice 7 was cancelled.")
        assert await scene.rows(kim, "mine") == []
        await ana.says("What about my invoice?")
        said = [one.entry.text for one in await scene.entries() if isinstance(one.entry, AgentMessage)]

        assert said == ["Hello Ana, this is Kim."]
        [asked] = scene.model.requests[-1:]
        assert "Her invoice 7 was cancelled." in str(asked)
        told = [line for line in ana.transcript if "cancelled" in str(line)]
        assert len(told) == 1, "the customer does not see the note"
        assert "Your invoice was cancelled." in str(told)


async def test_a_second_agent_is_told_who_has_it_and_sees_it_live(tmp_path: Path) -> None:
    async with open_inbox_office(tmp_path, *ASKED) as scene:
        await scene.office.hires("sam", "agent")
        kim, sam = await scene.office.sits_down("kim"), await scene.office.sits_down("sam")
        ana = await scene.customer()
        await ana.says("I want to talk to a person")
        async with live_line(sam) as line:
            await line.follows("inbox")
            await acts(kim, "take-over")
            news = await line.hears_row("taken")

        refused = await acts(sam, "take-over")
        written = await acts(sam, "messages", id="m1", text="Hello from Sam")
        ended = [(await acts(sam, action)).status for action in ("hand-back", "close")]

    assert (news["row"]["by"], news["row"]["customer"]["name"], news["waiting"]) == ("Kim", "Ana Silva", 0)
    assert (refused.status, refused.code, refused.body["error"]["message"]) == (
        409,
        "taken",
        "Kim has this conversation",
    )
    assert (written.status, written.code, ended) == (409, "taken", [409, 409])


async def test_two_people_with_one_name_are_not_one_person(tmp_path: Path) -> None:
    async with open_inbox_office(tmp_path, *ASKED) as scene:
        await scene.office.hires("sam", "agent")
        kim, sam = await scene.office.sits_down("kim"), await scene.office.sits_down("sam")
        await scene.office.staff.change_person(scene.office.people["sam"].id, name="Kim")
        await (await scene.customer()).says("I want to talk to a person")
        await acts(kim, "take-over")

        assert (await acts(sam, "take-over")).code == "taken"
        assert (await acts(sam, "messages", id="m1", text="Hello")).code == "taken"


async def test_a_page_reads_along_and_goes_on_after_a_cut(tmp_path: Path) -> None:
    async with open_inbox_office(tmp_path, *ASKED) as scene:
        kim, ana = await scene.office.sits_down("kim"), await scene.customer()
        await ana.says("I want to talk to a person")
        async with live_line(kim) as line:
            began = await line.follows("conversation", id="c-1")
            await acts(kim, "take-over")
            await acts(kim, "messages", id="m1", text="Hello Ana.")
            assert (await line.hears_item(kind="person"))["text"] == "Hello Ana."
        await ana.session.say(client_message_id="x", text="A human!", locale="en")
        await ana.session.answered()
        async with live_line(kim) as line:
            resumed = await line.follows("conversation", id="c-1", epoch=began["epoch"], seq=began["seq"])
            missed = await line.hears_item(kind="customer")

    kinds = [item.get("event") or item["kind"] for item in began["items"]]
    assert kinds == ["customer", "assistant", "tools", "requested", "assistant"]
    assert (resumed["resumed"], missed["text"]) == ("replay", "A human!")
    assert "items" not in resumed


async def test_notes_tags_and_assignment_are_for_staff_alone(tmp_path: Path) -> None:
    async with open_inbox_office(tmp_path, says("Hello."), says("Good evening.")) as scene:
        await scene.office.hires("sam", "agent")
        kim, ana = await scene.office.sits_down("kim"), await scene.customer()
        await ana.says("Good morning")
        await acts(kim, "notes", id="n1", text="She is a journalist.")
        await acts(kim, "tags", tags=["press", "press", "slow"])
        await acts(kim, "assign", account=scene.office.people["sam"].id)
        sam = await scene.office.sits_down("sam")
        assert await scene.rows(sam, "mine") == [("c-1", "assistant", None)]
        await ana.says("Good evening")

        answer = await kim.asks("GET", "inbox?view=all")
        [row] = answer.body["rows"]
        async with live_line(sam) as line:
            items = (await line.follows("conversation", id="c-1"))["items"]

    assert (row["tags"], row["assigned"]["name"]) == (["press", "slow"], "Sam")
    assert [one["text"] for one in items if one["kind"] == "note"] == ["She is a journalist."]
    assert "journalist" not in str(ana.transcript)
    assert all("journalist" not in str(request) for request in scene.model.requests)


async def test_earlier_conversations_of_the_same_customer_are_shown(tmp_path: Path) -> None:
    async with open_inbox_office(tmp_path, says("Hello."), says("Hi."), says("Hello again.")) as scene:
        await (await scene.customer("c-1")).says("The first matter")
        await (await scene.customer("b-1", BEN)).says("Another customer")
        await (await scene.customer("c-2")).says("The second matter")
        async with live_line(await scene.office.sits_down("kim")) as line:
            began = await line.follows("conversation", id="c-2")

    assert [(row["id"], row["last_text"]) for row in began["earlier"]] == [("c-1", "The first matter")]


async def test_a_page_learns_at_once_how_many_wait(tmp_path: Path) -> None:
    async with open_inbox_office(tmp_path, *ASKED) as scene:
        await (await scene.customer()).says("I want to talk to a person")
        async with live_line(await scene.office.sits_down("kim")) as line:
            assert (await line.follows("inbox"))["waiting"] == 1


async def test_a_closed_conversation_opens_with_the_next_message(tmp_path: Path) -> None:
    async with open_inbox_office(tmp_path, *ASKED, says("Hello again.")) as scene:
        kim, ana = await scene.office.sits_down("kim"), await scene.customer()
        await ana.says("I want to talk to a person")
        await acts(kim, "take-over")
        await acts(kim, "close")
        assert await scene.rows(kim, "closed") == [("c-1", "closed", "Kim")]
        before = len(ana.transcript)

        await ana.says("One more thing")

        assert await scene.rows(kim, "closed") == []
        assert await scene.rows(kim, "all") == [("c-1", "assistant", None)]
        assert len(ana.transcript) == before + 2


async def test_an_agent_interrupts_the_assistant_only_with_the_right_role(tmp_path: Path) -> None:
    async with open_inbox_office(tmp_path, says("Hello.")) as scene:
        lee, kim = await scene.office.sits_down("lee"), await scene.office.sits_down("kim")
        await (await scene.customer()).says("Good morning")
        async with live_line(lee) as line:
            refused = await line.follows("conversation", id="c-1")

        assert refused["code"] == "not_allowed"
        assert (await acts(lee, "take-over")).status == 403
        assert (await acts(kim, "take-over")).body["row"]["state"] == "taken"


async def test_what_tools_got_and_returned_needs_a_role(tmp_path: Path) -> None:
    async with open_inbox_office(tmp_path, *ASKED) as scene:
        await (await scene.customer()).says("I want to talk to a person")
        seen: dict[str, bool] = {}
        for login in ("ana", "kim"):
            async with live_line(await scene.office.sits_down(login)) as line:
                items = (await line.follows("conversation", id="c-1"))["items"]
            [call] = next(item["calls"] for item in items if item["kind"] == "tools")
            assert (call["tool"], call["outcome"]) == ("talk_to_a_person", "ok")
            seen[login] = "arguments" in call and "result" in call

    assert seen == {"ana": True, "kim": False}


async def test_each_view_and_action_is_recorded_with_the_customer(tmp_path: Path) -> None:
    async with open_inbox_office(tmp_path, *ASKED) as scene:
        kim = await scene.office.sits_down("kim")
        await (await scene.customer()).says("I want to talk to a person")
        await scene.rows(kim)
        async with live_line(kim) as line:
            await line.follows("conversation", id="c-1")
        await acts(kim, "take-over")
        await acts(kim, "messages", id="m1", text="Hello")
        await acts(kim, "messages", "nowhere", id="m1", text="Hello")
        recorded = await scene.office.recorded()
        customers = {
            one.customer
            for one in await scene.office.audit.list_records("demo", before=None, limit=9)
            if one.kind == "conversation" and one.object == "c-1"
        }

    assert recorded[1:] == [
        "kim inbox.read (waiting): ok",
        "kim conversation.read c-1: ok",
        "kim conversation.take_over c-1: ok",
        "kim conversation.reply c-1: ok",
        "kim conversation.reply nowhere: refused",
    ]
    assert customers == {"ana"}


async def test_lists_are_read_to_their_end_page_by_page(tmp_path: Path) -> None:
    count = 220
    async with open_inbox_office(tmp_path, *[says("Hello.")] * count) as scene:
        for number in range(count):
            await (await scene.customer(f"c-{number:03}", BEN)).says("Good morning")
        kim = await scene.office.sits_down("kim")
        names, after, sizes = list[str](), "", list[int]()
        while True:
            page = (await kim.asks("GET", f"inbox?view=all&after={after}")).body
            assert page["total"] == count
            names += [row["id"] for row in page["rows"]]
            sizes.append(len(page["rows"]))
            if (after := page["after"]) is None:
                break
        wrong = await kim.asks("GET", "inbox?view=all&after=nowhere")

    assert sizes == [100, 100, 20]
    assert sorted(names) == [f"c-{number:03}" for number in range(count)]
    assert (wrong.status, wrong.code) == (422, "invalid")
